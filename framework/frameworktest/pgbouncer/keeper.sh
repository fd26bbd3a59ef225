# Starts a throw-away pgbouncer, says so, and waits. Ends it and removes the folder
# when standard input closes or a signal asks it to stop.
#
# Arguments: the program, the port on 127.0.0.1, the server's host and port, and
# the user that asks it.
# Standard input: that user's password as the first line, then silence.
# Standard output: the pooler's folder, once it accepts connections.

program=$1
port=$2
host=$3
server=$4
user=$5
dir=
pooler=
IFS= read -r password || exit 1

finish() {
	status=$?
	trap '' HUP INT TERM
	if [ -n "$pooler" ]; then
		kill -KILL "$pooler" 2>/dev/null
		wait "$pooler" 2>/dev/null
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
dir=$(mktemp -d "${TMPDIR:-/tmp}/trestle-pgbouncer.XXXXXX" 2>/dev/null) ||
	dir=$(mktemp -d /tmp/trestle-pgbouncer.XXXXXX) || exit 1

# A file, so that the password is in no list of processes.
printf '"%s" "%s"\n' "$user" "$password" >"$dir/users"
cat >"$dir/pgbouncer.ini" <<EOT
[databases]
* = host=$host port=$server

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = scram-sha-256
auth_file = $dir/users
pool_mode = transaction
default_pool_size = 4
max_client_conn = 1000
log_connections = 0
log_disconnections = 0
EOT

"$program" "$dir/pgbouncer.ini" </dev/null >"$dir/log" 2>&1 &
pooler=$!
until grep -q 'process up' "$dir/log"; do
	kill -0 "$pooler" 2>/dev/null || exit 1
	sleep 0.02
done
printf '%s\n' "$dir"
while read -r _; do :; done
