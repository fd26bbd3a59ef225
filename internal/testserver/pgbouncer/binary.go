package pgbouncer

import (
	"context"
	"errors"
	"io"
	"os/exec"

	"trestle.example/internal/testserver/throwaway"
)

// ErrNotInstalled says, in one sentence, what to do on a machine without pgbouncer.
var ErrNotInstalled = errors.New("pgbouncer was found neither in PATH nor in /usr/sbin: " +
	"install it (Debian, Ubuntu: apt-get install pgbouncer; Fedora: dnf install pgbouncer; macOS: brew install pgbouncer)")

// Program returns the path of the program: the first in PATH, else where Debian
// installs it, which only administrators' PATH leads to. Without one the error is
// [ErrNotInstalled]. Program is safe for concurrent use.
func Program() (string, error) {
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer", "/usr/local/sbin/pgbouncer"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNotInstalled
}

// Install makes sure that [Start] finds pgbouncer: it does nothing where the
// program is present already, and otherwise installs the distribution's package
// where it may and can, which is as root on a system with apt-get. The package's
// own service is not started. Everywhere else the error is [ErrNotInstalled]. What
// apt-get prints goes to log; nil drops it.
func Install(ctx context.Context, log io.Writer) error {
	return throwaway.Program{
		Find:    func() error { _, err := Program(); return err },
		Missing: ErrNotInstalled,
		Failed:  "pgbouncer is not installed; install it by hand",
		Install: func(packages func(...string) error) error {
			return throwaway.WithoutServices(func() error { return packages("pgbouncer") })
		},
	}.Ensure(ctx, log)
}
