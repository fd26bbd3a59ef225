package throwaway

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// CanInstall reports whether this process may and can install packages: as
// root, on a system with apt-get.
func CanInstall() bool {
	_, err := exec.LookPath("apt-get")
	return err == nil && os.Geteuid() == 0
}

// AptGet runs apt-get without questions. What it prints goes to log; nil drops
// it. The error carries the last lines.
func AptGet(ctx context.Context, log io.Writer, args ...string) error {
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
