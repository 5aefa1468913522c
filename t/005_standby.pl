# A streaming standby: no id can be made there, the status can be read; once
# promoted, with a slower clock, no id repeats one of the old primary.
#
# Situation F05; traps I-37, I-38, I-43.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

skip_all_without_faketime();

my $primary = new_server('primary', allows_streaming => 1);
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
use_clock($standby, '-3600');
$standby->start;

# Committed, aborted, and seen by a SELECT alone; at last within the lead of the mark.
my @ids = column_of($primary, q{
	CREATE TABLE kept (id bigint DEFAULT snowflake_id());
	INSERT INTO kept DEFAULT VALUES RETURNING id;
	BEGIN;
	INSERT INTO kept DEFAULT VALUES RETURNING id;
	ROLLBACK;
	SELECT snowflake_id() FROM generate_series(1, 10000);
});
ok(ascends(@ids), 'ids of the primary');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));

my $read_only = '25006 cannot execute snowflake_id() in a read-only transaction';
is(error_of($standby, 'SELECT snowflake_id()'), $read_only, 'standby makes no id');
is(error_of($standby, 'SELECT snowflake_id()'), $read_only, 'nor at the second try');
is($standby->safe_psql('postgres', q{
	SELECT last_id IS NULL, clock_lead_ms IS NULL, ids_issued, mark_id > (SELECT max(id) FROM kept)
	FROM snowflake_status()}), 't|t|0|t', 'snowflake_status() shows the mark on the standby');
is($standby->safe_psql('postgres', q{SELECT count(DISTINCT uuidv7()) FROM generate_series(1, 1000)}), 1000,
	'uuidv7() works there');
is($standby->safe_psql('postgres', q{SELECT snowflake_timestamp(id) IS NOT NULL FROM kept}), 't',
	'and so do the functions of ids');

$primary->stop('immediate');

# The session that was refused on the standby outlives the promotion.
my ($handle, $error) = start_psql($standby, q{
	DO $$ BEGIN PERFORM snowflake_id(); EXCEPTION WHEN read_only_sql_transaction THEN NULL; END $$;
	DO $$ BEGIN WHILE pg_is_in_recovery() LOOP PERFORM pg_sleep(0.05); END LOOP; END $$});
$standby->promote;
$standby->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
eval { $handle->finish };

my @later = column_of($standby, q{
	INSERT INTO kept DEFAULT VALUES RETURNING id;
	SELECT snowflake_id() FROM generate_series(1, 10000);
});
ok(ascends($ids[-1], @later), 'ids of the promoted standby are above all of the primary');
is($standby->safe_psql('postgres', 'SELECT clock_lead_ms > 3500000 FROM snowflake_status()'), 't',
	'its clock is behind them');

# And once more, by an immediate restart of the new primary.
$standby->stop('immediate');
set_clock($standby, '-7200');
$standby->start;
ok(ascends($later[-1], column_of($standby, 'SELECT snowflake_id() FROM generate_series(1, 100)')),
	'and after its crash');

$standby->stop('immediate');
done_testing();
