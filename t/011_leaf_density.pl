# What the ids are for: an index on them fills its leaf pages to the fillfactor of 90
# and stays in physical order, also when 16 clients insert at once.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $node = new_server('leaf_density', start => 0);
$node->append_conf('postgresql.conf', "synchronous_commit = off\nmax_wal_size = 4GB\nshared_buffers = 256MB\n");
$node->start;
if ($node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pgstattuple'}) == 0)
{
	$node->stop('immediate');
	plan skip_all => 'this server has no pgstattuple';
}
$node->safe_psql('postgres', q{
	CREATE EXTENSION uuid_keyorder;
	CREATE EXTENSION pgstattuple;
	CREATE UNLOGGED TABLE at_once (id uuid PRIMARY KEY);
	CREATE UNLOGGED TABLE by_clients (id uuid PRIMARY KEY DEFAULT public.uuidv7());
	CREATE UNLOGGED TABLE numbers_by_clients (id bigint PRIMARY KEY DEFAULT snowflake_id());
	CREATE UNLOGGED TABLE random (id uuid PRIMARY KEY);
});

# Density, fragmentation and number of leaves.  pgstattuple counts one line pointer
# of each page as used up to 17 and as free from 18 on: 0.05 percent.
sub leaves
{
	my ($table) = @_;
	my @leaves = split /\|/, $node->safe_psql('postgres', qq{
		SELECT avg_leaf_density + CASE WHEN current_setting('server_version_num')::int >= 180000 THEN 0.05 ELSE 0 END,
			leaf_fragmentation, leaf_pages
		FROM pgstatindex('${table}_pkey')});
	note "$table: density $leaves[0], fragmentation $leaves[1], $leaves[2] leaves";
	return @leaves;
}

my $rows = int(1000000 * $scale);
$node->safe_psql('postgres', "INSERT INTO at_once SELECT public.uuidv7() FROM generate_series(1, $rows)");
my ($density, $fragmentation) = leaves('at_once');
cmp_ok($density, '>=', 89.9, "$rows uuidv7() in one INSERT ... SELECT: leaf density");
cmp_ok($fragmentation, '==', 0, 'no leaf out of order');

my $transactions = int(5000 * $scale);
pgbench_clients($node, '16 clients with uuidv7()', "INSERT INTO by_clients DEFAULT VALUES;\n",
	'-c', 16, '-j', 2, '-t', $transactions);
($density, $fragmentation) = leaves('by_clients');
cmp_ok($density, '>=', 89.5, '16 clients: leaf density');
cmp_ok($fragmentation, '<', 2, '16 clients: hardly a leaf out of order');

pgbench_clients($node, '16 clients with snowflake_id()', "INSERT INTO numbers_by_clients DEFAULT VALUES;\n",
	'-c', 16, '-j', 2, '-t', int($transactions / 2));
($density, $fragmentation) = leaves('numbers_by_clients');
cmp_ok($density, '>=', 89, '16 clients, snowflake_id(): leaf density');
cmp_ok($fragmentation, '<', 2, '16 clients, snowflake_id(): hardly a leaf out of order');

# The measure can tell: random keys do neither.
$node->safe_psql('postgres', 'INSERT INTO random SELECT uuidv4() FROM generate_series(1, 100000)');
($density, $fragmentation) = leaves('random');
cmp_ok($density, '<', 80, 'uuidv4() leaves leaves a quarter empty');
cmp_ok($fragmentation, '>', 30, 'and out of order');

$node->stop('immediate');
done_testing();
