# The beginning of every keeper: it reads the password and makes the folder. When
# standard input closes or a signal arrives, it calls "stop", which the script of the
# server defines, and removes the folder.

dir=
IFS= read -r password || exit 1

stop() { :; }

finish() {
	status=$?
	trap '' HUP INT TERM
	stop
	if [ -n "$dir" ]; then rm -rf "$dir"; fi
	exit "$status"
}

# The parent may have ended when the keeper prints: that must not end the keeper.
trap '' PIPE
trap 'exit 1' HUP INT TERM
trap finish EXIT

# The user of the keeper may not be allowed to use the TMPDIR of root.
umask 077
dir=$(mktemp -d "${TMPDIR:-/tmp}/trestle.XXXXXX" 2>/dev/null) ||
	dir=$(mktemp -d /tmp/trestle.XXXXXX) || exit 1

