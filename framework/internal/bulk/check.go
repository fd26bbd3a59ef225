package bulk

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/query"
)

// mostBulk is the most items that a declaration may permit.
const mostBulk = 10_000

// CheckSettings reports settings of Bulk that have no effect.
func CheckSettings(r *table.Resource, fault func(error)) {
	d := r.Declaration.Bulk
	if len(d.Actions(r.Declaration.Verbs)) > 0 {
		return
	}
	const useless = "%s has no effect without Create, Patch, Upsert or Delete; set one of them, or leave Bulk out"
	if d.Most != 0 {
		fault(naming.Sentence(useless, "Most"))
	}
	if d.Each {
		fault(naming.Sentence(useless, "Each"))
	}
}

// Mistakes lists why the verbs that a viewset has, by their names, cannot serve an action of Bulk.
func Mistakes(r *table.Resource, a declare.Action, written map[string]*verb.Writing) (mistakes []error) {
	d := r.Declaration.Bulk
	needed := map[string][]string{call.VerbCreate: {call.VerbCreate}, call.VerbPatch: {call.VerbPatch}, call.VerbUpdate: {call.VerbCreate, call.VerbUpdate}}
	fault := func(err error) { mistakes = append(mistakes, err) }
	switch {
	case r.Declaration.Single:
		fault(naming.Sentence("a single resource has one row; leave Bulk out"))
	case d.Most < 0 || d.Most > mostBulk:
		fault(naming.Sentence("Most is %d; it must be 1 to %d", d.Most, mostBulk))
	case a.Bulk != call.VerbCreate && r.Declaration.Versions.Required:
		fault(naming.Sentence("%s cannot name the version of each row, and Versions.Required needs one; leave one of them out", a.Method))
	case a.Bulk == call.VerbDelete && r.Declaration.Verbs.Get(call.VerbDelete).Kind != declare.VerbDeletes:
		fault(naming.Sentence("DELETE deletes rows as framework.Deletes does; declare Verbs.Delete with it, or leave Bulk.Delete out"))
	}
	if a.Bulk == call.VerbUpdate {
		checkUpsert(r.Declaration.Verbs, d, fault)
	}
	for _, name := range needed[a.Bulk] {
		switch w := written[name]; {
		case w == nil:
			fault(naming.Sentence("%s writes rows as %s does with framework.Accepts or framework.Fills; declare it with one of them", a.Method, name))
		case w.Lists != nil:
			fault(naming.Sentence("the input of %s sets lists of related rows by the tag to, which %s for several rows cannot; leave it out of Bulk", name, a.Method))
		}
	}
	return mistakes
}

// checkUpsert reports answers of PUT that a new row cannot have as a changed one: it is made by Create, and answered
// as by Update.
func checkUpsert(verbs declare.Verbs, d declare.Bulk, fault func(error)) {
	create, update := verbs.Get(call.VerbCreate), verbs.Get(call.VerbUpdate)
	switch {
	case create.Secret && !update.Secret:
		fault(naming.Sentence("PUT creates rows, and the answer of Create has a secret that is never stored; call AnswersSecret on Update too"))
	case d.Each && create.Out != update.Out:
		fault(naming.Sentence("PUT with a result for each item answers new rows as Create does, and others as Update does; give both the same view"))
	}
}

// KeyField is the field with the key of a row, under the name that clients have for it.
func KeyField(r *table.Resource, fault func(error)) query.Field {
	var names []string
	for name, f := range r.Names {
		if f.Column == r.Key {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		fault(naming.Sentence("it finds rows by %s, which no view shows; show it in the view of a verb", r.Key.GoName))
		return query.Field{}
	}
	return r.Names[slices.Min(names)]
}

// NaturalKey is the field that finds the rows of an upsert. It also reports whether each owner has values of their own.
func NaturalKey(b *Bulk, name string, fault func(error)) (found query.Field, owned bool) {
	r, w := b.Resource, b.Change
	found, err := r.Field(name)
	switch {
	case err != nil:
		fault(err)
		return found, false
	case w.Verb.In != b.Create.Verb.In:
		fault(naming.Sentence("PUT creates or replaces rows with one input, and Create and Update have two; give both the same"))
	}
	member := memberOf(w, found.Column)
	unique := found.Column == r.Pk
	for _, u := range r.Declaration.Uniques {
		natural, withOwner := isNatural(r, u, found.Column)
		unique, owned = unique || natural && !withOwner, owned || natural && withOwner
	}
	owned = owned && !unique
	if member != nil {
		found.Name = member.Name
	}
	switch kind := found.Column.IndirectType; {
	case member == nil:
		fault(naming.Sentence("Upsert finds rows by %q, which the input of Update does not have%s", name, naming.Suggestion(naming.Nearest(name, inputNames(w)))))
	case !member.Required:
		fault(naming.Sentence("Upsert finds rows by %q; tag the field of the input `validate:\"required\"`", name))
	case found.Column.IsPtr || kind.Kind() != reflect.String && !naming.IsInteger(kind.Kind()) && kind != naming.UUIDType:
		fault(naming.Sentence("Upsert finds rows by %q, which is %s; a natural key is a text, a whole number or a UUID that is not null", name, found.Column.StructField.Type))
	case !unique && !owned:
		fault(naming.Sentence("Upsert finds rows by %q, and Uniques has no unique constraint of it alone or with the owner; declare it", name))
	}
	return found, owned
}

// memberOf is the field of the input that has a column, nil without one.
func memberOf(w *verb.Writing, column *schema.Field) *input.Field {
	for _, f := range w.Endpoint.Input.Fields {
		if bunmodel.ColumnOf(w.Resource.Table, f.GoName) == column {
			return f
		}
	}
	return nil
}

// isNatural reports whether a unique constraint is of one column, alone or beside the owner of the rows.
func isNatural(r *table.Resource, u declare.Unique, column *schema.Field) (natural, withOwner bool) {
	for _, name := range u.Fields {
		f, err := r.Field(name)
		switch {
		case err != nil:
			return false, false
		case f.Column == column:
			natural = true
		case r.Scope.Kind == declare.ScopeOwn && f.Column == r.Scope.Column:
			withOwner = true
		default:
			return false, false
		}
	}
	return natural, withOwner
}

func inputNames(w *verb.Writing) (names []string) {
	for _, f := range w.Endpoint.Input.Fields {
		names = append(names, f.Name)
	}
	return names
}
