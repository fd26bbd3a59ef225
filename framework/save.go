package framework

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
)

// Save writes a row back for a function that changed it: the columns that
// changed, the time of change, and the stored search document. The row is the
// one that the function was given, or one that it read within its transaction,
// of which every column is written. Save does not look at the scope. It needs
// a transaction, so a GET action cannot call it; a row that is gone is not
// found; a model that no viewset serves is an error, and so is one with a hook
// of bun that would not run, such as BeforeUpdate.
func Save[M any](c *Call, m *M) error {
	r, err := c.keeper("Save", reflect.TypeFor[M]())
	if err != nil {
		return err
	}
	if r.saveSkips != nil {
		return r.saveSkips
	}
	row := reflect.ValueOf(m).Elem()
	if r.updated != nil {
		r.updated.Value(row).Set(timeValue(r.updated, c.Now))
	}
	r.document(row)
	if c.given != nil && c.given.row == any(m) {
		return r.store(c, row, c.given.columns(r, row))
	}
	return r.store(c, row, r.table.DataFields)
}

// Insert stores a new row for a function, as Create does: with a key, its
// times, the caller as owner where the viewset's scope is Own, and the stored
// search document. A key or an owner that is set already stays. It needs a
// transaction; a model that no viewset serves is an error, and so is one with a
// hook of bun that would not run, such as BeforeInsert.
func Insert[M any](c *Call, m *M) error {
	r, err := c.keeper("Insert", reflect.TypeFor[M]())
	if err != nil {
		return err
	}
	if r.insertSkips != nil {
		return r.insertSkips
	}
	row := reflect.ValueOf(m)
	if err := r.stamp(c, row.Elem()); err != nil {
		return err
	}
	r.document(row.Elem())
	return r.insert(c, row)
}

// A givenRow is the row that a function was given, how it was read, and the
// columns that were saved since.
type givenRow struct {
	row    any
	before reflect.Value
	saved  []*schema.Field
}

// columns are those to write: what differs from what was read, and what an
// earlier Save wrote, which may have changed back.
func (g *givenRow) columns(r *resource, row reflect.Value) []*schema.Field {
	for _, f := range r.changed(g.before, row) {
		if !slices.Contains(g.saved, f) {
			g.saved = append(g.saved, f)
		}
	}
	return g.saved
}

// give remembers the row that a function is about to be given.
func (c *Call) give(m reflect.Value) {
	before := reflect.New(m.Type().Elem()).Elem()
	before.Set(m.Elem())
	c.given = &givenRow{row: m.Interface(), before: before}
}

// keeper finds the viewset that keeps a model's rows: the one that the request
// is for, or the only one that stamps owners or stores a search document as it
// does.
func (c *Call) keeper(function string, model reflect.Type) (*resource, error) {
	if !c.session.InTx() {
		return nil, naming.Sentence("framework.%s: it needs a transaction; a GET action has none, and an Untransacted function opens one by Call.InTx", function)
	}
	var found *resource
	for _, r := range c.api.resources {
		switch {
		case r.model != model:
		case r.path == c.Route.ViewSet:
			return r, nil
		case found == nil:
			found = r
		case !found.keepsAs(r):
			return nil, naming.Sentence("framework.%s: %s and %s keep %s in different ways; call it from one of them", function, found.path, r.path, model.Name())
		}
	}
	if found == nil {
		return nil, naming.Sentence("framework.%s: no viewset serves %s", function, model)
	}
	return found, nil
}

// keepsAs reports whether two viewsets of one model store its rows alike.
func (r *resource) keepsAs(other *resource) bool {
	owner := func(r *resource) *schema.Field {
		if r.scope.kind == scopeOwn {
			return r.scope.column
		}
		return nil
	}
	stored := func(r *resource) []string {
		if r.search == nil || r.search.stored == nil {
			return nil
		}
		names := []string{r.search.stored.column.Name}
		for _, f := range r.search.fields {
			names = append(names, f.column.Name)
		}
		return names
	}
	return owner(r) == owner(other) && slices.Equal(stored(r), stored(other))
}
