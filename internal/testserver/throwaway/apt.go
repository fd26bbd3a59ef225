package throwaway

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// A Program is what a test needs on its machine and a distribution has.
type Program struct {
	// Find is nil once it is there.
	Find func() error
	// Missing says what to do by hand where it cannot be installed.
	Missing error
	// Failed says in a few words that it could not be, and what to do instead.
	Failed string
	// Install installs it by what it is given, which takes the names of
	// packages; their lists are fresh.
	Install func(packages func(names ...string) error) error
}

// Ensure installs a program where it is missing and this process may and can,
// which is as root on a system with apt-get. Everywhere else the error is
// Missing. What apt-get prints goes to log; nil drops it.
func (p Program) Ensure(ctx context.Context, log io.Writer) error {
	switch {
	case p.Find() == nil:
		return nil
	case !canInstall():
		return p.Missing
	}
	err := aptGet(ctx, log, "update")
	if err == nil {
		err = p.Install(func(names ...string) error {
			return aptGet(ctx, log, append([]string{"install", "-y", "--no-install-recommends"}, names...)...)
		})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.Failed, err)
	}
	return p.Find()
}

func canInstall() bool {
	_, err := exec.LookPath("apt-get")
	return err == nil && os.Geteuid() == 0
}

// aptGet runs apt-get without questions. The error carries the last lines that
// it printed.
func aptGet(ctx context.Context, log io.Writer, args ...string) error {
	if log == nil {
		log = io.Discard
	}
	var printed tail
	args = append([]string{"-o", "DPkg::Lock::Timeout=300", "-q"}, args...)
	cmd := exec.CommandContext(ctx, "apt-get", args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	out := io.MultiWriter(&printed, log)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("apt-get failed (%w); the last it printed: %s", err, &printed)
	}
	return nil
}
