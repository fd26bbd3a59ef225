//go:build !unix

package sqldb

// heldElsewhere cannot be known here; a file that is open cannot be renamed.
func heldElsewhere(string) bool { return false }
