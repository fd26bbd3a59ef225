package index

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/sqldb"
)

// MissingIndexes lists the indexes that the declarations need and the database lacks, sorted by
// table, each with a name that the database does not have. One index may serve several needs. A
// need with a column that the database lacks is left out, and so is one of a view. A table that it lacks is an error.
func (a Indexer) MissingIndexes(ctx context.Context) ([]IndexNeed, error) {
	tables, kind := map[string][]sqldb.Index{}, a.DB.Kind()
	var missing []IndexNeed
	for _, n := range a.Indexes() {
		there, known := tables[n.Table]
		if !known {
			var err error
			if there, err = a.DB.Indexes(ctx, n.Table); err != nil {
				return nil, err
			}
			tables[n.Table] = there
		}
		if !slices.ContainsFunc(there, func(i sqldb.Index) bool { return n.servedBy(i, kind) }) {
			missing = append(missing, n)
		}
	}
	missing, err := a.possible(ctx, missing)
	if err != nil {
		return nil, err
	}
	missing = fewest(missing, kind)
	taken, err := a.DB.TakenNames(ctx) // of all tables: an index of another table may have the name
	if err != nil {
		return nil, err
	}
	giveNames(missing, taken)
	return missing, nil
}

// giveNames gives each need a name that is not in taken and that no other need has. Upper and
// lower case are the same, as in SQLite.
func giveNames(needs []IndexNeed, taken []string) {
	used := map[string]bool{}
	for _, name := range taken {
		used[strings.ToLower(name)] = true
	}
	for i, n := range needs {
		needs[i].Name = freeName(n, used)
		used[strings.ToLower(needs[i].Name)] = true
	}
}

// possible returns the needs without those of views, which have no indexes, and without those that have a column
// that the database lacks.
func (a Indexer) possible(ctx context.Context, needs []IndexNeed) (kept []IndexNeed, err error) {
	known := map[string][]string{}
	for _, n := range needs {
		if _, seen := known[n.Table]; !seen {
			if known[n.Table], err = a.columnsToIndex(ctx, n.Table); err != nil {
				return nil, err
			}
		}
		if !slices.ContainsFunc(n.Columns, func(c sqldb.IndexColumn) bool { return !a.DB.Kind().HasColumn(known[n.Table], c.Name) }) {
			kept = append(kept, n)
		}
	}
	return kept, nil
}

// columnsToIndex returns the columns of a table, and none of a view.
func (a Indexer) columnsToIndex(ctx context.Context, table string) ([]string, error) {
	if indexed, err := a.DB.HasIndexes(ctx, table); err != nil || !indexed {
		return nil, err
	}
	return a.DB.Columns(ctx, table)
}

// fewest returns the needs, sorted by table, without those that the index for another need also
// serves. The other need gets their entries of For.
func fewest(needs []IndexNeed, k sqldb.Kind) []IndexNeed {
	slices.SortStableFunc(needs, func(a, b IndexNeed) int { return cmp.Compare(b.strictness(), a.strictness()) })
	var kept []IndexNeed
	for _, n := range needs {
		at := slices.IndexFunc(kept, func(other IndexNeed) bool {
			return other.Table == n.Table && n.servedBy(sqldb.Index{Columns: other.Columns, Unique: other.Unique, Search: other.Search}, k)
		})
		if at < 0 {
			kept = append(kept, n)
			continue
		}
		kept[at].For = naming.AddNew(kept[at].For, n.For)
		if n.Unique == kept[at].Unique { // else a partial index that is unique needs another one beside it
			kept[at].Partial = kept[at].Partial && n.Partial
		}
	}
	slices.SortStableFunc(kept, func(a, b IndexNeed) int { return cmp.Compare(a.Table, b.Table) })
	return kept
}

// strictness orders needs: a need can be served by the index for a need of greater or equal
// strictness, never by a lesser one.
func (n IndexNeed) strictness() int {
	if n.Unique {
		return math.MaxInt
	}
	return len(n.Columns)
}

// nameBytes is the longest name, in bytes, that leaves space for a number within PostgreSQL's
// limit of 63.
const nameBytes = 60

// freeName returns a name for an index that is not in used, which has names in lower case.
func freeName(n IndexNeed, used map[string]bool) string {
	_, table := n.place()
	parts := []string{table}
	for _, c := range n.Columns {
		parts = append(parts, c.Name)
	}
	base := strings.Join(parts, "_")
	base = strings.ToValidUTF8(base[:min(len(base), nameBytes)], "")
	name := base
	for try := 2; used[strings.ToLower(name)]; try++ {
		name = base + "_" + strconv.Itoa(try)
	}
	return name
}
