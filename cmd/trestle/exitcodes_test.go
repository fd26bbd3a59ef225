package main

// The exit codes, as the help of the program lists them.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitNeedsAction = 3
)
