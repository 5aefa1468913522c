# Side by side with core's uuidv7() where the server has one, from 18 on: fields,
# order, errors with message, detail and SQLSTATE, and the functions of core 17.
#
# Situations C07 to C09, I01; traps I-1, I-2, I-10, I-14.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $node = new_server('core_uuidv7', start => 0);
my $frozen = '2030-01-01 00:00:00';
use_clock($node, $frozen, FAKETIME_DONT_FAKE_MONOTONIC => 0, DONT_FAKE_MONOTONIC => 0)
  if faketime_library();
$node->start;
my $major = major_version($node);
if ($major < 17)
{
	$node->stop('immediate');
	plan skip_all => "PostgreSQL $major has no functions of this kind";
}
$node->safe_psql('postgres', q{
	CREATE EXTENSION uuid_keyorder;
	CREATE TABLE samples AS
	SELECT u FROM (VALUES
		('00000000-0000-0000-0000-000000000000'::uuid), ('ffffffff-ffff-ffff-ffff-ffffffffffff'),
		('c232ab00-9414-11ec-b3c8-9f6bdeced846'), ('13814000-1dd2-11b2-8000-000000000000'),
		('00000000-0000-1000-8000-000000000000'), ('ffffffff-ffff-1fff-8000-000000000000'),
		('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'), ('00000000-0000-7000-8000-000000000000'),
		('ffffffff-ffff-7fff-bfff-ffffffffffff'), ('019d50a3-b800-7000-0000-000000000000')) AS fixed (u)
	UNION ALL SELECT md5(n::text)::uuid FROM generate_series(1, 20000) AS n;
});

is($node->safe_psql('postgres', q{
	SELECT count(*) FROM samples
	WHERE pg_catalog.uuid_extract_version(u) IS DISTINCT FROM public.uuid_extract_version(u)}), 0,
	'uuid_extract_version() is core\'s');
# Version 6 is ours alone as yet, version 7 core's from 18 on.
my $not_in_core = $major == 17 ? '6, 7' : '6';
is($node->safe_psql('postgres', qq{
	SELECT count(*) FROM samples
	WHERE pg_catalog.uuid_extract_timestamp(u) IS DISTINCT FROM public.uuid_extract_timestamp(u)
		AND (public.uuid_extract_version(u) NOT IN ($not_in_core) OR pg_catalog.uuid_extract_timestamp(u) IS NOT NULL)}), 0,
	'uuid_extract_timestamp() is core\'s where that has one');

SKIP:
{
	skip "PostgreSQL $major has no uuidv7()", 1 if $major < 18;

	is($node->safe_psql('postgres', 'SELECT oid::regprocedure = \'pg_catalog.uuidv7()\'::regprocedure FROM pg_proc WHERE oid = \'uuidv7()\'::regprocedure'),
		't', 'unqualified, core\'s is meant');

	# On a clock that stands still both count from the same nanosecond.
	my $fields = faketime_library() ? 'left(u::text, 18)' : "uuid_extract_version(u) || (extract(epoch FROM uuidv7_timestamp(u)) / 60)::bigint::text";
	foreach my $call ('uuidv7()', "uuidv7('1 day 03:04:05.678901')", "uuidv7('-7 months')", "uuidv7('8859 years')")
	{
		my %drawn = map {
			$_ => $node->safe_psql('postgres', "SELECT $fields FROM (SELECT n, $_.$call AS u FROM generate_series(1, 10000) AS n) AS drawn ORDER BY n")
		} qw(pg_catalog public);

		ok($drawn{public} eq $drawn{pg_catalog}, "$call: the same fields, in the same order, as core's");
	}
	is($node->safe_psql('postgres', q{
		SELECT count(*) FROM (
			SELECT u, lag(u) OVER (ORDER BY n) AS before FROM (
				SELECT n, public.uuidv7() AS u FROM generate_series(1, 10000) AS n WHERE pg_catalog.uuidv7() IS NOT NULL) AS drawn) AS pair
		WHERE u <= before}), 0, 'calling core\'s in between does not disturb the order');

	# Errors.  18.0 to 18.4 wrapped where later ones raise.
	$node->safe_psql('postgres', q{
		CREATE FUNCTION outcome(call text) RETURNS text LANGUAGE plpgsql AS $$
		DECLARE result text; state text; message text; detail text; hint text;
		BEGIN
			EXECUTE 'SELECT uuidv7_timestamp(' || call || ')' INTO result;
			RETURN 'year ' || left(result, -25);
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
			RETURN concat_ws(' | ', state, message, detail, hint);
		END $$});
	my $wraps = $node->safe_psql('postgres', q{SELECT outcome($q$pg_catalog.uuidv7('-1000 years')$q$)}) !~ /^22008/;
	skip 'this minor of core wraps around instead of raising an error', 1 if $wraps;

	foreach my $shift ('-1000 years', '-100 years', '8800 years', '8862 years', '8900 years', '9000 years', '100000 years',
		'300000 years', '-300000 years', 'infinity', '-infinity', '178000000 years', '-178000000 years', '0', '-1 microsecond')
	{
		is($node->safe_psql('postgres', "SELECT outcome(\$q\$public.uuidv7('$shift')\$q\$)"),
			$node->safe_psql('postgres', "SELECT outcome(\$q\$pg_catalog.uuidv7('$shift')\$q\$)"), "uuidv7('$shift'): as core");
	}
}

$node->stop('immediate');
done_testing();
