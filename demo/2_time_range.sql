-- A range of time is a range of keys: from the lower bound of its start up to,
-- and without, the lower bound of its end.  The bounds are immutable, so the
-- plan has constants in the index condition.
\echo
\echo '2. A range of time, through the primary key'
\echo

-- The middle third of the time in which each table was filled, between whole
-- milliseconds, as bounds are.
\set ECHO none
SELECT date_trunc('milliseconds', min(created_at) + (max(created_at) - min(created_at)) / 3) AS start,
       date_trunc('milliseconds', max(created_at) - (max(created_at) - min(created_at)) / 3) AS end
FROM orders_v7
\gset v7_
SELECT date_trunc('milliseconds', min(created_at) + (max(created_at) - min(created_at)) / 3) AS start,
       date_trunc('milliseconds', max(created_at) - (max(created_at) - min(created_at)) / 3) AS end
FROM orders_snowflake
\gset snowflake_
\set ECHO queries

SELECT count(*), min(created_at), max(created_at)
FROM orders_v7
WHERE id >= uuidv7_lower_bound(:'v7_start')
  AND id <  uuidv7_lower_bound(:'v7_end');

EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
SELECT count(*)
FROM orders_v7
WHERE id >= uuidv7_lower_bound(:'v7_start')
  AND id <  uuidv7_lower_bound(:'v7_end');

EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
SELECT count(*)
FROM orders_snowflake
WHERE id >= snowflake_lower_bound(:'snowflake_start')
  AND id <  snowflake_lower_bound(:'snowflake_end');
