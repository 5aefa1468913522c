--
-- min(uuid) and max(uuid).
--
-- B13: order is that of 16 unsigned bytes; trap I-31 (labels), I-47
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS uuid_keyorder SCHEMA public;
RESET client_min_messages;

SELECT public.min(id), public.max(id)
FROM (VALUES ('7fffffff-ffff-ffff-0000-000000000000'::uuid), ('80000000-0000-0000-0000-000000000000')) v (id);
SELECT public.min(id), public.max(id)
FROM (VALUES (NULL::uuid), ('00000000-0000-0000-0000-0000000000ff'), (NULL), ('00000000-0000-0000-0000-000000000100')) v (id);
SELECT public.min(id) AS no_rows, public.max(id) FROM (SELECT public.uuidv4() AS id) v WHERE false;
SELECT public.min(id) AS nulls, public.max(id) FROM (VALUES (NULL::uuid), (NULL)) v (id);
SELECT public.uuid_smaller('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002') AS smaller,
       public.uuid_larger('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002') AS larger,
       public.uuid_smaller(NULL, '00000000-0000-0000-0000-000000000002') AS null_gives_null;

-- As ORDER BY has it, in groups, as a window, and with FILTER and DISTINCT
CREATE TABLE item (id uuid, part int);
INSERT INTO item SELECT CASE i % 3 WHEN 0 THEN public.uuidv7() WHEN 1 THEN public.uuidv4() END, i % 7
FROM generate_series(1, 21000) i;
CREATE INDEX item_id ON item (id);
ANALYZE item;
SELECT count(*) FILTER (WHERE least IS DISTINCT FROM first OR greatest IS DISTINCT FROM last) AS wrong
FROM (SELECT part, public.min(id) AS least, public.max(id) AS greatest,
             (array_agg(id ORDER BY id))[1] AS first,
             (array_agg(id ORDER BY id DESC) FILTER (WHERE id IS NOT NULL))[1] AS last
      FROM item GROUP BY part) p;
SELECT count(*) FILTER (WHERE running IS DISTINCT FROM id) AS wrong
FROM (SELECT id, public.max(id) OVER (ORDER BY id) AS running FROM item WHERE id IS NOT NULL) r;
SELECT public.max(DISTINCT id) FILTER (WHERE part = 3) = (SELECT id FROM item WHERE part = 3 AND id IS NOT NULL ORDER BY id DESC LIMIT 1) AS same
FROM item;

-- One probe of the index each, NULLs passed over
SET enable_seqscan = off;
SET enable_bitmapscan = off;
CREATE FUNCTION pg_temp.plan(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lines text[];
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		lines := lines || line;
	END LOOP;
	RETURN array_to_string(lines, E'\n');
END $$;
SELECT pg_temp.plan('SELECT public.max(id) FROM item')
       ~ 'Limit.*Index Only Scan Backward using item_id .*Index Cond: \(id IS NOT NULL\)' AS max_probes,
       pg_temp.plan('SELECT public.min(id) FROM item')
       ~ 'Limit.*Index Only Scan using item_id .*Index Cond: \(id IS NOT NULL\)' AS min_probes;
SELECT public.max(id) = (SELECT id FROM item WHERE id IS NOT NULL ORDER BY id DESC LIMIT 1) AS max,
       public.min(id) = (SELECT id FROM item ORDER BY id LIMIT 1) AS min
FROM item;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- In parallel: partial aggregates in workers, combined
DROP INDEX item_id;
CREATE TEMP TABLE serial AS SELECT public.min(id), public.max(id) FROM item;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT public.min(id), public.max(id) FROM item;
SELECT (p.min, p.max) = (s.min, s.max) AS same
FROM (SELECT public.min(id), public.max(id) FROM item) p, serial s;
-- and where every plan is forced into a worker
SELECT set_config(CASE WHEN current_setting('server_version_num')::int >= 160000
                       THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END, 'on', false) AS forced;
SELECT (p.min, p.max) = (s.min, s.max) AS same
FROM (SELECT public.min(id), public.max(id) FROM item) p, serial s;
SELECT count(*) FILTER (WHERE public.uuid_extract_version(id) = 7) AS v7,
       count(*) FILTER (WHERE public.uuidv7_timestamp(id) IS NULL AND id IS NOT NULL) AS without_time,
       bool_and(id BETWEEN public.uuidv7_lower_bound(public.uuidv7_timestamp(id))
                       AND public.uuidv7_upper_bound(public.uuidv7_timestamp(id))) AS bounded
FROM item;
SELECT count(DISTINCT id) AS ids FROM (SELECT public.uuidv7() AS id FROM generate_series(1, 1000)) made;
-- snowflake_id() is unsafe, and so never goes to one
SELECT count(DISTINCT id) AS ids FROM (SELECT public.snowflake_id() AS id FROM item) made;
SELECT last_id IS NOT NULL AS status FROM public.snowflake_status();
DROP TABLE item;
