package toggle

import (
	"cmp"
	"net/http"
	"reflect"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rowslug"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A Toggle is a relation of a viewset whose rows belong to callers. It does not change once it is
// bound.
type Toggle struct {
	Row    *schema.Field       // the column of the callers' rows that refers to the object
	Owner  *schema.Field       // the column of the callers' rows with the id of the caller
	Shown  scan.Representation // of the object in the answer; nil without an answer
	object *table.Resource
	base   *schema.Field   // the column of the object to which Row refers
	rows   *table.Resource // stores the callers' rows
}

// Table is the table of the callers' rows.
func (t *Toggle) Table() *schema.Table { return t.rows.Table }

// Refuses lists the error codes of a method about the caller's row: it violates a constraint, it is
// outside of its scope, or other rows refer to it.
func (t *Toggle) Refuses(method string) []string {
	codes := []string{problem.CodeUnique, problem.CodeConflict}
	switch {
	case method == http.MethodDelete:
		return []string{problem.CodeReferenced}
	case t.mayHide():
		codes = append(codes, problem.CodeForbidden)
	}
	if t.rows.Quota() != nil {
		codes = append(codes, problem.CodeQuotaExceeded)
	}
	return codes
}

// Run returns the function of the action for a method. PUT inserts the row of the caller, unless
// it exists. DELETE deletes it, if it exists. The caller is signed in.
func (t *Toggle) Run(method string) func(c *call.Call, object, in any) (any, error) {
	change := t.insert
	if method == http.MethodDelete {
		change = t.remove
	}
	return func(c *call.Call, object, _ any) (any, error) {
		row := reflect.ValueOf(object).Elem()
		if err := change(c, row); err != nil {
			return nil, err
		}
		if t.Shown == nil {
			return input.None{}, nil
		}
		shown, err := t.object.ShownByKey(c, t.Shown, t.object.Pk.Value(row).Interface())
		return shown.Value, err
	}
}

// insert inserts the caller's row of an object. Because of the unique index, a repeated or concurrent
// request inserts nothing.
func (t *Toggle) insert(c *call.Call, object reflect.Value) error {
	m := reflect.New(t.rows.Model)
	t.Row.Value(m.Elem()).Set(cell.Value(t.Row, t.base.Value(object).Interface()))
	t.Owner.Value(m.Elem()).Set(cell.Value(t.Owner, c.Caller.ID))
	if err := cmp.Or(store.Stamp(c, t.rows, m.Elem()), rowslug.Fill(c, t.rows, m.Elem())); err != nil {
		return err
	}
	store.Document(t.rows, m.Elem())
	switch err := t.store(c, m); {
	case fault.IsNotFound(err):
		return nil
	case err != nil:
		return store.OfRow(c, t.rows, m.Elem(), t.rows.Table.Fields, err)
	}
	if err := cmp.Or(store.AdmitStored(c, t.rows, m), t.within(c, m.Elem())); err != nil {
		return err
	}
	return t.record(c, table.Change{Verb: call.VerbCreate, After: m.Interface()}, m)
}

// mayHide reports whether the scope of the rows may leave out the caller's row of an object that the
// caller sees.
func (t *Toggle) mayHide() bool {
	if above := t.rows.Above; above != nil && above.Parent != t.object {
		return true
	}
	return t.rows.Scope.Kind == declare.ScopeVia || t.rows.Scope.Kind == declare.ScopeWhere
}

// within returns the error Forbidden if the caller does not see a new row: the caller could not
// delete it.
func (t *Toggle) within(c *call.Call, m reflect.Value) error {
	if !t.mayHide() {
		return nil
	}
	has, err := t.rows.Has(c, t.rows.Pk.Value(m).Interface())
	if err == nil && !has {
		err = problem.Forbidden()
	}
	return err
}

// store sends the INSERT of a row. If the caller has a row of the object, the error is NotFound.
func (t *Toggle) store(c *call.Call, m reflect.Value) error {
	q, back, names := store.Insertion(c, t.rows, m)
	q = q.On("CONFLICT (?, ?) DO NOTHING", bun.Ident(t.Row.Name), bun.Ident(t.Owner.Name))
	rows, err := c.Session().Query(c, q.Returning(strings.Join(append(names, naming.Quote(t.rows.Pk.Name)), ", ")))
	if err != nil {
		return err
	}
	return cell.One(rows, append(back, &cell.Scanner{Column: t.rows.Pk, Value: t.rows.Pk.Value(m.Elem())})...)
}

// remove deletes the caller's row of an object.
func (t *Toggle) remove(c *call.Call, object reflect.Value) error {
	own := func(q bun.QueryBuilder) bun.QueryBuilder {
		q = q.Where("?TableAlias.? = ?", bun.Ident(t.Row.Name), cell.Of(t.base, object)).
			Where("?TableAlias.? = ?", bun.Ident(t.Owner.Name), sqldb.Param(c.Caller.ID))
		t.rows.Scope.Narrow(t.rows.Looking(c), q)
		return q
	}
	q := c.DB.NewDelete().Model(bunmodel.NilModel(t.rows.Model)).ApplyQueryBuilder(own)
	m := reflect.New(t.rows.Model)
	var columns []string
	var cells []any
	for _, f := range t.rows.Table.Fields {
		columns, cells = append(columns, naming.Quote(f.Name)), append(cells, &cell.Scanner{Column: f, Value: f.Value(m.Elem())})
	}
	rows, err := c.Session().Query(c, q.Returning(strings.Join(columns, ", ")))
	if err == nil {
		err = cell.One(rows, cells...)
	}
	switch {
	case fault.IsNotFound(err):
		return nil
	case err != nil:
		return store.Referred(c, t.rows, t.rows.Keys(c).ApplyQueryBuilder(own), err)
	}
	return t.record(c, table.Change{Verb: call.VerbDelete, Before: m.Interface()}, m)
}

// record records a change of the caller's row.
func (t *Toggle) record(c *call.Call, change table.Change, m reflect.Value) error {
	change.ViewSet, change.Key = t.rows.Path, t.rows.Pk.Value(m.Elem()).Interface()
	return store.Record(c, t.rows, change)
}
