# Exact results equal a slow recomputation over pageinspect's bt_page_stats,
# bt_page_items and page_header, on every kind of index; leaf density equals
# pgstatindex of 18, and that of earlier majors but for one line pointer a page.
#
# Traps D-2, D-3, D-6, D-7, D-8, D-9, D-10, D-11, D-13, D-14, D-45, D-46; G04, G14.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $node = new_server('leaf_density_oracle');
foreach my $contrib ('pageinspect', 'pgstattuple')
{
	next if $node->safe_psql('postgres',
		"SELECT count(*) FROM pg_available_extensions WHERE name = '$contrib'");
	plan skip_all => "contrib/$contrib is not installed";
}

$node->safe_psql('postgres', q{
	CREATE EXTENSION pageinspect;
	CREATE EXTENSION pgstattuple;
	SET client_min_messages = warning;

	CREATE TABLE v4 (id uuid PRIMARY KEY);
	INSERT INTO v4 SELECT uuidv4() FROM generate_series(1, 8000);
	CREATE TABLE v7 (id uuid PRIMARY KEY, number bigint UNIQUE);
	INSERT INTO v7 SELECT uuidv7(), n FROM generate_series(1, 8000) n;
	-- v4, then v7 and v8 and others among them
	CREATE TABLE switched (id uuid PRIMARY KEY);
	INSERT INTO switched SELECT uuidv4() FROM generate_series(1, 6000);
	INSERT INTO switched SELECT uuidv7() FROM generate_series(1, 3000);
	INSERT INTO switched SELECT uuidv8_append() FROM generate_series(1, 3000);
	INSERT INTO switched SELECT md5(n::text)::uuid FROM generate_series(1, 2000) n;
	-- version 8 of two makers; nil and max at the ends
	CREATE TABLE eights (id uuid PRIMARY KEY);
	INSERT INTO eights SELECT overlay(overlay(md5(n::text) PLACING '8' FROM 13) PLACING '9' FROM 17)::uuid
		FROM generate_series(1, 3000) n;
	INSERT INTO eights SELECT uuidv8_append() FROM generate_series(1, 2000);
	INSERT INTO eights VALUES ('00000000-0000-0000-0000-000000000000'), ('ffffffff-ffff-ffff-ffff-ffffffffffff');
	-- deleted pages: trap D-3
	CREATE TABLE deleted (number bigint PRIMARY KEY);
	INSERT INTO deleted SELECT generate_series(1, 20000);
	DELETE FROM deleted WHERE number BETWEEN 3000 AND 14000 OR number % 3 = 0;
	VACUUM (INDEX_CLEANUP on) deleted;
	-- LP_DEAD items: trap D-11
	CREATE TABLE dead (number bigint PRIMARY KEY);
	INSERT INTO dead SELECT generate_series(1, 3000);
	DELETE FROM dead WHERE number % 4 = 0;

	CREATE TABLE kinds (a int, id uuid, t text, n name);
	INSERT INTO kinds SELECT (n * 7919) % 50, CASE WHEN n % 10 <> 0 THEN md5(n::text)::uuid END,
	       repeat('x', (n * 31) % 90), 'n' || n % 3
	FROM generate_series(1, 6000) n;
	CREATE INDEX kinds_plain ON kinds (a);
	CREATE INDEX kinds_multi ON kinds (t, a, id);
	CREATE INDEX kinds_uuid ON kinds (id);
	CREATE INDEX kinds_include ON kinds (id) INCLUDE (t);
	CREATE INDEX kinds_partial ON kinds (id) WHERE a < 10;
	CREATE INDEX kinds_expression ON kinds (lower(t), id);
	CREATE INDEX kinds_descending ON kinds (id DESC NULLS LAST, a);
	CREATE INDEX kinds_nodedup ON kinds (a) WITH (deduplicate_items = off, fillfactor = 60);
	CREATE INDEX kinds_name ON kinds (n, a);
	-- posting lists that were inserted into and split
	INSERT INTO kinds SELECT (n * 7919) % 50, md5(n::text)::uuid, repeat('x', (n * 31) % 90), 'n' || n % 3
	FROM generate_series(1, 6000) n;
	-- the uuid behind columns of varying width and NULLs, no duplicates
	CREATE TABLE late (t text, a int, id uuid);
	INSERT INTO late SELECT CASE WHEN n % 7 <> 0 THEN repeat('x', (n * 31) % 200) END, CASE WHEN n % 5 <> 0 THEN n END,
	       CASE WHEN n % 3 = 0 THEN uuidv4() WHEN n % 11 <> 0 THEN uuidv7() END
	FROM generate_series(1, 3000) n;
	CREATE INDEX late_all ON late (t, a, id);
	CREATE UNLOGGED TABLE unlogged_table (id uuid PRIMARY KEY);
	INSERT INTO unlogged_table SELECT uuidv7() FROM generate_series(1, 1000);
	CREATE TABLE parted (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (MINVALUE) TO ('80000000-0000-0000-0000-000000000000');
	CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM ('80000000-0000-0000-0000-000000000000') TO (MAXVALUE);
	INSERT INTO parted SELECT uuidv4() FROM generate_series(1, 2000);

	-- One row for each page.
	CREATE FUNCTION pages_of(index regclass)
	RETURNS TABLE (block int, flags int, level int, next bigint, free int, space int, new bool)
	LANGUAGE plpgsql AS $$
	BEGIN
		FOR number IN 1 .. pg_relation_size(index) / 8192 - 1 LOOP
			block := number;
			SELECT h.upper - h.lower, h.special - 24, h.upper = 0 INTO free, space, new
			FROM page_header(get_raw_page(index::text, number)) h;
			IF NOT new THEN
				SELECT btpo_flags, btpo_level, btpo_next INTO flags, level, next FROM bt_page_stats(index::text, number);
			END IF;
			RETURN NEXT;
		END LOOP;
	END
	$$;
	-- One row for each item of a leaf but the high key.
	CREATE FUNCTION items_of(index regclass)
	RETURNS TABLE (block int, bytes int, dead bool, tids int, posting bool, has_null bool, data text)
	LANGUAGE sql AS $$
		SELECT p.block, itemlen, i.dead, COALESCE(array_length(i.tids, 1), 1), i.tids IS NOT NULL, i.nulls, i.data
		FROM pages_of(index) p, bt_page_items(index::text, p.block) i
		WHERE p.flags & 21 = 1 AND (p.next = 0 OR i.itemoffset > 1)
	$$;
	CREATE FUNCTION slow_leaf_density(index regclass) RETURNS text
	LANGUAGE sql AS $$
		WITH page AS MATERIALIZED (SELECT * FROM pages_of(index)),
		     leaf AS (SELECT * FROM page WHERE flags & 21 = 1),
		     item AS MATERIALIZED (SELECT * FROM items_of(index))
		SELECT concat_ws(' ', m.version, m.level, m.root, pg_relation_size(index),
			(SELECT count(*) FROM leaf),
			(SELECT count(*) FROM page WHERE flags & 21 = 0),
			(SELECT count(*) FROM page WHERE flags & 20 = 16),
			(SELECT count(*) FROM page WHERE flags & 4 = 4),
			(SELECT count(*) FROM page WHERE new), 0,
			(SELECT count(*) FROM item), (SELECT sum(tids) FROM item),
			(SELECT count(*) FROM item WHERE posting), (SELECT count(*) FROM item WHERE dead),
			(SELECT round(avg(bytes), 6) FROM item),
			(SELECT round(100 - 100.0 * sum(free) / sum(space), 6) FROM leaf),
			(SELECT round(100.0 * count(*) FILTER (WHERE next <> 0 AND next < block) / count(*), 6) FROM leaf),
			(SELECT round(100.0 * count(*) FILTER (WHERE next = block + 1) / count(*), 6) FROM leaf),
			(SELECT count(*) FROM page))
		FROM bt_metap(index::text) m
	$$;
	CREATE FUNCTION fast_leaf_density(index regclass) RETURNS text
	LANGUAGE sql AS $$
		SELECT concat_ws(' ', version, tree_level, root_block, index_bytes, leaf_pages, internal_pages,
			half_dead_pages, deleted_pages, new_pages, damaged_pages, items, heap_tids, posting_tuples, dead_items,
			round(mean_item_bytes::numeric, 6), round(avg_leaf_density::numeric, 6),
			round(leaf_fragmentation::numeric, 6), round(contiguous_leaves::numeric, 6), pages_examined)
		FROM index_leaf_density(index)
	$$;
	-- Versions, by the bytes of the item; for a uuid that stands first.
	CREATE FUNCTION slow_versions(index regclass) RETURNS text
	LANGUAGE sql AS $$
		WITH item AS (
			SELECT block, CASE
				WHEN has_null THEN 'null'
				WHEN data ~ '^(00 ){15}00' THEN 'nil'
				WHEN data ~ '^(ff ){15}ff' THEN 'max'
				WHEN split_part(data, ' ', 9) !~ '^[89ab]' THEN 'other variant'
				WHEN data ~ '^ff ff ff [c-f]' AND split_part(data, ' ', 7) ~ '^8' THEN 'v8 append'
				ELSE 'v' || ('x' || left(split_part(data, ' ', 7), 1))::bit(4)::int END AS kind
			FROM items_of(index)),
		page AS (
			SELECT block, count(*) AS items, mode() WITHIN GROUP (ORDER BY kind) AS kind FROM item GROUP BY block),
		share AS (
			SELECT page.block, CASE WHEN count(*) * 2 > page.items THEN page.kind ELSE 'mixed' END AS kind
			FROM page JOIN item USING (block, kind) GROUP BY page.block, page.kind, page.items)
		SELECT string_agg(concat_ws(' ', kind, pages, items), ', ' ORDER BY kind COLLATE "C")
		FROM (SELECT kind, COALESCE(pages, 0) AS pages, COALESCE(items, 0) AS items
		      FROM (SELECT kind, count(*) AS pages FROM share GROUP BY kind) p
		           FULL JOIN (SELECT kind, count(*) AS items FROM item GROUP BY kind) i USING (kind)) AS k
	$$;
	CREATE FUNCTION fast_versions(index regclass) RETURNS text
	LANGUAGE sql AS $$
		SELECT string_agg(concat_ws(' ', key_kind, leaf_pages, items), ', ' ORDER BY key_kind COLLATE "C")
		FROM index_leaf_density_by_version(index)
	$$;
});

# An index scan that meets dead rows marks their items.
$node->safe_psql('postgres', q{
	SET enable_seqscan = off; SET enable_bitmapscan = off;
	SELECT count(*) FROM dead WHERE number > 0;
	SELECT count(*) FROM dead WHERE number > 0;
});

my @indexes = column_of($node, q{
	SELECT indexrelid::regclass FROM pg_index JOIN pg_class c ON c.oid = indexrelid
	WHERE relnamespace = 'public'::regnamespace AND relkind = 'i' ORDER BY 1});
push @indexes, 'pg_class_relname_nsp_index', 'pg_database_oid_index';
cmp_ok(scalar(@indexes), '>=', 17, 'kinds of indexes');
foreach my $index (@indexes)
{
	is($node->safe_psql('postgres', "SELECT fast_leaf_density('$index')"),
		$node->safe_psql('postgres', "SET client_min_messages = error; SELECT slow_leaf_density('$index')"),
		"$index: recomputed from its items");
}
is($node->safe_psql('postgres', q{SELECT deleted_pages > 20, (SELECT dead_items FROM index_leaf_density('dead_pkey'))
	FROM index_leaf_density('deleted_pkey')}), 't|750', 'there are deleted pages and dead items');
is($node->safe_psql('postgres', q{SELECT posting_tuples > 50 FROM index_leaf_density('kinds_plain')}), 't',
	'there are posting lists');

foreach my $index ('v4_pkey', 'v7_pkey', 'switched_pkey', 'eights_pkey', 'kinds_uuid', 'kinds_partial', 'kinds_descending',
	'kinds_include')
{
	is($node->safe_psql('postgres', "SELECT fast_versions('$index')"),
		$node->safe_psql('postgres', "SELECT slow_versions('$index')"),
		"$index: versions recomputed from its items");
}
like($node->safe_psql('postgres', "SELECT fast_versions('switched_pkey')"),
	qr/(?:^|, )other variant 0 \d+, .*v4 \d+ \d+, .*v7 \d+ 3\d\d\d, .*v8 append \d+ 3000/, 'all kinds are there');
like($node->safe_psql('postgres', "SELECT fast_versions('eights_pkey')"),
	qr/^max 0 1, nil 0 1, v8 \d+ 3000, v8 append \d+ 2000$/, 'version 8 of two makers');
# where the uuid stands behind columns of varying width, its kinds are counted from the table
is($node->safe_psql('postgres', q{
	SELECT string_agg(key_kind || ' ' || items, ', ' ORDER BY key_kind) FROM index_leaf_density_by_version('late_all')
	WHERE key_kind NOT IN ('mixed', 'null')}),
	$node->safe_psql('postgres', q{
	SELECT string_agg(kind || ' ' || items, ', ' ORDER BY kind)
	FROM (SELECT 'v' || uuid_extract_version(id) AS kind, count(*) AS items
	      FROM late WHERE id IS NOT NULL GROUP BY 1) AS counted}),
	'late_all: versions counted from the table');

# The histogram, from the free space of each page.
foreach my $index ('v4_pkey', 'kinds_plain', 'deleted_pkey')
{
	is($node->safe_psql('postgres',
		"SELECT string_agg(leaf_pages::text, ' ' ORDER BY bucket) FROM index_leaf_histogram('$index', 8)"),
		$node->safe_psql('postgres', "SELECT string_agg(count::text, ' ' ORDER BY bucket) FROM (
			SELECT bucket, count(block) FROM generate_series(1, 8) bucket LEFT JOIN pages_of('$index')
			ON bucket = least(8, 1 + (space - free) * 8 / space) AND flags & 21 = 1 GROUP BY bucket) AS counted"),
		"$index: histogram recomputed from its pages");
}

# pgstatindex: equal from 18 on, before one line pointer a page apart (G04)
my $line_pointer = major_version($node) >= 18 ? 0 : 4;
foreach my $index (grep { !/^pg_/ } @indexes)
{
	is($node->safe_psql('postgres', qq{
		SELECT concat_ws(' ', version, tree_level, index_bytes, root_block, internal_pages, leaf_pages,
			half_dead_pages, deleted_pages, round(leaf_fragmentation::numeric, 2)) FROM index_leaf_density('$index')}),
		$node->safe_psql('postgres', qq{
		SELECT concat_ws(' ', version, tree_level, index_size, root_block_no, internal_pages, leaf_pages,
			empty_pages, deleted_pages, leaf_fragmentation::numeric(5,2)) FROM pgstatindex('$index')}),
		"$index: as pgstatindex");
	cmp_ok($node->safe_psql('postgres', qq{
		SELECT abs(d.avg_leaf_density + least(100.0 * $line_pointer / 8152, 100 - d.avg_leaf_density) - p.avg_leaf_density)
		FROM index_leaf_density('$index') d, pgstatindex('$index') p}), '<', $line_pointer ? 0.03 : 0.00501,
		"$index: density as pgstatindex");
}

# An index that pg_upgrade brought along: metapage version 2 and 3 (trap D-8).
# The bytes behind level are new in 3 and 4, and pivot tuples have no mark.
foreach my $version (2, 3)
{
	$node->safe_psql('postgres', "DROP TABLE IF EXISTS old; CREATE TABLE old (id uuid PRIMARY KEY);
		INSERT INTO old SELECT uuidv4() FROM generate_series(1, 5000)");
	my $before = $node->safe_psql('postgres', "SELECT fast_leaf_density('old_pkey'), fast_versions('old_pkey')");
	my $file = $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('old_pkey')");

	$node->stop;
	forge_metapage_version($file, $version);
	$node->start;
	$before =~ s/^4 /$version /;
	is($node->safe_psql('postgres', "SELECT fast_leaf_density('old_pkey'), fast_versions('old_pkey')"),
		$before, "metapage version $version");
	is($node->safe_psql('postgres', "SELECT sum(items) FROM index_leaf_density_by_range('old_pkey', 3)"), 5000,
		"ranges with metapage version $version");
}

# Write a version into block 0, at the start of the page's data; where there is
# a checksum, clear it together with the need for it.
sub forge_metapage_version
{
	my ($file, $version) = @_;

	open my $handle, '+<:raw', $file or die "could not open $file: $!";
	seek $handle, 24 + 4, 0;
	print $handle pack('L', $version);
	close $handle or die;
	my $checksums = `pg_controldata @{[$node->data_dir]}` =~ /Data page checksum version:\s+[1-9]/;
	system_or_bail('pg_checksums', '--disable', '-D', $node->data_dir) if $checksums;
}

$node->stop;
done_testing();
