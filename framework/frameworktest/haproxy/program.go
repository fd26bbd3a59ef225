package haproxy

import (
	"context"
	"errors"
	"io"
	"os/exec"

	"trestle.example/framework/frameworktest/internal/throwaway"
)

// ErrNotInstalled says, in one sentence, what to do on a machine without
// HAProxy.
var ErrNotInstalled = errors.New("haproxy was found neither in PATH nor in /usr/sbin: " +
	"install it (Debian, Ubuntu: apt-get install haproxy; Fedora: dnf install haproxy; macOS: brew install haproxy)")

// Program returns the path of the program: the first in PATH, else where Debian
// installs it, which only administrators' PATH leads to. Without one the error is
// [ErrNotInstalled]. Program is safe for concurrent use.
func Program() (string, error) {
	return find("haproxy", "/usr/sbin/haproxy", "/usr/local/sbin/haproxy")
}

func find(names ...string) (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNotInstalled
}

// Install makes sure that [Program] finds HAProxy: it does nothing where that is
// present already, and otherwise installs the distribution's package where it
// may and can, which is as root on a system with apt-get. The package's own
// service is not started. Everywhere else the error is [ErrNotInstalled]. What
// apt-get prints goes to log; nil drops it.
func Install(ctx context.Context, log io.Writer) error {
	return throwaway.Program{
		Find:    func() error { _, err := Program(); return err },
		Missing: ErrNotInstalled,
		Failed:  "haproxy is not installed; install it by hand",
		Install: func(packages func(...string) error) error {
			return throwaway.WithoutServices(func() error { return packages("haproxy") })
		},
	}.Ensure(ctx, log)
}
