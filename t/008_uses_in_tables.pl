# The functions where tables keep them: default, generated column, check, index
# expression, partition bound, trigger; and what DROP EXTENSION says to that.
#
# Situations B15, I05, I07; traps I-31, I-32, I-46.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $node = new_server('uses_in_tables');

# Unqualified, uuidv7() of 18 and later is core's: the default names the schema.
$node->safe_psql('postgres', q{
	CREATE TABLE orders (
		id uuid PRIMARY KEY DEFAULT public.uuidv7(),
		number bigint UNIQUE DEFAULT snowflake_id(),
		created timestamptz GENERATED ALWAYS AS (uuidv7_timestamp(id)) STORED,
		numbered timestamptz GENERATED ALWAYS AS (snowflake_timestamp(number)) STORED,
		CHECK (public.uuid_extract_version(id) = 7));
	CREATE INDEX orders_by_time ON orders (uuidv7_timestamp_us(id));
	INSERT INTO orders SELECT FROM generate_series(1, 1000);
});
is($node->safe_psql('postgres', q{
	SELECT count(*), count(DISTINCT id), count(DISTINCT number),
		bool_and(created = uuidv7_timestamp(id)), bool_and(numbered = snowflake_timestamp(number))
	FROM orders}), '1000|1000|1000|t|t', 'defaults and generated columns');
is(error_of($node, q{INSERT INTO orders VALUES (uuidv4())}),
	'23514 new row for relation "orders" violates check constraint "orders_id_check"', 'check');
like($node->safe_psql('postgres', q{
	SET enable_seqscan = off;
	EXPLAIN SELECT * FROM orders WHERE uuidv7_timestamp_us(id) < '2020-01-01'}),
	qr/orders_by_time/, 'index expression is used');
like($node->safe_psql('postgres', q{
	SET enable_seqscan = off; SET enable_bitmapscan = off;
	EXPLAIN (COSTS off) SELECT * FROM orders WHERE id >= uuidv7_lower_bound('2026-01-01+00') AND id < uuidv7_lower_bound('2026-02-01+00')}),
	qr/Index Cond: \(\(id >= '019b76da-a800-7000-8000-000000000000'::uuid\) AND \(id < '[0-9a-f-]{36}'::uuid\)\)/,
	'a bound is a constant of the primary key at plan time');
like($node->safe_psql('postgres', 'EXPLAIN (COSTS off) SELECT max(id) FROM orders'), qr/Index Only Scan Backward/,
	'max(uuid) is one probe of the index');

# Partitions by time, through the key; ids of both kinds.
$node->safe_psql('postgres', q{
	CREATE TABLE events (id uuid PRIMARY KEY, n int) PARTITION BY RANGE (id);
	CREATE TABLE events_2025 PARTITION OF events
		FOR VALUES FROM (uuidv7_lower_bound('2025-01-01+00')) TO (uuidv7_lower_bound('2026-01-01+00'));
	CREATE TABLE events_2026 PARTITION OF events
		FOR VALUES FROM (uuidv7_lower_bound('2026-01-01+00')) TO (uuidv7_lower_bound('2027-01-01+00'));
	INSERT INTO events SELECT uuidv7_at('2025-01-01+00'::timestamptz + n * interval '1 day'), n FROM generate_series(0, 729) AS n;
	CREATE TABLE numbers (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE numbers_2025 PARTITION OF numbers
		FOR VALUES FROM (snowflake_lower_bound('2025-01-01+00')) TO (snowflake_lower_bound('2026-01-01+00'));
	CREATE TABLE numbers_later PARTITION OF numbers
		FOR VALUES FROM (snowflake_lower_bound('2026-01-01+00')) TO (MAXVALUE);
	INSERT INTO numbers SELECT snowflake_id() FROM generate_series(1, 10);
});
is($node->safe_psql('postgres', q{
	SELECT tableoid::regclass, count(*), min(n), max(n) FROM events GROUP BY 1 ORDER BY 1}),
	"events_2025|365|0|364\nevents_2026|365|365|729", 'each row in the partition of its time');
my $plan = $node->safe_psql('postgres', q{
	EXPLAIN (COSTS off) SELECT * FROM events WHERE id >= uuidv7_lower_bound('2026-03-01+00') AND id < uuidv7_lower_bound('2026-04-01+00')});
like($plan, qr/events_2026/, 'a range of time reads its partition');
unlike($plan, qr/events_2025|Subplans Removed/, 'and prunes the other one at plan time');
is($node->safe_psql('postgres', q{
	SELECT count(*) FROM events WHERE id >= uuidv7_lower_bound('2026-03-01+00') AND id < uuidv7_lower_bound('2026-04-01+00')}),
	31, 'half-open range of a month');
unlike($node->safe_psql('postgres', q{
	EXPLAIN (COSTS off) SELECT * FROM numbers WHERE id < snowflake_lower_bound('2025-06-01+00')}), qr/numbers_later/,
	'and for snowflake ids');

# Ways to fill a default without naming it: COPY and ADD COLUMN.
$node->safe_psql('postgres', q{
	CREATE TABLE filled (n int, id bigint DEFAULT snowflake_id(), u uuid DEFAULT public.uuidv7());
	COPY filled (n) FROM PROGRAM 'seq 1000';
	ALTER TABLE filled ADD COLUMN later uuid DEFAULT public.uuidv7();
	CREATE UNIQUE INDEX ON filled (later);
	CREATE UNIQUE INDEX ON filled (id);
});
is($node->safe_psql('postgres', q{
	SELECT count(*) FROM (
		SELECT id, u, later, lag(id) OVER w AS id_before, lag(u) OVER w AS u_before, lag(later) OVER w AS later_before
		FROM filled WINDOW w AS (ORDER BY n)) AS pair
	WHERE id <= id_before OR u <= u_before OR later <= later_before}), 0, 'COPY and ADD COLUMN fill in order, each row its own');

# DROP EXTENSION asks; CASCADE takes the defaults and leaves the rows.
my ($status, $stdout, $stderr) = $node->psql('postgres', 'DROP EXTENSION uuid_keyorder');
like($stderr, qr/ERROR:  cannot drop extension uuid_keyorder because other objects depend on it/, 'DROP EXTENSION refuses');
like($stderr, qr/default value for column number of table orders depends on function snowflake_id\(\)/, 'and names the default');
$node->safe_psql('postgres', q{
	ALTER TABLE orders DROP COLUMN created, DROP COLUMN numbered;
	DROP EXTENSION uuid_keyorder CASCADE});
is($node->safe_psql('postgres', q{
	SELECT count(*), count(id), count(number), (SELECT count(*) FROM pg_attrdef WHERE adrelid = 'orders'::regclass) FROM orders}),
	'1000|1000|1000|0', 'CASCADE keeps columns and rows');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname = 'snowflake_id_mark'}), 0, 'the mark is gone');

$node->stop('immediate');
done_testing();
