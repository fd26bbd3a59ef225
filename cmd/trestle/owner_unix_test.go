//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// TestRootRestoresInItsOwnFolders: the owner of another folder could replace it by a link.
func TestRootRestoresInItsOwnFolders(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("it takes root to be refused")
	}
	for name, test := range map[string]struct {
		change func(t *testing.T, folder, file string)
		says   string // "" if it restores
	}{
		"its own":               {func(*testing.T, string, string) {}, ""},
		"another's folder":      {func(t *testing.T, folder, _ string) { give(t, folder, 0) }, "is of the user 12345, who could lead root anywhere"},
		"another's file":        {func(t *testing.T, _, file string) { give(t, file, 0) }, " is of the user 12345"},
		"a folder that is open": {func(t *testing.T, folder, _ string) { mode(t, folder, 0o770) }, "take that from them first: chmod go-w "},
		"one like /tmp":         {func(t *testing.T, folder, _ string) { mode(t, folder, 0o777|os.ModeSticky) }, "use a folder of root's own"},
		"and none in it": {func(t *testing.T, folder, file string) {
			mode(t, folder, 0o777|os.ModeSticky)
			removeAll(t, file)
		}, "use a folder of root's own"},
		"another's link in it": {func(t *testing.T, folder, file string) {
			mode(t, folder, 0o777|os.ModeSticky)
			behind := filepath.Join(t.TempDir(), "behind.db")
			if err := errors.Join(os.Rename(file, behind), os.Symlink(behind, file), os.Lchown(file, stranger, 0)); err != nil {
				t.Fatal(err)
			}
		}, " is of the user 12345"},
		"a link of its own to another's": {func(t *testing.T, folder, file string) {
			theirs := t.TempDir()
			give(t, theirs, 0)
			behind := filepath.Join(theirs, "behind.db")
			if err := errors.Join(os.Rename(file, behind), os.Symlink(behind, file)); err != nil {
				t.Fatal(err)
			}
		}, "is of the user 12345"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, backup := backedUp(t)
			test.change(t, filepath.Dir(r.file()), r.file())
			before := filesIn(t, filepath.Dir(r.file()))
			got := r.call("restore", backup)
			if test.says == "" {
				got.is(t, exitOK)
				return
			}
			got.is(t, exitUsage, test.says)
			if after := filesIn(t, filepath.Dir(r.file())); !slices.Equal(after, before) {
				t.Errorf("the folder holds %q; want %q", after, before)
			}
		})
	}
}

func mode(t *testing.T, path string, m os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, m); err != nil {
		t.Fatal(err)
	}
}

// TestRestoreBehindALink: the link stays, and what it leads to is the group's as it
// was.
func TestRestoreBehindALink(t *testing.T) {
	t.Parallel()
	r, backup := backedUp(t)
	behind := filepath.Join(t.TempDir(), "behind.db")
	if err := errors.Join(os.Rename(r.file(), behind), os.Symlink(behind, r.file()), os.Chmod(behind, 0o640)); err != nil {
		t.Fatal(err)
	}
	r.call("restore", backup).is(t, exitOK)
	if info, err := os.Lstat(r.file()); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if _, mode := ownerOf(t, behind); mode != 0o640 || rowsOf(t, behind, "appointments") != 20 {
		t.Errorf("it has %s, and not what was restored", mode)
	}
}

// stranger is another user.
const stranger = 12345

func give(t *testing.T, path string, gid int) {
	t.Helper()
	if err := os.Chown(path, stranger, gid); err != nil {
		t.Fatal(err)
	}
}

func ownerOf(t *testing.T, path string) (owner *syscall.Stat_t, mode os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t), info.Mode().Perm()
}
