package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/mod/modfile"
)

const to = "example.org/apps/trestle"

func TestReplacePath(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after string }{
		"an import":                 {`"old.example/a"`, `"new.example/x/a"`},
		"the module line":           {"module old.example\n", "module new.example/x\n"},
		"a version":                 {"old.example@v0.1.0", "new.example/x@v0.1.0"},
		"a variable of the linker":  {"-X old.example/a.b=c", "-X new.example/x/a.b=c"},
		"a link to a package":       {"[old.example/a.B]", "[new.example/x/a.B]"},
		"the end of a sentence":     {"It is old.example.", "It is new.example/x."},
		"one character between":     {"old.example,old.example;old.example", "new.example/x,new.example/x;new.example/x"},
		"a pattern of the linter":   {"old.example$", "new.example/x$"},
		"behind a tab of Go source": {`"ok\told.example/a\t"`, `"ok\tnew.example/x/a\t"`},
		"an e-mail address stays":   {"security@old.example", "security@old.example"},
		"a subdomain stays":         {"www.old.example", "www.old.example"},
		"a longer name stays":       {"old.examples", "old.examples"},
		"a longer domain stays":     {"old.example.org", "old.example.org"},
		"a folder stays":            {"a/old.example", "a/old.example"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := replacePath(c.before, "old.example", "new.example/x"); got != c.after {
				t.Errorf("%q becomes %q; want %q", c.before, got, c.after)
			}
		})
	}
}

func TestARejectedPathChangesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ to, gomod, says string }{
		"no path":             {"", "module old.example\n", "a module path is written as example.org/trestle"},
		"a space":             {"example.org/my trestle", "module old.example\n", "a module path is written as example.org/trestle"},
		"a URL":               {"https://example.org/trestle", "module old.example\n", "a module path is written as example.org/trestle"},
		"without a dot":       {"trestle", "module old.example\n", "missing dot in first path element"},
		"the same":            {"old.example", "module old.example\n", "the module path is old.example already"},
		"no module line":      {to, "go 1.26.0\n", "go.mod has no module line"},
		"outside of the root": {to, "", "run this in the root of the repository"},
		"Go that is not Go":   {to, "module old.example\n", "a.go:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, code := t.TempDir(), "import \"old.example/a\"\n}"
			put(t, filepath.Join(folder, "a.go"), code)
			put(t, filepath.Join(folder, "a.md"), "old.example")
			if c.gomod != "" {
				put(t, filepath.Join(folder, "go.mod"), c.gomod)
			}
			if err := renameIn(t, folder, c.to, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error is %v; want %q", err, c.says)
			}
			for file, want := range map[string]string{"a.go": code, "a.md": "old.example"} {
				if got, err := os.ReadFile(filepath.Join(folder, file)); err != nil || string(got) != want {
					t.Errorf("%s has changed to %q, %v", file, got, err)
				}
			}
		})
	}
}

// TestARenamedCopyHasNoOldPath renames a copy of this repository: no old path is left, and each
// import is found. Make install-test also builds the copy.
func TestARenamedCopyHasNoOldPath(t *testing.T) {
	t.Parallel()
	folder, from := renamedCopy(t)
	old := regexp.MustCompile(`[^@]` + strings.ReplaceAll(regexp.QuoteMeta(from), `\.`, `\\?\.`))
	for name, content := range sources(t, folder) {
		if found := old.Find(content); found != nil {
			t.Errorf("%s has %q", name, found)
		}
	}
	goCommand(t, folder, "list", "-deps", "-test", "./...")
	goCommand(t, folder, "vet", "./cmd/rename", "./framework/problem")
	goCommand(t, filepath.Join(folder, "examples", "standalone"), "list", "-deps", "./...")
}

// renamedCopy renames a copy of this repository, and returns its folder and the old path.
func renamedCopy(t *testing.T) (folder, from string) {
	t.Helper()
	folder = t.TempDir()
	copySource(t, filepath.Join("..", ".."), folder)
	content, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if err := renameIn(t, folder, to, new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	return folder, modfile.ModulePath(content)
}

// renameIn renames the module in a folder.
func renameIn(t *testing.T, folder, path string, out *bytes.Buffer) error {
	t.Helper()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	return rename(root, path, out)
}

func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// copySource copies the files that rename reads.
func copySource(t *testing.T, from, into string) {
	t.Helper()
	all := fstest.MapFS{}
	for name, content := range sources(t, from) {
		all[name] = &fstest.MapFile{Data: content, Mode: 0o600}
	}
	if err := os.CopyFS(into, all); err != nil {
		t.Fatal(err)
	}
}

// sources returns the content of each file that rename reads, by its path.
func sources(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	files, all := os.DirFS(folder), map[string][]byte{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && name != "." && slices.Contains(skipped, entry.Name()) {
			return fs.SkipDir
		}
		if err == nil && entry.Type().IsRegular() {
			all[name], err = fs.ReadFile(files, name)
		}
		return err
	})
	if err != nil || len(all) < 100 {
		t.Fatalf("%d files: %v", len(all), err)
	}
	return all
}

// goCommand runs the go command in a folder. It downloads nothing.
func goCommand(t *testing.T, folder string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off", "GOPROXY=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, output)
	}
}
