//go:build !unix

package httpserver

// openFiles returns how many files the process may open: 0, because it is unknown on this
// system.
func openFiles() int { return 0 }
