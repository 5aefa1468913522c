# A clock that steps back and forward under a running server: uuidv7() ascends
# within its session, snowflake_id() over all of them, and nobody waits.
#
# Situations C04, F01; traps I-35, I-41, I-48.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);
use UuidKeyorderTest;

skip_all_without_faketime();

my $node = new_server('clock_steps', start => 0);
use_clock($node, '+0');
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION uuid_keyorder;
	CREATE TABLE drawn (
		n bigint GENERATED ALWAYS AS IDENTITY,
		clock text, wall timestamptz, u uuid, s bigint);
	-- A snowflake id without its node.
	CREATE FUNCTION tick(s bigint) RETURNS bigint
	RETURN ((s >> 22) << 12) | (s & 4095);
});

sub draw
{
	my ($clock, $count) = @_;
	return set_clock_command($node, $clock) . qq{
	INSERT INTO drawn (clock, wall, u, s)
	SELECT '$clock', clock_timestamp(), uuidv7(), snowflake_id() FROM generate_series(1, $count);
	INSERT INTO status SELECT '$clock', * FROM snowflake_status();
	};
}

# One session through all steps.  "-3601" is a second step below "-3600".
my @clocks = ('+0', '-10', '-3600', '-3601', '+1', '+7200', '+2', '-86400');
my $count = 3000;
my $began = time;
$node->safe_psql('postgres', join '',
	"CREATE TABLE status AS SELECT ''::text AS clock, * FROM snowflake_status() LIMIT 0;\n",
	map { draw($_, $count) } @clocks);
cmp_ok(time - $began, '<', 30, 'nobody waits for a clock that stepped back by an hour or a day');

is($node->safe_psql('postgres', q{
	SELECT count(*) FROM (
		SELECT clock, lag(clock) OVER w AS clock_before, wall, lag(wall) OVER w AS wall_before
		FROM drawn WINDOW w AS (ORDER BY n)) AS step
	WHERE clock <> clock_before AND abs(extract(epoch FROM wall - wall_before) - (clock::int - clock_before::int)) > 60
	}), 0, 'the clock of the server does what the test wants');

is($node->safe_psql('postgres', q{
	SELECT count(*) FROM (SELECT u, lag(u) OVER (ORDER BY n) AS before FROM drawn) AS pair
	WHERE u <= before}), 0, 'uuidv7() ascends within the session');
is($node->safe_psql('postgres', q{
	SELECT count(*) FROM (SELECT s, lag(s) OVER (ORDER BY n) AS before FROM drawn) AS pair
	WHERE s <= before}), 0, 'snowflake_id() ascends');

is($node->safe_psql('postgres', q{
	SELECT string_agg(clock, ' ' ORDER BY n) FROM (
		SELECT DISTINCT ON (clock) clock, n, tick(s) - tick(before) AS step
		FROM (SELECT clock, n, s, lag(s) OVER (ORDER BY n) AS before FROM drawn) AS pair
		ORDER BY clock, n) AS first_of_clock
	WHERE step = 1}), '-10 -3600 -3601 +2 -86400', 'after a step back the first id is the next one');

# From +0 on the session's uuids freeze at their maximum.
is($node->safe_psql('postgres', q{
	SELECT bool_and(uuidv7_timestamp(u) - highest BETWEEN '0' AND '1 s')
	FROM drawn, (SELECT max(uuidv7_timestamp(u)) AS highest FROM drawn WHERE clock = '+0') AS before
	WHERE clock IN ('-10', '-3600', '-3601')}), 't', 'behind its maximum uuidv7() goes on by least steps');
is($node->safe_psql('postgres', q{
	SELECT bool_and(uuidv7_timestamp(u) - wall BETWEEN '-2 s' AND '2 s'
				AND snowflake_timestamp(s) - wall BETWEEN '-2 s' AND '2 s')
	FROM drawn WHERE clock IN ('+0', '+7200')}), 't', 'a clock that is ahead is followed at once');

is($node->safe_psql('postgres', q{
	SELECT string_agg(clock || ' ' || round(clock_lead_ms / 60000.0), ', ') FROM status}),
	'+0 0, -10 0, -3600 60, -3601 60, +1 0, +7200 0, +2 120, -86400 1560',
	'snowflake_status() shows the lead in minutes');
is($node->safe_psql('postgres', 'SELECT bool_and(mark_id >= last_id) FROM status'), 't',
	'the mark is above the ids');

# Per backend only: a new session knows nothing of the old one's ids.
is($node->safe_psql('postgres', q{
	SELECT u < (SELECT max(drawn.u) FROM drawn), s > (SELECT max(drawn.s) FROM drawn)
	FROM uuidv7() AS u, snowflake_id() AS s}), 't|t',
	'in a new session uuidv7() may be lower, snowflake_id() is not');

# The ends of the layout.  An id that cannot be made leaves no trace.
my $out_of_range = '22008 timestamp out of range for snowflake id';
my $to_2095 = int(2.2e9);
my $to_2019 = -int(2.4e8);

set_clock($node, "+$to_2095");
is(error_of($node, 'SELECT snowflake_id()'), $out_of_range, 'clock after 2092, ids made before');
$node->safe_psql('postgres', 'CREATE DATABASE fresh');
$node->safe_psql('fresh', 'CREATE EXTENSION uuid_keyorder');
is(error_of($node, 'SELECT snowflake_id()', 'fresh'), $out_of_range, 'clock after 2092, first id of a database');
set_clock($node, '+0');
is($node->safe_psql('fresh', q{SELECT mark_time IS NULL OR mark_time < now() + interval '1 day' FROM snowflake_status()}),
	't', 'a clock after 2092 does not use up the mark');
set_clock($node, $to_2019);
ok(ascends(column_of($node, 'SELECT snowflake_id() FROM generate_series(1, 10)')),
	'clock before 2023: ids go on when there was one');

$node->stop;
set_clock($node, $to_2019);
$node->start;
cmp_ok($node->safe_psql('postgres', 'SELECT snowflake_id()'), '>',
	$node->safe_psql('postgres', 'SELECT max(s) FROM drawn'),
	'clock before 2023 at the start: ids go on above the mark');
$node->stop;

my $other = new_server('before_2023', start => 0);
use_clock($other, $to_2019);
$other->start;
$other->safe_psql('postgres', 'CREATE EXTENSION uuid_keyorder');
is(error_of($other, 'SELECT snowflake_id()'), $out_of_range, 'clock before 2023, first id of the server');
is($other->safe_psql('postgres', 'SELECT last_id IS NULL, ids_issued FROM snowflake_status()'), 't|0',
	'no id is counted');
set_clock($other, '+0');
is($other->safe_psql('postgres', q{
	SELECT abs(extract(epoch FROM snowflake_timestamp(snowflake_id()) - clock_timestamp())) < 5}), 't',
	'and once the clock is right, ids follow it');
$other->stop;

done_testing();
