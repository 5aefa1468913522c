# Parallel plans forced on: ids are made in workers where the label allows it, each
# once; snowflake_id() and snowflake_status() stay out of the workers.
#
# Situations C12, I08; traps I-9, I-43, I-47.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $node = new_server('parallel_plans');
my $forced = major_version($node) >= 16 ? 'debug_parallel_query' : 'force_parallel_mode';

# Preloaded, so that backends and workers are children of a process with the library.
$node->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'uuid_keyorder'
$forced = on
max_parallel_workers_per_gather = 4
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
});
$node->restart;
$node->safe_psql('postgres', q{
	CREATE TABLE many AS SELECT n, public.uuidv7() AS u, n::bigint << 22 AS s FROM generate_series(1, 100000) AS n;
	ALTER TABLE many SET (parallel_workers = 4);
	ANALYZE many;
});

my $drawn = 'SELECT count(*), count(DISTINCT a), count(DISTINCT b), count(DISTINCT c) FROM
	(SELECT public.uuidv7() AS a, public.uuidv4() AS b, public.uuidv7_at(\'2026-01-01\') AS c FROM many OFFSET 0) AS drawn';
like($node->safe_psql('postgres', "EXPLAIN (COSTS off) $drawn"), qr/Gather/, 'generators run in workers');
is($node->safe_psql('postgres', $drawn), '100000|100000|100000|100000', 'and none makes the id of another');

# Forked from one parent: no two processes share random bits.
is($node->safe_psql('postgres', q{
	SELECT count(DISTINCT right(public.uuidv7()::text, 12)) FROM many}), 100000, 'random bits of 100000 ids');
$node->safe_psql('postgres', 'CREATE TABLE first_of_session (u uuid PRIMARY KEY)');
pgbench_clients($node, 'sessions that draw one id each',
	"INSERT INTO first_of_session VALUES (public.uuidv4()) ON CONFLICT DO NOTHING;\n", '-C', '-c', 4, '-t', 10);
is($node->safe_psql('postgres', 'SELECT count(*) FROM first_of_session'), 40, 'none repeats another');

unlike($node->safe_psql('postgres', 'EXPLAIN (COSTS off) SELECT count(snowflake_id()) FROM many'), qr/Gather/,
	'snowflake_id() makes no parallel plan');
is($node->safe_psql('postgres', 'SELECT count(DISTINCT snowflake_id()) FROM many'), 100000, 'and works under the setting');
is($node->safe_psql('postgres', 'SELECT ids_issued >= 100000 FROM snowflake_status()'), 't', 'snowflake_status() works too');

# The pure functions and the aggregates give the same as without workers.
foreach my $query (
	'SELECT min(u), max(u) FROM many',
	'SELECT count(DISTINCT uuidv7_timestamp(u)), max(uuidv7_timestamp_us(u)) FROM many',
	'SELECT sum(snowflake_counter(s)), max(snowflake_timestamp(s)), sum(snowflake_node(s)) FROM many',
	q{SELECT count(*) FROM many WHERE u >= uuidv7_lower_bound(uuidv7_timestamp(u)) AND u <= uuidv7_upper_bound(uuidv7_timestamp(u))
		AND uuid_prefix_timestamp(u::text) = uuidv7_timestamp(u) AND public.uuid_extract_version(u) = 7})
{
	# An index or none: the aggregates must combine.
	my $settings = 'SET enable_indexonlyscan = off; SET enable_indexscan = off;';
	my $serial = "SET $forced = off; SET max_parallel_workers_per_gather = 0;";

	like($node->safe_psql('postgres', "$settings EXPLAIN (COSTS off) $query"), qr/Gather/, "in workers: $query");
	is($node->safe_psql('postgres', "$settings $query"), $node->safe_psql('postgres', "$serial $query"), 'same result');
}

$node->stop('immediate');
done_testing();
