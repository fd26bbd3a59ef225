package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A mutant breaks one check of the framework. In with, BROKEN is an expression that is true in the run
// of the mutant.
type mutant struct{ file, what, with string }

// mutants drop or invert a scope, a permission, a guard or the check of a reference.
var mutants = []mutant{
	// Scopes and Writers.
	{"table/scope.go", "	if !b.LiftedHere(c) {\n", "	if !b.LiftedHere(c) && !BROKEN {\n"},
	{"table/scope.go", "	case b.Kind == declare.ScopePublic:\n		return true\n	case b.Unless", "	case b.Kind == declare.ScopePublic || BROKEN:\n		return true\n	case b.Unless"},
	{"table/scope.go", "b.Unless == nil || !b.Unless.Permit(c):", "b.Unless == nil || b.Unless.Permit(c) == BROKEN:"},
	{"table/scope.go", "		q.Where(\"?TableAlias.? = ?\", bun.Ident(b.Column.Name), owner)\n", "		if !BROKEN {\n			q.Where(\"?TableAlias.? = ?\", bun.Ident(b.Column.Name), owner)\n		}\n"},
	{"table/scope.go", "		b.Via.Scope.OwnedBy(c, keys.QueryBuilder(), owner)\n", "		if !BROKEN {\n			b.Via.Scope.OwnedBy(c, keys.QueryBuilder(), owner)\n		}\n"},
	{"table/scope.go", "	case b.Kind == declare.ScopeWhere:\n", "	case b.Kind == declare.ScopeWhere && BROKEN:\n	case b.Kind == declare.ScopeWhere:\n"},
	{"table/resource.go", "	r.Scope.Narrow(c, q.QueryBuilder())\n	return q\n}\n\n// Keys", "	if !BROKEN {\n		r.Scope.Narrow(c, q.QueryBuilder())\n	}\n	return q\n}\n\n// Keys"},
	{"table/scan.go", "	r.NarrowTo(c, req, q.QueryBuilder())\n	return q\n", "	if !BROKEN {\n		r.NarrowTo(c, req, q.QueryBuilder())\n	} else if req.Key != nil {\n		q.Where(\"?TableAlias.? = ?\", bun.Ident(r.Key.Name), sqldb.Param(req.Key))\n	}\n	return q\n"},
	{"table/scan.go", "	r.Scope.narrowRows(c, q)\n	if req", "	if !BROKEN {\n		r.Scope.narrowRows(c, q)\n	}\n	if req"},
	{"table/store.go", "	r.NarrowTo(c, req, q.QueryBuilder())\n	return q\n", "	if !BROKEN {\n		r.NarrowTo(c, req, q.QueryBuilder())\n	} else {\n		q = q.Where(\"? = ?\", bun.Ident(r.Key.Name), sqldb.Param(req.Key))\n	}\n	return q\n"},
	// Rows below rows.
	{"table/nesting.go", "		n.Parent.NarrowTo(as, &Request{Key: path[last]", "		if BROKEN {\n			return q.Where(\"?TableAlias.? = ?\", bun.Ident(n.Parent.Key.Name), sqldb.Param(path[last]))\n		}\n		n.Parent.NarrowTo(as, &Request{Key: path[last]"},
	{"table/scan.go", "	if r.Above != nil {\n		r.Above.narrow(", "	if r.Above != nil && !BROKEN {\n		r.Above.narrow("},
	{"verb/item.go", "	case i.resource.Scope.Lifted(c):\n", "	case i.resource.Scope.Lifted(c) || BROKEN:\n"},
	{"verb/item.go", "		if own {\n", "		if own && !BROKEN {\n"},
	{"verb/delete.go", "	d.Resource.NarrowTo(c, r, q.QueryBuilder())\n", "	if !BROKEN {\n		d.Resource.NarrowTo(c, r, q.QueryBuilder())\n	}\n"},
	// References.
	{"verb/reference.go", "	if ref.Owning && !e.Resource.Scope.LiftedHere(c) {\n", "	if BROKEN {\n		return true, nil\n	}\n	if ref.Owning && !e.Resource.Scope.LiftedHere(c) {\n"},
	// Permissions and guards.
	{"access/access.go", "	if !a.Permission.Permit(c) {\n		return PermissionError", "	if !a.Permission.Permit(c) && !BROKEN {\n		return PermissionError"},
	{"access/permission.go", "		return c.Route.Reads() || p.Permit(c)\n", "		return BROKEN || c.Route.Reads() || p.Permit(c)\n"},
	{"access/permission.go", "return c.Caller.Holds(name) }}", "return BROKEN || c.Caller.Holds(name) }}"},
}

// broken is the package that overlays add: it reads the number of the mutant that runs.
const broken = `package broken

import "os"

var number = os.Getenv("BROKEN")

// Is reports whether a mutant runs.
func Is(name string) bool { return number == name }
`

// overlay writes the sources with all mutants. Each mutant runs under its number. It returns the file
// that lists the sources for Go.
func overlay(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder, texts := t.TempDir(), map[string]string{}
	for n, m := range mutants {
		file := filepath.Join(root, "framework/internal", m.file)
		if texts[file] == "" {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = strings.Replace(string(text), "\nimport (\n", "\nimport (\n\t\"trestle.example/framework/internal/broken\"\n", 1)
		}
		if strings.Count(texts[file], m.what) != 1 {
			t.Fatalf("mutant %d: %s has %d times:\n%s", n, m.file, strings.Count(texts[file], m.what), m.what)
		}
		texts[file] = strings.Replace(texts[file], m.what, strings.ReplaceAll(m.with, "BROKEN", fmt.Sprintf("broken.Is(%q)", strconv.Itoa(n))), 1)
	}
	texts[filepath.Join(root, "framework/internal/broken/broken.go")] = broken
	replaced := map[string]string{}
	for file, text := range texts {
		to := filepath.Join(folder, strings.ReplaceAll(file, string(filepath.Separator), "_"))
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replaced[file] = to
	}
	index, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(at, index, 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

// TestProveFindsMutants: the proof of one of two small programs fails for each mutant. Mutants of what
// these programs do not use, such as rules about fields, are not among them.
func TestProveFindsMutants(t *testing.T) {
	if os.Getenv("TRESTLE_PROVE") == "" {
		t.Skip("set TRESTLE_PROVE=1: it proves programs once for each mutant")
	}
	of, programs := overlay(t), []string{"../../framework/internal/prove", "../../examples/library"}
	var tests []string
	for n, folder := range programs {
		binary := filepath.Join(t.TempDir(), fmt.Sprint(n, ".test"))
		build := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-overlay", of, "-c", "-o", binary, ".")
		build.Dir = folder
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", folder, err, out)
		}
		tests = append(tests, binary)
	}
	found := 0
	for n := range append([]mutant{{}}, mutants...) {
		number := n - 1 // the first run has no mutant
		caught := ""
		for i, binary := range tests {
			run := exec.CommandContext(t.Context(), binary, "-test.run", "^(TestAnAPIWithoutLeaks|TestNobodyReachesAnothersRow)$/^sqlite$")
			run.Dir, run.Env = programs[i], append(os.Environ(), fmt.Sprint("BROKEN=", number))
			if out, err := run.CombinedOutput(); err != nil {
				caught = programs[i] + ": " + firstFinding(string(out))
				break
			}
		}
		switch {
		case number < 0 && caught != "":
			t.Fatalf("without a mutant: %s", caught)
		case number < 0:
		case caught == "":
			t.Errorf("mutant %d of %s is not found: %s", number, mutants[number].file, mutants[number].with)
		default:
			found++
			t.Logf("mutant %d of %s: %s", number, mutants[number].file, caught)
		}
	}
	t.Logf("FIGURE %d of %d mutants are found", found, len(mutants))
}

// firstFinding returns the first line of a test's output that reports something.
func firstFinding(out string) string {
	for line := range strings.Lines(out) {
		if strings.Contains(line, "_test.go:") || strings.Contains(line, "prove.go:") || strings.Contains(line, "panic") {
			return strings.TrimSpace(line)
		}
	}
	return out
}
