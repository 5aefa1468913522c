# The page cache: against fincore, over segments, and where the kernel does not
# tell.  The gigabytes of the test are holes, and cost nothing.

use strict;
use warnings;

use Cwd qw(abs_path);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('page_cache');
$node->init;
$node->append_conf('postgresql.conf', q{autovacuum = off});
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION uuid_keyorder;
	CREATE TABLE cached AS SELECT i AS id, repeat('x', 100) AS pad FROM generate_series(1, 50000) AS i;
	CREATE TABLE long_file (id int);
	CREATE TABLE absent (id int);
	INSERT INTO absent VALUES (1);
	CHECKPOINT;
});

# Bytes of the query's answer, or '' for NULL.
sub answer { return $node->safe_psql('postgres', $_[0]); }

# What util-linux says of the file.
sub fincore
{
	my ($file) = @_;
	my ($output, $errors) = run_command([ 'fincore', '-b', '-n', '-o', 'RES', $file ]);
	$output =~ s/\s//g;
	return $output;
}

sub file_of { return $node->data_dir . '/' . answer("SELECT pg_relation_filepath('$_[0]')"); }

# Read some bytes of a file, so that they are cached.
sub read_bytes
{
	my ($file, $from, $length) = @_;
	open(my $handle, '<:raw', $file) or die "$file: $!";
	sysseek($handle, $from, 0);
	sysread($handle, my $bytes, $length);
	close($handle);
	return;
}

my $told = answer(q{SELECT relation_page_cache_bytes('cached', 'main') IS NOT NULL}) eq 't';
note($told ? 'the kernel tells' : 'the kernel does not tell');

SKIP:
{
	skip 'the kernel does not tell', 6 unless $told;
	skip 'no fincore', 6 unless eval { fincore(file_of('cached')) =~ /^[0-9]+$/ };

	is(answer(q{SELECT page_cache_bytes FROM relation_residency('cached') WHERE fork = 'main'}),
		fincore(file_of('cached')), 'as fincore says');
	is(answer(q{
		SELECT file_page_cache_bytes(t.oid, d.oid, pg_relation_filenode('cached'), 'main')
		FROM pg_tablespace AS t, pg_database AS d WHERE t.spcname = 'pg_default' AND d.datname = 'postgres'}),
		fincore(file_of('cached')), 'by numbers too');
	is(answer(q{SELECT sum(page_cache_bytes) = relation_page_cache_bytes('cached') FROM relation_residency('cached')}),
		't', 'all forks together');

	# A gigabyte and some blocks, of which little is cached.
	my $file = file_of('long_file');
	my $segment = 131072 * 8192;
	append_to_file("$file.1", '');
	truncate($file, $segment) or die "$file: $!";
	truncate("$file.1", 64 * 8192) or die "$file.1: $!";
	read_bytes($file, $segment - 8192 * 20, 8192 * 20);
	read_bytes("$file.1", 0, 8192 * 30);
	is(answer(q{SELECT fork_pages FROM relation_residency('long_file') WHERE fork = 'main'}),
		131072 + 64, 'the second segment counts in the size');
	cmp_ok(fincore("$file.1"), '>=', 8192 * 30, 'the second segment is cached');
	is(answer(q{SELECT page_cache_bytes FROM relation_residency('long_file') WHERE fork = 'main'}),
		fincore($file) + fincore("$file.1"), 'and counts in the page cache');
	unlink("$file.1");
	truncate($file, 0);
}

# A file that is gone, or cannot be opened, is no error.
my $gone = file_of('absent');
rename($gone, "$gone.away") or die "$gone: $!";
is(answer(q{SELECT fork_pages, resident_pages, resident_percent, page_cache_bytes FROM relation_residency('absent') WHERE fork = 'main'}),
	'|1||', 'the file is gone');
rename("$gone.away", $gone) or die "$gone: $!";
SKIP:
{
	skip 'root may read all', 1 if $> == 0;
	chmod(0, $gone);
	is(answer(q{SELECT fork_pages, page_cache_bytes FROM relation_residency('absent') WHERE fork = 'main'}),
		'1|', 'the file may not be read');
	chmod(0600, $gone);
}
$node->stop;

# A kernel without the system call, and a sandbox that refuses it, are played by
# a library that stands in for libc's syscall().
my $compiler = $ENV{CC} || 'cc';
my $folder = abs_path(PostgreSQL::Test::Utils::tempdir());
append_to_file("$folder/refuse.c", q{
#include <errno.h>
long syscall(long number, ...) { errno = REFUSAL; return -1; }
});
foreach my $refusal ('ENOSYS', 'EPERM')
{
  SKIP:
	{
		skip 'only Linux asks', 2 unless $^O eq 'linux';
		skip 'no C compiler', 2
		  if system("$compiler -shared -fPIC -DREFUSAL=$refusal -o $folder/$refusal.so $folder/refuse.c >/dev/null 2>&1") != 0;
		local $ENV{LD_PRELOAD} = "$folder/$refusal.so";
		$node->start;
		delete local $ENV{LD_PRELOAD};
		is(answer(q{SELECT count(*) > 0, count(page_cache_bytes) FROM relation_residency()}), 't|0', "NULL on $refusal");
		is(answer(q{SELECT count(*) > 0, count(page_cache_bytes), count(memory_percent) FROM table_residency}),
			't|0|0', "and in the view");
		$node->stop;
	}
}
done_testing();
