# What keeps a service that has a folder and a log: it reads the password, makes
# the folder, and has "keep" run the service, say so, and wait. It ends the service
# and removes the folder when standard input closes or a signal asks it to stop.

dir=
service=
IFS= read -r password || exit 1

finish() {
	status=$?
	trap '' HUP INT TERM
	if [ -n "$service" ]; then
		kill -KILL "$service" 2>/dev/null
		wait "$service" 2>/dev/null
	fi
	if [ -n "$dir" ]; then
		cat "$dir/log" >&2
		rm -rf "$dir"
	fi
	exit "$status"
}

# The parent may be gone when something is printed: that must not end the keeper.
trap '' PIPE
trap 'exit 1' HUP INT TERM
trap finish EXIT

# Root's TMPDIR may be closed to the user the keeper runs as.
umask 077
dir=$(mktemp -d "${TMPDIR:-/tmp}/trestle-service.XXXXXX" 2>/dev/null) ||
	dir=$(mktemp -d /tmp/trestle-service.XXXXXX) || exit 1

# keep runs a command that is up when its log says what the first argument is.
keep() {
	up=$1
	shift
	"$@" </dev/null >"$dir/log" 2>&1 &
	service=$!
	until grep -q "$up" "$dir/log"; do
		kill -0 "$service" 2>/dev/null || exit 1
		sleep 0.02
	done
	printf '%s\n' "$dir"
	while read -r _; do :; done
}
