package throwaway

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// A Program is a program that a test needs and a distribution has.
type Program struct {
	// Find returns nil if the program is installed.
	Find func() error
	// Missing states what to do by hand if it cannot be installed.
	Missing error
	// Failed states in a few words that the installation failed, and what to do instead.
	Failed string
	// Install installs the program with the function that it gets. That function installs
	// packages by name; their lists are up to date.
	Install func(packages func(names ...string) error) error
}

// Ensure installs a missing program. It can do so as root on a system with apt-get; on
// others the error is Missing. The output of apt-get goes to log; nil drops it.
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

// aptGet runs apt-get without questions. The error contains the last lines that it
// printed.
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
		return fmt.Errorf("apt-get failed (%w); its last output: %s", err, &printed)
	}
	return nil
}
