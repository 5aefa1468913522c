# Dump and restore, plain with the extension in public, custom with it in a schema
# whose name needs quotes: defaults come back, and so does the mark, so that on a
# server with a slower clock the first id lies above the restored ones.
#
# Situation I04; traps I-12, I-37.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $slower_clock = defined faketime_library();
note 'no libfaketime: the restoring server has the same clock' unless $slower_clock;

my $source = new_server('source');
my $target = new_server('target', start => 0);
use_clock($target, '-3600') if $slower_clock;
$target->start;

foreach my $schema ('public', 'Key "Order')
{
	my $quoted = $schema =~ s/"/""/gr;
	my $database = $schema eq 'public' ? 'in_public' : 'in_quoted';

	$source->safe_psql('postgres', "CREATE DATABASE $database");
	$source->safe_psql($database, qq{
		CREATE SCHEMA IF NOT EXISTS "$quoted";
		CREATE EXTENSION uuid_keyorder SCHEMA "$quoted";
		SET search_path = 'pg_catalog', "$quoted";
		CREATE TABLE public.kept (
			s bigint PRIMARY KEY DEFAULT "$quoted".snowflake_id(),
			u uuid DEFAULT "$quoted".uuidv7(),
			at timestamptz GENERATED ALWAYS AS (snowflake_timestamp(s)) STORED,
			CHECK ("$quoted".uuidv7_timestamp(u) IS NOT NULL));
		CREATE INDEX ON public.kept ("$quoted".uuidv7_timestamp(u));
		CREATE VIEW public.newest AS SELECT max(u) AS u, max(s) AS s FROM public.kept;
		INSERT INTO public.kept SELECT FROM generate_series(1, 1000);
	});
	my $highest = $source->safe_psql($database, 'SELECT max(s) FROM kept');

	foreach my $format ($schema eq 'public' ? 'plain' : 'custom')
	{
		my $copy = "${database}_$format";
		my $file = $source->basedir . "/$copy.dump";

		$source->command_ok([ 'pg_dump', "--format=$format", '-f', $file, $database ],
			"$copy: dumped");
		$target->safe_psql('postgres', "CREATE DATABASE $copy");
		$target->command_ok(
			$format eq 'plain'
			? [ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-f', $file, $copy ]
			: [ 'pg_restore', '--exit-on-error', '-d', $copy, $file ],
			"$copy: restored");

		my ($first) = column_of($target, 'INSERT INTO kept DEFAULT VALUES RETURNING s', $copy);
		cmp_ok($first, '>', $highest, "$copy: the first id is above the restored ones");
		is($target->safe_psql($copy, q{
			SELECT count(*), count(DISTINCT s), count(DISTINCT u), count(at) FROM kept}),
			'1001|1001|1001|1001', "$copy: the rows, the default and the generated column");
		is($target->safe_psql($copy, qq{
			SET search_path = '';
			INSERT INTO public.kept DEFAULT VALUES;
			SELECT max(s) > $first FROM public.kept}), 't', "$copy: works with an empty search_path");
		is($target->safe_psql($copy, q{
			SELECT extnamespace = (SELECT pronamespace FROM pg_proc WHERE proname = 'snowflake_id'),
				extnamespace = (SELECT relnamespace FROM pg_class WHERE relname = 'snowflake_id_mark')
			FROM pg_extension WHERE extname = 'uuid_keyorder'}), 't|t', "$copy: the extension is in one schema");

		# Moved under its users.
		is($target->safe_psql($copy, q{
			SELECT max(s) FROM kept \gset
			CREATE SCHEMA moved;
			INSERT INTO kept DEFAULT VALUES;
			ALTER EXTENSION uuid_keyorder SET SCHEMA moved;
			INSERT INTO kept DEFAULT VALUES;
			SET search_path = '';
			INSERT INTO public.kept DEFAULT VALUES;
			SELECT count(*) FROM public.kept WHERE s > :max}), 3, "$copy: SET SCHEMA keeps the default working");
		like($target->safe_psql($copy, q{
			SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'kept'::regclass AND adnum = 1}),
			qr/^moved\.snowflake_id\(\)$/, "$copy: which names the new schema");
	}
}

# A dump without data has no mark, as it has no sequence's value.
my ($schema_only) = run_command([ 'pg_dump', '-s', '-d', $source->connstr('in_public') ]);
unlike($schema_only, qr/setval/, 'the mark belongs to the data');

$source->stop('immediate');
$target->stop('immediate');
done_testing();
