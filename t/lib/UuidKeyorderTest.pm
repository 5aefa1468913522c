# What several TAP tests of uuid_keyorder need: a server with the extension, a
# clock that the test sets, pgbench clients, errors with their SQLSTATE.
#
# UUID_KEYORDER_TEST_SCALE multiplies the loads; 1 unless set.

package UuidKeyorderTest;

use strict;
use warnings;

use Exporter 'import';
use File::Glob ':bsd_glob';
use File::Spec;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(
  $scale
  new_server
  major_version
  faketime_library
  skip_all_without_faketime
  use_clock
  set_clock
  set_clock_command
  column_of
  error_of
  ascends
  pgbench_clients
  start_psql
  kill_server
);

our $scale = $ENV{UUID_KEYORDER_TEST_SCALE} || 1;

# new_server(NAME, %init_options)
#
# A running server whose database postgres has the extension in public.  The
# options go to init(); start => 0 leaves it stopped, without the extension.
sub new_server
{
	my ($name, %options) = @_;
	my $start = delete $options{start} // 1;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(%options);
	# PostgreSQL::Test::Cluster logs every statement: too much for millions of calls.
	$node->append_conf('postgresql.conf', "autovacuum = off\nlog_statement = none\n");
	if ($start)
	{
		$node->start;
		$node->safe_psql('postgres', 'CREATE EXTENSION uuid_keyorder');
	}
	return $node;
}

# Major version of a running server.
sub major_version
{
	my ($node) = @_;
	return int($node->safe_psql('postgres', 'SHOW server_version_num') / 10000);
}

# Path of libfaketime for processes of one thread, or undef.
sub faketime_library
{
	my @folders = qw(/usr/lib/*/faketime /usr/lib/faketime /usr/lib64/faketime
	  /usr/local/lib/faketime /opt/homebrew/lib/faketime);
	my @found = grep { -r $_ } map { bsd_glob("$_/libfaketime.so.1") } @folders;

	return $found[0];
}

# To be called before any test of a script that needs a clock of its own.
sub skip_all_without_faketime
{
	plan skip_all => 'no libfaketime found (Debian package faketime)'
	  unless defined faketime_library();
}

# use_clock(NODE, SETTING, %environment)
#
# From its next start on, the server sees the clock that SETTING says: "+0" the
# real one, "-3600" an hour behind it, "2030-01-01 00:00:00" UTC standing still.
# The monotonic clock stays the real one.  %environment adds to that of
# libfaketime.
sub use_clock
{
	my ($node, $setting, %environment) = @_;

	$node->{clock_environment} = {
		LD_PRELOAD => faketime_library(),
		FAKETIME_TIMESTAMP_FILE => clock_file($node),
		FAKETIME_NO_CACHE => 1,
		FAKETIME_DONT_FAKE_MONOTONIC => 1,
		DONT_FAKE_MONOTONIC => 1,
		TZ => 'UTC',
		%environment
	};
	set_clock($node, $setting);
}

sub clock_file
{
	my ($node) = @_;
	return File::Spec->rel2abs($node->basedir . '/clock');
}

# Set the clock of a server, running or not.
sub set_clock
{
	my ($node, $setting) = @_;
	system(set_clock_command_line($node, $setting)) == 0
	  or die "could not set the clock";
}

# The same as a line of a psql script, so that a session lives through a step.
sub set_clock_command
{
	my ($node, $setting) = @_;
	return '\! ' . set_clock_command_line($node, $setting) . "\n";
}

# Renamed into place: no process reads half a file.
sub set_clock_command_line
{
	my ($node, $setting) = @_;
	my $file = clock_file($node);
	return "echo '$setting' > '$file.new' && mv '$file.new' '$file'";
}

# start() of every server, with its own clock when it has one.
{
	no warnings 'redefine';
	my $plain_start = \&PostgreSQL::Test::Cluster::start;

	*PostgreSQL::Test::Cluster::start = sub {
		my ($self, @rest) = @_;
		local %ENV = (%ENV, %{ $self->{clock_environment} // {} });
		return $self->$plain_start(@rest);
	};
}

# Lines of the query's result, as a list.
sub column_of
{
	my ($node, $sql, $database) = @_;
	return split /\n/, $node->safe_psql($database // 'postgres', $sql);
}

# SQLSTATE and message of the error that the statement raises, or "none".
sub error_of
{
	my ($node, $sql, $database) = @_;
	my ($status, $stdout, $stderr) = $node->psql($database // 'postgres',
		"\\set VERBOSITY verbose\nSET statement_timeout = '20 s';\n$sql", on_error_stop => 0);

	return "$1 $2" if $stderr =~ /^psql:<stdin>:\d+: ERROR:  (\w{5}): (.*)$/m;
	return $stderr eq '' ? 'none' : $stderr;
}

# True when each number is above the one before it.
sub ascends
{
	my (@numbers) = @_;
	foreach my $i (1 .. $#numbers)
	{
		return 0 if $numbers[$i] <= $numbers[ $i - 1 ];
	}
	return 1;
}

# pgbench_clients(NODE, TEST_NAME, SCRIPT, @options): passes when all clients end well.
sub pgbench_clients
{
	my ($node, $test_name, $script, @options) = @_;
	my $file = $node->basedir . '/pgbench.sql';
	local $Test::Builder::Level = $Test::Builder::Level + 1;

	unlink $file;
	append_to_file($file, $script);
	$node->command_ok([ 'pgbench', '-n', '-f', $file, @options, 'postgres' ], $test_name);
}

# Run SQL in a psql of its own without waiting for it: the handle, for finish(),
# and a reference to its error output.
sub start_psql
{
	my ($node, $sql) = @_;
	my ($stdin, $stdout, $stderr) = ('', '', '');
	my $handle = IPC::Run::start(
		[ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('postgres'), '-c', $sql ],
		'<', \$stdin, '>', \$stdout, '2>', \$stderr);

	return ($handle, \$stderr);
}

# SIGKILL for the postmaster and all of its processes, and wait for their end.
sub kill_server
{
	my ($node) = @_;
	my @processes = column_of($node,
		'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');

	$node->kill9;
	kill 9, @processes;
	foreach (1 .. 100 * $PostgreSQL::Test::Utils::timeout_default)
	{
		last unless grep { kill 0, $_ } @processes;
		select undef, undef, undef, 0.01;
	}
}

1;
