# On a hot standby: the same answers as on the primary, also sampled; unlogged
# indexes refused with core's words; a scan does not stand against replay for
# longer than max_standby_streaming_delay.  Another session's temporary index
# is refused on the primary.
#
# Traps D-19, D-21, D-22; G10.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $primary = new_server('density_primary', allows_streaming => 1);
$primary->safe_psql('postgres', q{
	CREATE TABLE logged (id uuid PRIMARY KEY, number int);
	INSERT INTO logged SELECT uuidv4(), n % 100 FROM generate_series(1, 20000) n;
	CREATE INDEX logged_number ON logged (number);
	DELETE FROM logged WHERE id > 'c0000000-0000-0000-0000-000000000000';
	VACUUM logged;
	CREATE UNLOGGED TABLE not_logged (id uuid PRIMARY KEY);
	INSERT INTO not_logged SELECT uuidv4() FROM generate_series(1, 1000);
});
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('density_standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = '1s'\n");
$standby->start;
$primary->safe_psql('postgres', 'INSERT INTO logged SELECT uuidv7(), 1 FROM generate_series(1, 5000)');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));

foreach my $query (
	'SELECT * FROM index_leaf_density(%s)',
	'SELECT * FROM index_leaf_histogram(%s)',
	'SELECT * FROM index_leaf_density_by_version(%s)',
	'SELECT * FROM index_leaf_density_by_range(%s)',
	'SELECT * FROM (SELECT setseed(0.5)) AS seed, index_leaf_density(%s, 50)')
{
	foreach my $index ("'logged_pkey'", "'logged_number'")
	{
		my $sql = sprintf $query, $index;
		is($standby->safe_psql('postgres', $sql), $primary->safe_psql('postgres', $sql), "the same on the standby: $sql");
	}
}

is(error_of($standby, q{SELECT * FROM index_leaf_density('not_logged_pkey')}),
	'0A000 cannot access temporary or unlogged relations during recovery', 'an unlogged index on the standby');
is($primary->safe_psql('postgres', q{SELECT items FROM index_leaf_density('not_logged_pkey')}), 1000,
	'on the primary it is one like others');

# Replay of a lock ends a statement on the standby that has looked at the index.
my ($handle, $error) = start_psql($standby, q{
	DO $$ BEGIN LOOP PERFORM index_leaf_density('logged_pkey'); PERFORM pg_sleep(0.01); END LOOP; END $$});
$standby->poll_query_until('postgres',
	q{SELECT count(*) > 0 FROM pg_locks WHERE relation = 'logged_pkey'::regclass OR relation = 'logged'::regclass});
$primary->safe_psql('postgres', 'REINDEX INDEX logged_pkey');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
pass('replay goes on');
$standby->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ '^\s*DO'});
eval { $handle->finish };
like($$error, qr/40001|57014/, 'the statement ends in a conflict or by cancel, not otherwise');
is($standby->safe_psql('postgres', q{SELECT leaf_fragmentation FROM index_leaf_density('logged_pkey')}), 0,
	'the standby sees the rebuilt index');

# Another session's temporary index, on the primary
my ($temporary_handle) = start_psql($primary, q{
	CREATE TEMP TABLE mine (id int PRIMARY KEY); SELECT pg_sleep(60)});
$primary->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_class WHERE relname = 'mine_pkey'});
is(error_of($primary, q{SELECT * FROM index_leaf_density((SELECT oid FROM pg_class WHERE relname = 'mine_pkey')::regclass)}),
	'0A000 cannot access temporary tables of other sessions', "another session's temporary index");
$primary->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ 'pg_sleep' AND pid <> pg_backend_pid()});
eval { $temporary_handle->finish };

$standby->stop;
$primary->stop;
done_testing();
