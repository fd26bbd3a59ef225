# Starts a throw-away PostgreSQL cluster, prints a line, and waits. The script of every
# keeper runs first.
#
# Arguments: the folder of PostgreSQL's programs, the port on 127.0.0.1.
# Standard input: the superuser's password as the first line, then nothing.
# Standard output: the cluster's folder, once the server accepts connections.

bin=$1
port=$2

stop() {
	if [ -f "$dir/data/postmaster.pid" ]; then
		kill -CONT "$(head -n 1 "$dir/data/postmaster.pid")" 2>/dev/null # a test may have stopped it
		"$bin/pg_ctl" -D "$dir/data" -m immediate -s -w stop >&2
	fi
}

printf '%s\n' "$password" >"$dir/password"

create() {
	rm -rf "$dir/data"
	"$bin/initdb" -D "$dir/data" --no-sync --encoding=UTF8 --username=postgres \
		--auth=scram-sha-256 --pwfile="$dir/password" "$@" >"$dir/initdb.log" 2>&1
}

# Byte order, and Unicode's upper and lower case where the system has a locale for it.
create --locale=C.UTF-8 ||
	create --locale=C --lc-ctype=en_US.UTF-8 ||
	create --locale=C || {
	cat "$dir/initdb.log" >&2
	exit 1
}

# The data is not needed after the tests, so nothing is flushed to disk. Tests cause
# errors on purpose, so the log has only events of the server itself.
cat >>"$dir/data/postgresql.conf" <<EOT
cluster_name = 'trestle_throwaway'
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = ''
max_connections = 200
fsync = off
synchronous_commit = off
full_page_writes = off
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
log_min_messages = log
log_min_error_statement = panic
EOT

"$bin/pg_ctl" -D "$dir/data" -s -w -t 120 start </dev/null >&2 || exit 1
printf '%s\n' "$dir"
while read -r _; do :; done
