# Residency while buffers change hands and relations come and go; cancelling;
# a standby.
#
# Traps D-21 to D-23, D-32 to D-35; situations H09 to H12.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('primary');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', q{
shared_buffers = 4MB
max_connections = 20
});
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION uuid_keyorder;
	CREATE TABLE large AS SELECT i AS id, repeat('x', 300) AS pad FROM generate_series(1, 60000) AS i;
	CREATE INDEX large_id ON large (id);
	CREATE UNLOGGED TABLE unlogged AS SELECT generate_series(1, 100) AS id;
	CREATE TABLE result AS
		SELECT 0 AS looks, 0 AS wrong_sums, 0 AS above_100, 0 AS negative, 0 AS bad_usage_counts LIMIT 0;
});

# Four clients read more than fits, write, truncate, create and drop.
my $script = $node->basedir . '/load.sql';
append_to_file($script, q{
\set id random(1, 60000)
UPDATE large SET pad = pad WHERE id = :id;
SELECT count(*) FROM large WHERE id BETWEEN :id AND :id + 3000;
BEGIN;
DROP TABLE IF EXISTS come_and_go_:client_id;
CREATE TABLE come_and_go_:client_id AS SELECT generate_series(1, 500) AS id;
COMMIT;
TRUNCATE come_and_go_:client_id;
});
my ($input, $output, $errors) = ('', '', '');
my $load = IPC::Run::start(
	[ 'pgbench', '-n', '-c', '4', '-T', '6', '-f', $script, '-h', $node->host, '-p', $node->port, 'postgres' ],
	'<', \$input, '>', \$output, '2>', \$errors);
$node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_class WHERE relname LIKE 'come_and_go%'});
$node->safe_psql('postgres', q{
	DO $$
	DECLARE
		started timestamptz := clock_timestamp();
	BEGIN
		WHILE clock_timestamp() < started + interval '4 s' LOOP
			INSERT INTO result
			SELECT 1, (sum(resident_pages) <> (SELECT setting::bigint FROM pg_settings WHERE name = 'shared_buffers'))::int,
				count(*) FILTER (WHERE resident_percent > 100), count(*) FILTER (WHERE resident_pages < 0),
				count(*) FILTER (WHERE resident_pages <> (SELECT sum(u) FROM unnest(usage_counts) AS u))
			FROM relation_residency();
			PERFORM * FROM relation_residency();
			PERFORM * FROM table_residency;
			PERFORM pg_sleep(0.005);
		END LOOP;
	END $$;
});
$load->finish;
is($errors =~ /ERROR/ ? $errors : '', '', 'the load went through');
is($node->safe_psql('postgres', q{
	SELECT sum(looks) > 5, sum(wrong_sums), sum(above_100), sum(negative), sum(bad_usage_counts) FROM result}),
	't|0|0|0|0', 'the sum is shared_buffers at every look, and no percentage is above 100');

# A standby has no main fork of an unlogged relation, and may look at all.
$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby);
is($standby->safe_psql('postgres', q{
	SELECT pg_is_in_recovery(), sum(resident_pages) = (SELECT setting::bigint FROM pg_settings WHERE name = 'shared_buffers')
	FROM relation_residency()}), 't|t', 'on a standby');
is($standby->safe_psql('postgres', q{
	SELECT fork, fork_pages, resident_pages, resident_percent, page_cache_bytes
	FROM relation_residency('unlogged') WHERE fork = 'main'}), 'main||0||', 'an unlogged relation on a standby');
is($standby->safe_psql('postgres', q{SELECT count(*) > 0 FROM table_residency}), 't', 'the view on a standby');
$standby->stop;

# statement_timeout and cancel: how late they come while looks go on.  The best
# of some, since the machine may be busy.
$node->stop;
$node->append_conf('postgresql.conf', q{shared_buffers = 1GB});

sub lateness_ms
{
	my ($query, $timeout_ms) = @_;
	my $least;
	for my $attempt (1 .. 5)
	{
		my ($status, $result, $error) = $node->psql('postgres', qq{
			SET statement_timeout = $timeout_ms;
			DO \$\$ BEGIN
				LOOP
					PERFORM $query;
				END LOOP;
			EXCEPTION WHEN query_canceled THEN
				RAISE NOTICE 'after % ms', extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000;
			END \$\$});
		return 'no timeout' unless $error =~ /after ([0-9.]+) ms/;
		$least = $1 - $timeout_ms if !defined $least || $1 - $timeout_ms < $least;
		last if $least < 100;
	}
	return $least;
}

SKIP:
{
	skip 'not enough memory', 4 unless $node->start(fail_ok => 1);

	foreach my $query ('* FROM relation_residency()', q{* FROM relation_residency('large')},
		'sum(resident_pages) FROM relation_residency()', '* FROM table_residency')
	{
		cmp_ok(lateness_ms($query, 100), '<', 100, "a timeout of $query comes within a tenth of a second");
	}
}
$node->stop;
done_testing();
