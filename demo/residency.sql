-- What new rows take of shared_buffers, which are small now: 8 MB.  Version 4
-- keys go to every leaf of their index, so the index stays and the table is
-- pushed out.  Version 7 keys need the last leaves only.
\echo
\echo '6. What sits in 8 MB of shared_buffers after 40,000 new rows'
\echo

INSERT INTO orders_v4 (customer) SELECT i % 10000 FROM generate_series(1, 40000) AS i;
SELECT relation, fork_pages AS pages, resident_pages AS resident, round(resident_percent) AS "resident %",
       rpad(repeat('#', round(buffers_percent / 2)::int), 50, '.') AS shared_buffers
FROM relation_residency() WHERE relation IN ('orders_v4'::regclass, 'orders_v4_pkey'::regclass) AND fork = 'main'
ORDER BY relation::text;

INSERT INTO orders_v7 (customer) SELECT i % 10000 FROM generate_series(1, 40000) AS i;
SELECT relation, fork_pages AS pages, resident_pages AS resident, round(resident_percent) AS "resident %",
       rpad(repeat('#', round(buffers_percent / 2)::int), 50, '.') AS shared_buffers
FROM relation_residency() WHERE relation IN ('orders_v7'::regclass, 'orders_v7_pkey'::regclass) AND fork = 'main'
ORDER BY relation::text;

\echo 'By table, with the page cache of the operating system (empty where it does not tell):'
SELECT relation, heap_resident_pages, index_resident_pages, round(buffers_percent) AS "buffers %",
       pg_size_pretty(page_cache_bytes) AS page_cache, round(memory_percent::numeric, 2) AS "memory %"
FROM table_residency LIMIT 4;
