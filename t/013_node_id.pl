# uuid_keyorder.node_id: set before the library is loaded, changed by a reload, and
# refused where it is out of range or comes from a session.
#
# Situations F04, F08; traps I-38, I-39.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $node = new_server('node_id', start => 0);
$node->append_conf('postgresql.conf', "uuid_keyorder.node_id = 100\n");
$node->start;

my $shown = q{
	SHOW uuid_keyorder.node_id;
	SELECT snowflake_node(snowflake_id());
	SHOW uuid_keyorder.node_id;
	SELECT node_id, snowflake_node(last_id) FROM snowflake_status();
};
is($node->safe_psql('postgres', 'SHOW uuid_keyorder.node_id'), 100, 'a placeholder before the library is loaded');
is($node->safe_psql('postgres', "CREATE EXTENSION uuid_keyorder; $shown"), "100\n100\n100\n100|100",
	'it becomes the setting, and ids hold it');
is($node->safe_psql('postgres', $shown), "100\n100\n100\n100|100", 'in a new session too');

# A change by reload reaches sessions that run.
sub reload_with
{
	my ($value) = @_;
	return "ALTER SYSTEM SET uuid_keyorder.node_id = $value; SELECT pg_reload_conf() \\g /dev/null\nSELECT pg_sleep(0.5) \\g /dev/null\n";
}
is($node->safe_psql('postgres', 'SELECT snowflake_node(snowflake_id());' . reload_with(1023) . 'SELECT snowflake_node(snowflake_id());'),
	"100\n1023", 'a reload reaches a running session');

# Ids ascend over a change of the node, upwards and downwards.
ok(ascends(column_of($node, 'SELECT snowflake_id();' . reload_with(0) . 'SELECT snowflake_id();' . reload_with(1023) . 'SELECT snowflake_id();')),
	'ids ascend over changes of the node');

# Refused: the old value stays.
like(error_of($node, 'SELECT snowflake_id(); SET uuid_keyorder.node_id = 5'),
	qr/^55P02 parameter "uuid_keyorder.node_id" cannot be changed now/, 'not by SET, not even by a superuser');
like(error_of($node, "SELECT set_config('uuid_keyorder.node_id', '5', false) FROM (SELECT snowflake_id()) AS loaded"),
	qr/^55P02 /, 'nor by set_config');
foreach my $value (-1, 1024, 99999999999, "'x'", "''", "'1 GB'")
{
	like(error_of($node, "SELECT snowflake_id(); ALTER SYSTEM SET uuid_keyorder.node_id = $value"), qr/^22023 /,
		"ALTER SYSTEM refuses $value");
}
is($node->safe_psql('postgres', $shown), "1023\n1023\n1023\n1023|1023", 'the value stays');

# A wrong value in the file: a reload keeps the old one in sessions that run.
$node->safe_psql('postgres', 'ALTER SYSTEM RESET uuid_keyorder.node_id');
$node->append_conf('postgresql.conf', "uuid_keyorder.node_id = 77\n");
$node->reload;
is($node->safe_psql('postgres', q{SELECT pg_sleep(0.5) \g /dev/null
	SELECT snowflake_node(snowflake_id())}), 77, 'the file is read');
is($node->safe_psql('postgres', "SELECT snowflake_node(snowflake_id());\n"
		. '\! echo "uuid_keyorder.node_id = 4096" >> "' . $node->data_dir . "/postgresql.conf\"\n"
		. "SELECT pg_reload_conf() \\g /dev/null\nSELECT pg_sleep(0.5) \\g /dev/null\nSELECT snowflake_node(snowflake_id());"),
	"77\n77", 'a wrong value in the file is not taken over');

# A new session meets it before the library is loaded: a WARNING, and the default.
my ($status, $stdout, $stderr) = $node->psql('postgres', 'SELECT snowflake_node(snowflake_id()); SHOW uuid_keyorder.node_id');
is($stdout, "0\n0", 'at loading, a wrong value gives way to the default');
like($stderr, qr/4096 is outside the valid range for parameter "uuid_keyorder.node_id" \(0 \.\. 1023\)/, 'with a warning');

# A misspelt name is told, once the library is there.
$node->append_conf('postgresql.conf', "uuid_keyorder.node_id = 5\n");
$node->reload;
$node->poll_query_until('postgres', q{SELECT current_setting('uuid_keyorder.node_id') = '5'});
if (major_version($node) >= 15)
{
	like(error_of($node, 'SELECT snowflake_id(); SET uuid_keyorder.node = 5'),
		qr/^42602 invalid configuration parameter name "uuid_keyorder.node"/, 'a name that does not exist');
}

# By a role that may do nothing else.
$node->safe_psql('postgres', 'CREATE ROLE nobody; REVOKE ALL ON SCHEMA public FROM nobody');
is($node->safe_psql('postgres', 'SET ROLE nobody; SELECT snowflake_node(snowflake_id())'), 5, 'for a role without privileges too');

# Preloaded: a wrong value keeps the server from starting, as any other setting's.
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'uuid_keyorder'\n");
$node->restart;
is($node->safe_psql('postgres', $shown), "5\n5\n5\n5|5", 'with the library preloaded');

$node->stop('immediate');
done_testing();
