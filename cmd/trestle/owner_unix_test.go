//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOwnedAs: a file that takes the place of another is its owner's.
func TestOwnedAs(t *testing.T) {
	folder := t.TempDir()
	path, other := filepath.Join(folder, "new"), filepath.Join(folder, "old")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ownedAs(path, other); err != nil {
		t.Errorf("without another: %v", err)
	}
	if err := os.WriteFile(other, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	want := os.Getuid()
	if want == 0 {
		want = 12345
		if err := os.Chown(other, want, want); err != nil {
			t.Fatal(err)
		}
	}
	if err := ownedAs(path, other); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if uid := int(info.Sys().(*syscall.Stat_t).Uid); uid != want || info.Mode().Perm() != 0o640 {
		t.Errorf("it is of %d, with %s; want %d", uid, info.Mode(), want)
	}
}
