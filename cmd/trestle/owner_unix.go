//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ownedAs gives a file the owner and the mode of another, or the owner of the
// folder where there is no other: what root restores is for the server to open.
func ownedAs(path, other string) error {
	info, err := os.Stat(other)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info, err = os.Stat(filepath.Dir(other))
	case err == nil:
		err = os.Chmod(path, info.Mode().Perm())
	}
	if err != nil {
		return err
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return nil
	}
	if mine, err := os.Stat(path); err == nil {
		if now, known := mine.Sys().(*syscall.Stat_t); known && now.Uid == owner.Uid && now.Gid == owner.Gid {
			return nil
		}
	}
	return os.Chown(path, int(owner.Uid), int(owner.Gid))
}
