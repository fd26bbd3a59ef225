# The part for a service with a log: "keep" runs it, prints a line, and waits.

service=

stop() {
	if [ -n "$service" ]; then
		kill -KILL "$service" 2>/dev/null
		wait "$service" 2>/dev/null
		cat "$dir/log" >&2
	fi
}

# keep runs a command. The command is ready when its log contains the first argument.
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

