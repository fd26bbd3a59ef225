package docs_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/internal/testserver/postgres"
)

// file is a file that the tutorial prints: its name, then its content.
var file = regexp.MustCompile("(?ms)^`([\\w./]+)`:\n\n```\\w+\n(.*?)^```$")

// TestTutorial makes the project of the tutorial with the command new, outside of the repository,
// adds the files that the page prints, and runs its tests on both databases. It fetches nothing: it
// requires the versions of the repository, which are in the module cache.
func TestTutorial(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "journal")
	page := read(t, "docs/tutorial.md")
	files := file.FindAllStringSubmatch(page, -1)
	if len(files) != 7 {
		t.Fatalf("the tutorial has %d files; want 7", len(files))
	}
	run(t, root, "run", "-ldflags=-s", "./cmd/trestle", "new", folder)
	for _, f := range files {
		name := filepath.Join(folder, filepath.FromSlash(f[1]))
		if f[1] == "main.go" || f[1] == "migrations/migrations.go" {
			if written, err := os.ReadFile(name); err != nil || string(written) != f[2] {
				t.Errorf("new writes %s otherwise than the tutorial prints it: %v\n%s", f[1], err, written)
			}
		}
		write(t, name, f[2])
	}
	// Vet would check every package that the project uses; make install-test runs it.
	if output := run(t, folder, "test", "-vet=off", "-ldflags=-s", "-v", "-count=1", "."); strings.Count(output, "\n    --- PASS: TestEntries") != 4 {
		t.Errorf("the tests of the tutorial did not all run:\n%s", output)
	}
	run(t, folder, "build", "-ldflags=-s", "-o", "journal", ".")
	for name, database := range map[string]string{"SQLite": "", "PostgreSQL": postgres.Database(t)} {
		t.Run(name, func(t *testing.T) { tryJournal(t, filepath.Join(folder, "journal"), database) })
	}
	wrong := exec.CommandContext(t.Context(), "go", "run", "-ldflags=-s", ".", "check")
	wrong.Dir, wrong.Env = folder, environment("DATABASE_URL=")
	resource := slices.IndexFunc(files, func(f []string) bool { return f[1] == "entries.go" })
	write(t, filepath.Join(folder, "entries.go"), strings.ReplaceAll(files[resource][2], `Choice("mood"`, `Choice("mod"`))
	const sentence = `journal: entries: filter "mod": no field "mod" in Entry; did you mean "mood"?`
	if output, err := wrong.CombinedOutput(); err == nil || !strings.Contains(string(output), sentence) || !strings.Contains(page, sentence) {
		t.Errorf("the mistake of step 7: %v\n%s", err, output)
	}
}

// tryJournal serves the tutorial's program on a database and sends the requests of step 4.
func tryJournal(t *testing.T, program, database string) {
	t.Helper()
	server := exec.CommandContext(t.Context(), program, "serve", "--migrate", "--addr", "127.0.0.1:0")
	server.Dir, server.Env = t.TempDir(), environment("DATABASE_URL="+database)
	var log strings.Builder
	server.Stderr = &log
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Process.Kill() }()
	visitor := frameworktest.New(t, httputil.NewSingleHostReverseProxy(served(t, stdout)))
	visitor.Get("/api/entries/").Expect(401).Code("authentication_required")
	var answer struct{ Token string }
	printed(t, visitor.Post("/api/auth/register", map[string]string{"email": "ada@example.com", "password": "four unrelated words"}).Expect(201).JSON(&answer))
	ada := visitor.As(answer.Token)
	ada.Post("/api/entries/", map[string]string{"title": "A walk by the river", "mood": "good"}).Expect(201)
	printed(t, ada.Get("/api/entries/?mood=good&search=river&ordering=title").Expect(200).Contains("A walk by the river"))
	printed(t, ada.Post("/api/entries/", json.RawMessage(`{"title": "", "mood": "splendid"}`)).Expect(400).Fault("/title", "required").Fault("/mood", "oneof"))
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, stdout)
	if err := server.Wait(); err != nil {
		t.Errorf("it ends with %v: %s", err, &log)
	}
	if file := filepath.Join(server.Dir, "data", "journal.db"); (database == "") != exists(file) {
		t.Errorf("the file %s is not as step 4 says", file)
	}
}

// differing are the parts of an answer that differ between runs: ids, times and tokens.
var differing = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|trs_[\w-]+`)

// printed checks that the tutorial prints an answer, with other ids, times and tokens.
func printed(t *testing.T, answer *frameworktest.Response) {
	t.Helper()
	want := differing.ReplaceAllString(strings.TrimSpace(answer.Body()), "*")
	if page := differing.ReplaceAllString(read(t, "docs/tutorial.md"), "*"); !strings.Contains(page, "\n"+want+"\n") {
		t.Errorf("the tutorial does not print the answer %s", want)
	}
}

// served is the address that a server prints when it is ready.
func served(t *testing.T, stdout io.Reader) *url.URL {
	t.Helper()
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if base, ok := strings.CutSuffix(strings.TrimSpace(lines.Text()), "/api/"); ok {
			at, err := url.Parse(base)
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
	}
	t.Fatal("it does not serve")
	return nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
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

// environment is that of a go command. It may download what the module cache lacks: a new module
// needs more go.mod files than the one that it is tested in.
func environment(more ...string) []string {
	return append(append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOSUMDB=off"), more...)
}
