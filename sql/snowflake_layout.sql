--
-- Time, node and counter out of ids of each layout.
--
-- trap I-21, I-40, I-41, I-45; D10
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS uuid_keyorder SCHEMA public;
RESET client_min_messages;
SET DateStyle = 'ISO, YMD';
SET TimeZone = 'UTC';

-- trap I-40: constants with a name, so times out of ids are immutable and serve
-- in a generated column and an index
CREATE TABLE message (
	id bigint PRIMARY KEY DEFAULT public.snowflake_id(),
	made timestamptz GENERATED ALWAYS AS (public.snowflake_timestamp(id)) STORED,
	as_discord timestamptz GENERATED ALWAYS AS (public.snowflake_timestamp(id, 'discord')) STORED,
	node int GENERATED ALWAYS AS (public.snowflake_node(id)) STORED,
	counter int GENERATED ALWAYS AS (public.snowflake_counter(id)) STORED);
CREATE INDEX ON message (public.snowflake_timestamp(id, 'twitter'));
INSERT INTO message VALUES (1512826732476891136), (-1);
SELECT * FROM message ORDER BY id;
DROP TABLE message;

-- Random ids: the fields are those of the bits, in each layout.  trap I-41: up to
-- the last bit below the sign.  trap I-21: below 0 is NULL
CREATE TEMP TABLE layout (name text, epoch bigint, node_bits int, counter_bits int);
INSERT INTO layout VALUES
	('keyorder', 1672531200000, 10, 12), ('pgedge', 1672531200000, 10, 12),
	('twitter', 1288834974657, 10, 12), ('discord', 1420070400000, 10, 12),
	('instagram', 1314220021721, 13, 10), ('mastodon', 0, 0, 16);
SELECT name,
       count(*) FILTER (WHERE public.snowflake_timestamp(id, name) IS DISTINCT FROM
                              timestamptz 'epoch' + ms / 1000000 * interval '1000 s' + ms % 1000000 * interval '1 ms') AS wrong_time,
       count(*) FILTER (WHERE public.snowflake_node(id, name) IS DISTINCT FROM
                              CASE WHEN node_bits > 0 THEN (id >> counter_bits) & ((1 << node_bits) - 1) END) AS wrong_node,
       count(*) FILTER (WHERE public.snowflake_counter(id, name) IS DISTINCT FROM id & ((1 << counter_bits) - 1)) AS wrong_counter,
       count(*) FILTER (WHERE id NOT BETWEEN public.snowflake_lower_bound(public.snowflake_timestamp(id, name), name)
                                         AND public.snowflake_upper_bound(public.snowflake_timestamp(id, name), name)) AS not_bounded,
       count(COALESCE(public.snowflake_timestamp(- id - 1, name)::text, public.snowflake_node(- id - 1, name)::text,
                      public.snowflake_counter(- id - 1, name)::text)) AS of_negative
FROM (SELECT *, epoch + (id >> (node_bits + counter_bits)) AS ms
      FROM layout, (SELECT floor(random() * 2147483648)::bigint << 32 | floor(random() * 4294967296)::bigint AS id FROM generate_series(1, 1000)
                    UNION ALL VALUES (0), (9223372036854775807)) r) l
GROUP BY name ORDER BY name;
-- trap I-41: the highest id of each is positive, and the millisecond after it
-- an error
SELECT name, public.snowflake_timestamp(9223372036854775807, name) AS last,
       public.snowflake_upper_bound(public.snowflake_timestamp(9223372036854775807, name), name) AS highest
FROM layout ORDER BY name;
CREATE FUNCTION pg_temp.sqlstate_of(call text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT ' || call;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
SELECT kind, pg_temp.sqlstate_of(format('public.snowflake_%s_bound(public.snowflake_timestamp(9223372036854775807, %L) + interval ''1 ms'', %2$L)', kind, name)) AS after,
       pg_temp.sqlstate_of(format('public.snowflake_%s_bound(public.snowflake_timestamp(0, %L) - interval ''1 us'', %2$L)', kind, name)) AS before,
       count(*) AS layouts
FROM layout, unnest(ARRAY['lower', 'upper']) AS kind
GROUP BY 1, 2, 3 ORDER BY 1;

-- trap I-45: a number of JavaScript holds 53 bits; ids go there as text (D10)
SELECT id, id::float8::bigint AS as_double, to_json(id::text) AS as_text
FROM unnest(ARRAY[800356270543470622, 1497549923779084388, 175928847299117063, 136169504773242881]) AS id;
