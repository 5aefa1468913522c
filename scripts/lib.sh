# shellcheck shell=bash
#
# What the scripts share: words to the user, and the packages that Debian's
# and Ubuntu's archives have for our work.  To be sourced, not run.

# To build an extension and to run a throw-away cluster.
# shellcheck disable=SC2034 # used by the scripts that source this file
BUILD_PACKAGES=(make gcc libc6-dev)

# To run the tests on top of it: PostgreSQL's TAP modules, a false clock.
# shellcheck disable=SC2034
TEST_PACKAGES=(perl libipc-run-perl faketime git)

say() {
	printf '%s\n' "$*"
}

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# The server and the development files of one major version.
server_packages() {
	say "postgresql-$1" "postgresql-server-dev-$1"
}
