package framework

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A binder turns declarations into resources and collects every mistake.
type binder struct {
	api      *registry
	declared []*declaration
	mistakes []*mistake
	after    []func() // what is left to do when all resources are bound
}

// bindAll checks the declarations and makes the resources of the registry. The error has
// every mistake, a line each.
func bindAll(a *registry, declared []*declaration) error {
	if a.config.DB == nil {
		return naming.Sentence("framework.Config: DB is not set; open one with sqldb.Open")
	}
	a.resources, a.codes = nil, map[string]problem.CodeInfo{}
	for _, code := range append(slices.Clone(problem.BuiltinCodes), a.config.Codes...) {
		if !code.IsFault() {
			a.codes[code.Code] = code
		}
	}
	a.rows = newFunctions(a)
	b := &binder{api: a, declared: declared}
	b.checkConfig()
	for _, d := range declared {
		b.open(d)
	}
	b.bindReserved()
	for _, r := range a.resources {
		b.bind(r)
	}
	for _, fn := range b.after {
		fn()
	}
	b.checkShadows()
	b.checkTags()
	newCatalog(a).findSignIn()
	b.checkShapes()
	b.checkIDs()
	return b.err()
}

// A mistake is one sentence about a declaration, with every place it holds for.
type mistake struct {
	resource string
	places   []string
	text     string
}

// fault reports a mistake: the resource, the place, and what is wrong there.
// The same in several places is told once.
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

// err is every mistake, a line each; nil for none.
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

// at reports mistakes of one place.
func (b *binder) at(r *resource, place string) func(error) {
	return func(err error) { b.fault(r.path, place, err) }
}

var pathName = regexp.MustCompile(`^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$`)

// open finds what other declarations may refer to: name, model and fields.
func (b *binder) open(d *declaration) {
	name := d.path()
	if !pathName.MatchString(name) {
		b.fault(fmt.Sprintf("%q", name), "", naming.Sentence("the name of a viewset is its path: letters, digits, - and _"))
		return
	}
	for _, other := range b.api.resources {
		if other.path == name {
			b.fault(name, "", naming.Sentence("this name is registered twice, for %s and %s", other.model.Name(), d.model.Name()))
			return
		}
	}
	model, err := b.api.tableOf(d.model)
	if err == nil && len(model.PKs) != 1 {
		err = naming.Sentence("%s must have one primary key, tagged `bun:\",pk\"`; it has %d", d.model.Name(), len(model.PKs))
	}
	if err != nil {
		b.fault(name, "", err)
		return
	}
	r := &resource{
		api: b.api, declaration: d, path: name, model: d.model, table: model, pk: model.PKs[0], key: model.PKs[0],
		names: map[string]Field{}, shown: map[reflect.Type]representation{}, inputs: map[reflect.Type]*input.Shape{},
	}
	r.insertSkips, r.saveSkips = hooksOfInsert().skipped("Insert", d.model), hooksOfUpdate().skipped("Save", d.model)
	r.inserting = sqldb.NewTemplate(r.insertWhole)
	b.settle(r)
	b.nameFields(r)
	b.useModels(r)
	b.api.resources = append(b.api.resources, r)
}

// settle resolves what a viewset inherits.
func (b *binder) settle(r *resource) {
	d := r.declaration
	r.strict = cmp.Or(d.strict, b.api.config.Strict) == Strict
	r.slash = "/"
	if cmp.Or(d.slash, b.api.config.Slash) == WithoutSlash {
		r.slash = ""
	}
	r.door = door{
		authentication: naming.Inherited(d.authentication, b.api.config.Authentication),
		throttles:      naming.Inherited(d.throttles, b.api.config.Throttles),
		permission:     cmp.Or(d.permission, b.api.config.Permission),
	}
	r.created, r.updated = timeColumn(r.table, "CreatedAt"), timeColumn(r.table, "UpdatedAt")
}

// timeColumn finds a time the framework stamps by its conventional name.
func timeColumn(model *schema.Table, goName string) *schema.Field {
	if f := columnOf(model, goName); f != nil && f.IndirectType == naming.TimeType {
		return f
	}
	return nil
}

// nameFields learns the client's names from every shape of the viewset.
func (b *binder) nameFields(r *resource) {
	for _, v := range r.declaration.verbs {
		for _, shape := range []reflect.Type{v.in, v.out} {
			if shape == nil || shape.Kind() != reflect.Struct {
				continue
			}
			for f := range naming.ShapeFields(shape) {
				b.nameField(r, v.name, shape, f)
			}
		}
	}
}

func (b *binder) nameField(r *resource, verb string, shape reflect.Type, f reflect.StructField) {
	column := columnOf(r.table, f.Name)
	if column == nil {
		return
	}
	if _, err := input.EnumValues(column.IndirectType); err != nil {
		b.fault(r.path, verb, err)
	}
	name := naming.JSONName(f)
	if known, ok := r.names[name]; ok && known.Column != column {
		b.fault(r.path, verb, naming.Sentence("%s calls %s %q, another shape calls %s that", shape.Name(), f.Name, name, known.GoName))
		return
	}
	r.names[name] = r.fieldOf(name, column)
}

// bind resolves every name of a declaration and makes its endpoints.
func (b *binder) bind(r *resource) {
	d := r.declaration
	fault := func(place string, err error) { b.fault(r.path, place, err) }
	r.scope = bindScope(r, d.scope, fault)
	checkPermission(d.permission, b.at(r, "permission"))
	checkListed(d.authentication, "authenticator", b.at(r, "authentication"))
	checkListed(d.throttles, "throttle", b.at(r, "throttles"))
	if d.lookup != "" {
		if f, err := r.Field(d.lookup); err != nil {
			fault("lookup", err)
		} else {
			r.key = f.Column
		}
	}
	r.search = bindSearch(r, d.search, fault)
	r.ordering = bindOrdering(r, d.ordering, fault)
	r.bindUnindexed(fault)
	b.bindConstraints(r)
	b.bindVerbs(r)
	b.bindActions(r)
}

func (b *binder) bindVerbs(r *resource) {
	verbs := r.declaration.verbs
	offered := 0
	for _, v := range verbs {
		if v.kind == verbAbsent {
			continue
		}
		offered++
		b.bindVerb(r, v)
	}
	list, one := r.declaration.verbs.get(verbList), r.declaration.verbs.get(verbRetrieve)
	if len(b.mistakes) == 0 && list.out != nil && list.out == one.out && list.kind != one.kind {
		b.fault(r.path, "list, retrieve", naming.Sentence("%s is shown by one and computed by the other; give each a type of its own", list.out.Name()))
	}
	if offered == 0 && len(r.declaration.actions) == 0 {
		b.fault(r.path, "", naming.Sentence("it offers nothing; declare Verbs or Actions"))
	}
}

func (b *binder) bindVerb(r *resource, v namedVerb) {
	fault := b.at(r, v.name)
	switch {
	case v.empty:
		fault(naming.Sentence("framework.%s was given no function", v.constructor()))
		return
	case v.untransacted && v.kind != verbDoes && v.kind != verbChanges:
		fault(naming.Sentence("Untransacted is for Does and Changes; what the framework writes is one transaction"))
		return
	case v.idempotent && v.instead() != "":
		fault(naming.Sentence("Idempotent is for Does and Changes, whose function does all of the write; use framework.%s, not framework.%s", v.instead(), v.constructor()))
		return
	case v.name != verbList && (v.pagination != nil || v.filters != nil):
		fault(naming.Sentence("Paginate and Filter are for List"))
		return
	case v.kind == verbDoes && v.name != verbCreate && v.name != verbList && !r.declaration.single:
		fault(naming.Sentence("framework.Does is for Create, and for the verbs of a Single resource; use %s", kindNames(verbKinds[v.name])))
		return
	case !slices.Contains(verbKinds[v.name], v.kind) && (v.kind != verbDoes || v.name == verbList):
		fault(naming.Sentence("framework.%s cannot be used here; use %s", v.kind, kindNames(verbKinds[v.name])))
		return
	case v.model != nil && v.model != r.model:
		fault(naming.Sentence("its function takes a *%s, this viewset's model is %s", v.model.Name(), r.model.Name()))
		return
	case r.declaration.single && v.name == verbList:
		fault(naming.Sentence("a single resource has no list; use Retrieve"))
		return
	}
	e := b.newEndpoint(r, v.name, v.name, v.method, v.rules)
	e.onObject = v.onObject() && v.kind != verbDoes
	e.pattern = r.listPath()
	if v.onObject() {
		e.pattern = r.itemPath()
	}
	e.kind, e.out, e.doc = v.kind, v.out, v.doc
	checkHooks(r, v.kind, v.name, fault)
	b.shape(r, e, v, fault)
	r.endpoints = append(r.endpoints, e)
}

func kindNames(kinds []verbKind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.String()
	}
	return strings.Join(names, " or ")
}

// shape gives an endpoint its shapes and what it does with them.
func (b *binder) shape(r *resource, e *endpoint, v namedVerb, fault func(error)) {
	switch v.kind {
	case verbShows, verbComputes:
		shown := b.representation(r, v.verb, fault)
		if v.name == verbList {
			e.serve = reading(b.listing(r, e, shown, v.verb).serve)
			return
		}
		e.serve = reading(newItem(r, shown, e.statusOr(http.StatusOK)).serve)
	case verbAccepts:
		w := &writing{resource: r, endpoint: newHandler(e), verb: v.verb, shown: b.representation(r, v.verb, fault)}
		e.input = b.input(r, v.in, fault)
		b.bindWriting(w, fault)
		e.serve = w.serveOf(v.name)
	case verbDoes, verbChanges:
		e.input = b.input(r, v.in, fault)
		if v.name == verbPatch && v.kind == verbChanges {
			checkFilled(r, e.input, fault)
		}
		if e.route.Method == http.MethodGet {
			e.asks = true
			b.queryInput(e, v.in, fault)
		}
		e.out = v.out
		e.settleStatus()
		e.serve = custom{endpoint: newHandler(e), verb: v.verb}.serve
	case verbDeletes:
		e.out = input.NoneType
		e.settleStatus()
		e.serve = removal{resource: r, status: e.status}.serve
	}
}

// representation compiles how Out is shown; one per type and viewset, so that
// a write answers as List or Retrieve show it.
func (b *binder) representation(r *resource, v verb, fault func(error)) representation {
	if v.kind == verbComputes {
		shown := compileComputed(r, v, fault)
		r.shown[v.out] = shown
		return shown
	}
	if v.kind == verbAccepts {
		for _, read := range []verb{r.declaration.verbs.get(verbRetrieve), r.declaration.verbs.get(verbList)} {
			if read.kind == verbComputes && read.out == v.out && read.model == r.model {
				return compileComputed(r, read, func(error) {})
			}
		}
	}
	if known := r.shown[v.out]; known != nil {
		return known
	}
	shown := compilePlan(b.api, r.table, v.out, fault)
	r.shown[v.out] = shown
	return shown
}

// input compiles an input type; one per type and viewset.
func (b *binder) input(r *resource, in reflect.Type, fault func(error)) *input.Shape {
	if known := r.inputs[in]; known != nil {
		return known
	}
	shape, mistakes := input.CompileInput(in)
	for _, err := range mistakes {
		fault(err)
	}
	r.inputs[in] = shape
	for _, f := range shape.Refs() {
		target, err := b.api.lookUp(f.Ref)
		switch {
		case err != nil:
			fault(naming.Sentence("%s: %w", f.Place, err))
		case naming.Indirect(f.Typ) != target.pk.IndirectType:
			fault(naming.Sentence("%s is %s, but the keys of %s are %s", f.Place, f.Typ, f.Ref, target.pk.IndirectType))
		}
	}
	return shape
}

func (b *binder) listing(r *resource, e *endpoint, shown representation, v verb) *listing {
	e.asks = true
	l := &listing{resource: r, endpoint: newHandler(e), shown: shown, pagination: cmp.Or(v.pagination, r.declaration.pagination, b.api.config.Pagination)}
	if l.pagination == nil {
		b.fault(r.path, "list", naming.Sentence("no pagination; set Pagination in framework.Config or here, such as page.Number{Size: 20}"))
		return l
	}
	e.pagination, e.listed = l.pagination, append(e.listed, l.pagination)
	params := map[string]string{}
	add := func(place string, ps ...Param) {
		for _, p := range ps {
			if taken, ok := params[p.Name]; ok {
				b.fault(r.path, place, naming.Sentence("parameter %q is read by %s already", p.Name, taken))
			}
			params[p.Name] = place
			e.params = append(e.params, p)
		}
	}
	for i, f := range naming.Inherited(v.filters, r.declaration.filters) {
		if f == nil {
			b.fault(r.path, "filter", naming.Sentence("the filter at place %d is nil", i+1))
			continue
		}
		e.listed = append(e.listed, f)
		facts, place := newFacts(r), filterPlace(f)
		bound, err := f.Bind(facts)
		if err != nil {
			b.fault(r.path, place, err)
			continue
		}
		add(place, bound.Params...)
		r.seeks(place, bound, facts)
		l.filters = append(l.filters, bound)
	}
	b.asking(l, add)
	return l
}

// asking adds what a list is asked besides its filters.
func (b *binder) asking(l *listing, add func(place string, ps ...Param)) {
	r := l.resource
	if r.search != nil {
		doc := "Words that must all be contained in " + strings.Join(r.search.Fields, " or ") + "; quotes keep a phrase whole."
		add("search", Param{Name: r.search.Param, Doc: doc})
	}
	if l.ranker = bindRanker(r, b.at(r, "ranked")); l.ranker != nil {
		add("ranked", l.ranker.Param)
		r.needed = append(r.needed, l.ranker.Tables...)
	}
	add("ordering", r.ordering.params()...)
	add("pagination", l.pagination.Params()...)
}

// filterPlace is what mistakes call a filter: by its name, if it tells one.
func filterPlace(f Filter) string {
	if named, ok := f.(fmt.Stringer); ok && named.String() != "" {
		return fmt.Sprintf("filter %q", named.String())
	}
	return "filter"
}

func (b *binder) bindActions(r *resource) {
	taken := map[string]bool{}
	for _, a := range r.declaration.actions {
		place := fmt.Sprintf("action %q", a.name)
		fault := b.at(r, place)
		slot := fmt.Sprint(a.onObject, a.method, a.name)
		switch {
		case !pathName.MatchString(a.name) || a.onObject && strings.Contains(a.name, "/"):
			fault(naming.Sentence("an action's name is part of its path: letters, digits, - and _, and / where it is on the collection"))
			continue
		case isVerb(a.name):
			fault(naming.Sentence("it has the name of a verb; declare Verbs, or choose another name"))
			continue
		case a.empty:
			fault(naming.Sentence("it has no function"))
			continue
		case taken[slot]:
			fault(naming.Sentence("it is declared twice for %s", a.method))
			continue
		case (!a.onObject || r.declaration.single) && collides(r, a):
			fault(naming.Sentence("its path is that of another resource, or of an action of one"))
			continue
		}
		taken[slot] = true
		e := b.newEndpoint(r, place, a.name, a.method, a.rules)
		e.onObject, e.doc, e.out = a.onObject, a.doc, a.out
		base := "/" + r.path
		if a.onObject {
			hooksOfSelect().check(r.model, fault)
			base = strings.TrimSuffix(r.itemPath(), "/")
		}
		e.pattern = base + "/" + a.name + r.slash
		e.input = b.input(r, a.in, fault)
		if a.method == http.MethodGet {
			e.asks = true
			b.queryInput(e, a.in, fault)
		}
		e.settleStatus()
		b.act(e, a, fault)
		r.endpoints = append(r.endpoints, e)
	}
}

// act gives an action's endpoint what it does.
func (b *binder) act(e *endpoint, a action, fault func(error)) {
	if a.related == nil {
		e.serve = acting{endpoint: newHandler(e), action: a}.serve
		return
	}
	e.serve = reading(b.bindRelated(e, a.related, fault))
	e.refuses = append(slices.Clip(e.refuses), problem.CodeTooManyRows)
}

// newEndpoint checks an endpoint's own rules and resolves those that it inherits.
func (b *binder) newEndpoint(r *resource, place, name, method string, own rules) *endpoint {
	b.checkStatus(r, place, own.status)
	b.checkCodes(r, place, own.refuses)
	checkIdempotent(own, method, b.at(r, place))
	checkRules(own, b.at(r, place))
	return &endpoint{
		resource: r, route: Route{ViewSet: r.path, Name: name, Method: method}, status: own.status,
		untransacted: own.untransacted, idempotent: own.idempotent, refuses: own.refuses, named: own.named, sends: own.sends, takes: own.takes,
		signsIn: own.signsIn,
		door: door{
			permission:     cmp.Or(own.permission, r.door.permission),
			authentication: naming.Inherited(own.authentication, r.door.authentication),
			throttles:      naming.Inherited(own.throttles, r.door.throttles),
		},
	}
}

// queryInput makes the input of a GET action its query parameters.
func (b *binder) queryInput(e *endpoint, in reflect.Type, fault func(error)) {
	for _, f := range e.input.Fields {
		t := naming.Indirect(f.Typ)
		if f.Value.Optional {
			t = naming.Indirect(input.OptionalValue(f.Typ))
		}
		if f.Nested != nil || t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Interface {
			fault(naming.Sentence("%s.%s is %s; GET reads its input from the query string, one plain value each", in.Name(), f.GoName, f.Typ))
			continue
		}
		e.params = append(e.params, Param{Name: f.Name, Doc: f.Doc, Type: t, Enum: f.Enum})
	}
}

// useModels finds the tables of the models that only functions use.
func (b *binder) useModels(r *resource) {
	for _, model := range r.declaration.models {
		t := reflect.TypeOf(model)
		if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
			b.fault(r.path, "models", naming.Sentence("%T is no pointer to a model; write it as (*Slot)(nil)", model))
			continue
		}
		table, err := b.api.tableOf(t.Elem())
		if err != nil {
			b.fault(r.path, "models", err)
			continue
		}
		r.models = append(r.models, table)
	}
}

// checkFilled sees that the fields that a PATCH leaves out can be filled with
// the row's values, or tell by themselves that they were left out.
func checkFilled(r *resource, in *input.Shape, fault func(error)) {
	for _, f := range in.Fields {
		if column := columnOf(r.table, f.GoName); column != nil && column.StructField.Type != f.Typ && !f.Value.Optional && f.Typ.Kind() != reflect.Pointer {
			fault(naming.Sentence("%w, or make it an Optional", twoTypes(in.Typ, f.GoName, f.Typ, column)))
		}
	}
}

// checkRules sees that an endpoint's own door asks for what can be held, and has no
// part that is nil.
func checkRules(own rules, fault func(error)) {
	checkPermission(own.permission, fault)
	checkListed(own.authentication, "authenticator", fault)
	checkListed(own.throttles, "throttle", fault)
}

// checkListed sees that no authenticator or throttle of a list is nil.
func checkListed[T any](list []T, what string, fault func(error)) {
	for i, one := range list {
		if any(one) == nil {
			fault(naming.Sentence("the %s at place %d is nil", what, i+1))
		}
	}
}
