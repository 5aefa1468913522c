/*
 * calls.sql: what one call of each function costs, net of the loop around it.
 *
 * psql variable: rounds.
 *
 * A call is measured in a statement over a table.  The loop is the same
 * statement with the call's argument in place of the call, run just before.  The
 * difference of the two is the net cost.  Every round measures everything once,
 * so that a drift of the machine meets all alike.
 *
 * Generators and their peers are called once a row, as a column default is:
 * SELECT count(call), 5000 rows.  Extractors and bounds cost less than the loop
 * itself, so they are called ten times a row: SELECT count(num_nulls(call, call,
 * ...)), 2000 rows.  Measurements are short and many: few of them are interrupted
 * on a busy machine, and the median does not see those.
 */
\set ON_ERROR_STOP on
SET client_min_messages = warning;
SET jit = off;
SET max_parallel_workers_per_gather = 0;

CREATE EXTENSION uuid_keyorder SCHEMA public;

CREATE TABLE loop (
	i int NOT NULL,
	snowflake bigint NOT NULL,
	ts timestamptz NOT NULL,
	v7 uuid NOT NULL,
	v1 uuid NOT NULL);
INSERT INTO loop
SELECT i, public.snowflake_lower_bound(ts), ts, public.uuidv7_at(ts),
	   overlay(public.uuidv7_at(ts)::text PLACING '1' FROM 15)::uuid
  FROM generate_series(1, 5000) i,
	   LATERAL (SELECT timestamptz '2026-01-01 00:00+00' + i * interval '12.3456 s') AS t (ts);

CREATE TABLE short_loop AS
SELECT *, v7::text AS uuid_text FROM loop WHERE i <= 2000;

CREATE SEQUENCE peer_sequence;

-- A call, its kind, and the argument that its loop counts.
CREATE TABLE subject (
	subject_id int GENERATED ALWAYS AS IDENTITY,
	kind text NOT NULL,
	call text PRIMARY KEY,
	argument text NOT NULL);

INSERT INTO subject (kind, call, argument) VALUES
	('peer', 'clock_timestamp()', 'i'),
	('peer', 'nextval(''peer_sequence'')', 'i'),
	('peer', 'gen_random_uuid()', 'i'),
	('peer', 'pg_catalog.uuidv7()', 'i'),
	('peer', 'pg_catalog.uuidv7(''1 day'')', 'i'),
	('generator', 'public.uuidv7()', 'i'),
	('generator', 'public.uuidv7(''1 day'')', 'i'),
	('generator', 'public.uuidv7_at(ts)', 'ts'),
	('generator', 'public.uuidv8_append()', 'i'),
	('generator', 'public.uuidv4()', 'i'),
	('generator', 'public.snowflake_id()', 'i'),
	('core extractor', 'pg_catalog.uuid_extract_version(v7)', 'v7'),
	('core extractor', 'pg_catalog.uuid_extract_timestamp(v1)', 'v1'),
	('extractor', 'public.uuid_extract_version(v7)', 'v7'),
	('extractor', 'public.uuid_extract_timestamp(v1)', 'v1'),
	('extractor', 'public.uuid_extract_timestamp(v7)', 'v7'),
	('extractor', 'public.uuidv7_timestamp(v7)', 'v7'),
	('extractor', 'public.uuidv7_timestamp_us(v7)', 'v7'),
	('extractor', 'public.snowflake_timestamp(snowflake)', 'snowflake'),
	('extractor', 'public.snowflake_timestamp(snowflake, ''mastodon'')', 'snowflake'),
	('extractor', 'public.snowflake_node(snowflake)', 'snowflake'),
	('extractor', 'public.snowflake_counter(snowflake)', 'snowflake'),
	('bound', 'public.uuidv7_lower_bound(ts)', 'ts'),
	('bound', 'public.uuidv7_upper_bound(ts)', 'ts'),
	('bound', 'public.uuid_prefix_bound(ts)', 'ts'),
	('bound', 'public.snowflake_lower_bound(ts)', 'ts'),
	('bound', 'public.snowflake_upper_bound(ts)', 'ts'),
	('decoder of text', 'public.uuid_prefix_timestamp(uuid_text)', 'uuid_text');

-- Older servers lack some of core's functions.
DELETE FROM subject
 WHERE (call LIKE 'pg\_catalog.uuidv7%' AND to_regproc('pg_catalog.uuidv4') IS NULL)
	OR (call LIKE 'pg\_catalog.uuid\_extract%' AND to_regproc('pg_catalog.uuid_extract_version') IS NULL);

CREATE TABLE measurement (
	round int,
	clients int,
	kind text,
	call text,
	calls bigint,			-- of all clients together
	loop_ms float8,
	call_ms float8);

CREATE VIEW net_cost AS
SELECT *, (call_ms - loop_ms) * 1e6 / calls * clients AS net_ns FROM measurement;

-- The statement that evaluates the expression, and how many times it does.
CREATE FUNCTION statement(expression text, kind text) RETURNS text
LANGUAGE sql AS $$
	SELECT CASE WHEN kind IN ('generator', 'peer')
				THEN format('SELECT count(%s) FROM loop', expression)
				ELSE format('SELECT count(num_nulls(%s)) FROM short_loop',
							array_to_string(array_fill(expression, ARRAY[10]), ', '))
		   END
$$;

CREATE FUNCTION calls(kind text) RETURNS bigint
LANGUAGE sql AS $$
	SELECT CASE WHEN kind IN ('generator', 'peer') THEN 5000 ELSE 20000 END
$$;

CREATE FUNCTION elapsed_ms(query text) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
	started timestamptz := clock_timestamp();
BEGIN
	EXECUTE query;
	RETURN extract(epoch FROM clock_timestamp() - started) * 1000;
END $$;

CREATE PROCEDURE measure_round(round_number int)
LANGUAGE plpgsql AS $$
DECLARE
	s subject;
	loop_ms float8;
BEGIN
	FOR s IN SELECT * FROM subject ORDER BY subject_id LOOP
		-- Once unmeasured: what ran before has left the caches cold.
		PERFORM elapsed_ms(statement(s.argument, s.kind));
		loop_ms := elapsed_ms(statement(s.argument, s.kind));
		INSERT INTO measurement VALUES
			(round_number, 1, s.kind, s.call, calls(s.kind), loop_ms,
			 elapsed_ms(statement(s.call, s.kind)));
	END LOOP;
END $$;

VACUUM (FREEZE, ANALYZE) loop;
VACUUM (FREEZE, ANALYZE) short_loop;

-- Round 0 warms up and is not kept.
SELECT format('CALL measure_round(%s)', round)
  FROM generate_series(0, :rounds) AS round
\gexec
DELETE FROM measurement WHERE round = 0;
