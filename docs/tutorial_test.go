package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// file is a file that the tutorial prints: its name, then its content.
var file = regexp.MustCompile("(?ms)^`([\\w./]+)`:\n\n```\\w+\n(.*?)^```$")

// TestTutorial writes the files of the tutorial into a module of its own, outside of
// the repository, and runs its tests on both databases. It fetches nothing: it requires
// the versions of the repository, which are in the module cache.
func TestTutorial(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	page := read(t, "docs/tutorial.md")
	files := file.FindAllStringSubmatch(page, -1)
	if len(files) != 5 {
		t.Fatalf("the tutorial has %d files; want 5", len(files))
	}
	for _, f := range files {
		write(t, filepath.Join(folder, filepath.FromSlash(f[1])), f[2])
	}
	framework, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "go.sum"), read(t, "go.sum"))
	write(t, filepath.Join(folder, "go.mod"), strings.Replace(read(t, "go.mod"), "module trestle.example\n", "module journal.example\n", 1))
	run(t, folder, "mod", "edit", "-require=trestle.example@v0.0.0", "-replace=trestle.example="+framework)
	if output := run(t, folder, "test", "-mod=mod", "-ldflags=-s", "-v", "-count=1", "."); strings.Count(output, "\n    --- PASS: TestEntries") != 4 {
		t.Errorf("the tests of the tutorial did not all run:\n%s", output)
	}
	wrong := exec.CommandContext(t.Context(), "go", "run", "-mod=mod", "-ldflags=-s", ".")
	wrong.Dir, wrong.Env = folder, environment("DATABASE_URL=")
	write(t, filepath.Join(folder, "journal.go"), strings.ReplaceAll(files[2][2], `Choice("mood"`, `Choice("mod"`))
	const sentence = `entries: filter "mod": no field "mod" in Entry; did you mean "mood"?`
	if output, err := wrong.CombinedOutput(); err == nil || !strings.Contains(string(output), sentence) || !strings.Contains(page, sentence) {
		t.Errorf("the mistake of step 7: %v\n%s", err, output)
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs the go command in a folder and returns what it prints.
func run(t *testing.T, folder string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = folder, environment()
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

// environment is that of a command that uses the module cache alone.
func environment(more ...string) []string {
	return append(append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off"), more...)
}
