-- Keys in order of time: the newest rows are the last of the primary key.
\echo
\echo '1. The newest rows, by the primary key alone'
\echo

SELECT id, customer, created_at FROM orders_v7 ORDER BY id DESC LIMIT 3;

SELECT id, customer, created_at FROM orders_snowflake ORDER BY id DESC LIMIT 3;

EXPLAIN (COSTS OFF)
SELECT id, customer FROM orders_v7 ORDER BY id DESC LIMIT 3;
