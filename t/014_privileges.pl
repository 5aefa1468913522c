# A role without any privilege makes ids, and reads their times and bounds; it can
# neither read nor move the mark, and the status is for pg_monitor.
#
# Traps I-37, I-43.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $node = new_server('privileges');
$node->safe_psql('postgres', q{
	CREATE ROLE nobody LOGIN;
	CREATE ROLE watcher LOGIN IN ROLE pg_monitor;
	CREATE ROLE owner_of_mark;
	CREATE TABLE kept (id bigint DEFAULT snowflake_id(), u uuid DEFAULT public.uuidv7());
	GRANT INSERT ON kept TO nobody;
});

sub as_nobody { return error_of($node, "SET ROLE nobody; $_[0]") }

# The first id of all raises the mark; so does a later one, in a security-restricted
# operation too.
is(as_nobody('SELECT snowflake_id()'), 'none', 'the first id');
is(as_nobody('INSERT INTO kept DEFAULT VALUES'), 'none', 'a default');
is(as_nobody('SELECT public.uuidv7(), uuidv4(), uuidv7_at(now()), public.uuidv7(\'1 day\')'), 'none', 'uuids');
is(as_nobody(q{SELECT uuidv7_timestamp(u), snowflake_timestamp(1), uuidv7_lower_bound(now()), snowflake_upper_bound(now())
	FROM uuidv7_upper_bound(now()) AS u}), 'none', 'times and bounds');
$node->safe_psql('postgres', 'ALTER SEQUENCE snowflake_id_mark OWNER TO owner_of_mark');
$node->restart;
is(as_nobody('SELECT snowflake_id()'), 'none', 'raising a mark that another role owns');
is($node->safe_psql('postgres', 'SET ROLE nobody; SELECT snowflake_id() \g /dev/null
	SELECT current_user, session_user = current_user'), 'nobody|f', 'the role stays what it was');

is(as_nobody('SELECT * FROM snowflake_status()'), '42501 permission denied for function snowflake_status', 'the status is denied');
is(error_of($node, 'SET ROLE watcher; SELECT * FROM snowflake_status()'), 'none', 'pg_monitor sees it');
foreach my $sql ('SELECT * FROM snowflake_id_mark', q{SELECT setval('snowflake_id_mark', 1)}, q{SELECT nextval('snowflake_id_mark')})
{
	is(as_nobody($sql), '42501 permission denied for sequence snowflake_id_mark', $sql);
}
is(as_nobody('SELECT last_value IS NULL FROM pg_sequences WHERE sequencename = \'snowflake_id_mark\''), 'none', 'the view pg_sequences can be read');

# Without EXECUTE, the default is refused.
$node->safe_psql('postgres', 'REVOKE EXECUTE ON FUNCTION snowflake_id() FROM PUBLIC');
is(as_nobody('INSERT INTO kept DEFAULT VALUES'), '42501 permission denied for function snowflake_id', 'EXECUTE can be taken away');

# Not trusted: only a superuser installs it.
$node->safe_psql('postgres', 'CREATE DATABASE of_nobody OWNER nobody');
like(error_of($node, 'SET ROLE nobody; CREATE EXTENSION uuid_keyorder', 'of_nobody'),
	qr/^42501 permission denied to create extension "uuid_keyorder"/, 'CREATE EXTENSION is for superusers');

$node->stop('immediate');
done_testing();
