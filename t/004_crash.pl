# Crashes, and a clock that is slower afterwards: no snowflake id repeats, even
# one that only a SELECT or an aborted transaction has seen.  The mark costs one
# WAL record for ten seconds of id time.
#
# Situation F05; traps I-35, I-37.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

skip_all_without_faketime();

# Commits are not waited for: the mark has to be safe by itself.
my $node = new_server('crash', start => 0);
$node->append_conf('postgresql.conf', qq{
synchronous_commit = off
wal_writer_delay = '10s'
restart_after_crash = on
wal_level = minimal
max_wal_senders = 0
});
use_clock($node, '+0');
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION uuid_keyorder;
	CREATE TABLE kept (id bigint DEFAULT snowflake_id());
	CHECKPOINT;
});

my $highest = 0;

# Draw ids by ways that leave nothing in a table; all are above what there was.
sub draw
{
	my ($name) = @_;
	my @ids = column_of($node, q{
		SELECT snowflake_id() FROM generate_series(1, 100);
		BEGIN;
		INSERT INTO kept DEFAULT VALUES RETURNING id;
		SELECT snowflake_id() FROM generate_series(1, 100);
		ROLLBACK;
	});

	is(scalar @ids, 201, "$name: ids drawn");
	ok(ascends($highest, @ids), "$name: all above those before, in order");
	$highest = $ids[-1];
}

# An id that a session in the middle of a transaction holds at the moment of the crash.
sub leave_transaction_open
{
	my ($handle, $error) = start_psql($node, q{
		BEGIN;
		INSERT INTO kept DEFAULT VALUES;
		CREATE TABLE never_committed AS SELECT snowflake_id() AS id FROM generate_series(1, 100);
		SELECT pg_sleep(1000);});
	$node->poll_query_until('postgres', q{
		SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(1000)%' AND wait_event = 'PgSleep'})
	  or die 'no open transaction';
	my ($last) = column_of($node, 'SELECT last_id FROM snowflake_status()');

	$highest = $last if $last > $highest;
	return $handle;
}

draw('start');

# Steps of the clock: within the lead of the mark, and far beyond it.
foreach my $clock ('-5', '-15', '-3600')
{
	my $handle = leave_transaction_open();

	kill_server($node);
	eval { $handle->finish };
	set_clock($node, $clock);
	$node->start;
	draw("kill -9, then clock $clock");
	is($node->safe_psql('postgres', 'SELECT clock_lead_ms > 0 FROM snowflake_status()'), 't',
		"clock $clock is slower than the ids");
}
foreach my $clock ('-3605', '-7200')
{
	my $handle = leave_transaction_open();

	$node->stop('immediate');
	eval { $handle->finish };
	set_clock($node, $clock);
	$node->start;
	draw("immediate stop, then clock $clock");
}

# One backend dies: the server starts over by itself.
my $started = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
my $handle = leave_transaction_open();
my ($victim) = column_of($node, q{SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep(1000)%' AND pid <> pg_backend_pid()});
set_clock($node, '-10000');
kill 9, $victim;
eval { $handle->finish };
$node->poll_query_until('postgres', "SELECT ids_issued < 100 FROM snowflake_status()")
  or die 'no restart';
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $started, 'crash of a backend');
draw('crash of a backend, then clock -10000');

# A clean stop too: the state of the server is lost with it.
$node->stop('fast');
set_clock($node, '-20000');
$node->start;
draw('clean stop, then clock -20000');

# WAL of the mark.  Counted while the clock goes on by 100 seconds, one id a second.
sub sequence_records
{
	my ($script) = @_;
	my ($from, $to) = (split /\n/, $node->safe_psql('postgres', qq{
		CHECKPOINT;
		SELECT pg_current_wal_insert_lsn();
		$script
		SELECT pg_current_wal_insert_lsn() FROM (SELECT txid_current()) AS has_a_record;
	}))[ 0, -1 ];

	$node->safe_psql('postgres', 'SET synchronous_commit = on; INSERT INTO kept VALUES (0)');
	my ($output, $error) = run_command([
		'pg_waldump', '--rmgr=Sequence', '-p', $node->data_dir . '/pg_wal', '-s', $from, '-e', $to ]);
	return scalar grep { /rmgr: Sequence/ } split /\n/, $output;
}

set_clock($node, '+300');
draw('clock ahead of all ids');
my $records = sequence_records(join '',
	map { set_clock_command($node, "+$_") . 'SELECT snowflake_id();' } 301 .. 400);
cmp_ok($records, '>=', 9, "$records WAL records of the mark in 100 seconds of id time: at least 9");
cmp_ok($records, '<=', 12, 'and at most 12');

set_clock($node, '+500');
$node->safe_psql('postgres', 'SELECT snowflake_id()');
cmp_ok(sequence_records('SELECT count(snowflake_id()) FROM generate_series(1, 100000);'), '<=', 2,
	'none per id');

$node->stop('immediate');
done_testing();
