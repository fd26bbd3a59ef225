package index

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/sqldb"
)

// A WideUnique is a unique index or constraint that has deleted rows too, so that their values cannot be used again.
type WideUnique struct {
	// For is the path of the viewset that declares SoftDelete.
	For     string
	Table   string
	Index   string
	Columns []string
	// Create is the statement that makes an index without the deleted rows.
	Create string
}

// String describes the index: `the unique index "users_email_key" of "users" (email) has deleted rows too, so their values
// cannot be used again`.
func (w WideUnique) String() string {
	return fmt.Sprintf("the unique index %q of %q (%s) has deleted rows too, so their values cannot be used again", w.Index, w.Table, strings.Join(w.Columns, ", "))
}

// WideUniques lists the unique indexes of tables with SoftDelete that deleted rows are in. It leaves out those of the primary key, of
// a slug, which is never used again, and of columns to which foreign keys refer, because these cannot be partial.
func (a Indexer) WideUniques(ctx context.Context) (wide []WideUnique, err error) {
	seen := map[string]bool{}
	for _, r := range a.Resources {
		if !r.Declaration.SoftDelete.Declared() || seen[r.Table.Name] {
			continue
		}
		seen[r.Table.Name] = true
		found, err := a.wideOf(ctx, r)
		if err != nil {
			return nil, err
		}
		wide = append(wide, found...)
	}
	return wide, nil
}

// wideOf lists the unique indexes of the table of a viewset that deleted rows are in.
func (a Indexer) wideOf(ctx context.Context, r *table.Resource) (wide []WideUnique, err error) {
	there, err := a.DB.Indexes(ctx, r.Table.Name)
	if err != nil {
		return nil, err
	}
	fixed, err := a.DB.Referred(ctx, r.Table.Name)
	if err != nil {
		return nil, err
	}
	fixed = append(fixed, []string{r.Pk.Name}, a.slugOf(r))
	for _, i := range there {
		if a.DB.Kind() == sqldb.SQLite && i.Name == "rowid" { // the number of the row is its key
			continue
		}
		columns := sortedNames(i.Columns)
		same := func(other []string) bool {
			return slices.EqualFunc(columns, slices.Sorted(slices.Values(other)), func(x, y string) bool { return store.SameName(a.DB.Kind(), x, y) })
		}
		if i.Unique && !leavesOut(i.Where, r.Table.SoftDeleteField) && !slices.ContainsFunc(fixed, same) {
			wide = append(wide, WideUnique{r.Path, r.Table.Name, i.Name, names(i.Columns), narrower(r, i)})
		}
	}
	return wide, nil
}

// slugOf is the column of the slug of any viewset of a table, none without one.
func (a Indexer) slugOf(r *table.Resource) (columns []string) {
	for _, other := range a.Resources {
		if other.Table.Name == r.Table.Name && other.Slug != nil {
			return []string{other.Slug.Field.Column.Name}
		}
	}
	return nil
}

// leavesOut reports whether the condition of an index leaves out the rows that are marked as deleted.
func leavesOut(where string, deleted *schema.Field) bool {
	is := regexp.MustCompile(`(?i)(^|[^\w])["` + "`" + `\[]?` + regexp.QuoteMeta(deleted.Name) + `["` + "`" + `\]]?\s+IS\s+NULL`)
	return is.MatchString(where)
}

// narrower is the statement that makes an index like another one without the deleted rows.
func narrower(r *table.Resource, i sqldb.Index) string {
	if slices.Contains(names(i.Columns), "") { // an expression, which the catalogue does not have
		return "CREATE UNIQUE INDEX ... WHERE " + present(r) + ";"
	}
	n := IndexNeed{Table: r.Table.Name, Columns: slices.Clone(i.Columns), Unique: true, Name: i.Name + "_present", Where: present(r)}
	for at := range n.Columns { // a unique index has no direction
		n.Columns[at] = sqldb.IndexColumn{Name: n.Columns[at].Name}
	}
	if i.Where != "" {
		n.Where = "(" + i.Where + ") AND " + n.Where
	}
	return n.Create()
}

// present is the condition of the rows that are not deleted, "" for a table without SoftDelete.
func present(r *table.Resource) string {
	if !r.DeletesSoftly() {
		return ""
	}
	return naming.Quote(r.Table.SoftDeleteField.Name) + " IS NULL"
}

// names lists the names of columns, in their order.
func names(columns []sqldb.IndexColumn) (all []string) {
	for _, c := range columns {
		all = append(all, c.Name)
	}
	return all
}
