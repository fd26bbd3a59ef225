package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// riddles are words that hide the subject or the action of a sentence, each with
// the words to use instead.
var riddles = []struct{ pattern, plain string }{
	{`told|tells?`, "reported, returned, listed, logged"},
	{`refused?|refuses|refusals?`, "rejected, an error, shed (503)"},
	{`asks|asked`, "queried, requested, required, called"},
	{`nobody|anybody|somebody|someone|everybody`, "the caller, a user, no client: name the subject"},
	{`whoever|whom|whose is|who has`, "the user, the caller: name the subject"},
	{`of which|nor do|nor does|nor is`, "a second sentence"},
	{`(?:is|are|as|was|of) none|none of the`, "is absent, is empty, is not one of"},
	{`(?:look|looks|looked|looking) at|sees that|see that`, "checks, reads"},
	{`what it comes to`, "total"},
	{`patience|tired`, "the wait limit, timed out"},
	{`doors?`, "the access check"},
	{`lent|borrows|borrowed`, "released, acquired"},
	{`owed`, "not yet returned, missing"},
	{`(?:comes?|came|coming) back`, "returns, is available again, is acquired again"},
	{`twins?`, "the duplicate request, the copy"},
	{`twice is once`, "retries are safe"},
	{`afresh|anew`, "again, a new one"},
	{`spared`, "avoided, saved"},
	{`made up`, "generated, invented"},
	{`in the place of`, "instead of, replaces"},
	{`held to`, "limited to, must satisfy"},
	{`turned away`, "rejected, shed (503)"},
	{`gone`, "disconnected, deleted, closed"},
}

// anyRiddle has one group for each of the riddles.
var anyRiddle = func() *regexp.Regexp {
	var groups []string
	for _, riddle := range riddles {
		groups = append(groups, "("+riddle.pattern+")")
	}
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(groups, "|") + `)\b`)
}()

// established are expressions that contain one of the words and are plain, and names of
// the API, which are code.
var established = regexp.MustCompile(`(?i)connection refused|there (?:is|are|was|were) none|  refused {5}401|^// Refuses? |\.Refuser?\]|\bRefuses\(`)

// quoted is code or the text of a program inside a sentence.
var quoted = regexp.MustCompile("``[^\n]*?``|`[^`\n]*`")

func TestTextsHaveNoRiddles(t *testing.T) {
	for _, page := range pages(t) {
		if page == "CHANGELOG.md" {
			continue // history
		}
		text := fenced.ReplaceAllStringFunc(read(t, page), func(block string) string { return strings.Repeat("\n", strings.Count(block, "\n")) })
		reportRiddles(t, page, 1, text)
	}
	for _, name := range sources(t) {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join(root, filepath.FromSlash(name)), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range file.Comments {
			for _, comment := range group.List {
				reportRiddles(t, name, files.Position(comment.Pos()).Line, comment.Text)
			}
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING && !strings.HasSuffix(name, "_test.go") {
				text, err := strconv.Unquote(literal.Value)
				if err == nil && strings.Contains(text, " ") {
					reportRiddles(t, name, files.Position(literal.Pos()).Line, text)
				}
			}
			return true
		})
	}
}

// reportRiddles fails the test for each riddle of a text that begins at a line of a file.
func reportRiddles(t *testing.T, name string, first int, text string) {
	t.Helper()
	for i, line := range strings.Split(text, "\n") {
		for _, found := range findRiddles(line) {
			t.Errorf("%s:%d: %q is a riddle; write: %s", name, first+i, found.word, found.plain)
		}
	}
}

// A finding is a riddle of a line, and the words to use instead.
type finding struct{ word, plain string }

func findRiddles(line string) (all []finding) {
	line = established.ReplaceAllString(quoted.ReplaceAllString(line, ""), "")
	for _, found := range anyRiddle.FindAllStringSubmatchIndex(line, -1) {
		for group, riddle := range riddles {
			if begin, end := found[2*group+2], found[2*group+3]; begin >= 0 {
				all = append(all, finding{line[begin:end], riddle.plain})
			}
		}
	}
	return all
}

func TestRiddlesAreFound(t *testing.T) {
	for line, want := range map[string]string{
		"the client is told the limit":            "told",
		"Nobody reads too little":                 "Nobody",
		"a value that is none of the type":        "is none",
		"it REFUSES":                              "REFUSES",
		"the server returns 503 after 2 seconds":  "",
		"ECONNREFUSED, connection refused":        "",
		"if there is none, the test fails":        "",
		"the method `tell`, which is code":        "",
		"// Refuses lists the codes of an action": "",
	} {
		word := ""
		if found := findRiddles(line); len(found) == 1 && found[0].plain != "" {
			word = found[0].word
		}
		if word != want {
			t.Errorf("%q: found %q; want %q", line, word, want)
		}
	}
}

// sources are the Go files of the repository, by their path from the root.
func sources(t *testing.T) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && name != "." || entry.Name() == "node_modules" || entry.Name() == "testdata"):
			return fs.SkipDir
		case path.Ext(name) == ".go":
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
