package nodejs

import (
	"context"
	"fmt"
	"io"

	"trestle.example/framework/frameworktest/internal/throwaway"
)

// Install makes sure that [NPM] finds npm: it does nothing where that is present
// already, and otherwise installs the distribution's packages where it may and
// can, which is as root on a system with apt-get. Everywhere else the error is
// [ErrNotInstalled], which says what to do by hand. What apt-get prints goes to
// log; nil drops it.
func Install(ctx context.Context, log io.Writer) error {
	if _, err := find(); err == nil {
		return nil
	}
	if !throwaway.CanInstall() {
		return ErrNotInstalled
	}
	if err := aptInstall(ctx, log); err != nil {
		return fmt.Errorf("no Node.js is installed; install it by hand: %w", err)
	}
	_, err := find()
	return err
}

func aptInstall(ctx context.Context, log io.Writer) error {
	if err := throwaway.AptGet(ctx, log, "update"); err != nil {
		return err
	}
	return throwaway.AptGet(ctx, log, "install", "-y", "--no-install-recommends", "npm")
}
