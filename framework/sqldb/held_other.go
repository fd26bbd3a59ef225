//go:build !unix

package sqldb

// heldElsewhere returns false, because this system cannot report it. Windows does not
// rename a file that is open.
func heldElsewhere(string) bool { return false }
