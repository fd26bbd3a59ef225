package bulk

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/rowset"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// A Bulk answers the requests of one method at the path of a viewset for several rows.
type Bulk struct {
	Resource *table.Resource
	Endpoint verb.Handler
	Most     int           // rows in one request
	Create   *verb.Writing // makes new rows; nil for PATCH and DELETE
	Change   *verb.Writing // changes rows; nil for POST and DELETE
	Key      query.Field   // finds the row of an item that changes one; clients have its name
	Owned    bool          // Key is unique among the rows of an owner, and not among all rows
	Remove   verb.Handler  // of the verb Delete; for DELETE of items one by one
}

// An item is one item of a body.
type item struct {
	*verb.Writing

	at   int // its place in the body
	sent jsontext.Value
	in   *input.Decoded
	key  any           // of the row that it changes
	row  reflect.Value // a pointer to the model
}

// A reader decodes the items of a body and reads their keys, and returns the faults of the keys.
type reader func() ([]*item, []problem.Fault, error)

// reader returns the reader of a body whose items a verb writes. Members in known are kept as they were sent.
func (b *Bulk) reader(c *call.Call, r *table.Request, w *verb.Writing, known map[string]bool, keys func([]*item) []problem.Fault) reader {
	return func() (items []*item, faults []problem.Fault, err error) {
		parsing := b.Endpoint.Parse(c, r, func() { items, err = b.parse(r.Body, w, known) })
		if parsing != nil || err != nil {
			return nil, nil, cmp.Or(parsing, err)
		}
		return items, keys(items), nil
	}
}

// An action does the request of the items of a body.
type action func(c *call.Call, items []*item, faults []problem.Fault) (*table.Response, error)

// write answers a request by a function, in one transaction. The function gets the items and their faults. If it runs a
// second time, the items are decoded again, because functions of the program may have changed them.
func (b *Bulk) write(c *call.Call, r *table.Request, read reader, act action) (*table.Response, error) {
	items, faults, err := read()
	for _, one := range items {
		faults = append(faults, one.Faults(c, one.in)...)
	}
	ran := false
	return b.Endpoint.Write(c, r, err, false, func(c *call.Call) (*table.Response, error) {
		if ran {
			var err error
			if items, _, err = read(); err != nil {
				return nil, err
			}
		}
		ran = true
		if err := nested.Enter(c, b.Resource, r); err != nil {
			return nil, err
		}
		return act(c, items, faults)
	})
}

// tooMany is the fault of a request for too many rows.
func tooMany(count, most int) string {
	return fmt.Sprintf("must have at most %d items, and has %d", most, count)
}

func (b *Bulk) parse(body []byte, w *verb.Writing, known map[string]bool) (items []*item, err error) {
	elements, refusal := input.Elements(body, b.Most)
	if refusal != nil {
		return nil, refusal
	}
	for i, element := range elements {
		one, err := newItem(w, i, element, known)
		if err != nil {
			return nil, err
		}
		items = append(items, one)
	}
	return items, nil
}

// newItem decodes an item that a verb writes.
func newItem(w *verb.Writing, at int, sent jsontext.Value, known map[string]bool) (one *item, err error) {
	one = &item{Writing: w.Item(at), at: at, sent: sent}
	one.in, err = one.Decode(sent, known)
	return one, err
}

// reject returns the error of the faults of items and of their references that the caller may not use; nil without any.
func reject(c *call.Call, items []*item, faults []problem.Fault) error {
	wrong, err := wrongReferences(c, items)
	if err != nil {
		return err
	}
	return verb.Rejection(append(faults, wrong...))
}

// wrongReferences returns a fault for each reference of the items that the caller may not use.
func wrongReferences(c *call.Call, items []*item) ([]problem.Fault, error) {
	var refs []input.Reference
	for _, one := range items {
		refs = append(refs, one.References(one.in)...)
	}
	if len(refs) == 0 {
		return nil, nil
	}
	return items[0].Wrong(c, refs)
}

// fill runs a function for each item. The error has the faults of all items. An error without faults ends it, and so
// does any error if functions of the program take part: a statement of theirs may have failed, and with it the transaction.
func fill(c *call.Call, items []*item, fn func(*item) error) error {
	var all *problem.Error
	for _, one := range items {
		one.Begin(c, one.in)
		err := one.Placed(fn(one))
		refusal, ok := errors.AsType[*problem.Error](err)
		switch {
		case err == nil:
		case !ok || len(refusal.Faults) == 0 || one.Fills() || all != nil && all.Code != refusal.Code:
			return err
		case all == nil:
			first := *refusal
			all = &first
			all.Faults = slices.Clone(refusal.Faults)
		default:
			all.Faults = append(all.Faults, refusal.Faults...)
		}
	}
	if all == nil {
		return nil
	}
	all.Faults = all.Faults[:min(len(all.Faults), input.MaxFaults)]
	return all
}

// insert stores the rows of items that are new.
func (b *Bulk) insert(c *call.Call, items []*item) error {
	if len(items) == 0 {
		return nil
	}
	err := fill(c, items, func(one *item) (err error) {
		one.row, err = one.NewRow(c, one.in)
		return err
	})
	if err != nil {
		return err
	}
	if _, err := rowset.Insert(c, b.Resource, rowsOf(items)); err != nil {
		return blame(b.Resource, items, err)
	}
	return fill(c, items, func(one *item) error { return one.Finish(c, one.row, one.in) })
}

func rowsOf(items []*item) []reflect.Value {
	rows := make([]reflect.Value, len(items))
	for i, one := range items {
		rows[i] = one.row
	}
	return rows
}

// within returns the error forbidden if a written row is not in the Where scope of the caller.
func (b *Bulk) within(c *call.Call, items []*item) error {
	if b.Resource.Scope.Kind != declare.ScopeWhere || len(items) == 0 {
		return nil
	}
	keys := rowset.Keys(b.Resource, rowsOf(items))
	n, err := scan.Number(c, rowset.Among(b.Resource.Rows(c).ColumnExpr("count(*)"), b.Resource, keys))
	if err == nil && int(n) < len(keys) {
		err = problem.Forbidden()
	}
	return err
}

// answer is the answer with the rows, in the order of the items. Rows that a function may have changed are read again.
func (b *Bulk) answer(c *call.Call, w *verb.Writing, items []*item) (*table.Response, error) {
	resp := &table.Response{Status: b.Endpoint.Status}
	switch {
	case w.Silent():
		return resp, nil
	case len(items) == 0:
		resp.Value = jsontext.Value("[]")
		return resp, nil
	}
	rows := rowsOf(items)
	if list, ok := w.FromRows(c, rows); ok && (b.Change == nil || b.Create == nil || !b.Create.Fills()) {
		resp.Value = list
		return resp, nil
	}
	key := b.Resource.Pk.Name
	keys := sqldb.Texts(b.Resource.Table.Name, key, rowset.Keys(b.Resource, rows))
	q := c.DB.NewSelect().Model(bunmodel.NilModel(b.Resource.Model))
	q = q.Join("JOIN ? AS item ON ?TableAlias.? = item.value", keys, bun.Ident(key)).OrderExpr("item.n")
	shown, err := w.Shown.Write(c, q, scan.Window{})
	resp.Value = shown.List()
	return resp, err
}

// blame gives the error of a constraint its faults, at the item that broke it. It returns any other error
// unchanged.
func blame(r *table.Resource, items []*item, err error) error {
	of, which := rowset.RowError(r, err)
	if of == nil {
		return err
	}
	if len(items) == 1 {
		which = 0
	}
	of.OneOf = which < 0
	for i, one := range items {
		if i == which {
			return rowset.Blame(of, one.Endpoint.BodyIn.At, one.MemberOf)
		}
	}
	return of
}
