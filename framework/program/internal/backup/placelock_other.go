//go:build !unix

package backup

import "os"

const noFollow = 0

// tryLock locks nothing, because files have no such locks here.
func tryLock(*os.File) bool { return true }
