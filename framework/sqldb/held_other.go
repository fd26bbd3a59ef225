//go:build !unix

package sqldb

// heldElsewhere returns false, because this system cannot report it. A file that is open
// cannot be renamed here.
func heldElsewhere(string) bool { return false }
