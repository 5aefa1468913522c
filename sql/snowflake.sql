--
-- snowflake_id() and snowflake_status().
--
-- trap I-34 to I-37, I-42 to I-44; F02, F03, F10
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS uuid_keyorder SCHEMA public;
RESET client_min_messages;
SET DateStyle = 'ISO, YMD';
SET TimeZone = 'UTC';

--
-- Fields and order
--
SELECT public.snowflake_id() AS id \gset
SELECT :id > 0 AS positive,
       public.snowflake_timestamp(:id) BETWEEN now() - interval '1 s' AND now() + interval '10 s' AS now,
       public.snowflake_node(:id) = current_setting('uuid_keyorder.node_id')::int AS node,
       public.snowflake_counter(:id) BETWEEN 0 AND 4095 AS counter,
       :id BETWEEN public.snowflake_lower_bound(public.snowflake_timestamp(:id))
               AND public.snowflake_upper_bound(public.snowflake_timestamp(:id)) AS bounded;

-- Call after call, and a million in one statement (F02).  trap I-35: always
-- above the last; when a millisecond is full the next one is taken, and its
-- counter starts at 0 (trap I-42: no id leaves its millisecond and node)
CREATE TEMP TABLE made AS SELECT i, public.snowflake_id() AS id FROM generate_series(1, 5000) i;
SELECT count(DISTINCT id) AS ids, count(DISTINCT public.snowflake_timestamp(id)) > 1 AS milliseconds,
       min(id) > :id AS above_last
FROM made;
SELECT count(*) FILTER (WHERE id <= previous) AS descents,
       count(*) FILTER (WHERE ms = previous_ms AND counter <= previous_counter) AS counter_descents,
       count(DISTINCT node) AS nodes
FROM (SELECT id, ms, counter, node, lag(id) OVER w AS previous, lag(ms) OVER w AS previous_ms, lag(counter) OVER w AS previous_counter
      FROM (SELECT i, id, public.snowflake_timestamp(id) AS ms, public.snowflake_counter(id) AS counter, public.snowflake_node(id) AS node
            FROM made) m WINDOW w AS (ORDER BY i)) pair;
SELECT count(*) AS ids, count(*) FILTER (WHERE id <= previous) AS descents
FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous
      FROM (SELECT i, public.snowflake_id() AS id FROM generate_series(1, 1000000) i OFFSET 0) m) pair;
DO $$
DECLARE
	previous bigint := public.snowflake_id();
	next bigint;
	descents int := 0;
BEGIN
	FOR i IN 1..20000 LOOP
		next := public.snowflake_id();
		descents := descents + (next <= previous)::int;
		previous := next;
	END LOOP;
	RAISE INFO '% descents', descents;
END $$;

-- trap I-36: speed borrows from the future within limits
SELECT clock_lead_ms <= 1001 AS within_a_second FROM public.snowflake_status();

--
-- trap I-34, I-44: one state for all sessions and databases of the server
--
SELECT public.snowflake_id() AS id \gset
\c -
SELECT public.snowflake_id() > :id AS above_other_session;
SELECT public.snowflake_id() AS id \gset
\set home :DBNAME
CREATE DATABASE regress_uuid_keyorder_other;
\c regress_uuid_keyorder_other
CREATE EXTENSION uuid_keyorder;
SELECT public.snowflake_id() > :id AS above_other_database;
SELECT public.snowflake_id() AS id \gset
\c :home
SELECT public.snowflake_id() > :id AS above_other_database;
DROP DATABASE regress_uuid_keyorder_other;
SET DateStyle = 'ISO, YMD';
SET TimeZone = 'UTC';

--
-- Transactions
--
CREATE TABLE item (id bigint PRIMARY KEY DEFAULT public.snowflake_id(), n int);
INSERT INTO item (n) VALUES (1), (2) RETURNING id > :id AS above;
BEGIN;
INSERT INTO item (n) VALUES (3);
SELECT max(id) AS aborted FROM item \gset
SAVEPOINT s;
INSERT INTO item (n) VALUES (4);
ROLLBACK TO s;
INSERT INTO item (n) VALUES (5);
ROLLBACK;
INSERT INTO item (n) VALUES (6);
SELECT max(id) > :aborted AS above_aborted, array_agg(n ORDER BY id) AS in_order FROM item;
CREATE FUNCTION pg_temp.fails() RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
	RETURN public.snowflake_id() / 0;
EXCEPTION WHEN division_by_zero THEN
	RETURN public.snowflake_id();
END $$;
SELECT pg_temp.fails() > max(id) AS after_error FROM item;

-- trap I-43: it writes, so as nextval() it is refused in a read-only
-- transaction, whether or not the mark is to be raised
CREATE SEQUENCE counter;
BEGIN READ ONLY;
SELECT nextval('counter');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
BEGIN READ ONLY;
SELECT public.snowflake_id();
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
\c -
BEGIN READ ONLY;
SELECT public.snowflake_id();
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
-- What only looks is not
BEGIN READ ONLY;
SELECT last_id IS NOT NULL AS status, public.snowflake_lower_bound('2023-01-01 00:00+00') AS bound FROM public.snowflake_status();
ROLLBACK;
-- trap I-43: nor does it go into a parallel worker
SELECT set_config(CASE WHEN current_setting('server_version_num')::int >= 160000
                       THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END, 'on', false) AS forced;
SELECT count(DISTINCT id) AS ids FROM (SELECT public.snowflake_id() AS id FROM item, generate_series(1, 100)) m;
SELECT count(*) FROM public.snowflake_status();
DROP TABLE item;
DROP SEQUENCE counter;

--
-- Status and mark
--
-- trap I-37: the mark lies above the last id, in a sequence that dumps keep, at
-- most some ten seconds of id time ahead
SELECT public.snowflake_id() AS id \gset
SELECT node_id = current_setting('uuid_keyorder.node_id')::int AS node,
       last_id >= :id AS last,
       last_id_time = public.snowflake_timestamp(last_id) AS last_time,
       mark_id >= last_id AS mark,
       mark_time = public.snowflake_timestamp(mark_id) AS mark_time,
       mark_time - last_id_time BETWEEN interval '0' AND interval '11 s' AS lead,
       mark_id = (SELECT last_value FROM public.snowflake_id_mark) AS sequence,
       clock_lead_ms BETWEEN 0 AND 1001 AS clock_lead
FROM public.snowflake_status();
SELECT ids_issued AS issued FROM public.snowflake_status() \gset
SELECT count(public.snowflake_id()) FROM generate_series(1, 1000);
SELECT ids_issued - :issued AS issued FROM public.snowflake_status();
SELECT extconfig::regclass[] AS dumped FROM pg_extension WHERE extname = 'uuid_keyorder';
-- The extension anew: still above what was made before
SELECT public.snowflake_id() AS id \gset
DROP EXTENSION uuid_keyorder;
CREATE EXTENSION uuid_keyorder SCHEMA public;
SELECT mark_id IS NULL AS no_mark, mark_time FROM public.snowflake_status();
SELECT public.snowflake_id() > :id AS above_dropped;
SELECT mark_id > last_id AS mark FROM public.snowflake_status();

-- A mark that somebody set to the end leaves nothing above it, but only here:
-- the tick, which all databases share, is not carried there
SET client_min_messages = warning;
DROP EXTENSION uuid_keyorder CASCADE;
RESET client_min_messages;
CREATE EXTENSION uuid_keyorder SCHEMA public;
SELECT setval('snowflake_id_mark', 9223372036854775807);
SELECT snowflake_id();
\echo :LAST_ERROR_SQLSTATE
SELECT setval('snowflake_id_mark', 1);
SELECT snowflake_id() > 1 AS goes_on;
