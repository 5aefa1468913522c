-- Residency: what of each relation sits in shared_buffers and page cache.
CREATE SCHEMA residency;
CREATE EXTENSION uuid_keyorder SCHEMA residency;
SET search_path = residency, public;

-- the sum is shared_buffers, and every buffer has one usage count (trap D-27)
SELECT sum(resident_pages) = (SELECT setting::bigint FROM pg_settings WHERE name = 'shared_buffers') AS all_buffers,
       abs(sum(buffers_percent) - 100) < 1e-6 AS all_percent,
       bool_and(resident_pages = (SELECT sum(u) FROM unnest(usage_counts) u)) AS usage_counts_sum_up,
       bool_and(array_length(usage_counts, 1) = 6) AS usage_counts_0_to_5,
       bool_and(dirty_pages BETWEEN 0 AND resident_pages AND pinned_pages BETWEEN 0 AND resident_pages) AS parts,
       bool_and(resident_percent BETWEEN 0 AND 100) AS percent,
       count(*) FILTER (WHERE fork IS NULL) AS rows_without_fork,
       count(*) = count(DISTINCT (database, tablespace, relfilenode, fork)) AS one_row_a_fork
FROM relation_residency();

-- NULL is the same as no argument
SELECT sum(resident_pages) = (SELECT setting::bigint FROM pg_settings WHERE name = 'shared_buffers') AS all_buffers
FROM relation_residency(NULL);

-- the page cache is not asked where nobody wants to know
CREATE FUNCTION asks_page_cache(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
	asks boolean := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		asks := asks OR line LIKE '%page_cache_bytes(%';
	END LOOP;
	RETURN asks;
END $$;
SELECT asks_page_cache('SELECT sum(resident_pages), max(resident_percent) FROM relation_residency()') AS function_sum,
       asks_page_cache('SELECT * FROM relation_residency()') AS function_all,
       asks_page_cache('SELECT relation, heap_pages, resident_pages, buffers_percent FROM table_residency') AS view_pages,
       asks_page_cache('SELECT * FROM table_residency') AS view_all;

-- a table, its index and its TOAST table, just made: nothing has pushed them out
CREATE TABLE kinds (id int PRIMARY KEY, pad text);
ALTER TABLE kinds ALTER pad SET STORAGE EXTERNAL;
INSERT INTO kinds SELECT i, repeat('x', CASE WHEN i % 50 = 0 THEN 5000 ELSE 100 END) FROM generate_series(1, 2000) i;
VACUUM kinds;
CREATE VIEW forks AS
SELECT r.relation, r.fork, database = current_database() AS here, tablespace = 'pg_default' AS in_default,
       relfilenode = pg_relation_filenode(r.relation) AS filenode,
       fork_pages = pg_relation_size(r.relation, r.fork) / current_setting('block_size')::int AS size,
       resident_pages > 0 AS resident, resident_pages = fork_pages AS whole, resident_percent
FROM (SELECT oid FROM pg_class WHERE oid IN ('kinds'::regclass, 'kinds_pkey'::regclass)) c,
     relation_residency(c.oid) r;
SELECT * FROM forks ORDER BY relation::text, fork;

-- the same rows come from the call for all
SELECT count(*) > 4 AS some,
       bool_and(a.resident_pages = b.resident_pages AND a.fork_pages = b.fork_pages AND a.relfilenode = b.relfilenode) AS same
FROM relation_residency() a JOIN pg_class c ON c.oid = a.relation, relation_residency(c.oid) b
WHERE a.fork = b.fork AND c.relname IN ('kinds', 'kinds_pkey', 'pg_database', 'pg_type');

-- size and page cache without a lock
SELECT relation_disk_bytes('kinds') = sum(pg_relation_size('kinds', fork)) AS all_forks,
       relation_disk_bytes('kinds', 'main') = pg_relation_size('kinds') AS main,
       relation_disk_bytes('kinds', 'init') IS NULL AS no_such_fork,
       relation_disk_bytes(4711) IS NULL AND relation_page_cache_bytes(4711) IS NULL AS no_such_relation,
       relation_disk_bytes(NULL) IS NULL AS no_relation
FROM unnest('{main,fsm,vm}'::text[]) fork;
SELECT relation_disk_bytes('kinds', 'heap');
SELECT relation_page_cache_bytes('kinds', 'heap');
SELECT file_page_cache_bytes(1663, 1, 1259, 'heap');
-- No file has these numbers; core asserts so
SELECT file_page_cache_bytes(1664, 1, 1259, 'main') IS NULL AS shared_of_database,
       file_page_cache_bytes(1663, 0, 1259, 'main') IS NULL AS of_no_database,
       file_page_cache_bytes(0, 0, 0, 'main') IS NULL AS of_nothing;

-- either the kernel tells everything, or nothing
SELECT bool_and(page_cache_bytes IS NULL) OR
       bool_and(page_cache_bytes BETWEEN 0 AND (fork_pages * current_setting('block_size')::bigint / 65536 + 1) * 65536) AS page_cache
FROM relation_residency('kinds');
SELECT physical_memory_bytes() >= (SELECT setting::bigint * current_setting('block_size')::int
                                   FROM pg_settings WHERE name = 'shared_buffers') AS memory;

-- rewritten relations are found by their new file (situation H01)
VACUUM FULL kinds;
SELECT count(*) > 0 AS found FROM kinds;
SELECT relation, here, filenode, size FROM forks WHERE fork = 'main' ORDER BY relation::text;
SELECT count(*) FILTER (WHERE relation = 'kinds'::regclass) AS named
FROM relation_residency() WHERE relfilenode = pg_relation_filenode('kinds') AND fork = 'main';

-- mapped catalogs (situation H02, trap D-25) and shared ones (H04): once, without a database
SELECT (SELECT count(*) FROM pg_class) > 0 AND (SELECT count(*) FROM pg_proc) > 0 AND (SELECT count(*) FROM pg_database) > 0
       AND (SELECT count(*) FROM pg_authid) > 0 AND (SELECT count(*) FROM pg_index) > 0 AS all_read;
SELECT c.relname, c.relfilenode = 0 AS mapped, r.database = current_database() AS here, r.tablespace,
       r.relfilenode = pg_relation_filenode(c.oid) AS filenode, count(*) AS main_forks, bool_and(r.resident_pages > 0) AS resident
FROM relation_residency() r JOIN pg_class c ON c.oid = r.relation
WHERE r.fork = 'main' AND c.relname IN ('pg_class', 'pg_proc', 'pg_database', 'pg_authid', 'pg_index')
GROUP BY 1, 2, 3, 4, 5 ORDER BY 1;
SELECT database IS NULL AS shared, tablespace, relfilenode = pg_relation_filenode('pg_database') AS filenode
FROM relation_residency('pg_database') WHERE fork = 'main';

-- of this transaction, uncommitted: named; gone afterwards (trap D-27)
BEGIN;
CREATE TABLE uncommitted AS SELECT i FROM generate_series(1, 1000) i;
SELECT relation, resident_percent FROM relation_residency() WHERE relation = 'uncommitted'::regclass AND fork = 'main';
SELECT 'uncommitted'::regclass::oid AS dropped_oid \gset
ROLLBACK;
SELECT count(*) AS rows FROM relation_residency() WHERE relation = :dropped_oid;

-- temporary: its pages are in no shared buffer (situation H07, trap D-20)
CREATE TEMPORARY TABLE temporary AS SELECT i FROM generate_series(1, 1000) i;
SELECT count(*) AS rows FROM relation_residency() WHERE relation = 'temporary'::regclass;
SELECT fork, fork_pages = pg_relation_size('temporary') / current_setting('block_size')::int AS size,
       resident_pages, resident_percent
FROM relation_residency('temporary') WHERE fork = 'main';
SELECT relation_disk_bytes('temporary', 'main') = pg_relation_size('temporary') AS size;

-- unlogged: the init fork too (trap D-21)
CREATE UNLOGGED TABLE unlogged (i int PRIMARY KEY);
INSERT INTO unlogged VALUES (1);
SELECT relation, fork, fork_pages FROM relation_residency('unlogged_pkey') WHERE fork IN ('main', 'init') ORDER BY fork;

-- partitioned: the sum of its leaves, also of indexes, also of none (trap D-16)
CREATE TABLE parted (id int, pad text) PARTITION BY RANGE (id);
CREATE INDEX ON parted (id);
SELECT relation, fork, fork_pages, resident_pages, relfilenode FROM relation_residency('parted');
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (1000) TO (2000) PARTITION BY LIST (id);
CREATE TABLE parted_2_1 PARTITION OF parted_2 DEFAULT;
INSERT INTO parted SELECT i, repeat('x', 100) FROM generate_series(0, 1999) i;
SELECT whole.relation, whole.database = current_database() AS here, whole.resident_pages = leaves.resident_pages AS resident,
       whole.fork_pages = leaves.fork_pages AS size, whole.page_cache_bytes IS NOT DISTINCT FROM leaves.page_cache_bytes AS page_cache
FROM (SELECT * FROM relation_residency('parted') UNION ALL SELECT * FROM relation_residency('parted_id_idx')) whole
     JOIN (SELECT i.inhparent, r.fork, sum(resident_pages) AS resident_pages, sum(fork_pages) AS fork_pages, sum(page_cache_bytes) AS page_cache_bytes
           FROM (VALUES ('parted'::regclass, 'parted_1'::regclass), ('parted', 'parted_2_1'),
                        ('parted_id_idx', 'parted_1_id_idx'), ('parted_id_idx', 'parted_2_1_id_idx')) i (inhparent, leaf),
                relation_residency(leaf) r GROUP BY 1, 2) leaves
     ON leaves.inhparent = whole.relation AND leaves.fork = whole.fork
WHERE whole.fork = 'main' ORDER BY 1;

-- the view: heap, TOAST and indexes apart, partitions under their root
SELECT relation, heaps, heap_resident_pages BETWEEN 1 AND heap_pages AS heap, toast_resident_pages BETWEEN 0 AND toast_pages AS toast,
       index_resident_pages BETWEEN 1 AND index_pages AS index,
       resident_pages = heap_resident_pages + coalesce(toast_resident_pages, 0) + index_resident_pages AS total,
       dirty_pages BETWEEN 0 AND resident_pages AS dirty,
       abs(buffers_percent - 100.0 * resident_pages / (SELECT setting::bigint FROM pg_settings WHERE name = 'shared_buffers')) < 1e-6 AS buffers,
       page_cache_bytes IS NOT DISTINCT FROM heap_page_cache_bytes + coalesce(toast_page_cache_bytes, 0) + index_page_cache_bytes AS page_cache,
       memory_percent IS NULL AND page_cache_bytes IS NULL OR memory_percent BETWEEN 0 AND 200 AS memory
FROM table_residency
WHERE relation IN ('kinds'::regclass, 'parted'::regclass) ORDER BY relation::text;
SELECT bool_and(resident_pages <= above) AS largest_first
FROM (SELECT resident_pages, lag(resident_pages) OVER () AS above FROM table_residency) sorted;

-- nothing with a name is missing in it
SELECT abs((SELECT sum(resident_pages) FROM table_residency) -
           (SELECT sum(resident_pages) FROM relation_residency() WHERE relation IS NOT NULL)) <= 5 AS same;

-- kinds without storage; a relation that is not there
CREATE VIEW no_storage AS SELECT 1 AS one;
SELECT * FROM relation_residency('no_storage');
SELECT * FROM relation_residency(1);
SELECT relation_disk_bytes('no_storage');

-- pg_monitor may, others may not (situation H15, trap D-41)
CREATE ROLE regress_residency_monitor IN ROLE pg_monitor;
CREATE ROLE regress_residency_stats IN ROLE pg_read_all_stats;
GRANT USAGE ON SCHEMA residency TO regress_residency_monitor, regress_residency_stats;
SET ROLE regress_residency_monitor;
SELECT count(*) > 0 AS may FROM relation_residency() WHERE relation IS NOT NULL;
SELECT count(*) > 0 AS may FROM table_residency;
SELECT count(page_cache_bytes) >= 0 AS may FROM relation_residency('kinds');
SELECT memory_percent >= 0 IS NOT FALSE AS may FROM table_residency WHERE relation = 'kinds'::regclass;
SET ROLE regress_residency_stats;
SELECT count(*) FROM relation_residency();
SELECT count(*) FROM relation_buffers();
SELECT relation_disk_bytes('kinds');
SELECT relation_page_cache_bytes('kinds');
SELECT file_page_cache_bytes(1663, 1, 1259, 'main');
SELECT physical_memory_bytes();
SELECT count(*) FROM table_residency;
RESET ROLE;

-- any schema, any search path (situation H13)
BEGIN;
CREATE SCHEMA "Mixed Case";
ALTER EXTENSION uuid_keyorder SET SCHEMA "Mixed Case";
SET LOCAL search_path = '';
SELECT relation, fork FROM "Mixed Case".relation_residency('pg_catalog.pg_type') WHERE fork = 'main';
SELECT count(*) > 0 AS tables, count(page_cache_bytes) >= 0 AS page_cache FROM "Mixed Case".table_residency;
ROLLBACK;

-- also as a function of the target list, and with an argument that is no constant
SELECT (relation_residency('kinds')).fork;
SELECT count(*) > 0 AS rows FROM pg_class c, relation_residency(c.oid) r WHERE c.relname = 'kinds';

DROP OWNED BY regress_residency_monitor;
DROP ROLE regress_residency_monitor;
DROP OWNED BY regress_residency_stats;
DROP ROLE regress_residency_stats;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA residency CASCADE;
