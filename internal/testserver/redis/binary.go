package redis

import (
	"errors"
	"os/exec"
)

// ErrNotInstalled states, in one sentence, what to do on a machine without a Redis
// server.
var ErrNotInstalled = errors.New("no Redis server (redis-server or valkey-server) was found in PATH: " +
	"install it (Debian, Ubuntu: apt-get install redis-server; Fedora: dnf install valkey; macOS: brew install redis), " +
	"or set TEST_REDIS_URL to a server's address, such as redis://:password@localhost:6379")

// findBinary returns the path of the program of the server. Debian and Homebrew install
// it into PATH.
func findBinary() (string, error) {
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNotInstalled
}
