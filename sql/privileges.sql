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
