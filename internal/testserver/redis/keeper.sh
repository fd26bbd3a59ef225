# Starts a throw-away Redis server. The script of every service runs first.
#
# Arguments: the server's program, the port on 127.0.0.1.
# Standard input: the password as the first line, then nothing.
# Standard output: the server's folder, once it accepts connections.

program=$1
port=$2

# A file, so that the list of processes does not show the password.
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
