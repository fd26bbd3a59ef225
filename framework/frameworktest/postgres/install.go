package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Geteuid() != 0 {
		return ErrNotInstalled
	}
	if log == nil {
		log = io.Discard
	}
	var printed tail
	if err := aptInstall(ctx, apt, io.MultiWriter(&printed, log)); err != nil {
		return fmt.Errorf("installing PostgreSQL with apt-get failed (%w); install it by hand or set TEST_DATABASE_URL; the last it printed: %s", err, &printed)
	}
	_, err = findBinaries(ctx)
	return err
}

func aptInstall(ctx context.Context, apt string, log io.Writer) error {
	run := func(args ...string) error {
		args = append([]string{"-o", "DPkg::Lock::Timeout=300", "-q"}, args...)
		cmd := exec.CommandContext(ctx, apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = log, log
		return cmd.Run()
	}
	if err := run("update"); err != nil {
		return err
	}
	// postgresql-common reads whether to create a default cluster from a file of
	// its own, so it goes first.
	if err := run("install", "-y", "--no-install-recommends", "postgresql-common"); err != nil {
		return err
	}
	if err := declineDefaultCluster("/etc/postgresql-common/createcluster.conf"); err != nil {
		return err
	}
	return run("install", "-y", "--no-install-recommends", "postgresql")
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
