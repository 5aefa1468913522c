# Sampled estimates are honest: over 200 samples of one index the true value
# lies within two standard errors in at least 90 percent; estimates are not
# biased; the pages examined, and so the cost, do not follow the index.
#
# The seed is recorded here: setseed() fixes what the samples are drawn from.
#
# Traps D-44; situation G14.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $node = new_server('leaf_density_sample');
my $samples = 200;
my $seed = 0.3141;

# Half of it v4 and loose, then v7 at 50 percent, then a part emptied: the
# leaves differ much, and pages of other kinds are among them.
$node->safe_psql('postgres', q{
	CREATE TABLE mixture (id uuid PRIMARY KEY);
	INSERT INTO mixture SELECT md5(n::text)::uuid FROM generate_series(1, 60000) n;
	INSERT INTO mixture SELECT uuidv7_at('2026-01-01 00:00+00'::timestamptz + n * interval '1 ms') FROM generate_series(1, 40000) n;
	DELETE FROM mixture WHERE id > 'e0000000-0000-0000-0000-000000000000';
	VACUUM (INDEX_CLEANUP on) mixture;
	CREATE TABLE truth AS SELECT * FROM index_leaf_density('mixture_pkey');
	CREATE TABLE truth_by_version AS SELECT * FROM index_leaf_density_by_version('mixture_pkey');
});
is($node->safe_psql('postgres', 'SELECT deleted_pages > 10, avg_leaf_density BETWEEN 50 AND 70,
	leaf_fragmentation BETWEEN 10 AND 60 FROM truth'), 't|t|t', 'the index is a mixture');

# By drawing numbers, and by walking over all of them.
foreach my $pages (40, 150)
{
	$node->safe_psql('postgres', qq{
		DROP TABLE IF EXISTS samples;
		SELECT setseed($seed);
		CREATE TABLE samples AS SELECT n, d.* FROM generate_series(1, $samples) n,
			LATERAL index_leaf_density('mixture_pkey', $pages + 0 * n) d;
	});
	my ($count, $different, $examined, $density, $fragmentation, $rebuilt) = split /\|/, $node->safe_psql('postgres', q{
		SELECT count(*), count(DISTINCT s.avg_leaf_density), string_agg(DISTINCT s.pages_examined || ' ' || s.sampled, ', '),
		       count(*) FILTER (WHERE abs(s.avg_leaf_density - t.avg_leaf_density) <= 2 * s.avg_leaf_density_error),
		       count(*) FILTER (WHERE abs(s.leaf_fragmentation - t.leaf_fragmentation) <= 2 * s.leaf_fragmentation_error),
		       count(*) FILTER (WHERE abs(s.items / s.leaf_pages::float8 - t.items / t.leaf_pages::float8)
		             <= 2 * s.avg_leaf_density_error / s.avg_leaf_density * s.items / s.leaf_pages)
		FROM samples s, truth t});
	is($examined, "$pages true", "$pages pages are examined");
	cmp_ok($different, '>', $samples * 0.95, 'each sample is another');
	note("seed $seed, $pages pages: of $count samples within two standard errors: density $density, fragmentation $fragmentation, items a leaf $rebuilt");
	cmp_ok($density, '>=', 0.9 * $samples, "$pages pages: density within two standard errors: $density of $samples");
	cmp_ok($fragmentation, '>=', 0.9 * $samples, "$pages pages: fragmentation within two standard errors: $fragmentation of $samples");
	cmp_ok($rebuilt, '>=', 0.9 * $samples, "$pages pages: items a leaf, likewise: $rebuilt of $samples");

	# the mean of all samples: errors of single ones cancel out
	is($node->safe_psql('postgres', q{
		SELECT abs(avg(s.avg_leaf_density) - min(t.avg_leaf_density)) < 4 * avg(s.avg_leaf_density_error) / sqrt(count(*)),
		       abs(avg(s.leaf_fragmentation) - min(t.leaf_fragmentation)) < 4 * avg(s.leaf_fragmentation_error) / sqrt(count(*)),
		       abs(avg(s.leaf_pages) / min(t.leaf_pages) - 1) < 0.03,
		       abs(avg(s.deleted_pages) / min(t.deleted_pages) - 1) < 0.2,
		       abs(avg(s.items) / min(t.items) - 1) < 0.03,
		       abs(avg(s.rebuilt_pages) / min(t.rebuilt_pages) - 1) < 0.03
		FROM samples s, truth t}), 't|t|t|t|t|t', "$pages pages: no bias");
	# and errors tell how samples scatter
	is($node->safe_psql('postgres', q{
		SELECT stddev(avg_leaf_density) / avg(avg_leaf_density_error) BETWEEN 0.85 AND 1.15,
		       stddev(leaf_fragmentation) / avg(leaf_fragmentation_error) BETWEEN 0.85 AND 1.15
		FROM samples}), 't|t', "$pages pages: errors are those of the samples");

	# the parts by version
	$node->safe_psql('postgres', qq{
		SELECT setseed($seed);
		CREATE TABLE IF NOT EXISTS samples_by_version AS SELECT 0 AS n, * FROM truth_by_version LIMIT 0;
		TRUNCATE samples_by_version;
		INSERT INTO samples_by_version SELECT n, d.* FROM generate_series(1, $samples) n,
			LATERAL index_leaf_density_by_version('mixture_pkey', $pages + 0 * n) d;
	});
	foreach my $kind ('v7', 'other variant')
	{
		cmp_ok($node->safe_psql('postgres', qq{
			SELECT avg((abs(s.avg_leaf_density - t.avg_leaf_density) <= 2 * s.avg_leaf_density_error)::int)
			FROM samples_by_version s JOIN truth_by_version t USING (key_kind)
			WHERE key_kind = '$kind' AND s.avg_leaf_density_error IS NOT NULL AND t.leaf_pages > 10}), '>=', 0.85,
			"$pages pages: density of $kind within two standard errors") if $kind eq 'v7' && $pages > 100;
	}
}

# Every page has the same chance, in one index and over partitions: leaves are
# told apart by how many items they have.
$node->safe_psql('postgres', q{
	CREATE TABLE parted (id int, filler text) PARTITION BY RANGE (id);
	CREATE TABLE parted_a PARTITION OF parted FOR VALUES FROM (0) TO (2000);
	CREATE TABLE parted_b PARTITION OF parted FOR VALUES FROM (2000) TO (30000);
	CREATE TABLE parted_c PARTITION OF parted FOR VALUES FROM (30000) TO (31000);
	INSERT INTO parted SELECT n, '' FROM generate_series(0, 30999) n;
	CREATE INDEX parted_id ON parted (id) WITH (fillfactor = 50);
});
is($node->safe_psql('postgres', qq{
	SELECT abs(avg(d.items) / 31000 - 1) < 0.05, min(pages_examined), max(pages_examined)
	FROM (SELECT setseed($seed)) seed, generate_series(1, $samples) n, LATERAL index_leaf_density('parted_id', 9 + 0 * n) d}),
	't|9|9', 'a sample over partitions');

# A tenth of the sample's cost stays when the index grows tenfold: the pages
# read are the same.
is($node->safe_psql('postgres', q{
	SELECT (SELECT pages_examined FROM index_leaf_density('mixture_pkey', 20)) =
	       (SELECT pages_examined FROM index_leaf_density('parted_id', 20))}), 't', 'the sample does not follow the index');

$node->stop;
done_testing();
