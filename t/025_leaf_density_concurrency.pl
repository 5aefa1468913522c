# Scans beside inserts, splits, VACUUM and page deletion: no error, no page
# taken for damaged, counts that can be.  Cancel and statement_timeout at any
# moment leave a session that works.  Memory does not grow with the index or
# with calls, and a scan leaves shared_buffers to others.
#
# Traps D-1, D-2, D-4, D-23, D-32, D-33, D-39.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $node = new_server('leaf_density_concurrency', start => 0);
$node->append_conf('postgresql.conf', "shared_buffers = 16MB\nmax_connections = 30\n");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION uuid_keyorder;
	CREATE TABLE busy (id uuid PRIMARY KEY, n int);
	CREATE INDEX busy_n ON busy (n);
	INSERT INTO busy SELECT uuidv4(), n % 100 FROM generate_series(1, 20000) n;
	CREATE FUNCTION look(index regclass, OUT damaged bigint, OUT adds_up bool, OUT possible bool) RETURNS record LANGUAGE sql AS $$
		SELECT damaged_pages,
		       (1 + leaf_pages + internal_pages + half_dead_pages + deleted_pages + new_pages + damaged_pages) * 8192 = index_bytes,
		       avg_leaf_density BETWEEN 0 AND 100 AND items >= 0 AND heap_tids >= items - dead_items AND rebuilt_pages > 0
		FROM index_leaf_density(index)
	$$;
	CREATE FUNCTION must(what bool, message text) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN IF what IS NOT TRUE THEN RAISE EXCEPTION '%', message; END IF; END $$;
});

# Writers: v4 and v7 keys, ranges deleted, VACUUM that deletes pages.
my $file = $node->basedir . '/writer.sql';
append_to_file($file, q{
\set part random(0, 15)
INSERT INTO busy SELECT uuidv4(), i FROM generate_series(1, 200) i;
INSERT INTO busy SELECT uuidv7(), :part FROM generate_series(1, 200) i;
DELETE FROM busy WHERE id > (to_hex(:part) || '0000000-0000-0000-0000-000000000000')::uuid
	AND id < (to_hex(:part) || 'a000000-0000-0000-0000-000000000000')::uuid;
});
append_to_file($node->basedir . '/vacuum.sql', "VACUUM (INDEX_CLEANUP on) busy;\nSELECT pg_sleep(0.05);\n");
append_to_file($node->basedir . '/reader.sql', q{
SELECT must(damaged = 0 AND adds_up AND possible, 'busy_pkey ' || damaged || adds_up || possible) FROM look('busy_pkey');
SELECT must(damaged = 0 AND adds_up AND possible, 'busy_n') FROM look('busy_n');
SELECT must(sum(leaf_pages) > 0, 'version') FROM index_leaf_density_by_version('busy_pkey');
SELECT must(bool_and(first_key::uuid <= last_key::uuid), 'range') FROM index_leaf_density_by_range('busy_pkey', 7);
SELECT must(bool_and(first_key::uuid <= last_key::uuid), 'sampled range') FROM index_leaf_density_by_range('busy_pkey', 7, 50);
SELECT must(sum(leaf_pages) > 0, 'histogram') FROM index_leaf_histogram('busy_n', 10, 50);
});
my $seconds = 4 * $scale;
my @clients = map {
	my ($script, $count) = @$_;
	IPC::Run::start([ 'pgbench', '-n', '-T', $seconds, '-c', $count, '-f', $node->basedir . "/$script.sql",
			'-h', $node->host, '-p', $node->port, 'postgres' ], '>', \my $out, '2>', \my $err)
} ([ 'writer', 2 ], [ 'vacuum', 1 ]);
$node->command_ok([ 'pgbench', '-n', '-T', $seconds, '-c', 2, '-f', $node->basedir . '/reader.sql', 'postgres' ],
	'scans beside writers, splits and page deletion');
foreach my $client (@clients)
{
	ok($client->finish, 'writers end well');
}
cmp_ok($node->safe_psql('postgres', q{SELECT deleted_pages + half_dead_pages FROM index_leaf_density('busy_pkey')}), '>', 0,
	'pages were deleted meanwhile');
# and now that it is quiet, everything is there
is($node->safe_psql('postgres', q{
	VACUUM busy;
	SELECT items = (SELECT count(*) FROM busy), damaged_pages FROM index_leaf_density('busy_pkey')}), 't|0',
	'each row is one item');

# Ended at any moment: times that creep over the length of a call.
$node->safe_psql('postgres', q{
	CREATE TABLE large (id bigint) WITH (fillfactor = 100);
	INSERT INTO large SELECT generate_series(1, 400000);
	CREATE INDEX large_id ON large (id) WITH (fillfactor = 30);
});
my $sessions = '';
foreach my $step (1 .. 40)
{
	my $call = ('index_leaf_density', 'index_leaf_density_by_range', 'index_leaf_histogram')[ $step % 3 ];
	$sessions .= "SET statement_timeout = '$step ms';\nSELECT count(*) FROM $call('large_id');\n";
}
my ($status, $stdout, $stderr) = $node->psql('postgres', "$sessions
	RESET statement_timeout;
	SELECT 'works', items FROM index_leaf_density('large_id');
	SELECT count(*) FROM pg_locks WHERE relation IN ('large'::regclass, 'large_id'::regclass);", on_error_stop => 0);
like($stdout, qr/works\|400000\n0$/, 'a session works after statement_timeout at any moment, and holds no lock');
my @errors = $stderr =~ /ERROR:  (.*)/g;
cmp_ok(scalar(@errors), '>', 0, 'some calls were ended: ' . scalar(@errors) . ' of 40');
is(scalar(grep { $_ ne 'canceling statement due to statement timeout' } @errors), 0, 'by the timeout and nothing else');
my ($handle, $error) = start_psql($node, q{
	DO $$ BEGIN LOOP PERFORM index_leaf_density_by_range('large_id', 1000); END LOOP; END $$});
$node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_locks WHERE relation = 'large_id'::regclass});
$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ '^\s*DO'});
eval { $handle->finish };
like($$error, qr/57014: canceling statement due to user request/, 'pg_cancel_backend()');

# Memory: contexts before and after many calls, and the peak for a small and a
# large index.
my $memory = $node->safe_psql('postgres', q{
	SELECT count(*) FROM index_leaf_density('large_id'), index_leaf_density_by_range('large_id'), index_leaf_density_by_version('large_id');
	CREATE TEMP TABLE before AS SELECT sum(used_bytes) AS bytes FROM pg_backend_memory_contexts;
	SELECT sum((SELECT items FROM index_leaf_density('large_id', 10 + 0 * n)) * 0) FROM generate_series(1, 300) n;
	SELECT sum((SELECT sum(items) FROM index_leaf_density_by_range('large_id', 5, 10 + 0 * n)) * 0) FROM generate_series(1, 300) n;
	SELECT sum(used_bytes) - (SELECT bytes FROM before) < 300 * 1024 FROM pg_backend_memory_contexts;
});
like($memory, qr/t$/, 'memory does not grow with calls');
SKIP:
{
	skip 'no /proc/PID/status on this system', 1 unless -r '/proc/self/status';
	my @peaks;
	foreach my $index ('busy_n', 'large_id')
	{
		my $peak = $node->safe_psql('postgres', qq{
			SELECT count(*) FROM (SELECT index_leaf_density('$index')) a, index_leaf_density_by_version('$index'),
			       index_leaf_histogram('$index'), index_leaf_density_by_range('$index');
			SELECT (regexp_match(pg_read_file('/proc/' || pg_backend_pid() || '/status'), 'RssAnon:\\s+(\\d+)'))[1]});
		push @peaks, (split /\n/, $peak)[-1];
	}
	cmp_ok(abs($peaks[1] - $peaks[0]), '<', 3000, "memory does not grow with the index: @peaks kB");
}

# The ring: a table that fits shared_buffers stays there while an index twice
# their size is read.
SKIP:
{
	skip 'contrib/pg_buffercache is not installed', 1
	  unless $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_buffercache'});
	my $resident = q{SELECT count(*) FROM pg_buffercache WHERE relfilenode = pg_relation_filenode('hot') AND relforknumber = 0};
	my ($pages, $before, @after) = grep { /^\d+$/ } split /\n/, $node->safe_psql('postgres', qq{
		CREATE EXTENSION pg_buffercache;
		CREATE TABLE hot AS SELECT repeat('x', 1000) AS filler FROM generate_series(1, 5000);
		CHECKPOINT;
		SELECT pg_relation_size('hot') / 8192;
		SELECT count(*) FROM hot WHERE filler = '' HAVING false;
		SELECT count(*) FROM hot WHERE filler = '' HAVING false;
		$resident;
		SELECT count(*) FROM index_leaf_density('large_id') HAVING false;
		$resident;
		SELECT count(*) FROM index_leaf_density_by_range('large_id') HAVING false;
		$resident;
		SELECT count(*) FROM index_leaf_density('large_id', 1000) HAVING false;
		$resident});
	cmp_ok($before, '>', 0.9 * $pages, 'the table is in shared_buffers');
	cmp_ok($after[-1], '>', 0.9 * $before, "scans leave it there: @after of $before");
}

unlike(slurp_file($node->logfile), qr/PANIC|TRAP|was terminated by signal|refcount leak|resource was not closed/,
	'nothing leaked, nothing crashed');
$node->stop;
done_testing();
