package framework

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
)

// A MissingColumn is a column that a viewset's model names and the database
// lacks, or a table, if Column is "".
type MissingColumn struct {
	// For lists the viewsets that need it.
	For []string
	// Field is the field of the model, "Patient.City", or the model, "Patient".
	Field  string
	Table  string
	Column string
	// Nearest is the name in the database that was probably meant, "" for none.
	Nearest string
}

// String says what is missing, as in `the table "patients" has no column "citty"
// (Patient.Citty); did you mean "city"?`, which ends with a question if a name is near.
func (m MissingColumn) String() string {
	text := fmt.Sprintf("the database has no table %q (%s)", m.Table, m.Field)
	if m.Column != "" {
		text = fmt.Sprintf("the table %q has no column %q (%s)", m.Table, m.Column, m.Field)
	}
	if m.Nearest == "" {
		return text
	}
	return text + fmt.Sprintf("; did you mean %q?", m.Nearest)
}

// MissingColumns compares the database's catalogue with the models of the
// viewsets and of the relations that they show, and returns each table and
// column that is missing, once. Call it after [API.Check] or [API.Handler], and
// after the migrations. It changes nothing.
func (a *API) MissingColumns(ctx context.Context) ([]MissingColumn, error) {
	known := map[string][]string{}
	var missing []MissingColumn
	for _, u := range a.tablesUsed() {
		columns, ok := known[u.table.Name]
		if !ok {
			var err error
			if columns, err = a.db.Columns(ctx, u.table.Name); err != nil {
				return nil, err
			}
			known[u.table.Name] = columns
		}
		missing = append(missing, u.missing(a, columns)...)
	}
	for i, m := range missing {
		if m.Column != "" {
			continue
		}
		tables, err := a.db.Tables(ctx)
		if err != nil {
			return nil, err
		}
		missing[i].Nearest = naming.Nearest(m.Table, tables)
	}
	return missing, nil
}

// A tableUse is a model with its fields that viewsets need.
type tableUse struct {
	table  *schema.Table
	fields []*schema.Field
	by     []string
}

func (u *tableUse) missing(a *API, columns []string) (list []MissingColumn) {
	if len(columns) == 0 {
		return []MissingColumn{{For: u.by, Field: u.table.TypeName, Table: u.table.Name}}
	}
	for _, f := range u.fields {
		if !a.db.Kind().HasColumn(columns, f.Name) {
			list = append(list, MissingColumn{
				For: u.by, Field: u.table.TypeName + "." + f.GoName, Table: u.table.Name, Column: f.Name,
				Nearest: naming.Nearest(f.Name, columns),
			})
		}
	}
	return list
}

// tablesUsed lists the models with the fields that statements name: all of a
// viewset's own, since a new row has all of them, and those that are shown of a
// relation.
func (a *API) tablesUsed() []*tableUse {
	var list []*tableUse
	use := func(r *resource, table *schema.Table, fields ...*schema.Field) {
		at := slices.IndexFunc(list, func(u *tableUse) bool { return u.table == table })
		if at < 0 {
			at, list = len(list), append(list, &tableUse{table: table})
		}
		u := list[at]
		u.fields, u.by = addNew(u.fields, fields), addNew(u.by, []string{r.path})
	}
	for _, r := range a.resources {
		use(r, r.table, r.table.Fields...)
		for _, shown := range r.shown {
			shown.columnsOf(func(table *schema.Table, fields ...*schema.Field) { use(r, table, fields...) })
		}
	}
	slices.SortStableFunc(list, func(x, y *tableUse) int { return strings.Compare(x.table.Name, y.table.Name) })
	return list
}

// columnsOf reports the columns that the plan selects, with their tables.
func (p *plan) columnsOf(use func(*schema.Table, ...*schema.Field)) {
	for _, l := range p.leaves {
		table := p.table
		if l.join > 0 {
			table = p.joins[l.join-1].relation.JoinTable
		}
		use(table, l.column)
	}
	for _, m := range p.many {
		use(m.child.table, m.foreign)
		m.child.columnsOf(use)
	}
}

// columnsOf reports all columns of the relations, because bun selects all of them.
func (p *computed) columnsOf(use func(*schema.Table, ...*schema.Field)) {
	for _, one := range p.ones {
		use(one.relation.JoinTable, one.relation.JoinTable.Fields...)
	}
	for _, m := range p.many {
		use(m.relation.JoinTable, m.relation.JoinTable.Fields...)
	}
}
