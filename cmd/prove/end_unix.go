//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// endAll ends what a command started with the command, which may not pass it on:
// they are a group of processes of their own.
func endAll(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
