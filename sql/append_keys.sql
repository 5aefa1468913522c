-- Append keys: a version 8 layout that sorts above version 4 keys.
CREATE SCHEMA append;
CREATE EXTENSION uuid_keyorder SCHEMA append;

-- form: 26 one bits, version 8, variant 10; the time is now, to a second
SELECT k::text LIKE 'ffffff%' AS ones,
       append.uuid_extract_version(k) = 8 AS version,
       substr(k::text, 20, 1) IN ('8', '9', 'a', 'b') AS variant,
       abs(extract(epoch FROM append.uuidv8_append_timestamp(k) - clock_timestamp())) < 1 AS now
FROM append.uuidv8_append() k;

-- strictly ascending within a backend, interleaved with uuidv7() whose clock it shares
SELECT count(*) AS keys, count(DISTINCT k) AS distinct_keys, bool_and(k > previous) AS ascending
FROM (SELECT k, lag(k) OVER (ORDER BY i) AS previous
      FROM (SELECT i, append.uuidv8_append() AS k, append.uuidv7() AS other
            FROM generate_series(1, 100000) i) made) pairs;

-- every microsecond of a stretch, and times all over the range, come back exactly
SELECT count(*) AS wrong
FROM (SELECT timestamptz '2026-01-01 00:00:00+00' + i * interval '1 microsecond' AS ts
      FROM generate_series(0, 3000) i
      UNION ALL
      SELECT timestamptz '2026-01-01 00:00:00.123456+00' + i * interval '3 days 7 hours 1.000001 seconds'
      FROM generate_series(0, 7000) i) times
WHERE append.uuidv8_append_timestamp(append.uuidv8_append_at(ts)) IS DISTINCT FROM ts;

-- keys of equal and of rising times ascend, and hold their time
SELECT bool_and(k > previous) AS ascending, bool_and(append.uuidv8_append_timestamp(k) = ts) AS exact
FROM (SELECT k, ts, lag(k) OVER (ORDER BY i) AS previous
      FROM (SELECT i, ts, append.uuidv8_append_at(ts) AS k
            FROM (SELECT i, timestamptz '2030-05-05 12:00:00+00' + i / 1000 * interval '1 microsecond' AS ts
                  FROM generate_series(1, 50000) i) times) made) pairs;

-- a lower time begins anew, below
SELECT append.uuidv8_append_at('2030-01-01 00:00:00+00') < append.uuidv8_append_at('2031-01-01 00:00:00+00') AS one,
       append.uuidv8_append_at('2029-01-01 00:00:00+00') < append.uuidv8_append_lower_bound('2029-01-01 00:00:00.001+00') AS two;

-- bounds: floor to the millisecond, enclose every key of it
SELECT append.uuidv8_append_lower_bound('2026-01-01 00:00:00+00') AS first,
       append.uuidv8_append_upper_bound('2095-09-07 15:47:35.551+00') AS last,
       append.uuidv8_append_lower_bound('2027-01-01 00:00:00.000999+00')
         = append.uuidv8_append_lower_bound('2027-01-01 00:00:00+00') AS floor;
SELECT bool_and(k BETWEEN append.uuidv8_append_lower_bound(ts) AND append.uuidv8_append_upper_bound(ts)) AS enclosed,
       bool_and(append.uuidv8_append_upper_bound(ts) < append.uuidv8_append_lower_bound(ts + interval '1 millisecond')) AS tiled
FROM (SELECT ts, append.uuidv8_append_at(ts) AS k
      FROM (SELECT timestamptz '2026-01-01 00:00:00.0005+00' + i * interval '61 days 1.0007 seconds' AS ts
            FROM generate_series(0, 400) i) times) made;

-- above all but one in 2^26 of version 4, below Max; Nil and Max behave
SELECT 'ffffffbf-ffff-4fff-bfff-ffffffffffff' < append.uuidv8_append() AS above_v4;
SELECT append.max(k) = 'ffffffff-ffff-ffff-ffff-ffffffffffff' AS max,
       append.min(k) = '00000000-0000-0000-0000-000000000000' AS nil
FROM (SELECT append.uuidv8_append() AS k
      UNION ALL VALUES ('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid), ('00000000-0000-0000-0000-000000000000')) keys;

-- what is no append key has no time: v4 with the ones, v8 without, wrong variant, Max, v7
SELECT k, append.uuidv8_append_timestamp(k) IS NULL AS none
FROM (VALUES ('ffffffc0-d6cb-4749-b061-78df3e52015a'::uuid),
             ('ffffff80-d6cb-8749-b061-78df3e52015a'),
             ('ffffffc0-d6cb-8749-0061-78df3e52015a'),
             ('ffffffff-ffff-ffff-ffff-ffffffffffff'),
             ('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'),
             (NULL)) keys (k);

-- out of range: the message, the range, the SQLSTATE
DO $$
DECLARE
	call text;
	state text;
	message text;
	detail text;
BEGIN
	FOREACH call IN ARRAY ARRAY[
		'uuidv8_append_at(''2025-12-31 23:59:59.999999+00'')',
		'uuidv8_append_at(''2095-09-07 15:47:35.551001+00'')',
		'uuidv8_append_at(''infinity'')',
		'uuidv8_append_lower_bound(''-infinity'')',
		'uuidv8_append_upper_bound(''294276-12-31 00:00:00+00'')']
	LOOP
		BEGIN
			EXECUTE 'SELECT append.' || call;
			RAISE NOTICE '% gave no error', call;
		EXCEPTION WHEN datetime_field_overflow THEN
			GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, state = RETURNED_SQLSTATE;
			RAISE NOTICE USING MESSAGE = format('%s: %s: %s: %s', call, state, message, detail);
		END;
	END LOOP;
END $$;

-- a range of time goes through the primary key, and prunes partitions at plan time
CREATE TABLE append.keys (id uuid PRIMARY KEY DEFAULT append.uuidv8_append()) PARTITION BY RANGE (id);
CREATE TABLE append.keys_old PARTITION OF append.keys
	FOR VALUES FROM (MINVALUE) TO ('ffffffc0-0000-8000-8000-000000000000');
CREATE TABLE append.keys_2026 PARTITION OF append.keys
	FOR VALUES FROM (append.uuidv8_append_lower_bound('2026-01-01 00:00:00+00'))
	TO (append.uuidv8_append_lower_bound('2027-01-01 00:00:00+00'));
CREATE TABLE append.keys_later PARTITION OF append.keys
	FOR VALUES FROM (append.uuidv8_append_lower_bound('2027-01-01 00:00:00+00')) TO (MAXVALUE);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM append.keys
WHERE id >= append.uuidv8_append_lower_bound('2026-03-01 00:00:00+00')
  AND id < append.uuidv8_append_lower_bound('2026-04-01 00:00:00+00');
RESET enable_seqscan;
RESET enable_bitmapscan;

DROP TABLE append.keys;
DROP EXTENSION uuid_keyorder;
DROP SCHEMA append;
