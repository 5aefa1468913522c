# shellcheck shell=bash
#
# What must be on the machine before we can work, and how Debian and Ubuntu
# call it.  To be sourced after lib.sh and servers.sh.

# Kind of work, package, and a command that succeeds where it is there.
prerequisites() {
	cat <<-'END'
		build make            command -v make
		build gcc             command -v gcc
		build libc6-dev       test -e /usr/include/stdio.h
		test  perl            command -v prove
		test  libipc-run-perl perl -MIPC::Run -e 1
		test  faketime        command -v faketime
	END
}

# The packages of all of them.
all_tools() {
	prerequisites | awk '{ print $2 }'
}

# What the kind of work, build or test, lacks here; a test is built first.
missing_tools() {
	local kind package probe
	prerequisites | while read -r kind package probe; do
		[ "$kind" = build ] || [ "$kind" = "$1" ] || continue
		# shellcheck disable=SC2086 # a command and its arguments
		$probe >/dev/null 2>&1 || say "$package"
	done
}

# Is a server of the Debian package running?
runs_already() {
	compgen -G "/var/run/postgresql/$1-*.pid" >/dev/null
}

# To build for a packaged server.  A server and its development files must be
# of one minor version, so both are asked for, and the older one is upgraded.
# Upgrading restarts: a server that runs is left as it is.
packages_to_build_for() {
	if ! runs_already "$1"; then
		say "postgresql-$1"
	fi
	say "postgresql-server-dev-$1"
}

# The major version that the distribution ships; nothing where it is unknown.
distribution_major() {
	{ apt-cache show postgresql 2>/dev/null || true; } |
		awk '/^Depends:/ && match($0, /postgresql-[0-9]+/) && !seen++ {
			print substr($0, RSTART + 11, RLENGTH - 11)
		}'
}

# missing_servers one|all: packages that give us a server to build for, where
# there is none yet, or (all) every server found one that we can build for.
missing_servers() {
	local majors=() major
	[ -z "${PG_CONFIGS:-}" ] || return 0
	mapfile -t majors < <(servers_without_headers)
	if [ "$1" = one ] && [ -n "$(usable_servers)" ]; then
		return
	fi
	if [ -z "$(usable_servers)" ] && [ "${#majors[@]}" = 0 ]; then
		major=$(distribution_major)
		if [ -z "$major" ]; then
			say postgresql postgresql-server-dev-all
			return
		fi
		majors=("$major")
	fi
	for major in "${majors[@]}"; do
		packages_to_build_for "$major"
	done
}

refuse_to_install() {
	die "these packages are missing, and there is no right to install them: $*"
}

# Run as root, with sudo where that is needed and allowed.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

may_install() {
	command -v apt-get >/dev/null || return 1
	[ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || {
		command -v sudo >/dev/null && [ -t 0 ]
	}
}

# Quiet, unless it fails.
apt() {
	local output
	output=$(as_root env DEBIAN_FRONTEND=noninteractive apt-get -qy "$@" 2>&1) ||
		die "apt-get $* failed:"$'\n'"$output"
}

# Debian's packages make a cluster and start it when they are first installed.
# We bring our own, so for the time of our installation they do not.
install_packages() {
	local no_cluster=/etc/postgresql-common/createcluster.d/uuid_keyorder.conf
	say "Installing with apt-get: $*"
	if [ -e /etc/postgresql-common/createcluster.conf ]; then
		apt --no-install-recommends install "$@"
		return
	fi
	as_root mkdir -p "${no_cluster%/*}"
	say "create_main_cluster = false" | as_root tee "$no_cluster" >/dev/null
	apt --no-install-recommends install "$@"
	as_root rm "$no_cluster"
}

# install_missing build|test one|all
#
# Everything for that kind of work, and one server, or the headers of all.
install_missing() {
	local missing
	mapfile -t missing < <(missing_tools "$1"; missing_servers "$2")
	[ "${#missing[@]}" -gt 0 ] || return 0
	may_install || refuse_to_install "${missing[*]}"
	say "Asking apt-get for new lists of packages."
	apt update
	# Only now is it known which server the distribution ships.
	mapfile -t missing < <(missing_tools "$1"; missing_servers "$2")
	install_packages "${missing[@]}"
}
