--
-- The extension in any schema, its life beside a table that uses it, and what
-- the catalogs say of every object.
--
-- trap I-8, I-11, I-12, I-15, I-16, I-17, I-31, I-33, I-46; I01, I04, I05
--

SET client_min_messages = warning;
DROP EXTENSION IF EXISTS uuid_keyorder;
RESET client_min_messages;

-- A quoted mixed-case schema, and nothing on the search path (I04)
CREATE SCHEMA "Key Order";
CREATE SCHEMA other;
SET search_path = '';
CREATE EXTENSION uuid_keyorder SCHEMA "Key Order";
SELECT "Key Order".uuid_extract_version("Key Order".uuidv7()),
       "Key Order".uuid_extract_version("Key Order".uuidv7('1 day')),
       "Key Order".uuid_extract_version("Key Order".uuidv7_at('2025-01-01 00:00+00')),
       "Key Order".uuid_extract_version("Key Order".uuidv4()),
       "Key Order".snowflake_id() > 0 AS snowflake,
       "Key Order".max("Key Order".uuidv7_lower_bound('2025-01-01 00:00+00'));
CREATE TABLE other.item (
	id uuid PRIMARY KEY DEFAULT "Key Order".uuidv7(),
	number bigint UNIQUE DEFAULT "Key Order".snowflake_id(),
	payload int);
INSERT INTO other.item (payload) VALUES (1), (2);

-- trap I-12: it moves to another schema with everything, and defaults follow
ALTER EXTENSION uuid_keyorder SET SCHEMA other;
INSERT INTO other.item (payload) VALUES (3), (4);
SELECT pg_catalog.pg_get_expr(adbin, adrelid)
FROM pg_catalog.pg_attrdef WHERE adrelid = 'other.item'::pg_catalog.regclass ORDER BY adnum;
SELECT pg_catalog.array_agg(payload ORDER BY id) AS by_uuid,
       pg_catalog.array_agg(payload ORDER BY number) AS by_number
FROM other.item;
SELECT pg_catalog.array_agg(DISTINCT nspname) AS schemas
FROM pg_catalog.pg_depend d
     LEFT JOIN pg_catalog.pg_proc p ON d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND p.oid = d.objid
     LEFT JOIN pg_catalog.pg_class c ON d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND c.oid = d.objid
     JOIN pg_catalog.pg_namespace n ON n.oid = COALESCE(p.pronamespace, c.relnamespace)
WHERE d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.deptype = 'e'
      AND d.refobjid = (SELECT oid FROM pg_catalog.pg_extension WHERE extname = 'uuid_keyorder');

-- trap I-46: dropping it under a default is refused; CASCADE drops the
-- defaults and keeps column, rows and index (I05)
DROP EXTENSION uuid_keyorder;
\echo :LAST_ERROR_SQLSTATE
\set VERBOSITY terse
DROP EXTENSION uuid_keyorder CASCADE;
\set VERBOSITY default
SELECT pg_catalog.count(*), pg_catalog.count(id) AS ids, pg_catalog.count(number) AS numbers FROM other.item;
INSERT INTO other.item (payload) VALUES (5);
\echo :LAST_ERROR_SQLSTATE
SELECT pg_catalog.count(*) AS objects_left
FROM pg_catalog.pg_proc WHERE probin LIKE '%uuid_keyorder%';

-- It comes back, and so can the default
CREATE EXTENSION uuid_keyorder SCHEMA public;
ALTER TABLE other.item ALTER id SET DEFAULT public.uuidv7();
INSERT INTO other.item (payload) VALUES (5);
SELECT pg_catalog.array_agg(payload ORDER BY id) AS by_uuid FROM other.item;
DROP TABLE other.item;
DROP SCHEMA "Key Order", other;
RESET search_path;

--
-- What the catalogs say
--
CREATE TEMP VIEW member AS
SELECT d.classid, d.objid, p.*
FROM pg_depend d
     JOIN pg_extension e ON d.refobjid = e.oid
     LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname = 'uuid_keyorder'
      -- row types of views, which 18 lists too
      AND NOT EXISTS (SELECT FROM pg_depend i WHERE i.classid = d.classid AND i.objid = d.objid AND i.deptype = 'i');

SELECT extrelocatable, extversion, extconfig::regclass[], extcondition
FROM pg_extension WHERE extname = 'uuid_keyorder';

-- Of ids, times and bounds: traps I-8 (named argument, strict, safe), I-17
-- and I-31 (labels), I-33 (no overloads)
SELECT proname AS name, pg_get_function_identity_arguments(oid) AS arguments, pronargdefaults AS defaults,
       pg_get_function_result(oid) AS result,
       provolatile AS volatile,
       proisstrict AS strict, proparallel AS parallel, proleakproof AS leakproof,
       CASE WHEN has_function_privilege('public', oid, 'EXECUTE') THEN 'public'
            ELSE (SELECT string_agg(grantee::regrole::text, ', ' ORDER BY grantee)
                  FROM aclexplode(proacl) WHERE grantee <> proowner) END AS callers
FROM member
WHERE proname ~ '^(uuid_|uuidv[47]|snowflake_)' AND proname <> 'uuidv7_clock_skew'
ORDER BY proname COLLATE "C", oid::regprocedure::text COLLATE "C";

SELECT name, type::regtype
FROM member, unnest(proargnames, proallargtypes) AS result (name, type)
WHERE proname = 'snowflake_status';

SELECT oid::regprocedure AS aggregate, aggtransfn, aggcombinefn, aggsortop::regoperator,
       proparallel AS parallel
FROM member JOIN pg_aggregate ON aggfnoid = oid
ORDER BY proname;

-- trap I-33: nowhere a time without zone
SELECT count(*) AS overloads
FROM member
WHERE proargtypes::oid[] && ARRAY['timestamp'::regtype, 'date'::regtype]::oid[];

-- trap I-11: every C symbol is prefixed
SELECT count(*) AS symbols_without_prefix
FROM member JOIN pg_language l ON l.oid = prolang
WHERE lanname = 'c' AND prosrc !~ '^uuid_keyorder_';

-- trap I-15: no casts, operators or types of global effect; trap I-16: each
-- object has a comment, so each COMMENT named the right one
SELECT DISTINCT classid::regclass AS catalog
FROM member WHERE classid NOT IN ('pg_proc'::regclass, 'pg_class'::regclass)
ORDER BY 1;
SELECT pg_describe_object(classid, objid, 0) AS without_comment
FROM member WHERE obj_description(objid, classid::regclass::name) IS NULL
ORDER BY 1;
-- and core's function of the same name and arguments keeps its own
SELECT core.oid::regprocedure AS core_comment_lost
FROM member JOIN pg_proc core ON core.proname = member.proname AND core.proargtypes = member.proargtypes
WHERE core.pronamespace = 'pg_catalog'::regnamespace
      AND obj_description(core.oid, 'pg_proc') IS NOT DISTINCT FROM obj_description(member.objid, 'pg_proc');

-- A volatile function is no constant, a guarded one is not for PUBLIC
SELECT oid::regprocedure AS function
FROM member WHERE provolatile = 'v' AND proleakproof
UNION ALL
SELECT oid::regprocedure
FROM member WHERE proname = 'snowflake_status' AND has_function_privilege('public', oid, 'EXECUTE');

-- The same objects on every major: nothing depends on another extension
SELECT count(*) AS needs
FROM pg_depend d JOIN pg_extension e ON d.objid = e.oid
WHERE d.classid = 'pg_extension'::regclass AND d.refclassid = 'pg_extension'::regclass
      AND e.extname = 'uuid_keyorder';
