# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of the scripts that source this file
#
# Checks of the source and of the build, each a command that is silent or
# says what is wrong and fails.  To be sourced after lib.sh and servers.sh.

# src/compat.h is the one door for versions.
one_door_for_versions() {
	! grep -rn PG_VERSION_NUM "$source_folder/src" --exclude=compat.h
}

# The version of the extension stands in the control file, nowhere else.
version_stands_once() {
	local version
	version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" "$source_folder/uuid_keyorder.control")
	[ -n "$version" ] || die "no default_version in the control file"
	! grep -rnE "[\"']${version//./\\.}[\"']" "$source_folder" \
		--include='*.[ch]' --include='*.sql' --include='*.p[lm]' --include=Makefile
}

# make, where a warning of any of its tools is a failure.
make_silently() {
	local output status=0
	output=$("$@" COPT=-Werror 2>&1) || status=$?
	say "$output"
	[ "$status" = 0 ] && ! grep -qi 'warning:' <<<"$output"
}

# With the server's own compiler, and bitcode where its clang is here.
builds_with_gcc() {
	make_silently make_for "$1" "$2" "$(llvm_of "$1")"
}

# Servers built by gcc hand over some of its options, which clang must not
# complain of.
builds_with_clang() {
	make_silently make_for "$1" "$2" with_llvm=no "CC=$3" \
		"PG_CFLAGS=-Wno-unknown-warning-option -Wno-ignored-attributes -Wno-ignored-optimization-argument -Wno-unused-command-line-argument"
}

builds_in_tree() {
	cp -a "$source_folder" "$2" &&
		make_silently make -C "$2" --no-print-directory PG_CONFIG="$1" with_llvm=no
}

headers_compile_alone() {
	local header include status=0
	include=$("$1" --includedir-server)
	for header in "$source_folder"/src/*.h; do
		say "$header"
		# shellcheck disable=SC2046 # several options
		printf '#include "postgres.h"\n#include "%s"\n' "$header" |
			gcc -Wall -Werror -fsyntax-only $("$1" --cppflags) -I "$include" -xc - || status=1
	done
	return "$status"
}
