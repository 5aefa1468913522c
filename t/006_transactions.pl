# What transactions do to snowflake_id(): aborted, read-only, in subtransactions,
# with the extension itself made, dropped or rolled back, in several databases.
#
# Situation F01; traps I-37, I-43, I-44.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $node = new_server('transactions');
my $read_only = '25006 cannot execute snowflake_id() in a read-only transaction';
my $last = 0;

# Each list of ids that is handed in lies above the list before it.
sub goes_on
{
	my ($name, @ids) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	ok(@ids > 0 && ascends($last, grep { /^\d+$/ } @ids), $name);
	$last = $ids[-1];
}

# The answer is the same whether or not the mark has to be raised.
is(error_of($node, 'BEGIN READ ONLY; SELECT snowflake_id()'), $read_only, 'read-only, before the first id');
is($node->safe_psql('postgres', 'SELECT mark_id IS NULL, ids_issued FROM snowflake_status()'), 't|0', 'nothing was drawn');

# The very first id raises the mark in a subtransaction that aborts.
goes_on('first id in a transaction that aborts', column_of($node, q{
	BEGIN; SAVEPOINT a; SELECT snowflake_id(); ROLLBACK TO a; SELECT snowflake_id(); ROLLBACK;
	SELECT snowflake_id();}));
is($node->safe_psql('postgres', "SELECT mark_id > $last FROM snowflake_status()"), 't', 'the mark stays raised');

is(error_of($node, 'BEGIN READ ONLY; SELECT snowflake_id()'), $read_only, 'read-only, under the mark');
is(error_of($node, 'SET default_transaction_read_only = on; SELECT snowflake_id()'), $read_only, 'by default');
is($node->safe_psql('postgres', 'BEGIN READ ONLY; SELECT snowflake_status() IS NOT NULL, uuid_extract_version(uuidv7()); COMMIT'),
	't|7', 'everything else works read-only');

goes_on('exception block of PL/pgSQL', column_of($node, q{
	CREATE TABLE seen (n int, id bigint);
	DO $$ DECLARE id bigint; BEGIN
		FOR n IN 1 .. 100 LOOP
			BEGIN
				id := snowflake_id();
				PERFORM 1 / (n % 2);
			EXCEPTION WHEN division_by_zero THEN NULL;
			END;
			INSERT INTO seen VALUES (n, id);
		END LOOP;
	END $$;
	SELECT id FROM seen ORDER BY n;}));
goes_on('serializable', column_of($node, q{
	BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT snowflake_id(); SELECT snowflake_id(); COMMIT;}));
goes_on('procedure that commits and rolls back', column_of($node, q{
	TRUNCATE seen;
	DO $$ BEGIN
		FOR n IN 1 .. 20 LOOP
			INSERT INTO seen VALUES (n, snowflake_id());
			IF n % 2 = 0 THEN COMMIT; ELSE ROLLBACK; END IF;
		END LOOP;
	END $$;
	SELECT id FROM seen ORDER BY n;}));

# A failed statement in the middle of raising a mark leaves no lock behind.
is($node->safe_psql('postgres', q{
	SELECT snowflake_id() IS NOT NULL;
	BEGIN; SELECT snowflake_id() IS NOT NULL;
	SELECT count(*) FROM pg_locks WHERE mode = 'ShareUpdateExclusiveLock' AND relation = 'snowflake_id_mark'::regclass;
	COMMIT}), "t\nt\n0", 'no lock on the mark is kept');

# The extension in transactions of its own.
goes_on('made and used in one transaction that aborts', column_of($node, q{
	DROP TABLE seen; DROP EXTENSION uuid_keyorder;
	BEGIN; CREATE EXTENSION uuid_keyorder; SELECT snowflake_id(); ROLLBACK;
	BEGIN; CREATE EXTENSION uuid_keyorder; SELECT snowflake_id(); COMMIT;
	SELECT snowflake_id();}));
goes_on('dropped in a transaction that aborts', column_of($node, q{
	BEGIN; DROP EXTENSION uuid_keyorder; ROLLBACK; SELECT snowflake_id();
	BEGIN; DROP EXTENSION uuid_keyorder; CREATE EXTENSION uuid_keyorder; SELECT snowflake_id(); ROLLBACK;
	SELECT snowflake_id();}));
goes_on('dropped and made anew, over and over', column_of($node, join '',
	map { 'DROP EXTENSION uuid_keyorder; CREATE EXTENSION uuid_keyorder; SELECT snowflake_id();' } 1 .. 20));

# More marks than the server has room for: 1024.  Each comes with a function of its
# own, as in a database of its own; dropping the mark makes the session forget it.
my $path = '$libdir/uuid_keyorder';
goes_on('more marks than slots', column_of($node, qq{
	CREATE TABLE seen (n int, id bigint);
	DO \$\$ DECLARE id bigint; BEGIN
		FOR n IN 1 .. 1100 LOOP
			CREATE SCHEMA other;
			CREATE SEQUENCE other.snowflake_id_mark;
			CREATE FUNCTION other.snowflake_id() RETURNS bigint
				AS '$path', 'uuid_keyorder_snowflake_id' LANGUAGE C;
			EXECUTE 'SELECT other.snowflake_id()' INTO id;
			INSERT INTO seen VALUES (n, id);
			DROP FUNCTION other.snowflake_id();
			DROP SEQUENCE other.snowflake_id_mark;
			DROP SCHEMA other;
			COMMIT;
		END LOOP;
	END \$\$;
	SELECT id FROM seen ORDER BY n;}));
goes_on('one whose slot was taken', column_of($node, 'SELECT snowflake_id(); SELECT snowflake_id()'));
is($node->safe_psql('postgres', "SELECT mark_id > $last FROM snowflake_status()"), 't', 'its mark is above its ids');
$node->safe_psql('postgres', 'DROP TABLE seen');

# One order over all databases; a mark in each, also in a copy.
$node->safe_psql('postgres', 'CREATE DATABASE second');
$node->safe_psql('second', 'CREATE EXTENSION uuid_keyorder');
foreach my $round (1 .. 3)
{
	goes_on("database $_, round $round", column_of($node, 'SELECT snowflake_id() FROM generate_series(1, 100)', $_))
	  foreach qw(postgres second);
}
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE second');
is($node->safe_psql('copy', 'SELECT mark_id FROM snowflake_status()'),
	$node->safe_psql('second', 'SELECT mark_id FROM snowflake_status()'), 'CREATE DATABASE TEMPLATE copies the mark');
goes_on('database made from a template', column_of($node, 'SELECT snowflake_id() FROM generate_series(1, 100)', 'copy'));
goes_on('after it', column_of($node, 'SELECT snowflake_id()', 'second'));

# A database that is left alone for a while begins above its own mark.
$node->restart;
goes_on("after a restart: $_", column_of($node, 'SELECT snowflake_id() FROM generate_series(1, 10)', $_))
  foreach qw(copy postgres second);

$node->stop('immediate');
done_testing();
