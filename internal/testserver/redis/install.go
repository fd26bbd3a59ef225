package redis

import (
	"context"
	"io"

	"trestle.example/internal/testserver/throwaway"
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
			return throwaway.WithoutServices(func() error { return packages("redis-server") })
		},
	}.Ensure(ctx, log)
}
