//go:build !linux

package main

const memoryFolder = ""

// hasMemory returns false: only Linux has a folder in memory on every machine.
func hasMemory() bool { return false }
