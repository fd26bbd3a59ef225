package redis

import (
	"context"
	"errors"
	"io"
	"os"

	"trestle.example/framework/frameworktest/internal/throwaway"
)

// Install makes sure that [Start] finds a Redis server: it does nothing where
// the program is present already, and otherwise installs the distribution's
// package where it may and can, which is as root on a system with apt-get. The
// package's own service is not started. Everywhere else the error is
// [ErrNotInstalled], which says what to do by hand. What apt-get prints goes to
// log; nil drops it.
func Install(ctx context.Context, log io.Writer) error {
	return throwaway.Program{
		Find:    func() error { _, err := findBinary(); return err },
		Missing: ErrNotInstalled,
		Failed:  "redis is not installed; install it by hand or set TEST_REDIS_URL",
		Install: func(packages func(...string) error) error {
			restore, err := declineServices("/usr/sbin/policy-rc.d")
			if err != nil {
				return err
			}
			return errors.Join(packages("redis-server"), restore())
		},
	}.Ensure(ctx, log)
}

// declineServices tells Debian's packages to start no service, until restore is
// called. A policy that is there already is left as it is.
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
