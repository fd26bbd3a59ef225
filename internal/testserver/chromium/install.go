package chromium

import (
	"context"
	"io"

	"trestle.example/internal/testserver/throwaway"
)

// Install makes sure that [Program] finds a browser: it does nothing where one
// is present already, and otherwise installs the distribution's package where
// it may and can, which is as root on a system with apt-get. Everywhere else the
// error is [ErrNotInstalled], which says what to do by hand. What apt-get prints
// goes to log; nil drops it.
func Install(ctx context.Context, log io.Writer) error {
	return throwaway.Program{
		Find:    func() error { _, err := find(""); return err },
		Missing: ErrNotInstalled,
		Failed:  "no browser is installed; install it by hand or set TEST_BROWSER",
		Install: func(packages func(...string) error) error {
			return packages("chromium-headless-shell") // the half of Debian's Chromium that needs no screen
		},
	}.Ensure(ctx, log)
}
