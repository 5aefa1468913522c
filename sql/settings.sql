--
-- uuid_keyorder.node_id
--
-- trap I-38, I-39; F08
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS uuid_keyorder SCHEMA public;
RESET client_min_messages;

-- Set in a session that has not loaded the library yet, it is not known to be
-- out of reach; the first call says so and goes by the configuration file
\c -
SET uuid_keyorder.node_id = 5;
SELECT public.snowflake_node(public.snowflake_id()) = current_setting('uuid_keyorder.node_id')::int AS node;
SELECT source <> 'session' AS from_file FROM pg_settings WHERE name = 'uuid_keyorder.node_id';
-- No call changes it
SELECT public.snowflake_node(public.snowflake_id()) = current_setting('uuid_keyorder.node_id')::int AS node;
SELECT context, vartype, min_val, max_val, boot_val, unit FROM pg_settings WHERE name = 'uuid_keyorder.node_id';

-- trap I-39: one number for the server, by its configuration file; no session,
-- role, database or function has its own
SET uuid_keyorder.node_id = 5;
\echo :LAST_ERROR_SQLSTATE
SELECT set_config('uuid_keyorder.node_id', '5', true);
ALTER ROLE CURRENT_USER SET uuid_keyorder.node_id = 5;
\echo :LAST_ERROR_SQLSTATE
ALTER DATABASE :"DBNAME" SET uuid_keyorder.node_id = 5;
CREATE FUNCTION pg_temp.with_node() RETURNS bigint
LANGUAGE sql SET uuid_keyorder.node_id = 5 AS 'SELECT public.snowflake_id()';
\echo :LAST_ERROR_SQLSTATE
-- A wrong value is refused, and the old one stays
ALTER SYSTEM SET uuid_keyorder.node_id = 1024;
\echo :LAST_ERROR_SQLSTATE
ALTER SYSTEM SET uuid_keyorder.node_id = -1;
ALTER SYSTEM SET uuid_keyorder.node_id = 'one';
SELECT count(*) AS in_file FROM pg_file_settings WHERE name = 'uuid_keyorder.node_id' AND setting IN ('1024', '-1', 'one');
SELECT public.snowflake_node(public.snowflake_id()) = current_setting('uuid_keyorder.node_id')::int AS unchanged;
-- So is a name that is none, from 15 on
CREATE FUNCTION pg_temp.misspelt() RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL uuid_keyorder.nodeid = 5;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
SELECT pg_temp.misspelt() = CASE WHEN current_setting('server_version_num')::int >= 150000 THEN '42602' ELSE 'none' END AS as_expected;
