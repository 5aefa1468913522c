# What REINDEX would give, against a real REINDEX, at fillfactor 50, 70, 90 and
# 100: equal to the page for keys of one width, within 1 percent for keys of
# mixed width, within 3 percent for deduplicated ones; sampled, within two
# standard errors.
#
# Traps D-10, D-11, D-47; G01.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $node = new_server('leaf_density_rebuild');
my $rows = 24000 * $scale;
my @fillfactors = (50, 70, 90, 100);

# [ name, columns and options of the index, allowed error ]
my @kinds = (
	[ 'uuid', '(id)', 0 ],
	[ 'int8', '(number)', 0 ],
	[ 'int8_unique', '(number)', 0, 'UNIQUE' ],
	[ 'text_mixed', '(words)', 0.01 ],
	[ 'columns', '(small, words, id)', 0.01 ],
	[ 'include', '(id) INCLUDE (words)', 0.01 ],
	[ 'no_deduplication', '(small)', 0.01, '', 'deduplicate_items = off, ' ],
	[ 'few_values', '(small)', 0.03 ],
	[ 'some_values', '(middle)', 0.03 ],
	[ 'pairs', '(half)', 0.03 ],
	[ 'few_texts', "(left(words, 9))", 0.03 ]);

# Rows come in random order, so that indexes are loose and unordered.
$node->safe_psql('postgres', q{
	CREATE TABLE loose (id uuid, number bigint, words text, small int, middle int, half int);
});
my @indexes;
my $create = '';
foreach my $kind (@kinds)
{
	my ($name, $columns, $allowed, $unique, $options) = @$kind;
	foreach my $fillfactor (@fillfactors)
	{
		my $index = "${name}_$fillfactor";
		push @indexes, [ $index, $allowed ];
		$create .= "CREATE @{[$unique // '']} INDEX $index ON loose $columns
			WITH (@{[$options // '']}fillfactor = $fillfactor);";
	}
}
$node->safe_psql('postgres', $create);
$node->safe_psql('postgres', qq{
	INSERT INTO loose
	SELECT md5(n::text)::uuid, n, repeat(md5((n * 3)::text), 1 + n % 4) || repeat('z', n % 57), n % 40, n % 2500, n / 2
	FROM generate_series(1, $rows) n ORDER BY md5((n * 7)::text);
	DELETE FROM loose WHERE number % 9 = 0;
	VACUUM (INDEX_CLEANUP on) loose;
});

# What may be dead but is not marked counts as alive, so nothing dead is left
# over at first; then a tenth is, marked by index scans.
compare_with_reindex('loose', map { [@$_] } @indexes);
$node->safe_psql('postgres', q{
	DELETE FROM loose WHERE number % 10 = 1;
	SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off;
	SELECT count(small) FROM loose WHERE number > 0;
	SELECT count(small) FROM loose WHERE number > 0;
});
my ($dead) = column_of($node, q{
	SELECT index FROM unnest('{int8_50,int8_70,int8_90,int8_100,int8_unique_50,int8_unique_70,int8_unique_90,int8_unique_100}'::text[]) index,
	       index_leaf_density(index::regclass) WHERE dead_items > 0});
ok(defined $dead, 'an index scan marks dead items');
compare_with_reindex('marked dead', [ $dead, 0 ]) if defined $dead;

# Exact, then two samples, of each index; a standard error is that of the density.
sub estimates_of
{
	my $list = join ',', @_;
	return map { [ split /\|/, $_, -1 ] } column_of($node, qq{
		SELECT setseed(0.4) IS NULL;
		SELECT (SELECT rebuilt_pages FROM index_leaf_density(index::regclass)),
		       (SELECT string_agg(rebuilt_pages || ' ' || ceil(rebuilt_pages * avg_leaf_density_error / avg_leaf_density), ' ')
		        FROM generate_series(1, 2) n, index_leaf_density(index::regclass, 60 + 0 * n) WHERE sampled),
		       pg_relation_size(index::regclass) / 8192
		FROM unnest('{$list}'::text[]) WITH ORDINALITY AS i (index, n) ORDER BY i.n});
}

sub compare_with_reindex
{
	my ($what, @list) = @_;
	my @names = map { $_->[0] } @list;
	my (undef, @before) = estimates_of(@names);
	$node->safe_psql('postgres', join '', map { "REINDEX INDEX $_;" } @names);
	my (undef, @after) = estimates_of(@names);

	foreach my $i (0 .. $#list)
	{
		my ($index, $allowed) = @{ $list[$i] };
		my ($exact, $samples) = @{ $before[$i] };
		my ($again, $samples_again, $real) = @{ $after[$i] };
		# a page is the unit
		my $most = $allowed == 0 ? 0 : int($allowed * $real) || 1;

		cmp_ok(abs($exact - $real), '<=', $most, "$what, $index: $exact of $real");
		cmp_ok(abs($again - $real), '<=', $most, "$what, $index: $again of $real once rebuilt");
		my @pairs = split / /, $samples;
		while (my ($sampled, $error) = splice @pairs, 0, 2)
		{
			cmp_ok(abs($sampled - $real), '<=', 2 * $error + $allowed * $real + 1,
				"$what, $index: sampled $sampled of $real, error $error");
		}
	}
}

$node->stop;
done_testing();
