# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of the scripts that source this file
#
# The test suites of one server, and the counting of their results.  To be
# sourced after lib.sh, servers.sh and build_checks.sh.
#
# A suite is called as `suite_NAME LABEL PG_CONFIG ORIGINAL`: the server's name
# in the output, the pg_config of its private copy, and that of the server as
# it was found.  It works in $work/LABEL and logs to $logs/LABEL/NAME, where
# the file `verdicts` gets a line `TEST ok` or `TEST failed` for each test.

test_timeout=${TEST_TIMEOUT:-900}

# result LABEL SUITE TEST ok|failed
result() {
	say "$3 $4" >>"$logs/$1/$2/verdicts"
	if [ -n "${V:-}" ]; then
		printf '%-10s %-10s %s %s\n' "$1" "$2" "$4" "$3"
	fi
}

# report LABEL SUITE SECONDS: the suite's line, and the names of what failed.
report() {
	local verdicts=$logs/$1/$2/verdicts passed failed
	[ -e "$verdicts" ] || return 0
	passed=$(grep -c ' ok$' "$verdicts" || true)
	failed=$(grep -c ' failed$' "$verdicts" || true)
	printf '%-10s %-10s %3d passed, %d failed  (%d s)\n' "$1" "$2" "$passed" "$failed" "$3"
	sed -n 's/^\(.*\) failed$/    failed: \1/p' "$verdicts"
}

# The end of a file, for those who see only the output.
show_end() {
	say "    ${1#"$logs/"}:"
	tail -n "$2" "$1" | cut -c 1-200 | sed 's/^/    | /'
}

# check LABEL SUITE TEST COMMAND...: a test that is one command.
check() {
	local label=$1 suite=$2 name=$3 log=$logs/$1/$2/$3.log
	shift 3
	if ("$@") >"$log" 2>&1; then
		result "$label" "$suite" "$name" ok
	else
		result "$label" "$suite" "$name" failed
		show_end "$log" 30
	fi
}

# A command that is given up after some time.
bounded() {
	local status=0
	timeout -k 10 "$test_timeout" "$@" || status=$?
	if [ "$status" = 124 ] || [ "$status" = 137 ]; then
		say "Given up after $test_timeout seconds."
	fi
	return "$status"
}

suite_source() {
	check "$1" source one_door_for_versions one_door_for_versions
	check "$1" source version_stands_once version_stands_once
}

suite_build() {
	local folder=$work/$1/builds clang
	mkdir -p "$folder"
	check "$1" build gcc builds_with_gcc "$3" "$folder/gcc"
	check "$1" build in_tree builds_in_tree "$3" "$folder/in_tree"
	check "$1" build headers_alone headers_compile_alone "$3"
	clang=$(clang_of "$3")
	clang=${clang:-$(any_clang)}
	if [ -n "$clang" ]; then
		check "$1" build clang builds_with_clang "$3" "$folder/clang" "$clang"
	fi
}

# installcheck LABEL SUITE PG_CONFIG VARIABLE=VALUE...
#
# make installcheck, on a cluster of its own.
installcheck() {
	local label=$1 suite=$2 pg_config=$3 log=$logs/$1/$2 cluster=$work/$1/$2
	shift 3
	(
		# shellcheck disable=SC2030 # the settings of the cluster end with it
		start_cluster "$pg_config" "$cluster"
		trap 'stop_cluster "$pg_config" "$cluster"; cp "$cluster/server.log" "$log"' EXIT
		bounded make -C "$log" -f "$source_folder/Makefile" \
			--no-print-directory PG_CONFIG="$pg_config" TAP_TESTS= "$@" installcheck
	) >"$log/installcheck.log" 2>&1
}

# The verdicts in pg_regress's words, which changed with PostgreSQL 16.
regress_verdicts() {
	sed -n -E \
		-e 's/^(test)? +([^ ]+) +\.\.\. ok .*/\2 ok/p' \
		-e 's/^(test)? +([^ ]+) +\.\.\. FAILED.*/\2 failed/p' \
		-e 's/^ok [0-9]+ +[-+] +([^ ]+) .*/\1 ok/p' \
		-e 's/^not ok [0-9]+ +[-+] +([^ ]+) .*/\1 failed/p' "$1"
}

# run_regress LABEL SUITE PG_CONFIG VARIABLE=VALUE...
run_regress() {
	local label=$1 suite=$2 log=$logs/$1/$2 status=0 name verdict
	installcheck "$@" || status=$?
	while read -r name verdict; do
		result "$label" "$suite" "$name" "$verdict"
	done < <(regress_verdicts "$log/installcheck.log")
	[ "$status" != 0 ] || return 0
	if ! grep -qs ' failed$' "$log/verdicts"; then
		result "$label" "$suite" "$suite" failed
	fi
	show_end "$log/installcheck.log" 20
	find "$log" -name regression.diffs -size +0 | while read -r name; do
		show_end "$name" 80
	done
}

# Of the tests that TESTS names, those with a file FOLDER/NAME.ENDING.
chosen_tests() {
	local name
	for name in ${TESTS:-}; do
		if [ -e "$source_folder/$1/$name.$2" ]; then
			say "$name"
		fi
	done
}

suite_regress() {
	local tests=()
	if [ -n "${TESTS:-}" ]; then
		tests=("REGRESS=$(chosen_tests sql sql | tr '\n' ' ')")
		[ "${tests[0]}" != REGRESS= ] || return 0
	fi
	run_regress "$1" regress "$2" ISOLATION= "${tests[@]}"
}

suite_isolation() {
	local tests=()
	if [ -n "${TESTS:-}" ]; then
		tests=("ISOLATION=$(chosen_tests specs spec | tr '\n' ' ')")
		[ "${tests[0]}" != ISOLATION= ] || return 0
	fi
	run_regress "$1" isolation "$2" REGRESS= "${tests[@]}"
}

# run_tap PG_CONFIG FOLDER FILE
#
# One script, in a folder of its own.  The clusters of a failed one are not kept.
run_tap() {
	local status=0
	mkdir -p "$2"
	bounded make -C "$2" -f "$source_folder/Makefile" \
		--no-print-directory PG_CONFIG="$1" REGRESS= ISOLATION= \
		PROVE_TESTS="$3" PROVE_FLAGS='-v --timer' installcheck || status=$?
	stop_servers_in "$2"
	rm -rf "$2"/tmp_check/*_data
	return "$status"
}

has_tap() {
	grep -q '^enable_tap_tests[[:space:]]*=[[:space:]]*yes' "$(makefile_of "$1")"
}

suite_tap() {
	local file name
	if ! has_tap "$2"; then
		say "$1: TAP tests skipped: this server was built without --enable-tap-tests"
		return
	fi
	for file in "$source_folder"/t/*.pl; do
		[ -e "$file" ] || return 0
		name=$(basename "$file" .pl)
		if [ -z "${TESTS:-}" ] || [[ " $TESTS " = *" $name "* ]]; then
			check "$1" tap "$name" run_tap "$2" "$logs/$1/tap/$name" "t/$name.pl"
		fi
	done
}
