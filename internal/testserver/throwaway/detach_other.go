//go:build !unix

package throwaway

import (
	"errors"
	"os/exec"
)

// Detach returns an error: a keeper needs a shell.
func Detach(*exec.Cmd, ...string) error {
	return errors.New("a private server for tests needs a Unix-like system: name one of your own in TEST_DATABASE_URL and TEST_REDIS_URL instead")
}
