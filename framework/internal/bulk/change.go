package bulk

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rowset"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/problem"
)

// ServePatch answers a PATCH: each item changes the row that has its key.
func (b *Bulk) ServePatch(c *call.Call, r *table.Request) (*table.Response, error) {
	known := maps.Clone(b.Change.ReadOnly)
	known[b.Key.Name] = true
	items, err := b.decode(c, r, b.Change, known, b.readKeys)
	return b.Endpoint.Write(c, r, err, false, func(c *call.Call) (*table.Response, error) {
		if err := b.enter(c, r); err != nil {
			return nil, err
		}
		faults, err := b.find(c, r, items)
		if err != nil {
			return nil, err
		}
		more, err := wrong(c, items)
		if err = firstOf(err, verb.Rejection(append(faults, more...))); err != nil {
			return nil, err
		}
		if err := b.change(c, items); err != nil {
			return nil, err
		}
		return b.answer(c, b.Change, items)
	})
}

// readKeys reads the keys of the rows that the items change. It returns a fault for each item without one, and for
// each key of an earlier item.
func (b *Bulk) readKeys(items []*item) (faults []problem.Fault) {
	used := map[any]bool{}
	for _, one := range items {
		if len(one.in.Faults) > 0 && one.in.Faults[0].Pointer == "" { // it is no object
			continue
		}
		raw, given := one.in.ReadOnly[b.Key.Name]
		delete(one.in.ReadOnly, b.Key.Name)
		var ok bool
		switch one.key, ok = keyOf(raw, b.Key.Column); {
		case !given:
			faults = append(faults, b.faultOf(one, "required", "is required"))
		case !ok:
			faults = append(faults, b.faultOf(one, problem.CodeInvalidReference, unknownKey))
		case used[one.key]:
			faults = append(faults, b.faultOf(one, problem.CodeUnique, "is the key of an earlier item too"))
		}
		used[one.key] = true
	}
	return faults
}

const unknownKey = "refers to nothing that you may use"

func (b *Bulk) faultOf(one *item, code, detail string) problem.Fault {
	return problem.Fault{Pointer: one.Endpoint.BodyIn.Pointer(naming.PointerTo(b.Key.Name)), Code: code, Detail: detail}
}

// keyOf reads a key as JSON: a number for a whole number, and a string for any other. It is false for a value that no
// key has.
func keyOf(raw jsontext.Value, column *schema.Field) (any, bool) {
	text, kind := string(raw), jsontext.KindString
	if naming.IsInteger(column.IndirectType.Kind()) {
		kind = jsontext.KindNumber
	}
	if raw.Kind() != kind || kind == jsontext.KindString && json.Unmarshal(raw, &text) != nil {
		return nil, false
	}
	return datatype.ParseKey(column.IndirectType, text)
}

// find reads and locks the rows of the items. It returns a fault for each item whose row does not exist or is out of
// scope. If the caller may see a row and not change it, the error is not_yours.
func (b *Bulk) find(c *call.Call, r *table.Request, items []*item) (faults []problem.Fault, err error) {
	rows, err := b.locked(c, r, keysOf(items))
	if err != nil {
		return nil, err
	}
	for _, one := range items {
		if one.row = rows[one.key]; !one.row.IsValid() {
			faults = append(faults, b.faultOf(one, problem.CodeInvalidReference, unknownKey))
		}
	}
	return faults, b.notYours(c, r, missing(items, rows))
}

func keysOf(items []*item) []any {
	keys := make([]any, len(items))
	for i, one := range items {
		keys[i] = one.key
	}
	return keys
}

// change changes the rows of the items, and stores those that differ by one statement.
func (b *Bulk) change(c *call.Call, items []*item) error {
	var changed []*item
	written := map[*schema.Field]bool{}
	err := fill(c, items, func(one *item) error {
		columns, err := one.ChangeRow(c, one.row, one.in)
		if len(columns) > 0 {
			changed = append(changed, one)
		}
		for _, column := range columns {
			written[column] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := rowset.Update(c, b.Resource, rowsOf(changed), b.columns(written)); err != nil {
		return broken(b.Resource, changed, err)
	}
	if err := fill(c, items, func(one *item) error { return one.Finish(c, one.row, one.in) }); err != nil {
		return err
	}
	return b.within(c, items)
}

// columns lists columns in the order of the table, without those that each change sets.
func (b *Bulk) columns(written map[*schema.Field]bool) (columns []*schema.Field) {
	for _, f := range b.Resource.Table.Fields {
		if written[f] && !slices.Contains(b.setAlways(), f) {
			columns = append(columns, f)
		}
	}
	return columns
}

// setAlways lists the columns that package rowset sets by itself.
func (b *Bulk) setAlways() []*schema.Field {
	r := b.Resource
	set := []*schema.Field{r.Updated, r.Table.FieldMap[r.Counts()]}
	if r.Search != nil && r.Search.StoredField != nil {
		set = append(set, r.Search.StoredField.Column)
	}
	if r.Slug != nil && r.Slug.Renew {
		set = append(set, r.Slug.Field.Column)
	}
	return set
}

// ServePut answers a PUT: each item replaces the row that has its natural key, or creates one.
func (b *Bulk) ServePut(c *call.Call, r *table.Request) (*table.Response, error) {
	items, err := b.decode(c, r, b.Change, b.Change.ReadOnly, b.readNatural)
	return b.Endpoint.Write(c, r, err, false, func(c *call.Call) (*table.Response, error) {
		if err := b.enter(c, r); err != nil {
			return nil, err
		}
		known, fresh, err := b.match(c, r, items)
		if err != nil {
			return nil, err
		}
		faults, err := wrong(c, items)
		if err = firstOf(err, verb.Rejection(faults)); err != nil {
			return nil, err
		}
		if err := b.mayAdd(c, fresh); err != nil {
			return nil, err
		}
		if err := firstOf(b.change(c, known), b.insert(c, fresh), b.within(c, fresh)); err != nil {
			return nil, err
		}
		return b.answer(c, b.Change, items)
	})
}

// readNatural reads the natural keys of the items. It returns a fault for each key of an earlier item.
func (b *Bulk) readNatural(items []*item) (faults []problem.Fault) {
	used := map[any]bool{}
	field := b.Change.Endpoint.Input.ByName[b.Key.Name]
	for _, one := range items {
		if one.key = reflect.Indirect(one.in.Value.FieldByIndex(field.Index)).Interface(); used[one.key] && len(one.in.Faults) == 0 {
			faults = append(faults, b.faultOf(one, problem.CodeUnique, "is the key of an earlier item too"))
		}
		used[one.key] = true
	}
	return faults
}

// match finds the rows with the natural keys of the items, and divides the items into those of a row and new ones.
func (b *Bulk) match(c *call.Call, r *table.Request, items []*item) (known, fresh []*item, err error) {
	rows, err := b.locked(c, r, keysOf(items))
	if err != nil {
		return nil, nil, err
	}
	if b.notYours(c, r, missing(items, rows)) != nil { // another request may have inserted them meanwhile
		later, err := b.locked(c, r, missing(items, rows))
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(rows, later)
		if err := b.notYours(c, r, missing(items, rows)); err != nil {
			return nil, nil, err
		}
	}
	for i, one := range items {
		if one.row = rows[one.key]; one.row.IsValid() {
			one.Writing = b.Change.Item(i)
			known = append(known, one)
		} else {
			one.Writing = b.Create.Item(i)
			fresh = append(fresh, one)
		}
	}
	return known, fresh, nil
}

// missing lists the keys of items that have no row.
func missing(items []*item, rows map[any]reflect.Value) (keys []any) {
	for _, one := range items {
		if !rows[one.key].IsValid() {
			keys = append(keys, one.key)
		}
	}
	return keys
}

// mayAdd returns an error if there are new rows and the caller may not create any.
func (b *Bulk) mayAdd(c *call.Call, fresh []*item) error {
	as := *c
	as.Route = b.Adding.Route
	switch {
	case len(fresh) == 0 || b.Adding.Permission.Permit(&as):
		return nil
	case c.Caller.Anonymous():
		return problem.Unauthenticated()
	}
	return problem.Forbidden()
}
