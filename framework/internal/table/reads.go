package table

import (
	"fmt"
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/state"
)

// Audited reports whether reads of the rows of a table are recorded.
func (a *Registry) Audited(t *schema.Table) bool { return a.Audits[t.Name] != "" }

// NoteRead notes that the answer of a call shows a row, by its primary key. Nothing is noted if reads of its table are not recorded.
// Package audit stores what is noted.
func (a *Registry) NoteRead(c *call.Call, t *schema.Table, key any) {
	if viewset := a.Audits[t.Name]; viewset != "" {
		p := state.Of(c).Progress
		p.Read = append(p.Read, state.ReadRow{ViewSet: viewset, Key: fmt.Sprint(key)})
	}
}

// NoteReadModel is NoteRead for a row of the viewset that was read as its model.
func (r *Resource) NoteReadModel(c *call.Call, row reflect.Value) {
	if r.API.Audited(r.Table) {
		r.API.NoteRead(c, r.Table, r.Pk.Value(row).Interface())
	}
}

// NoteCreated is NoteRead for the row that a function created and answers with.
func (e *Endpoint) NoteCreated(c *call.Call, out any) {
	if made := e.Creates; made != nil && made.Resource.Key == made.Resource.Pk {
		e.Resource.API.NoteRead(c, made.Resource.Table, reflect.ValueOf(out).FieldByIndex(made.Key).Interface())
	}
}

// TablesOf lists the tables whose columns a representation shows or needs.
func TablesOf(shown scan.Representation) (all []*schema.Table) {
	shown.ColumnsOf(func(t *schema.Table, _ ...*schema.Field) { all = append(all, t) })
	return all
}

// KeyText is the primary key of the row of the path, or of a deleted one, as entries of histories have it. If the row does not
// exist or is out of scope, the error is NotFound.
func (r *Resource) KeyText(c *call.Call, req *Request, deleted bool) (string, error) {
	object := r.Object(c, req)
	if deleted {
		object = r.Erased(c, req).Limit(1)
	}
	rows, err := c.Session().Query(c, object.ColumnExpr("?TableAlias.?", bun.Ident(r.Pk.Name)))
	if err != nil {
		return "", err
	}
	key := reflect.New(r.Pk.StructField.Type).Elem()
	err = cell.One(rows, &cell.Scanner{Column: r.Pk, Value: key})
	return fmt.Sprint(key.Interface()), err
}
