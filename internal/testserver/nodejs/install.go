package nodejs

import (
	"context"
	"io"

	"trestle.example/internal/testserver/throwaway"
)

// Install makes sure that [NPM] finds npm: it does nothing where that is present
// already, and otherwise installs the distribution's packages where it may and
// can, which is as root on a system with apt-get. Everywhere else the error is
// [ErrNotInstalled], which says what to do by hand. What apt-get prints goes to
// log; nil drops it.
func Install(ctx context.Context, log io.Writer) error {
	return throwaway.Program{
		Find:    func() error { _, err := find(); return err },
		Missing: ErrNotInstalled,
		Failed:  "no Node.js is installed; install it by hand",
		Install: func(packages func(...string) error) error { return packages("npm") },
	}.Ensure(ctx, log)
}
