package scaffold

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// inFolder opens a folder with files, and returns it with a function that lists the paths of
// its files and folders.
func inFolder(t *testing.T, files fstest.MapFS) (root *os.Root, list func() []string) {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, files); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root, func() (names []string) {
		err := fs.WalkDir(root.FS(), ".", func(name string, _ fs.DirEntry, err error) error {
			if name != "." {
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
}

func TestAllFilesAreWrittenOrNone(t *testing.T) {
	t.Parallel()
	there := fstest.MapFS{"list.go": {Data: []byte("old"), Mode: 0o600}, "b.go": {Data: []byte("mine"), Mode: 0o600}}
	for name, c := range map[string]struct {
		files []file
		says  string
	}{
		"the last file exists":            {[]file{{name: "a.go"}, {name: "c/d/e.go"}, {name: "list.go", replaces: true}, {name: "b.go"}}, "there is a file b.go already"},
		"the first file exists":           {[]file{{name: "b.go"}, {name: "a.go"}}, "there is a file b.go already"},
		"the list is missing":             {[]file{{name: "a.go"}, {name: "other.go", replaces: true}}, "other.go"},
		"a folder is a file":              {[]file{{name: "a.go"}, {name: "b.go/c.go"}}, "b.go"},
		"a file outside of the project":   {[]file{{name: "a.go"}, {name: "../c.go"}}, "escapes"},
		"a folder outside of the project": {[]file{{name: "a.go"}, {name: "../c/d.go"}}, "escapes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, list := inFolder(t, there)
			if err := writeAll(root, c.files); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error is %v; want %q", err, c.says)
			}
			if got := list(); !slices.Equal(got, []string{"b.go", "list.go"}) {
				t.Errorf("the folder has %v", got)
			}
			for name, want := range there {
				if content, err := root.ReadFile(name); err != nil || string(content) != string(want.Data) {
					t.Errorf("%s has %q, %v", name, content, err)
				}
			}
		})
	}
	root, list := inFolder(t, there)
	if err := root.Chmod("list.go", 0o640); err != nil {
		t.Fatal(err)
	}
	if err := writeAll(root, []file{{name: "list.go", content: []byte("new"), replaces: true}, {name: "c/a.go", content: []byte("x")}}); err != nil {
		t.Fatal(err)
	}
	if got := list(); !slices.Equal(got, []string{"b.go", "c", "c/a.go", "list.go"}) {
		t.Errorf("the folder has %v", got)
	}
	if info, err := root.Stat("list.go"); err != nil || info.Size() != 3 || info.Mode().Perm() != 0o640 {
		t.Errorf("list.go: %v, %v", info, err)
	}
}
