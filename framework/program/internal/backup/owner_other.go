//go:build !unix

package backup

// checkOwner accepts every path, because files have no such owner here.
func checkOwner([]string) error { return nil }

// copyAccess does nothing, because files have no such group and mode here.
func copyAccess(string, string) error { return nil }
