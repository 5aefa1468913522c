-- Partitions by month, on the primary key itself.  uuidv7_at() gives old rows
-- keys of their own time.
\echo
\echo '3. Partitions by month, on the id; a range of time looks into one'
\echo

CREATE TABLE events (
	id   uuid PRIMARY KEY DEFAULT public.uuidv7(),
	kind text NOT NULL
) PARTITION BY RANGE (id);

CREATE TABLE events_2026_01 PARTITION OF events
	FOR VALUES FROM (uuid_prefix_bound('2026-01-01')) TO (uuid_prefix_bound('2026-02-01'));
CREATE TABLE events_2026_02 PARTITION OF events
	FOR VALUES FROM (uuid_prefix_bound('2026-02-01')) TO (uuid_prefix_bound('2026-03-01'));
CREATE TABLE events_2026_03 PARTITION OF events
	FOR VALUES FROM (uuid_prefix_bound('2026-03-01')) TO (uuid_prefix_bound('2026-04-01'));

INSERT INTO events (id, kind)
SELECT uuidv7_at(ts), 'backfilled'
FROM generate_series(timestamptz '2026-01-01', '2026-03-31 23:59', '1 minute') AS ts;
VACUUM (ANALYZE) events;

SELECT tableoid::regclass AS partition, count(*),
       min(uuidv7_timestamp(id)), max(uuidv7_timestamp(id))
FROM events GROUP BY 1 ORDER BY 1;

EXPLAIN (COSTS OFF)
SELECT count(*) FROM events
WHERE id >= uuidv7_lower_bound('2026-02-14')
  AND id <  uuidv7_lower_bound('2026-02-15');
