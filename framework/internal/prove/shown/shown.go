// Package shown knows which columns of a row each caller sees in the views of an API.
package shown

import (
	"reflect"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/totals"
	"trestle.example/framework/internal/view"
)

// Views are the views of an API, with the columns that they show. They do not change.
type Views struct {
	*fixture.Fixture

	own     map[*table.Resource]set // of the rows of a viewset, by the views of its verbs
	related map[string]set          // of the rows of a table, by views of other tables
	any     map[string]set          // of the rows of a table, by any view
}

type set map[string]bool

// Find finds the columns that the views of a checked API show.
func Find(f *fixture.Fixture) Views {
	c := Views{f, map[*table.Resource]set{}, map[string]set{}, map[string]set{}}
	for _, r := range f.Registry.Resources {
		c.own[r] = set{}
		for _, shown := range r.Shown {
			c.add(r, shown)
		}
		for _, v := range r.Declaration.Verbs {
			c.addFields(r, v.Verb)
		}
		for _, e := range r.Endpoints {
			c.addTotals(r, e.Totals)
		}
	}
	return c
}

// addTotals adds the columns whose values an endpoint of totals shows.
func (c Views) addTotals(r *table.Resource, plan *totals.Plan) {
	for f := range plan.Fields() {
		switch {
		case f.Column == nil:
			continue
		case f.Related == nil:
			c.own[r][f.Column.Name] = true
		default:
			put(c.related, f.Table.Name, f.Column.Name)
		}
		put(c.any, f.Table.Name, f.Column.Name)
	}
}

// add adds the columns of a view. A function that computes an answer may show every column.
func (c Views) add(r *table.Resource, shown scan.Representation) {
	if _, computes := shown.(*view.Computed); computes {
		for _, f := range r.Table.Fields {
			c.own[r][f.Name] = true
		}
	}
	shown.ColumnsOf(func(of *schema.Table, fields ...*schema.Field) {
		for _, f := range fields {
			if of.Name == r.Table.Name {
				c.own[r][f.Name] = true
			} else {
				put(c.related, of.Name, f.Name)
			}
			put(c.any, of.Name, f.Name)
		}
	})
}

// addFields adds the columns that have the names of fields of a verb's answer, which a function makes.
func (c Views) addFields(r *table.Resource, v declare.Verb) {
	if v.Out == nil || naming.Indirect(v.Out).Kind() != reflect.Struct {
		return
	}
	for f := range naming.ShapeFields(naming.Indirect(v.Out)) {
		if column := bunmodel.ColumnOf(r.Table, f.Name); column != nil {
			c.own[r][column.Name] = true
			put(c.any, r.Table.Name, column.Name)
		}
	}
}

func put(all map[string]set, table, column string) {
	if all[table] == nil {
		all[table] = set{}
	}
	all[table][column] = true
}

// has reports whether a caller who sees a row of a viewset may see a column of it: a view of its verbs
// shows the column, or a view that has the row as a related one, or no view of the API shows it anywhere, so that nothing
// says who may see it.
func (c Views) has(r *table.Resource, column string) bool {
	return c.own[r][column] || c.related[r.Table.Name][column] || !c.any[r.Table.Name][column]
}
