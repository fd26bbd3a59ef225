//go:build !unix

package postgres

import (
	"errors"
	"os/exec"
)

func detach(*exec.Cmd) error {
	return errors.New("a private PostgreSQL cluster needs a Unix-like system: set TEST_DATABASE_URL to the address of a server instead")
}
