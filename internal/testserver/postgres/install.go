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

// Install makes sure that [Start] finds PostgreSQL. If the programs are missing, it
// installs the package of the distribution without its default cluster. It can do so as
// root on a system with apt-get; on others the error is [ErrNotInstalled], which states
// what to do by hand. The output of apt-get goes to log; nil drops it.
func Install(ctx context.Context, log io.Writer) error {
	return throwaway.Program{
		Find:    func() error { _, err := findBinaries(ctx); return err },
		Missing: ErrNotInstalled,
		Failed:  "PostgreSQL is not installed; install it by hand or set TEST_DATABASE_URL",
		Install: func(packages func(...string) error) error {
			// postgresql-common reads from a file of its own whether to create a default
			// cluster, so it is installed first.
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

// declineDefaultCluster sets create_main_cluster = false in Debian's file.
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
