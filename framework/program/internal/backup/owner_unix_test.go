//go:build unix

package backup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

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

// TestSharedAs: a file that replaces another file gets its group and mode as far as
// possible. A file that replaces no other file is private to its owner.
func TestSharedAs(t *testing.T) {
	folder := t.TempDir()
	path, other := filepath.Join(folder, "new"), filepath.Join(folder, "old")
	putFile(t, path, "")
	of := func(want uint32, mode os.FileMode) {
		t.Helper()
		if err := copyAccess(path, other); err != nil {
			t.Fatal(err)
		}
		if owner, got := ownerOf(t, path); owner.Gid != want || got != mode || int(owner.Uid) != os.Geteuid() {
			t.Errorf("it is of %d, %d, with %s; want the group %d, %s", owner.Uid, owner.Gid, got, want, mode)
		}
	}
	before, _ := ownerOf(t, path)
	of(before.Gid, 0o600)
	putFile(t, other, "")
	want := before.Gid
	if os.Geteuid() == 0 {
		want = 23456
		give(t, other, 23456)
	}
	if err := os.Chmod(other, 0o640); err != nil {
		t.Fatal(err)
	}
	of(want, 0o640)
}

// TestBehindLinks: the database is the target of the last link, whether it exists or not.
func TestBehindLinks(t *testing.T) {
	folder, _ := followLinks(t.TempDir()) // the folder may itself be behind a link
	in := func(name string) string { return filepath.Join(folder, name) }
	if err := errors.Join(
		os.MkdirAll(in("private/real"), 0o700), os.Symlink("private/real", in("folder")),
		os.Symlink("b", in("a")), os.Symlink(in("c"), in("b")), os.Symlink("none", in("c")),
		os.Symlink("../none", in("folder/up")), os.Symlink("loop", in("loop")),
		os.Symlink("folder/../there", in("above")), os.Symlink("folder/../missing", in("missing")),
	); err != nil {
		t.Fatal(err)
	}
	putFile(t, in("private/real/there"), "")
	putFile(t, in("private/there"), "")
	for at, want := range map[string]string{
		"there is none":                  "x: x",
		"a chain, relative and absolute": "a: none",
		"behind a folder that is a link": "folder/there: private/real/there",
		"and not there":                  "folder/not: private/real/not",
		"a link in such a folder":        "folder/up: private/none",
		"links in a circle":              "loop: loop",
		"above where a folder leads":     "above: private/there",
		"and not there, that":            "missing: private/missing",
		"above it, in the name":          "folder/../there: private/there",
	} {
		from, to, _ := strings.Cut(want, ": ")
		if got, _ := followLinks(folder + "/" + from); got != in(to) { // not cleaned, as in a URL
			t.Errorf("%s: %s leads to %s; want %s", at, from, got, in(to))
		}
	}
}

// TestWhatIsPassedBehindLinks: the folders in which a name is looked up, the links,
// and the file.
func TestWhatIsPassedBehindLinks(t *testing.T) {
	folder, _ := followLinks(t.TempDir())
	in := func(name string) string { return filepath.Join(folder, name) }
	if err := errors.Join(os.Mkdir(in("real"), 0o700), os.Symlink("real", in("folder")), os.Symlink("folder/b", in("a"))); err != nil {
		t.Fatal(err)
	}
	_, passed := followLinks(in("a"))
	for _, want := range []string{"/", folder, in("a"), in("folder"), in("real"), in("real/b")} {
		if !slices.Contains(passed, want) {
			t.Errorf("%s is passed too; got %q", want, passed)
		}
	}
}

// stranger is the id of a user that does not exist.
const stranger = 12345
