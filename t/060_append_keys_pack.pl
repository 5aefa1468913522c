# Append keys pack the right edge of an index of version 4 keys, with one client
# and with sixteen; version 7 keys leave their leaves half full there.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $rows = 100_000 * $scale;
my $node = new_server('pack');

# A table of version 4 keys as large as what is added to it.
sub make_table
{
	my ($name, $generator) = @_;
	$node->safe_psql('postgres', qq{
		CREATE TABLE $name (id uuid PRIMARY KEY);
		INSERT INTO $name SELECT public.uuidv4() FROM generate_series(1, $rows);
		ALTER TABLE $name ALTER id SET DEFAULT public.$generator(), ADD n int});
}

# Density, leaves and contiguity of the leaves of one kind of key.
sub leaves_of
{
	my ($name, $kind) = @_;
	my $row = $node->safe_psql('postgres', qq{
		SELECT avg_leaf_density, leaf_pages, leaf_fragmentation
		FROM index_leaf_density_by_version('${name}_pkey') WHERE key_kind = '$kind'});
	return split /\|/, $row;
}

make_table('one_append', 'uuidv8_append');
make_table('one_v7', 'uuidv7');
$node->safe_psql('postgres', "INSERT INTO $_ (n) SELECT generate_series(1, $rows)")
  foreach qw(one_append one_v7);

my ($density, $leaves, $fragmentation) = leaves_of('one_append', 'v8 append');
my ($v7_density, $v7_leaves) = leaves_of('one_v7', 'v7');
cmp_ok($density, '>=', 89, 'one client: leaves of append keys are filled to the fillfactor');
is($fragmentation, 0, 'one client: they stand in order');
cmp_ok($v7_density, '<', 55, 'one client: leaves of version 7 keys stay half full');
cmp_ok($leaves / $v7_leaves, '<=', 0.57, 'one client: growth against version 7');

make_table('many_append', 'uuidv8_append');
pgbench_clients($node, 'sixteen clients insert',
	'INSERT INTO many_append (n) SELECT generate_series(1, 100)',
	'-c', 16, '-j', 2, '-t', int($rows / 1600));
($density) = leaves_of('many_append', 'v8 append');
cmp_ok($density, '>=', 89, 'sixteen clients: leaves are filled to the fillfactor');

# Old keys that sort above the new ones do no harm while they fit the tenth of a
# leaf that a split at the right edge leaves behind.
make_table('stragglers', 'uuidv8_append');
$node->safe_psql('postgres', qq{
	INSERT INTO stragglers
	SELECT overlay(public.uuidv4()::text PLACING 'ffffffe' FROM 1 FOR 7)::uuid FROM generate_series(1, 25);
	INSERT INTO stragglers (n) SELECT generate_series(1, $rows)});
($density) = leaves_of('stragglers', 'v8 append');
cmp_ok($density, '>=', 89, '25 old keys above: leaves are filled to the fillfactor');

$node->stop;
done_testing();
