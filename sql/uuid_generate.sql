--
-- uuidv7(), uuidv7(interval), uuidv7_at() and uuidv4().
--
-- trap I-1 to I-9, I-13, I-14, I-47; C01, C03, C07, C08, C09, C11, C12
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS uuid_keyorder SCHEMA public;
RESET client_min_messages;
SET DateStyle = 'ISO, YMD';

--
-- Shifted clock.  First in the session: after many ids in a row the ascending
-- clock runs ahead of the wall clock.
--
-- trap I-7: shifted as timestamptz + interval in the zone of the session.  The
-- time of an id lies between that of the clock before and after, to the
-- millisecond.  Days and months have other lengths where summer time begins.
CREATE FUNCTION pg_temp.shifted_right(shift interval) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
	earliest timestamptz := clock_timestamp();
	id_time timestamptz := public.uuidv7_timestamp(public.uuidv7(shift));
	latest timestamptz := clock_timestamp();
BEGIN
	RETURN id_time BETWEEN date_trunc('milliseconds', earliest + shift) AND latest + shift;
END $$;
CREATE TEMP TABLE shift AS
SELECT make_interval(days => i) AS shift FROM generate_series(-400, 400) i
UNION ALL
SELECT make_interval(months => i, hours => -i) FROM generate_series(-400, 400) i
UNION ALL
SELECT make_interval(years => i, secs => i / 7.0) FROM generate_series(-50, 300) i;
SET TimeZone = 'America/New_York';
SELECT count(*) FILTER (WHERE NOT pg_temp.shifted_right(shift)) AS wrong,
       bool_or(abs(extract(epoch FROM public.uuidv7_timestamp(public.uuidv7(shift))
                                      - (now() AT TIME ZONE 'UTC' + shift) AT TIME ZONE 'UTC')) > 3000) AS other_than_utc
FROM shift;
SET TimeZone = 'Australia/Lord_Howe';
SELECT count(*) FILTER (WHERE NOT pg_temp.shifted_right(shift)) AS wrong FROM shift;
SET TimeZone = 'UTC';
SELECT count(*) FILTER (WHERE NOT pg_temp.shifted_right(shift)) AS wrong,
       bool_or(abs(extract(epoch FROM public.uuidv7_timestamp(public.uuidv7(shift))
                                      - (now() AT TIME ZONE 'UTC' + shift) AT TIME ZONE 'UTC')) > 3000) AS other_than_utc
FROM shift;

-- trap I-1, I-4: to 1970 and into the year 10888, past 2262 where nanoseconds
-- end; beyond both ends it is an error (C07, C08, C09)
SELECT years AS to_year,
       extract(year FROM public.uuidv7_timestamp(public.uuidv7(make_interval(years => years - extract(year FROM now())::int)))) AS year
FROM unnest(ARRAY[1971, 2200, 2262, 2263, 2327, 5000, 10888]) AS years;
CREATE FUNCTION pg_temp.descents_over_the_years() RETURNS bigint
LANGUAGE sql AS $$
	SELECT count(*) FILTER (WHERE id <= previous)
	FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous
		  FROM (SELECT i, public.uuidv7(make_interval(years => i)) AS id
				FROM generate_series(1971 - extract(year FROM now())::int, 10888 - extract(year FROM now())::int) i
				OFFSET 0) shifted) pair
$$;
SELECT pg_temp.descents_over_the_years();
SELECT public.uuidv7(make_interval(years => 1969 - extract(year FROM now())::int));
\echo :LAST_ERROR_SQLSTATE
SELECT public.uuidv7(make_interval(years => 10890 - extract(year FROM now())::int));
\echo :LAST_ERROR_SQLSTATE
SELECT public.uuidv7('-100000 years');
\echo :LAST_ERROR_SQLSTATE

-- trap I-6: intervals are infinite from 17 on only
CREATE FUNCTION pg_temp.complaint(call text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	EXECUTE 'SELECT ' || call;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws('; ', SQLSTATE, SQLERRM, NULLIF(detail, ''));
END $$;
SELECT sign,
       pg_temp.complaint(format('public.uuidv7(%L)', sign || 'infinity')) =
       CASE WHEN current_setting('server_version_num')::int < 170000
            THEN format('22007; invalid input syntax for type interval: "%sinfinity"', sign)
            ELSE '22008; interval out of range for UUID version 7; UUID version 7 does not support infinite intervals.'
       END AS as_expected
FROM unnest(ARRAY['', '-']) AS sign;

-- trap I-13: a literal is taken as an interval, without a cast; trap I-8: and
-- by the argument's name; NULL gives NULL
SELECT public.uuid_extract_version(public.uuidv7('1 day')) AS literal,
       public.uuid_extract_version(public.uuidv7(shift => '1 day')) AS named,
       public.uuidv7(NULL) AS null_shift,
       public.uuidv7_at(NULL) AS null_time;

-- trap I-14: this name is right on every version, also unqualified
SELECT uuidv7_timestamp(public.uuidv7()) BETWEEN now() - interval '1 minute' AND now() + interval '1 minute' AS now;

--
-- Order
--
-- In one statement (C01, C03).  trap I-3, I-5: the least step of the clock is
-- wide enough for a fraction of its own, so time alone ascends.
CREATE TEMP TABLE id AS SELECT i, public.uuidv7() AS id FROM generate_series(1, 100000) i;
SELECT count(*) AS ids,
       count(*) FILTER (WHERE id <= previous) AS descents,
       count(*) FILTER (WHERE left(id::text, 18) COLLATE "C" <= left(previous::text, 18)) AS descents_of_time
FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous FROM id) pair;
-- The same count over ids of a maker that puts them out of order: it sees them (C02)
SELECT count(*) FILTER (WHERE id <= previous) AS descents
FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous
      FROM (SELECT i, ('019303ac-7a6a-' || rand_a || '-8000-000000000000')::uuid AS id
            FROM unnest('{7783,702f,748f,7896,7288,7f4c,7174,716a,7c5b}'::text[]) WITH ORDINALITY AS nine (rand_a, i)) made) pair;
-- Version and variant; each of the 62 random bits is about as often one as zero
SELECT count(*) FILTER (WHERE public.uuid_extract_version(id) IS DISTINCT FROM 7) AS not_version_7,
       bool_and(public.uuidv7_timestamp(id) BETWEEN now() - interval '1 minute' AND now() + interval '1 minute') AS now
FROM id;
SELECT count(*) AS bits, bool_and(ones BETWEEN 4500 AND 5500) AS even
FROM (SELECT b, sum(get_bit(uuid_send(id), b)) AS ones
      FROM id, generate_series(64, 127) AS b
      WHERE i <= 10000 AND b NOT IN (64, 65)
      GROUP BY b) bit;

-- One call at a time, and with other ids between.  trap I-2: both forms share
-- one clock, also when a call fails.
DO $$
DECLARE
	previous uuid := public.uuidv7();
	next uuid;
	descents int := 0;
BEGIN
	FOR i IN 1..100000 LOOP
		next := CASE i % 4 WHEN 0 THEN public.uuidv7(interval '0') ELSE public.uuidv7() END;
		descents := descents + (next <= previous)::int;
		previous := next;
		IF i % 5000 = 0 THEN
			BEGIN
				PERFORM public.uuidv7('-1000 years'), public.uuidv4();
				RAISE 'no error';
			EXCEPTION WHEN datetime_field_overflow THEN
				NULL;
			END;
		END IF;
	END LOOP;
	RAISE INFO '% descents', descents;
END $$;

-- trap I-7, C11: volatile, so that each row has an id of its own
SELECT count(DISTINCT v7) AS v7, count(DISTINCT v7_shifted) AS v7_shifted,
       count(DISTINCT v7_at) AS v7_at, count(DISTINCT v4) AS v4
FROM (SELECT public.uuidv7() AS v7, public.uuidv7('1 hour') AS v7_shifted,
             public.uuidv7_at('2025-01-01 00:00+00') AS v7_at, public.uuidv4() AS v4
      FROM generate_series(1, 1000)) ids;

--
-- uuidv4: version, variant, and the other bits about half ones
--
CREATE TEMP TABLE random_id AS SELECT public.uuidv4() AS id FROM generate_series(1, 10000);
SELECT count(DISTINCT id) AS ids,
       count(*) FILTER (WHERE public.uuid_extract_version(id) IS DISTINCT FROM 4) AS not_version_4
FROM random_id;
SELECT array_agg(b ORDER BY b) AS constant_bits
FROM (SELECT b, sum(get_bit(uuid_send(id), b)) AS ones
      FROM random_id, generate_series(0, 127) AS b GROUP BY b) bit
WHERE ones NOT BETWEEN 4500 AND 5500;

-- trap I-9: another process draws other random bits
CREATE TABLE seen AS SELECT right(id::text, 17) AS random FROM random_id UNION SELECT right(id::text, 17) FROM id;
\c -
INSERT INTO seen SELECT right(public.uuidv4()::text, 17) FROM generate_series(1, 2000);
SELECT count(*) - count(DISTINCT random) AS repeated FROM seen;
DROP TABLE seen;

-- trap I-47: in parallel workers ids are distinct still
SET DateStyle = 'ISO, YMD';
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE TABLE source AS SELECT i FROM generate_series(1, 20000) i;
ANALYZE source;
CREATE FUNCTION pg_temp.plan(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lines text[];
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		lines := lines || line;
	END LOOP;
	RETURN array_to_string(lines, E'\n');
END $$;
SELECT pg_temp.plan('SELECT public.uuidv7() AS id FROM source')
       ~ 'Gather.*Parallel Seq Scan.*Output: (public\.)?uuidv7\(\)' AS made_by_workers;
CREATE TABLE made AS SELECT public.uuidv7() AS id FROM source;
SELECT count(DISTINCT id) AS ids FROM made;
DROP TABLE made;
DROP TABLE source;

--
-- uuidv7_at
--
-- Ascending while times do not descend: equal ones, each microsecond, repeated
CREATE FUNCTION pg_temp.descents_at(times timestamptz[]) RETURNS bigint
LANGUAGE sql AS $$
	SELECT count(*) FILTER (WHERE id <= previous)
	FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous
		  FROM (SELECT i, public.uuidv7_at(ts) AS id
				FROM unnest(times) WITH ORDINALITY AS t (ts, i) OFFSET 0) made) pair
$$;
SELECT pg_temp.descents_at(array_agg(timestamptz '2025-01-01 00:00+00')) AS equal FROM generate_series(1, 100000);
SELECT pg_temp.descents_at(array_agg(timestamptz '1970-01-01 00:00+00' + i * interval '1 us' ORDER BY i)) AS each_microsecond
FROM generate_series(0, 20000) i;
SELECT pg_temp.descents_at(array_agg(timestamptz '2025-10-31 19:34:54.176665+00' + i / 7 * interval '1 us' ORDER BY i)) AS seven_each
FROM generate_series(1, 21000) i;
-- Time stays what was given, also for the hundred-thousandth of a microsecond
SELECT count(DISTINCT id) AS ids, count(DISTINCT public.uuidv7_timestamp_us(id)) AS times,
       min(public.uuidv7_timestamp_us(id)) AT TIME ZONE 'UTC' AS time
FROM (SELECT public.uuidv7_at('2262-04-11 23:47:16.854776+00') AS id FROM generate_series(1, 100000)) made;
-- A lower time is taken as it is
SELECT public.uuidv7_timestamp_us(public.uuidv7_at('2024-02-29 12:00:00.000001+00')) AT TIME ZONE 'UTC' AS lower;

-- trap I-3, I-4: each microsecond of a millisecond comes out again, in the
-- first, in one near now and in the last but one; the fraction is a floor
SELECT base AT TIME ZONE 'UTC' AS base,
       count(*) FILTER (WHERE public.uuidv7_timestamp_us(id) <> ts) AS wrong_time,
       count(*) FILTER (WHERE public.uuidv7_timestamp(id) <> base) AS wrong_millisecond,
       count(*) FILTER (WHERE ('x' || substr(id::text, 16, 3))::bit(12)::int <> us * 4096 / 1000) AS wrong_fraction,
       count(*) FILTER (WHERE public.uuid_extract_version(id) IS DISTINCT FROM 7) AS not_version_7
FROM (SELECT base, us, ts, public.uuidv7_at(ts) AS id
      FROM unnest(ARRAY['1970-01-01 00:00+00', '2025-10-31 19:34:54.176+00', '10889-08-02 05:31:50.654+00']::timestamptz[]) AS base,
           generate_series(0, 999) AS us, LATERAL (SELECT base + us * interval '1 us' AS ts) t) made
GROUP BY base ORDER BY base;
-- And random times over the whole range
SELECT count(*) FILTER (WHERE public.uuidv7_timestamp_us(public.uuidv7_at(ts)) <> ts) AS wrong_time
FROM (SELECT timestamptz '1970-01-01 00:00+00' + floor(random() * 281474976710655) * interval '1 ms'
             + floor(random() * 1000) * interval '1 us' AS ts
      FROM generate_series(1, 20000) OFFSET 0) t;

--
-- As a default, for each row of one INSERT and over a rollback
--
CREATE TABLE row_with_id (id uuid PRIMARY KEY DEFAULT public.uuidv7(), number serial);
INSERT INTO row_with_id (number) SELECT i FROM generate_series(1, 1000) i;
BEGIN;
INSERT INTO row_with_id (number) VALUES (1001);
ROLLBACK;
INSERT INTO row_with_id (number) VALUES (1002);
SELECT count(*), bool_and(number > previous OR previous IS NULL) AS in_order
FROM (SELECT number, lag(number) OVER (ORDER BY id) AS previous FROM row_with_id) r;
DROP TABLE row_with_id;
