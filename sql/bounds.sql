--
-- Bounds of ids for a time: floored, tiling, constant, and of use to the
-- planner.
--
-- trap I-22 to I-33; B01 to B15
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS uuid_keyorder SCHEMA public;
RESET client_min_messages;
SET DateStyle = 'ISO, YMD';
SET TimeZone = 'UTC';

CREATE TEMP TABLE layout AS
SELECT name FROM unnest(ARRAY['keyorder', 'pgedge', 'twitter', 'discord', 'instagram', 'mastodon']) AS name;

--
-- Which bound
--
-- trap I-23: the millisecond of a time is the one that contains it, whatever
-- the microseconds
SELECT count(DISTINCT public.uuidv7_lower_bound(ts)) AS lower, count(DISTINCT public.uuidv7_upper_bound(ts)) AS upper,
       count(DISTINCT public.uuid_prefix_bound(ts)) AS prefix, min(public.uuidv7_lower_bound(ts)::text) AS first
FROM (SELECT timestamptz '2023-11-15 23:17:12.814+00' + us * interval '1 us' AS ts FROM generate_series(0, 999) AS us) t;
SELECT name, count(DISTINCT public.snowflake_lower_bound(ts, name)) AS lower, count(DISTINCT public.snowflake_upper_bound(ts, name)) AS upper
FROM layout, LATERAL (SELECT timestamptz '2023-11-15 23:17:12.814+00' + us * interval '1 us' AS ts FROM generate_series(0, 999) AS us) t
GROUP BY name ORDER BY name;

-- Random times t over the range of each: the bounds hold t to the millisecond,
-- are next to those of the milliseconds before and after, and take in all ids
-- between.  trap I-24: also ids whose sub-millisecond bits are random; trap
-- I-28: version and variant are both set in one form, and neither in the other;
-- trap I-27: the prefix form is below both
CREATE TEMP TABLE time AS
SELECT ts, date_trunc('milliseconds', ts) AS ms
FROM (SELECT timestamptz '1970-01-01 00:00:01+00' + floor(random() * 281474976) * interval '1000 s'
             + floor(random() * 1000000000) * interval '1 us' AS ts
      FROM generate_series(1, 5000) OFFSET 0) t;
SELECT bool_and(public.uuidv7_timestamp(lower) = ms AND public.uuidv7_timestamp(upper) = ms) AS time,
       bool_and(public.uuid_prefix_timestamp(prefix::text) = ms) AS prefix_time,
       bool_and(lower::text ~ '-7000-8000-000000000000$' AND upper::text ~ '-7fff-bfff-ffffffffffff$'
                AND prefix::text ~ '-0000-0000-000000000000$') AS form,
       bool_and(public.uuid_extract_version(lower) = 7 AND public.uuid_extract_version(upper) = 7
                AND public.uuid_extract_version(prefix) IS NULL) AS version,
       bool_and(prefix < lower AND lower < upper AND upper < next_prefix AND next_prefix < next_lower) AS in_order,
       bool_and(public.uuidv7_at(ts) BETWEEN lower AND upper
                AND overlay(lower::text PLACING to_hex((random() * 4095)::int | 28672) FROM 15 FOR 4)::uuid BETWEEN lower AND upper
                AND overlay(public.uuidv4()::text PLACING left(lower::text, 13) FROM 1 FOR 13)::uuid BETWEEN prefix AND next_prefix) AS contained
FROM (SELECT ts, ms, public.uuidv7_lower_bound(ts) AS lower, public.uuidv7_upper_bound(ts) AS upper, public.uuid_prefix_bound(ts) AS prefix,
             public.uuidv7_lower_bound(ts + interval '1 ms') AS next_lower, public.uuid_prefix_bound(ts + interval '1 ms') AS next_prefix
      FROM time) b;
SELECT name,
       bool_and(public.snowflake_timestamp(lower, name) = ms AND public.snowflake_timestamp(upper, name) = ms) AS time,
       bool_and(upper + 1 = public.snowflake_lower_bound(ts + interval '1 ms', name)) AS next,
       min(public.snowflake_node(lower, name)) AS node, max(public.snowflake_node(upper, name)) AS highest_node,
       min(public.snowflake_counter(lower, name)) AS counter, max(public.snowflake_counter(upper, name)) AS highest_counter,
       bool_and(lower >= 0) AS positive
FROM (SELECT name, ts, ms, public.snowflake_lower_bound(ts, name) AS lower, public.snowflake_upper_bound(ts, name) AS upper
      FROM (SELECT ts, date_trunc('milliseconds', ts) AS ms
            FROM (SELECT timestamptz '2023-01-01 00:00+00' + floor(random() * 700000) * interval '1000 s'
                         + floor(random() * 1000000000) * interval '1 us' AS ts
                  FROM generate_series(1, 2000) OFFSET 0) r) t, layout) b
GROUP BY name ORDER BY name;

-- trap I-25: half-open ranges tile: each id lies in exactly one, wherever the
-- ends lie within a millisecond (trap I-26); at the last millisecond there is
-- no lower bound after it, and the upper one serves
CREATE TEMP TABLE fence AS
SELECT lead(ts) OVER (ORDER BY ts) AS until, ts AS since
FROM (SELECT timestamptz '2025-03-30 00:00+00' + random() * interval '2 s' AS ts FROM generate_series(1, 40)
      UNION SELECT '2025-03-29 23:59+00' UNION SELECT '2025-03-30 00:01+00') t;
DELETE FROM fence WHERE until IS NULL;
CREATE TEMP TABLE made AS
SELECT ts, public.uuidv7_at(ts) AS id,
       public.snowflake_lower_bound(ts) + floor(random() * 4194304)::bigint AS number
FROM (SELECT timestamptz '2025-03-30 00:00+00' + random() * interval '2 s' AS ts FROM generate_series(1, 5000) OFFSET 0) t;
SELECT count(*) AS ids,
       count(*) FILTER (WHERE uuid_tiles <> 1) AS uuid_wrong,
       count(*) FILTER (WHERE prefix_tiles <> 1) AS prefix_wrong,
       count(*) FILTER (WHERE number_tiles <> 1) AS number_wrong
FROM (SELECT (SELECT count(*) FROM fence WHERE id >= public.uuidv7_lower_bound(since) AND id < public.uuidv7_lower_bound(until)) AS uuid_tiles,
             (SELECT count(*) FROM fence WHERE id >= public.uuid_prefix_bound(since) AND id < public.uuid_prefix_bound(until)) AS prefix_tiles,
             (SELECT count(*) FROM fence WHERE number >= public.snowflake_lower_bound(since) AND number < public.snowflake_lower_bound(until)) AS number_tiles
      FROM made) t;
-- trap I-26: the millisecond of an end belongs to the later range as a whole
SELECT public.uuidv7_at('2025-01-01 00:00:00.0004+00') < public.uuidv7_lower_bound('2025-01-01 00:00:00.0009+00') AS before,
       public.uuidv7_at('2025-01-01 00:00:00.0004+00') >= public.uuidv7_lower_bound('2025-01-01 00:00:00.0009+00') AS after;
SELECT public.uuidv7_at('10889-08-02 05:31:50.655+00') <= public.uuidv7_upper_bound('10889-08-02 05:31:50.655+00') AS last_contained;
SELECT public.uuidv7_lower_bound('10889-08-02 05:31:50.655+00'::timestamptz + interval '1 ms');
\echo :LAST_ERROR_SQLSTATE

-- B12: a range of bytes holds other versions too; their time is NULL
SELECT id, public.uuidv7_timestamp(id)
FROM (VALUES ('0194244f-d800-4000-8000-000000000001'::uuid), ('0194244f-d800-7000-8000-000000000001'), ('00000000-0001-4000-8000-000000000000')) v (id)
WHERE id >= public.uuid_prefix_bound('2025-01-02 00:00+00') AND id < public.uuid_prefix_bound('2025-01-03 00:00+00')
ORDER BY id;

-- trap I-29: a literal without offset is a time of the session's zone, one with
-- offset is the same everywhere
SELECT public.uuidv7_lower_bound('2025-01-01') AS local, public.uuidv7_lower_bound('2025-01-01 00:00+00') AS fixed;
SET TimeZone = 'Asia/Tokyo';
SELECT public.uuidv7_lower_bound('2025-01-01') AS local, public.uuidv7_lower_bound('2025-01-01 00:00+00') AS fixed;
SET TimeZone = 'UTC';

-- trap I-33: timestamptz is the only form; a date and a time without zone are
-- cast to it, and a string is not ambiguous
SELECT public.uuidv7_lower_bound(date '2025-01-01') = public.uuidv7_lower_bound('2025-01-01') AS date,
       public.uuidv7_lower_bound(timestamp '2025-01-01') = public.uuidv7_lower_bound('2025-01-01') AS timestamp;
SELECT proname, count(*) AS forms
FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname ~ '^(uuidv7|uuid_prefix|snowflake)_.*bound$'
GROUP BY proname ORDER BY proname;

-- trap I-30: bounds draw nothing at random and leave the generators as they
-- are: the next id of a microsecond follows the last one by a small step, and no
-- snowflake id is taken
SELECT public.snowflake_id() AS last_id \gset
SELECT ids_issued AS issued FROM public.snowflake_status() \gset
SELECT public.uuidv7_at('2025-01-01 00:00+00') AS before \gset
SELECT count(DISTINCT (public.uuidv7_lower_bound(ts), public.uuidv7_upper_bound(ts), public.uuid_prefix_bound(ts),
                       public.snowflake_lower_bound(ts), public.snowflake_upper_bound(ts))) AS answers
FROM (SELECT timestamptz '2026-01-01 00:00+00' AS ts FROM generate_series(1, 20000) OFFSET 0) t;
SELECT left(after::text, 19) = left(:'before', 19) AND after > :'before' AS same_microsecond,
       ('x' || right(replace(after::text, '-', ''), 15))::bit(60)::bigint
       - ('x' || right(replace(:'before', '-', ''), 15))::bit(60)::bigint <= 268435456 AS small_step
FROM (SELECT public.uuidv7_at('2025-01-01 00:00+00') AS after) a;
SELECT last_id = :last_id AS same_last_id, ids_issued = :issued AS none_issued FROM public.snowflake_status();

--
-- What the planner makes of them
--
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

CREATE TABLE event (id uuid PRIMARY KEY, number bigint UNIQUE);
INSERT INTO event
SELECT public.uuidv7_at(ts), public.snowflake_lower_bound(ts)
FROM (SELECT timestamptz '2025-01-01 00:00+00' + i * interval '1 minute' AS ts FROM generate_series(1, 20000) i) t;
ANALYZE event;

-- trap I-31: folded to constants when planned, and so a condition of the
-- primary key
SELECT pg_temp.plan($$SELECT * FROM event WHERE id >= public.uuidv7_lower_bound('2025-01-02 00:00+00') AND id < public.uuidv7_lower_bound('2025-01-02 01:00+00')$$)
       ~ 'Index.*event_pkey.*Index Cond: \(\(id >= ''0194244f[-0-9a-f]*''::uuid\) AND \(id < ''[-0-9a-f]*''::uuid\)\)' AS uuid_constant,
       pg_temp.plan($$SELECT * FROM event WHERE number >= public.snowflake_lower_bound('2025-01-02 00:00+00') AND number < public.snowflake_lower_bound('2025-01-02 01:00+00')$$)
       ~ 'Index.*event_number_key.*Index Cond: \(\(number >= ''[0-9]*''::bigint\) AND \(number < ''[0-9]*''::bigint\)\)' AS number_constant;
SELECT count(*) FROM event
WHERE id >= public.uuidv7_lower_bound('2025-01-02 00:00+00') AND id < public.uuidv7_lower_bound('2025-01-02 01:00+00');
SELECT count(*) FROM event
WHERE number >= public.snowflake_lower_bound('2025-01-02 00:00+00') AND number < public.snowflake_lower_bound('2025-01-02 01:00+00');
-- Still a condition of the index where the time is known only at run time
SELECT pg_temp.plan('SELECT * FROM event WHERE id >= public.uuidv7_lower_bound(now() - interval ''1 day'')')
       ~ 'Index.*event_pkey.*Index Cond: \(id >= .*uuidv7_lower_bound' AS run_time;
-- trap I-32: a function on the column is a filter over every row (B15)
SELECT pg_temp.plan('SELECT * FROM event WHERE public.uuidv7_timestamp(id) >= ''2025-01-02 00:00+00''')
       ~ 'Seq Scan on event.*Filter: ' AS scans_all;
DROP TABLE event;

-- trap I-31: partitions are pruned when planned; bounds are made by the same
-- function (trap I-27), right in the statement that makes the partition
CREATE TABLE log (id uuid PRIMARY KEY DEFAULT public.uuidv7(), n int) PARTITION BY RANGE (id);
CREATE TABLE log_1 PARTITION OF log
FOR VALUES FROM (public.uuidv7_lower_bound('2025-01-01 00:00+00')) TO (public.uuidv7_lower_bound('2025-02-01 00:00+00'));
CREATE TABLE log_2 PARTITION OF log
FOR VALUES FROM (public.uuidv7_lower_bound('2025-02-01 00:00+00')) TO (public.uuidv7_lower_bound('2025-03-01 00:00+00'));
CREATE TABLE log_3 PARTITION OF log
FOR VALUES FROM (public.uuidv7_lower_bound('2025-03-01 00:00+00')) TO (MAXVALUE);
SELECT c.relname, pg_get_expr(c.relpartbound, c.oid)
FROM pg_class c WHERE c.relname ~ '^log_[0-9]$' ORDER BY c.relname;
INSERT INTO log
SELECT public.uuidv7_at(ts), 0
FROM unnest(ARRAY['2025-01-01 00:00+00', '2025-01-31 23:59:59.999999+00', '2025-02-01 00:00+00', '2025-02-28 23:59:59.999999+00',
                  '2025-03-01 00:00+00']::timestamptz[]) AS ts;
INSERT INTO log DEFAULT VALUES;
SELECT tableoid::regclass AS partition, count(*) FROM log GROUP BY 1 ORDER BY 1;
SET enable_seqscan = off;
SELECT plan ~ 'Scan.*log_2.*Index Cond: \(\(id >= ''0194bece-a000-7000' AND plan !~ 'log_[13]|Subplans Removed' AS pruned_when_planned
FROM pg_temp.plan($$SELECT * FROM log WHERE id >= public.uuidv7_lower_bound('2025-02-01 00:00+00') AND id < public.uuidv7_lower_bound('2025-02-11 00:00+00')$$) AS plan;
SELECT pg_temp.plan($$SELECT * FROM log WHERE id >= public.uuidv7_lower_bound(now())$$) ~ 'Subplans Removed: 2' AS pruned_at_start;
RESET enable_seqscan;
DROP TABLE log;

CREATE TABLE log (number bigint DEFAULT public.snowflake_id(), n int) PARTITION BY RANGE (number);
CREATE TABLE log_1 PARTITION OF log
FOR VALUES FROM (MINVALUE) TO (public.snowflake_lower_bound('2025-02-01 00:00+00'));
CREATE TABLE log_2 PARTITION OF log
FOR VALUES FROM (public.snowflake_lower_bound('2025-02-01 00:00+00')) TO (MAXVALUE);
INSERT INTO log DEFAULT VALUES;
SELECT tableoid::regclass AS partition, count(*) FROM log GROUP BY 1 ORDER BY 1;
SELECT plan ~ 'Scan on log_1' AND plan !~ 'log_2|Subplans Removed' AS pruned_when_planned
FROM pg_temp.plan($$SELECT * FROM log WHERE number < public.snowflake_lower_bound('2025-02-01 00:00+00')$$) AS plan;
DROP TABLE log;

-- The prefix form partitions a table that holds version 4 as well (trap I-27)
CREATE TABLE log (id uuid) PARTITION BY RANGE (id);
CREATE TABLE log_1 PARTITION OF log
FOR VALUES FROM (MINVALUE) TO (public.uuid_prefix_bound('2026-10-01 00:00+00'));
CREATE TABLE log_2 PARTITION OF log
FOR VALUES FROM (public.uuid_prefix_bound('2026-10-01 00:00+00')) TO (MAXVALUE);
INSERT INTO log VALUES ('01a0f4c2-c3ff-ffff-ffff-ffffffffffff'), ('01a0f4c2-c400-0000-0000-000000000000'), ('01a0f4c2-c400-4000-8000-000000000000');
SELECT tableoid::regclass AS partition, id FROM log ORDER BY id;
DROP TABLE log;
