--
-- Values from public reports with the right answer, and what errors say.
--
-- trap I-1, I-17 to I-23, I-25, I-27, I-28, I-41
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS uuid_keyorder SCHEMA public;
RESET client_min_messages;
SET TimeZone = 'UTC';
SET DateStyle = 'ISO, YMD';

CREATE TEMP TABLE case_value (
	number int GENERATED ALWAYS AS IDENTITY,
	call text,
	expected text,				-- in UTC; NULL; or ERROR and SQLSTATE
	source text);
COPY case_value (call, expected, source) FROM stdin;
uuid_extract_timestamp('C232AB00-9414-11EC-B3C8-9F6BDECED846')	2022-02-22 19:22:22+00	RFC 9562 A.1
uuid_extract_timestamp('1EC9414C-232A-6B00-B3C8-9F6BDECED846')	2022-02-22 19:22:22+00	RFC 9562 A.5 (core: only after 19)
uuid_extract_timestamp('017F22E2-79B0-7CC3-98C4-DC0C0C07398F')	2022-02-22 19:22:22+00	RFC 9562 A.6
uuidv7_timestamp('017F22E2-79B0-7CC3-98C4-DC0C0C07398F')	2022-02-22 19:22:22+00	RFC 9562 A.6
uuidv7_timestamp('C232AB00-9414-11EC-B3C8-9F6BDECED846')	NULL	a v1
uuidv7_timestamp('017F21CF-D130-7CC3-98C4-DC0C0C07398F')	2022-02-22 14:22:22+00	an early draft's vector, five hours off
uuidv7_timestamp('019535d9-3df7-79fb-b466-fa907fa17f9e')	2025-02-24 02:46:24.503+00	documentation of core 18
uuidv7_timestamp('018570bb-4a7d-7c7e-8df4-6d47afd8c8fc')	2023-01-02 04:26:40.637+00	README of pg_uuidv7
uuidv7_timestamp('550e8400-e29b-41d4-a716-446655440000')	NULL	a v4 that an article dated
uuidv7_timestamp('019d50a3-b800-7000-0000-000000000000')	NULL	variant 0, qonto partition manager pull 87
uuidv7_timestamp('019d50a3-b800-7000-8000-000000000000')	2026-04-03 00:00:00+00	the same, valid
uuidv7_timestamp('8196f946-5678-7ac0-a594-fe51da68ec69')	6485-03-07 21:20:13.944+00	duckdb issue 17611: no silent repair
uuidv7_timestamp('00000000-0000-7dd6-bd36-038a8af1a5f1')	1970-01-01 00:00:00+00	npm uuid issue 764
uuidv7_timestamp('00000000-0000-0000-0000-000000000000')	NULL	Nil
uuidv7_timestamp('ffffffff-ffff-ffff-ffff-ffffffffffff')	NULL	Max
uuid_extract_timestamp('13814000-1dd2-11b2-8000-000000000000')	1970-01-01 00:00:00+00	uuid-rs issue 680
uuid_extract_timestamp('13813fff-1dd2-11b2-8000-000000000000')	1969-12-31 23:59:59.999999+00	uuid-rs issue 680
uuid_extract_timestamp('00000000-0000-1000-8000-000000000000')	1582-10-15 00:00:00+00	lowest v1
uuid_extract_timestamp('ffffffff-ffff-1fff-8000-000000000000')	5236-03-31 21:21:00.684697+00	highest v1 (texts that say 5623 transpose digits)
uuidv7_timestamp_us(uuidv7_at('2025-10-31 19:34:54.176665+00'))	2025-10-31 19:34:54.176665+00	timescaledb issue 8875: off by one on decode
uuidv7_timestamp(uuidv7_at('2025-10-31 19:34:54.176665+00'))	2025-10-31 19:34:54.176+00	the same, milliseconds
uuidv7_lower_bound('2023-09-01 00:00:00+00')	018a4e0a-1c00-7000-8000-000000000000	pg_uuidv7 issue 11
uuidv7_lower_bound('2023-09-02 00:00:00+00')	018a5330-7800-7000-8000-000000000000	pg_uuidv7 issue 11
uuidv7_upper_bound('2023-09-01 23:59:59.999+00')	018a5330-77ff-7fff-bfff-ffffffffffff	pg_uuidv7 issue 11
uuidv7_lower_bound('2025-04-05 00:00:00+00')	0196033f-4400-7000-8000-000000000000	cpython issue 130843
uuidv7_lower_bound('2022-02-22 19:22:22+00')	017f22e2-79b0-7000-8000-000000000000	symfony pull 63941
uuidv7_upper_bound('2022-02-22 19:22:22+00')	017f22e2-79b0-7fff-bfff-ffffffffffff	symfony pull 63941
uuidv7_lower_bound('2023-11-15 18:17:12.814624-05')	018bd546-3fee-7000-8000-000000000000	aws/pg_tle pull 242: rounding gives the next millisecond
uuid_prefix_bound('2026-10-01 00:00:00+00')	01a0f4c2-c400-0000-0000-000000000000	the bound of the published study
uuid_prefix_timestamp('01a0f4c2-c400-0000-0000-000000000000')	2026-10-01 00:00:00+00	its inverse
uuidv7_lower_bound('10889-08-02 05:31:50.655+00')	ffffffff-ffff-7000-8000-000000000000	last millisecond
uuidv7_lower_bound('10889-08-02 05:31:50.656+00')	ERROR 22008	bun pull 34021, deno std pull 7284: wrapped to 0
uuidv7_lower_bound('294276-12-31 00:00:00+00')	ERROR 22008	\N
uuidv7_lower_bound('infinity')	ERROR 22008	pg_uuidv7: same garbage for both infinities
uuidv7_upper_bound('-infinity')	ERROR 22008	\N
uuidv7_lower_bound('1969-12-31 23:59:59.999+00')	ERROR 22008	uuid-creator issue 76: encoded as year 10889
uuidv7_lower_bound('1970-01-01 00:00:00+00')	00000000-0000-7000-8000-000000000000	first millisecond
uuidv7('-1000 years'::interval)	ERROR 22008	core before 18.6 wrapped
uuidv7('9000 years'::interval)	ERROR 22008	core before 18.6 wrapped
uuidv7('300000 years'::interval)	ERROR 22008	timestamptz itself overflows
uuidv7_lower_bound('2025-01-02 00:00:00+00')	0194244f-d800-7000-8000-000000000000	timescaledb test
snowflake_timestamp(175928847299117063, 'discord')	2016-04-30 11:18:25.796+00	Discord reference
snowflake_node(175928847299117063, 'discord')	32	Discord reference: worker 1, process 0
snowflake_counter(175928847299117063, 'discord')	7	Discord reference
snowflake_timestamp(1512826732476891136, 'discord')	2026-06-06 14:33:19.984+00	one id, four epochs
snowflake_timestamp(1512826732476891136, 'twitter')	2022-04-09 16:16:14.641+00	one id, four epochs
snowflake_timestamp(1512826732476891136, 'pgedge')	2034-06-06 14:33:19.984+00	one id, four epochs
snowflake_timestamp(1512826732476891136)	2034-06-06 14:33:19.984+00	the default layout is pgEdge's
snowflake_timestamp(1512826732476891136, 'instagram')	2017-05-12 04:23:41.713+00	one id, four epochs
snowflake_timestamp(136169504773242881)	2024-01-11 18:08:59.845+00	pgEdge documentation
snowflake_node(136169504773242881)	0	pgEdge code
snowflake_counter(136169504773242881)	1	pgEdge code
snowflake_lower_bound('2025-09-30 00:00:00+00', 'discord')	1422372372480000000	indexnetwork pull 236: a 32-bit shift gave 0
snowflake_lower_bound('1970-01-01 00:00:00+00', 'discord')	ERROR 22008	before the epoch
snowflake_timestamp(-1)	NULL	pgEdge reads 2092
snowflake_timestamp(9223372036854775807)	2092-09-06 15:47:35.551+00	largest id
uuidv7_at('10889-08-02 05:31:50.655001+00')	ERROR 22008	the first microsecond past the range, as 18.6
uuidv7_timestamp_us(uuidv7_at('10889-08-02 05:31:50.655+00'))	10889-08-02 05:31:50.655+00	the last microsecond of the range
uuidv7_upper_bound('10889-08-02 05:31:50.655+00')	ffffffff-ffff-7fff-bfff-ffffffffffff	highest v7
uuid_prefix_bound('10889-08-02 05:31:50.655+00')	ffffffff-ffff-0000-0000-000000000000	last millisecond
uuid_prefix_bound('10889-08-02 05:31:50.655001+00')	ERROR 22008	past it
uuid_prefix_bound('1969-12-31 23:59:59.999999+00')	ERROR 22008	before the first
uuid_prefix_timestamp('ffffffff-ffff-ffff-ffff-ffffffffffff')	10889-08-02 05:31:50.655+00	Max
uuid_prefix_timestamp('00000000-0000-0000-0000-000000000000')	1970-01-01 00:00:00+00	Nil
uuid_prefix_timestamp('{01A0F4C2C40000000000000000000000}')	2026-10-01 00:00:00+00	any form that uuid takes
uuid_prefix_timestamp('01a0f4c2')	ERROR 22P02	no uuid
uuidv7_at('infinity')	ERROR 22008	no infinite time
uuidv7_at(NULL)	NULL	strict
uuidv7(NULL)	NULL	strict
uuid_extract_version('00000000-0000-0000-0000-000000000000')	NULL	Nil
uuid_extract_version('ffffffff-ffff-ffff-ffff-ffffffffffff')	NULL	Max
uuid_extract_version('C232AB00-9414-11EC-B3C8-9F6BDECED846')	1	RFC 9562 A.1
uuid_extract_version('2489E9AD-2EE2-8E00-8EC9-32D5F69181C0')	8	RFC 9562 B.1
uuid_extract_timestamp('2489E9AD-2EE2-8E00-8EC9-32D5F69181C0')	NULL	RFC 9562 B.1
snowflake_lower_bound('2023-01-01 00:00:00+00')	0	first id
snowflake_lower_bound('2022-12-31 23:59:59.999999+00')	ERROR 22008	floor, not toward zero
snowflake_upper_bound('2092-09-06 15:47:35.551999+00')	9223372036854775807	last id
snowflake_lower_bound('2092-09-06 15:47:35.552+00')	ERROR 22008	2^41 milliseconds
snowflake_lower_bound('2010-11-04 01:42:54.657+00', 'twitter')	0	first id
snowflake_lower_bound('2010-11-04 01:42:54.656999+00', 'twitter')	ERROR 22008	floor, not toward zero
snowflake_upper_bound('2080-07-10 17:30:30.208999+00', 'twitter')	9223372036854775807	last id
snowflake_upper_bound('2084-09-06 15:47:35.551+00', 'discord')	9223372036854775807	last id
snowflake_upper_bound('2084-09-06 15:47:35.552+00', 'discord')	ERROR 22008	past it
snowflake_timestamp(0, 'mastodon')	1970-01-01 00:00:00+00	epoch
snowflake_node(1512826732476891136, 'mastodon')	NULL	no node in that layout
snowflake_timestamp(9223372036854775807, 'mastodon')	6429-10-17 02:45:55.327+00	largest id
snowflake_timestamp(-9223372036854775808, 'discord')	NULL	smallest
snowflake_node(-1)	NULL	negative
snowflake_counter(-1, 'twitter')	NULL	negative
snowflake_timestamp(800356270543470622, 'discord')	2021-01-17 13:30:04.798+00	discord-api-docs issue 2495
snowflake_timestamp(1497549923779084388, 'discord')	2026-04-25 10:48:44.961+00	talon pull 204
\.

-- Each call is made with the name of this extension's function, which core's
-- of the same name would hide
CREATE FUNCTION pg_temp.outcome(call text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	outcome text;
BEGIN
	EXECUTE 'SELECT (' || regexp_replace(call, '\m(uuid|snowflake)\w*\(', 'public.\&', 'g') || ')::text'
	INTO outcome;
	RETURN COALESCE(outcome, 'NULL');
EXCEPTION WHEN OTHERS THEN
	RETURN 'ERROR ' || SQLSTATE;
END $$;

SELECT call, expected, outcome, source
FROM (SELECT *, pg_temp.outcome(call) AS outcome FROM case_value) c
WHERE outcome IS DISTINCT FROM expected
ORDER BY number;
SELECT count(*) AS cases,
       count(*) FILTER (WHERE expected LIKE 'ERROR%') AS errors,
       count(*) FILTER (WHERE expected = 'NULL') AS nulls
FROM case_value;

-- NULL gives NULL, and an unknown layout an error, in every function
SELECT oid::regprocedure AS function
FROM pg_proc
WHERE pronamespace = 'public'::regnamespace AND probin LIKE '%uuid_keyorder%'
      AND provolatile = 'i' AND pronargs > 0 AND NOT proisstrict;
SELECT oid::regprocedure AS function, pg_temp.outcome(call) AS outcome
FROM pg_proc, format('%s(%s, ''nosuch'')', proname,
                     CASE proargtypes[0] WHEN 'bigint'::regtype THEN '1' ELSE 'now()' END) AS call
WHERE pronamespace = 'public'::regnamespace AND proname ~ '^snowflake_' AND pronargs = 2
ORDER BY proname;

--
-- Wording: what failed, and a DETAIL with the range
--
-- trap I-1, as 18.6
SELECT public.uuidv7('-1000 years');
SELECT public.uuidv7('9000 years');
SELECT public.uuidv7('300000 years');
-- trap I-22
SELECT public.uuidv7_at('10889-08-02 05:31:50.655001+00');
SELECT public.uuidv7_lower_bound('infinity');
SELECT public.uuidv7_upper_bound('1969-12-31 23:59:59.999999+00');
SELECT public.uuid_prefix_bound('-infinity');
SELECT public.uuid_prefix_timestamp('no uuid');
-- trap I-41, for each layout the range of its own
SELECT public.snowflake_lower_bound('2022-12-31 23:59:59.999999+00');
SELECT public.snowflake_lower_bound('2092-09-06 15:47:35.552+00');
SELECT public.snowflake_upper_bound('infinity', 'twitter');
SELECT public.snowflake_lower_bound('-infinity', 'discord');
SELECT public.snowflake_lower_bound('294276-12-31 23:59:59.999999+00', 'instagram');
SELECT public.snowflake_upper_bound('4714-11-24 00:00+00 BC', 'mastodon');
-- trap I-40: an unknown name lists those that are known
SELECT public.snowflake_timestamp(1, 'nosuch');
\echo :LAST_ERROR_SQLSTATE
SELECT public.snowflake_counter(-1, '');
SELECT public.snowflake_node(1, 'KeyOrder');
