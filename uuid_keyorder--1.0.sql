/* uuid_keyorder--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION uuid_keyorder" to load this file. \quit

-- Every object: a paragraph, attributes in the order volatility, STRICT,
-- PARALLEL, LEAKPROOF, COST and ROWS, then privileges, then the COMMENT (at the
-- end of the file where core has the same function).

---------------------------------------------------------------------
-- Ids
---------------------------------------------------------------------

-- As PostgreSQL 18.6: RFC 9562 method 3, twelve bits of sub-millisecond
-- fraction, strictly ascending within a backend.
CREATE FUNCTION uuidv7()
RETURNS uuid
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuidv7'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

-- The same with the clock shifted by timestamptz + interval in the time zone
-- of the session.
CREATE FUNCTION uuidv7(shift interval)
RETURNS uuid
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuidv7_interval'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

-- 122 random bits.
CREATE FUNCTION uuidv4()
RETURNS uuid
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuidv4'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

-- For backfills: while ts does not descend, ids of a session ascend, and each
-- holds its ts to the microsecond.
CREATE FUNCTION uuidv7_at(ts timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuidv7_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION uuidv7_at(timestamptz) IS
'new UUID version 7 of a given time, for backfills';

-- Above every id that snowflake_id() has handed out in this database, raised
-- about every ten seconds.  Its content is dumped, so that a restored database
-- goes on above its old ids.  Do not set it by hand.
CREATE SEQUENCE snowflake_id_mark AS bigint;

COMMENT ON SEQUENCE snowflake_id_mark IS
'snowflake_id() has handed out no id above this; kept by the extension';

SELECT pg_catalog.pg_extension_config_dump('snowflake_id_mark', '');

-- Writes the mark, as nextval() writes its sequence: not for parallel plans,
-- read-only transactions and standbys.
CREATE FUNCTION snowflake_id()
RETURNS bigint
AS 'MODULE_PATHNAME', 'uuid_keyorder_snowflake_id'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION snowflake_id() IS
'new 64-bit id, strictly ascending over all backends of the server';

-- Where snowflake_id() stands.
CREATE FUNCTION snowflake_status(
	OUT node_id int,
	OUT last_id bigint,
	OUT last_id_time timestamptz,
	OUT clock_lead_ms bigint,
	OUT mark_id bigint,
	OUT mark_time timestamptz,
	OUT ids_issued bigint)
RETURNS record
AS 'MODULE_PATHNAME', 'uuid_keyorder_snowflake_status'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

REVOKE ALL ON FUNCTION snowflake_status() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION snowflake_status() TO pg_monitor;

COMMENT ON FUNCTION snowflake_status() IS
'node, last id, lead over the wall clock, mark and number of ids of snowflake_id()';

---------------------------------------------------------------------
-- Time out of an id
---------------------------------------------------------------------

-- As core from 17; here for 14 to 16.
CREATE FUNCTION uuid_extract_version(uuid uuid)
RETURNS smallint
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuid_extract_version'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;

-- As core 18, and version 6.  Core's own hides it from 17 on unless qualified.
CREATE FUNCTION uuid_extract_timestamp(uuid uuid)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuid_extract_timestamp'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;

-- The name that is right on every major.
CREATE FUNCTION uuidv7_timestamp(uuid uuid)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuidv7_timestamp'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;

COMMENT ON FUNCTION uuidv7_timestamp(uuid) IS
'time in a UUID version 7 to the millisecond, NULL for others';

-- With the sub-millisecond fraction: meaningless where those bits are random.
CREATE FUNCTION uuidv7_timestamp_us(uuid uuid)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuidv7_timestamp_us'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;

COMMENT ON FUNCTION uuidv7_timestamp_us(uuid) IS
'time in a UUID version 7 to the microsecond, if its maker keeps it there';

-- Layouts: keyorder (= pgedge), twitter, discord, instagram, mastodon.
CREATE FUNCTION snowflake_timestamp(id bigint, layout text DEFAULT 'keyorder')
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuid_keyorder_snowflake_timestamp'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION snowflake_timestamp(bigint, text) IS
'time in a Snowflake-style id, NULL when negative';

CREATE FUNCTION snowflake_node(id bigint, layout text DEFAULT 'keyorder')
RETURNS int
AS 'MODULE_PATHNAME', 'uuid_keyorder_snowflake_node'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION snowflake_node(bigint, text) IS
'node in a Snowflake-style id, NULL when negative or the layout has none';

CREATE FUNCTION snowflake_counter(id bigint, layout text DEFAULT 'keyorder')
RETURNS int
AS 'MODULE_PATHNAME', 'uuid_keyorder_snowflake_counter'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION snowflake_counter(bigint, text) IS
'counter in a Snowflake-style id, NULL when negative';

---------------------------------------------------------------------
-- Bounds
---------------------------------------------------------------------

-- Half-open ranges: id >= lower(a) AND id < lower(b).
CREATE FUNCTION uuidv7_lower_bound(ts timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuidv7_lower_bound'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION uuidv7_lower_bound(timestamptz) IS
'lowest UUID version 7 of the millisecond of a time';

CREATE FUNCTION uuidv7_upper_bound(ts timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuidv7_upper_bound'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION uuidv7_upper_bound(timestamptz) IS
'highest UUID version 7 of the millisecond of a time';

-- The form of pg_partman and of TimescaleDB: neither version nor variant.
CREATE FUNCTION uuid_prefix_bound(ts timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuid_prefix_bound'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION uuid_prefix_bound(timestamptz) IS
'lowest UUID of any version that starts with the millisecond of a time';

-- Its inverse; text, as pg_partman's p_time_decoder passes it.
CREATE FUNCTION uuid_prefix_timestamp(uuid text)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuid_prefix_timestamp'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION uuid_prefix_timestamp(text) IS
'time in the first 48 bits of a UUID, whatever its version';

CREATE FUNCTION snowflake_lower_bound(ts timestamptz, layout text DEFAULT 'keyorder')
RETURNS bigint
AS 'MODULE_PATHNAME', 'uuid_keyorder_snowflake_lower_bound'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION snowflake_lower_bound(timestamptz, text) IS
'lowest Snowflake-style id of the millisecond of a time';

CREATE FUNCTION snowflake_upper_bound(ts timestamptz, layout text DEFAULT 'keyorder')
RETURNS bigint
AS 'MODULE_PATHNAME', 'uuid_keyorder_snowflake_upper_bound'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION snowflake_upper_bound(timestamptz, text) IS
'highest Snowflake-style id of the millisecond of a time';

-- min(uuid) and max(uuid), which core has only after 19.
CREATE FUNCTION uuid_smaller(uuid, uuid)
RETURNS uuid
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuid_smaller'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;

COMMENT ON FUNCTION uuid_smaller(uuid, uuid) IS
'smaller of two; transition function of min(uuid)';

CREATE FUNCTION uuid_larger(uuid, uuid)
RETURNS uuid
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuid_larger'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;

COMMENT ON FUNCTION uuid_larger(uuid, uuid) IS
'larger of two; transition function of max(uuid)';

CREATE AGGREGATE min(uuid) (
	SFUNC = uuid_smaller,
	STYPE = uuid,
	COMBINEFUNC = uuid_smaller,
	SORTOP = OPERATOR(pg_catalog.<),
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE min(uuid) IS
'minimum of all UUIDs';

CREATE AGGREGATE max(uuid) (
	SFUNC = uuid_larger,
	STYPE = uuid,
	COMBINEFUNC = uuid_larger,
	SORTOP = OPERATOR(pg_catalog.>),
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE max(uuid) IS
'maximum of all UUIDs';

---------------------------------------------------------------------
-- Leaf density of a btree index
---------------------------------------------------------------------

-- How full and how ordered the leaves are, and what REINDEX would give.  Shows
-- no key, so that who may scan statistics may call it on any index.
CREATE FUNCTION index_leaf_density(
	index regclass,
	sample_pages int DEFAULT NULL,
	OUT version int,
	OUT tree_level int,
	OUT root_block bigint,
	OUT index_bytes bigint,
	OUT leaf_pages bigint,
	OUT internal_pages bigint,
	OUT half_dead_pages bigint,
	OUT deleted_pages bigint,
	OUT new_pages bigint,
	OUT damaged_pages bigint,
	OUT items bigint,
	OUT heap_tids bigint,
	OUT posting_tuples bigint,
	OUT dead_items bigint,
	OUT mean_item_bytes float8,
	OUT avg_leaf_density float8,
	OUT leaf_fragmentation float8,
	OUT contiguous_leaves float8,
	OUT rebuilt_pages bigint,
	OUT rebuilt_bytes bigint,
	OUT pages_examined bigint,
	OUT sampled bool,
	OUT avg_leaf_density_error float8,
	OUT leaf_fragmentation_error float8)
RETURNS record
AS 'MODULE_PATHNAME', 'uuid_keyorder_index_leaf_density'
LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000;

REVOKE ALL ON FUNCTION index_leaf_density(regclass, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION index_leaf_density(regclass, int) TO pg_stat_scan_tables;

COMMENT ON FUNCTION index_leaf_density(regclass, int) IS
'how full and how ordered the leaves of a btree index are, and its size after REINDEX';

-- Leaves by how full they are.
CREATE FUNCTION index_leaf_histogram(
	index regclass,
	buckets int DEFAULT 10,
	sample_pages int DEFAULT NULL,
	OUT bucket int,
	OUT density_from float8,
	OUT density_to float8,
	OUT leaf_pages bigint,
	OUT leaf_percent float8,
	OUT bar text,
	OUT pages_examined bigint,
	OUT sampled bool)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'uuid_keyorder_index_leaf_histogram'
LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000 ROWS 10;

REVOKE ALL ON FUNCTION index_leaf_histogram(regclass, int, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION index_leaf_histogram(regclass, int, int) TO pg_stat_scan_tables;

COMMENT ON FUNCTION index_leaf_histogram(regclass, int, int) IS
'leaf pages of a btree index by how full they are, with a bar';

-- Density by the kind of key: which of v4, v7 and others is to blame.
CREATE FUNCTION index_leaf_density_by_version(
	index regclass,
	sample_pages int DEFAULT NULL,
	OUT key_kind text,
	OUT leaf_pages bigint,
	OUT leaf_percent float8,
	OUT items bigint,
	OUT avg_leaf_density float8,
	OUT leaf_fragmentation float8,
	OUT contiguous_leaves float8,
	OUT pages_examined bigint,
	OUT sampled bool,
	OUT avg_leaf_density_error float8,
	OUT leaf_fragmentation_error float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'uuid_keyorder_index_leaf_density_by_version'
LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000 ROWS 3;

REVOKE ALL ON FUNCTION index_leaf_density_by_version(regclass, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION index_leaf_density_by_version(regclass, int) TO pg_stat_scan_tables;

COMMENT ON FUNCTION index_leaf_density_by_version(regclass, int) IS
'density of the leaf pages of a btree index by the UUID version of their keys';

-- The leaf level in ranges of keys.  Shows keys, so that it also asks for
-- SELECT on the key columns, and is refused under row security.
CREATE FUNCTION index_leaf_density_by_range(
	index regclass,
	ranges int DEFAULT 10,
	sample_pages int DEFAULT NULL,
	OUT range int,
	OUT leaf_pages bigint,
	OUT leaf_percent float8,
	OUT items bigint,
	OUT avg_leaf_density float8,
	OUT leaf_fragmentation float8,
	OUT contiguous_leaves float8,
	OUT first_key text,
	OUT last_key text,
	OUT pages_examined bigint,
	OUT sampled bool,
	OUT avg_leaf_density_error float8,
	OUT leaf_fragmentation_error float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'uuid_keyorder_index_leaf_density_by_range'
LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000 ROWS 10;

REVOKE ALL ON FUNCTION index_leaf_density_by_range(regclass, int, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION index_leaf_density_by_range(regclass, int, int) TO pg_stat_scan_tables;

COMMENT ON FUNCTION index_leaf_density_by_range(regclass, int, int) IS
'density of the leaf pages of a btree index by range of keys';

---------------------------------------------------------------------
-- Residency of relations
---------------------------------------------------------------------

-- One pass over the buffer headers, no lock on a relation.  NULL: every fork on
-- the server that holds buffers, and a row for those without a page, so that
-- resident_pages sum up to shared_buffers.  What relation_residency() shows but
-- for the page cache.
CREATE FUNCTION relation_buffers(
	relation regclass DEFAULT NULL,
	OUT database name,
	OUT tablespace name,
	OUT relation regclass,
	OUT fork text,
	OUT relfilenode oid,
	OUT fork_pages bigint,
	OUT resident_pages bigint,
	OUT resident_percent double precision,
	OUT buffers_percent double precision,
	OUT dirty_pages bigint,
	OUT pinned_pages bigint,
	OUT usage_counts bigint[],
	OUT database_oid oid,
	OUT tablespace_oid oid)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'uuid_keyorder_relation_buffers'
LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 10000 ROWS 300;

REVOKE ALL ON FUNCTION relation_buffers(regclass) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION relation_buffers(regclass) TO pg_monitor;

COMMENT ON FUNCTION relation_buffers(regclass) IS
'shared buffers of each relation fork';

-- As pg_relation_size(), of all forks by default, and without a lock.
CREATE FUNCTION relation_disk_bytes(relation regclass, fork text DEFAULT NULL)
RETURNS bigint
AS 'MODULE_PATHNAME', 'uuid_keyorder_relation_disk_bytes'
LANGUAGE C STABLE PARALLEL RESTRICTED COST 100;

REVOKE ALL ON FUNCTION relation_disk_bytes(regclass, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION relation_disk_bytes(regclass, text) TO pg_monitor;

COMMENT ON FUNCTION relation_disk_bytes(regclass, text) IS
'bytes of a relation on disk, without a lock on it';

-- Not VOLATILE, so that the planner leaves it out where it is not asked for.
CREATE FUNCTION relation_page_cache_bytes(relation regclass, fork text DEFAULT NULL)
RETURNS bigint
AS 'MODULE_PATHNAME', 'uuid_keyorder_relation_page_cache_bytes'
LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000;

REVOKE ALL ON FUNCTION relation_page_cache_bytes(regclass, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION relation_page_cache_bytes(regclass, text) TO pg_monitor;

COMMENT ON FUNCTION relation_page_cache_bytes(regclass, text) IS
'bytes of a relation in the page cache of the operating system';

-- The same for a file without a name, in the numbers of relation_buffers().
CREATE FUNCTION file_page_cache_bytes(tablespace oid, database oid, relfilenode oid, fork text)
RETURNS bigint
AS 'MODULE_PATHNAME', 'uuid_keyorder_file_page_cache_bytes'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000;

REVOKE ALL ON FUNCTION file_page_cache_bytes(oid, oid, oid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION file_page_cache_bytes(oid, oid, oid, text) TO pg_monitor;

COMMENT ON FUNCTION file_page_cache_bytes(oid, oid, oid, text) IS
'bytes of a relation file in the page cache of the operating system';

CREATE FUNCTION physical_memory_bytes()
RETURNS bigint
AS 'MODULE_PATHNAME', 'uuid_keyorder_physical_memory_bytes_sql'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

REVOKE ALL ON FUNCTION physical_memory_bytes() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION physical_memory_bytes() TO pg_monitor;

COMMENT ON FUNCTION physical_memory_bytes() IS
'memory of the machine, in bytes';

-- In SQL, and STABLE, so that it becomes part of the query: the page cache is
-- not asked where page_cache_bytes is not wanted.
CREATE FUNCTION relation_residency(
	relation regclass DEFAULT NULL,
	OUT database name,
	OUT tablespace name,
	OUT relation regclass,
	OUT fork text,
	OUT relfilenode oid,
	OUT fork_pages bigint,
	OUT resident_pages bigint,
	OUT resident_percent double precision,
	OUT buffers_percent double precision,
	OUT dirty_pages bigint,
	OUT pinned_pages bigint,
	OUT usage_counts bigint[],
	OUT page_cache_bytes bigint)
RETURNS SETOF record
LANGUAGE SQL STABLE PARALLEL RESTRICTED COST 10000 ROWS 300
BEGIN ATOMIC
	SELECT b.database, b.tablespace, b.relation, b.fork, b.relfilenode,
		b.fork_pages, b.resident_pages, b.resident_percent, b.buffers_percent,
		b.dirty_pages, b.pinned_pages, b.usage_counts,
		CASE
			WHEN b.relation IS NOT NULL THEN relation_page_cache_bytes(b.relation, b.fork)
			ELSE file_page_cache_bytes(b.tablespace_oid, b.database_oid, b.relfilenode, b.fork)
		END
	FROM relation_buffers($1) AS b;
END;

REVOKE ALL ON FUNCTION relation_residency(regclass) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION relation_residency(regclass) TO pg_monitor;

COMMENT ON FUNCTION relation_residency(regclass) IS
'pages of each relation fork in shared_buffers and bytes in the page cache';

-- Tables, and sequences, of this database that hold shared buffers, through
-- their heap, their TOAST table with its index, or their indexes; partitions
-- under their root.  Sizes and page cache are of all forks, and are looked at
-- only for what is listed, and only when asked for.  All arguments are given in
-- the types of core's operators and functions and of our own: a closer match
-- that somebody put into the schema before would be taken instead.
CREATE VIEW table_residency AS
SELECT
	root::regclass AS relation,
	count(*) FILTER (WHERE kind = 'heap') AS heaps,
	(sum(relation_disk_bytes(part::regclass, NULL::text)) FILTER (WHERE kind = 'heap') / block_bytes)::bigint AS heap_pages,
	(sum(resident_pages) FILTER (WHERE kind = 'heap'))::bigint AS heap_resident_pages,
	(sum(relation_disk_bytes(part::regclass, NULL::text)) FILTER (WHERE kind = 'toast') / block_bytes)::bigint AS toast_pages,
	(sum(resident_pages) FILTER (WHERE kind = 'toast'))::bigint AS toast_resident_pages,
	(sum(relation_disk_bytes(part::regclass, NULL::text)) FILTER (WHERE kind = 'index') / block_bytes)::bigint AS index_pages,
	(sum(resident_pages) FILTER (WHERE kind = 'index'))::bigint AS index_resident_pages,
	sum(resident_pages)::bigint AS resident_pages,
	sum(buffers_percent) AS buffers_percent,
	sum(dirty_pages)::bigint AS dirty_pages,
	(sum(relation_page_cache_bytes(part::regclass, NULL::text)) FILTER (WHERE kind = 'heap'))::bigint AS heap_page_cache_bytes,
	(sum(relation_page_cache_bytes(part::regclass, NULL::text)) FILTER (WHERE kind = 'toast'))::bigint AS toast_page_cache_bytes,
	(sum(relation_page_cache_bytes(part::regclass, NULL::text)) FILTER (WHERE kind = 'index'))::bigint AS index_page_cache_bytes,
	sum(relation_page_cache_bytes(part::regclass, NULL::text))::bigint AS page_cache_bytes,
	(100::numeric * (sum(resident_pages) * block_bytes + sum(relation_page_cache_bytes(part::regclass, NULL::text)))
		/ physical_memory_bytes()::numeric)::double precision AS memory_percent
FROM (
	SELECT p.root, p.part, p.kind,
		coalesce(b.resident_pages, 0) AS resident_pages,
		coalesce(b.buffers_percent, 0) AS buffers_percent,
		coalesce(b.dirty_pages, 0) AS dirty_pages,
		sum(b.resident_pages) OVER (PARTITION BY p.root) AS table_resident_pages,
		current_setting('block_size'::text)::numeric AS block_bytes
	FROM (
		SELECT CASE WHEN c.relispartition THEN pg_partition_root(c.oid::regclass)::oid ELSE c.oid END AS root,
			c.oid AS part, 'heap' AS kind
		FROM pg_class AS c
		WHERE c.relkind IN ('r', 'm', 'S')
		UNION ALL
		SELECT CASE WHEN c.relispartition THEN pg_partition_root(c.oid::regclass)::oid ELSE c.oid END,
			c.reltoastrelid, 'toast'
		FROM pg_class AS c
		WHERE c.reltoastrelid <> 0::oid
		UNION ALL
		SELECT CASE WHEN c.relispartition THEN pg_partition_root(c.oid::regclass)::oid ELSE c.oid END,
			i.indexrelid, 'toast'
		FROM pg_class AS c JOIN pg_index AS i ON i.indrelid = c.reltoastrelid
		UNION ALL
		SELECT CASE WHEN c.relispartition THEN pg_partition_root(c.oid::regclass)::oid ELSE c.oid END,
			i.indexrelid, 'index'
		FROM pg_class AS c JOIN pg_index AS i ON i.indrelid = c.oid
		WHERE c.relkind IN ('r', 'm')
	) AS p
		LEFT JOIN (
			SELECT f.relation, sum(f.resident_pages) AS resident_pages,
				sum(f.buffers_percent) AS buffers_percent, sum(f.dirty_pages) AS dirty_pages
			FROM relation_residency(NULL::regclass) AS f
			WHERE f.relation IS NOT NULL
			GROUP BY f.relation
		) AS b ON b.relation::oid = p.part
) AS parts
WHERE table_resident_pages > 0::numeric
GROUP BY root, block_bytes
ORDER BY 9 DESC, root::regclass::text;

REVOKE ALL ON table_residency FROM PUBLIC;
GRANT SELECT ON table_residency TO pg_monitor;

COMMENT ON VIEW table_residency IS
'shared buffers and page cache of tables: heap, TOAST and indexes, partitions under their root';

-- What the background sampler counted.  ERROR where the library is not in
-- shared_preload_libraries.
CREATE FUNCTION relation_turnover(
	OUT database name,
	OUT tablespace name,
	OUT relation regclass,
	OUT relfilenode oid,
	OUT loaded_pages bigint,
	OUT evicted_pages bigint,
	OUT evicted_dirty_pages bigint,
	OUT removed_pages bigint,
	OUT counted_since timestamptz,
	OUT looks bigint,
	OUT look_interval_ms float8,
	OUT changed_percent float8,
	OUT look_ms float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'uuid_keyorder_relation_turnover'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000 ROWS 200;

REVOKE ALL ON FUNCTION relation_turnover() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION relation_turnover() TO pg_monitor;

COMMENT ON FUNCTION relation_turnover() IS
'pages loaded into and evicted from shared_buffers per relation, as sampled';

-- Largest loser first.
CREATE VIEW relation_turnover AS
SELECT *
FROM relation_turnover()
ORDER BY evicted_pages DESC, loaded_pages DESC, relation;

REVOKE ALL ON relation_turnover FROM PUBLIC;
GRANT SELECT ON relation_turnover TO pg_monitor;

COMMENT ON VIEW relation_turnover IS
'pages loaded into and evicted from shared_buffers per relation, largest loser first';

CREATE FUNCTION relation_turnover_reset()
RETURNS void
AS 'MODULE_PATHNAME', 'uuid_keyorder_relation_turnover_reset'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

REVOKE ALL ON FUNCTION relation_turnover_reset() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION relation_turnover_reset() TO pg_monitor;

COMMENT ON FUNCTION relation_turnover_reset() IS
'begin the counts of relation_turnover anew';

---------------------------------------------------------------------
-- Keys for a table that used UUIDv4
---------------------------------------------------------------------

-- Version 8 of a layout of our own: 26 one bits, then time, so that new keys go
-- to the right edge of an index of version 4 keys and pack it.
CREATE FUNCTION uuidv8_append()
RETURNS uuid
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuidv8_append'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION uuidv8_append() IS
'new time-ordered UUID version 8 that sorts above version 4 keys';

-- For backfills, as uuidv7_at.
CREATE FUNCTION uuidv8_append_at(ts timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuidv8_append_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION uuidv8_append_at(timestamptz) IS
'new append key of a given time, for backfills';

CREATE FUNCTION uuidv8_append_timestamp(uuid uuid)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuidv8_append_timestamp'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;

COMMENT ON FUNCTION uuidv8_append_timestamp(uuid) IS
'time in an append key to the microsecond, NULL for others';

CREATE FUNCTION uuidv8_append_lower_bound(ts timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuidv8_append_lower_bound'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION uuidv8_append_lower_bound(timestamptz) IS
'lowest append key of the millisecond of a time';

CREATE FUNCTION uuidv8_append_upper_bound(ts timestamptz)
RETURNS uuid
AS 'MODULE_PATHNAME', 'uuid_keyorder_uuidv8_append_upper_bound'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION uuidv8_append_upper_bound(timestamptz) IS
'highest append key of the millisecond of a time';

---------------------------------------------------------------------
-- Comments on functions that core has too
---------------------------------------------------------------------

-- Last in this file.  From 17 and 18 on, core has functions of these names and
-- arguments, and an unqualified name means core's.  The schema of the extension
-- is not known here, so it goes ahead of pg_catalog to the end of this script;
-- nothing is called below, and types are qualified.
SELECT pg_catalog.set_config('search_path',
	pg_catalog.current_setting('search_path') || ', pg_catalog', true);

COMMENT ON FUNCTION uuidv7() IS
'new UUID version 7, strictly ascending within a backend';

COMMENT ON FUNCTION uuidv7(pg_catalog.interval) IS
'new UUID version 7 of the current time plus an interval';

COMMENT ON FUNCTION uuidv4() IS
'new random UUID, version 4';

COMMENT ON FUNCTION uuid_extract_version(pg_catalog.uuid) IS
'version of an RFC 9562 UUID, NULL for another variant';

COMMENT ON FUNCTION uuid_extract_timestamp(pg_catalog.uuid) IS
'time in a UUID version 1, 6 or 7, NULL for others';
