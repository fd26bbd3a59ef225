package index

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/sqldb"
)

// An IndexNeed is an index that a declaration needs. Without it, a statement reads or sorts
// more rows than it returns, or the database does not reject duplicate values.
type IndexNeed struct {
	Table string
	// Columns are the columns with which the index must begin, in this order.
	Columns []sqldb.IndexColumn
	// Unique means that the index must make the values of exactly these columns unique.
	Unique bool
	// Search means that the index is the search index of its only column, which searchIndex
	// in a migration makes.
	Search bool
	// Partial means that a partial index is enough: statements read, or a rule is about, only a
	// part of the rows.
	Partial bool
	// Where is the condition of the rows in the index of [IndexNeed.Create], "" for all rows.
	Where string
	// For lists the parts of declarations that need the index: `patients: filter "city"`.
	For []string
	// Name is the name that [IndexNeed.Create] gives the index. In a list of
	// [Indexer.MissingIndexes] the database does not have it. A search index does not have this
	// name.
	Name string

	equal  int // the number of columns at the beginning that statements compare with a value; their direction does not matter
	sorted int // the number of columns after them whose directions matter
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

// Create returns the SQL that makes the index, as a template of a migration file
// ([sqldb.Migrations]). If an index with this name exists, the SQL does nothing. A search
// index is different: searchIndex chooses its name, and the SQL fails if it exists.
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
		if c.Descending && !c.NullsFirst { // SQLite always does this, and has no syntax for it in an index
			columns[i] += "{{if postgres}} NULLS LAST{{end}}"
		}
	}
	_, table := n.place()
	kind := "INDEX"
	if n.Unique {
		kind = "UNIQUE INDEX"
	}
	condition := ""
	if n.Where != "" {
		condition = " WHERE " + n.Where
	}
	return "CREATE " + kind + " IF NOT EXISTS " + naming.Quote(n.Name) + " ON " + n.inSchema(table) + " (" + strings.Join(columns, ", ") + ")" + condition + ";"
}

// Drop returns the SQL that drops the index of [IndexNeed.Create], as a template of a migration
// file.
func (n IndexNeed) Drop() string {
	if n.Search {
		return `{{dropSearchIndex ` + strconv.Quote(n.Table) + ` ` + strconv.Quote(n.Columns[0].Name) + `}}`
	}
	return "DROP INDEX " + n.inSchema(n.Name) + ";"
}

// place returns the schema, "" without one, and the name of the table.
func (n IndexNeed) place() (schema, table string) {
	before, after, qualified := strings.Cut(n.Table, ".")
	if !qualified {
		return "", n.Table
	}
	return before, after
}

// inSchema quotes a name in the schema of the table.
func (n IndexNeed) inSchema(name string) string {
	if schema, _ := n.place(); schema != "" {
		return naming.Quote(schema) + "." + naming.Quote(name)
	}
	return naming.Quote(name)
}

// servedBy reports whether an existing index of the table meets the need.
func (n IndexNeed) servedBy(i sqldb.Index, k sqldb.Kind) bool {
	i.Columns = n.named(i.Columns, k)
	switch {
	case i.Unfinished || i.Where != "" && !n.Partial && !n.impliesCondition(i.Where):
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

// named returns the columns of an index with the names that the need has for them: SQLite takes a name in any case.
func (n IndexNeed) named(columns []sqldb.IndexColumn, k sqldb.Kind) []sqldb.IndexColumn {
	columns = slices.Clone(columns)
	for i, c := range columns {
		for _, own := range n.Columns {
			if store.SameName(k, c.Name, own.Name) {
				columns[i].Name = own.Name
			}
		}
	}
	return columns
}

// impliesCondition reports whether a partial index contains every row that the statement
// reads: its condition is that a column is not null, and the statement compares this column
// with a value.
func (n IndexNeed) impliesCondition(where string) bool {
	found := hasValue.FindStringSubmatch(strings.ToLower(where))
	return found != nil && slices.ContainsFunc(n.Columns[:n.equal], func(c sqldb.IndexColumn) bool { return strings.ToLower(c.Name) == found[1] })
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
