package postgres

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"trestle.example/internal/testserver/throwaway"
)

// Install makes sure that [Start] finds PostgreSQL: it does nothing where the
// programs are present already, and otherwise installs the distribution's
// package where it may and can, which is as root on a system with apt-get. The
// package's own default cluster is neither created nor started. Everywhere else
// the error is [ErrNotInstalled], which says what to do by hand. What apt-get
// prints goes to log; nil drops it.
func Install(ctx context.Context, log io.Writer) error {
	return throwaway.Program{
		Find:    func() error { _, err := findBinaries(ctx); return err },
		Missing: ErrNotInstalled,
		Failed:  "PostgreSQL is not installed; install it by hand or set TEST_DATABASE_URL",
		Install: func(packages func(...string) error) error {
			// postgresql-common reads whether to create a default cluster from a
			// file of its own, so it goes first.
			if err := packages("postgresql-common"); err != nil {
				return err
			}
			if err := declineDefaultCluster("/etc/postgresql-common/createcluster.conf"); err != nil {
				return err
			}
			return packages("postgresql")
		},
	}.Ensure(ctx, log)
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
