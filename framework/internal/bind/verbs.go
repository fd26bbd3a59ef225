package bind

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/children"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/listing"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/restore"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/scoping"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/internal/view"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

func (b *binder) bindVerbs(r *table.Resource) {
	verbs := r.Declaration.Verbs
	offered := 0
	for _, v := range verbs {
		if v.Kind == declare.VerbAbsent {
			continue
		}
		offered++
		b.bindVerb(r, v)
	}
	list, one := r.Declaration.Verbs.Get(call.VerbList), r.Declaration.Verbs.Get(call.VerbRetrieve)
	if len(b.mistakes) == 0 && list.Out != nil && list.Out == one.Out && list.Kind != one.Kind {
		b.fault(r.Path, "list, retrieve", naming.Sentence("%s is shown by one and computed by the other; give each a type of its own", list.Out.Name()))
	}
	if offered == 0 && len(r.Declaration.Actions) == 0 && len(r.Declaration.Files) == 0 {
		b.fault(r.Path, "", naming.Sentence("it offers nothing; declare Verbs, Actions or Files"))
	}
}

func (b *binder) bindVerb(r *table.Resource, v declare.NamedVerb) {
	fault := b.at(r, v.Name)
	switch {
	case v.Empty:
		fault(naming.Sentence("framework.%s was given no function", v.Constructor()))
		return
	case v.Untransacted && v.Kind != declare.VerbDoes && v.Kind != declare.VerbChanges:
		fault(naming.Sentence("Untransacted is for Does and Changes; what the framework writes is one transaction"))
		return
	case v.Name != call.VerbList && (v.Pagination != nil || v.Filters != nil):
		fault(naming.Sentence("Paginate and Filter are for List"))
		return
	case v.Kind == declare.VerbDoes && v.Name != call.VerbCreate && v.Name != call.VerbList && !r.Declaration.Single:
		fault(naming.Sentence("framework.Does is for Create, and for the verbs of a Single resource; use %s", kindNames(declare.KindsOf(v.Name))))
		return
	case !slices.Contains(declare.KindsOf(v.Name), v.Kind) && (v.Kind != declare.VerbDoes || v.Name == call.VerbList):
		fault(naming.Sentence("framework.%s cannot be used here; use %s", v.Kind, kindNames(declare.KindsOf(v.Name))))
		return
	case v.Model != nil && v.Model != r.Model:
		fault(naming.Sentence("its function takes a *%s, this viewset's model is %s", v.Model.Name(), r.Model.Name()))
		return
	case r.Declaration.Single && v.Name == call.VerbList:
		fault(naming.Sentence("a single resource has no list; use Retrieve"))
		return
	}
	e := b.newEndpoint(r, v.Name, v.Name, v.Method, v.Rules)
	e.OnObject = v.OnObject() && v.Kind != declare.VerbDoes
	e.ByWriters = scoping.Changes(e)
	e.Pattern = r.ListPath()
	if v.OnObject() {
		e.Pattern = r.ItemPath()
	}
	e.Kind, e.Out, e.Doc = v.Kind, v.Out, v.Doc
	e.Settle()
	checkHooks(r, v.Kind, v.Name, fault)
	b.shape(r, e, v, fault)
	r.Endpoints = append(r.Endpoints, e)
}

func kindNames(kinds []declare.VerbKind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.String()
	}
	return strings.Join(names, " or ")
}

// shape compiles the input and the output of a verb's endpoint, and sets the function that
// serves it.
func (b *binder) shape(r *table.Resource, e *table.Endpoint, v declare.NamedVerb, fault func(error)) {
	switch v.Kind {
	case declare.VerbShows, declare.VerbComputes:
		shown := b.representation(r, v.Verb, fault)
		if v.Name == call.VerbList {
			e.Serve = verb.Reading(b.listing(r, e, shown, v.Out, listed{v.Rules, declare.List{}, v.Name}).Serve)
			return
		}
		item := verb.NewItem(verb.NewHandler(e), shown)
		e.Params = restore.ShowDeleted(e)
		if item.Selection = b.selection(e, v.Out); item.Selection != nil {
			e.Params = append(e.Params, item.Selection.Params()...)
		}
		e.Serve = verb.Reading(item.Serve)
	case declare.VerbAccepts:
		w := &verb.Writing{Resource: r, Endpoint: verb.NewHandler(e), Verb: v.Verb, Shown: b.representation(r, v.Verb, fault)}
		if b.selections[viewOf{r, v.Out}] != nil {
			w.Whole = r.Shown[v.Out]
		}
		e.Input = b.input(r, v.In, fault)
		b.bindWriting(w, fault)
		e.Serve = w.Serve()
		if b.written[r] == nil {
			b.written[r] = map[string]*verb.Writing{}
		}
		b.written[r][v.Name] = w
	case declare.VerbDoes, declare.VerbChanges:
		checkWhole(v.Out, fault)
		e.Input = b.input(r, v.In, fault)
		children.Misplaced(e.Input, fault)
		if v.Name == call.VerbPatch && v.Kind == declare.VerbChanges {
			checkFilled(r, e.Input, fault)
		}
		if !e.IsWrite() {
			b.queryInput(e, v.In, fault)
		}
		e.Serve = verb.Function{Endpoint: verb.NewHandler(e), Call: v.Run}.Serve()
	case declare.VerbDeletes:
		e.Serve = verb.NewHandler(e).Once(verb.Removal{Resource: r, Status: e.Status}.Serve)
	}
}

// representation returns how the verb's output type is written. A verb of Computes gets a
// representation of its own. A verb of Accepts uses the function of Retrieve, or else of List, if
// one computes the same type, so that it answers with the same JSON. In all other cases, the verb
// uses the known representation of the type, or compiles it.
func (b *binder) representation(r *table.Resource, v declare.Verb, fault func(error)) scan.Representation {
	if v.Kind == declare.VerbComputes {
		shown := view.CompileComputed(r, v, fault)
		r.Shown[v.Out] = shown
		return shown
	}
	if v.Kind == declare.VerbAccepts {
		for _, read := range []declare.Verb{r.Declaration.Verbs.Get(call.VerbRetrieve), r.Declaration.Verbs.Get(call.VerbList)} {
			if read.Kind == declare.VerbComputes && read.Out == v.Out && read.Model == r.Model {
				return view.CompileComputed(r, read, func(error) {})
			}
		}
	}
	if s := b.selections[viewOf{r, v.Out}]; s != nil {
		return s.Default
	}
	if known := r.Shown[v.Out]; known != nil {
		return known
	}
	whole := view.CompilePlan(b.api, r.Relations.Base(), v.Out, fault)
	r.Shown[v.Out] = whole
	return b.selectable(r, whole, v.Out)
}

// input compiles an input type, and reports its mistakes and those of its references: an unknown
// viewset, or another type than the viewset's key. A viewset has one compiled input per type;
// only the first call reports.
func (b *binder) input(r *table.Resource, in reflect.Type, fault func(error)) *input.Shape {
	if known := r.Inputs[in]; known != nil {
		return known
	}
	shape, mistakes := input.CompileInputIn(b.api.Config.Case, in, b.api.Config.Rules...)
	for _, err := range mistakes {
		fault(err)
	}
	r.Inputs[in] = shape
	for _, f := range shape.Refs() {
		target, err := b.api.LookUp(f.Ref)
		switch {
		case err != nil:
			fault(naming.Sentence("%s: %w", f.Place, err))
		case f.KeyType() != target.Pk.IndirectType:
			fault(naming.Sentence("%s is %s, but the keys of %s are %s", f.Place, f.Typ, f.Ref, target.Pk.IndirectType))
		}
	}
	return shape
}

// A listed is what a list is bound from: the rules of a verb or of an action of Lists, and which rows
// the action has.
type listed struct {
	declare.Rules

	list  declare.List
	place string // in mistakes
}

func (b *binder) listing(r *table.Resource, e *table.Endpoint, shown scan.Representation, out reflect.Type, v listed) *listing.List {
	e.Asks, e.Ordering = true, r.Ordering
	l := &listing.List{Resource: r, Endpoint: verb.NewHandler(e), Shown: shown, Selection: b.selection(e, out)}
	e.Pagination = cmp.Or(v.Pagination, r.Declaration.Pagination, b.api.Config.Pagination)
	if e.Pagination == nil {
		b.fault(r.Path, v.place, naming.Sentence("no pagination; set Pagination in framework.Config or here, such as page.Number{Size: 20}"))
		return l
	}
	e.Listed = append(e.Listed, e.Pagination)
	b.checkKeyset(r, e, v.place)
	add := b.params(e)
	b.filters(l, v.Filters, add)
	l.Fix(v.list, v.place, b.at(r, v.place))
	b.asking(l, add)
	b.exports(l, add)
	return l
}

// params returns a function that adds query parameters to an endpoint, and reports wrong names and names that it has already.
func (b *binder) params(e *table.Endpoint) func(place string, ps ...query.Param) {
	params := map[string]string{}
	e.PartOf = params
	return func(place string, ps ...query.Param) {
		for _, p := range ps {
			if err := naming.CheckParameter(p.Name); err != nil {
				b.fault(e.Resource.Path, place, err)
			}
			if taken, ok := params[p.Name]; ok {
				b.fault(e.Resource.Path, place, naming.Sentence("parameter %q is read by %s already", p.Name, taken))
			}
			params[p.Name] = place
			e.Params = append(e.Params, p)
		}
	}
}

// filters binds the filters of a list, nil for those of the viewset, and adds their parameters.
func (b *binder) filters(l *listing.List, own []query.Filter, add func(place string, ps ...query.Param)) {
	r, e := l.Resource, l.Endpoint.Endpoint
	for i, f := range naming.Inherited(own, r.Declaration.Filters) {
		if f == nil {
			b.fault(r.Path, "filter", naming.Sentence("the filter at place %d is nil", i+1))
			continue
		}
		e.Listed = append(e.Listed, f)
		searched, place := relation.NewRecorder(r), filterPlace(f)
		bound, err := f.Bind(query.NewFacts(searched, r.API.Config.Case))
		if err != nil {
			b.fault(r.Path, place, err)
			continue
		}
		add(place, bound.Params...)
		r.Seeks(place, bound.Scans, searched.Fields())
		l.Guard(bound.Params, searched.Fields())
		l.Filters = append(l.Filters, listing.Filter{BoundFilter: bound, Related: slices.ContainsFunc(searched.Fields(), query.Field.OfOthers)})
	}
}

// checkKeyset reports a list with cursors that the API or its search cannot have.
func (b *binder) checkKeyset(r *table.Resource, e *table.Endpoint, place string) {
	switch {
	case !e.HasCursors():
	case b.api.Cursors == nil:
		b.fault(r.Path, place, naming.Sentence("its pagination encrypts cursors, which needs a secret key; set CursorKeys in framework.Config"))
	case r.Declaration.Ranked != nil:
		b.fault(r.Path, place, naming.Sentence("a ranked search has no order that a cursor could continue; use page.Number or page.Offset, or leave Ranked out"))
	}
}

// asking adds the query parameters of a list that are not of its filters: those of [binder.searches], ordering,
// pagination, chosen members and deleted rows.
func (b *binder) asking(l *listing.List, add func(place string, ps ...query.Param)) {
	b.searches(l, add)
	add("ordering", l.Endpoint.Ordering.Params()...)
	add("pagination", l.Endpoint.Pagination.Params()...)
	if l.Selection != nil {
		add("select", l.Selection.Params()...)
	}
	add("soft delete", restore.ShowDeleted(l.Endpoint.Endpoint)...)
	l.GuardOrders(func(place string, err error) { b.fault(l.Resource.Path, place, err) })
	refuseUnseen(l)
}

// refuseUnseen adds the error codes of a list whose parameters use fields that only some callers see.
func refuseUnseen(l *listing.List) {
	if l.Guarded() {
		l.Endpoint.Refuses = append(slices.Clip(l.Endpoint.Refuses), problem.CodeForbidden, problem.CodeAuthenticationRequired)
	}
}

// searches adds the query parameters of the expression, the search and the ranked search of a list. It also binds the
// ranked search, and adds the tables that it reads to r.Needed.
func (b *binder) searches(l *listing.List, add func(place string, ps ...query.Param)) {
	r := l.Resource
	if r.Expression != nil {
		add("filter expression", r.Expression.Parameter())
		l.GuardExpression(r.Expression)
	}
	if r.Search != nil {
		add("search", r.Search.Parameter())
		l.GuardSearch(r.Search)
	}
	if l.BindRanker(b.at(r, "ranked")); l.Ranker != nil {
		add("ranked", l.Ranker.Param)
		r.Needed = append(r.Needed, l.Ranker.Tables...)
	}
}

// filterPlace is the place of mistakes in a filter. It includes the text of the filter's method
// String, if there is one and the text is not empty.
func filterPlace(f query.Filter) string {
	if named, ok := f.(fmt.Stringer); ok && named.String() != "" {
		return fmt.Sprintf("filter %q", named.String())
	}
	return "filter"
}

// checkFilled checks the input of a PATCH that a function serves. A field that the body lacks
// is filled with the row's value, so it needs the type of its column. An Optional and a
// pointer need not: they show the function that the field is absent.
func checkFilled(r *table.Resource, in *input.Shape, fault func(error)) {
	for _, f := range in.Fields {
		column := bunmodel.ColumnOf(r.Table, f.GoName)
		if column != nil && column.StructField.Type != f.Typ && !f.Value.Optional && f.Typ.Kind() != reflect.Pointer {
			fault(naming.Sentence("%w, or make it an Optional", bunmodel.TwoTypes(in.Typ, f.GoName, f.Typ, r.Model.Name(), column)))
		}
	}
}
