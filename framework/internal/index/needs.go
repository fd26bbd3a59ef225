package index

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun/schema"
	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/sqldb"
)

// Indexes lists the indexes that the declarations need, each once, in order of registration.
func (a Indexer) Indexes() []IndexNeed {
	var all []IndexNeed
	for _, r := range a.Resources {
		for _, need := range indexesOf(r) {
			all = joinNeed(all, need)
		}
	}
	return all
}

// An Indexer compares what the declarations need of the database with what it has.
type Indexer struct{ *table.Registry }

// NewIndexer makes the indexer of a registry.
func NewIndexer(a *table.Registry) Indexer { return Indexer{a} }

// joinNeed adds a need, or its reason to one that is the same.
func joinNeed(all []IndexNeed, n IndexNeed) []IndexNeed {
	for i, known := range all {
		if known.Table == n.Table && slices.Equal(known.Columns, n.Columns) && known.Unique == n.Unique && known.Search == n.Search &&
			known.equal == n.equal && known.sorted == n.sorted {
			all[i].For = naming.AddNew(known.For, n.For)
			all[i].part = known.part && n.part
			return all
		}
	}
	return append(all, n)
}

// An indexing collects what one resource needs.
type indexing struct {
	*table.Resource
	needs []IndexNeed
	part  bool // its rows are a part of the table's, for whoever asks
}

func newIndexing(r *table.Resource) *indexing {
	s := r.Scope
	return &indexing{Resource: r, part: s.Kind == declare.ScopeWhere && s.Unless == nil || r.Table.SoftDeleteField != nil}
}

func indexesOf(r *table.Resource) []IndexNeed {
	x := newIndexing(r)
	x.owner()
	x.uniqueOnes()
	x.references()
	x.relations()
	x.related()
	if x.listed() {
		x.lists()
	}
	if r.Search != nil && r.Search.StoredField != nil {
		x.add(IndexNeed{Search: true}, "search", r.Search.StoredField.Column)
	}
	return x.needs
}

// add is a need of columns that are compared.
func (x *indexing) add(n IndexNeed, place string, columns ...*schema.Field) {
	for _, c := range columns {
		n.Columns = append(n.Columns, sqldb.IndexColumn{Name: c.Name})
	}
	n.equal = len(n.Columns)
	x.put(n, place)
}

func (x *indexing) put(n IndexNeed, place string) {
	if n.Table == "" {
		n.Table = x.Table.Name
	}
	n.part = n.part || x.part && n.Table == x.Table.Name
	n.For = []string{x.Path + ": " + place}
	x.needs = append(x.needs, n)
}

// owned says that every statement is about the rows of one owner: what is
// looked for or put in order then is little.
func (x *indexing) owned() bool {
	return x.Scope.Unless == nil && (x.Scope.Kind == declare.ScopeOwn || x.Scope.Kind == declare.ScopeVia)
}

// owner is the way from a caller to its rows. Where they are listed, the
// default order may be had on the way.
func (x *indexing) owner() {
	owner := x.Scope.Column
	switch {
	case owner == nil:
	case x.Declaration.Single:
		x.add(IndexNeed{Unique: true}, "single", owner)
	case x.Scope.Kind == declare.ScopeOwn && x.listed() && !x.unordered(x.Ordering.Fallback):
		x.ordered("default order of a caller's own", owner, x.Ordering.Fallback)
	default:
		x.add(IndexNeed{}, "scope", owner)
	}
}

// related are the ways from a row to the rows of another viewset that refer to
// it, in that one's default order. What is wrong with them was told before.
func (x *indexing) related() {
	for _, a := range x.Declaration.Actions {
		if a.Related == nil {
			continue
		}
		target, err := x.API.LookUp(a.Related.Viewset)
		if err != nil {
			continue
		}
		if field, err := target.Field(a.Related.Field); err == nil {
			n := newIndexing(target).reached(field.Column)
			n.For = []string{x.Path + ": action " + strconv.Quote(a.Name)}
			x.needs = append(x.needs, n)
		}
	}
}

// reached is the default order of the rows with one value of a column.
func (x *indexing) reached(by *schema.Field) IndexNeed {
	if terms := x.Ordering.Fallback; x.unordered(terms) {
		x.add(IndexNeed{}, "", by)
	} else {
		x.ordered("", by, terms)
	}
	return x.needs[0]
}

func (x *indexing) listed() bool {
	return x.Declaration.Verbs.Get(call.VerbList).Kind != declare.VerbAbsent
}

// unordered tells whether an order begins with a field that is to have no index.
func (x *indexing) unordered(terms []table.OrderTerm) bool {
	return len(terms) > 0 && x.Unindexed[terms[0].Field.Column]
}

func (x *indexing) uniqueOnes() {
	if x.Key != x.Pk {
		x.add(IndexNeed{Unique: true}, "lookup "+strconv.Quote(x.Declaration.Lookup), x.Key)
	}
	for _, u := range x.Uniques {
		var columns []*schema.Field
		for _, name := range u.Fields {
			if f, err := x.Field(name); err == nil {
				columns = append(columns, f.Column)
			}
		}
		x.add(IndexNeed{Unique: true, part: true}, "unique "+strings.Join(u.Fields, ", "), columns...)
	}
}

// references are the foreign keys that clients write. The rows that they lead
// to cannot be deleted without looking for them.
func (x *indexing) references() {
	for _, v := range x.Declaration.Verbs {
		shape := x.Inputs[v.In]
		if shape == nil {
			continue
		}
		for _, f := range shape.Fields {
			if column := table.ColumnOf(x.Table, f.GoName); f.Ref != "" && column != nil {
				x.add(IndexNeed{}, "reference "+strconv.Quote(f.Name), column)
			}
		}
	}
}

// relations are the columns of other tables that lead back to a row.
func (x *indexing) relations() {
	for _, name := range slices.Sorted(maps.Keys(x.Table.Relations)) {
		relation := x.Table.Relations[name]
		if relation.Type == schema.HasManyRelation || relation.Type == schema.HasOneRelation {
			x.add(IndexNeed{Table: relation.JoinTable.Name}, "relation "+name, relation.JoinPKs...)
		}
	}
}

// lists are the orders and filters of the list, but for rows of one owner.
func (x *indexing) lists() {
	if x.owned() {
		return
	}
	x.order("default order", x.Ordering.Fallback)
	for _, name := range x.Ordering.Allowed {
		x.order("order "+strconv.Quote(name), []table.OrderTerm{{Field: x.Ordering.AllowedFields[name]}})
	}
	for _, named := range x.Ordering.Named {
		x.order("order "+strconv.Quote(named.Name), x.Ordering.Orders[named.Name].Terms)
	}
	for _, s := range x.Sought {
		if !x.Unindexed[s.Field.Column] {
			x.add(IndexNeed{}, s.Place, s.Field.Column)
		}
	}
}

func (x *indexing) order(place string, terms []table.OrderTerm) {
	if len(terms) > 0 && !x.unordered(terms) {
		x.ordered(place, nil, terms)
	}
}

// ordered is an order of all rows or, behind the column of an owner or of a
// reference, of those with one value. The direction of a primary key that the
// order does not name is left open: among equals there is little to sort.
func (x *indexing) ordered(place string, of *schema.Field, terms []table.OrderTerm) {
	var n IndexNeed
	if of != nil {
		n.equal, n.Columns = 1, []sqldb.IndexColumn{{Name: of.Name}}
	}
	for _, t := range x.Ordering.Settled(terms) {
		if t.Field.Column != of {
			n.Columns = append(n.Columns, indexColumn(t))
		}
	}
	n.sorted = len(n.Columns) - n.equal
	if of != x.Pk && !slices.ContainsFunc(terms, func(t table.OrderTerm) bool { return t.Field.Column == x.Pk }) {
		n.sorted--
	}
	straighten(n.Columns[n.equal : n.equal+n.sorted])
	x.put(n, place)
}

// straighten writes columns that all go one way as ascending ones.
func straighten(asked []sqldb.IndexColumn) {
	plain := make([]sqldb.IndexColumn, len(asked))
	for i, c := range asked {
		plain[i].Name = c.Name
	}
	if sqldb.PostgreSQL.Sorts(plain, asked) { // the stricter of both
		copy(asked, plain)
	}
}

// indexColumn is the column of an index that comes in the order of the term.
func indexColumn(t table.OrderTerm) sqldb.IndexColumn {
	return sqldb.IndexColumn{Name: t.Field.Column.Name, Descending: t.Descending, NullsFirst: t.Descending && !t.Field.Nullable}
}
