--
-- What a role without any privilege can do, and what it cannot.
--
-- trap I-37, I-38 (the mark and the status); I04
--
-- The extension anew, so that the first id, which raises the mark, is made by
-- that role
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS uuid_keyorder;
RESET client_min_messages;
CREATE EXTENSION uuid_keyorder SCHEMA public;
CREATE ROLE regress_uuid_keyorder_nobody;
CREATE ROLE regress_uuid_keyorder_monitor;
GRANT pg_monitor TO regress_uuid_keyorder_monitor;

SET ROLE regress_uuid_keyorder_nobody;
SELECT public.snowflake_id() > 0 AS first_id, current_user;
SELECT public.snowflake_id() > 0 AS next_id;
SELECT public.uuid_extract_version(public.uuidv7()) AS v7,
       public.uuid_extract_version(public.uuidv7('1 day')) AS v7_shifted,
       public.uuid_extract_version(public.uuidv7_at(now())) AS v7_at,
       public.uuid_extract_version(public.uuidv4()) AS v4,
       public.uuidv7_timestamp(public.uuidv7_lower_bound(now())) IS NOT NULL AS time,
       public.max(public.uuidv7()) IS NOT NULL AS max,
       public.snowflake_timestamp(public.snowflake_upper_bound(now())) IS NOT NULL AS snowflake;
-- Not the status, nor the sequence, by any way
SELECT * FROM public.snowflake_status();
\echo :LAST_ERROR_SQLSTATE
SELECT last_value FROM public.snowflake_id_mark;
\echo :LAST_ERROR_SQLSTATE
SELECT nextval('public.snowflake_id_mark');
SELECT setval('public.snowflake_id_mark', 1);
SELECT currval('public.snowflake_id_mark');
SELECT lastval();
\echo :LAST_ERROR_SQLSTATE
ALTER SEQUENCE public.snowflake_id_mark RESTART;
\echo :LAST_ERROR_SQLSTATE
DROP EXTENSION uuid_keyorder;
\echo :LAST_ERROR_SQLSTATE

-- In a statement that fails after the mark was raised, the role is the same
RESET ROLE;
DROP EXTENSION uuid_keyorder;
CREATE EXTENSION uuid_keyorder SCHEMA public;
SET ROLE regress_uuid_keyorder_nobody;
SELECT public.snowflake_id() / 0;
SELECT current_user, public.snowflake_id() > 0 AS id;

-- With pg_monitor the status, still not the sequence
SET ROLE regress_uuid_keyorder_monitor;
SELECT last_id > 0 AS last, mark_id > last_id AS mark, current_user FROM public.snowflake_status();
SELECT last_value FROM public.snowflake_id_mark;
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;

-- As the default of a table that the role may insert into
CREATE TABLE item (id bigint DEFAULT public.snowflake_id(), key uuid DEFAULT public.uuidv7());
GRANT INSERT ON item TO regress_uuid_keyorder_nobody;
SET ROLE regress_uuid_keyorder_nobody;
INSERT INTO item DEFAULT VALUES;
RESET ROLE;
SELECT count(id) AS ids, count(key) AS keys FROM item;
DROP TABLE item;
DROP ROLE regress_uuid_keyorder_nobody, regress_uuid_keyorder_monitor;

-- A role that may create in the schema of the extension waits there with
-- operators and functions that match arguments more closely than core's and
-- ours.  None is taken: whoever reads a view would run it
DROP EXTENSION uuid_keyorder;
CREATE SCHEMA "open to all";
SET search_path = "open to all";
DO $$
DECLARE
	types text[] := '{oid, regclass, int4, int8, numeric, float8, text, name}';
	target record;
BEGIN
	FOR target IN
		SELECT l AS left_type, r AS right_type, o AS operator,
			CASE WHEN o IN ('+', '-', '*', '/') THEN 'numeric' ELSE 'bool' END AS result
		FROM unnest(types) l, unnest(types) r, unnest('{=, <>, <, >, <=, >=, +, -, *, /}'::text[]) o
		WHERE to_regoperator(format('pg_catalog.%s(%s,%s)', o, l, r)) IS NULL
	LOOP
		EXECUTE format('CREATE OR REPLACE FUNCTION waiting_%s(%s, %s) RETURNS %4$s LANGUAGE sql AS ''SELECT NULL::%4$s''',
			target.result, target.left_type, target.right_type, target.result);
		EXECUTE format('CREATE OPERATOR %s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = waiting_%s)',
			target.operator, target.left_type, target.right_type, target.result);
	END LOOP;
	FOR target IN
		SELECT unnest('{pg_partition_root(oid), relation_disk_bytes(oid), relation_disk_bytes(regclass),
			"relation_disk_bytes(oid, text)", relation_page_cache_bytes(oid), relation_page_cache_bytes(regclass),
			"relation_page_cache_bytes(oid, text)", current_setting(name),
			relation_buffers(), relation_buffers(oid), relation_residency(),
			relation_residency(oid), "uuid_smaller(text, text)"}'::text[]) AS name
	LOOP
		EXECUTE format('CREATE FUNCTION %s RETURNS bigint LANGUAGE sql AS ''SELECT 0::bigint''', target.name);
	END LOOP;
END $$;
RESET search_path;
CREATE EXTENSION uuid_keyorder SCHEMA "open to all";
SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS object,
       pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid) AS depends_on
FROM pg_depend d
     LEFT JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
     JOIN pg_depend own ON own.objid = COALESCE(w.ev_class, d.objid) AND own.deptype = 'e'
                       AND own.classid = CASE WHEN w.oid IS NULL THEN d.classid ELSE 'pg_class'::regclass END
WHERE d.deptype <> 'e' AND d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass)
      AND NOT EXISTS (SELECT FROM pg_depend member
                      WHERE member.classid = d.refclassid AND member.objid = d.refobjid AND member.deptype = 'e');
DROP EXTENSION uuid_keyorder;
SET client_min_messages = warning;
DROP SCHEMA "open to all" CASCADE;
RESET client_min_messages;
CREATE EXTENSION uuid_keyorder SCHEMA public;
