-- An id tells when it was made; other makers' snowflake ids do too.
\echo
\echo '4. Time read out of ids'
\echo

SELECT uuidv7_timestamp_us(id) AS time_in_id, created_at
FROM orders_v7 ORDER BY id DESC LIMIT 3;

SELECT id, snowflake_timestamp(id) AS time_in_id,
       snowflake_node(id) AS node, snowflake_counter(id) AS counter
FROM orders_snowflake ORDER BY id DESC LIMIT 3;

-- A message of Discord.
SELECT snowflake_timestamp(800356270543470622, 'discord');
