package framework

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/sqldb"
)

// indexes lists the indexes that the declarations need, each once, in order of registration.
func (a indexer) indexes() []IndexNeed {
	var all []IndexNeed
	for _, r := range a.resources {
		for _, need := range indexesOf(r) {
			all = joinNeed(all, need)
		}
	}
	return all
}

// An indexer compares what the declarations need of the database with what it has.
type indexer struct{ *registry }

// newIndexer makes the indexer of a registry.
func newIndexer(a *registry) indexer { return indexer{a} }

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
	*resource
	needs []IndexNeed
	part  bool // its rows are a part of the table's, for whoever asks
}

func newIndexing(r *resource) *indexing {
	s := r.scope
	return &indexing{resource: r, part: s.kind == scopeWhere && s.unless == nil || r.table.SoftDeleteField != nil}
}

func indexesOf(r *resource) []IndexNeed {
	x := newIndexing(r)
	x.owner()
	x.uniqueOnes()
	x.references()
	x.relations()
	x.related()
	if x.listed() {
		x.lists()
	}
	if r.search != nil && r.search.storedField != nil {
		x.add(IndexNeed{Search: true}, "search", r.search.storedField.Column)
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
		n.Table = x.table.Name
	}
	n.part = n.part || x.part && n.Table == x.table.Name
	n.For = []string{x.path + ": " + place}
	x.needs = append(x.needs, n)
}

// owned says that every statement is about the rows of one owner: what is
// looked for or put in order then is little.
func (x *indexing) owned() bool {
	return x.scope.unless == nil && (x.scope.kind == scopeOwn || x.scope.kind == scopeVia)
}

// owner is the way from a caller to its rows. Where they are listed, the
// default order may be had on the way.
func (x *indexing) owner() {
	owner := x.scope.column
	switch {
	case owner == nil:
	case x.declaration.single:
		x.add(IndexNeed{Unique: true}, "single", owner)
	case x.scope.kind == scopeOwn && x.listed() && !x.unordered(x.ordering.fallback):
		x.ordered("default order of a caller's own", owner, x.ordering.fallback)
	default:
		x.add(IndexNeed{}, "scope", owner)
	}
}

// related are the ways from a row to the rows of another viewset that refer to
// it, in that one's default order. What is wrong with them was told before.
func (x *indexing) related() {
	for _, a := range x.declaration.actions {
		if a.related == nil {
			continue
		}
		target, err := x.api.lookUp(a.related.viewset)
		if err != nil {
			continue
		}
		if field, err := target.Field(a.related.field); err == nil {
			n := newIndexing(target).reached(field.Column)
			n.For = []string{x.path + ": action " + strconv.Quote(a.name)}
			x.needs = append(x.needs, n)
		}
	}
}

// reached is the default order of the rows with one value of a column.
func (x *indexing) reached(by *schema.Field) IndexNeed {
	if terms := x.ordering.fallback; x.unordered(terms) {
		x.add(IndexNeed{}, "", by)
	} else {
		x.ordered("", by, terms)
	}
	return x.needs[0]
}

func (x *indexing) listed() bool { return x.declaration.verbs.get(verbList).kind != verbAbsent }

// unordered tells whether an order begins with a field that is to have no index.
func (x *indexing) unordered(terms []orderTerm) bool {
	return len(terms) > 0 && x.unindexed[terms[0].field.Column]
}

func (x *indexing) uniqueOnes() {
	if x.key != x.pk {
		x.add(IndexNeed{Unique: true}, "lookup "+strconv.Quote(x.declaration.lookup), x.key)
	}
	for _, u := range x.uniques {
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
	for _, v := range x.declaration.verbs {
		shape := x.inputs[v.in]
		if shape == nil {
			continue
		}
		for _, f := range shape.Fields {
			if column := columnOf(x.table, f.GoName); f.Ref != "" && column != nil {
				x.add(IndexNeed{}, "reference "+strconv.Quote(f.Name), column)
			}
		}
	}
}

// relations are the columns of other tables that lead back to a row.
func (x *indexing) relations() {
	for _, name := range slices.Sorted(maps.Keys(x.table.Relations)) {
		relation := x.table.Relations[name]
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
	x.order("default order", x.ordering.fallback)
	for _, name := range x.ordering.Allowed {
		x.order("order "+strconv.Quote(name), []orderTerm{{field: x.ordering.allowedFields[name]}})
	}
	for _, named := range x.ordering.Named {
		x.order("order "+strconv.Quote(named.Name), x.ordering.orders[named.Name].terms)
	}
	for _, s := range x.sought {
		if !x.unindexed[s.field.Column] {
			x.add(IndexNeed{}, s.place, s.field.Column)
		}
	}
}

func (x *indexing) order(place string, terms []orderTerm) {
	if len(terms) > 0 && !x.unordered(terms) {
		x.ordered(place, nil, terms)
	}
}

// ordered is an order of all rows or, behind the column of an owner or of a
// reference, of those with one value. The direction of a primary key that the
// order does not name is left open: among equals there is little to sort.
func (x *indexing) ordered(place string, of *schema.Field, terms []orderTerm) {
	var n IndexNeed
	if of != nil {
		n.equal, n.Columns = 1, []sqldb.IndexColumn{{Name: of.Name}}
	}
	for _, t := range x.ordering.settled(terms) {
		if t.field.Column != of {
			n.Columns = append(n.Columns, indexColumn(t))
		}
	}
	n.sorted = len(n.Columns) - n.equal
	if of != x.pk && !slices.ContainsFunc(terms, func(t orderTerm) bool { return t.field.Column == x.pk }) {
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
func indexColumn(t orderTerm) sqldb.IndexColumn {
	return sqldb.IndexColumn{Name: t.field.Column.Name, Descending: t.descending, NullsFirst: t.descending && !t.field.Nullable}
}
