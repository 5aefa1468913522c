# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of the scripts that source this file
#
# Finding PostgreSQL, building for it, and running a throw-away cluster of a
# private copy of it.  To be sourced after lib.sh.

oldest_major=14

# Whoever names one server, as PGXS wants it, means that one.
PG_CONFIGS=${PG_CONFIGS:-${PG_CONFIG:-}}

# Every server found, as the pg_config beside it: in Debian's versioned
# directories, those of the PGDG packages for Red Hat, and PostgreSQL's default
# prefix and its versioned siblings.
servers_found() {
	local folder
	for folder in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/local/pgsql*/bin; do
		if [ -x "$folder/postgres" ] && [ -x "$folder/pg_config" ]; then
			say "$folder/pg_config"
		fi
	done
}

# 15.3, 19beta1
version_of() {
	"$1" --version | awk '{ print $2 }'
}

major_of() {
	version_of "$1" | sed 's/[^0-9].*//'
}

has_headers() {
	[ -e "$("$1" --pgxs)" ] && [ -e "$("$1" --includedir-server)/postgres.h" ]
}

# The servers that we can build for, oldest first; PG_CONFIGS chooses.
usable_servers() {
	local pg_config
	for pg_config in ${PG_CONFIGS:-$(servers_found)}; do
		pg_config=$(command -v "$pg_config") || die "PG_CONFIGS: not found"
		if [ "$(major_of "$pg_config")" -ge "$oldest_major" ] && has_headers "$pg_config"; then
			say "$(major_of "$pg_config") $pg_config"
		elif [ -n "${PG_CONFIGS:-}" ]; then
			die "$pg_config is older than $oldest_major or has no server headers"
		fi
	done | sort -n -s -k 1,1 | cut -d ' ' -f 2
}

# The server to measure: PG_CONFIG, or the newest that we can build for.
newest_server() {
	local pg_config=${PG_CONFIG:-$(usable_servers | tail -n 1)}
	[ -n "$pg_config" ] || die "found no PostgreSQL with server headers: run make test once, or install them"
	say "$pg_config"
}

# For the head of results: 2 cores, AMD EPYC
this_machine() {
	say "$(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
}

# The major versions of Debian's servers whose headers are a package away.
servers_without_headers() {
	local pg_config
	for pg_config in $(servers_found); do
		case $pg_config in
			/usr/lib/postgresql/*)
				if [ "$(major_of "$pg_config")" -ge "$oldest_major" ] && ! has_headers "$pg_config"; then
					major_of "$pg_config"
				fi
				;;
		esac
	done
}

# private_copy PG_CONFIG FOLDER
#
# Copy a server's installation below FOLDER, under its own path.  PostgreSQL
# finds its files by the place of its binary, so the copy is complete in itself:
# extensions installed into it are seen by no other server, and need no right
# to write to the original.  Prints the pg_config of the copy.
private_copy() {
	local pg_config=$1 to=$2 path
	while read -r path; do
		mkdir -p "$to${path%/*}"
		cp -a "$path" "$to${path%/*}"
	done < <("$pg_config" --bindir --pkglibdir --sharedir | sort -u)
	while read -r path; do
		if [ ! -e "$to$path" ]; then
			mkdir -p "$to${path%/*}"
			ln -s "$path" "$to$path"
		fi
	done < <("$pg_config" --includedir --pkgincludedir --includedir-server)
	say "$to$("$pg_config" --bindir)/pg_config"
}

# make_for PG_CONFIG FOLDER ARGUMENT...: make, outside the source.
make_for() {
	local pg_config=$1 folder=$2
	shift 2
	mkdir -p "$folder"
	make -C "$folder" -f "$source_folder/Makefile" --no-print-directory \
		PG_CONFIG="$pg_config" "$@"
}

# The settings that the server was built with.
makefile_of() {
	say "$(dirname "$("$1" --pgxs)")/../Makefile.global"
}

# The clang that the server was built with, if it is here: without it there is
# no bitcode for the server's just-in-time compiler.
clang_of() {
	local clang
	clang=$(sed -n 's/^CLANG *= *//p' "$(makefile_of "$1")")
	if [ -n "$clang" ] && command -v "$clang" >/dev/null; then
		say "$clang"
	fi
}

# Any clang at all.
any_clang() {
	compgen -c clang | grep -xE 'clang(-[0-9]+)?' | sort -V | tail -n 1 || true
}

llvm_of() {
	if [ -n "$(clang_of "$1")" ]; then
		say with_llvm=yes
	else
		say with_llvm=no
	fi
}

# start_cluster PG_CONFIG FOLDER [SETTING=VALUE...]
#
# A new cluster that listens on a socket in FOLDER only.  Clients find it
# through PGHOST; nothing is synced to the disk, as it does not live long.
start_cluster() {
	local bin folder=$2 setting
	bin=$("$1" --bindir)
	shift 2
	mkdir -p "$folder"
	"$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C -N \
		>"$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log"; die "initdb failed"; }
	for setting in "listen_addresses=''" "unix_socket_directories='$folder'" \
		fsync=off "$@"; do
		say "$setting"
	done >>"$folder/data/postgresql.conf"
	"$bin/pg_ctl" -D "$folder/data" -l "$folder/server.log" -w -s start >&2 ||
		{ cat "$folder/server.log"; die "the server did not start"; }
	export PGHOST=$folder PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
}

# stop_cluster PG_CONFIG FOLDER
stop_cluster() {
	"$("$1" --bindir)/pg_ctl" -D "$2/data" -w -s -m fast stop >&2
}
