/*
 * calls_summary.sql: the table of the medians, and what has to be reached.
 *
 * psql variable: cores, of the machine.
 */
\pset footer off
\pset border 0

CREATE TEMP TABLE summary AS
SELECT clients, kind, call,
	   percentile_cont(0.5) WITHIN GROUP (ORDER BY net_ns) AS median_ns,
	   percentile_cont(0.25) WITHIN GROUP (ORDER BY net_ns) AS quartile_1_ns,
	   percentile_cont(0.75) WITHIN GROUP (ORDER BY net_ns) AS quartile_3_ns,
	   percentile_cont(0.5) WITHIN GROUP (ORDER BY call_ms) AS call_ms,
	   min(calls) AS calls
  FROM net_cost
 GROUP BY clients, kind, call;

-- Net nanoseconds a call.  The kind "concurrent" is
-- measured by pgbench, with one client and with two, for each of them.
SELECT clients, kind, call,
	   round(median_ns::numeric, 1) AS median_ns,
	   round(quartile_1_ns::numeric, 1) AS quartile_1_ns,
	   round(quartile_3_ns::numeric, 1) AS quartile_3_ns
  FROM summary
 ORDER BY array_position(ARRAY['peer', 'generator', 'core extractor', 'extractor', 'bound', 'decoder of text', 'concurrent'], kind),
		  clients, median_ns;

-- Ratios of medians, and the dearest call of a kind.
WITH of_one AS (
	SELECT call, median_ns FROM summary WHERE kind <> 'concurrent'
), ids_per_s AS (
	SELECT clients, call, calls / call_ms * 1000 AS rate FROM summary WHERE kind = 'concurrent' AND call = 'public.snowflake_id()'
), target (number, demand, limit_value, value) AS (
	SELECT 1, 'uuidv7() / core''s uuidv7(), at most', 0.1,
		   (SELECT median_ns FROM of_one WHERE call = 'public.uuidv7()') /
		   (SELECT median_ns FROM of_one WHERE call = 'pg_catalog.uuidv7()')
	UNION ALL
	SELECT 2, 'uuidv7() / nextval(), at most', 0.25,
		   (SELECT median_ns FROM of_one WHERE call = 'public.uuidv7()') /
		   (SELECT median_ns FROM of_one WHERE call LIKE 'nextval%')
	UNION ALL
	SELECT 7, 'uuidv8_append() / uuidv7(), at most', 1.1,
		   (SELECT median_ns FROM of_one WHERE call = 'public.uuidv8_append()') /
		   (SELECT median_ns FROM of_one WHERE call = 'public.uuidv7()')
	UNION ALL
	SELECT 3, 'snowflake_id() / nextval(), at most', 1 / 6.0,
		   (SELECT median_ns FROM of_one WHERE call = 'public.snowflake_id()') /
		   (SELECT median_ns FROM of_one WHERE call LIKE 'nextval%')
	UNION ALL
	SELECT 4, 'dearest extractor in ns, below', 15,
		   (SELECT max(median_ns) FROM summary WHERE kind = 'extractor')
	UNION ALL
	SELECT 5, 'dearest bound in ns, below', 30,
		   (SELECT max(median_ns) FROM summary WHERE kind = 'bound')
	UNION ALL
	SELECT 6, 'time of two clients that draw as many ids as one, at most', 1,
		   (SELECT rate FROM ids_per_s WHERE clients = 1) /
		   (SELECT rate FROM ids_per_s WHERE clients = 2)
	 WHERE :cores >= 2
)
SELECT demand, round(limit_value, 3) AS "limit", round(value::numeric, 3) AS value,
	   CASE WHEN value IS NULL THEN 'not here'
			WHEN value <= limit_value THEN 'reached'
			ELSE 'missed' END AS verdict
  FROM target
 ORDER BY number;
