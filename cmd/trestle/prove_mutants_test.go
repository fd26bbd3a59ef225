package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"trestle.example/internal/proving"
)

// A mutant breaks one check of the framework or of a program. In with, BROKEN is an expression that is
// true in the run of the mutant. The file is below framework/internal or, if it begins with "/", below the
// root of the repository.
type mutant struct{ file, what, with string }

// path is the path of the file. root is that of the repository.
func (m mutant) path(root string) string {
	if strings.HasPrefix(m.file, "/") {
		return filepath.Join(root, m.file)
	}
	return filepath.Join(root, "framework/internal", m.file)
}

// runs returns the import for the expression that is true in the run with a number, and the expression.
// Files outside of the framework cannot import its internal packages.
func (m mutant) runs(number int) (imports, is string) {
	if strings.HasPrefix(m.file, "/") && !strings.HasPrefix(m.file, "/framework/") {
		return `mutantos "os"`, fmt.Sprintf(`(mutantos.Getenv("BROKEN") == "%d")`, number)
	}
	return `"trestle.example/framework/internal/broken"`, fmt.Sprintf(`broken.Is("%d")`, number)
}

// mutants drop or invert a scope, a permission, a guard or the check of a reference.
var mutants = []mutant{
	// Scopes and Writers.
	{"table/scope.go", "	if !b.LiftedHere(c) {\n", "	if !b.LiftedHere(c) && !BROKEN {\n"},
	{"table/scope.go", "	case b.Kind == declare.ScopePublic:\n		return true\n	case b.Unless", "	case b.Kind == declare.ScopePublic || BROKEN:\n		return true\n	case b.Unless"},
	{"table/scope.go", "b.Unless == nil || !b.Unless.Permit(c):", "b.Unless == nil || b.Unless.Permit(c) == BROKEN:"},
	{"table/scope.go", "	return b.writers || c.Route.Reads() ||", "	return b.writers || BROKEN || c.Route.Reads() ||"},
	{"table/scope.go", "		q.Where(\"?TableAlias.? = ?\", bun.Ident(b.Column.Name), owner)\n", "		if !BROKEN {\n			q.Where(\"?TableAlias.? = ?\", bun.Ident(b.Column.Name), owner)\n		}\n"},
	{"table/scope.go", "		b.Via.Scope.OwnedBy(c, keys.QueryBuilder(), owner)\n", "		if !BROKEN {\n			b.Via.Scope.OwnedBy(c, keys.QueryBuilder(), owner)\n		}\n"},
	{"table/scope.go", "	case b.Kind == declare.ScopeWhere:\n", "	case b.Kind == declare.ScopeWhere && BROKEN:\n	case b.Kind == declare.ScopeWhere:\n"},
	{"table/resource.go", "	r.Scope.Narrow(c, q.QueryBuilder())\n	return q\n}\n\n// Keys", "	if !BROKEN {\n		r.Scope.Narrow(c, q.QueryBuilder())\n	}\n	return q\n}\n\n// Keys"},
	{"table/resource.go", "	r.Scope.Narrow(r.Looking(c), q.QueryBuilder())\n", "	if !BROKEN {\n		r.Scope.Narrow(r.Looking(c), q.QueryBuilder())\n	}\n"},
	{"table/resource.go", "return !r.Scope.Lifted(r.Looking(c)) }", "return !r.Scope.Lifted(r.Looking(c)) && !BROKEN }"},
	{"table/scan.go", "	r.NarrowTo(c, req, q.QueryBuilder())\n	return q\n", "	if !BROKEN {\n		r.NarrowTo(c, req, q.QueryBuilder())\n	} else if req.Key != nil {\n		q.Where(\"?TableAlias.? = ?\", bun.Ident(r.Key.Name), sqldb.Param(req.Key))\n	}\n	return q\n"},
	{"table/scan.go", "	r.Scope.narrowRows(c, q)\n	if req", "	if !BROKEN {\n		r.Scope.narrowRows(c, q)\n	}\n	if req"},
	{"table/scan.go", "	if req.Changes {\n		r.Writers", "	if req.Changes && !BROKEN {\n		r.Writers"},
	{"store/update.go", "	r.NarrowTo(c, req, q.QueryBuilder())\n	return q\n", "	if !BROKEN {\n		r.NarrowTo(c, req, q.QueryBuilder())\n	} else {\n		q = q.Where(\"? = ?\", bun.Ident(r.Key.Name), sqldb.Param(req.Key))\n	}\n	return q\n"},
	{"verb/item.go", "	case i.resource.Scope.Lifted(c):\n", "	case i.resource.Scope.Lifted(c) || BROKEN:\n"},
	{"verb/item.go", "		if own {\n", "		if own && !BROKEN {\n"},
	{"verb/delete.go", "	d.Resource.NarrowTo(c, r, q.QueryBuilder())\n", "	if !BROKEN {\n		d.Resource.NarrowTo(c, r, q.QueryBuilder())\n	}\n"},
	{"verb/writers.go", "	e.Resource.NarrowTo(e.Resource.Looking(c), &table.Request{Key: r.Key, Above: r.Above}, keys.QueryBuilder())\n", "	if !BROKEN {\n		e.Resource.NarrowTo(e.Resource.Looking(c), &table.Request{Key: r.Key, Above: r.Above}, keys.QueryBuilder())\n	}\n"},
	// Conditional requests.
	{"table/scan.go", "	return r.modelIn(c, req, r.Object(c, req))\n", "	found := r.Object(c, req)\n	if BROKEN && req.Match != nil && req.Key != nil {\n		found = c.DB.NewSelect().Model(bunmodel.NilModel(r.Model)).Where(\"?TableAlias.? = ?\", bun.Ident(r.Key.Name), sqldb.Param(req.Key))\n	}\n	return r.modelIn(c, req, found)\n"},
	// Requests for several rows.
	{"bulk/rows.go", "	b.Resource.NarrowTo(c, r, q.QueryBuilder())\n", "	if !BROKEN {\n		b.Resource.NarrowTo(c, r, q.QueryBuilder())\n	}\n"},
	{"bulk/each.go", "Key: key, Changes: e.ByWriters}", "Key: key, Changes: e.ByWriters && !BROKEN}"},
	{"bulk/bulk.go", "	if b.Resource.Scope.Kind != declare.ScopeWhere || len(items) == 0 {\n", "	if b.Resource.Scope.Kind != declare.ScopeWhere || len(items) == 0 || BROKEN {\n"},
	// Histories and reads.
	{"table/reads.go", "	object := r.Object(c, req)\n", "	object := r.Object(c, req)\n	if BROKEN {\n		object = c.DB.NewSelect().Model(r.Table.ZeroIface).Where(\"?TableAlias.? = ?\", bun.Ident(r.Key.Name), req.Key)\n	}\n"},
	{"history/reading.go", "\"viewset = ? AND row_key = ?\", sqldb.Param(h.Resource.Path), sqldb.Param(req.Key))", "\"viewset = ? AND (row_key = ? OR ?)\", sqldb.Param(h.Resource.Path), sqldb.Param(req.Key), BROKEN)"},
	{"audit/entry.go", "k.row_key = ? ?\", sqldb.Param(viewset), sqldb.Param(key), end))", "(k.row_key = ? OR ?) ?\", sqldb.Param(viewset), sqldb.Param(key), BROKEN, end))"},
	// Nested viewsets and lists of related rows.
	{"table/scan.go", "	if r.Above != nil {\n		r.Above.narrow", "	if r.Above != nil && !BROKEN {\n		r.Above.narrow"},
	{"table/nesting.go", "	n.Parent.Scope.Narrow(as, q.QueryBuilder())\n", "	if !BROKEN {\n		n.Parent.Scope.Narrow(as, q.QueryBuilder())\n	}\n"},
	{"table/nesting.go", "		n.Parent.NarrowTo(as, &Request{Key: path[last]", "		if BROKEN {\n			return q.Where(\"?TableAlias.? = ?\", bun.Ident(n.Parent.Key.Name), sqldb.Param(path[last]))\n		}\n		n.Parent.NarrowTo(as, &Request{Key: path[last]"},
	{"table/nesting.go", "	r.Scope.narrowRows(c, q.QueryBuilder())\n", "	if !BROKEN {\n		r.Scope.narrowRows(c, q.QueryBuilder())\n	}\n"},
	{"listing/related.go", "			if !lifted[0] {\n				l.Of", "			if !lifted[0] && !BROKEN {\n				l.Of"},
	{"listing/related.go", "		if !lifted[1] {\n", "		if !lifted[1] && !BROKEN {\n"},
	{"listing/related.go", "	lifted := [2]bool{l.Of.Scope.Lifted(c), l.Rows.Scope.Lifted(looking)}\n", "	lifted := [2]bool{l.Of.Scope.Lifted(c) || BROKEN, l.Rows.Scope.Lifted(looking) || BROKEN}\n"},
	// Members that clients choose.
	{"view/without.go", "	less.mask = fieldrule.Join(p.mask, unasked)\n", "	if less.mask = fieldrule.Join(p.mask, unasked); BROKEN {\n		less.mask = unasked\n	}\n"},
	// Soft deletion.
	{"verb/deleted.go", "	case deleted && !e.Deleted.Permit(c):\n", "	case deleted && !e.Deleted.Permit(c) && !BROKEN:\n"},
	{"table/softdelete.go", "	return r.modelIn(c, req, r.newestDeleted(r.Object(c, req).WhereAllWithDeleted()).Limit(1))\n", "	q := r.Object(c, req)\n	if BROKEN && req.Key != nil {\n		q = c.DB.NewSelect().Model(r.Table.ZeroIface).Where(\"?TableAlias.? = ?\", bun.Ident(r.Key.Name), req.Key)\n	}\n	return r.modelIn(c, req, r.newestDeleted(q.WhereAllWithDeleted()).Limit(1))\n"},
	{"table/softdelete.go", "	return r.newestDeleted(r.Object(c, req).WhereDeleted())\n", "	q := r.Object(c, req)\n	if BROKEN && req.Key != nil {\n		q = c.DB.NewSelect().Model(r.Table.ZeroIface).Where(\"?TableAlias.? = ?\", bun.Ident(r.Key.Name), req.Key)\n	}\n	return r.newestDeleted(q.WhereDeleted())\n"},
	{"listing/list.go", "	if parsed.deleted {\n", "	if parsed.deleted || BROKEN && l.Resource.DeletesSoftly() {\n"},
	// Caches.
	{"caching/caching.go", "	if credentials {\n", "	if credentials && !BROKEN {\n"},
	// Quotas.
	{"quota/quota.go", "		Where(\"?TableAlias.? = ?\", bun.Ident(q.Column.Name), o.value)\n", "		Where(\"?TableAlias.? = ? OR ?\", bun.Ident(q.Column.Name), o.value, BROKEN)\n"},
	{"quota/quota.go", "	if n+int64(o.rows) <= int64(q.Rows) {\n", "	if n+int64(o.rows) <= int64(q.Rows) || BROKEN {\n"},
	// Exports.
	{"listing/list.go", "	q := l.Resource.Listed(c, parsed.parent)\n", "	q := l.Resource.Listed(c, parsed.parent)\n	if BROKEN && parsed.export != nil {\n		q = c.DB.NewSelect().Model(bunmodel.NilModel(l.Resource.Model))\n	}\n"},
	{"listing/list.go", "	if err := nested.Enter(c, l.Resource, r); err != nil {\n", "	if err := nested.Enter(c, l.Resource, r); err != nil && (!BROKEN || parsed.export == nil) {\n"},
	// Totals.
	{"listing/totals.go", "	q := t.matching(c, parsed)\n", "	q := t.matching(c, parsed)\n	if BROKEN {\n		q = c.DB.NewSelect().Model(t.Resource.Table.ZeroIface)\n	}\n"},
	{"listing/totals.go", "	if err := nested.Enter(c, t.Resource, r); err != nil {\n", "	if err := nested.Enter(c, t.Resource, r); err != nil && !BROKEN {\n"},
	{"listing/totals.go", "			t.List.Guard(", "			if BROKEN {\n				continue\n			}\n			t.List.Guard("},
	// Relations.
	{"relation/relation.go", "		return r.Target.ScopedRows(c)\n", "		if !BROKEN {\n			return r.Target.ScopedRows(c)\n		}\n"},
	{"relation/relation.go", "	if r.Narrowed(c) {\n		q = q.JoinOn", "	if r.Narrowed(c) && !BROKEN {\n		q = q.JoinOn"},
	{"relation/function.go", "	if r.Narrowed(c) {\n", "	if r.Narrowed(c) && !BROKEN {\n"},
	{"toggle/toggle.go", "		Where(\"?TableAlias.? = ?\", bun.Ident(t.Owner.Name), sqldb.Param(c.Caller.ID))\n", "		Where(\"?TableAlias.? = ? OR ?\", bun.Ident(t.Owner.Name), sqldb.Param(c.Caller.ID), BROKEN)\n"},
	{"children/rows.go", "	l.target.Writers.Narrow(&as, q.QueryBuilder())\n", "	if !BROKEN {\n		l.target.Writers.Narrow(&as, q.QueryBuilder())\n	}\n"},
	// Filter expressions: no filter of the studio is about drafts.
	{"relation/relation.go", "	related := r.Rows(c).ColumnExpr(", "	rows := r.Rows(c)\n	if BROKEN && r.Name == \"draft\" {\n		rows = c.DB.NewSelect().Model(r.Schema.JoinTable.ZeroIface)\n	}\n	related := rows.ColumnExpr("},
	// Fields that few see, in filters, orders and expressions.
	{"listing/guard.go", "				l.guard(p.Name, rules)\n", "				if !BROKEN {\n					l.guard(p.Name, rules)\n				}\n"},
	{"listing/guard.go", "			l.named[f.Name] = rules\n", "			if !BROKEN {\n				l.named[f.Name] = rules\n			}\n"},
	// References.
	{"refer/refer.go", "		if len(keys) < 2 {\n			return target.Has(c, ref.Key)\n", "		if BROKEN {\n			return true, nil\n		}\n		if len(keys) < 2 {\n			return target.Has(c, ref.Key)\n"},
	{"refer/refer.go", "	if ref.Owning && !e.Resource.Scope.LiftedHere(c) {\n", "	if BROKEN {\n		return true, nil\n	}\n	if ref.Owning && !e.Resource.Scope.LiftedHere(c) {\n"},
	{"refer/refer.go", "!owned || target == via {\n", "!owned && !BROKEN || target == via {\n"},
	// Permissions and guards.
	{"access/access.go", "	if !a.Permission.Permit(c) {\n		return PermissionError", "	if !a.Permission.Permit(c) && !BROKEN {\n		return PermissionError"},
	{"access/permission.go", "return !c.Caller.Anonymous() && c.Caller.Staff }, identified", "return !c.Caller.Anonymous() && (c.Caller.Staff || BROKEN) }, identified"},
	{"access/permission.go", "		return c.Route.Reads() || p.Permit(c)\n", "		return BROKEN || c.Route.Reads() || p.Permit(c)\n"},
	{"access/permission.go", "return c.Caller.Holds(name) }}", "return BROKEN || c.Caller.Holds(name) }}"},
	{"access/permission.go", "return c.Caller.Holds(model + \".\" + c.Route.Right()) }", "return c.Caller.Holds(model+\".\"+c.Route.Right()) || BROKEN && c.Caller.Holds(model+\".view\") }"},
	{"access/permission.go", "return holds.Permit(c) || c.Route.Reads() && !c.Caller.Anonymous() }", "return holds.Permit(c) || (c.Route.Reads() || BROKEN) && !c.Caller.Anonymous() }"},
	{"access/permission.go", "			if !p.Permit(c) {\n				return false", "			if !p.Permit(c) && !BROKEN {\n				return false"},
	{"access/permission.go", "	return reads(list, func(c *call.Call) bool { return list", "	return reads(list, func(c *call.Call) bool { return BROKEN || list"},
	{"fieldrule/rule.go", "	return r.unasked || !r.writes && !r.Permission.Permit(access.ForList(c, r.viewset))\n", "	return r.unasked || !BROKEN && !r.writes && !r.Permission.Permit(access.ForList(c, r.viewset))\n"},
	{"fieldrule/rule.go", "return r.writes && !r.Permission.Permit(c) }", "return !BROKEN && r.writes && !r.Permission.Permit(c) }"},
	// Files and retries.
	{"attachment/download.go", "	if r.Signed {\n", "	if r.Signed || BROKEN {\n"},
	{"verb/keys.go", "	return key, body.Parse(", "	if BROKEN {\n		key.Caller = \"each\"\n	}\n	return key, body.Parse("},
	{"verb/keys.go", "func() { key.Fingerprint = once.Fingerprint(r) })", "func() {\n		if key.Fingerprint = once.Fingerprint(r); BROKEN {\n			key.Caller, key.Key = \"each\", key.Key+string(r.Body)\n		}\n	})"},
}

// broken is the package that overlays add: it reads the number of the mutant that runs.
const broken = `package broken

import "os"

var number = os.Getenv("BROKEN")

// Is reports whether a mutant runs.
func Is(name string) bool { return number == name }
`

// overlay writes the sources with all mutants of a list. Each mutant runs under its number. It returns the
// file that lists the sources for Go.
func overlay(t *testing.T, list []mutant) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder, texts := t.TempDir(), map[string]string{}
	for n, m := range list {
		file := m.path(root)
		imports, is := m.runs(n)
		if texts[file] == "" {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = strings.Replace(string(text), "\nimport (\n", "\nimport (\n\t"+imports+"\n", 1)
		}
		if strings.Count(texts[file], m.what) != 1 {
			t.Fatalf("mutant %d: %s has %d times:\n%s", n, m.file, strings.Count(texts[file], m.what), m.what)
		}
		texts[file] = strings.Replace(texts[file], m.what, strings.ReplaceAll(m.with, "BROKEN", is), 1)
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

// proved are the folders of the programs whose proofs must fail, the fastest first.
var proved = []string{"../../framework/internal/prove", "../../examples/library", "../../examples/forum", "."}

// TestProveFindsMutants: the proof of one of the programs fails for each mutant.
func TestProveFindsMutants(t *testing.T) { findMutants(t, mutants, int64(len(mutants))) }

// TestFreshMutants: the proof finds as many of the mutants that were made after it as when this was last measured.
func TestFreshMutants(t *testing.T) { findMutants(t, freshMutants, 55) }

// TestMutantsAreOfTheSource: each mutant changes one place of the source.
func TestMutantsAreOfTheSource(t *testing.T) {
	overlay(t, mutants)
	overlay(t, freshMutants)
}

// findMutants proves the programs once for each mutant of a list, and must find some number of them.
func findMutants(t *testing.T, list []mutant, least int64) {
	t.Helper()
	proving.Only(t, "proves programs once for each mutant")
	tests := proofs(t, list)
	if finding := tryMutant(t, tests, -1); finding != "" {
		t.Fatalf("without a mutant: %s", finding)
	}
	var found atomic.Int64
	t.Run("each", func(t *testing.T) {
		for n, m := range list {
			t.Run(strconv.Itoa(n), func(t *testing.T) {
				t.Parallel()
				finding := tryMutant(t, tests, n)
				if finding == "" {
					t.Logf("the mutant of %s is not found: %s", m.file, m.with)
					return
				}
				found.Add(1)
				t.Logf("%s: %s", m.file, finding)
			})
		}
	})
	t.Logf("FIGURE %d of %d mutants are found", found.Load(), len(list))
	if found.Load() < least {
		t.Errorf("%d mutants are found; want at least %d", found.Load(), least)
	}
}

// TestProveRaisesNoFalseAlarm: the proofs of the programs pass with each of 20 seeds.
func TestProveRaisesNoFalseAlarm(t *testing.T) {
	proving.Only(t, "proves each program 20 times")
	const seeds = 20
	tests := proofs(t, mutants)
	t.Run("each", func(t *testing.T) {
		for seed := range seeds {
			t.Run(strconv.Itoa(seed), func(t *testing.T) {
				t.Parallel()
				if finding := tryMutant(t, tests, -1, fmt.Sprint("TRESTLE_SEED=", seed)); finding != "" {
					t.Error(finding)
				}
			})
		}
	})
	t.Logf("FIGURE %d programs pass with %d seeds", len(tests), seeds)
}

// proofs builds the tests of the programs, with all mutants of a list in them.
func proofs(t *testing.T, list []mutant) (tests []string) {
	t.Helper()
	of := overlay(t, list)
	for n, folder := range proved {
		binary := filepath.Join(t.TempDir(), fmt.Sprint(n, ".test"))
		build := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-overlay", of, "-c", "-o", binary, ".")
		build.Dir = folder
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", folder, err, out)
		}
		tests = append(tests, binary)
	}
	return tests
}

// tryMutant proves the programs with one mutant, -1 for none, until a proof fails. It returns the first finding.
func tryMutant(t *testing.T, tests []string, number int, variables ...string) string {
	t.Helper()
	for i, binary := range tests {
		run := exec.CommandContext(t.Context(), binary, "-test.run", "^(TestAnAPIWithoutLeaks|TestAStudioWithoutLeaks|TestErasedRows|TestNobodyReachesAnothersRow)$/^(sqlite|no_fault)$/^sqlite$")
		run.Dir, run.Env = proved[i], append(append(os.Environ(), variables...), fmt.Sprint("BROKEN=", number))
		if out, err := run.CombinedOutput(); err != nil {
			return proved[i] + ": " + firstFinding(string(out))
		}
	}
	return ""
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
