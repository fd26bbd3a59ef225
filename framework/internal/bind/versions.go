package bind

import (
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/children"
	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/view"
	"trestle.example/framework/query"
)

// bindVersions binds the versions of every viewset. All viewsets of a table count the changes of its
// rows in the column that one of them declares.
func (b *binder) bindVersions() {
	counting := map[string]*table.Resource{}
	for _, r := range b.api.Resources {
		r.Version = bindVersion(r, r.Declaration.Versions, b.at(r, "versions"))
		if r.Version == nil || r.Version.Column == nil {
			continue
		}
		first := counting[r.Table.Name]
		if first == nil {
			counting[r.Table.Name] = r
		} else if first.Version.Column.Name != r.Version.Column.Name {
			b.fault(r.Path, "versions", naming.Sentence("%s counts the changes of these rows in %s; name the same column", first.Path, first.Version.Column.GoName))
		}
	}
	for _, r := range b.api.Resources {
		if first := counting[r.Table.Name]; first != nil {
			r.Counts = first.Version.Column.Name
		}
		if r.Version != nil {
			b.later(func() { b.checkVersions(r) })
		}
		b.later(func() { countParents(r) })
	}
}

// countParents makes the verbs of a nested viewset that write its rows count the changes of the
// parent, if a body of the parent lists these rows.
func countParents(r *table.Resource) {
	if r.Above == nil || r.Above.Parent.Counts == "" {
		return
	}
	listed := slices.ContainsFunc(r.Above.Parent.Endpoints, func(e *table.Endpoint) bool {
		return children.ListsRows(e, r.Table, r.Above.Column)
	})
	for _, e := range r.Endpoints {
		if listed && (e.Kind == declare.VerbAccepts || e.Kind == declare.VerbDeletes) {
			nested.CountUp(e)
		}
	}
}

// bindVersion makes the version of a viewset, nil without one or with a mistake.
func bindVersion(r *table.Resource, d declare.Versions, fault func(error)) *conditional.Version {
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
		err = conditional.CheckColumn(f.Column)
	}
	if err != nil {
		fault(err)
		return nil
	}
	v.Column = f.Column
	return v
}

// checkVersions reports versions without an effect, and finds the columns of a hash.
func (b *binder) checkVersions(r *table.Resource) {
	fault := b.at(r, "versions")
	has := func(is func(*table.Endpoint) bool) bool { return slices.ContainsFunc(r.Endpoints, is) }
	switch inserts := has((*table.Endpoint).MayInsert); {
	case !has((*table.Endpoint).IsTagged) && !has((*table.Endpoint).Matches):
		fault(naming.Sentence("they have no effect, because no verb reads or writes one row or lists rows; leave them out"))
	case r.Version.Required && inserts:
		fault(naming.Sentence("Required would also reject the PUT that creates the row, which has no version yet; leave Required out"))
	case r.Version.Required && !has((*table.Endpoint).NeedsMatch):
		fault(naming.Sentence("Required has no effect without Update, Patch or Delete; leave it out"))
	}
	if r.Version.Column == nil {
		r.Version.Hashed = hashed(r, fault)
	}
}

// hashed lists the columns of the hash: those that every view of one row shows to every caller. A
// hash of other columns would let a caller who guesses their values see whether the guess is right.
func hashed(r *table.Resource, fault func(error)) (columns []*schema.Field) {
	first := true
	for _, e := range r.Endpoints {
		if !e.IsTagged() || e.Pagination != nil {
			continue
		}
		if e.Input != nil && slices.ContainsFunc(e.Input.Fields, func(f *input.Field) bool { return f.To != "" }) {
			fault(naming.Sentence("an input sets related rows, which a hash of the row does not notice; name an integer column in Column"))
		}
		plan, ok := r.Shown[e.Out].(*view.Plan)
		if !ok {
			fault(naming.Sentence("a function computes the answer with one row, which has no columns to hash; name an integer column in Column"))
			continue
		}
		shown := slices.DeleteFunc(plan.OwnColumns(), func(column *schema.Field) bool {
			return len(r.Relations.Base().Seeing(query.Field{Column: column})) > 0
		})
		if first {
			columns, first = shown, false
			continue
		}
		columns = slices.DeleteFunc(columns, func(column *schema.Field) bool { return !slices.Contains(shown, column) })
	}
	if !first && len(columns) == 0 {
		fault(naming.Sentence("no column is shown to every caller by every view of one row, so there is nothing to hash; name an integer column in Column"))
	}
	if r.Table.HasBeforeScanRowHook() || r.Table.HasAfterScanRowHook() {
		fault(naming.Sentence("%s has a hook that changes rows as they are read, so a hash would not be that of the table; name an integer column in Column", r.Model.Name()))
	}
	return columns
}
