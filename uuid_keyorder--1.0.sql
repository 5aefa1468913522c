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

---------------------------------------------------------------------
-- Residency of relations
---------------------------------------------------------------------

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
