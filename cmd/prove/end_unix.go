//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// endAll makes a command and the processes that it starts one group. When the context ends, the
// whole group gets SIGTERM, because the command may not pass the signal on.
func endAll(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
