package files_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/files"
	"trestle.example/framework/frameworktest"
)

// TestDisk: a folder satisfies the contract of a storage.
func TestDisk(t *testing.T) {
	d, err := files.OpenDisk(filepath.Join(t.TempDir(), "new", "folder"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	frameworktest.TestStorage(t, d)
}

// TestDiskIgnoresOthersFiles: files that are no contents are neither listed nor deleted, and
// links do not lead out of the folder.
func TestDiskIgnoresOthersFiles(t *testing.T) {
	folder, outside := t.TempDir(), t.TempDir()
	d, err := files.OpenDisk(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, name := range []string{filepath.Join(folder, "README.md"), filepath.Join(outside, "secret")} {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(folder, "link")); err != nil {
		t.Skip("this system has no links:", err)
	}
	for object, err := range d.List(context.Background(), "") {
		t.Errorf("the list has %+v, error %v", object, err)
	}
	if _, err := d.Get(context.Background(), "link/secret", 0, -1); err == nil {
		t.Error("a link leads out of the folder")
	}
}

// TestDiskDeletesUnfinishedFiles: what a crash leaves is deleted when it is old enough.
func TestDiskDeletesUnfinishedFiles(t *testing.T) {
	folder := t.TempDir()
	d, err := files.OpenDisk(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := os.WriteFile(filepath.Join(folder, "incoming.tmp", "left"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := d.DeleteUnfinished(context.Background(), time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("%d are deleted, error %v; want 0: it is too young", n, err)
	}
	if n, err := d.DeleteUnfinished(context.Background(), time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("%d are deleted, error %v; want 1", n, err)
	}
}

// TestFoldersThatCannotBeUsed: the error names the folder.
func TestFoldersThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{"": "the path is empty", file: file, filepath.Join(file, "x"): file} {
		if _, err := files.OpenDisk(folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("OpenDisk(%q): %v", folder, err)
		}
	}
}

// TestFileAsAColumn is a table of what a column may hold.
func TestFileAsAColumn(t *testing.T) {
	whole := files.File{Key: "a/b", Name: "x.png", Type: "image/png", Size: 3, SHA256: "00", UploadedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	for _, f := range []files.File{{}, whole} {
		value, err := f.At("/url").Value()
		if err != nil {
			t.Fatal(err)
		}
		var back files.File
		if err := back.Scan(value); err != nil || back != f {
			t.Errorf("%+v is stored as %v and read as %+v, error %v", f, value, back, err)
		}
	}
	for _, wrong := range []any{"", "null", "{}", "[]", `{"key":1}`, 7, []byte("x")} {
		f := whole
		if err := f.Scan(wrong); err == nil || !f.IsZero() {
			t.Errorf("%v is read as %+v, error %v", wrong, f, err)
		}
	}
}
