# Starts a throw-away Redis server, behind what every service has.
#
# Arguments: the server's program, the port on 127.0.0.1.
# Standard input: the password as the first line, then silence.
# Standard output: the server's folder, once it accepts connections.

program=$1
port=$2

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

keep 'Ready to accept connections' "$program" "$dir/redis.conf"
