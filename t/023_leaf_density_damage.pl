# Pages of a stopped cluster's files overwritten with zeros, with random bytes,
# and with what looks like a leaf but is not, and a leaf half way to deletion:
# each is counted in its own column, one WARNING tells of them, the rest of the index is reported, and
# nothing crashes; without and with checksums.
#
# Traps D-3, D-6, D-7, D-32.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $block_size = 8192;
my $seed = 20261130;
srand $seed;
note("seed $seed");

# initdb makes checksums only when asked, or unless told not to, from 18 on.
my ($major) = `pg_config --version` =~ / (\d+)/;
my %checksum_options = (
	without => $major >= 18 ? ['--no-data-checksums'] : [],
	with => ['--data-checksums']);

foreach my $checksums ('without', 'with')
{
	test_damage($checksums, new_server("leaf_damage_$checksums", extra => $checksum_options{$checksums}));
}
done_testing();

sub test_damage
{
	my ($checksums, $node) = @_;

	$node->safe_psql('postgres', q{
		CREATE TABLE hit (id uuid PRIMARY KEY, words text, number int);
		INSERT INTO hit SELECT md5(n::text)::uuid, repeat('w', n % 100), n % 100 FROM generate_series(1, 10000) n;
		CREATE INDEX hit_words ON hit (words, id);
		CREATE INDEX hit_number ON hit (number);
		CREATE TABLE headless (id uuid PRIMARY KEY);
		INSERT INTO headless SELECT md5(n::text)::uuid FROM generate_series(1, 5000) n;
		CREATE TABLE high (id uuid PRIMARY KEY, number int8);
		INSERT INTO high SELECT md5(n::text)::uuid, n / 3 FROM generate_series(1, 500) n;
		CREATE INDEX high_number ON high (number) WITH (deduplicate_items = off);
		ALTER INDEX high_number SET (deduplicate_items = on);
		CREATE INDEX high_words ON high ((id::text));
		CREATE TABLE short (id int PRIMARY KEY);
		INSERT INTO short SELECT generate_series(1, 3000);
		CREATE TABLE interrupted (id int PRIMARY KEY);
		INSERT INTO interrupted SELECT generate_series(1, 3000);
		CHECKPOINT;
	});
	my %file = map { $_ => $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('$_')") }
	  ('hit_pkey', 'hit_words', 'hit_number', 'headless_pkey', 'high_pkey', 'high_number', 'high_words',
		'interrupted_pkey');
	my $blocks = $node->safe_psql('postgres', q{SELECT pg_relation_size('hit_pkey') / 8192});
	my ($leaves, $items) = split /\|/,
	  $node->safe_psql('postgres', q{SELECT leaf_pages, items FROM index_leaf_density('hit_pkey')});

	$node->stop;
	my %overwritten = (
		# the last block too, and several in a row
		10 => "\0" x $block_size, 11 => "\0" x $block_size, $blocks - 1 => "\0" x $block_size,
		20 => random_bytes($block_size), 21 => random_bytes($block_size), 22 => random_bytes($block_size),
		5 => random_bytes($block_size));
	overwrite($file{hit_pkey}, %overwritten);
	overwrite($file{headless_pkey}, 0 => random_bytes($block_size));
	# plausible headers, and nonsense behind them
	foreach my $index ('hit_words', 'hit_number')
	{
		overwrite($file{$index}, map { $_ => nonsense_leaf($file{$index}, $_) } (1, 2, 4, 5, 6));
	}
	# a high key out of the page, and one over all of it
	overwrite($file{high_pkey}, 1 => wild_high_key($file{high_pkey}, 1, 0x7ff8, 0x7fff));
	overwrite($file{high_number}, 1 => wild_high_key($file{high_number}, 1, 0x7ff8, 0x7fff));
	overwrite($file{high_words}, 1 => wild_high_key($file{high_words}, 1));
	# as a crash between the two steps of a page deletion leaves it
	overwrite($file{interrupted_pkey}, 4 => half_dead_leaf($file{interrupted_pkey}, 4));
	# one line pointer of many leads behind the items, before them, between them
	overwrite($file{interrupted_pkey}, map { $_->[0] => wild_line_pointer($file{interrupted_pkey}, @$_) }
		  ([ 5, 3, $block_size - 16, 16 ], [ 6, 3, 24, 16 ], [ 7, 3, $block_size - 44, 16 ]));
	$node->start;

	# first of all, while no page is in shared_buffers: a read of several blocks
	# fails as a whole for one of them
	my ($new, $damaged, $leaves_left, $sum) = split /\|/, $node->safe_psql('postgres', q{
		SET client_min_messages = error;
		SELECT new_pages, damaged_pages, leaf_pages,
		       1 + leaf_pages + internal_pages + half_dead_pages + deleted_pages + new_pages + damaged_pages
		FROM index_leaf_density('hit_pkey')});
	is("$new $damaged $sum", "3 4 $blocks", 'zeroed pages are new, others damaged, and all add up');
	my ($stdout, $stderr);
	my @functions = ("index_leaf_density('hit_pkey')", "index_leaf_histogram('hit_pkey')",
		"index_leaf_density_by_version('hit_pkey')", "index_leaf_density_by_range('hit_pkey', 4)",
		"index_leaf_density('hit_pkey', 30)");
	foreach my $function (@functions)
	{
		(my $status, $stdout, $stderr) = $node->psql('postgres', "SELECT * FROM $function");
		is($status, 0, "$checksums checksums: $function answers");
		my $warnings = () = $stderr =~ /WARNING:  index "hit_pkey" contains damaged pages/g;
		is($warnings, 1, "... with one WARNING") unless $function =~ /30/;
	}
	cmp_ok($leaves_left, '>=', $leaves - 7, 'the rest is leaves');
	is($node->safe_psql('postgres', q{
		SET client_min_messages = error;
		SELECT (SELECT sum(leaf_pages) FROM index_leaf_histogram('hit_pkey')) = leaf_pages,
		       (SELECT sum(leaf_pages) FROM index_leaf_density_by_version('hit_pkey')) = leaf_pages,
		       (SELECT sum(leaf_pages) FROM index_leaf_density_by_range('hit_pkey', 4)) = leaf_pages,
		       (SELECT sum(leaf_pages) FROM index_leaf_density_by_range('hit_pkey', 1000)) = leaf_pages
		FROM index_leaf_density('hit_pkey')}), 't|t|t|t', 'all functions see the same leaves');
	like($stderr, qr/DETAIL:  Of 30 pages examined, \d are no pages of a btree index; damaged metapages: 0\./,
		'the WARNING tells how many') if $stderr =~ /hit_pkey/;

	# in a transaction block, and twice in one session: nothing is left behind
	is($node->safe_psql('postgres', q{
		SET client_min_messages = error;
		BEGIN;
		SELECT damaged_pages FROM index_leaf_density('hit_pkey');
		SAVEPOINT s;
		SELECT damaged_pages FROM index_leaf_density('hit_pkey');
		ROLLBACK TO s;
		SELECT count(*) FROM short;
		COMMIT;
		SELECT count(*) FROM pg_locks WHERE relation = 'hit_pkey'::regclass}), "4\n4\n3000\n0", 'a transaction goes on');

	# a lost metapage
	($stdout, $stderr) = ($node->psql('postgres', q{
		SELECT version, tree_level, root_block, items, damaged_pages FROM index_leaf_density('headless_pkey')}))[ 1, 2 ];
	is($stdout, '|||5000|0', 'without a metapage the leaves are still told');
	like($stderr, qr/damaged metapages: 1\./, '... with a WARNING');
	is($node->safe_psql('postgres', q{SET client_min_messages = error;
		SELECT count(*), sum(items) FROM index_leaf_density_by_range('headless_pkey', 4)}), '1|5000',
		'and are one range, since nobody knows where to cut');

	# line pointers and items that cannot be
	foreach my $index ('hit_words', 'hit_number')
	{
		my $row = $node->safe_psql('postgres', qq{
			SET client_min_messages = error;
			SELECT leaf_pages + internal_pages + half_dead_pages + deleted_pages + new_pages + damaged_pages + 1
			       = pg_relation_size('$index') / 8192, damaged_pages,
			       (SELECT count(*) > 0 FROM index_leaf_density_by_version('$index')),
			       (SELECT count(*) > 0 FROM index_leaf_density_by_range('$index', 5)),
			       (SELECT count(*) > 0 FROM index_leaf_density_by_range('$index', 5, 9))
			FROM index_leaf_density('$index')});
		like($row, qr/^t\|[1-5]\|t\|t\|t$/, "$checksums checksums: nonsense in $index: $row");
	}
	# a size after REINDEX out of such a high key once was an endless loop
	foreach my $index ('high_pkey', 'high_number', 'high_words')
	{
		is($node->safe_psql('postgres', qq{
			SET client_min_messages = error;
			SELECT damaged_pages, rebuilt_pages > 0 FROM index_leaf_density('$index')}, timeout => 60), '1|t',
			"$checksums checksums: wild high key of $index");
	}
	is($node->safe_psql('postgres', q{
		SET client_min_messages = error;
		SELECT half_dead_pages, damaged_pages,
		       leaf_pages = (SELECT sum(leaf_pages) FROM index_leaf_histogram('interrupted_pkey'))
		FROM index_leaf_density('interrupted_pkey')}), $checksums eq 'with' ? '0|4|t' : '1|3|t',
		"$checksums checksums: a half-dead leaf is told apart, and each wild line pointer is seen");
	is($node->safe_psql('postgres', 'SELECT 1'), 1, 'the server lives');
	unlike(slurp_file($node->logfile), qr/PANIC|was terminated by signal|TRAP|resource was not closed|leak/,
		'nothing leaked, nothing crashed');
	$node->stop;
}

sub random_bytes
{
	my ($count) = @_;
	return join '', map { chr int rand 256 } 1 .. $count;
}

# The block's own header and special space, with other things between.
sub nonsense_leaf
{
	my ($file, $block) = @_;
	my $page = substr(slurp_binary($file), $block * $block_size, $block_size);
	my ($lower) = unpack 'x12 S', $page;

	if ($block == 1)
	{
		# random line pointers
		substr $page, 24, $lower - 24, random_bytes($lower - 24);
	}
	elsif ($block == 2)
	{
		# random items behind sound line pointers
		substr $page, $lower, $block_size - 16 - $lower, random_bytes($block_size - 16 - $lower);
	}
	elsif ($block == 4)
	{
		# unknown flags
		substr $page, $block_size - 4, 2, pack('S', 0xf001);
	}
	elsif ($block == 5)
	{
		# a leaf that says it is on level 7
		substr $page, $block_size - 8, 4, pack('L', 7);
	}
	else
	{
		# more line pointers than fit a page
		substr $page, 12, 2, pack('S', 4000);
		substr $page, 14, 2, pack('S', 4000);
	}
	return $page;
}

# The block as a leaf that is half dead: BTP_HALF_DEAD among the flags.
sub half_dead_leaf
{
	my ($file, $block) = @_;
	my $page = substr(slurp_binary($file), $block * $block_size, $block_size);

	substr $page, $block_size - 4, 2, pack('S', unpack('S', substr $page, $block_size - 4, 2) | 1 << 4);
	return $page;
}

# The block with another line pointer of the high key; by default from the
# lowest item to the end.
sub wild_high_key
{
	my ($file, $block, $offset, $length) = @_;
	my ($upper) = unpack 'x14 S', substr(slurp_binary($file), $block * $block_size, $block_size);

	return wild_line_pointer($file, $block, 1, $offset // $upper, $length // $block_size - 16 - $upper);
}

# The block with another line pointer of that number, from 1.
sub wild_line_pointer
{
	my ($file, $block, $number, $offset, $length) = @_;
	my $page = substr(slurp_binary($file), $block * $block_size, $block_size);

	substr $page, 24 + 4 * ($number - 1), 4, pack('L', $offset | 1 << 15 | $length << 17);
	return $page;
}

sub slurp_binary
{
	my ($file) = @_;
	open my $handle, '<:raw', $file or die "could not open $file: $!";
	local $/;
	return scalar <$handle>;
}

sub overwrite
{
	my ($file, %blocks) = @_;
	open my $handle, '+<:raw', $file or die "could not open $file: $!";
	foreach my $block (keys %blocks)
	{
		seek $handle, $block * $block_size, 0;
		print $handle $blocks{$block};
	}
	close $handle or die;
}
