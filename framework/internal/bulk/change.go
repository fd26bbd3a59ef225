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
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rowset"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// ServePatch answers a PATCH: each item changes the row that has its key.
func (b *Bulk) ServePatch(c *call.Call, r *table.Request) (*table.Response, error) {
	read := b.reader(c, r, b.Change, b.withKey(), b.readKeys)
	return b.write(c, r, read, func(c *call.Call, items []*item, faults []problem.Fault) (*table.Response, error) {
		missing, err := b.find(c, r, items)
		if err != nil {
			return nil, err
		}
		if err := reject(c, items, slices.Concat(missing, faults)); err != nil {
			return nil, err
		}
		if err := b.change(c, items); err != nil {
			return nil, err
		}
		return b.answer(c, b.Change, items)
	})
}

// withKey are the names that PATCH only reads, and that of the key, which an item has beside its input.
func (b *Bulk) withKey() map[string]bool {
	known := maps.Clone(b.Change.ReadOnly)
	known[b.Key.Name] = true
	return known
}

// readKeys reads the keys of the rows that the items change. An item without a valid key has none. It returns a fault
// for each of them, and for each key of an earlier item.
func (b *Bulk) readKeys(items []*item) (faults []problem.Fault) {
	used := map[any]bool{}
	for _, one := range items {
		if len(one.in.Faults) > 0 && one.in.Faults[0].Pointer == "" { // it is no object
			continue
		}
		raw, given := one.in.ReadOnly[b.Key.Name]
		delete(one.in.ReadOnly, b.Key.Name)
		if !given {
			faults = append(faults, b.faultOf(one, "required", "is required"))
			continue
		}
		key, wrong := keyOf(raw, b.Key.Column)
		switch {
		case wrong != nil:
			faults = append(faults, b.faultOf(one, wrong.Code, wrong.Detail))
		case used[key]:
			faults = append(faults, b.faultOf(one, problem.CodeUnique, "is the key of an earlier item too"))
		default:
			one.key, used[key] = key, true
		}
	}
	return faults
}

func (b *Bulk) faultOf(one *item, code, detail string) problem.Fault {
	return problem.Fault{Pointer: one.Endpoint.BodyIn.Pointer(naming.PointerTo(b.Key.Name)), Code: code, Detail: detail}
}

// keyOf reads a key as JSON: a number for a whole number, and a string for any other. A value that no key has is a
// fault.
func keyOf(raw jsontext.Value, column *schema.Field) (any, *problem.Fault) {
	text, kind, words := string(raw), jsontext.KindString, "a string"
	if naming.IsInteger(column.IndirectType.Kind()) {
		kind, words = jsontext.KindNumber, "a whole number"
	}
	if raw.Kind() != kind || kind == jsontext.KindString && json.Unmarshal(raw, &text) != nil {
		return nil, &problem.Fault{Code: "type", Detail: "must be " + words}
	}
	key, ok := datatype.ParseKey(column.IndirectType, text)
	if !ok {
		return nil, &problem.Fault{Code: "format", Detail: "is not a key of such a row"}
	}
	return key, nil
}

// find reads and locks the rows of the items. It returns a fault for each item whose row does not exist or is out of
// scope. If the caller may see a row and not change it, the error is not_yours.
func (b *Bulk) find(c *call.Call, r *table.Request, items []*item) (faults []problem.Fault, err error) {
	found, err := b.locked(c, r, keysOf(items))
	if err != nil {
		return nil, err
	}
	for _, one := range items {
		if one.row = found.rows[one.key]; !one.row.IsValid() && one.key != nil && !found.again[one.key] {
			faults = append(faults, b.faultOf(one, problem.CodeInvalidReference, "refers to nothing that you may use"))
		}
	}
	return append(faults, b.repeated(items, found)...), b.notYours(c, r, items, found)
}

// repeated returns a fault for each item whose key is that of an earlier item in another spelling.
func (b *Bulk) repeated(items []*item, found lookup) (faults []problem.Fault) {
	for _, one := range items {
		if found.again[one.key] {
			faults = append(faults, b.faultOf(one, problem.CodeUnique, "is the key of an earlier item too"))
		}
	}
	return faults
}

// keysOf lists the keys of the items that have one.
func keysOf(items []*item) (keys []any) {
	for _, one := range items {
		if one.key != nil {
			keys = append(keys, one.key)
		}
	}
	return keys
}

// change changes the rows of the items, and stores those that differ by one statement. If a function of the program takes
// part, or slugs are renewed, it stores each row before it changes the next: a function may read or change other rows.
func (b *Bulk) change(c *call.Call, items []*item) error {
	if len(items) == 0 {
		return nil
	}
	each := b.Change.Fills() || b.Resource.Slug != nil && b.Resource.Slug.Renew
	var changed []*item
	written := map[*schema.Field]bool{}
	err := fill(c, items, func(one *item) error {
		columns, err := b.changeOne(c, one)
		if err != nil || len(columns) == 0 {
			return err
		}
		if each {
			return blame(b.Resource, []*item{one}, rowset.Update(c, b.Resource, []reflect.Value{one.row}, columns))
		}
		changed = append(changed, one)
		for _, column := range columns {
			written[column] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := rowset.Update(c, b.Resource, rowsOf(changed), b.columns(written)); err != nil {
		return blame(b.Resource, changed, err)
	}
	if err := fill(c, items, func(one *item) error { return one.Finish(c, one.row, one.in) }); err != nil {
		return err
	}
	return b.within(c, items)
}

// changeOne changes the row of an item, and returns the columns that differ then, without those that package rowset sets.
func (b *Bulk) changeOne(c *call.Call, one *item) ([]*schema.Field, error) {
	before := valuesOf(b.Resource, one.row)
	listed, err := one.ChangeRow(c, one.row, one.in)
	if err != nil {
		return nil, err
	}
	after, differ := valuesOf(b.Resource, one.row), map[*schema.Field]bool{}
	for i, f := range b.Resource.Table.Fields {
		differ[f] = slices.Contains(listed, f) && (before[i] != after[i])
	}
	return b.columns(differ), nil
}

// valuesOf are the values of a row as texts, by which values that the row points to are compared too.
func valuesOf(r *table.Resource, row reflect.Value) []string {
	values := make([]string, len(r.Table.Fields))
	for i, f := range r.Table.Fields {
		values[i] = string(f.AppendValue(r.API.DB.QueryGen(), nil, row.Elem()))
	}
	return values
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
	read := b.reader(c, r, b.Change, b.Change.ReadOnly, b.readNatural)
	return b.write(c, r, read, func(c *call.Call, items []*item, faults []problem.Fault) (*table.Response, error) {
		known, fresh, repeated, err := b.match(c, r, items)
		if err != nil {
			return nil, err
		}
		adding := b.adding(c)
		wrong, err := wrongReferences(adding, fresh)
		if err != nil {
			return nil, err
		}
		if err := reject(c, known, slices.Concat(faults, repeated, b.otherKeys(known), wrong)); err != nil {
			return nil, err
		}
		if err := b.replace(c, adding, known, fresh); err != nil {
			return nil, err
		}
		return b.answer(c, b.Change, items)
	})
}

// adding is the call of a request that creates rows: its scope, its references and its rules of fields are those of
// Create.
func (b *Bulk) adding(c *call.Call) *call.Call {
	as := *c
	as.Route = b.Create.Endpoint.Route
	return &as
}

// replace changes the rows of known items, and inserts those of new ones, if the caller may create rows.
func (b *Bulk) replace(c, adding *call.Call, known, fresh []*item) error {
	if len(fresh) > 0 {
		if err := b.Create.Endpoint.Permit(c); err != nil {
			return err
		}
	}
	if err := b.change(c, known); err != nil {
		return err
	}
	if err := b.insert(adding, fresh); err != nil {
		return err
	}
	return b.within(adding, fresh)
}

// readNatural reads the natural keys of the items. An item whose key has a fault has none. It returns a fault for each
// key of an earlier item.
func (b *Bulk) readNatural(items []*item) (faults []problem.Fault) {
	used := map[any]bool{}
	field := b.Change.Endpoint.Input.ByName[b.Key.Name]
	for _, one := range items {
		if !one.in.Has(b.Key.Name) || input.Faulty(one.in.Faults, naming.PointerTo(b.Key.Name)) {
			continue
		}
		key := reflect.Indirect(one.in.Value.FieldByIndex(field.Index)).Interface()
		if used[key] {
			faults = append(faults, b.faultOf(one, problem.CodeUnique, "is the key of an earlier item too"))
			continue
		}
		one.key, used[key] = key, true
	}
	return faults
}

// match finds the rows with the natural keys of the items, and divides the items into those of a row and new ones. It returns
// a fault for each item with the key of an earlier one.
func (b *Bulk) match(c *call.Call, r *table.Request, items []*item) (known, fresh []*item, faults []problem.Fault, err error) {
	if err := b.reserve(c, r, keysOf(items)); err != nil {
		return nil, nil, nil, err
	}
	found, err := b.locked(c, r, keysOf(items))
	if err != nil {
		return nil, nil, nil, err
	}
	for _, one := range items {
		if one.row = found.rows[one.key]; one.row.IsValid() {
			known = append(known, one)
		} else {
			one.Writing = b.Create.Item(one.at)
			fresh = append(fresh, one)
		}
	}
	return known, fresh, b.repeated(items, found), b.notYours(c, r, items, found)
}

// otherKeys returns a fault for each item that has another primary key than its row: a row keeps its key.
func (b *Bulk) otherKeys(known []*item) (faults []problem.Fault) {
	f := b.Change.PathKey
	if f == nil || b.Key.Column == b.Resource.Pk { // the database has found the row by this key
		return nil
	}
	for _, one := range known {
		if one.in.Has(f.Name) && one.in.Value.FieldByIndex(f.Index).String() != b.Resource.Pk.Value(one.row.Elem()).String() {
			faults = append(faults, problem.Fault{
				Pointer: one.Endpoint.BodyIn.Pointer(naming.PointerTo(f.Name)), Code: "key", Detail: "must be the key of the row, because a key cannot change",
			})
		}
	}
	return faults
}

// notYours returns the error not_yours, with a fault for each item, or 401 for an anonymous caller, if the caller sees
// the row of an item, which is not among those that the caller may change.
func (b *Bulk) notYours(c *call.Call, r *table.Request, items []*item, found lookup) error {
	missing := slices.DeleteFunc(keysOf(items), func(key any) bool { return found.rows[key].IsValid() })
	seen, err := b.seen(c, r, missing)
	if err != nil || len(seen) == 0 {
		return err
	}
	refusal := b.notYourRow(c)
	for _, one := range items {
		if one.key != nil && seen[one.key] {
			refusal.Faults = append(refusal.Faults, b.faultOf(one, problem.CodeForbidden, "is the key of a row that is not yours to change"))
		}
	}
	refusal.Faults = refusal.Faults[:min(len(refusal.Faults), input.MaxFaults)]
	return refusal
}
