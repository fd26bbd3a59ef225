package framework

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"
	"trestle.example/framework/internal/naming"
)

// Save implements [rows].
func (a functions) Save(c *Call, model reflect.Value) error {
	row := model.Elem()
	r, err := a.keeper(c, "Save", row.Type())
	if err != nil {
		return err
	}
	if r.saveSkips != nil {
		return r.saveSkips
	}
	if r.updated != nil {
		r.updated.Value(row).Set(timeValue(r.updated, c.Now))
	}
	r.document(row)
	if given := progressOf(c).given; given != nil && given.row == model.Interface() {
		return r.store(c, row, columnsToSave(given, r, row))
	}
	return r.store(c, row, r.table.DataFields)
}

// Insert implements [rows].
func (a functions) Insert(c *Call, model reflect.Value) error {
	row := model.Elem()
	r, err := a.keeper(c, "Insert", row.Type())
	if err != nil {
		return err
	}
	if r.insertSkips != nil {
		return r.insertSkips
	}
	if err := r.stamp(c, row); err != nil {
		return err
	}
	r.document(row)
	return r.insert(c, model)
}

// columnsToSave are those to write: what differs from what was read, and what an
// earlier Save wrote, which may have changed back.
func columnsToSave(g *givenRow, r *resource, row reflect.Value) []*schema.Field {
	for _, f := range r.changed(g.before, row) {
		if !slices.Contains(g.saved, f) {
			g.saved = append(g.saved, f)
		}
	}
	return g.saved
}

// give remembers the row that a function is about to be given.
func give(c *Call, m reflect.Value) {
	before := reflect.New(m.Type().Elem()).Elem()
	before.Set(m.Elem())
	progressOf(c).given = &givenRow{row: m.Interface(), before: before}
}

// keeper finds the viewset that keeps a model's rows: the one that the request
// is for, or the only one that stamps owners or stores a search document as it
// does.
func (a functions) keeper(c *Call, function string, model reflect.Type) (*resource, error) {
	if !c.Session().InTx() {
		return nil, naming.Sentence("framework.%s: it needs a transaction; a GET action has none, and an Untransacted function opens one by Call.InTx", function)
	}
	var found *resource
	for _, r := range a.resources {
		switch {
		case r.model != model:
		case r.path == c.Route.ViewSet:
			return r, nil
		case found == nil:
			found = r
		case !keepsAs(found, r):
			return nil, naming.Sentence("framework.%s: %s and %s keep %s in different ways; call it from one of them", function, found.path, r.path, model.Name())
		}
	}
	if found == nil {
		return nil, naming.Sentence("framework.%s: no viewset serves %s", function, model)
	}
	return found, nil
}

// keepsAs reports whether two viewsets of one model store its rows alike.
func keepsAs(r, other *resource) bool {
	owner := func(r *resource) *schema.Field {
		if r.scope.kind == scopeOwn {
			return r.scope.column
		}
		return nil
	}
	stored := func(r *resource) []string {
		if r.search == nil || r.search.storedField == nil {
			return nil
		}
		names := []string{r.search.storedField.Column.Name}
		for _, f := range r.search.searched {
			names = append(names, f.Column.Name)
		}
		return names
	}
	return owner(r) == owner(other) && slices.Equal(stored(r), stored(other))
}
