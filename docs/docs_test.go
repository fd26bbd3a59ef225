// Package docs_test compares the documents with the program and with each other.
package docs_test

import (
	"encoding/json"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/auth/oidc"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/mail"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
)

// root is the folder of the repository.
const root = ".."

// read is a file of the repository, without the line endings of Windows.
func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(content), "\r\n", "\n")
}

// pages are the Markdown files that are written by hand, by their path from the root.
func pages(t *testing.T) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && name != "." || slices.Contains([]string{"node_modules", "testdata"}, entry.Name())):
			return fs.SkipDir
		case path.Ext(name) == ".md":
			names = append(names, name)
		}
		return nil
	})
	if err != nil || len(names) < 20 {
		t.Fatalf("%d pages: %v", len(names), err)
	}
	return names
}

var (
	fenced  = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	inline  = regexp.MustCompile("``[^\n]*?``|`[^`\n]*`")
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	unsaid  = regexp.MustCompile(`[^\pL\pN _-]`)
)

// anchors are the names by which links reach the headings of a page.
func anchors(text string) (names []string) {
	for _, found := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		names = append(names, strings.ReplaceAll(unsaid.ReplaceAllString(strings.ToLower(found[1]), ""), " ", "-"))
	}
	return names
}

func TestLinksLeadToFilesAndHeadings(t *testing.T) {
	for _, page := range pages(t) {
		text := inline.ReplaceAllString(fenced.ReplaceAllString(read(t, page), ""), "")
		for _, found := range linked.FindAllStringSubmatch(text, -1) {
			file, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			target := page
			if file != "" {
				target = path.Join(path.Dir(page), file)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, found[1])
				continue
			}
			if anchor != "" && !slices.Contains(anchors(read(t, target)), anchor) {
				t.Errorf("%s links to %s, but %s has no such heading", page, found[1], target)
			}
		}
	}
}

func TestEachPageIsLinked(t *testing.T) {
	var all strings.Builder
	for _, page := range pages(t) {
		all.WriteString(read(t, page))
	}
	for _, page := range pages(t) {
		if strings.HasPrefix(page, "docs/") && !strings.Contains(all.String(), path.Base(page)+")") && !strings.Contains(all.String(), path.Base(page)+"#") {
			t.Errorf("no page links to %s", page)
		}
	}
}

// TestReadmeIsShort also checks its two commands, which the continuous integration runs.
func TestReadmeIsShort(t *testing.T) {
	text := read(t, "README.md")
	if lines := strings.Count(text, "\n"); lines > 120 {
		t.Errorf("README.md has %d lines; want at most 120: move the rest to docs", lines)
	}
	for _, command := range []string{"make run", "make test"} {
		if !strings.Contains(text, "\n"+command+" ") || !strings.Contains(read(t, "Makefile"), "\n"+strings.TrimPrefix(command, "make ")+": ") {
			t.Errorf("README.md or the Makefile lacks %q", command)
		}
	}
}

// TestCodeIsThatOfTheExample: a page that prints parts of programs prints their lines.
func TestCodeIsThatOfTheExample(t *testing.T) {
	code := regexp.MustCompile("(?s)```go\n(.*?)```")
	for page, example := range map[string]struct {
		files  []string
		blocks int // of the page, that are in the files; -1 for all
	}{
		"README.md":                                 {[]string{"examples/notes/main.go"}, 1},
		"docs/explanation/declarations.md":          {[]string{"resources/clinic/patient.go"}, 1},
		"docs/how-to/add-a-resource.md":             {[]string{"examples/permission/main.go", "examples/library/library.go", "docs/code_test.go"}, -1},
		"docs/how-to/add-a-setting-or-a-command.md": {[]string{"examples/library/main.go"}, -1},
		"docs/how-to/use-an-existing-database.md": {[]string{
			"docs/code_test.go", "framework/existing_types_test.go", "framework/existing_test.go",
		}, -1},
		"docs/how-to/put-handlers-beside.md":           {[]string{"docs/code_test.go"}, -1},
		"docs/how-to/store-files.md":                   {[]string{"docs/code_test.go"}, -1},
		"docs/how-to/stream-answers.md":                {[]string{"docs/code_test.go"}, -1},
		"docs/how-to/sign-in-by-identity-providers.md": {[]string{"docs/code_test.go"}, -1},
		"docs/how-to/run-beside-django.md":             {[]string{"docs/code_test.go"}, -1},
	} {
		var lines []string
		for _, file := range example.files {
			for line := range strings.SplitSeq(read(t, file), "\n") {
				lines = append(lines, unspaced(line))
			}
		}
		blocks := code.FindAllStringSubmatch(read(t, page), example.blocks)
		if blocks == nil {
			t.Errorf("%s prints no code", page)
		}
		for _, block := range blocks {
			for line := range strings.SplitSeq(block[1], "\n") {
				if line = unspaced(line); line != "// ..." && line != "func main() {" && !slices.Contains(lines, line) {
					t.Errorf("%s prints %q, which is not in %s", page, line, example.files)
				}
			}
		}
	}
}

// unspaced is a line of code without its indent, and with single spaces between its parts: a page
// prints parts of functions.
func unspaced(line string) string { return strings.Join(strings.Fields(line), " ") }

// TestPackages: each package of the framework has a row, and each row has a package.
func TestPackages(t *testing.T) {
	page := read(t, "docs/explanation/packages.md")
	there := map[string]bool{}
	err := fs.WalkDir(os.DirFS(root), "framework", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
			there[path.Dir(name)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range there {
		if !strings.Contains(page, "\n| `"+name+"` | ") {
			t.Errorf("docs/explanation/packages.md has no row for %s", name)
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `(framework[^`]*)` \\|").FindAllStringSubmatch(page, -1) {
		if !there[row[1]] {
			t.Errorf("docs/explanation/packages.md has a row for %s, which is not a package", row[1])
		}
	}
}

// everything is the API of all services, on a database that no test uses.
func everything(t *testing.T) *framework.API {
	t.Helper()
	db, err := sqldb.Open("sqlite://"+filepath.ToSlash(filepath.Join(t.TempDir(), "unused.db")), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	identity, err := resources.Identity(auth.Config{Mailer: mail.Log{To: slog.New(slog.DiscardHandler)}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	config := resources.Config(db, 20, identity)
	config.Log = slog.New(slog.DiscardHandler)
	api := framework.New(config)
	resources.Register(api, identity)
	return api
}

// TestCodes: the page has each code of the framework and of the sign-in, with its
// status, and no other one. The codes of the services are theirs to explain.
func TestCodes(t *testing.T) {
	db, err := sqldb.Open("sqlite://"+filepath.ToSlash(filepath.Join(t.TempDir(), "unused.db")), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	identity, err := auth.New(auth.Config{
		Account: auth.AccountOptions{Change: true, Delete: true, Reset: true, Verify: true}, Mailer: mail.Log{}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	api := framework.New(framework.Config{DB: db, Authentication: identity.Authentication(), Codes: append(identity.Codes(), oidc.Codes()...), Log: slog.New(slog.DiscardHandler)})
	api.Register(identity.ViewSet())
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	listed := frameworktest.New(t, handler).Get("/api/errors/").Expect(200).Body()
	errors, faults, found := strings.Cut(read(t, "docs/reference/codes.md"), "## Codes of faults")
	if !found {
		t.Fatal("docs/reference/codes.md has no codes of faults")
	}
	compareRows(t, "codes.md, errors", rows(errors, "| `(\\w+)` \\| (\\d+) \\|"), regexp.MustCompile(`<code>(\w+)</code></a>, status (\d+)`).FindAllStringSubmatch(listed, -1))
	compareRows(t, "codes.md, faults", rows(faults, "| `(\\w+)` \\|()"), regexp.MustCompile(`<dt id="(\w+)">()`).FindAllStringSubmatch(listed, -1))
}

// rows are the matches of a pattern at the beginnings of a table's rows.
func rows(text, pattern string) [][]string {
	return regexp.MustCompile(`(?m)^\`+pattern).FindAllStringSubmatch(text, -1)
}

// compareRows compares the first two groups of each match, in any order.
func compareRows(t *testing.T, where string, have, want [][]string) {
	t.Helper()
	texts := func(matches [][]string) (all []string) {
		for _, m := range matches {
			all = append(all, strings.TrimSpace(m[1]+" "+m[2]))
		}
		slices.Sort(all)
		return all
	}
	if len(want) == 0 {
		t.Fatalf("%s: the program has nothing to compare with", where)
	}
	for _, text := range texts(want) {
		if !slices.Contains(texts(have), text) {
			t.Errorf("docs/reference/%s: no row for %s", where, text)
		}
	}
	for _, text := range texts(have) {
		if !slices.Contains(texts(want), text) {
			t.Errorf("docs/reference/%s: a row for %s, which the program does not have", where, text)
		}
	}
}

// TestHeaders: each header of the OpenAPI document is on the page.
func TestHeaders(t *testing.T) {
	text, err := everything(t).Document("json")
	if err != nil {
		t.Fatal(err)
	}
	page := read(t, "docs/reference/headers.md")
	requests, answers, found := strings.Cut(page, "## Answers")
	if !found {
		t.Fatal("docs/reference/headers.md has no answers")
	}
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	sent, returned := map[string]bool{}, map[string]bool{}
	headers(document, sent, returned)
	if len(sent) < 2 || len(returned) < 9 {
		t.Fatalf("the document has the headers %v and %v", sent, returned)
	}
	for name := range sent {
		if !strings.Contains(requests, "`"+name+"`") {
			t.Errorf("docs/reference/headers.md does not have the request header %s", name)
		}
	}
	for name := range returned {
		if !strings.Contains(answers, "`"+name+"`") {
			t.Errorf("docs/reference/headers.md does not have the header %s of answers", name)
		}
	}
}

// headers collects the names of headers from an OpenAPI document.
func headers(value any, sent, returned map[string]bool) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			headers(item, sent, returned)
		}
	case map[string]any:
		if name, ok := v["name"].(string); ok && v["in"] == "header" && v["type"] == nil {
			sent[name] = true
		}
		if all, ok := v["headers"].(map[string]any); ok {
			for name := range all {
				returned[name] = true
			}
		}
		for _, item := range v {
			headers(item, sent, returned)
		}
	}
}
