package index

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/toggle"
	"trestle.example/framework/sqldb"
)

// Indexes lists the indexes that the declarations need, in order of registration. Each index
// is in the list once, with a name that no other one of the list has.
func (a Indexer) Indexes() []IndexNeed {
	var all []IndexNeed
	for _, r := range a.Resources {
		for _, need := range indexesOf(r) {
			all = joinNeed(all, need)
		}
	}
	giveNames(all, nil)
	return all
}

// An Indexer finds the indexes and columns that the declarations need and the database
// lacks. It also finds and fills the stored search documents. It reads the bound resources
// and not package spec, because only they have the columns of scopes, orders and filters.
type Indexer struct{ *table.Registry }

// NewIndexer makes the indexer of a registry.
func NewIndexer(a *table.Registry) Indexer { return Indexer{a} }

// joinNeed adds a need. If the list has an equal need, it adds only the entries of For to that
// need, and allows it a partial index only if both needs allow one.
func joinNeed(all []IndexNeed, n IndexNeed) []IndexNeed {
	for i, known := range all {
		if known.Table == n.Table && slices.Equal(known.Columns, n.Columns) && known.Unique == n.Unique && known.Search == n.Search &&
			known.equal == n.equal && known.sorted == n.sorted {
			all[i].For = naming.AddNew(known.For, n.For)
			all[i].Partial = known.Partial && n.Partial
			return all
		}
	}
	return append(all, n)
}

// An indexing collects the needs of one resource.
type indexing struct {
	*table.Resource
	needs []IndexNeed
	part  bool // the resource has only a part of the table's rows, for every caller
}

func newIndexing(r *table.Resource) *indexing {
	s := r.Scope
	return &indexing{Resource: r, part: s.Kind == declare.ScopeWhere && s.Unless == nil || r.Table.SoftDeleteField != nil}
}

func indexesOf(r *table.Resource) []IndexNeed {
	x := newIndexing(r)
	x.owner()
	x.quota()
	x.uniqueOnes()
	x.references()
	x.relations()
	x.listedRelations()
	x.related()
	x.toggles()
	x.pairs()
	x.paths()
	x.nested()
	if x.listed() {
		x.lists()
	}
	if r.Search != nil && r.Search.StoredField != nil {
		x.add(IndexNeed{Search: true}, "search", r.Search.StoredField.Column)
	}
	return x.needs
}

// add adds the need of an index on columns that statements compare with a value.
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
	n.Partial = n.Partial || x.part && n.Table == x.Table.Name
	if n.Unique && n.Table == x.Table.Name && !x.isSlug(n) { // a slug is never used again
		n.Where = present(x.Resource)
	}
	n.For = []string{x.Path + ": " + place}
	x.needs = append(x.needs, n)
}

// isSlug reports whether the only column of a need is that of the slug.
func (x *indexing) isSlug(n IndexNeed) bool {
	return x.Slug != nil && len(n.Columns) == 1 && n.Columns[0].Name == x.Slug.Field.Column.Name
}

// owned reports whether every statement reads only the rows of one owner. These rows are few,
// so filters and orders need no index of their own.
func (x *indexing) owned() bool {
	return x.Scope.Unless == nil && (x.Scope.Kind == declare.ScopeOwn || x.Scope.Kind == declare.ScopeVia)
}

// owner adds the index that finds the rows of a caller. For a single resource the index is
// unique. For a list with the scope Own, the index also has the columns of the default
// order, unless that order begins with a field in Unindexed.
func (x *indexing) owner() {
	owner := x.Scope.Column
	switch {
	case owner == nil:
	case x.Declaration.Single:
		x.add(IndexNeed{Unique: true}, "single", owner)
	case x.Scope.Kind == declare.ScopeOwn && x.Above == nil && x.listed() && (len(x.Ordering.Fallback) == 0 || x.indexable(x.Ordering.Fallback)):
		x.ordered("default order of a caller's own", owner, x.Ordering.Fallback)
	default:
		x.add(IndexNeed{}, "scope", owner)
	}
}

// quota adds the index that counts the rows of an owner. For an Own in the scope there is one already.
func (x *indexing) quota() {
	if q := x.Quota(); q != nil && x.Declaration.Quota.Rows > 0 && q.Owner() != x.Scope.Column {
		x.add(IndexNeed{}, "quota", q.Owner())
	}
}

// related adds, for each action of Related, the index on the other viewset's table that finds
// the rows of one object in their default order. Package bind has reported mistakes in these
// actions before.
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

// nested adds the index that finds the rows of one parent, in the default order if there is a list.
func (x *indexing) nested() {
	if x.Above == nil {
		return
	}
	if terms := x.Ordering.Fallback; x.listed() && (len(terms) == 0 || x.indexable(terms)) {
		x.ordered("list below "+x.Above.Parent.Path, x.Above.Column, terms)
		return
	}
	x.add(IndexNeed{}, "rows below "+x.Above.Parent.Path, x.Above.Column)
}

// toggles adds the unique index of each toggle: of the object and the caller. Package bind has
// reported mistakes in these actions before.
func (x *indexing) toggles() {
	for _, a := range x.Declaration.Actions {
		if a.Toggle == nil {
			continue
		}
		if t := toggle.Bind(x.Resource, a.Toggle, func(error) {}); t != nil {
			x.add(IndexNeed{Table: t.Table().Name, Unique: true}, "action "+strconv.Quote(a.Name), t.Row, t.Owner)
		}
	}
}

// pairs adds the unique index of each join table whose rows lists and actions of Links write. Without
// it, a repeated PUT of a link would add a second one.
func (x *indexing) pairs() {
	for _, p := range x.Pairs {
		x.add(IndexNeed{Table: p.Table.Name, Unique: true}, p.Place, p.Keys[:]...)
	}
}

// reached returns the need of an index that finds the rows with one value of a column in the
// default order.
func (x *indexing) reached(by *schema.Field) IndexNeed {
	if terms := x.Ordering.Fallback; len(terms) > 0 && !x.indexable(terms) {
		x.add(IndexNeed{}, "", by)
	} else {
		x.ordered("", by, terms)
	}
	return x.needs[0]
}

// listed reports whether the viewset has a list: that of its verb, or an action of Lists.
func (x *indexing) listed() bool { return len(x.orderings()) > 0 }

// orderings lists the orderings of the lists.
func (x *indexing) orderings() (all []*ordering.Bound) {
	for _, e := range x.Endpoints {
		if e.Ordering != nil && !slices.Contains(all, e.Ordering) {
			all = append(all, e.Ordering)
		}
	}
	return all
}

// unordered reports whether an order begins with a field in the viewset's Unindexed.
func (x *indexing) unordered(terms []ordering.Term) bool {
	return len(terms) > 0 && terms[0].Field.Related == nil && x.Unindexed[terms[0].Field.Column]
}

// indexable reports whether an index can have an order: its columns are those of the row itself.
func (x *indexing) indexable(terms []ordering.Term) bool {
	return len(terms) > 0 && !x.unordered(terms) && ordering.OfRow(terms)
}

func (x *indexing) uniqueOnes() {
	if x.Key != x.Pk {
		x.add(IndexNeed{Unique: true}, "lookup "+strconv.Quote(x.Declaration.Lookup), x.Key)
	}
	if x.Slug != nil && x.Slug.Field.Column != x.Key {
		x.add(IndexNeed{Unique: true}, "slug "+strconv.Quote(x.Slug.Field.Name), x.Slug.Field.Column)
	}
	for _, u := range x.Uniques {
		var columns []*schema.Field
		for _, name := range u.Fields {
			if f, err := x.Field(name); err == nil {
				columns = append(columns, f.Column)
			}
		}
		x.add(IndexNeed{Unique: true, Partial: true}, "unique "+strings.Join(u.Fields, ", "), columns...)
	}
}

// references adds an index for each foreign key, tagged ref, in the input of a verb. When a row is
// deleted, the database searches for the rows that refer to it.
func (x *indexing) references() {
	for _, v := range x.Declaration.Verbs {
		shape := x.Inputs[v.In]
		if shape == nil {
			continue
		}
		for _, f := range shape.Fields {
			if column := bunmodel.ColumnOf(x.Table, f.GoName); f.Ref != "" && column != nil {
				x.add(IndexNeed{}, "reference "+strconv.Quote(f.Name), column)
			}
		}
	}
}

// relations adds an index for the foreign key in each other table whose rows belong to a row
// of the resource.
func (x *indexing) relations() {
	for _, name := range slices.Sorted(maps.Keys(x.Table.Relations)) {
		relation := x.Table.Relations[name]
		if relation.Type == schema.HasManyRelation || relation.Type == schema.HasOneRelation {
			x.add(IndexNeed{Table: relation.JoinTable.Name}, "relation "+name, relation.JoinPKs...)
		}
	}
}

// lists adds the indexes for the orders and filters of a list, unless each caller lists only
// the rows of one owner, or of one parent.
func (x *indexing) lists() {
	if x.owned() || x.Above != nil {
		return
	}
	for _, o := range x.orderings() {
		ordersOf(o, x.order)
	}
	for _, s := range x.Sought {
		if s.Field.Related == nil && s.Field.Column != nil && !s.Scans && !x.Unindexed[s.Field.Column] {
			x.add(IndexNeed{}, s.Place, s.Field.Column)
		}
	}
}

// ordersOf passes each order of an ordering to use.
func ordersOf(o *ordering.Bound, use func(place string, terms []ordering.Term)) {
	use("default order", o.Fallback)
	for _, name := range o.Allowed {
		use("order "+strconv.Quote(name), []ordering.Term{{Field: o.AllowedFields[name]}})
	}
	for _, named := range o.Named {
		use("order "+strconv.Quote(named.Name), o.Orders[named.Name].Terms)
	}
}

func (x *indexing) order(place string, terms []ordering.Term) {
	if x.indexable(terms) {
		x.ordered(place, nil, terms)
	}
}

// ordered adds the index for an order of all rows. If of is not nil, the index is for the order
// of the rows with one value in this column. If the order does not name the primary key, the
// key comes last and its direction does not matter: few rows are equal in the other columns.
func (x *indexing) ordered(place string, of *schema.Field, terms []ordering.Term) {
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
	if of != x.Pk && !slices.ContainsFunc(terms, func(t ordering.Term) bool { return t.Field.Column == x.Pk }) {
		n.sorted--
	}
	straighten(n.Columns[n.equal:])
	x.put(n, place)
}

// straighten makes all columns ascending if an ascending index gives the same order, read
// forwards or backwards.
func straighten(columns []sqldb.IndexColumn) {
	plain := make([]sqldb.IndexColumn, len(columns))
	for i, c := range columns {
		plain[i].Name = c.Name
	}
	if sqldb.PostgreSQL.Sorts(plain, columns) { // PostgreSQL is the stricter database
		copy(columns, plain)
	}
}

// indexColumn returns the column of an index with the direction of a term of an order.
func indexColumn(t ordering.Term) sqldb.IndexColumn {
	return sqldb.IndexColumn{Name: t.Field.Column.Name, Descending: t.Descending, NullsFirst: t.Descending && !t.Field.Nullable}
}
