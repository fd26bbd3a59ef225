# Starts a throw-away pgbouncer. The script of every service runs first.
#
# Arguments: the program, the port on 127.0.0.1, the server's host and port, the
# user of its connections, and how many connections it has to each database.
# Standard input: the password of that user as the first line, then nothing.
# Standard output: the pooler's folder, once it accepts connections.

program=$1
port=$2
host=$3
server=$4
user=$5
connections=$6

# A file, so that the list of processes does not show the password.
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
default_pool_size = $connections
max_client_conn = 1000
log_connections = 0
log_disconnections = 0
EOT

keep 'process up' "$program" "$dir/pgbouncer.ini"
