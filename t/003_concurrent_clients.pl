# 16 clients at once, also with a new connection for each transaction: no id
# twice, and of two calls of snowflake_id() the later one gets the higher id.
#
# Situations C12, F02, F03, F10; traps I-34, I-47.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $node = new_server('concurrent_clients');
$node->append_conf('postgresql.conf', "synchronous_commit = off\nmax_wal_size = 4GB\n");
$node->restart;

# called and returned enclose the call of snowflake_id(): a target list is
# evaluated from left to right.
$node->safe_psql('postgres', q{
	CREATE UNLOGGED TABLE drawn (
		backend int, n bigint GENERATED ALWAYS AS IDENTITY (CACHE 1000),
		called timestamptz, s bigint, returned timestamptz, u uuid);
});

sub script
{
	my ($rows) = @_;
	return qq{INSERT INTO drawn (backend, called, s, returned, u)
	SELECT pg_backend_pid(), clock_timestamp(), snowflake_id(), clock_timestamp(), uuidv7()
	FROM generate_series(1, $rows);\n};
}

# Everything about what the clients have drawn, then forget it.
sub check_drawn
{
	my ($name, $expected) = @_;

	is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT s), count(DISTINCT u) FROM drawn'),
		"$expected|$expected|$expected", "$name: no id twice");

	# The highest id of all calls that had returned before this call began.
	is($node->safe_psql('postgres', q{
		SELECT count(*) FROM (
			SELECT s, max(done) OVER (ORDER BY moment, is_return ROWS UNBOUNDED PRECEDING) AS highest_done
			FROM (
				SELECT called AS moment, false AS is_return, s, NULL::bigint AS done FROM drawn
				UNION ALL
				SELECT returned, true, NULL, s FROM drawn) AS moments) AS calls
		WHERE s <= highest_done}), 0, "$name: snowflake_id() ascends in the order of the calls");
	is($node->safe_psql('postgres', q{
		SELECT count(*) > 15 FROM (SELECT backend, lag(backend) OVER (ORDER BY s) AS before FROM drawn) AS pair
		WHERE backend <> before}), 't', "$name: the clients did take turns");
	is($node->safe_psql('postgres', q{
		SELECT count(*) FROM (
			SELECT u, lag(u) OVER (PARTITION BY backend ORDER BY called, n) AS before FROM drawn) AS pair
		WHERE u <= before}), 0, "$name: uuidv7() ascends within each backend");
	is($node->safe_psql('postgres', q{
		SELECT count(*) FROM drawn WHERE snowflake_timestamp(s) NOT BETWEEN called - interval '12 s' AND returned + interval '12 s'
			OR uuidv7_timestamp_us(u) NOT BETWEEN called - interval '1 s' AND returned + interval '1 s'}), 0,
		"$name: ids hold the time of the call");
	$node->safe_psql('postgres', 'TRUNCATE drawn');
}

my $transactions = int(20 * $scale);
pgbench_clients($node, '16 clients', script(1000), '-c', 16, '-j', 2, '-t', $transactions);
check_drawn('16 clients', 16 * 1000 * $transactions);

pgbench_clients($node, '16 clients, single rows', script(1), '-c', 16, '-j', 2, '-t', 500 * $scale);
check_drawn('single rows', 16 * 500 * $scale);

pgbench_clients($node, '16 clients that reconnect', script(50), '-C', '-c', 16, '-j', 2, '-t', 10 * $scale);
check_drawn('reconnecting', 16 * 50 * 10 * $scale);

# As fast as it goes, without tables: a million ids of each kind.
my $before = $node->safe_psql('postgres', 'SELECT ids_issued FROM snowflake_status()');
my $each = int(62500 * $scale);
pgbench_clients($node, '16 clients, millions of ids', qq{
	SELECT 1 / (min(s) > 0 AND count(DISTINCT s) = $each AND count(DISTINCT u) = $each)::int
	FROM (SELECT snowflake_id() AS s, uuidv7() AS u FROM generate_series(1, $each)) AS drawn;\n},
	'-c', 16, '-j', 2, '-t', 1);
is($node->safe_psql('postgres', "SELECT ids_issued - $before FROM snowflake_status()"), 16 * $each,
	'snowflake_status() counts each of them');

$node->stop('immediate');
done_testing();
