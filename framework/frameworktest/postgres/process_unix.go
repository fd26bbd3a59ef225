//go:build unix

package postgres

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// detach puts the keeper into a session of its own, out of reach of a terminal's
// Ctrl-C, and gives up root, which PostgreSQL refuses to run as.
func detach(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if os.Geteuid() != 0 {
		return nil
	}
	owner, err := unprivileged()
	if err != nil {
		return err
	}
	cmd.SysProcAttr.Credential = owner
	return nil
}

// unprivileged is the user that owns a cluster started by root.
func unprivileged() (*syscall.Credential, error) {
	account, err := user.Lookup("postgres")
	if err != nil {
		account, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf(`PostgreSQL does not run as root and there is neither a user "postgres" nor "nobody" to run it as: %w`, err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user %q has the id %q, which is not a number: %w", account.Username, account.Uid, err)
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user %q has the group id %q, which is not a number: %w", account.Username, account.Gid, err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}
