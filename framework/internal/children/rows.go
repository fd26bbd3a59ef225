package children

import (
	"reflect"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/rowset"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// A rowList sets the rows of a has-many relation.
type rowList struct {
	field    *input.Field
	relation *relation.Relation
	rows     *table.Resource // stores the rows
	target   *table.Resource // the viewset whose scope and Writers apply; nil if the rows are part of the row
	base     *schema.Field   // the parent's column that the rows refer to
	foreign  *schema.Field   // the rows' column that refers to the parent
	position *schema.Field   // the rows' column with their place; nil without one
	key      *input.Field    // nil if the items have no key
	// chosen: the key of the rows is the foreign key and another column, whose value the client chooses.
	chosen  bool
	columns []written
}

// A written is a field of an item and the column that it writes.
type written struct {
	field  *input.Field
	column *schema.Field
}

// bindRows binds a list of structs to a has-many relation.
func bindRows(r *table.Resource, f *input.Field, t tag, related *relation.Relation, fault func(error)) (list, error) {
	model := related.Schema.JoinTable
	switch {
	case t.column != "":
		return nil, naming.Sentence("%q leads to rows, and a list of structs sets all of their columns; write `to:%q`", t.relation+"."+t.column, t.relation)
	case t.create:
		return nil, naming.Sentence("the option create is for a many-to-many relation; items without a key are created here in any case")
	case f.Typ.Elem().Kind() != reflect.Struct || f.Nested == nil:
		return nil, naming.Sentence("%q leads to rows of %s; write a list of structs, not %s", t.relation, model.Type.Name(), f.Typ)
	}
	if err := checkRowKey(related); err != nil {
		return nil, err
	}
	l := &rowList{
		field: f, relation: related, rows: keeperOf(r, related), target: targetOf(related),
		base: related.Schema.BasePKs[0], foreign: related.Schema.JoinPKs[0], chosen: len(model.PKs) > 1,
	}
	if err := checkAbove(r, l.rows, l.target, l.foreign); err != nil {
		return nil, err
	}
	if err := l.bindPosition(t.position); err != nil {
		return nil, err
	}
	for _, group := range []modelhook.Group{modelhook.OfSelect(), modelhook.OfInsert(), modelhook.OfUpdate(), modelhook.OfDelete()} {
		group.Check(model.Type, fault)
	}
	l.bindColumns(fault)
	l.checkFields(fault)
	l.describe()
	return l, nil
}

// bindPosition finds the column with the places of the rows. Without a name there is none.
func (l *rowList) bindPosition(name string) error {
	if name == "" {
		return nil
	}
	column, err := l.relation.Base().Field(name)
	switch {
	case err != nil:
		return naming.Sentence("position: %w", err)
	case !naming.IsInteger(column.Type.Kind()):
		return naming.Sentence("position: %s is %s; the place of a row is an integer", column.GoName, column.Type)
	case column.Column == l.foreign:
		return naming.Sentence("position: %s is the key of the parent, which the framework sets; name another column", column.GoName)
	case column.Column == l.rows.Pk:
		return naming.Sentence("position: %s is a part of the key of %s, and a row keeps its key; name another column", column.GoName, l.rows.Model.Name())
	}
	l.position = column.Column
	return nil
}

// checkFields reports the columns of items that have a rule of fields.
func (l *rowList) checkFields(fault func(error)) {
	for _, column := range l.writes() {
		if err := checkRules(l.target, column, true); err != nil {
			fault(err)
		}
	}
}

// bindColumns matches each field of the items with the column of the same Go name.
func (l *rowList) bindColumns(fault func(error)) {
	for _, f := range l.field.Nested.Fields {
		column := bunmodel.ColumnOf(l.rows.Table, f.GoName)
		if column != nil && column == l.rows.Pk {
			if l.bindKey(f, fault); !l.chosen {
				continue
			}
		}
		if err := l.unwritable(f, column); err != nil {
			fault(err)
			continue
		}
		l.rows.Reserved.AddRules(f, column)
		l.columns = append(l.columns, written{f, column})
		CheckReference(l.rows, l.field.Nested.Typ, f, column, fault)
	}
	l.checkChosen(fault)
}

// unwritable returns the mistake of a field of the items, nil without one.
func (l *rowList) unwritable(f *input.Field, column *schema.Field) error {
	item, model := l.field.Nested.Typ, l.rows.Model.Name()
	switch {
	case f.To != "": // Nested reports it
		return nil
	case column == nil:
		return bunmodel.NoField(item.Name()+"."+f.GoName, f.GoName, l.rows.Table, model)
	case column == l.foreign:
		return naming.Sentence("%s.%s writes the key of the parent, which the framework sets; leave it out", item.Name(), f.GoName)
	case column == l.position:
		return naming.Sentence("%s.%s writes the position, which is the place in the list; leave it out", item.Name(), f.GoName)
	}
	if err := Unwritable(l.rows, item, f, column); err != nil {
		return err
	}
	return LeavesNone(item, f)
}

func (l *rowList) of() (*input.Field, string) { return l.field, l.relation.Name }

func (l *rowList) sought() string { return l.relation.Name + "." + l.foreign.Name }

func (l *rowList) codes() []string {
	codes := []string{problem.CodeReferenced}
	if len(l.rows.Owners()) > 0 || mayNarrow(l.target) {
		codes = append(codes, problem.CodeAuthenticationRequired)
	}
	if mayNarrow(l.target) {
		codes = append(codes, problem.CodeNotYours, problem.CodeForbidden)
	}
	return append(codes, constraintCodes(l.rows)...)
}

// constraintCodes lists the error codes of the constraints and the quota of a viewset.
func constraintCodes(r *table.Resource) (codes []string) {
	if r.Quota() != nil {
		codes = append(codes, problem.CodeQuotaExceeded)
	}
	for _, u := range r.Declaration.Uniques {
		codes = append(codes, u.Code)
	}
	for _, k := range r.Declaration.Checks {
		codes = append(codes, k.Code)
	}
	return codes
}

// A rowChange is what a request makes of the rows of a has-many relation.
type rowChange struct {
	*rowList

	at    string
	items []item
	gone  []reflect.Value // the stored rows that the list lacks
}

// An item is an item of the list.
type item struct {
	value  reflect.Value
	stored reflect.Value // a pointer to the stored row; not valid for a new one
}

// prepare finds the stored row of each item.
func (l *rowList) prepare(c *call.Call, parent reflect.Value, s sent) (change, []problem.Fault, error) {
	stored, err := l.stored(c, parent)
	if err != nil {
		return nil, nil, err
	}
	byKey := map[any]reflect.Value{}
	for _, row := range stored {
		byKey[l.rows.Pk.Value(row.Elem()).Interface()] = row
	}
	keys, err := l.keysIn(c, parent, byKey, s)
	if err != nil {
		return nil, nil, err
	}
	p := &rowChange{rowList: l, at: s.at}
	var faults []problem.Fault
	used := map[any]bool{}
	for i, key := range keys {
		one := item{value: s.value.Index(i)}
		if key != nil {
			pointer := pointerAt(s.at, i, l.key)
			one.stored = byKey[key]
			faulty := input.Faulty(s.faults, pointer)
			switch {
			case faulty:
			case used[key]:
				faults = append(faults, problem.Fault{Pointer: pointer, Code: "unique", Detail: "is the key of another item of the list too"})
			case !one.stored.IsValid() && !l.chosen:
				faults = append(faults, invalid(pointer))
			}
			used[key] = used[key] || !faulty
		}
		p.items = append(p.items, one)
	}
	for _, row := range stored {
		if !used[l.rows.Pk.Value(row.Elem()).Interface()] {
			p.gone = append(p.gone, row)
		}
	}
	return p, faults, nil
}

// stored reads the rows of a parent that the caller may see. In a transaction on PostgreSQL it locks
// them. A new parent has none.
func (l *rowList) stored(c *call.Call, parent reflect.Value) (rows []reflect.Value, err error) {
	if !parent.IsValid() {
		return nil, nil
	}
	found := reflect.New(reflect.SliceOf(reflect.PointerTo(l.rows.Model)))
	q := l.ofParent(c, parent).Model(found.Interface()).
		OrderExpr("?TableAlias.?", bun.Ident(l.rows.Pk.Name))
	if c.Session().InTx() {
		q = l.rows.API.DB.Kind().ForUpdate(q)
	}
	if _, err := scan.Models(c, q, scan.Window{}); err != nil {
		return nil, err
	}
	for i := range found.Elem().Len() {
		row := found.Elem().Index(i)
		cell.InUTC(l.rows.Pk.Value(row.Elem())) // as in items, so that equal keys are equal keys of a map
		rows = append(rows, row)
	}
	return rows, nil
}

// ofParent is a query of the rows of a parent that the caller may see.
func (l *rowList) ofParent(c *call.Call, parent reflect.Value) *bun.SelectQuery {
	return l.relation.Rows(c).Where("?TableAlias.? = ?", bun.Ident(l.foreign.Name), cell.Of(l.base, parent.Elem()))
}

// store deletes the rows that the list lacks, and then changes and inserts rows, each by one
// statement.
func (p *rowChange) store(c *call.Call, parent reflect.Value) error {
	p.follow(parent)
	changed, added, err := p.compare(c, parent)
	if err != nil {
		return err
	}
	if err := p.mayChange(c, changed.rows, call.VerbPatch); err != nil {
		return err
	}
	if err := p.mayChange(c, p.gone, call.VerbDelete); err != nil {
		return err
	}
	if err := rowset.Delete(c, p.rows, p.gone); err != nil {
		return err
	}
	if err := rowset.Update(c, p.rows, changed.rows, p.writes()); err != nil {
		return p.broken(changed, err)
	}
	keys, err := rowset.Insert(c, p.rows, added.rows)
	if err != nil {
		return p.broken(added, err)
	}
	return p.within(c, append(keys, rowset.Keys(p.rows, changed.rows)...))
}

// follow sets the foreign key of the stored rows, if it is a part of their key: if the request has
// changed the parent's column, ON UPDATE CASCADE has changed it in the database.
func (p *rowChange) follow(parent reflect.Value) {
	if !p.chosen {
		return
	}
	for _, row := range p.gone {
		p.join(parent, row)
	}
	for _, one := range p.items {
		if one.stored.IsValid() {
			p.join(parent, one.stored)
		}
	}
}

// join sets the foreign key of a row.
func (p *rowChange) join(parent, row reflect.Value) {
	key := reflect.Indirect(p.base.Value(parent.Elem())).Interface()
	p.foreign.Value(row.Elem()).Set(cell.Value(p.foreign, key))
}

// A batch has rows, as pointers to their model, and the index in the list of each.
type batch struct {
	rows    []reflect.Value
	indexes []int
}

func (b *batch) add(row reflect.Value, index int) {
	b.rows, b.indexes = append(b.rows, row), append(b.indexes, index)
}

// compare makes the rows of the items, and returns those that differ from the stored ones and those
// that are new.
func (p *rowChange) compare(c *call.Call, parent reflect.Value) (changed, added batch, err error) {
	for i, one := range p.items {
		row := p.rowOf(one)
		for _, w := range p.columns {
			w.column.Value(row.Elem()).Set(one.value.FieldByIndex(w.field.Index))
		}
		if p.position != nil {
			p.position.Value(row.Elem()).Set(cell.Value(p.position, convert(i+1, p.position)))
		}
		switch {
		case !one.stored.IsValid():
			p.join(parent, row)
			if err := store.Stamp(c, p.rows, row.Elem()); err != nil {
				return changed, added, err
			}
			added.add(row, i)
		case !p.same(one.stored.Elem(), row.Elem()):
			changed.add(row, i)
		}
	}
	return changed, added, nil
}

// rowOf returns a new row for an item, or a copy of its stored row.
func (p *rowChange) rowOf(one item) reflect.Value {
	if one.stored.IsValid() {
		return bunmodel.Copy(p.rows.Table, one.stored.Elem())
	}
	return bunmodel.New(p.rows.Table)
}

// convert returns a number in the type of a column.
func convert(n int, column *schema.Field) any {
	return reflect.ValueOf(n).Convert(column.IndirectType).Interface()
}

// writes lists the columns that the list writes.
func (l *rowList) writes() []*schema.Field {
	columns := make([]*schema.Field, 0, len(l.columns)+1)
	for _, w := range l.columns {
		columns = append(columns, w.column)
	}
	if l.position != nil {
		columns = append(columns, l.position)
	}
	return columns
}

// same reports whether two rows have the same values in the columns that the list writes.
func (l *rowList) same(a, b reflect.Value) bool {
	for _, column := range l.writes() {
		if !sameValue(column.Value(a), column.Value(b)) {
			return false
		}
	}
	return true
}

func sameValue(a, b reflect.Value) bool {
	if a.Kind() == reflect.Pointer {
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return sameValue(a.Elem(), b.Elem())
	}
	if t, ok := reflect.TypeAssert[time.Time](a); ok {
		return t.Equal(b.Interface().(time.Time))
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// mayChange returns the error not_yours if the caller may not change, or delete, one of the rows in
// their own viewset.
func (l *rowList) mayChange(c *call.Call, rows []reflect.Value, verb string) error {
	if len(rows) == 0 || !mayNarrow(l.target) {
		return nil
	}
	as := *c
	as.Route = call.Route{ViewSet: l.target.Path, Name: verb, Method: map[string]string{call.VerbPatch: "PATCH", call.VerbDelete: "DELETE"}[verb]}
	q := rowset.Among(l.target.Keys(c), l.target, rowset.Keys(l.rows, rows))
	l.target.Scope.Narrow(&as, q.QueryBuilder())
	l.target.Writers.Narrow(&as, q.QueryBuilder())
	found, err := c.Session().Read(c, q)
	switch {
	case err != nil:
		return err
	case found.Len() == len(rows):
		return nil
	case c.Caller.Anonymous() && l.target.Writers.Kind != declare.ScopeWhere:
		return problem.Unauthenticated()
	}
	return problem.NotYours()
}

// within returns the error forbidden if a written row is not in the scope of its own viewset.
func (l *rowList) within(c *call.Call, keys []any) error {
	if len(keys) == 0 || l.target == nil || l.target.Scope.Kind == declare.ScopePublic || l.target.Scope.Kind == declare.ScopeOwn {
		return nil
	}
	found, err := c.Session().Read(c, rowset.Among(l.target.ScopedKeys(c), l.target, keys))
	if err == nil && found.Len() < len(keys) {
		err = problem.Forbidden()
	}
	return err
}
