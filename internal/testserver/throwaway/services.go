package throwaway

import (
	"errors"
	"os"
)

// WithoutServices runs an installation. Debian's packages start no service during it.
func WithoutServices(install func() error) error {
	restore, err := declineServices("/usr/sbin/policy-rc.d")
	if err != nil {
		return err
	}
	return errors.Join(install(), restore())
}

// declineServices makes Debian's packages start no service until restore is called. It
// does not change an existing policy.
func declineServices(file string) (restore func() error, err error) {
	policy, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if errors.Is(err, os.ErrExist) {
		return func() error { return nil }, nil
	}
	if err != nil {
		return nil, err
	}
	remove := func() error { return os.Remove(file) }
	const actionForbidden = "#!/bin/sh\nexit 101\n"
	_, err = policy.WriteString(actionForbidden)
	if err = errors.Join(err, policy.Close()); err != nil {
		return nil, errors.Join(err, remove())
	}
	return remove, nil
}
