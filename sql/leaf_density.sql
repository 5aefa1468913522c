--
-- Leaf density: exact sizes, kinds of indexes, bad input, privileges.
--
-- trap D-6, D-7, D-9, D-10, D-12, D-13, D-15, D-16, D-17, D-18, D-20, D-40,
-- D-46; G01, G07, G08, G09, G12, G13, G14
--

SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS uuid_keyorder;
RESET client_min_messages;
CREATE SCHEMA leaf_density;
SET search_path = leaf_density, public;

-- Empty index: NULL, not NaN, and no division by zero (G07, trap D-7)
CREATE TABLE empty (id uuid PRIMARY KEY);
SELECT version, tree_level, root_block, index_bytes / current_setting('block_size')::int AS pages,
       leaf_pages, internal_pages, items, mean_item_bytes, avg_leaf_density, leaf_fragmentation,
       contiguous_leaves, rebuilt_pages, pages_examined, sampled,
       avg_leaf_density_error AS density_error, leaf_fragmentation_error AS fragmentation_error
FROM index_leaf_density('empty_pkey');
SELECT * FROM index_leaf_histogram('empty_pkey', 2);
SELECT * FROM index_leaf_density_by_version('empty_pkey');
SELECT * FROM index_leaf_density_by_range('empty_pkey');
-- one row, then none again: the leaf stays
INSERT INTO empty VALUES ('00000000-0000-0000-0000-000000000000');
SELECT leaf_pages, items, round(avg_leaf_density::numeric, 2) AS density, leaf_fragmentation, rebuilt_pages
FROM index_leaf_density('empty_pkey');
SELECT key_kind, leaf_pages, items FROM index_leaf_density_by_version('empty_pkey');
DELETE FROM empty;
VACUUM (INDEX_CLEANUP on) empty;
SELECT leaf_pages, items, avg_leaf_density, leaf_fragmentation, rebuilt_pages
FROM index_leaf_density('empty_pkey');
SELECT key_kind, leaf_pages, items FROM index_leaf_density_by_version('empty_pkey');

-- Exact sizes of ascending keys (G01, G14, trap D-9): of a million rows a
-- tenth, so a tenth of 2733 and 3832 leaves
CREATE TABLE ascending (number bigint PRIMARY KEY, id uuid UNIQUE);
INSERT INTO ascending
SELECT n, uuidv7_at('2026-01-01 00:00+00'::timestamptz + n * interval '1 ms') FROM generate_series(1, 100000) n;
SELECT name, leaf_pages, internal_pages, items, heap_tids, posting_tuples, dead_items, mean_item_bytes,
       round(avg_leaf_density::numeric, 2) AS density, leaf_fragmentation,
       contiguous_leaves > 98 AS contiguous, rebuilt_pages
FROM unnest('{ascending_pkey,ascending_id_key}'::text[]) name, index_leaf_density(name::regclass);
REINDEX TABLE ascending;
SELECT name, pg_relation_size(name::regclass) / 8192 AS pages_after_reindex
FROM unnest('{ascending_pkey,ascending_id_key}'::text[]) name;
-- Pages add up to the size of the file, sampled or not (G13)
SELECT sample, (1 + leaf_pages + internal_pages + half_dead_pages + deleted_pages + new_pages + damaged_pages)
               * current_setting('block_size')::int = index_bytes AS adds_up,
       index_bytes = pg_relation_size('ascending_id_key') AS whole, sampled, pages_examined,
       avg_leaf_density_error > 0 AS density_error, leaf_fragmentation_error > 0 AS fragmentation_error
FROM (VALUES (NULL::int), (386), (385), (385 - 1), (50), (1)) AS given (sample),
     index_leaf_density('ascending_id_key', sample);

-- Keys in random order: about 70 % full, and half of the right siblings are at
-- a lower block (G14)
CREATE TABLE random (id uuid PRIMARY KEY);
INSERT INTO random SELECT uuidv4() FROM generate_series(1, 30000);
SELECT avg_leaf_density BETWEEN 55 AND 90 AS density, leaf_fragmentation BETWEEN 40 AND 60 AS fragmentation,
       items
FROM index_leaf_density('random_pkey');
-- the histogram has each leaf once, and a bar of one character for two percent
SELECT count(*), sum(h.leaf_pages) = min(d.leaf_pages) AS all_leaves, round(sum(leaf_percent)) AS percent,
       bool_and(length(bar) = ceil(leaf_percent / 2)) AS bars,
       min(density_from), max(density_to), bool_and(density_from < density_to) AS ascending
FROM index_leaf_histogram('random_pkey', 7) h, index_leaf_density('random_pkey') d;
SELECT bucket, leaf_pages > 2 AS some FROM index_leaf_histogram('random_pkey', 4);

-- setseed() makes a sample repeatable; without it each is another
SELECT setseed(0.25);
CREATE TEMP TABLE sample AS SELECT 1 AS n, * FROM index_leaf_density('random_pkey', 40);
SELECT setseed(0.25);
INSERT INTO sample SELECT 2, * FROM index_leaf_density('random_pkey', 40);
INSERT INTO sample SELECT 3, * FROM index_leaf_density('random_pkey', 40);
SELECT count(DISTINCT avg_leaf_density) AS samples, count(DISTINCT avg_leaf_density) FILTER (WHERE n < 3) AS seeded
FROM sample;

-- Which keys are to blame: a v4 key that was switched to v7 (trap D-14)
CREATE TABLE switched (id uuid PRIMARY KEY);
INSERT INTO switched SELECT uuidv4() FROM generate_series(1, 20000);
INSERT INTO switched SELECT uuidv7() FROM generate_series(1, 20000);
SELECT key_kind, items, CASE key_kind WHEN 'v4' THEN avg_leaf_density > 57 ELSE avg_leaf_density < 53 END AS density,
       leaf_pages BETWEEN 80 AND 180 AS pages
FROM index_leaf_density_by_version('switched_pkey');
INSERT INTO switched SELECT uuidv8_append() FROM generate_series(1, 5000);
INSERT INTO switched VALUES
	('00000000-0000-0000-0000-000000000000'), ('ffffffff-ffff-ffff-ffff-ffffffffffff'),
	('c232ab00-9414-11ec-b3c8-9f6bdeced846'), ('00000000-0000-8000-8000-000000000001'),
	('00000000-0000-4000-c000-000000000001'), ('ffffffff-ffff-8fff-8000-000000000000');
SELECT key_kind, items, leaf_pages > 0 AS pages FROM index_leaf_density_by_version('switched_pkey');
SELECT sum(v.leaf_pages) = min(d.leaf_pages) AS all_pages, sum(v.items) = min(d.items) AS all_items,
       round(sum(leaf_percent)) AS percent
FROM index_leaf_density_by_version('switched_pkey') v, index_leaf_density('switched_pkey') d;

-- Ranges of keys: same sums, in order, nothing left out, v7 in the first
SELECT count(*), sum(r.leaf_pages) = min(d.leaf_pages) AS all_pages, sum(r.items) = min(d.items) AS all_items,
       max(r.leaf_pages) - min(r.leaf_pages) < 10 AS even,
       bool_and(first_key::uuid < last_key::uuid) AS ascending,
       min(first_key::uuid) = (SELECT min(id) FROM switched) AS first,
       max(last_key::uuid) = (SELECT max(id) FROM switched) AS last
FROM index_leaf_density_by_range('switched_pkey') r, index_leaf_density('switched_pkey') d;
SELECT count(*) AS gaps_that_hold_keys
FROM (SELECT last_key::uuid AS low, lead(first_key::uuid) OVER (ORDER BY range) AS high
      FROM index_leaf_density_by_range('switched_pkey', 20)) AS gap
     JOIN switched ON id > low AND id < high;
SELECT count(*), bool_and(items = (SELECT count(*) FROM switched WHERE id BETWEEN first_key::uuid AND last_key::uuid))
       AS items_of_range
FROM index_leaf_density_by_range('switched_pkey', 5);
SELECT count(*), bool_and(first_key::uuid <= last_key::uuid) AS ascending, bool_and(sampled) AS sampled,
       sum(pages_examined) / count(*) AS pages
FROM index_leaf_density_by_range('switched_pkey', 5, 30);
-- more ranges than leaves
SELECT count(*), sum(items) FROM index_leaf_density_by_range('ascending_pkey', 1000);
SELECT range, leaf_pages, items, first_key, last_key FROM index_leaf_density_by_range('ascending_pkey', 3);

--
-- Kinds of indexes
--
CREATE DOMAIN uuid_domain AS uuid;
CREATE TABLE kinds (a int, id uuid_domain, t text, n name);
INSERT INTO kinds SELECT n % 50, CASE WHEN n % 10 <> 0 THEN uuidv7() END, repeat('x', n % 90), 'n' || n % 3
FROM generate_series(1, 20000) n;
CREATE INDEX kinds_plain ON kinds (a);
CREATE INDEX kinds_multi ON kinds (t, a, id);                     -- trap D-13: the uuid stands last
CREATE INDEX kinds_include ON kinds (id) INCLUDE (t);             -- trap D-12
CREATE INDEX kinds_include_only ON kinds (a) INCLUDE (id);        -- no uuid among the keys
CREATE INDEX kinds_partial ON kinds (id) WHERE a < 10;
CREATE INDEX kinds_expression ON kinds ((id::uuid), lower(t));
CREATE INDEX kinds_descending ON kinds (id DESC NULLS LAST);
CREATE INDEX kinds_nodedup ON kinds (a) WITH (deduplicate_items = off);
CREATE INDEX kinds_name ON kinds (n);
CREATE INDEX kinds_collated ON kinds (t COLLATE "C", id);
CREATE TEMP TABLE own_temporary (id uuid PRIMARY KEY);
INSERT INTO own_temporary SELECT uuidv7() FROM generate_series(1, 1000);
CREATE UNLOGGED TABLE own_unlogged (id uuid PRIMARY KEY);
INSERT INTO own_unlogged SELECT uuidv7() FROM generate_series(1, 1000);
SELECT name, heap_tids, posting_tuples > 0 AS postings, items = heap_tids AS item_a_tid,
       half_dead_pages + deleted_pages + new_pages + damaged_pages AS other_pages,
       rebuilt_bytes / index_bytes::float8 BETWEEN 0.99 AND 1.01 AS fresh,
       (SELECT string_agg(key_kind || ' ' || v.items, ', ' ORDER BY key_kind)
        FROM index_leaf_density_by_version(name::regclass) v) AS versions,
       (SELECT sum(r.items) = d.items AND count(*) = 2 FROM index_leaf_density_by_range(name::regclass, 2) r) AS ranges
FROM unnest('{kinds_plain,kinds_multi,kinds_include,kinds_include_only,kinds_partial,kinds_expression,
              kinds_descending,kinds_nodedup,kinds_name,kinds_collated,own_temporary_pkey,own_unlogged_pkey}'::text[]) name,
     index_leaf_density(name::regclass) d;
SELECT first_key, last_key ~ '^\(x{89}, 49?, [0-9a-f-]{36}\)$' AS last
FROM index_leaf_density_by_range('kinds_multi', 1);
SELECT first_key::uuid > last_key::uuid AS descending FROM index_leaf_density_by_range('kinds_descending', 2) WHERE range = 1;
SELECT first_key IS NOT NULL, last_key FROM index_leaf_density_by_range('kinds_descending', 2) WHERE range = 2;
-- a catalog index, a shared one, a TOAST index
SELECT name, leaf_pages > 0 AS leaves, damaged_pages
FROM unnest('{pg_class_oid_index,pg_database_oid_index}'::text[]) name, index_leaf_density(name::regclass);
SELECT tree_level FROM pg_class t JOIN pg_index i ON indrelid = reltoastrelid, index_leaf_density(indexrelid::regclass)
WHERE t.oid = 'kinds'::regclass;

-- A partitioned index gives the sum over its leaves (G08, trap D-16)
CREATE TABLE parted (id uuid, part int, PRIMARY KEY (part, id)) PARTITION BY LIST (part);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2, 3) PARTITION BY LIST (part);
CREATE TABLE parted_2_2 PARTITION OF parted_2 FOR VALUES IN (2);
CREATE TABLE parted_2_3 PARTITION OF parted_2 FOR VALUES IN (3);
INSERT INTO parted SELECT uuidv4(), n % 2 + 1 FROM generate_series(1, 20000) n;
WITH leaf AS (
	SELECT d.* FROM unnest('{parted_1_pkey,parted_2_2_pkey,parted_2_3_pkey}'::text[]) name, index_leaf_density(name::regclass) d)
SELECT whole.version, whole.tree_level, whole.root_block,
       whole.index_bytes = sum(leaf.index_bytes) AS bytes, whole.leaf_pages = sum(leaf.leaf_pages) AS leaves,
       whole.items = sum(leaf.items) AS items, whole.rebuilt_bytes = sum(leaf.rebuilt_bytes) AS rebuilt,
       abs(whole.avg_leaf_density - sum(leaf.avg_leaf_density * leaf.leaf_pages) / sum(leaf.leaf_pages)) < 1e-9 AS density,
       whole.pages_examined = sum(leaf.pages_examined) AS examined
FROM leaf, index_leaf_density('parted_pkey') whole
GROUP BY whole.*, whole.version, whole.tree_level, whole.root_block, whole.index_bytes, whole.leaf_pages, whole.items,
         whole.rebuilt_bytes, whole.avg_leaf_density, whole.pages_examined;
SELECT sample, pages_examined, sampled, avg_leaf_density BETWEEN 50 AND 100 OR sample = 1 AS density
FROM (VALUES (1), (7), (50)) AS given (sample), index_leaf_density('parted_pkey', sample);
SELECT key_kind, items FROM index_leaf_density_by_version('parted_pkey');
SELECT count(*), sum(items), min(first_key) ~ '^\(1, ' AS first, max(last_key) ~ '^\(2, ' AS last
FROM index_leaf_density_by_range('parted_pkey', 4);
-- ranges of partitions follow the order of keys, whichever was made first
CREATE TABLE tiles (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE tiles_2 PARTITION OF tiles FOR VALUES FROM (10000) TO (20000);
CREATE TABLE tiles_3 PARTITION OF tiles FOR VALUES FROM (20000) TO (30000);
CREATE TABLE tiles_1 PARTITION OF tiles FOR VALUES FROM (0) TO (10000);
CREATE TABLE tiles_0 PARTITION OF tiles FOR VALUES FROM (-9) TO (0);
INSERT INTO tiles SELECT generate_series(-9, 29999);
SELECT given.sample, bool_and(first_key::int <= last_key::int) AS each_ascends,
       bool_and(last_key::int < next_first_key::int) AS all_ascend,
       sample IS NOT NULL OR bool_and(last_key::int = next_first_key::int - 1) AS tiled,
       sample IS NOT NULL OR min(first_key::int) = -9 AS lowest, sample IS NOT NULL OR max(last_key::int) = 29999 AS highest
FROM (VALUES (NULL::int), (60)) AS given (sample),
     LATERAL (SELECT *, lead(first_key) OVER (ORDER BY range) AS next_first_key
              FROM index_leaf_density_by_range('tiles_pkey', 6, sample)) ranges
GROUP BY 1 ORDER BY 1 NULLS FIRST;
CREATE TABLE parted_none (id uuid PRIMARY KEY) PARTITION BY LIST (id);
SELECT index_bytes, leaf_pages, avg_leaf_density, rebuilt_pages, pages_examined FROM index_leaf_density('parted_none_pkey');

--
-- Bad input: core's words
--
CREATE FUNCTION error_of(statement text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE statement;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', SQLSTATE, SQLERRM, nullif(detail, ''), nullif(hint, ''));
END
$$;
CREATE INDEX kinds_hash ON kinds USING hash (a);
CREATE INDEX kinds_brin ON kinds USING brin (a);
CREATE TABLE arrays (a int[]);
CREATE INDEX arrays_gin ON arrays USING gin (a);
CREATE TABLE "Two Words" (a int UNIQUE, b int PRIMARY KEY);
CREATE SEQUENCE some_sequence;
CREATE VIEW some_view AS SELECT 1 AS a;
CREATE MATERIALIZED VIEW some_matview AS SELECT 1 AS a;
CREATE FOREIGN DATA WRAPPER nothing;
CREATE SERVER nothing FOREIGN DATA WRAPPER nothing;
CREATE FOREIGN TABLE some_foreign (a int) SERVER nothing;
CREATE TYPE some_type AS (a int);
SELECT relation, error_of(format('SELECT * FROM index_leaf_density(%L::regclass)', relation))
FROM unnest('{kinds_hash,kinds_brin,arrays_gin,arrays,"\"Two Words\"",parted,some_sequence,some_view,some_matview,some_foreign,some_type}'::text[]) relation;
-- the same for the others
SELECT call, error_of(format('SELECT * FROM ' || call, 'kinds_hash'))
FROM unnest('{index_leaf_histogram(%L),index_leaf_density_by_version(%L),index_leaf_density_by_range(%L)}'::text[]) call;
SELECT error_of('SELECT * FROM index_leaf_density(4294967295::oid::regclass)');
-- no index asked for
SELECT count(*), count(version) FROM index_leaf_density(NULL);
SELECT count(*) FROM index_leaf_histogram(NULL);
SELECT count(*) FROM index_leaf_density_by_version(NULL);
SELECT count(*) FROM index_leaf_density_by_range(NULL);
-- numbers out of range
SELECT call, error_of('SELECT * FROM ' || call)
FROM unnest('{"index_leaf_density(''random_pkey'', 0)","index_leaf_density(''random_pkey'', -1)",
              "index_leaf_histogram(''random_pkey'', 0)","index_leaf_histogram(''random_pkey'', 1001)",
              "index_leaf_histogram(''random_pkey'', NULL)","index_leaf_histogram(''random_pkey'', 10, 0)",
              "index_leaf_histogram(''random_pkey'', 1000, 2147483647)",
              "index_leaf_density_by_version(''random_pkey'', 0)",
              "index_leaf_density_by_range(''random_pkey'', 0)","index_leaf_density_by_range(''random_pkey'', 1001)",
              "index_leaf_density_by_range(''random_pkey'', NULL)","index_leaf_density_by_range(''random_pkey'', 1, 0)"}'::text[]) call;
-- an invalid index (G09, trap D-18), and a partitioned one not attached everywhere
CREATE TABLE twice (a int);
INSERT INTO twice VALUES (1), (1);
CREATE UNIQUE INDEX CONCURRENTLY twice_a ON twice (a);
SELECT error_of('SELECT * FROM index_leaf_density(''twice_a'')');
CREATE INDEX parted_part ON ONLY parted (part);
SELECT error_of('SELECT * FROM index_leaf_density(''parted_part'')');

--
-- Privileges (G12, trap D-40)
--
CREATE ROLE regress_density_nobody;
CREATE ROLE regress_density_scanner IN ROLE pg_stat_scan_tables;
CREATE ROLE regress_density_monitor IN ROLE pg_monitor;
CREATE ROLE regress_density_stats IN ROLE pg_read_all_stats;
GRANT USAGE ON SCHEMA leaf_density TO PUBLIC;
CREATE TABLE guarded (id uuid PRIMARY KEY, a int, b int);
INSERT INTO guarded VALUES (uuidv7(), 1, 2);
CREATE INDEX guarded_a ON guarded (a, b);
CREATE INDEX guarded_expression ON guarded ((a + 1));
CREATE INDEX guarded_partial ON guarded (a) WHERE b = 2;
SELECT role, (SELECT string_agg(has_function_privilege(role, f, 'EXECUTE')::text, ' ' ORDER BY f::text)
              FROM unnest('{index_leaf_density,index_leaf_histogram,index_leaf_density_by_version,index_leaf_density_by_range}'::regproc[]) f) AS executes
FROM unnest('{regress_density_nobody,regress_density_stats,regress_density_monitor,regress_density_scanner}'::text[]) role;
SET ROLE regress_density_nobody;
SELECT error_of('SELECT * FROM index_leaf_density(''guarded_pkey'')');
SET ROLE regress_density_scanner;
-- no values, no SELECT needed; values, refused
SELECT leaf_pages, items FROM index_leaf_density('guarded_pkey');
SELECT key_kind, items FROM index_leaf_density_by_version('guarded_pkey');
SELECT sum(leaf_pages) FROM index_leaf_histogram('guarded_pkey');
SELECT error_of('SELECT * FROM index_leaf_density_by_range(''guarded_pkey'')');
RESET ROLE;
GRANT SELECT (id, a) ON guarded TO regress_density_scanner;
SET ROLE regress_density_scanner;
-- the key columns are enough, but all of them
SELECT leaf_pages, items FROM index_leaf_density_by_range('guarded_pkey');
SELECT error_of('SELECT * FROM index_leaf_density_by_range(''guarded_a'')');
SELECT error_of('SELECT * FROM index_leaf_density_by_range(''guarded_expression'')');
-- which keys have b = 2 is not theirs to know
SELECT error_of('SELECT * FROM index_leaf_density_by_range(''guarded_partial'')');
RESET ROLE;
GRANT SELECT ON guarded TO regress_density_scanner;
SET ROLE regress_density_scanner;
SELECT index, leaf_pages, items, first_key FROM unnest('{guarded_a,guarded_expression}'::text[]) index, index_leaf_density_by_range(index::regclass);
RESET ROLE;
-- row security: values refused, also where row_security is off; its owner is free
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY none_of_it ON guarded USING (false);
SET ROLE regress_density_scanner;
SELECT error_of('SELECT * FROM index_leaf_density_by_range(''guarded_pkey'')');
SET row_security = off;
SELECT error_of('SELECT * FROM index_leaf_density_by_range(''guarded_pkey'')');
RESET row_security;
SELECT items FROM index_leaf_density('guarded_pkey');
RESET ROLE;
SELECT items FROM index_leaf_density_by_range('guarded_pkey');

-- Code of an operator class runs as the table's owner, not as who inspects
CREATE ROLE regress_density_owner;
GRANT CREATE ON SCHEMA leaf_density TO regress_density_owner;
SET ROLE regress_density_owner;
CREATE FUNCTION spying_cmp(a int, b int) RETURNS int LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
	IF current_setting('leaf_density.spy', true) = 'on' THEN
		RAISE NOTICE 'compares as %, search_path %', current_user, current_setting('search_path');
		PERFORM set_config('leaf_density.spy', 'off', false);
	END IF;
	RETURN btint4cmp(a, b);
END
$$;
RESET ROLE;
CREATE OPERATOR CLASS spying_ops FOR TYPE int USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 spying_cmp(int, int);
SET ROLE regress_density_owner;
CREATE TABLE spied (a int);
INSERT INTO spied SELECT generate_series(1, 1000);
CREATE INDEX spied_a ON spied (a spying_ops);
RESET ROLE;
SET leaf_density.spy = 'on';
SELECT sum(items) FROM index_leaf_density_by_range('spied_a');
SELECT current_user = session_user AS myself_again, current_setting('search_path') AS path;
SET leaf_density.spy = 'off';

-- Labels
SELECT proname, provolatile, proparallel, procost, prorows FROM pg_proc
WHERE proname ~ '^index_leaf_' AND pronamespace = 'public'::regnamespace ORDER BY 1;

SET client_min_messages = warning;
DROP SCHEMA leaf_density CASCADE;
DROP FOREIGN DATA WRAPPER nothing CASCADE;
DROP ROLE regress_density_nobody, regress_density_scanner, regress_density_monitor, regress_density_stats, regress_density_owner;
