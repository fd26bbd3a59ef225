//go:build unix

package throwaway

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// Detach puts the keeper into a session of its own, so that Ctrl-C in a terminal does not
// reach it. If this process runs as root, the keeper runs as the first of the users that
// exists.
func Detach(cmd *exec.Cmd, users ...string) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if os.Geteuid() != 0 {
		return nil
	}
	owner, err := unprivileged(users)
	if err != nil {
		return err
	}
	cmd.SysProcAttr.Credential = owner
	return nil
}

// unprivileged returns the credentials of the user for a server that root starts.
func unprivileged(users []string) (*syscall.Credential, error) {
	var missing []error
	for _, name := range users {
		account, err := user.Lookup(name)
		if err == nil {
			return credential(account)
		}
		missing = append(missing, err)
	}
	return nil, fmt.Errorf("the server does not run as root, and there is no user to run it as: %w", errors.Join(missing...))
}

func credential(account *user.User) (*syscall.Credential, error) {
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
