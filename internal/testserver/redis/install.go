package redis

import (
	"context"
	"io"

	"trestle.example/internal/testserver/throwaway"
)

// Install makes sure that [Start] finds a Redis server. If the program is missing, it
// installs the package of the distribution without starting its service. It can do so as
// root on a system with apt-get; on others the error is [ErrNotInstalled], which states
// what to do by hand. The output of apt-get goes to log; nil drops it.
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
