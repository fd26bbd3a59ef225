#!/bin/sh
# Runs commands against a server with demo data: flow.sh PROGRAM COMMAND... The commands
# get its address and a demo user who may see every record in TRESTLE_URL, TRESTLE_EMAIL
# and TRESTLE_PASSWORD.
set -eu
program=$1
shift
folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server"; wait "$server" || true; fi; rm -rf "$folder"' EXIT
mkfifo "$folder/printed"
DATABASE_URL="sqlite://$folder/demo.db" "$program" serve --migrate --seed --addr 127.0.0.1:0 > "$folder/printed" 2> "$folder/log" &
server=$!
exec 3< "$folder/printed"
TRESTLE_URL=
while [ -z "$TRESTLE_URL" ] && IFS= read -r line <&3; do
	case $line in
	*curl*http://*) TRESTLE_URL=$(printf '%s\n' "$line" | sed "s|.*'\(http://[^/]*\)/.*|\1|") ;;
	admin@*)
		TRESTLE_EMAIL=${line%% *}
		TRESTLE_PASSWORD=$(printf '%s\n' "$line" | awk '{ print $2 }')
		;;
	esac
done
[ -n "$TRESTLE_URL" ] || { cat "$folder/log" >&2; exit 1; }
export TRESTLE_URL TRESTLE_EMAIL TRESTLE_PASSWORD
cat <&3 > /dev/null &
for command; do
	echo "$command"
	sh -c "$command"
done
