-- relation_turnover: privileges, setting and errors.  What the sampler counts
-- is shown by t/050_turnover.pl, which preloads the library.
CREATE SCHEMA turnover;
CREATE EXTENSION uuid_keyorder SCHEMA turnover;
CREATE ROLE regress_turnover_monitor IN ROLE pg_monitor;
CREATE ROLE regress_turnover_stats IN ROLE pg_read_all_stats;
GRANT USAGE ON SCHEMA turnover TO regress_turnover_monitor, regress_turnover_stats;
SET search_path = '';

-- SQLSTATE of a command, 00000 when it succeeds.
CREATE FUNCTION pg_temp.sqlstate_of(command text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE command;
	RETURN '00000';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;

-- As it has to be: an error that says what to set, where nothing is preloaded.
CREATE FUNCTION pg_temp.right_state() RETURNS text
LANGUAGE sql AS $$
SELECT CASE WHEN setting ~ 'uuid_keyorder' THEN '00000' ELSE '55000' END
FROM pg_catalog.pg_settings
WHERE name = 'shared_preload_libraries'
$$;

CREATE FUNCTION pg_temp.hint_of_view() RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	PERFORM FROM turnover.relation_turnover;
	RETURN 'shared_preload_libraries, uuid_keyorder.turnover_interval';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN SQLERRM || ' ' || hint;
END $$;

SELECT pg_temp.sqlstate_of('SELECT * FROM turnover.relation_turnover') = pg_temp.right_state() AS view,
	pg_temp.sqlstate_of('SELECT * FROM turnover.relation_turnover()') = pg_temp.right_state() AS function,
	pg_temp.sqlstate_of('SELECT turnover.relation_turnover_reset()') = pg_temp.right_state() AS reset;
SELECT pg_temp.hint_of_view() ~ 'shared_preload_libraries.*uuid_keyorder\.turnover_interval' AS says_what_to_set;

-- H15, trap D-41: pg_monitor may, pg_read_all_stats may not.
SET ROLE regress_turnover_monitor;
SELECT pg_temp.sqlstate_of('SELECT * FROM turnover.relation_turnover') = pg_temp.right_state() AS view,
	pg_temp.sqlstate_of('SELECT * FROM turnover.relation_turnover()') = pg_temp.right_state() AS function,
	pg_temp.sqlstate_of('SELECT turnover.relation_turnover_reset()') = pg_temp.right_state() AS reset;
SET ROLE regress_turnover_stats;
SELECT pg_temp.sqlstate_of('SELECT * FROM turnover.relation_turnover') AS view,
	pg_temp.sqlstate_of('SELECT * FROM turnover.relation_turnover()') AS function,
	pg_temp.sqlstate_of('SELECT turnover.relation_turnover_reset()') AS reset;
RESET ROLE;

-- Off by default; from 0 to an hour; by configuration and reload only.
SELECT unit, context, vartype, boot_val, min_val, max_val
FROM pg_catalog.pg_settings
WHERE name = 'uuid_keyorder.turnover_interval';
\set VERBOSITY sqlstate
SET uuid_keyorder.turnover_interval = '1s';
ALTER SYSTEM SET uuid_keyorder.turnover_interval = '-1';
ALTER SYSTEM SET uuid_keyorder.turnover_interval = '61min';
ALTER SYSTEM SET uuid_keyorder.turnover_interval = 'soon';
\set VERBOSITY default

-- The worker is there only where the library is preloaded.
SELECT EXISTS (SELECT FROM pg_catalog.pg_stat_activity
	WHERE backend_type = 'uuid_keyorder turnover sampler') = (pg_temp.right_state() = '00000') AS worker;

-- The columns, in their order.
SELECT pg_catalog.string_agg(attname || ' ' || pg_catalog.format_type(atttypid, atttypmod), E'\n' ORDER BY attnum) AS columns
FROM pg_catalog.pg_attribute
WHERE attrelid = 'turnover.relation_turnover'::regclass AND attnum > 0 \gx

DROP OWNED BY regress_turnover_monitor, regress_turnover_stats;
DROP ROLE regress_turnover_monitor, regress_turnover_stats;
SET client_min_messages = warning;
DROP SCHEMA turnover CASCADE;
