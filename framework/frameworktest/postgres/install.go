package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"trestle.example/framework/frameworktest/internal/throwaway"
)

// Install makes sure that [Start] finds PostgreSQL: it does nothing where the
// programs are present already, and otherwise installs the distribution's
// package where it may and can, which is as root on a system with apt-get. The
// package's own default cluster is neither created nor started. Everywhere else
// the error is [ErrNotInstalled], which says what to do by hand. What apt-get
// prints goes to log; nil drops it.
func Install(ctx context.Context, log io.Writer) error {
	if _, err := findBinaries(ctx); err == nil {
		return nil
	}
	if !throwaway.CanInstall() {
		return ErrNotInstalled
	}
	if err := aptInstall(ctx, log); err != nil {
		return fmt.Errorf("PostgreSQL is not installed; install it by hand or set TEST_DATABASE_URL: %w", err)
	}
	_, err := findBinaries(ctx)
	return err
}

func aptInstall(ctx context.Context, log io.Writer) error {
	if err := throwaway.AptGet(ctx, log, "update"); err != nil {
		return err
	}
	// postgresql-common reads whether to create a default cluster from a file of
	// its own, so it goes first.
	if err := throwaway.AptGet(ctx, log, "install", "-y", "--no-install-recommends", "postgresql-common"); err != nil {
		return err
	}
	if err := declineDefaultCluster("/etc/postgresql-common/createcluster.conf"); err != nil {
		return err
	}
	return throwaway.AptGet(ctx, log, "install", "-y", "--no-install-recommends", "postgresql")
}

// declineDefaultCluster says create_main_cluster = false in Debian's file, in
// place of whatever it said before.
func declineDefaultCluster(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	content, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	content = regexp.MustCompile(`(?m)^[ \t]*create_main_cluster\b.*\n?`).ReplaceAll(content, nil)
	if len(content) > 0 && content[len(content)-1] != '\n' {
		content = append(content, '\n')
	}
	content = append(content, "create_main_cluster = false\n"...)
	return os.WriteFile(file, content, 0o644)
}
