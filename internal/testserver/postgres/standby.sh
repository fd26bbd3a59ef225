# Starts a throw-away standby of a PostgreSQL server on this machine, prints a line, and
# waits. The script of every keeper runs first.
#
# Arguments: the folder of PostgreSQL's programs, the port on 127.0.0.1, and that
# of the primary.
# Standard input: the superuser's password as the first line, then orders: "stop"
# ends the server at once, "start" starts it again.
# Standard output: the standby's folder, once the server accepts connections.

bin=$1
port=$2
primary=$3

stop() {
	if [ -f "$dir/data/postmaster.pid" ]; then
		kill -CONT "$(head -n 1 "$dir/data/postmaster.pid")" 2>/dev/null # a test may have stopped it
		"$bin/pg_ctl" -D "$dir/data" -m immediate -s -w stop </dev/null >&2
	fi
}

start() { "$bin/pg_ctl" -D "$dir/data" -s -w -t 120 start </dev/null >&2; }

PGPASSWORD=$password "$bin/pg_basebackup" --host=127.0.0.1 --port="$primary" --username=postgres \
	--pgdata="$dir/data" --write-recovery-conf --wal-method=stream --checkpoint=fast --no-sync >"$dir/backup.log" 2>&1 || {
	cat "$dir/backup.log" >&2
	exit 1
}

# It replays commits a little late, so that tests detect reads that do not wait for a
# commit. A read delays the replay only for a moment.
cat >>"$dir/data/postgresql.conf" <<EOT
port = $port
recovery_min_apply_delay = 3ms
max_standby_streaming_delay = 100ms
wal_retrieve_retry_interval = 100ms
EOT

start || exit 1
printf '%s\n' "$dir"
while read -r order; do
	case $order in
	stop) stop ;;
	start) start ;;
	esac
done
