# Residency against pg_buffercache on a quiet server: every count of every file
# of the server, and every name, for every kind of relation.
#
# Situations H01, H02, H04, H07, H08; traps D-19, D-20, D-21, D-24 to D-29, D-38.

use strict;
use warnings;

use Cwd qw(abs_path);
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('oracle');
$node->init;
$node->append_conf('postgresql.conf', q{
shared_buffers = 32MB
autovacuum = off
bgwriter_lru_maxpages = 0
checkpoint_timeout = 1h
max_prepared_transactions = 2
});
$node->start;

if ($node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_buffercache'}) == 0)
{
	plan skip_all => 'pg_buffercache is not installed';
}

foreach my $tablespace ('apart', 'beside')
{
	my $folder = abs_path(PostgreSQL::Test::Utils::tempdir());
	$node->safe_psql('postgres', qq{CREATE TABLESPACE $tablespace LOCATION '$folder'});
}

# Both in one statement: the counts of every file, with usage counts and pins;
# and the names, which the oracle finds by core's own functions.
my $oracle = q{
CREATE EXTENSION uuid_keyorder;
CREATE EXTENSION pg_buffercache;
CREATE VIEW differences AS
WITH ours AS MATERIALIZED (
	SELECT * FROM relation_buffers() AS b
), theirs AS MATERIALIZED (
	SELECT reldatabase, reltablespace, relfilenode, relforknumber, count(*) AS buffers,
		count(*) FILTER (WHERE isdirty) AS dirty, count(*) FILTER (WHERE pinning_backends > 0) AS pinned,
		ARRAY[count(*) FILTER (WHERE usagecount = 0), count(*) FILTER (WHERE usagecount = 1),
			count(*) FILTER (WHERE usagecount = 2), count(*) FILTER (WHERE usagecount = 3),
			count(*) FILTER (WHERE usagecount = 4), count(*) FILTER (WHERE usagecount = 5)] AS usage_counts
	FROM pg_buffercache
	GROUP BY 1, 2, 3, 4
), names AS MATERIALIZED (
	SELECT c.oid, pg_relation_filenode(c.oid) AS relfilenode,
		CASE WHEN c.relisshared THEN 0 ELSE d.oid END AS reldatabase,
		coalesce(nullif(c.reltablespace, 0), d.dattablespace) AS reltablespace
	FROM pg_class AS c, pg_database AS d
	WHERE d.datname = current_database() AND c.relpersistence <> 't'
)
SELECT o.database, o.tablespace, o.relation, o.fork, o.relfilenode, o.resident_pages, t.buffers, n.oid
FROM ours AS o
	FULL JOIN theirs AS t
		ON coalesce(t.relfilenode, 0) = coalesce(o.relfilenode, 0)
		AND coalesce(t.reldatabase, 0) = coalesce(o.database_oid, 0)
		AND coalesce(t.reltablespace, 0) = coalesce(o.tablespace_oid, 0)
		AND coalesce(t.relforknumber, -1) = coalesce(array_position('{main,fsm,vm,init}', o.fork) - 1, -1)
	LEFT JOIN names AS n
		ON n.relfilenode = t.relfilenode AND n.reldatabase = t.reldatabase AND n.reltablespace = t.reltablespace
	LEFT JOIN pg_database AS d ON d.oid = t.reldatabase
	LEFT JOIN pg_tablespace AS s ON s.oid = t.reltablespace
WHERE (o.resident_pages, o.dirty_pages, o.pinned_pages, o.usage_counts) IS DISTINCT FROM
		(t.buffers, t.dirty, t.pinned, CASE WHEN t.relfilenode IS NULL THEN o.usage_counts ELSE t.usage_counts END)
	OR o.relation IS DISTINCT FROM n.oid
	OR o.database IS DISTINCT FROM d.datname
	OR o.tablespace IS DISTINCT FROM s.spcname;
};

# The catalogs that the comparison itself reads have to be there, and looked at
# as often as counts go.
sub differences_are_none
{
	my ($database, $name) = @_;
	my $differences = $node->safe_psql($database, q{
		DO $$ BEGIN FOR i IN 1..6 LOOP PERFORM * FROM differences; END LOOP; END $$;
		SELECT NULL WHERE (SELECT count(*) FROM differences) < 0;
		SELECT * FROM differences});
	is($differences, '', $name);
}

# Statements of psql that give the relation new files until it has that number.
sub rewrite_until
{
	my ($relation, $wanted) = @_;
	return qq{
SELECT pg_relation_filenode('$relation') = $wanted AS reached \\gset
\\if :reached
\\else
TRUNCATE $relation;
\\endif
} x 30;
}

$node->safe_psql('postgres', 'CREATE DATABASE first');
$node->safe_psql('first', $oracle . q{
	CREATE TABLE plain (id int PRIMARY KEY, pad text, tags int[]);
	ALTER TABLE plain ALTER pad SET STORAGE EXTERNAL;
	INSERT INTO plain SELECT i, repeat('x', 3000), ARRAY[i] FROM generate_series(1, 300) AS i;
	CREATE INDEX plain_hash ON plain USING hash (id);
	CREATE INDEX plain_gin ON plain USING gin (tags);
	CREATE INDEX plain_brin ON plain USING brin (id);
	CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY);
	INSERT INTO unlogged SELECT generate_series(1, 1000);
	CREATE MATERIALIZED VIEW materialized AS SELECT * FROM unlogged;
	CREATE SEQUENCE counter;
	SELECT nextval('counter');
	CREATE TABLE parted (id int) PARTITION BY RANGE (id);
	CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (100);
	CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (100) TO (200) TABLESPACE apart;
	INSERT INTO parted SELECT generate_series(0, 199);
	CREATE TABLE elsewhere TABLESPACE apart AS SELECT * FROM unlogged;
	CREATE INDEX elsewhere_id ON elsewhere (id);
	CREATE TABLE rewritten AS SELECT * FROM unlogged;
	CREATE TABLE truncated AS SELECT * FROM unlogged;
	CREATE TABLE moved AS SELECT * FROM unlogged;
	VACUUM FULL rewritten;
	SELECT count(*) FROM rewritten;
	TRUNCATE truncated;
	INSERT INTO truncated SELECT * FROM unlogged;
	ALTER TABLE moved SET TABLESPACE apart;
	SELECT count(*) FROM moved;
	VACUUM FULL pg_class;
	VACUUM plain;
});
differences_are_none('first', 'heaps, indexes, TOAST, catalogs, sequences, all forks');
differences_are_none('first', 'and once more');

is($node->safe_psql('first', q{
	SELECT string_agg(DISTINCT relation::text, ' ' ORDER BY relation::text) FROM relation_residency()
	WHERE relation IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
	  AND resident_pages > 0 AND resident_percent <= 100}),
	'counter elsewhere elsewhere_id materialized moved parted_1 parted_2 plain plain_brin plain_gin plain_hash plain_pkey rewritten snowflake_id_mark truncated unlogged unlogged_pkey',
	'each of them is there by its name');
is($node->safe_psql('first', q{
	SELECT DISTINCT fork FROM relation_residency('unlogged_pkey') ORDER BY 1}), "init\nmain", 'the init fork apart');

# A dirty page here, a clean one there.
$node->safe_psql('first', q{CHECKPOINT; UPDATE plain SET id = id WHERE id = 1});
differences_are_none('first', 'dirty and clean pages');

# Uncommitted: a new relation has no name, a rewritten one has its old file.
my $truncated = $node->safe_psql('first', q{SELECT pg_relation_filenode('truncated')});
$node->safe_psql('first', q{
	BEGIN;
	CREATE TABLE uncommitted AS SELECT * FROM unlogged;
	TRUNCATE truncated;
	INSERT INTO truncated SELECT * FROM unlogged;
	PREPARE TRANSACTION 'uncommitted';
});
is($node->safe_psql('first', q{
	SELECT count(*) FROM relation_residency()
	WHERE database = 'first' AND relation IS NULL AND fork = 'main' AND relfilenode > 16384 AND resident_pages > 0}),
	2, 'uncommitted files have numbers and no name');
is($node->safe_psql('first', qq{
	SET statement_timeout = '10s';
	SELECT relfilenode = $truncated, resident_pages > 0 FROM relation_residency('truncated') WHERE fork = 'main'}),
	't|t', 'whoever holds ACCESS EXCLUSIVE is not waited for, and the committed file is shown');
is($node->safe_psql('first', q{
	SET statement_timeout = '10s';
	SELECT heap_pages > 0 AND (page_cache_bytes >= 0) IS NOT FALSE FROM table_residency WHERE relation = 'truncated'::regclass}),
	't', 'the view does not wait either');
$node->safe_psql('first', q{ROLLBACK PREPARED 'uncommitted'});
differences_are_none('first', 'after a rollback');

# The same numbers in two databases and in two tablespaces.
$node->safe_psql('postgres', 'CREATE DATABASE second TEMPLATE first TABLESPACE beside');
$node->safe_psql('second', 'SELECT count(*), sum(length(pad)) FROM plain; SELECT count(*) FROM elsewhere; SELECT count(*) FROM parted');
differences_are_none('second', 'another database, with the same numbers in another tablespace');
differences_are_none('first', 'the first beside it');
is($node->safe_psql('second', q{
	SELECT count(DISTINCT database), count(DISTINCT relation) FROM relation_residency()
	WHERE relfilenode = pg_relation_filenode('plain') AND fork = 'main'}),
	'2|1', 'one number in two databases, one of them named here');

# The same number in two tablespaces of one database, and of a temporary table.
# The counter of numbers is set back for it.
$node->safe_psql('first', q{CREATE TABLE doubled (id int) TABLESPACE apart});
my $number = $node->safe_psql('first', q{SELECT pg_relation_filenode('truncated')});
$node->stop;
command_ok([ 'pg_resetwal', '-o', $number - 12, $node->data_dir ], 'numbers are set back');
$node->start;
$node->safe_psql('first', rewrite_until('doubled', $number) . "INSERT INTO doubled SELECT 1; SELECT count(*) FROM truncated");
is($node->safe_psql('first', q{
	SELECT string_agg(relation || ' ' || tablespace || ' ' || resident_pages, ', ' ORDER BY relation::text)
	FROM relation_residency()
	WHERE relfilenode = pg_relation_filenode('doubled') AND database = 'first' AND fork = 'main'}),
	'doubled apart 1, truncated pg_default 5', 'one number in two tablespaces of one database');
differences_are_none('first', 'and all its counts');

$node->stop;
command_ok([ 'pg_resetwal', '-o', $number - 12, $node->data_dir ], 'numbers are set back again');
$node->start;
my $rewrite_temporary = rewrite_until('temporary', $number);
is($node->safe_psql('first', qq{
	SELECT count(*) > 0 FROM truncated;
	CREATE TEMPORARY TABLE temporary AS SELECT generate_series(1, 500) AS id;
	$rewrite_temporary
	INSERT INTO temporary SELECT 1;
	SELECT pg_relation_filenode('temporary') = $number;
	SELECT relation, resident_pages FROM relation_residency() WHERE relfilenode = $number AND tablespace = 'pg_default' AND fork = 'main' AND database = 'first';
	SELECT relation, fork_pages, resident_pages FROM relation_residency('temporary') WHERE fork = 'main';
	SELECT relation, resident_pages FROM relation_residency('truncated') WHERE fork = 'main'}),
	"t\nt\ntruncated|5\ntemporary|1|0\ntruncated|5", 'a temporary relation with the number of a permanent one');

# Temporary relations of others: no business of ours.
my ($input, $output, $errors) = ('', '', '');
my $other = IPC::Run::start(
	[ 'psql', '-XAtq', '-d', $node->connstr('first'), '-c', 'CREATE TEMPORARY TABLE of_another (id int)', '-c', 'SELECT pg_sleep(600)' ],
	'<', \$input, '>', \$output, '2>', \$errors);
$node->poll_query_until('first', q{SELECT count(*) = 1 FROM pg_class WHERE relname = 'of_another'});
my ($status, $result, $error) = $node->psql('first', q{
	SELECT * FROM relation_residency((SELECT oid FROM pg_class WHERE relname = 'of_another'))});
like($error, qr/cannot access temporary tables of other sessions/, 'a temporary table of another session');
is($node->safe_psql('first', q{SELECT count(*) > 0 FROM table_residency WHERE (page_cache_bytes >= 0) IS NOT FALSE}),
	't', 'does not disturb the view');
$node->safe_psql('first', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()});
$other->finish;

$node->stop;
done_testing();
