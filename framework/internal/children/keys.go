package children

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/rowset"
	"trestle.example/framework/internal/rule"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A keyList sets the links of a many-to-many relation.
type keyList struct {
	field    *input.Field
	relation *relation.Relation
	name     *schema.Field   // the targets' column that the items have
	key      *schema.Field   // the targets' column that the links have
	create   bool            // unknown items become targets
	targets  *table.Resource // stores new targets; nil without create
	links    *table.Resource // stores the links
}

// bindKeys binds a list of keys to a many-to-many relation.
func bindKeys(r *table.Resource, f *input.Field, t tag, related *relation.Relation, fault func(error)) (list, error) {
	l := &keyList{field: f, relation: related, key: related.Schema.JoinPKs[0], create: t.create}
	l.name = l.key
	switch {
	case f.Nested != nil:
		return nil, naming.Sentence("%q is a many-to-many relation; write a list of keys, or declare a has-many relation to %s and write a list of structs", t.relation, related.Schema.M2MTable.Type.Name())
	case t.position != "":
		return nil, naming.Sentence("the option position is for a list of structs; declare a has-many relation to %s, whose rows can have a position", related.Schema.M2MTable.Type.Name())
	case t.create && t.column == "":
		return nil, naming.Sentence("the option create needs a column that clients know, such as %q", t.relation+".name,create")
	case t.create && len(related.Schema.JoinTable.PKs) != 1:
		return nil, naming.Sentence("%s must have one primary key; it has %d", related.Schema.JoinTable.Type.Name(), len(related.Schema.JoinTable.PKs))
	}
	if t.column != "" {
		column, err := related.Base().Field(t.column)
		if err != nil {
			return nil, err
		}
		l.name = column.Column
	}
	if f.Typ.Elem() != l.name.IndirectType {
		return nil, naming.Sentence("the items are %s, but %s of %s is %s; give both one type", f.Typ.Elem(), l.name.GoName, related.Schema.JoinTable.Type.Name(), l.name.IndirectType)
	}
	if err := l.bindLinks(r, fault); err != nil {
		return nil, err
	}
	if t.create {
		l.targets = keeperOf(r, related)
		if err := cmp.Or(checkAbove(r, l.targets, targetOf(related), nil), checkRules(targetOf(related), l.name, true)); err != nil {
			return nil, err
		}
		l.targets.Reserved.AddRules(&input.Field{Value: f.Value.Elem}, l.name)
		modelhook.OfInsert().Check(l.targets.Model, fault)
	}
	f.Add(rule.Rule{Name: "unique"})
	l.describe()
	return l, nil
}

// bindLinks checks the model of the join table. It has the two keys, and nothing that only a list of
// structs could set.
func (l *keyList) bindLinks(r *table.Resource, fault func(error)) error {
	if err := checkRules(targetOf(l.relation), l.name, false); err != nil {
		return err
	}
	if t := l.name.IndirectType; !t.Comparable() {
		return naming.Sentence("%s is %s, whose values are not compared; take a column of text, numbers, times or UUIDs", l.name.GoName, t)
	}
	join := l.relation.Schema.M2MTable
	base, other := l.relation.Schema.M2MBasePKs[0], l.relation.Schema.M2MJoinPKs[0]
	key := base
	if len(join.PKs) > 0 {
		key = join.PKs[0]
	}
	if r.API.Histories[join.Name] != nil {
		return naming.Sentence("History records the changes of %s, and links have none; leave History out, or add and remove the rows by their viewset", join.Name)
	}
	l.links = unserved(r, l.relation.Name, join, key)
	for _, f := range join.Fields {
		if f != base && f != other && !f.IsPK && f != l.links.Created && f != l.links.Updated {
			return naming.Sentence("the join table %s has the column %s, which a list of keys cannot set; declare a has-many relation to %s and write a list of structs", join.Name, f.Name, join.Type.Name())
		}
	}
	r.Pairs = append(r.Pairs, table.Pair{Place: "links of " + strconv.Quote(l.relation.Name), Table: join, Keys: [2]*schema.Field{base, other}})
	modelhook.OfInsert().Check(join.Type, fault)
	modelhook.OfDelete().Check(join.Type, fault)
	return nil
}

// describe sets the sentence of the reference.
func (l *keyList) describe() {
	of := l.relation.Name
	if target := targetOf(l.relation); target != nil {
		of = target.Path
	}
	l.field.Sets = "The whole list: " + l.name.Name + " of each of " + of + " that the row has. The caller must be allowed to use them here."
	if l.create {
		l.field.Sets = "The whole list: " + l.name.Name + " of each of " + of + " that the row has. An unknown one is created."
	}
}

func (l *keyList) of() (*input.Field, string) { return l.field, l.relation.Name }

func (l *keyList) sought() string { return l.relation.Name + "." + l.name.Name }

func (l *keyList) codes() []string {
	all := []string{problem.CodeReferenced}
	if l.create {
		all = append(all, constraintCodes(l.targets)...)
		if len(l.targets.Owners()) > 0 {
			all = append(all, problem.CodeAuthenticationRequired)
		}
	}
	return all
}

// A keyChange is what a request makes of the links of a row.
type keyChange struct {
	*keyList

	at    string
	items []any
	found map[any]any // the target's key of each item that is known
}

// prepare finds the targets of the items.
func (l *keyList) prepare(c *call.Call, _ reflect.Value, s sent) (change, []problem.Fault, error) {
	p := &keyChange{keyList: l, at: s.at}
	for i := range s.value.Len() {
		if item := s.value.Index(i).Interface(); !input.Faulty(s.faults, p.pointer(i)) {
			p.items = append(p.items, item)
		}
	}
	found, err := l.find(c, p.items)
	if err != nil {
		return nil, nil, err
	}
	p.found = found
	if l.create {
		return p, nil, nil
	}
	return p, p.missing(s), nil
}

// missing returns a fault for each item without a target.
func (p *keyChange) missing(s sent) (faults []problem.Fault) {
	for i := range s.value.Len() {
		if _, known := p.found[s.value.Index(i).Interface()]; !known && !input.Faulty(s.faults, p.pointer(i)) {
			faults = append(faults, invalid(p.pointer(i)))
		}
	}
	return faults
}

func (p *keyChange) pointer(index int) string { return p.at + "/" + strconv.Itoa(index) }

// find returns the keys of the targets that some items name, those that the caller may see.
func (l *keyList) find(c *call.Call, items []any) (map[any]any, error) {
	found := map[any]any{}
	if len(items) == 0 {
		return found, nil
	}
	q := l.relation.Rows(c).ColumnExpr("?TableAlias.?, ?TableAlias.?", bun.Ident(l.name.Name), bun.Ident(l.key.Name)).
		Where("?TableAlias.? IN (?)", bun.Ident(l.name.Name), sqldb.List(items)).OrderExpr("?TableAlias.?", bun.Ident(l.key.Name))
	rows, err := relation.Values(c, l.links.API.Staying(c, l.relation.Schema.JoinTable.Name, q), l.name, l.key)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if _, first := found[row[0]]; !first {
			found[row[0]] = row[1]
		}
	}
	return found, l.findSpelled(c, items, found)
}

// findSpelled adds the items that the database compares as equal to the text of a target that was found.
func (l *keyList) findSpelled(c *call.Call, items []any, found map[any]any) error {
	unknown := slices.DeleteFunc(slices.Clone(items), func(item any) bool { _, known := found[item]; return known })
	if len(unknown) == 0 || !isText(l.name) {
		return nil
	}
	alike := resembling(unknown, slices.Collect(maps.Keys(found)))
	same, err := spellings(c, func() *bun.SelectQuery { return l.relation.Rows(c) }, l.name, alike)
	for item, name := range same {
		if key, known := found[name]; known {
			found[item] = key
		}
	}
	return err
}

// store creates targets, deletes the links that the list lacks, and inserts the new ones.
func (p *keyChange) store(c *call.Call, parent reflect.Value) error {
	if err := p.createTargets(c); err != nil {
		return err
	}
	linked, err := p.linked(c, parent)
	if err != nil {
		return err
	}
	var added []any
	for _, item := range p.items {
		if key := p.found[item]; !linked[key] && !slices.Contains(added, key) {
			added = append(added, key)
		}
	}
	for _, key := range p.found {
		delete(linked, key)
	}
	if _, err := p.unlink(c, parent, linked); err != nil {
		return err
	}
	_, err = p.link(c, parent, added)
	return err
}

// createTargets creates the targets that the caller does not see. Until the transaction ends, no
// other request creates targets of the same relation by a list.
func (p *keyChange) createTargets(c *call.Call) error {
	unknown := p.unknown()
	if len(unknown) == 0 {
		return nil
	}
	if err := c.Session().LockName(c, p.targets.Table.Name+" "+p.name.Name+" created"); err != nil {
		return err
	}
	again, err := p.find(c, unknown)
	if err != nil {
		return err
	}
	maps.Copy(p.found, again)
	var rows []reflect.Value
	unknown = p.unknown()
	slices.SortFunc(unknown, func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	for _, item := range unknown {
		row := reflect.New(p.targets.Model)
		p.name.Value(row.Elem()).Set(cell.Value(p.name, item))
		if err := store.Stamp(c, p.targets, row.Elem()); err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if _, err := rowset.Insert(c, p.targets, rows); err != nil {
		return p.broken(unknown, err)
	}
	return p.findCreated(c, unknown)
}

// unknown lists the items without a target, each once.
func (p *keyChange) unknown() (items []any) {
	for _, item := range p.items {
		if _, known := p.found[item]; !known && !slices.Contains(items, item) {
			items = append(items, item)
		}
	}
	return items
}

// findCreated finds the keys of created targets. A target that the caller does not see is a fault.
func (p *keyChange) findCreated(c *call.Call, items []any) error {
	created, err := p.find(c, items)
	if err != nil {
		return err
	}
	var faults []problem.Fault
	for i, item := range p.items {
		key, ok := created[item]
		switch {
		case !slices.Contains(items, item):
		case !ok:
			faults = append(faults, invalid(p.pointer(i)))
		default:
			p.found[item] = key
		}
	}
	if len(faults) > 0 {
		return problem.Invalid(faults...)
	}
	return nil
}

// base is the parent's column that the links refer to.
func (l *keyList) base() *schema.Field { return l.relation.Schema.BasePKs[0] }

// linked returns the keys of the targets that a row is linked to and that the caller may see.
func (l *keyList) linked(c *call.Call, parent reflect.Value) (map[any]bool, error) {
	mine, other := l.relation.Schema.M2MBasePKs[0], l.relation.Schema.M2MJoinPKs[0]
	q := c.DB.NewSelect().Model(bunmodel.NilModel(l.links.Model)).ColumnExpr("?TableAlias.?", bun.Ident(other.Name)).
		Where("?TableAlias.? = ?", bun.Ident(mine.Name), cell.Of(l.base(), parent.Elem()))
	if l.relation.Narrowed(c) || l.relation.Schema.JoinTable.SoftDeleteField != nil {
		q = q.Where("?TableAlias.? IN (?)", bun.Ident(other.Name), l.relation.Rows(c).ColumnExpr("?TableAlias.?", bun.Ident(l.key.Name)))
	}
	rows, err := relation.Values(c, q, other)
	if err != nil {
		return nil, err
	}
	linked := map[any]bool{}
	for _, row := range rows {
		linked[row[0]] = true
	}
	return linked, nil
}

// unlink deletes the links of a row to some targets by one statement, and reports whether there were any.
func (l *keyList) unlink(c *call.Call, parent reflect.Value, targets map[any]bool) (changed bool, err error) {
	if len(targets) == 0 {
		return false, nil
	}
	keys := make([]any, 0, len(targets))
	for key := range targets {
		keys = append(keys, key)
	}
	mine, other := l.relation.Schema.M2MBasePKs[0], l.relation.Schema.M2MJoinPKs[0]
	narrow := func(q bun.QueryBuilder) bun.QueryBuilder {
		return q.Where("?TableAlias.? = ?", bun.Ident(mine.Name), cell.Of(l.base(), parent.Elem())).
			Where("?TableAlias.? IN (?)", bun.Ident(other.Name), sqldb.List(keys))
	}
	result, err := c.Session().Exec(c, c.DB.NewDelete().Model(bunmodel.NilModel(l.links.Model)).ApplyQueryBuilder(narrow))
	if err != nil {
		return false, store.Referred(c, l.links, l.links.Keys(c).ApplyQueryBuilder(narrow), err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// link inserts the links of a row to some targets by one statement, and reports whether it inserted any.
// A link that another request has made meanwhile stays.
func (l *keyList) link(c *call.Call, parent reflect.Value, targets []any) (changed bool, err error) {
	if len(targets) == 0 {
		return false, nil
	}
	mine, other := l.relation.Schema.M2MBasePKs[0], l.relation.Schema.M2MJoinPKs[0]
	key := reflect.Indirect(l.base().Value(parent.Elem())).Interface()
	var rows []reflect.Value
	for _, target := range targets {
		row := reflect.New(l.links.Model)
		mine.Value(row.Elem()).Set(cell.Value(mine, key))
		other.Value(row.Elem()).Set(cell.Value(other, target))
		if err := store.Stamp(c, l.links, row.Elem()); err != nil {
			return false, err
		}
		rows = append(rows, row)
	}
	result, err := c.Session().Exec(c, rowset.Insertion{Table: l.links.Table, Rows: rows, End: bun.Safe(" ON CONFLICT DO NOTHING")})
	if of, _ := rowset.RowError(l.links, err); of != nil && l.field != nil {
		of.Faults = []problem.Fault{{Pointer: naming.PointerTo(l.field.Name), Code: problem.CodeInvalidReference, Detail: "refers to nothing"}}
		return false, of
	}
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// broken adds the faults of the body to an error of a constraint on a created target.
func (p *keyChange) broken(items []any, err error) error {
	of, which := rowset.RowError(p.targets, err)
	if of == nil {
		return err
	}
	if len(items) == 1 {
		which = 0
	}
	of.OneOf = which < 0
	pointer := p.at
	if which >= 0 {
		pointer = p.pointer(slices.Index(p.items, items[which]))
	}
	of.Faults = []problem.Fault{{Pointer: pointer, Code: problem.CodeUnique, Detail: "must be unique"}}
	return of
}
