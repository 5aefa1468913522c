# Copyright (c) 2026, uuid_keyorder contributors
#
# The turnover sampler: off by default, switched by a reload, right about who
# loses pages, and not in the way of a reload, a restart, a shutdown, DROP
# DATABASE or a promotion.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $worker = 'uuid_keyorder turnover sampler';

my $node = PostgreSQL::Test::Cluster->new('primary');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', <<CONF);
shared_preload_libraries = 'uuid_keyorder'
shared_buffers = 16MB
autovacuum = off
checkpoint_timeout = 1h
bgwriter_lru_maxpages = 0
CONF
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION uuid_keyorder');

my $major = int($node->safe_psql('postgres', 'SHOW server_version_num') / 10000);

sub value
{
	my ($server, $query) = @_;
	return $server->safe_psql('postgres', $query);
}

sub set_interval
{
	my ($server, $interval) = @_;
	$server->append_conf('postgresql.conf',
		"uuid_keyorder.turnover_interval = $interval");
	$server->reload;
}

sub looks
{
	my ($server) = @_;
	return value($server, 'SELECT max(looks) FROM relation_turnover');
}

# Until a look began that sees all that was done before.
sub wait_for_look
{
	my ($server) = @_;
	my $seen = looks($server);
	$server->poll_query_until('postgres',
		"SELECT max(looks) >= $seen + 2 FROM relation_turnover")
	  or die 'the sampler takes no looks';
}

# The count of a relation, 0 where it has no row.
sub count_of
{
	my ($column, $relation) = @_;
	return value($node,
		"SELECT coalesce(sum($column), 0) FROM relation_turnover WHERE relation = '$relation'::regclass");
}

sub sum_of
{
	my ($column) = @_;
	return value($node, "SELECT sum($column) FROM relation_turnover");
}

sub worker_pid
{
	my ($server) = @_;
	return value($server,
		"SELECT pid FROM pg_stat_activity WHERE backend_type = '$worker'");
}

# How often a process was woken up, where the kernel tells.
sub wakeups
{
	my ($pid) = @_;
	return undef unless -r "/proc/$pid/status";
	return (slurp_file("/proc/$pid/status") =~ /^voluntary_ctxt_switches:\s*(\d+)/m)[0];
}

# Off, the default.
my $pid = worker_pid($node);
like($pid, qr/^\d+$/, 'pg_stat_activity shows the worker by name');
is(value($node,
		"SELECT wait_event_type FROM pg_stat_activity WHERE pid = $pid"),
	'Extension', 'the worker sleeps');
is(value($node,
		'SELECT database, relation, relfilenode, loaded_pages, looks, look_ms FROM relation_turnover ORDER BY 1'),
	"postgres|||0|0|\n|||0|0|", 'off: the two rows of what has no name, and no look');

SKIP:
{
	my $before = wakeups($pid);
	skip 'no /proc/PID/status here', 1 unless defined $before;
	sleep 1;
	is(wakeups($pid), $before, 'off: the worker is not woken up');
}

# Switched on and off by a reload.
set_interval($node, '10ms');
wait_for_look($node);
pass('a reload switches it on');
is(value($node, 'SELECT count(*) > 2 FROM relation_turnover'), 't', 'relations have rows');
cmp_ok(value($node, 'SELECT max(look_interval_ms) FROM relation_turnover'), '>=', 10,
	'looks are not closer than the interval');

set_interval($node, '0');
ok($node->poll_query_until('postgres',
		"SELECT pg_sleep(0.1) IS NOT NULL AND wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $pid"),
	'a reload switches it off');
my $looks = looks($node);
sleep 1;
is(looks($node), $looks, 'off: no more looks');

# Accuracy.  Random reads through an index: evictions, no ring of buffers.  The
# large table loses most; a small one that is read all the time keeps its pages.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE large AS SELECT i AS id, repeat('x', 900) AS filler FROM generate_series(1, 60000) i;
ALTER TABLE large ADD PRIMARY KEY (id);
CREATE TABLE small AS SELECT i AS id, repeat('x', 900) AS filler FROM generate_series(1, 800) i;
ALTER TABLE small ADD PRIMARY KEY (id);
CREATE PROCEDURE read_randomly(reads int) LANGUAGE plpgsql AS $$
DECLARE
	wanted int;
BEGIN
	SET enable_seqscan = off;
	SET enable_bitmapscan = off;
	FOR i IN 1 .. reads LOOP
		wanted := 1 + random() * 59999;
		PERFORM filler FROM large WHERE id = wanted;
		PERFORM filler FROM small WHERE id = 1 + i % 800;
		IF i % 40 = 0 THEN
			PERFORM pg_sleep(0.01);
		END IF;
	END LOOP;
END $$;
VACUUM ANALYZE;
CHECKPOINT;
CALL read_randomly(2500);
SQL
set_interval($node, '10ms');
wait_for_look($node);
$node->safe_psql('postgres', "SELECT pg_stat_reset_shared('io')") if $major >= 16;
$node->safe_psql('postgres', 'SELECT relation_turnover_reset()');
$node->safe_psql('postgres', 'CALL read_randomly(4000)');
wait_for_look($node);

is(value($node, 'SELECT relation FROM relation_turnover LIMIT 1'),
	'large', 'the largest loser is the right relation');
cmp_ok(count_of('evicted_pages', 'large'), '>', 10 * count_of('evicted_pages', 'small'),
	'a small table read all the time keeps its pages');
cmp_ok(value($node, 'SELECT max(changed_percent) FROM relation_turnover'), '<', 10,
	'under a tenth of the buffers changed per look');

SKIP:
{
	skip 'pg_stat_io came with 16', 2 if $major < 16;
	my $sampled = sum_of('evicted_pages');
	my $counted = value($node, 'SELECT sum(evictions) FROM pg_stat_io');
	note("evictions sampled $sampled, counted $counted");
	cmp_ok($sampled, '>=', 0.7 * $counted, 'at least 70 % of the evictions are seen');
	cmp_ok($sampled, '<=', $counted, 'no eviction is made up');
}

# Dirty pages: an update dirties them, reading others pushes them out.
$node->safe_psql('postgres', <<'SQL');
SELECT relation_turnover_reset();
UPDATE large SET filler = 'y' WHERE id <= 5000;
SELECT pg_sleep(0.1);
CALL read_randomly(2500);
SQL
wait_for_look($node);
cmp_ok(sum_of('evicted_dirty_pages'), '>', 0, 'dirty evictions are counted');
is(value($node,
		'SELECT count(*) FROM relation_turnover WHERE evicted_dirty_pages > evicted_pages'),
	'0', 'as a part of the evictions');

# Gone, but not evicted.  Between two looks: pages of a relation come to an end,
# and other pages take their buffers at once.
sub between_two_looks
{
	my ($commands) = @_;
	wait_for_look($node);
	set_interval($node, '1h');
	wait_until_set('3600000');
	$node->safe_psql('postgres', "SELECT relation_turnover_reset(); $commands");
	set_interval($node, '10ms');
	wait_for_look($node);
}

# The worker follows a reload as the postmaster does, but a moment later.
sub wait_until_set
{
	my ($ms) = @_;
	$node->poll_query_until('postgres',
		"SELECT setting = '$ms' FROM pg_settings WHERE name = 'uuid_keyorder.turnover_interval'");
	for (;;)
	{
		my $before = looks($node);
		select(undef, undef, undef, 0.3);
		return if looks($node) == $before;
	}
}

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE doomed AS SELECT i AS id, repeat('x', 900) AS filler FROM generate_series(1, 4000) i;
SELECT count(*) FROM doomed;
SQL
my $doomed_pages = value($node,
	"SELECT pg_total_relation_size('doomed') / current_setting('block_size')::int");
between_two_looks('DROP TABLE doomed; CALL read_randomly(2500);');
my $removed = value($node,
	'SELECT sum(removed_pages) FROM relation_turnover WHERE relation IS NULL');
cmp_ok($removed, '>', 0, 'pages of a dropped table are removed');
cmp_ok($removed, '<=', $doomed_pages, 'at most all of them');
is(value($node, 'SELECT sum(evicted_pages) FROM relation_turnover WHERE relation IS NULL'),
	'0', 'and not evicted');

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE cut AS SELECT i AS id, repeat('x', 900) AS filler FROM generate_series(1, 4000) i;
DELETE FROM cut WHERE id > 100;
SQL
between_two_looks('VACUUM (TRUNCATE) cut; CALL read_randomly(2500);');
cmp_ok(count_of('removed_pages', 'cut'), '>', 0, 'pages cut off by VACUUM are removed');
cmp_ok(count_of('evicted_pages', 'cut'), '<=', 20, 'and not evicted');

# DROP DATABASE does not wait for the sleeping worker; the rows of the database
# go to the row of none.
set_interval($node, '10ms');
$node->safe_psql('postgres', 'CREATE DATABASE passing');
$node->safe_psql('passing', 'CREATE TABLE t AS SELECT i FROM generate_series(1, 1000) i');
wait_for_look($node);
cmp_ok(value($node,
		"SELECT sum(loaded_pages) FROM relation_turnover WHERE database = 'passing' AND relation IS NULL AND relfilenode IS NOT NULL"),
	'>', 0, 'another database has rows by number');
set_interval($node, '1h');
my $loaded = sum_of('loaded_pages');
my $started = time;
$node->safe_psql('postgres', 'DROP DATABASE passing');
cmp_ok(time - $started, '<', 20, 'DROP DATABASE does not wait for the interval');
is(value($node,
		"SELECT count(*) FROM relation_turnover WHERE database !~ '[a-z]' OR database = 'passing'"),
	'0', 'a dropped database has no row');
cmp_ok(sum_of('loaded_pages'), '>=', $loaded, 'its pages stay in the sum');

# A killed worker comes back and goes on with the same counters.
set_interval($node, '10ms');
wait_for_look($node);
$loaded = sum_of('loaded_pages');
$pid = worker_pid($node);
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
$node->backup('backup');
ok($node->poll_query_until('postgres',
		"SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = '$worker' AND pid <> $pid"),
	'a terminated worker is started again');
wait_for_look($node);
cmp_ok(sum_of('loaded_pages'), '>=', $loaded, 'and keeps the counters');

# A standby samples too, and goes on when it is promoted.
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
$standby->safe_psql('postgres', 'SELECT count(*) FROM large');
wait_for_look($standby);
cmp_ok(value($standby, "SELECT loaded_pages FROM relation_turnover WHERE relation = 'large'::regclass"),
	'>', 0, 'a standby samples');
$standby->safe_psql('postgres', 'SELECT relation_turnover_reset()');
pass('a reset works on a standby');
$pid = worker_pid($standby);
$standby->promote;
$standby->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
wait_for_look($standby);
is(worker_pid($standby), $pid, 'a promotion does not disturb the worker');
$standby->stop('immediate');

# Shutdown does not wait for the interval, and is no error; a restart counts
# from nothing.
set_interval($node, '1h');
$started = time;
$node->stop('fast');
cmp_ok(time - $started, '<', 20, 'shutdown does not wait for the interval');
unlike(slurp_file($node->logfile), qr/FATAL|PANIC|TRAP/, 'nothing but a quiet end in the log');
$node->start;
set_interval($node, '10ms');
wait_for_look($node);
cmp_ok(sum_of('loaded_pages'), '<', 2048, 'a restart counts from nothing');
$node->stop('immediate');

done_testing();
