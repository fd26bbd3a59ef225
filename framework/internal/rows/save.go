package rows

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rowset"
	"trestle.example/framework/internal/rowslug"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
)

// Save implements [table.Rows].
func (a Functions) Save(c *call.Call, model reflect.Value) error {
	row := model.Elem()
	r, err := a.keeper(c, "Save", row.Type())
	if err != nil {
		return err
	}
	if r.SaveSkips != nil {
		return r.SaveSkips
	}
	if r.Updated != nil {
		r.Updated.Value(row).Set(cell.Value(r.Updated, c.Now))
	}
	if err := rowslug.Renew(c, r, row); err != nil {
		return err
	}
	store.Document(r, row)
	if given := state.Of(c).Progress.Given; given != nil && given.Row == model.Interface() {
		return store.Update(c, r, row, columnsToSave(given, r, row))
	}
	return store.Update(c, r, row, r.Table.DataFields)
}

// Insert implements [table.Rows].
func (a Functions) Insert(c *call.Call, model reflect.Value) error {
	row := model.Elem()
	r, err := a.keeper(c, "Insert", row.Type())
	if err != nil {
		return err
	}
	if r.InsertSkips != nil {
		return r.InsertSkips
	}
	if err := store.Stamp(c, r, row); err != nil {
		return err
	}
	if err := rowslug.Fill(c, r, row); err != nil {
		return err
	}
	store.Document(r, row)
	return store.Insert(c, r, model)
}

// Remove implements [table.Rows].
func (a Functions) Remove(c *call.Call, model reflect.Value) error {
	r, err := a.keeper(c, "Remove", model.Elem().Type())
	if err != nil {
		return err
	}
	stored, err := r.Present(c, model.Elem())
	if err != nil {
		return err
	}
	return rowset.Delete(c, r, []reflect.Value{stored})
}

// columnsToSave lists the columns that Save writes: those that differ from the row as it was
// read, and those that an earlier Save wrote, which may have their old value again. It notes
// them in g for the next Save.
func columnsToSave(g *state.GivenRow, r *table.Resource, row reflect.Value) []*schema.Field {
	for _, f := range store.Changed(r, g.Before, row) {
		if !slices.Contains(g.Saved, f) {
			g.Saved = append(g.Saved, f)
		}
	}
	return g.Saved
}

// NoteGiven notes the row that a function is about to receive, with a copy of its values: Save
// writes the columns that the function changes.
func NoteGiven(c *call.Call, r *table.Resource, m reflect.Value) {
	before := bunmodel.Copy(r.Table, m.Elem()).Elem()
	state.Of(c).Progress.Given = &state.GivenRow{Row: m.Interface(), Before: before}
}

// keeper finds the viewset that stores a model's rows: the viewset of the request if it serves
// the model, or else the first viewset of the model. It compares the viewsets of the model that
// were registered before that of the request, or all of them if that one does not serve the
// model. If they store rows in different ways, the error names two of them. It also returns an
// error outside of a transaction and without a viewset of the model.
func (a Functions) keeper(c *call.Call, function string, model reflect.Type) (*table.Resource, error) {
	if !c.Session().InTx() {
		return nil, naming.Sentence("framework.%s: it needs a transaction; a GET action has none, and functions that are Untransacted or of AfterCommit open one by Call.InTx", function)
	}
	var serving []*table.Resource
	for _, r := range a.Resources {
		switch {
		case r.Model != model:
		case r.Path == c.Route.ViewSet:
			return r, nil
		default:
			serving = append(serving, r)
		}
	}
	if len(serving) == 0 {
		return nil, naming.Sentence("framework.%s: no viewset serves %s", function, model)
	}
	for _, other := range serving[1:] {
		if first := serving[0]; !keepsAs(first, other) {
			return nil, naming.Sentence("framework.%s: %s and %s keep %s in different ways; call it from one of them", function, first.Path, other.Path, model.Name())
		}
	}
	return serving[0], nil
}

// keepsAs reports whether two viewsets of one model store its rows in the same way: with the
// same owners and the same search document.
func keepsAs(r, other *table.Resource) bool {
	stored := func(r *table.Resource) []string {
		if r.Search == nil || r.Search.StoredField == nil {
			return nil
		}
		names := []string{r.Search.StoredField.Column.Name}
		for _, f := range r.Search.Searched {
			names = append(names, f.Column.Name)
		}
		return names
	}
	return slices.Equal(r.Owners(), other.Owners()) && slices.Equal(stored(r), stored(other))
}
