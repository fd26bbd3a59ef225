package pgbouncer

import (
	"context"
	"errors"
	"io"
	"os/exec"

	"trestle.example/internal/testserver/throwaway"
)

// ErrNotInstalled states, in one sentence, what to do on a machine without pgbouncer.
var ErrNotInstalled = errors.New("pgbouncer was found neither in PATH nor in /usr/sbin: " +
	"install it (Debian, Ubuntu: apt-get install pgbouncer; Fedora: dnf install pgbouncer; macOS: brew install pgbouncer)")

// Program returns the path of the program: the first in PATH, or else where Debian
// installs it, a folder that only administrators have in PATH. If there is none, the
// error is [ErrNotInstalled]. Program is safe for concurrent use.
func Program() (string, error) {
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer", "/usr/local/sbin/pgbouncer"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNotInstalled
}

// Install makes sure that [Start] finds pgbouncer. If the program is missing, it installs
// the package of the distribution without starting its service. It can do so as root on a
// system with apt-get; on others the error is [ErrNotInstalled]. The output of apt-get
// goes to log; nil drops it.
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
