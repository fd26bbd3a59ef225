// Package versions binds the versions of the rows of a viewset, which conditional requests compare, and finds the mistakes in them.
package versions

import (
	"cmp"
	"maps"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/children"
	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/view"
	"trestle.example/framework/query"
)

// Bind makes the version of a viewset, nil without one or with a mistake.
func Bind(r *table.Resource, d declare.Versions, fault func(error)) *conditional.Version {
	v := &conditional.Version{Required: d.Required}
	switch {
	case d == declare.Versions{}:
		return nil
	case d.Column != "" && d.Hash:
		fault(naming.Sentence("Column and Hash are two kinds of version; leave out Hash"))
		return nil
	case d.Hash:
		return v
	case d.Column == "":
		fault(naming.Sentence("Required needs versions; name an integer column in Column, or set Hash"))
		return nil
	}
	f, err := r.Field(d.Column)
	if err == nil {
		err = cmp.Or(conditional.CheckColumn(f.Column), checkCounter(r, f))
	}
	if err != nil {
		fault(err)
		return nil
	}
	v.Column = f.Column
	return v
}

// checkCounter returns an error for a column that has another meaning than the number of changes.
func checkCounter(r *table.Resource, f query.Field) error {
	refers := func(rel *schema.Relation) bool { return slices.Contains(rel.BasePKs, f.Column) }
	switch {
	case slices.ContainsFunc(slices.Collect(maps.Values(r.Table.Relations)), refers):
		return naming.Sentence("%s refers to another row; add a column that only counts changes", f.Column.GoName)
	case f.Column == r.DeclaredKey():
		return naming.Sentence("%s is in the path of a row, which would change with each write; add a column that only counts changes", f.Column.GoName)
	case slices.Contains(r.Owners(), f.Column):
		return naming.Sentence("%s is the owner of a row; add a column that only counts changes", f.Column.GoName)
	}
	return nil
}

// checkHeaders reports a condition that the framework checks, and that the declaration leaves to a
// function.
func checkHeaders(r *table.Resource, fault func(error)) {
	for _, e := range r.Endpoints {
		switch {
		case e.OnObject && (e.Kind == declare.VerbAccepts || e.Kind == declare.VerbDeletes) && e.Reads(conditional.HeaderIfMatch):
			fault(naming.Sentence("%s takes If-Match, which the framework compares with the version; leave it out of Takes", e.Route.Name))
		case !e.IsWrite() && e.IsTagged() && e.Reads(conditional.HeaderIfNoneMatch):
			fault(naming.Sentence("%s takes If-None-Match, which the framework compares with the ETag; leave it out of Takes", e.Route.Name))
		case r.Version.Required && e.Untransacted && e.OnObject && e.IsWrite() && declare.IsVerb(e.Route.Name):
			fault(naming.Sentence("Required needs the transaction of %s, which is Untransacted; leave out one of them", e.Route.Name))
		}
	}
}

// checkLists reports a list that a PUT or PATCH sets and that an answer with one row does not show: the
// ETag of that answer would not notice a change of its rows, and the body would undo the change.
func checkLists(r *table.Resource, e *table.Endpoint, answered func(*table.Endpoint) *view.Plan, fault func(error)) {
	if !e.Matches() || e.Kind != declare.VerbAccepts {
		return
	}
	for _, name := range children.Relations(e.Input) {
		for _, answer := range []*table.Endpoint{e, r.Retrieving()} {
			if answer == nil || !answer.IsTagged() {
				continue
			}
			if plan := answered(answer); plan != nil && !plan.ShowsAll(name) {
				fault(naming.Sentence("the body of %s sets %s, and the answer of %s does not show all of them, so its ETag would not notice their changes; show them there, without a limit", e.Route.Name, name, answer.Route.Name))
			}
		}
	}
}

// Check reports versions without an effect, and finds the columns of a hash. All resources are bound. answered returns the plan by which
// an endpoint shows one row, nil without one.
func Check(r *table.Resource, answered func(*table.Endpoint) *view.Plan, fault func(error)) {
	has := func(is func(*table.Endpoint) bool) bool { return slices.ContainsFunc(r.Endpoints, is) }
	switch inserts := has((*table.Endpoint).MayInsert); {
	case !has((*table.Endpoint).IsTagged) && !has((*table.Endpoint).Matches):
		fault(naming.Sentence("they have no effect, because no verb reads or writes one row or lists rows; leave them out"))
	case r.Version.Required && inserts:
		fault(naming.Sentence("Required would also reject the PUT that creates the row, which has no version yet; leave Required out"))
	case r.Version.Required && !has((*table.Endpoint).NeedsMatch):
		fault(naming.Sentence("Required has no effect without Update, Patch or Delete; leave it out"))
	}
	checkHeaders(r, fault)
	for _, e := range r.Endpoints {
		checkLists(r, e, answered, fault)
	}
	if r.Version.Column == nil {
		r.Version.Hashed = hashed(r, fault)
		return
	}
	if len(r.Relations.Base().Seeing(query.Field{Column: r.Version.Column})) > 0 {
		fault(naming.Sentence("only some callers see %s, and the ETag shows it to all; leave out the rule about it", r.Version.Column.GoName))
	}
}

// hashed lists the columns of the hash: those that every view of one row shows to every caller. A
// hash of other columns would let a caller who guesses their values see whether the guess is right.
func hashed(r *table.Resource, fault func(error)) (columns []*schema.Field) {
	views := 0
	for _, e := range r.Endpoints {
		if !e.IsTagged() || e.Pagination != nil {
			continue
		}
		shown, err := shownToAll(r, e)
		if err != nil {
			fault(err)
			return nil
		}
		if views++; views == 1 {
			columns = shown
		}
		columns = slices.DeleteFunc(columns, func(column *schema.Field) bool { return !slices.Contains(shown, column) })
	}
	sets := func(e *table.Endpoint) bool {
		return e.Matches() && e.Input != nil && len(children.Relations(e.Input)) > 0
	}
	beside := slices.ContainsFunc(columns, func(column *schema.Field) bool { return !column.IsPK })
	switch {
	case slices.ContainsFunc(r.Endpoints, sets):
		fault(naming.Sentence("an input sets related rows, which a hash of the row does not notice; name an integer column in Column"))
	case r.Table.HasBeforeScanRowHook() || r.Table.HasAfterScanRowHook():
		fault(naming.Sentence("%s has a hook that changes rows as they are read, so a hash would not be that of the table; name an integer column in Column", r.Model.Name()))
	case views == 0 && slices.ContainsFunc(r.Endpoints, (*table.Endpoint).Matches):
		fault(naming.Sentence("no verb shows one row, so there is nothing to hash; name an integer column in Column"))
	case views > 0 && !beside:
		fault(naming.Sentence("no column but the key is shown to every caller by every view of one row, so there is nothing to hash; name an integer column in Column"))
	}
	return columns
}

// shownToAll lists the columns that the answer of an endpoint with one row shows to every caller. The
// error is that of an endpoint whose rows have no hash.
func shownToAll(r *table.Resource, e *table.Endpoint) ([]*schema.Field, error) {
	plan, ok := r.Shown[e.Out].(*view.Plan)
	if !ok {
		return nil, naming.Sentence("a function computes the answer with one row, which has no columns to hash; name an integer column in Column")
	}
	return slices.DeleteFunc(plan.OwnColumns(), func(column *schema.Field) bool {
		return len(r.Relations.Base().Seeing(query.Field{Column: column})) > 0
	}), nil
}
