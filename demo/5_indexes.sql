-- Random keys leave the pages of the index partly empty, and out of order.
\echo
\echo '5. Size and fill of the three primary keys'
\echo

\set ECHO none
SELECT count(*) > 0 AS has_pgstattuple
FROM pg_available_extensions WHERE name = 'pgstattuple'
\gset
\set ECHO queries

\if :has_pgstattuple
CREATE EXTENSION pgstattuple;
SELECT index, pg_size_pretty(pg_relation_size(index)) AS size,
       avg_leaf_density AS "fill %", leaf_fragmentation AS "disorder %"
FROM unnest('{orders_v4_pkey,orders_v7_pkey,orders_snowflake_pkey}'::regclass[]) AS index,
     pgstatindex(index);
\else
\echo '(The fill needs the extension pgstattuple, which this server does not have.)'
SELECT index, pg_size_pretty(pg_relation_size(index)) AS size
FROM unnest('{orders_v4_pkey,orders_v7_pkey,orders_snowflake_pkey}'::regclass[]) AS index;
\endif
