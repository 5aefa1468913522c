# Every function of the extension, as the catalog lists them, with edge values of
# every argument type, then with random ones: the server lives, each error has an
# SQLSTATE that is not XX000, and each result is a value of its type that keeps the
# rules of what it is.
#
# UUID_KEYORDER_TEST_SEED repeats a run, UUID_KEYORDER_TEST_SCALE makes it longer.
#
# Traps I-4, I-17, I-20 to I-24, I-41.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/lib";
use PostgreSQL::Test::Utils;
use Test::More;
use UuidKeyorderTest;

my $seed = $ENV{UUID_KEYORDER_TEST_SEED} || time % 1000000;
my $seconds = int(12 * $scale);
note "seed $seed, $seconds seconds";
srand $seed;

my $node = new_server('fuzz');
my $started = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');

# Edge values, as SQL literals without the cast.
my @integers = qw(0 1 -1 2 127 4095 4096 32767 -32768 2147483647 -2147483648);
my @bigints = (@integers, qw(4194303 4194304 9223372036854775807 -9223372036854775808 4611686018427387904
	1512826732476891136 9007199254740993 281474976710655 281474976710656));
my %edges = (
	uuid => [ qw(
		00000000-0000-0000-0000-000000000000 ffffffff-ffff-ffff-ffff-ffffffffffff
		00000000-0000-1000-8000-000000000000 ffffffff-ffff-1fff-bfff-ffffffffffff
		ffffffff-ffff-6fff-bfff-ffffffffffff 00000000-0000-7000-8000-000000000000
		ffffffff-ffff-7fff-bfff-ffffffffffff 017f22e2-79b0-7cc3-98c4-dc0c0c07398f
		00000000-0000-7000-0000-000000000000 ffffffff-ffff-7fff-c000-000000000000
		ffffffff-ffff-8fff-bfff-ffffffffffff 550e8400-e29b-41d4-a716-446655440000) ],
	'timestamp with time zone' => [ qw(infinity -infinity), '1970-01-01 00:00:00+00', '1969-12-31 23:59:59.999999+00',
		'10889-08-02 05:31:50.655+00', '10889-08-02 05:31:50.655001+00', '10889-08-02 05:31:50.656+00',
		'294276-12-31 23:59:59.999999+00', '4714-11-24 00:00:00+00 BC', '2000-01-01 00:00:00+00',
		'2022-12-31 23:59:59.999999+00', '2023-01-01 00:00:00+00', '2092-09-06 15:47:35.551999+00',
		'2092-09-06 15:47:35.552+00', '2262-04-11 23:47:16.854776+00', '2010-11-04 01:42:54.656999+00' ],
	interval => [ '0', '1 microsecond', '-1 microsecond', '1 day', '-1 month', '8800 years', '-100 years',
		'9000 years', '300000 years', '-300000 years', '178000000 years', '-178000000 years',
		'2147483647 months 2147483647 days 2562047788 hours', '-2147483648 months -2147483648 days -2562047788 hours' ],
	bigint => \@bigints,
	integer => \@integers,
	smallint => [ qw(0 1 -1 32767 -32768) ],
	oid => [ qw(0 1 1259 4294967295) ],
	boolean => [ qw(t f) ],
	'double precision' => [ qw(0 -1 0.5 100 NaN Infinity -Infinity 1e300) ],
	regclass => [ qw(0 4294967295 pg_catalog.pg_class pg_catalog.pg_class_oid_index public.fuzz_table public.fuzz_key
		public.fuzz_hash public.fuzz_view public.fuzz_parent public.fuzz_parent_key public.snowflake_id_mark) ],
	text => [ '', ' ', 'keyorder', 'KEYORDER', 'pgedge', 'twitter', 'discord', 'instagram', 'mastodon', 'keyorder ',
		'%', '%s%n', "Kön\x{ff}'", "'; DROP TABLE x; --", 'x' x 10000, "\x{20ac}" x 3000,
		'ffffffff-ffff-7fff-bfff-ffffffffffff', '{017f22e279b07cc398c4dc0c0c07398f}', '017f22e2-79b0-7cc3-98c4-dc0c0c07398',
		'public', 'uuidv7', 'pg_catalog.uuidv7', 'id' ],
);
$edges{name} = $edges{'character varying'} = $edges{text};

# A random value of the type, often near an edge.
sub random_value
{
	my ($type) = @_;
	my @known = @{ $edges{$type} // [] };
	my $bits = int(rand 64);
	my $number = int(rand(2**$bits)) * (rand() < 0.3 ? -1 : 1);

	return undef if rand() < 0.02;
	return $known[ rand @known ] if @known && rand() < 0.3;
	return join '', map { sprintf '%04x', int rand 65536 } 1 .. 8 if $type eq 'uuid';
	return sprintf '%04d-%02d-%02d %02d:%02d:%02d.%06d+00', 1 + rand(rand() < 0.5 ? 3000 : 12000), 1 + rand 12, 1 + rand 28,
	  rand 24, rand 60, rand 60, rand 1e6 if $type eq 'timestamp with time zone';
	return sprintf '%d months %d days %d microseconds', $number % 200000 - 100000, $number % 3000000 - 1500000, $number
	  if $type eq 'interval';
	return sprintf '%d', $number if $type eq 'bigint' && $bits < 63;
	return sprintf '%d', $number % 100000 if $type =~ /^(integer|oid)$/;
	return sprintf '%d', $number % 32768 if $type eq 'smallint';
	return join '', map { chr(33 + rand 300) } 0 .. rand 20 if $type =~ /^(text|name|character varying)$/;
	return @known ? $known[ rand @known ] : undef;
}

# attempt() runs one call.  NULL: it went well; else what is wrong with it.
$node->safe_psql('postgres', q{
	CREATE TABLE fuzz_table (id uuid CONSTRAINT fuzz_key PRIMARY KEY DEFAULT public.uuidv7(), number bigint DEFAULT snowflake_id());
	INSERT INTO fuzz_table SELECT FROM generate_series(1, 1000);
	CREATE INDEX fuzz_hash ON fuzz_table USING hash (number);
	CREATE VIEW fuzz_view AS SELECT * FROM fuzz_table;
	CREATE TABLE fuzz_parent (id uuid CONSTRAINT fuzz_parent_key PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE fuzz_child PARTITION OF fuzz_parent DEFAULT;
	CREATE TABLE outcomes (state text, n bigint);

	-- What must hold of a result, whatever the arguments were.
	CREATE FUNCTION rule_of(function name) RETURNS text LANGUAGE sql AS $$
	SELECT CASE
		WHEN function ~ '^uuidv7(_at)?$' THEN
			'public.uuid_extract_version(r::text::uuid) = 7 AND uuidv7_timestamp_us(r::text::uuid) - uuidv7_timestamp(r::text::uuid) < ''1 ms'''
		WHEN function = 'uuidv4' THEN 'public.uuid_extract_version(r::text::uuid) = 4'
		WHEN function ~ '^uuidv7_.*_bound$' THEN 'public.uuid_extract_version(r::text::uuid) = 7'
		WHEN function ~ '^snowflake_(id|.*_bound)$' THEN 'r::text::bigint >= 0'
		WHEN function ~ '^snowflake_(node|counter)$' THEN 'r IS NULL OR r::text::bigint BETWEEN 0 AND 65535'
		WHEN function = 'uuid_extract_version' THEN 'r IS NULL OR r::text::int BETWEEN 0 AND 15'
		WHEN function ~ '_timestamp(_us)?$' THEN
			'r IS NULL OR r::text::timestamptz BETWEEN ''1582-10-15+00'' AND ''10889-08-02 05:31:50.655999+00'''
		ELSE 'true' END $$;
	CREATE FUNCTION attempt(function name, call text, type text, null_in boolean) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		state text := '00000';
		message text;
		fine boolean;
	BEGIN
		BEGIN
			IF type IS NULL THEN
				EXECUTE 'SELECT true FROM (SELECT count(r::text) FROM ' || call || ' AS r) AS rows' INTO fine;
			ELSE
				EXECUTE format('SELECT (r IS NULL OR r::text::%s::text = r::text) AND (%s) FROM (SELECT %s AS r OFFSET 0) AS result',
					type, CASE WHEN null_in THEN 'r IS NULL' ELSE rule_of(function) END, call) INTO fine;
			END IF;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
		END;
		INSERT INTO outcomes VALUES (state, 1);
		IF state = '00000' AND fine THEN
			RETURN NULL;
		ELSIF state = '00000' THEN
			RETURN format('breaks its rule: %s', left(call, 300));
		ELSIF state ~ '^(XX|42[68]|0A000$|P0)' AND state NOT IN ('42809', '42602', '42622') OR coalesce(message, '') = '' THEN
			RETURN format('%s %s: %s', state, message, left(call, 300));
		END IF;
		RETURN NULL;
	END $$;
});

# The functions with their argument types; sets and rows are called from FROM.
my @functions = map { [ split /\|/, $_, -1 ] } column_of($node, q{
	SELECT p.oid::regproc, p.proname, p.prokind,
		CASE WHEN p.proretset OR p.prorettype = 'record'::regtype THEN '' ELSE p.prorettype::regtype::text END,
		p.proisstrict,
		(SELECT coalesce(string_agg(format_type(a.type, NULL), ',' ORDER BY a.n), '')
			FROM unnest(p.proargtypes) WITH ORDINALITY AS a (type, n))
	FROM pg_depend AS d JOIN pg_proc AS p ON p.oid = d.objid
	WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
		AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'uuid_keyorder')
		AND p.prorettype NOT IN ('internal'::regtype, 'trigger'::regtype)
		AND NOT 'internal'::regtype = ANY (p.proargtypes)
	ORDER BY p.oid});
cmp_ok(scalar @functions, '>=', 20, scalar(@functions) . ' functions');

sub literal
{
	my ($value, $type) = @_;
	return "NULL::$type" unless defined $value;
	$value =~ s/'/''/g;
	$value =~ s/\\/\\\\/g;
	return "E'$value'::$type";
}

# The statement that attempts the function with these values.
sub attempt
{
	my ($function, @values) = @_;
	my ($regproc, $name, $kind, $type, $strict, $types) = @$function;
	my @types = split /,/, $types;
	my $arguments = join ', ', map { literal($values[$_], $types[$_]) } 0 .. $#types;
	my $schema_qualified = $regproc =~ /\./ ? $regproc : "public.$name";
	my $call = $kind eq 'a' ? "(SELECT $schema_qualified($arguments))" : "$schema_qualified($arguments)";
	my $result = $type =~ /^(void)?$/ ? 'NULL' : "'$type'";

	my $null_in = $strict eq 't' && grep({ !defined } @values) ? 'true' : 'false';

	return "SELECT attempt('$name', \$call\$$call\$call\$, $result, $null_in) AS wrong;\n";
}

# Run the statements in a session of their own; complaints, and the crash if there was one.
sub complaints
{
	my ($statements) = @_;
	my ($stdout, $stderr) = ('', '');
	my $file = $node->basedir . '/fuzz.sql';

	open my $handle, '>:encoding(UTF-8)', $file or die $!;
	print $handle "SET client_encoding = utf8; SET client_min_messages = error; SET statement_timeout = '10 s';\n", $statements;
	close $handle;
	IPC::Run::run([ 'psql', '-XAtq', '-f', $file, '-d', $node->connstr('postgres') ], '>', \$stdout, '2>', \$stderr);
	return grep { $_ ne '' } split /\n/, $stdout . $stderr;
}

# All edge values, in all combinations up to a bound; NULL with each.
my @wrong;
my $statements = '';
foreach my $function (@functions)
{
	my @lists = ([]);
	foreach my $type (split /,/, $function->[5])
	{
		my @values = (@{ $edges{$type} // [] }, undef);
		@lists = map { my $list = $_; map { [ @$list, $_ ] } @values } @lists;
	}
	if (@lists > 400)
	{
		my $stride = @lists / 400;
		@lists = map { $lists[ $_ * $stride ] } 0 .. 399;
	}
	$statements .= attempt($function, @$_) foreach @lists;
}
@wrong = complaints($statements);
is(join("\n", @wrong[ 0 .. ($#wrong < 20 ? $#wrong : 20) ]), '', 'edge values');

my $until = time + $seconds;
@wrong = ();
while (time < $until && !@wrong)
{
	$statements = '';
	foreach (1 .. 1000)
	{
		my $function = $functions[ rand @functions ];
		$statements .= attempt($function, map { random_value($_) } split /,/, $function->[5]);
	}
	@wrong = complaints($statements);
}
is(join("\n", @wrong[ 0 .. ($#wrong < 20 ? $#wrong : 20) ]), '', "random values, seed $seed");

is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $started, 'the server did not crash');
unlike(slurp_file($node->logfile), qr/TRAP|PANIC|terminated by signal/, 'nor did a backend');
my %outcomes = map { split /\|/ } column_of($node, 'SELECT state, count(*) FROM outcomes GROUP BY state ORDER BY state');
note join ', ', map { "$_: $outcomes{$_}" } sort keys %outcomes;
cmp_ok($outcomes{'00000'} // 0, '>', 1000, 'many calls gave a result');
cmp_ok($outcomes{'22008'} // 0, '>', 50, 'and many were refused');

$node->stop('immediate');
done_testing();
