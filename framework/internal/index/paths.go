package index

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/relation"
)

// listedRelations adds, for each many-to-many relation that the viewset lists, the indexes of
// the join table for both directions. For a relation to one row that is not by its primary key, it
// adds a unique index: two related rows would list a row twice.
func (x *indexing) listedRelations() {
	for _, r := range x.Relations.All() {
		place, joined := "relation "+strconv.Quote(r.Name), r.Schema.JoinTable
		switch r.Schema.Type {
		case schema.HasOneRelation, schema.BelongsToRelation:
			if !slices.Equal(joined.PKs, r.Schema.JoinPKs) {
				x.add(IndexNeed{Table: joined.Name, Unique: true, Partial: joined.SoftDeleteField != nil}, place, r.Schema.JoinPKs...)
			}
		case schema.ManyToManyRelation:
			x.add(IndexNeed{Table: r.Schema.M2MTable.Name}, place, r.Schema.M2MBasePKs...)
			x.add(IndexNeed{Table: r.Schema.M2MTable.Name}, place, r.Schema.M2MJoinPKs...)
		}
	}
}

// paths adds the indexes of the fields of related rows that filters find rows by: the column, and
// the columns that lead to it. Only the columns that lead there help a filter that scans.
func (x *indexing) paths() {
	for _, s := range x.Sought {
		path := relation.PathOf(s.Field)
		if path == nil {
			continue
		}
		if s.Field.Column != nil && !s.Scans && !x.Accepts(s.Field) {
			x.onTable(path[len(path)-1].Schema.JoinTable, s.Place, s.Field.Column)
		}
		for i, r := range path {
			x.step(s.Place, r, i == 0 && x.owned())
		}
	}
}

// step adds the indexes that find the rows of a relation's base by a related row. few reports that
// a statement reads few rows of the base, which need no index.
func (x *indexing) step(place string, r *relation.Relation, few bool) {
	if base := r.Schema.BasePKs[0]; r.Schema.Type == schema.BelongsToRelation && !few && !x.Unindexed[base] {
		x.onTable(r.Holder(), place, base)
	}
	if joined := r.Schema.JoinPKs[0]; r.Schema.Type != schema.ManyToManyRelation {
		x.onTable(r.Schema.JoinTable, place, joined)
	}
}

// onTable adds the need of an index on a column of a table, unless the column is its primary key.
func (x *indexing) onTable(of *schema.Table, place string, column *schema.Field) {
	if len(of.PKs) == 1 && of.PKs[0] == column {
		return
	}
	x.add(IndexNeed{Table: of.Name, Partial: of.SoftDeleteField != nil}, place, column)
}

// Unserved lists the orders and searches that no index of [Indexer.Indexes] can serve, in order of
// registration: those over columns of related rows, and over expressions.
func (a Indexer) Unserved() (all []string) {
	for _, r := range a.Resources {
		for _, place := range newIndexing(r).unserved() {
			all = append(all, r.Path+": "+place)
		}
	}
	return all
}

// unserved lists the orders and searches of a list that read more rows than they return.
func (x *indexing) unserved() (places []string) {
	if !x.listed() {
		return nil
	}
	order := func(place string, terms []ordering.Term) {
		if !ordering.OfRow(terms) && !slices.ContainsFunc(terms, func(t ordering.Term) bool { return x.Accepts(t.Field) }) {
			places = naming.AddNew(places, []string{strings.Replace(place, "default", "the default", 1) + " sorts every matching row: no index has related columns or computed values"})
		}
	}
	for _, o := range x.orderings() {
		ordersOf(o, order)
	}
	if x.Search != nil {
		for _, f := range x.Search.Related {
			if x.Accepts(f) {
				continue
			}
			places = append(places, fmt.Sprintf("search %q reads every related row: a stored search document has only columns of its own row", f.Name))
		}
	}
	return append(places, x.computedFilters()...)
}

// computedFilters lists the filters that compare an expression.
func (x *indexing) computedFilters() (places []string) {
	for _, s := range x.Sought {
		if s.Field.Expression != nil && !s.Scans && !x.Accepts(s.Field) {
			places = naming.AddNew(places, []string{s.Place + " computes the expression of every row"})
		}
	}
	return places
}
