--
-- Version and time out of a uuid.
--
-- trap I-14, I-17 to I-20; B12, D01 to D10, I07
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS uuid_keyorder SCHEMA public;
RESET client_min_messages;
SET DateStyle = 'ISO, YMD';
SET TimeZone = 'UTC';

-- A uuid of these first 64 bits, version and variant (its four high bits)
CREATE FUNCTION pg_temp.uuid_of(high bit(64), version int, variant int) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$
	SELECT (lpad(to_hex(overlay(high PLACING version::bit(4) FROM 49 FOR 4)::bigint), 16, '0') ||
			to_hex(variant) || 'fedcba987654321')::uuid
$$;

-- trap I-17, I-20: every version under every variant.  Only RFC 9562's variant
-- (8 to b) has a version, only 1, 6 and 7 have a time.
SELECT variant, array_agg(public.uuid_extract_version(id) ORDER BY version) AS versions,
       array_agg(version ORDER BY version) FILTER (WHERE public.uuid_extract_timestamp(id) IS NOT NULL) AS with_time,
       array_agg(version ORDER BY version) FILTER (WHERE public.uuidv7_timestamp(id) IS NOT NULL) AS v7_time,
       array_agg(version ORDER BY version) FILTER (WHERE public.uuidv7_timestamp_us(id) IS NOT NULL) AS v7_time_us
FROM (SELECT version, variant, pg_temp.uuid_of(x'0196033F44001ABC', version, variant) AS id
      FROM generate_series(0, 15) AS version, generate_series(0, 15) AS variant) ids
GROUP BY variant ORDER BY variant;
-- The four of one variant give one time; another variant gives none, whatever
-- its version
SELECT version, count(DISTINCT time) AS times, min(time) AS time
FROM (SELECT version, public.uuid_extract_timestamp(pg_temp.uuid_of(x'0196033F44001ABC', version, variant)) AS time
      FROM unnest(ARRAY[1, 6, 7]) AS version, generate_series(0, 15) AS variant) ids
GROUP BY version ORDER BY version;
SELECT count(*) AS times_of_version_4
FROM (SELECT public.uuidv4() AS id FROM generate_series(1, 10000)) ids
WHERE COALESCE(public.uuid_extract_timestamp(id), public.uuidv7_timestamp(id), public.uuidv7_timestamp_us(id)) IS NOT NULL;

-- trap I-14: unqualified, the name that core does not have
SELECT uuidv7_timestamp('019535d9-3df7-79fb-b466-fa907fa17f9e');

-- Versions 1 and 6 of the same ticks of 100 ns have the same time, exact to the
-- microsecond, floored
CREATE TEMP TABLE tick AS
SELECT ticks, (ticks::bit(64) << 4)::bit(60)::text AS bits
FROM (VALUES (0::bigint), (9), (10), (122192927999999999), (122192928000000000), (1152921504606846975)) v (ticks)
UNION ALL
SELECT ticks, (ticks::bit(64) << 4)::bit(60)::text
FROM (SELECT floor(random() * 1152921504606846975)::bigint AS ticks FROM generate_series(1, 2000)) r;
SELECT count(*) FILTER (WHERE v1 IS DISTINCT FROM time) AS wrong_v1,
       count(*) FILTER (WHERE v6 IS DISTINCT FROM time) AS wrong_v6
FROM (SELECT timestamptz '1582-10-15 00:00+00' + ticks / 10000000000 * interval '1000 s'
             + (ticks % 10000000000) / 10 * interval '1 us' AS time,
             public.uuid_extract_timestamp(pg_temp.uuid_of(
                 (substr(bits, 29, 32) || substr(bits, 13, 16) || '0000' || substr(bits, 1, 12))::bit(64), 1, 8)) AS v1,
             public.uuid_extract_timestamp(pg_temp.uuid_of(
                 (substr(bits, 1, 48) || '0000' || substr(bits, 49, 12))::bit(64), 6, 8)) AS v6
      FROM tick) t;

-- Version 7: the first 48 bits are milliseconds, over the whole field
SELECT count(*) FILTER (WHERE public.uuidv7_timestamp(id) IS DISTINCT FROM time) AS wrong,
       count(*) FILTER (WHERE public.uuid_extract_timestamp(id) IS DISTINCT FROM time) AS wrong_generic,
       count(*) FILTER (WHERE date_trunc('milliseconds', public.uuidv7_timestamp_us(id)) IS DISTINCT FROM time) AS wrong_us
FROM (SELECT pg_temp.uuid_of((ms << 16)::bit(64) | floor(random() * 4096)::bigint::bit(64), 7, 8 + (ms % 4)::int) AS id,
             timestamptz 'epoch' + ms / 1000000 * interval '1000 s' + ms % 1000000 * interval '1 ms' AS time
      FROM (SELECT floor(random() * 281474976710656)::bigint AS ms FROM generate_series(1, 5000)
            UNION ALL VALUES (0), (281474976710655)) m) ids;

-- trap I-19: the microsecond of each fraction is the greatest whose floor it is
SELECT count(*) AS fractions, count(DISTINCT us) AS microseconds,
       count(*) FILTER (WHERE us IS DISTINCT FROM ((fraction + 1) * 1000 - 1) / 4096) AS wrong,
       count(*) FILTER (WHERE us * 4096 / 1000 > fraction OR (us + 1) * 4096 / 1000 <= fraction) AS not_greatest
FROM (SELECT fraction, (extract(epoch FROM public.uuidv7_timestamp_us(
                            pg_temp.uuid_of(fraction::bigint::bit(64), 7, 8))) * 1000000)::int AS us
      FROM generate_series(0, 4095) AS fraction) f;
-- and is not to be believed where those bits are random, as in RFC 9562 A.6
SELECT public.uuidv7_timestamp_us('017F22E2-79B0-7CC3-98C4-DC0C0C07398F');

-- trap I-18: an instant, the same under each TimeZone, so it serves in a
-- generated column, an index expression, a constraint and a partition key (I07)
CREATE TABLE item (
	id uuid PRIMARY KEY DEFAULT public.uuidv7(),
	made timestamptz GENERATED ALWAYS AS (public.uuidv7_timestamp(id)) STORED,
	made_us timestamptz GENERATED ALWAYS AS (public.uuidv7_timestamp_us(id)) STORED,
	made_any timestamptz GENERATED ALWAYS AS (public.uuid_extract_timestamp(id)) STORED,
	version smallint GENERATED ALWAYS AS (public.uuid_extract_version(id)) STORED,
	CHECK (public.uuid_extract_version(id) IN (4, 7)));
CREATE INDEX item_made ON item (public.uuidv7_timestamp(id));
INSERT INTO item SELECT public.uuidv7_at('2026-03-29 00:00+00'::timestamptz + i * interval '1 minute') FROM generate_series(1, 300) i;
INSERT INTO item VALUES (public.uuidv4());
SET TimeZone = 'Europe/Berlin';
INSERT INTO item SELECT public.uuidv7_at('2026-03-29 06:00+00'::timestamptz + i * interval '1 minute') FROM generate_series(1, 300) i;
SELECT count(*) FILTER (WHERE made IS DISTINCT FROM public.uuidv7_timestamp(id)) AS wrong,
       count(*) FILTER (WHERE made_us IS DISTINCT FROM made OR made_any IS DISTINCT FROM made) AS different,
       count(*) FILTER (WHERE made IS NULL) AS without_time
FROM item;
SET TimeZone = 'UTC';
SELECT version, count(*), min(made), max(made) FROM item GROUP BY version ORDER BY version;
INSERT INTO item VALUES ('017F22E2-79B0-6CC3-98C4-DC0C0C07398F');
\echo :LAST_ERROR_SQLSTATE
SET enable_seqscan = off;
EXPLAIN (COSTS OFF)
SELECT * FROM item WHERE public.uuidv7_timestamp(id) < '2026-03-29 00:10+00';
SELECT count(*) FROM item WHERE public.uuidv7_timestamp(id) < '2026-03-29 00:10+00';
RESET enable_seqscan;
CREATE TABLE by_time (id uuid) PARTITION BY RANGE (public.uuidv7_timestamp(id));
CREATE TABLE by_time_2025 PARTITION OF by_time FOR VALUES FROM ('2025-01-01 00:00+00') TO ('2026-01-01 00:00+00');
INSERT INTO by_time VALUES (public.uuidv7_at('2025-12-31 23:59:59.999999+00'));
INSERT INTO by_time VALUES (public.uuidv7_at('2026-01-01 00:00:00+00'));
\echo :LAST_ERROR_SQLSTATE
DROP TABLE item, by_time;

-- trap I-17: leakproof, so that a filter of this kind goes below a security
-- barrier
CREATE TABLE secret (id uuid, owner name);
CREATE VIEW own_secret WITH (security_barrier) AS SELECT * FROM secret WHERE owner = current_user;
EXPLAIN (COSTS OFF)
SELECT * FROM own_secret WHERE public.uuidv7_timestamp(id) < '2026-01-01 00:00+00';
DROP TABLE secret CASCADE;
