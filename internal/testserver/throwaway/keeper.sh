# What every keeper begins with: it reads the password and makes the folder. When
# standard input closes or a signal asks it to stop, it calls "stop", which the
# script says for its own server, and removes the folder.

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

# The parent may be gone when something is printed: that must not end the keeper.
trap '' PIPE
trap 'exit 1' HUP INT TERM
trap finish EXIT

# Root's TMPDIR may be closed to the user the keeper runs as.
umask 077
dir=$(mktemp -d "${TMPDIR:-/tmp}/trestle.XXXXXX" 2>/dev/null) ||
	dir=$(mktemp -d /tmp/trestle.XXXXXX) || exit 1

