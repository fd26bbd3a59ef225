package bind

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/internal/view"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// A binder turns declarations into resources and collects every mistake.
type binder struct {
	api      *table.Registry
	declared []*declare.Declaration
	mistakes []*mistake
	after    []func() // run when all resources are bound
}

// BindAll checks the declarations and replaces the resources and the error codes of the
// registry. Without a database, this is the only error and nothing changes. Otherwise, the error
// lists every mistake, one per line, and the registry is not complete.
func BindAll(a *table.Registry, declared []*declare.Declaration) error {
	if a.Config.DB == nil {
		return naming.Sentence("framework.Config: DB is not set; open one with sqldb.Open")
	}
	a.Resources, a.Codes = nil, map[string]problem.CodeInfo{}
	for _, code := range append(problem.BuiltinCodes(), a.Config.Codes...) {
		if !code.IsFault() {
			a.Codes[code.Code] = code
		}
	}
	a.Rows = verb.NewFunctions(a)
	b := &binder{api: a, declared: declared}
	b.checkConfig()
	for _, d := range declared {
		b.open(d)
	}
	b.bindReserved()
	for _, r := range a.Resources {
		b.bind(r)
	}
	for _, fn := range b.after {
		fn()
	}
	b.checkShadows()
	b.checkTags()
	describe.NewCatalog(a).FindSignIn()
	b.checkShapes()
	b.checkIDs()
	return b.err()
}

// A mistake is one sentence about the declaration of a resource, and lists the places in the
// declaration that have this mistake.
type mistake struct {
	resource string
	places   []string
	text     string
}

// fault records a mistake at a place of a resource's declaration; "" is the declaration as a
// whole. If the same mistake is in several places, the report lists it once with all of them.
func (b *binder) fault(resource, place string, err error) {
	for _, m := range b.mistakes {
		if m.resource == resource && m.text == err.Error() {
			if place != "" && !slices.Contains(m.places, place) {
				m.places = append(m.places, place)
			}
			return
		}
	}
	m := &mistake{resource: resource, text: err.Error()}
	if place != "" {
		m.places = []string{place}
	}
	b.mistakes = append(b.mistakes, m)
}

// err returns every mistake, one per line, or nil without mistakes.
func (b *binder) err() error {
	var lines []error
	for _, m := range b.mistakes {
		text := m.resource + ": "
		if len(m.places) > 0 {
			text += strings.Join(m.places, ", ") + ": "
		}
		lines = append(lines, errors.New(text+m.text))
	}
	return errors.Join(lines...)
}

// later runs fn when all resources are bound.
func (b *binder) later(fn func()) { b.after = append(b.after, fn) }

// at returns a function that records a mistake at one place of the resource's declaration.
func (b *binder) at(r *table.Resource, place string) func(error) {
	return func(err error) { b.fault(r.Path, place, err) }
}

var pathName = regexp.MustCompile(`^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$`)

// open adds the resource of a declaration to the registry, with the parts that other
// declarations may refer to: its path, its model and the names of its fields. If the path is
// invalid or registered already, or if the model is unusable or does not have exactly one
// primary key, it reports this and adds nothing.
func (b *binder) open(d *declare.Declaration) {
	name := d.Path()
	if !pathName.MatchString(name) {
		b.fault(fmt.Sprintf("%q", name), "", naming.Sentence("the name of a viewset is its path: letters, digits, - and _"))
		return
	}
	for _, other := range b.api.Resources {
		if other.Path == name {
			b.fault(name, "", naming.Sentence("this name is registered twice, for %s and %s", other.Model.Name(), d.Model.Name()))
			return
		}
	}
	model, err := b.api.TableOf(d.Model)
	if err == nil && len(model.PKs) != 1 {
		err = naming.Sentence("%s must have one primary key, tagged `bun:\",pk\"`; it has %d", d.Model.Name(), len(model.PKs))
	}
	if err != nil {
		b.fault(name, "", err)
		return
	}
	r := &table.Resource{
		API: b.api, Declaration: d, Path: name, Model: d.Model, Table: model, Pk: model.PKs[0], Key: model.PKs[0],
		Names: map[string]query.Field{}, Shown: map[reflect.Type]table.Representation{}, Inputs: map[reflect.Type]*input.Shape{},
	}
	r.InsertSkips, r.SaveSkips = modelhook.OfInsert().Skipped("Insert", d.Model), modelhook.OfUpdate().Skipped("Save", d.Model)
	r.Inserting = sqldb.NewTemplate(r.InsertWhole)
	b.settle(r)
	b.nameFields(r)
	b.useModels(r)
	b.api.Resources = append(b.api.Resources, r)
}

// settle sets the strictness, the slash and the access check of a viewset: its own settings, or
// else those of the API. It also finds the columns of its timestamps.
func (b *binder) settle(r *table.Resource) {
	d := r.Declaration
	r.Strict = cmp.Or(d.Strict, b.api.Config.Strict) == declare.Strict
	r.Slash = "/"
	if cmp.Or(d.Slash, b.api.Config.Slash) == declare.WithoutSlash {
		r.Slash = ""
	}
	r.Access = access.Check{
		Authentication: naming.Inherited(d.Authentication, b.api.Config.Authentication),
		Throttles:      naming.Inherited(d.Throttles, b.api.Config.Throttles),
		Permission:     cmp.Or(d.Permission, b.api.Config.Permission),
	}
	r.Created, r.Updated = timeColumn(r.Table, "CreatedAt"), timeColumn(r.Table, "UpdatedAt")
}

// timeColumn returns the column of a timestamp that the framework sets, by the name of its
// field; nil if the model has no such field of type [time.Time] or *time.Time.
func timeColumn(model *schema.Table, goName string) *schema.Field {
	if f := table.ColumnOf(model, goName); f != nil && f.IndirectType == naming.TimeType {
		return f
	}
	return nil
}

// nameFields records the names that clients use for fields, from the JSON names in every
// input and output type of the viewset's verbs.
func (b *binder) nameFields(r *table.Resource) {
	for _, v := range r.Declaration.Verbs {
		for _, shape := range []reflect.Type{v.In, v.Out} {
			if shape == nil || shape.Kind() != reflect.Struct {
				continue
			}
			for f := range naming.ShapeFields(shape) {
				b.nameField(r, v.Name, shape, f)
			}
		}
	}
}

func (b *binder) nameField(r *table.Resource, verb string, shape reflect.Type, f reflect.StructField) {
	column := table.ColumnOf(r.Table, f.Name)
	if column == nil {
		return
	}
	if _, err := datatype.EnumValues(column.IndirectType); err != nil {
		b.fault(r.Path, verb, err)
	}
	name := naming.JSONName(f)
	if known, ok := r.Names[name]; ok && known.Column != column {
		b.fault(r.Path, verb, naming.Sentence("%s calls %s %q, another shape calls %s that", shape.Name(), f.Name, name, known.GoName))
		return
	}
	r.Names[name] = r.FieldOf(name, column)
}

// bind resolves every name of a declaration and makes its endpoints.
func (b *binder) bind(r *table.Resource) {
	d := r.Declaration
	fault := func(place string, err error) { b.fault(r.Path, place, err) }
	r.Scope = table.BindScope(r, d.Scope, fault)
	access.CheckPermission(d.Permission, b.at(r, "permission"))
	checkListed(d.Authentication, "authenticator", b.at(r, "authentication"))
	checkListed(d.Throttles, "throttle", b.at(r, "throttles"))
	if d.Lookup != "" {
		if f, err := r.Field(d.Lookup); err != nil {
			fault("lookup", err)
		} else {
			r.Key = f.Column
		}
	}
	r.Search = table.BindSearch(r, d.Search, fault)
	r.Ordering = table.BindOrdering(r, d.Ordering, fault)
	r.BindUnindexed(fault)
	b.bindConstraints(r)
	b.bindVerbs(r)
	b.bindActions(r)
}

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
	if offered == 0 && len(r.Declaration.Actions) == 0 {
		b.fault(r.Path, "", naming.Sentence("it offers nothing; declare Verbs or Actions"))
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
	case v.Idempotent && v.Instead() != "":
		fault(naming.Sentence("Idempotent is for Does and Changes, whose function does all of the write; use framework.%s, not framework.%s", v.Instead(), v.Constructor()))
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
			e.Serve = verb.Reading(b.listing(r, e, shown, v.Verb).Serve)
			return
		}
		e.Serve = verb.Reading(verb.NewItem(r, shown, e.Status).Serve)
	case declare.VerbAccepts:
		w := &verb.Writing{Resource: r, Endpoint: verb.NewHandler(e), Verb: v.Verb, Shown: b.representation(r, v.Verb, fault)}
		e.Input = b.input(r, v.In, fault)
		b.bindWriting(w, fault)
		e.Serve = w.Serve()
	case declare.VerbDoes, declare.VerbChanges:
		e.Input = b.input(r, v.In, fault)
		if v.Name == call.VerbPatch && v.Kind == declare.VerbChanges {
			checkFilled(r, e.Input, fault)
		}
		if !e.IsWrite() {
			e.Asks = true
			b.queryInput(e, v.In, fault)
		}
		e.Serve = verb.Function{Endpoint: verb.NewHandler(e), Call: v.Run}.Serve()
	case declare.VerbDeletes:
		e.Serve = verb.Removal{Resource: r, Status: e.Status}.Serve
	}
}

// representation returns how the verb's output type is written. A verb of Computes gets a
// representation of its own. A write uses the function of Retrieve, or else of List, that
// computes the same type, so that it answers with the same JSON. Any other verb uses the known
// representation of the type, or compiles it.
func (b *binder) representation(r *table.Resource, v declare.Verb, fault func(error)) table.Representation {
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
	if known := r.Shown[v.Out]; known != nil {
		return known
	}
	shown := view.CompilePlan(b.api, r.Table, v.Out, fault)
	r.Shown[v.Out] = shown
	return shown
}

// input compiles an input type, and reports its mistakes and those of its references: an unknown
// viewset, or another type than the viewset's key. A viewset has one compiled input per type;
// only the first call reports.
func (b *binder) input(r *table.Resource, in reflect.Type, fault func(error)) *input.Shape {
	if known := r.Inputs[in]; known != nil {
		return known
	}
	shape, mistakes := input.CompileInput(in)
	for _, err := range mistakes {
		fault(err)
	}
	r.Inputs[in] = shape
	for _, f := range shape.Refs() {
		target, err := b.api.LookUp(f.Ref)
		switch {
		case err != nil:
			fault(naming.Sentence("%s: %w", f.Place, err))
		case naming.Indirect(f.Typ) != target.Pk.IndirectType:
			fault(naming.Sentence("%s is %s, but the keys of %s are %s", f.Place, f.Typ, f.Ref, target.Pk.IndirectType))
		}
	}
	return shape
}

func (b *binder) listing(r *table.Resource, e *table.Endpoint, shown table.Representation, v declare.Verb) *verb.Listing {
	e.Asks = true
	l := &verb.Listing{Resource: r, Endpoint: verb.NewHandler(e), Shown: shown}
	l.Pagination = cmp.Or(v.Pagination, r.Declaration.Pagination, b.api.Config.Pagination)
	if l.Pagination == nil {
		b.fault(r.Path, "list", naming.Sentence("no pagination; set Pagination in framework.Config or here, such as page.Number{Size: 20}"))
		return l
	}
	e.Pagination, e.Listed = l.Pagination, append(e.Listed, l.Pagination)
	params := map[string]string{}
	add := func(place string, ps ...query.Param) {
		for _, p := range ps {
			if taken, ok := params[p.Name]; ok {
				b.fault(r.Path, place, naming.Sentence("parameter %q is read by %s already", p.Name, taken))
			}
			params[p.Name] = place
			e.Params = append(e.Params, p)
		}
	}
	for i, f := range naming.Inherited(v.Filters, r.Declaration.Filters) {
		if f == nil {
			b.fault(r.Path, "filter", naming.Sentence("the filter at place %d is nil", i+1))
			continue
		}
		e.Listed = append(e.Listed, f)
		searched, place := &table.Searched{Resource: r}, filterPlace(f)
		bound, err := f.Bind(query.NewFacts(searched))
		if err != nil {
			b.fault(r.Path, place, err)
			continue
		}
		add(place, bound.Params...)
		r.Seeks(place, bound, searched)
		l.Filters = append(l.Filters, bound)
	}
	b.asking(l, add)
	return l
}

// asking adds the query parameters of a list that are not of its filters: search, rank, ordering
// and pagination. It also binds the ranked search, and adds the tables that it reads to
// r.Needed.
func (b *binder) asking(l *verb.Listing, add func(place string, ps ...query.Param)) {
	r := l.Resource
	if r.Search != nil {
		add("search", r.Search.Parameter())
	}
	if l.Ranker = table.BindRanker(r, b.at(r, "ranked")); l.Ranker != nil {
		add("ranked", l.Ranker.Param)
		r.Needed = append(r.Needed, l.Ranker.Tables...)
	}
	add("ordering", r.Ordering.Params()...)
	add("pagination", l.Pagination.Params()...)
}

// filterPlace is the place of mistakes in a filter. It includes the text of the filter's method
// String, if there is one and the text is not empty.
func filterPlace(f query.Filter) string {
	if named, ok := f.(fmt.Stringer); ok && named.String() != "" {
		return fmt.Sprintf("filter %q", named.String())
	}
	return "filter"
}

func (b *binder) bindActions(r *table.Resource) {
	taken := map[string]bool{}
	for _, a := range r.Declaration.Actions {
		place := fmt.Sprintf("action %q", a.Name)
		fault := b.at(r, place)
		slot := fmt.Sprint(a.OnObject, a.Method, a.Name)
		switch {
		case !pathName.MatchString(a.Name) || a.OnObject && strings.Contains(a.Name, "/"):
			fault(naming.Sentence("an action's name is part of its path: letters, digits, - and _, and / where it is on the collection"))
			continue
		case declare.IsVerb(a.Name):
			fault(naming.Sentence("it has the name of a verb; declare Verbs, or choose another name"))
			continue
		case a.Empty:
			fault(naming.Sentence("it has no function"))
			continue
		case taken[slot]:
			fault(naming.Sentence("it is declared twice for %s", a.Method))
			continue
		case (!a.OnObject || r.Declaration.Single) && collides(r, a):
			fault(naming.Sentence("its path is that of another resource, or of an action of one"))
			continue
		}
		taken[slot] = true
		e := b.newEndpoint(r, place, a.Name, a.Method, a.Rules)
		e.OnObject, e.Doc, e.Out = a.OnObject, a.Doc, a.Out
		base := "/" + r.Path
		if a.OnObject {
			modelhook.OfSelect().Check(r.Model, fault)
			base = strings.TrimSuffix(r.ItemPath(), "/")
		}
		e.Pattern = base + "/" + a.Name + r.Slash
		e.Input = b.input(r, a.In, fault)
		if !e.IsWrite() {
			e.Asks = true
			b.queryInput(e, a.In, fault)
		}
		e.Settle()
		b.act(e, a, fault)
		r.Endpoints = append(r.Endpoints, e)
	}
}

// act sets the function that serves an action's endpoint. For a related list, it also adds
// too_many_rows to the endpoint's error codes.
func (b *binder) act(e *table.Endpoint, a declare.Action, fault func(error)) {
	if a.Related == nil {
		e.Serve = verb.Function{Endpoint: verb.NewHandler(e), Call: a.Run}.Serve()
		return
	}
	e.Serve = verb.Reading(b.bindRelated(e, a.Related, fault))
	e.Refuses = append(slices.Clip(e.Refuses), problem.CodeTooManyRows)
}

// newEndpoint makes an endpoint, and reports mistakes in its own rules. A permission,
// authentication or throttles that are nil are taken from the viewset. The caller sets the path,
// the input, the output and the function.
func (b *binder) newEndpoint(r *table.Resource, place, name, method string, own declare.Rules) *table.Endpoint {
	b.checkStatus(r, place, own.Status)
	b.checkCodes(r, place, own.Refuses)
	declare.CheckIdempotent(own, method, b.at(r, place))
	checkRules(own, b.at(r, place))
	return &table.Endpoint{
		Resource: r, Route: call.Route{ViewSet: r.Path, Name: name, Method: method}, Status: own.Status, SignsIn: own.SignsIn,
		Untransacted: own.Untransacted, Idempotent: own.Idempotent, Refuses: own.Refuses, Named: own.Named, Sends: own.Sends, Takes: own.Takes,
		Check: access.Check{
			Permission:     cmp.Or(own.Permission, r.Access.Permission),
			Authentication: naming.Inherited(own.Authentication, r.Access.Authentication),
			Throttles:      naming.Inherited(own.Throttles, r.Access.Throttles),
		},
	}
}

// queryInput adds a query parameter for each field of the input of an endpoint that reads. A
// field that is an object, a slice, a map or an interface is reported and gets no parameter.
func (b *binder) queryInput(e *table.Endpoint, in reflect.Type, fault func(error)) {
	for _, f := range e.Input.Fields {
		t := naming.Indirect(f.Typ)
		if f.Value.Optional {
			t = naming.Indirect(input.OptionalValue(f.Typ))
		}
		if f.Nested != nil || t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Interface {
			fault(naming.Sentence("%s.%s is %s; GET reads its input from the query string, one plain value each", in.Name(), f.GoName, f.Typ))
			continue
		}
		e.Params = append(e.Params, query.Param{Name: f.Name, Doc: f.Doc, Type: t, Enum: f.Enum})
	}
}

// useModels adds the tables of the viewset's Models, which its functions use, to r.Models. It
// reports an entry that is not a pointer to a struct, or that bun cannot use.
func (b *binder) useModels(r *table.Resource) {
	for _, model := range r.Declaration.Models {
		t := reflect.TypeOf(model)
		if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
			b.fault(r.Path, "models", naming.Sentence("%T is no pointer to a model; write it as (*Slot)(nil)", model))
			continue
		}
		table, err := b.api.TableOf(t.Elem())
		if err != nil {
			b.fault(r.Path, "models", err)
			continue
		}
		r.Models = append(r.Models, table)
	}
}

// checkFilled checks the input of a PATCH that a function serves. A field that the body lacks
// is filled with the row's value, so it needs the type of its column. An Optional and a
// pointer need not: they show the function that the field is absent.
func checkFilled(r *table.Resource, in *input.Shape, fault func(error)) {
	for _, f := range in.Fields {
		column := table.ColumnOf(r.Table, f.GoName)
		if column != nil && column.StructField.Type != f.Typ && !f.Value.Optional && f.Typ.Kind() != reflect.Pointer {
			fault(naming.Sentence("%w, or make it an Optional", table.TwoTypes(in.Typ, f.GoName, f.Typ, column)))
		}
	}
}
