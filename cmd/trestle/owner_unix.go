//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// ownedAs gives a file the owner and the mode of another, if there is one: what
// root restores is for the server to open.
func ownedAs(path, other string) error {
	info, err := os.Stat(other)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.Chmod(path, info.Mode().Perm()); err != nil {
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
