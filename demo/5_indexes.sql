-- Random keys leave the pages of the index partly empty, and out of order.  A
-- column switched from version 4 to 7 keeps half-full leaves for ever.
\echo
\echo '5. Size and fill of the three primary keys'
\echo

SELECT index, pg_size_pretty(index_bytes) AS size,
       round(avg_leaf_density::numeric, 1) AS "fill %",
       round(leaf_fragmentation::numeric, 1) AS "disorder %",
       pg_size_pretty(rebuilt_bytes) AS "after REINDEX"
FROM unnest('{orders_v4_pkey,orders_v7_pkey,orders_snowflake_pkey}'::regclass[]) AS index,
     index_leaf_density(index);

\echo 'And of version 4 keys to which version 7 and append keys are added:'
CREATE TABLE switched (id uuid PRIMARY KEY);
INSERT INTO switched SELECT public.uuidv4() FROM generate_series(1, 50000);
INSERT INTO switched SELECT public.uuidv7() FROM generate_series(1, 50000);
INSERT INTO switched SELECT uuidv8_append() FROM generate_series(1, 50000);
SELECT key_kind, leaf_pages, items, round(avg_leaf_density::numeric, 1) AS "fill %",
       round(leaf_fragmentation::numeric, 1) AS "disorder %"
FROM index_leaf_density_by_version('switched_pkey');
\echo 'Leaves of that index by how full they are:'
SELECT density_from || ' to ' || density_to AS "fill %", leaf_pages, bar
FROM index_leaf_histogram('switched_pkey', 4);
