# Starts etcd and three servers under Patroni. The script of every keeper runs first.
#
# Arguments: the programs patroni and etcd, the folder of PostgreSQL's programs, the
# ports of etcd for clients and for peers, then for each server the port of PostgreSQL
# and that of Patroni.
# Standard input: the password as the first line, then orders: "kill N" kills server N
# and its Patroni, "start N" starts its Patroni again.
# Standard output: the folder, once all are started.

patroni=$1
etcd=$2
bin=$3
client=$4
peer=$5
shift 5

keeper=
etcdpid=

# crash ends a server's Patroni first, so that it does not start the server again.
crash() {
	if [ -s "$dir/pid$1" ]; then kill -KILL "$(cat "$dir/pid$1")" 2>/dev/null; fi
	if [ -s "$dir/data$1/postmaster.pid" ]; then kill -KILL "$(head -n 1 "$dir/data$1/postmaster.pid")" 2>/dev/null; fi
}

stop() {
	for n in 1 2 3; do crash "$n"; done
	if [ -n "$etcdpid" ]; then kill -KILL "$etcdpid" 2>/dev/null; fi
	wait 2>/dev/null
	cat "$dir"/log* >&2
}

launch() {
	"$patroni" "$dir/$1.yml" </dev/null >>"$dir/log$1" 2>&1 &
	printf '%s\n' "$!" >"$dir/pid$1"
}

"$etcd" --name etcd --data-dir "$dir/etcd" --heartbeat-interval 50 --election-timeout 500 \
	--listen-client-urls "http://127.0.0.1:$client" --advertise-client-urls "http://127.0.0.1:$client" \
	--listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
	--initial-cluster "etcd=http://127.0.0.1:$peer" </dev/null >"$dir/log-etcd" 2>&1 &
etcdpid=$!

n=0
while [ $# -gt 0 ]; do
	n=$((n + 1))
	cat >"$dir/$n.yml" <<EOT
scope: trestle
name: "$n"
restapi: {listen: "127.0.0.1:$2", connect_address: "127.0.0.1:$2"}
etcd3: {host: "127.0.0.1:$client"}
bootstrap:
  dcs:
    ttl: 5
    loop_wait: 1
    retry_timeout: 2
    master_start_timeout: 0
    synchronous_mode: true
    postgresql: {use_pg_rewind: true, use_slots: true}
  initdb: [{encoding: UTF8}, {locale: C.UTF-8}]
postgresql:
  listen: "127.0.0.1:$1"
  connect_address: "127.0.0.1:$1"
  data_dir: "$dir/data$n"
  bin_dir: "$bin"
  pgpass: "$dir/pgpass$n"
  authentication:
    superuser: {username: postgres, password: "$password"}
    replication: {username: replicator, password: "$password"}
    rewind: {username: postgres, password: "$password"}
  parameters: {unix_socket_directories: "$dir", max_connections: 100}
  pg_hba:
    - host all all 127.0.0.1/32 scram-sha-256
    - host replication replicator 127.0.0.1/32 scram-sha-256
EOT
	launch "$n"
	shift 2
done

printf '%s\n' "$dir"
while read -r order number; do
	case $order in
	kill) crash "$number" ;;
	start) launch "$number" ;;
	esac
done
