package bind

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"
	"trestle.example/framework/call"
	"trestle.example/framework/internal/bulk"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

const (
	usualBulk  = 1_000
	mostBulk   = 10_000
	mostDelete = 100 // keys in a query string, whose length is limited
	mostEach   = 100 // items that are done one by one
)

// bindBulk makes the endpoint of a method for several rows. The mistakes of one whose items are done one by one are those of
// the other endpoint of the method.
func (b *binder) bindBulk(r *table.Resource, a declare.Action, fault func(error)) {
	d, e := r.Declaration.Bulk, b.newEndpoint(r, "bulk", a.Bulk, a.Method, a.Rules) // permissions see the verb
	e.Pattern, e.Out = actionPattern(r, a), input.NoneType
	e.Bulk = &table.Bulk{Name: a.Name, Each: a.Name == declare.EachName, Most: cmp.Or(d.Most, usualBulk)}
	e.ByWriters = e.IsWrite() && (a.Bulk != call.VerbCreate && r.HasWriters() || r.Writers.Above != nil)
	if e.Bulk.Each {
		fault = func(error) {}
		e.Bulk.Most = min(e.Bulk.Most, mostEach)
	}
	mistakes := b.bulkMistakes(r, d, a)
	for _, err := range mistakes {
		fault(err)
	}
	if len(mistakes) > 0 {
		return
	}
	made := &bulk.Bulk{Resource: r, Most: e.Bulk.Most}
	b.serveBulk(made, e, fault)
	b.shapeBulk(e, cmp.Or(made.Change, made.Create))
	made.Endpoint = verb.NewHandler(e)
	r.Endpoints = append(r.Endpoints, e)
}

// A serving answers the requests of an endpoint.
type serving = func(*call.Call, *table.Request) (*table.Response, error)

// serveBulk sets the function that answers the requests of an endpoint for several rows, and what it needs.
func (b *binder) serveBulk(made *bulk.Bulk, e *table.Endpoint, fault func(error)) {
	r, d := made.Resource, made.Resource.Declaration.Bulk
	serve := func(all, each serving) {
		if e.Serve = all; e.Bulk.Each {
			e.Serve = each
		}
	}
	switch e.Route.Name {
	case call.VerbCreate:
		made.Create = b.written[r][call.VerbCreate]
		serve(made.ServePost, made.EachPost)
	case call.VerbPatch:
		made.Change, made.Key = b.written[r][call.VerbPatch], b.keyField(r, fault)
		e.Bulk.Key = made.Key
		serve(made.ServePatch, made.EachPatch)
	case call.VerbUpdate:
		made.Create, made.Change = b.written[r][call.VerbCreate], b.written[r][call.VerbUpdate]
		made.Key, made.Owned = b.naturalKey(r, d.Upsert, made.Change, fault)
		e.Bulk.Natural, e.Bulk.Owned = made.Key, made.Owned
		serve(verb.RetryTaken(made.ServePut), made.EachPut)
		if !e.Bulk.Each {
			e.Refuses = append(slices.Clip(e.Refuses), problem.CodeForbidden)
		}
	case call.VerbDelete:
		made.Most = min(made.Most, mostDelete)
		made.Key, made.Remove = b.keyField(r, fault), verb.NewHandler(endpointOf(r, call.VerbDelete))
		e.Params = []query.Param{{Name: made.Key.Name, Type: r.Key.IndirectType, List: true, Required: true, Doc: fmt.Sprintf("The keys of the rows to delete, at most %d, separated by commas.", made.Most)}}
		e.Asks = true
		serve(made.ServeDelete, made.EachDelete)
	}
}

// endpointOf is the endpoint of a verb that the viewset has.
func endpointOf(r *table.Resource, verb string) *table.Endpoint {
	at := slices.IndexFunc(r.Endpoints, func(e *table.Endpoint) bool { return e.Route.Name == verb && e.Bulk == nil })
	return r.Endpoints[at]
}

// shapeBulk sets the input and the answer of an endpoint for several rows. Its body is a list of inputs of a verb, and its
// answer a list of views, or of results.
func (b *binder) shapeBulk(e *table.Endpoint, w *verb.Writing) {
	if w != nil {
		e.Input = w.Endpoint.Input
		if !w.Silent() {
			e.Out = reflect.SliceOf(w.Verb.Out)
		}
		b.later(func() { e.Locks, e.Refuses = w.Endpoint.Locks, slices.Concat(e.Refuses, w.Endpoint.Refuses) })
	}
	if e.Bulk.Each {
		if e.Out != input.NoneType {
			e.Bulk.Row = w.Verb.Out
		}
		e.Out = reflect.TypeFor[[]table.Result]()
	}
	if e.Settle(); e.Out != input.NoneType {
		e.Status = http.StatusOK // 201 is about one row and its Location
	}
}

// checkBulk reports settings of Bulk that have no effect.
func checkBulk(r *table.Resource, fault func(error)) {
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

// bulkMistakes lists why a verb cannot serve a declaration of Bulk.
func (b *binder) bulkMistakes(r *table.Resource, d declare.Bulk, a declare.Action) (mistakes []error) {
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
		switch w := b.written[r][name]; {
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

// keyField is the field with the key of a row, under the name that clients have for it.
func (b *binder) keyField(r *table.Resource, fault func(error)) query.Field {
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

// naturalKey is the field that finds the rows of an upsert. It also reports whether each owner has values of their own.
func (b *binder) naturalKey(r *table.Resource, name string, w *verb.Writing, fault func(error)) (found query.Field, owned bool) {
	found, err := r.Field(name)
	switch {
	case err != nil:
		fault(err)
		return found, false
	case w.Verb.In != b.written[r][call.VerbCreate].Verb.In:
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
