# shellcheck shell=bash
#
# What all scripts share: words to the user, and a throw-away folder in which a
# user other than root works on a copy of the source.  To be sourced, not run.

# Messages are read by these scripts, and nothing here is meant for a server
# that runs already: forget the settings that would lead psql to it.
export LC_ALL=C
for name in "${!PG@}"; do
	case $name in
		PG_*) ;;
		*) unset "$name" ;;
	esac
done
# A make that called us must not rule those that we call.
unset MAKEFLAGS MFLAGS MAKELEVEL name

source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() {
	printf '%s\n' "$*"
}

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# Servers refuse root, so root's work is done by this user.
server_user() {
	if id postgres >/dev/null 2>&1; then
		say postgres
	else
		say nobody
	fi
}

# The source as it stands, without what was built in it.
copy_source() {
	mkdir "$1"
	tar -C "$source_folder" -cf - --exclude=./.git --exclude=./tmp_check \
		--exclude='*.o' --exclude='*.bc' --exclude='*.so' . | tar -C "$1" -xf -
}

# Stop at once every server whose data lie in the folder.
stop_servers_in() {
	local pid_file
	find "$1" -name postmaster.pid | while read -r pid_file; do
		kill -QUIT "$(head -n 1 "$pid_file")" 2>/dev/null || true
	done
}

# Run $before_removal, if the script set it, with the status of the work.
remove_work_folder() {
	local status=$?
	stop_servers_in "$work_folder"
	${before_removal:+"$before_removal" "$status"}
	# A server that is going down may still write: try again.
	rm -rf "$work_folder" 2>/dev/null || { sleep 1; rm -rf "$work_folder"; }
}

# in_work_folder SCRIPT ARGUMENT...
#
# Run a script of a copy of the source as `SCRIPT WORK_FOLDER ARGUMENT...`, as a
# user that may run servers.  The folder is removed afterwards, and with it
# every server started in it.  It stands in /tmp, or $TMPDIR, by a short name:
# the path of a socket has room for some hundred bytes.
in_work_folder() {
	local script=$1 as=()
	shift
	work_folder=$(mktemp -d "${TMPDIR:-/tmp}/keyorder.XXXXXX")
	trap remove_work_folder EXIT
	trap 'exit 130' INT TERM HUP
	copy_source "$work_folder/source"
	if [ "$(id -u)" = 0 ]; then
		as=(runuser -u "$(server_user)" --)
		chown -R "$(server_user)" "$work_folder"
	fi
	cd "$work_folder" || die "cannot enter $work_folder"
	"${as[@]}" env HOME="$work_folder" \
		bash "$work_folder/source/scripts/$script" "$work_folder" "$@" </dev/null
}
