# A clock that stands still, the monotonic one too: the exact step of uuidv7(),
# the bound of what snowflake_id() borrows from the future, and a wait that can
# be cancelled and holds up nobody else.
#
# Situations C03, F02, F09; traps I-1 to I-4, I-36.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);
use UuidKeyorderTest;

skip_all_without_faketime();

# Reading the clock's file once a second, not at each call, keeps millions of calls fast.
my $frozen = '2030-01-01 00:00:00';
my $node = new_server('clock_frozen', start => 0);
use_clock($node, $frozen,
	FAKETIME_NO_CACHE => 0,
	FAKETIME_CACHE_DURATION => 1,
	FAKETIME_DONT_FAKE_MONOTONIC => 0,
	DONT_FAKE_MONOTONIC => 0);
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION uuid_keyorder');
is($node->safe_psql('postgres', 'SELECT count(DISTINCT clock_timestamp()), min(clock_timestamp()) FROM generate_series(1, 1000)'),
	"1|$frozen+00", 'the clock stands still');

# First uuid of a session at the frozen moment, each further one 245 ns later,
# also over milliseconds and over calls that fail.  rand_a is the fraction in 4096ths.
my $fields = q{
	SELECT count(*), count(*) FILTER (WHERE
		(extract(epoch FROM uuidv7_timestamp(u) - '2030-01-01 00:00:00+00') * 1000)::bigint = ns / 1000000
		AND ('x0' || substr(u::text, 16, 3))::bit(16)::int = ns % 1000000 * 4096 / 1000000)
	FROM (SELECT (n - 1) * 245::bigint AS ns, u FROM v7) AS expected;
};
is($node->safe_psql('postgres', "
	CREATE TEMP TABLE v7 AS SELECT n, uuidv7() AS u FROM generate_series(1, 20000) AS n;
	$fields"), '20000|20000', 'step of 245 ns from the clock on');
is($node->safe_psql('postgres', "
	CREATE TEMP TABLE v7 AS
	SELECT n, CASE WHEN n % 2 = 0 THEN uuidv7() ELSE uuidv7('0') END AS u FROM generate_series(1, 2) AS n;
	DO \$\$ BEGIN PERFORM uuidv7('-1000 years'); EXCEPTION WHEN datetime_field_overflow THEN NULL; END \$\$;
	INSERT INTO v7 SELECT n, CASE WHEN n % 2 = 0 THEN uuidv7() END FROM generate_series(4, 100, 2) AS n;
	UPDATE v7 SET n = 3 + n / 2 - 1 WHERE n > 2;
	$fields"), '51|51', 'both overloads share the step, and a call that fails takes one');

# 4096 ids fit the millisecond: the next comes from the next one.
is($node->safe_psql('postgres', q{
	SELECT count(DISTINCT id), count(DISTINCT snowflake_timestamp(id)),
		count(*) FILTER (WHERE id <= before)
	FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before
		FROM (SELECT n, snowflake_id() AS id FROM generate_series(1, 5000) AS n) AS drawn) AS pair
	}), '5000|2|0', '5000 ids of one moment');

# Millions are more than the future lends: 1000 ms of 4096.
my ($handle, $error) = start_psql($node, 'SELECT count(snowflake_id()) FROM generate_series(1, 20000000)');
my ($other, $other_error);
my $waiting = q{
	SELECT pid FROM pg_stat_activity
	WHERE query LIKE 'SELECT count(snowflake_id())%' AND wait_event_type = 'Extension'};
my ($backend) = ('');
foreach (1 .. 300)
{
	($backend) = column_of($node, $waiting);
	last if $backend;
	select undef, undef, undef, 0.1;
}
ok($backend, 'then the call waits');
is($node->safe_psql('postgres', 'SELECT clock_lead_ms, ids_issued > 4000000 FROM snowflake_status()'), '1000|t',
	'one second ahead of the clock, and no more');
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_locks WHERE pid = $backend AND relation = 'snowflake_id_mark'::regclass AND mode = 'ShareUpdateExclusiveLock'"),
	0, 'it waits without a lock on the mark');

my $began = time;
is($node->safe_psql('postgres', 'SELECT count(DISTINCT uuidv7()) FROM generate_series(1, 1000)'), 1000,
	'another session makes uuids meanwhile');
is($node->safe_psql('postgres', 'CREATE TABLE other (id bigint DEFAULT snowflake_id()); INSERT INTO other VALUES (1) RETURNING id'), 1,
	'another session writes meanwhile');
cmp_ok(time - $began, '<', 10, 'and is not blocked');

$began = time;
kill 'INT', $backend;
$handle->finish;
cmp_ok(time - $began, '<', 1, 'cancel works within a second');
like($$error, qr/ERROR:  57014: canceling statement due to user request/, 'as a cancel');

# A waiter goes on when the clock does.
($handle, $error) = start_psql($node, 'SELECT count(snowflake_id()) FROM generate_series(1, 1)');
foreach (1 .. 300)
{
	last if column_of($node, $waiting);
	select undef, undef, undef, 0.1;
}
set_clock($node, '2030-01-01 00:00:10');
$began = time;
$handle->finish;
is($$error, '', 'a waiter goes on once the clock does');
is($node->safe_psql('postgres', q{SELECT snowflake_timestamp(snowflake_id()) >= '2030-01-01 00:00:10+00'}), 't',
	'and ids are at the clock again');

$node->stop('immediate');
done_testing();
