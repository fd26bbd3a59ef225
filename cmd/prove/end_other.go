//go:build !unix

package main

import "os/exec"

// endAll leaves it at the end of the command itself.
func endAll(*exec.Cmd) {}
