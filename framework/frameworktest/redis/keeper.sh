# Starts a throw-away Redis server, says so, and waits. Ends the server and
# removes the folder when standard input closes or a signal asks it to stop.
#
# Arguments: the server's program, the port on 127.0.0.1.
# Standard input: the password as the first line, then silence.
# Standard output: the server's folder, once it accepts connections.

program=$1
port=$2
dir=
server=
IFS= read -r password || exit 1

finish() {
	status=$?
	trap '' HUP INT TERM
	if [ -n "$server" ]; then
		kill -KILL "$server" 2>/dev/null
		wait "$server" 2>/dev/null
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
dir=$(mktemp -d "${TMPDIR:-/tmp}/trestle-redis.XXXXXX" 2>/dev/null) ||
	dir=$(mktemp -d /tmp/trestle-redis.XXXXXX) || exit 1

# A file, so that the password is in no list of processes.
cat >"$dir/redis.conf" <<EOT
bind 127.0.0.1
port $port
requirepass $password
dir $dir
save ""
appendonly no
daemonize no
EOT

"$program" "$dir/redis.conf" </dev/null >"$dir/log" 2>&1 &
server=$!
until grep -q 'Ready to accept connections' "$dir/log"; do
	kill -0 "$server" 2>/dev/null || exit 1
	sleep 0.02
done
printf '%s\n' "$dir"
while read -r _; do :; done
