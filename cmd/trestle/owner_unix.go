//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ownedAs gives a file the owner and the mode of another: what root restores is for
// the server to open. Where there is no other, root gives it to who has the folder.
func ownedAs(path, other string) error {
	info, err := os.Stat(other)
	switch {
	case errors.Is(err, fs.ErrNotExist) && os.Geteuid() != 0:
		return nil
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
