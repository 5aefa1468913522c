# pg_upgrade from an older major that stands beside this one, with the extension:
# defaults, and the mark, so that ids go on above the old ones with a slower clock.
#
# Older servers are looked for in PG_CONFIGS (their pg_config programs, separated by
# spaces) and where this one's installation has siblings.
#
# Situation I10; traps I-12, I-37.

use strict;
use warnings;

use File::Glob ':bsd_glob';
use File::Spec;
use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

# Output of pg_config, for one option.
sub pg_config
{
	my ($pg_config, $option) = @_;
	my $output = qx{"$pg_config" $option 2>/dev/null} // '';
	chomp $output;
	return $output;
}

sub major_of { return pg_config($_[0], '--version') =~ /PostgreSQL (\d+)/ ? $1 : 0 }

# Older servers that have the extension, the newest first.
sub older_servers
{
	my ($major, $bin) = @_;
	my @candidates = split ' ', $ENV{PG_CONFIGS} // '';

	(my $siblings = $bin) =~ s/\b$major\b/[0-9]*/;
	push @candidates, bsd_glob("$siblings/pg_config") if $siblings ne $bin;
	my @usable = grep {
		-x $_ && major_of($_) >= 14 && major_of($_) < $major
		  && -e pg_config($_, '--sharedir') . '/extension/uuid_keyorder.control'
		  && -x pg_config($_, '--bindir') . '/initdb'
	} @candidates;
	return sort { major_of($b) <=> major_of($a) } @usable;
}

(my $bin) = run_command([ 'pg_config', '--bindir' ]);
my $major = major_of('pg_config');
my @older = older_servers($major, $bin);
plan skip_all => "no PostgreSQL older than $major with the extension found beside it" unless @older;

my $new = PostgreSQL::Test::Cluster->new('new');
$new->init;
my ($control) = run_command([ "$bin/pg_controldata", $new->data_dir ]);
my $checksums = $control =~ /checksum version:\s+[1-9]/;
my ($user) = (getpwuid $<)[0];
local $ENV{PGPORT} = $new->port;

# The old server is handled by its own programs: the two majors' test modules differ.
my ($old_bin, $folder, $old_data, $last, $problem);

sub old_psql
{
	my ($sql) = @_;
	my ($output, $error) = run_command([ "$old_bin/psql", '-XAtq', '-v', 'ON_ERROR_STOP=1', '-h', $folder, '-d', 'postgres', '-c', $sql ]);
	die $error if $error =~ /ERROR|FATAL/;
	return $output;
}

# Some packages of 15 store an option with each column that no other major takes, so
# that pg_upgrade fails on any table: such a server is passed over.
my $foreign = '';
foreach my $older (@older)
{
	note 'from ' . pg_config($older, '--version') . ' to ' . pg_config('pg_config', '--version');
	$folder = PostgreSQL::Test::Utils::tempdir_short();
	$old_bin = pg_config($older, '--bindir');
	$old_data = "$folder/old";
	system_or_bail("$old_bin/initdb", '-A', 'trust', '-N', $checksums ? '-k' : (), '-D', $old_data);
	system_or_bail("$old_bin/pg_ctl", '-w', '-D', $old_data, '-l', "$folder/log",
		'-o', "-k $folder -c listen_addresses= -c fsync=off", 'start');
	eval
	{
		old_psql(q{
			CREATE SCHEMA "Key Order"; CREATE EXTENSION uuid_keyorder SCHEMA "Key Order";
			CREATE TABLE kept (
				id bigint PRIMARY KEY DEFAULT "Key Order".snowflake_id(),
				u uuid DEFAULT "Key Order".uuidv7(),
				at timestamptz GENERATED ALWAYS AS ("Key Order".snowflake_timestamp(id)) STORED);
			INSERT INTO kept SELECT FROM generate_series(1, 1000)});
		$last = old_psql('SELECT last_id FROM "Key Order".snowflake_status()');
		$foreign = old_psql(q{SELECT DISTINCT split_part(o, '=', 1) FROM pg_attribute, unnest(attoptions) AS o WHERE attrelid = 'kept'::regclass});
	};
	$problem = $@;
	system_or_bail("$old_bin/pg_ctl", '-D', $old_data, '-m', 'fast', 'stop');
	last if $problem ne '' || $foreign eq '';
	note "this server stores the option $foreign with columns";
}
plan skip_all => "the older servers store the option $foreign with columns, which $major does not know" if $foreign ne '';
is($problem, '', 'the old server is filled');

# pg_upgrade writes its logs where it is started.
command_ok([
	'sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', $folder,
	"$bin/pg_upgrade", $major >= 15 ? '--no-sync' : (), '-b', $old_bin, '-B', $bin,
	'-d', $old_data, '-D', File::Spec->rel2abs($new->data_dir),
	'-s', $folder, '-U', $user, '-p', $new->port, '-P', $new->port ], 'pg_upgrade');
use_clock($new, '-3600') if defined faketime_library();
$new->start;
my ($first) = column_of($new, 'INSERT INTO kept DEFAULT VALUES RETURNING id');
cmp_ok($first, '>', $last, 'the first id is above all of the old server');
is($new->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id), count(DISTINCT u), count(at) FROM kept'),
	'1001|1001|1001|1001', 'rows, defaults and the generated column');
is($new->safe_psql('postgres', q{
	SELECT mark_id > last_id FROM "Key Order".snowflake_status()}), 't', 'the mark is with it');
$new->stop('immediate');
done_testing();
