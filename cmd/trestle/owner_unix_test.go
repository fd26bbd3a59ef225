//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOwnedAs: a file that takes the place of another is its owner's, and one that
// takes the place of none that of who has the folder.
func TestOwnedAs(t *testing.T) {
	folder := t.TempDir()
	path, other := filepath.Join(folder, "new"), filepath.Join(folder, "old")
	putFile(t, path, "")
	of := func(want int, mode os.FileMode) {
		t.Helper()
		if err := ownedAs(path, other); err != nil {
			t.Fatal(err)
		}
		if uid, got := ownerOf(t, path); uid != want || got != mode {
			t.Errorf("it is of %d, with %s; want %d, %s", uid, got, want, mode)
		}
	}
	of(given(t, folder, 12345), 0o600)
	putFile(t, other, "")
	if err := os.Chmod(other, 0o640); err != nil {
		t.Fatal(err)
	}
	of(given(t, other, 23456), 0o640)
}

// TestRestoreForTheServer: the file is the server's as the one before, which a
// link may lead to.
func TestRestoreForTheServer(t *testing.T) {
	t.Parallel()
	r, backup := backedUp(t)
	behind := filepath.Join(t.TempDir(), "behind.db")
	if err := os.Rename(r.file(), behind); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(behind, r.file()); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(behind, 0o640); err != nil {
		t.Fatal(err)
	}
	want := given(t, behind, 12345)
	r.call("restore", backup).is(t, exitOK)
	if info, err := os.Lstat(r.file()); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if uid, mode := ownerOf(t, behind); uid != want || mode != 0o640 {
		t.Errorf("it is of %d, with %s; want %d", uid, mode, want)
	}
}

// given gives a file to another user, whom it returns, or leaves it where that
// takes a root who is none here.
func given(t *testing.T, path string, to int) int {
	t.Helper()
	if os.Getuid() != 0 {
		return os.Getuid()
	}
	if err := os.Chown(path, to, to); err != nil {
		t.Fatal(err)
	}
	return to
}

func ownerOf(t *testing.T, path string) (uid int, mode os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Sys().(*syscall.Stat_t).Uid), info.Mode().Perm()
}
