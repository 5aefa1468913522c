# Copyright (c) 2026, uuid_keyorder contributors
#
# Turnover counters in bounded memory: more relations than have a place, dropped
# ones give theirs up, and no page is lost from the sum.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $places = 8192;

my $node = PostgreSQL::Test::Cluster->new('primary');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'uuid_keyorder'
uuid_keyorder.turnover_interval = 20ms
shared_buffers = 200MB
max_locks_per_transaction = 256
autovacuum = off
CONF
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION uuid_keyorder');

# A sequence is a relation of one page.
$node->safe_psql('postgres', <<'SQL');
CREATE PROCEDURE repeat_command(command text, prefix text, n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		EXECUTE format(command, prefix || i);
		IF i % 1000 = 0 THEN
			COMMIT;
		END IF;
	END LOOP;
END $$;
SQL

sub wait_for_look
{
	my $seen = $node->safe_psql('postgres', 'SELECT max(looks) FROM relation_turnover');
	$node->poll_query_until('postgres', "SELECT max(looks) >= $seen + 2 FROM relation_turnover")
	  or die 'the sampler takes no looks';
}

# Sum of a column over sequences of a name, or over the row of no database.
sub sum_of
{
	my ($column, $which) = @_;
	my $where =
	  defined $which
	  ? "relation::text LIKE '$which%'"
	  : 'database IS NULL AND relation IS NULL';
	return $node->safe_psql('postgres',
		"SELECT coalesce(sum($column), 0) FROM relation_turnover WHERE $where");
}

$node->safe_psql('postgres', "CALL repeat_command('CREATE SEQUENCE %I', 'gone', 3000)");
wait_for_look();
is(sum_of('loaded_pages', 'gone'), 3000, 'every new relation is seen');
$node->safe_psql('postgres', "CALL repeat_command('DROP SEQUENCE %I', 'gone', 3000)");
wait_for_look();
is(sum_of('loaded_pages'), 0, 'dropped ones keep their places while there is room');

# 3,000 of dropped ones and 5,500 more need more places than there are.
$node->safe_psql('postgres', "CALL repeat_command('CREATE SEQUENCE %I', 'stay', 5500)");
wait_for_look();
is(sum_of('loaded_pages', 'stay'), 5500, 'dropped ones make room for new ones');
is(sum_of('loaded_pages'), 3000, 'their pages go to the row of no database');
is(sum_of('removed_pages'), 3000, 'with their removals');
is(sum_of('evicted_pages'), 0, 'which are no evictions');

# Nothing to give up: newcomers go to the row of no database.
$node->safe_psql('postgres', "CALL repeat_command('CREATE SEQUENCE %I', 'late', 3000)");
wait_for_look();
my $listed = sum_of('loaded_pages', 'late');
cmp_ok($listed, '<', 3000, 'a full table takes no more');
is(sum_of('loaded_pages') - 3000 + $listed, 3000, 'but their pages are counted');
is($node->safe_psql('postgres',
		"SELECT count(*) <= $places + 2 FROM relation_turnover"),
	't', 'no more relations than places');

# A reset gives every place back.
$node->safe_psql('postgres', 'SELECT relation_turnover_reset()');
wait_for_look();
is(sum_of('loaded_pages'), 0, 'a reset clears the row of no database');
$node->safe_psql('postgres', "CALL repeat_command('CREATE SEQUENCE %I', 'new', 100)");
wait_for_look();
is(sum_of('loaded_pages', 'new'), 100, 'and makes room');

$node->stop('immediate');
done_testing();
