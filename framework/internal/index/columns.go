package index

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/audit"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/history"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/once"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// A MissingColumn is a column that a viewset needs and the database lacks. If Column is "", the
// database lacks the whole table.
type MissingColumn struct {
	// For lists the viewsets that need it.
	For []string
	// Field is the field of the model, "Patient.City", or the model, "Patient"; ""
	// for a table that no model describes.
	Field  string
	Table  string
	Column string
	// Nearest is the name in the database that was probably meant, "" for none. It is not a name
	// that the declarations use.
	Nearest string
	// Broken is the error of the database if the table is a view that cannot be read, "" for any other.
	Broken string
	// Own: the table is one of the framework, so its model does not change.
	Own bool
}

// String describes what is missing: `the table "patients" has no column "citty"
// (Patient.Citty); did you mean "city"?`. The question is absent if Nearest is "".
func (m MissingColumn) String() string {
	text := fmt.Sprintf("the database has no table %q", m.Table)
	if m.Broken != "" {
		text = fmt.Sprintf("the view %q cannot be read: %s", m.Table, m.Broken)
	}
	if m.Column != "" {
		text = fmt.Sprintf("the table %q has no column %q", m.Table, m.Column)
	}
	if m.Field != "" {
		text += " (" + m.Field + ")"
	}
	if m.Nearest == "" {
		return text
	}
	return text + fmt.Sprintf("; did you mean %q?", m.Nearest)
}

// MissingColumns lists the tables and columns that the declarations need and the database lacks.
func (a Indexer) MissingColumns(ctx context.Context) ([]MissingColumn, error) {
	known := map[string][]string{} // each table is used once
	var missing []MissingColumn
	for _, u := range a.tablesUsed() {
		columns, err := a.DB.Columns(ctx, u.name)
		if broken, ok := errors.AsType[*sqldb.BrokenViewError](err); ok {
			missing = append(missing, MissingColumn{For: u.by, Field: u.model, Table: u.name, Broken: broken.Err.Error(), Own: u.own})
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("the table %q: %w", u.name, err)
		}
		known[u.name] = columns
		missing = append(missing, u.missing(a.DB.Kind(), columns)...)
	}
	return missing, a.suggestTables(ctx, known, missing)
}

// suggestTables sets the nearest name of each missing table. It leaves out the tables that the
// declarations use. The keys of used are the names of those tables that exist.
func (a Indexer) suggestTables(ctx context.Context, used map[string][]string, missing []MissingColumn) error {
	if !slices.ContainsFunc(missing, func(m MissingColumn) bool { return m.Column == "" && m.Broken == "" }) {
		return nil
	}
	tables, err := a.DB.Tables(ctx)
	if err != nil {
		return err
	}
	tables = slices.DeleteFunc(tables, func(name string) bool { return used[name] != nil })
	for i, m := range missing {
		if m.Column == "" && m.Broken == "" && !m.Own {
			missing[i].Nearest = naming.Nearest(m.Table, tables)
		}
	}
	return nil
}

// A tableUse is a table with the columns that viewsets need.
type tableUse struct {
	name, model string // model is "" for a table without a model
	columns     []neededColumn
	by          []string // the paths of the viewsets
	own         bool     // the table is one of the framework
}

type neededColumn struct {
	name, field string
	by          []string // the paths of the viewsets
}

func (u *tableUse) missing(kind sqldb.Kind, columns []string) (list []MissingColumn) {
	if len(columns) == 0 {
		return []MissingColumn{{For: u.by, Field: u.model, Table: u.name, Own: u.own}}
	}
	for _, c := range u.columns {
		if !kind.HasColumn(columns, c.name) {
			m := MissingColumn{For: c.by, Field: c.field, Table: u.name, Column: c.name, Own: u.own}
			if !u.own {
				m.Nearest = naming.Nearest(c.name, u.unused(kind, columns))
			}
			list = append(list, m)
		}
	}
	return list
}

// unused returns those of the columns that the viewsets do not need.
func (u *tableUse) unused(kind sqldb.Kind, columns []string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(name string) bool {
		return slices.ContainsFunc(u.columns, func(c neededColumn) bool { return kind.HasColumn([]string{name}, c.name) })
	})
}

// A tableList collects the tables and columns that viewsets need. Each is in the list once; a
// column has the name of its field in the first model that has the column.
type tableList []*tableUse

func (l *tableList) use(r *table.Resource, name, model string, columns ...neededColumn) *tableUse {
	at := slices.IndexFunc(*l, func(u *tableUse) bool { return u.name == name })
	if at < 0 {
		at, *l = len(*l), append(*l, &tableUse{name: name, model: model})
	}
	u := (*l)[at]
	for _, c := range columns {
		at := slices.IndexFunc(u.columns, func(have neededColumn) bool { return have.name == c.name })
		if at < 0 {
			at, u.columns = len(u.columns), append(u.columns, c)
		}
		u.columns[at].by = naming.AddNew(u.columns[at].by, []string{r.Path})
	}
	u.by = naming.AddNew(u.by, []string{r.Path})
	return u
}

// useFields adds the columns of a model's fields.
func (l *tableList) useFields(r *table.Resource, table *schema.Table, fields ...*schema.Field) {
	columns := make([]neededColumn, len(fields))
	for i, f := range fields {
		columns[i] = neededColumn{name: f.Name, field: table.TypeName + "." + bunmodel.PathOf(table, f)}
	}
	u := l.use(r, table.Name, table.TypeName, columns...)
	u.own = u.own || isOwn(table.Type)
}

// isOwn reports whether a model is one of package auth, the only package of the framework that has models of viewsets.
func isOwn(model reflect.Type) bool {
	return model.PkgPath() == strings.TrimSuffix(reflect.TypeFor[Indexer]().PkgPath(), "internal/index")+"auth"
}

// useRelations adds the columns by which rows are related, and the columns of related rows that
// filters, searches and orders use.
func (l *tableList) useRelations(r *table.Resource) {
	for _, rel := range r.Relations.All() {
		l.useFields(r, rel.Holder(), rel.Schema.BasePKs...)
		l.useFields(r, rel.Schema.JoinTable, rel.Schema.JoinPKs...)
		if join := rel.Schema.M2MTable; join != nil {
			l.useFields(r, join, slices.Concat(rel.Schema.M2MBasePKs, rel.Schema.M2MJoinPKs)...)
		}
	}
	for _, f := range r.Relations.Used() {
		if path := relation.PathOf(f); path != nil && f.Column != nil {
			l.useFields(r, path[len(path)-1].Schema.JoinTable, f.Column)
		}
	}
}

// useTable adds the columns of a table without a model.
func (l *tableList) useTable(r *table.Resource, t query.NeededTable) *tableUse {
	columns := make([]neededColumn, len(t.Columns))
	for i, c := range t.Columns {
		columns[i].name = c
	}
	return l.use(r, t.Name, "", columns...)
}

// useEntries notes the tables of the history and of the reads of a viewset's rows.
func (l *tableList) useEntries(r *table.Resource) {
	if r.Declaration.History.Permission != nil {
		l.useTable(r, history.Table()).own = true
	}
	if r.Declaration.Audit.Permission != nil {
		for _, t := range audit.Tables() {
			l.useTable(r, t).own = true
		}
	}
}

// tablesUsed lists the tables with the columns that statements use: every column of a
// viewset's model, of its Models and of the rows that it stores without a viewset, the columns of
// relations that its answers show, and the tables that its rank, its idempotency keys, its history and its reads need.
func (a Indexer) tablesUsed() []*tableUse {
	var list tableList
	for _, r := range a.Resources {
		for _, table := range slices.Concat([]*schema.Table{r.Table}, r.Models, r.Stores) {
			list.useFields(r, table, table.Fields...)
		}
		for _, shown := range r.Shown {
			shown.ColumnsOf(func(table *schema.Table, fields ...*schema.Field) { list.useFields(r, table, fields...) })
		}
		list.useRelations(r)
		for _, t := range r.Needed {
			list.useTable(r, t)
		}
		if slices.ContainsFunc(r.Endpoints, func(e *table.Endpoint) bool { return e.Idempotent }) {
			list.useTable(r, once.KeysTable()).own = true
		}
		list.useEntries(r)
	}
	slices.SortStableFunc(list, func(x, y *tableUse) int { return strings.Compare(x.name, y.name) })
	return list
}
