package index

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/sqldb"
)

// An IndexNeed is an index without which what is declared reads, or puts in
// order, more rows than it answers.
type IndexNeed struct {
	Table string
	// Columns are those that it must begin with, in this order.
	Columns []sqldb.IndexColumn
	// Unique says that it must also keep the values of exactly these columns
	// unique.
	Unique bool
	// Search says that it is the search index of the one column, which a
	// migration's searchIndex makes.
	Search bool
	// For says what needs it, as mistakes do: `patients: filter "city"`.
	For []string
	// Name is what [IndexNeed.Create] calls it.
	Name string

	equal  int  // columns at the beginning that are compared, whose direction is one
	sorted int  // columns after those whose directions matter
	part   bool // an index of a part of the rows may do: no others are asked for
}

// String is the table and its columns: "patients (owner_id, name DESC)".
func (n IndexNeed) String() string {
	columns := make([]string, len(n.Columns))
	for i, c := range n.Columns {
		columns[i] = c.Name
		if c.Descending {
			columns[i] += " DESC"
		}
	}
	return n.Table + " (" + strings.Join(columns, ", ") + ")"
}

// Create is the statement of a migration that makes the index, in the words of
// [sqldb.Migrations]. One that is there already under its name stays.
func (n IndexNeed) Create() string {
	if n.Search {
		return `{{searchIndex ` + strconv.Quote(n.Table) + ` ` + strconv.Quote(n.Columns[0].Name) + `}}`
	}
	columns := make([]string, len(n.Columns))
	for i, c := range n.Columns {
		columns[i] = naming.Quote(c.Name)
		if c.Descending {
			columns[i] += " DESC"
		}
		if c.Descending && !c.NullsFirst { // SQLite knows no words for what it does anyway
			columns[i] += "{{if postgres}} NULLS LAST{{end}}"
		}
	}
	kind := "INDEX"
	if n.Unique {
		kind = "UNIQUE INDEX"
	}
	return "CREATE " + kind + " IF NOT EXISTS " + naming.Quote(n.Name) + " ON " + naming.Quote(n.Table) + " (" + strings.Join(columns, ", ") + ");"
}

// Drop is the statement that undoes [IndexNeed.Create].
func (n IndexNeed) Drop() string {
	if n.Search {
		return `{{dropSearchIndex ` + strconv.Quote(n.Table) + ` ` + strconv.Quote(n.Columns[0].Name) + `}}`
	}
	return "DROP INDEX " + naming.Quote(n.Name) + ";"
}

// servedBy tells whether an index of the table does what is needed.
func (n IndexNeed) servedBy(i sqldb.Index, k sqldb.Kind) bool {
	switch {
	case i.Unfinished || i.Where != "" && !n.part && !n.impliesCondition(i.Where):
		return false
	case n.Search || i.Search:
		return n.Search && i.Search && i.Columns[0].Name == n.Columns[0].Name
	case n.Unique:
		return i.Unique && slices.Equal(sortedNames(i.Columns), sortedNames(n.Columns))
	}
	both := min(len(i.Columns), len(n.Columns))
	if both < len(n.Columns) && !i.Unique { // after unique columns nothing is left to order
		return false
	}
	for at := range both {
		if i.Columns[at].Name != n.Columns[at].Name {
			return false
		}
	}
	from, to := min(n.equal, both), min(n.equal+n.sorted, both)
	return k.Sorts(i.Columns[from:to], n.Columns[from:to])
}

// impliesCondition tells whether the rows that are looked for by a value are
// all in an index of the rows that have one.
func (n IndexNeed) impliesCondition(where string) bool {
	for _, c := range n.Columns[:n.equal] {
		if hasValue.ReplaceAllString(strings.ToLower(where), "$1") == strings.ToLower(c.Name) {
			return true
		}
	}
	return false
}

var hasValue = regexp.MustCompile(`^\(?"?([a-z_0-9]+)"? is not null\)?$`)

func sortedNames(columns []sqldb.IndexColumn) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	slices.Sort(names)
	return names
}
