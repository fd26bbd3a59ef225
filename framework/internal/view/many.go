package view

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/sqldb"
)

// A planMany is a to-many relation. One statement loads it for all rows.
type planMany struct {
	index    []int         // of the slice in out
	join     int           // the number of the join of the row that has the relation, from 1; 0 for the row itself
	base     *schema.Field // of the row, which the keys of the owners equal
	foreign  *schema.Field // with the owner of each related row: of its table, or of the join table
	child    *Plan
	owned    Plan // child, and foreign
	compared Plan // child, and the key of the owner that joinOwners joins
	pointer  bool // the slice has pointers to structs
	relation *relation.Relation
	listOptions
}

// listOptions say which related rows a list has, and in which order.
type listOptions struct {
	order []ordering.Term // before the primary key
	limit int64           // for each owner; 0 is no limit
}

// addMany adds a list of related rows, or of one column of each. It sets the columns of the keys.
func (p *Plan) addMany(m planMany) {
	r := m.relation
	m.base, m.foreign = r.Schema.BasePKs[0], r.Schema.JoinPKs[0]
	if r.Schema.Type == schema.ManyToManyRelation {
		m.foreign = r.Schema.M2MBasePKs[0]
	}
	p.many = append(p.many, m.settled())
	if p.mask != nil && m.child.mask != nil {
		p.mask.Nest(m.index, m.child.mask)
	}
}

// settled returns the list with the plans that read its rows by their owners.
func (m planMany) settled() planMany {
	m.owned, m.compared = m.child.with(m.relation.Between().Alias, m.foreign.Name, m.foreign), m.child.with(ownerAlias, "value", m.base)
	return m
}

// with returns the plan that also reads the key of each row's owner, from a column of a table or of a subquery.
func (p *Plan) with(alias, column string, key *schema.Field) Plan {
	owned := *p
	if owned.columns != "" {
		owned.columns += ", "
	}
	owned.columns += naming.Quote(alias) + "." + naming.Quote(column)
	owned.many = append(slices.Clip(owned.many), planMany{base: key})
	return owned
}

// attach loads the children of all rows and adds each to its parent's list. A key is nil if the row has
// no related rows: its column is NULL, or it is in a row that is not there.
func (m planMany) attach(c *call.Call, out reflect.Value, keys []any) error {
	lists := map[any][]reflect.Value{}
	var once []any // the keys, each once
	for i, key := range keys {
		field, err := out.Index(i).FieldByIndexErr(m.index)
		if err != nil { // the row that would have the list is null
			continue
		}
		field.Set(reflect.MakeSlice(field.Type(), 0, 0))
		if lists[key] == nil && key != nil {
			once = append(once, key)
		}
		lists[key] = append(lists[key], field)
	}
	if len(once) == 0 {
		return nil
	}
	children, found, err := m.children(c, once)
	if err != nil {
		return err
	}
	for i, owner := range found {
		child := children.Index(i)
		if m.pointer {
			child = child.Addr()
		}
		for _, field := range lists[owner] {
			field.Set(reflect.Append(field, child))
		}
	}
	return nil
}

// children reads the related rows that the scope permits, in their order and with their own to-many
// relations. It also returns the key of each row's owner.
func (m planMany) children(c *call.Call, keys []any) (reflect.Value, []any, error) {
	out, all, err := m.read(c, m.owned, m.query(c, keys, false))
	if err == nil && isText(m.base, m.foreign) && mayDiffer(all[len(all)-1], keys) {
		out, all, err = m.read(c, m.compared, m.query(c, keys, true))
	}
	if err != nil {
		return reflect.Value{}, nil, err
	}
	for i, deeper := range m.child.many {
		if err := deeper.attach(c, out, all[i]); err != nil {
			return reflect.Value{}, nil, err
		}
	}
	return out, all[len(all)-1], nil
}

func (m planMany) read(c *call.Call, p Plan, q *bun.SelectQuery) (reflect.Value, [][]any, error) {
	found, err := c.Session().Read(c, q)
	if err != nil {
		return reflect.Value{}, nil, err
	}
	return p.Scan(c, found, scan.Window{})
}

// query is the statement that reads the related rows of the owners with the given keys. If the database compares the
// keys, it joins those of the owners.
func (m planMany) query(c *call.Call, keys []any, compared bool) *bun.SelectQuery {
	owner := bun.SafeQuery("?.?", bun.Ident(m.relation.Between().Alias), bun.Ident(m.foreign.Name))
	q := m.relation.JoinOwners(m.relation.Rows(c)).Where("? IN (?)", owner, sqldb.List(keys))
	if compared {
		return m.list(c, m.compared, joinOwners(q, m.relation.Between(), m.foreign, keys), bun.SafeQuery("?.n", bun.Ident(ownerAlias)))
	}
	return m.list(c, m.owned, q, owner)
}

// list selects the columns of a plan from related rows, in the order of the list: the first ones of each owner.
func (m planMany) list(c *call.Call, p Plan, q *bun.SelectQuery, owner schema.QueryAppender) *bun.SelectQuery {
	q = p.SelectFrom(c, q)
	order, terms := ordering.Bound{Key: m.relation.Base().PrimaryKey()}, slices.Clip(m.order)
	for _, key := range m.relation.Base().PrimaryKeys() {
		terms = append(terms, ordering.Term{Field: key})
	}
	if m.limit == 0 {
		return order.Apply(c, q, terms)
	}
	q = order.Join(c, q, terms).
		ColumnExpr("row_number() OVER (PARTITION BY ? ORDER BY ?) AS ?", owner, order.By(c, terms), bun.Ident(placeColumn))
	return c.DB.NewSelect().TableExpr("(?) AS listed", q).ColumnExpr("listed.*").
		Where("listed.? <= ?", bun.Ident(placeColumn), m.limit).
		OrderExpr("listed.?", bun.Ident(placeColumn))
}

// placeColumn is the place of a related row among those of its owner, from 1.
const placeColumn = "place of the row"
