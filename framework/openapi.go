package framework

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"
)

// Document is the reference of the whole API as OpenAPI 3.1, in the format
// "json" or "yaml": what the server answers at {prefix}/openapi.json and .yaml.
// It is made of the declarations alone, and the same for the same declarations.
func (a *API) Document(format string) ([]byte, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	spec, err := a.spec()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	document, err := readOrdered(text)
	if err != nil {
		return nil, err
	}
	a.inOrder(document)
	switch format {
	case "json":
		return append(indentJSON(nil, document, ""), '\n'), nil
	case "yaml":
		return []byte(yamlOf(document, "")), nil
	}
	return nil, sentence("the reference is written as json or yaml, not as %q", format)
}

// inOrder puts paths, and the methods of each, in the order of declaration.
func (a *API) inOrder(document any) {
	root, _ := document.(members) // it is an object
	var paths []string
	methods := map[string][]string{}
	for _, e := range a.endpoints() {
		path := a.info(e).Path
		paths = append(paths, path)
		methods[path] = append(methods[path], strings.ToLower(e.route.Method))
	}
	all := root.at("paths")
	all.sortBy(paths)
	for _, path := range paths {
		all.at(path).sortBy(methods[path])
	}
}

// A specWriter writes the reference. This is the only file that knows
// openapi-go.
type specWriter struct {
	api     *API
	spec    *openapi31.Spec
	schemas *schemas
	ids     map[string]bool
}

func (a *API) spec() (*openapi31.Spec, error) {
	w := &specWriter{api: a, schemas: newSchemas(a.resources), ids: map[string]bool{}, spec: &openapi31.Spec{Openapi: "3.1.0"}}
	w.spec.Info.WithTitle(a.config.Title).WithVersion(a.config.Version).WithDescription(strings.TrimSpace(a.config.Doc + "\n\n" + conventions))
	w.spec.WithServers(openapi31.Server{URL: "/"})
	w.problems()
	for _, e := range a.endpoints() {
		if err := w.operation(e); err != nil {
			return nil, fmt.Errorf("the reference of %s %s: %w", e.route.Method, e.pattern, err)
		}
	}
	if tags := w.spec.Tags; len(tags) > 1 {
		w.spec.Tags = slices.Concat(tags[1:], tags[:1]) // the services, then the root
	}
	for name, s := range w.schemas.named {
		w.spec.ComponentsEns().WithSchemasItem(name, s)
	}
	for name, value := range w.examples() {
		w.spec.ComponentsEns().WithExamplesItem(name, openapi31.ExampleOrReference{Example: example(w.api.codes[name].Title, value)})
	}
	for _, h := range standardHeaders {
		w.spec.ComponentsEns().WithHeadersItem(h.Name, openapi31.HeaderOrReference{Header: header(h)})
	}
	return w.spec, errorsOf(w.schemas.faults)
}

func errorsOf(faults []error) error {
	if len(faults) == 0 {
		return nil
	}
	return faults[0]
}

// conventions hold for every operation, so none repeats them.
const conventions = "Bodies are JSON in UTF-8, at most 1 MiB. Ids are UUIDs, times are RFC 3339 in UTC. " +
	"Refusals are problems as RFC 9457 has them; the member code is stable, and type is a page that explains it: [/errors/](/errors/) lists all. " +
	"Besides what its operations list, any path may answer 401, 403, 429, 500 or 503, one that is not there 404, and a method that a path does not have 405. " +
	"What of a request has no effect is named in the header Trestle-Ignored. Every path is served with and without its last slash, " +
	"HEAD wherever there is GET, and OPTIONS tells what a path takes. " +
	"Text loses the white space at both ends. One line of text has no control characters, and none that turn the direction of writing."

// operation adds one endpoint.
func (w *specWriter) operation(e *endpoint) error {
	method, path := e.route.Method, w.api.info(e).Path
	op := openapi31.Operation{}
	op.WithID(w.unused(e.id())).WithSummary(e.summary()).WithDescription(w.prefixed(e.description())).WithTags(w.tag(e))
	w.parameters(&op, e)
	w.body(&op, e)
	w.responses(&op, e)
	op.Security = w.security(e)
	return w.spec.SetupOperation(method, path, func(o *openapi31.Operation) error { *o = op; return nil })
}

// unused is an id that no other operation has.
func (w *specWriter) unused(id string) string {
	free := id
	for n := 2; w.ids[free]; n++ {
		free = id + strconv.Itoa(n)
	}
	w.ids[free] = true
	return free
}

// tag is the service of an endpoint, which the document lists in order.
func (w *specWriter) tag(e *endpoint) string {
	tag := openapi31.Tag{Name: w.api.config.Title}
	tag.WithDescription("The API as a whole.")
	if s := e.resource.declaration.service; s != nil {
		tag.Name = s.Name
		tag.WithDescription(s.Doc)
	}
	if !slices.ContainsFunc(w.spec.Tags, func(known openapi31.Tag) bool { return known.Name == tag.Name }) {
		w.spec.Tags = append(w.spec.Tags, tag)
	}
	return tag.Name
}

func (w *specWriter) parameters(op *openapi31.Operation, e *endpoint) {
	add := func(p openapi31.Parameter) { op.Parameters = append(op.Parameters, p.ToParameterOrRef()) }
	if strings.Contains(e.pattern, ":id") {
		p := openapi31.Parameter{Name: e.resource.keyName(), In: openapi31.ParameterInPath, Schema: w.schemas.out(e.resource.key.IndirectType)}
		p.WithRequired(true).WithDescription("The " + e.resource.noun() + "'s " + e.resource.keyName() + ".")
		add(p)
	}
	for _, param := range e.params {
		add(w.queryParameter(e, param))
	}
	for _, h := range e.takes {
		p := openapi31.Parameter{Name: h.Name, In: openapi31.ParameterInHeader, Schema: jsonSchema{"type": "string"}}
		if h.Required {
			p.WithRequired(true)
		}
		add(*p.WithDescription(w.prefixed(h.Doc)))
	}
	if e.idempotent {
		key := jsonSchema{"type": "string", "pattern": "^[!-~]+$", "minLength": 1, "maxLength": 512}
		p := openapi31.Parameter{Name: "Idempotency-Key", In: openapi31.ParameterInHeader, Schema: key}
		add(*p.WithDescription("A key of the client's own. For 24 hours the same request with the same key is done once, and answered as it was the first time."))
	}
}

func (w *specWriter) queryParameter(e *endpoint, param Param) openapi31.Parameter {
	p := openapi31.Parameter{Name: param.Name, In: openapi31.ParameterInQuery}
	var one jsonSchema
	if f := e.inputField(param.Name); f != nil {
		one = w.schemas.taken(f, false, false)
		p.WithRequired(f.required)
	} else {
		one = w.schemas.out(param.typ())
	}
	if param.Enum != nil {
		one["enum"] = literals(param.typ(), param.Enum)
	}
	if param.Minimum != nil {
		one["minimum"] = param.Minimum
	}
	if param.Default != nil {
		one["default"] = param.Default
	}
	p.Schema = one
	if param.List {
		p.Schema = jsonSchema{"type": "array", "items": one}
		p.WithStyle(openapi31.ParameterStyleForm).WithExplode(false)
	}
	if param.Doc != "" {
		p.WithDescription(param.Doc)
	}
	return p
}

// typ is the type of one value.
func (p Param) typ() reflect.Type {
	if p.Type == nil {
		return reflect.TypeFor[string]()
	}
	return p.Type
}

// inputField is the field of a GET's input that a parameter fills.
func (e *endpoint) inputField(name string) *inputField {
	if e.input == nil || e.route.Method != http.MethodGet {
		return nil
	}
	return e.input.byName[name]
}

func (w *specWriter) body(op *openapi31.Operation, e *endpoint) {
	if !e.takesBody() || len(e.input.fields) == 0 {
		return
	}
	body := openapi31.RequestBody{}
	body.WithRequired(!e.needsNoBody())
	body.WithContentItem("application/json", openapi31.MediaType{Schema: w.schemas.in(e.input, e.route.Name == verbPatch, e.resource.strict)})
	op.WithRequestBody(openapi31.RequestBodyOrReference{RequestBody: &body})
}

func (w *specWriter) responses(op *openapi31.Operation, e *endpoint) {
	op.Responses = &openapi31.Responses{MapOfResponseOrReferenceValues: map[string]openapi31.ResponseOrReference{}}
	for _, status := range e.successes() {
		op.Responses.MapOfResponseOrReferenceValues[strconv.Itoa(status)] = openapi31.ResponseOrReference{Response: w.success(e, status)}
	}
	for status, codes := range e.refusals() {
		op.Responses.MapOfResponseOrReferenceValues[strconv.Itoa(status)] = w.refusal(e, status, codes)
	}
}

func (w *specWriter) success(e *endpoint, status int) *openapi31.Response {
	r := &openapi31.Response{Description: http.StatusText(status), Headers: w.headers(e.headers())}
	for _, h := range e.ownHeaders() {
		r.Headers[h.Name] = openapi31.HeaderOrReference{Header: header(h)}
	}
	if status == http.StatusCreated && e.kind == verbAccepts && e.resource.declaration.verbs.Retrieve.kind != verbAbsent && !e.resource.declaration.single {
		maps.Copy(r.Headers, w.headers([]string{headerLocation}))
		if e.resource.key != e.resource.pk { // which may be blank, and then has no address
			loosen(r.Headers, headerLocation)
		}
	}
	if e.idempotent {
		maps.Copy(r.Headers, w.headers([]string{headerReplayed}))
	}
	if body := w.answer(e); body != nil {
		r.WithContentItem("application/json", openapi31.MediaType{Schema: body})
	}
	return r
}

// answer is the schema of an endpoint's success, nil for none.
func (w *specWriter) answer(e *endpoint) jsonSchema {
	switch {
	case e.resource.path == "":
		return jsonSchema{"type": "object", "additionalProperties": jsonSchema{"type": "string", "format": "uri-reference"}}
	case e.out == noneType || e.out == nil:
		return nil
	case e.pagination != nil:
		return w.list(e)
	}
	return w.schemas.out(e.out)
}

// list is a page of rows: the members that a class of pagination answers, to a
// page among others and to an empty one.
func (w *specWriter) list(e *endpoint) jsonSchema {
	rows := jsonSchema{"type": "array", "items": w.schemas.out(e.out)}
	full := e.envelope(Page{Window: Window{Limit: 10, Offset: 10, Number: 2}, Total: Total{Count: 30, Known: true}, Rows: 10, More: true})
	empty := e.envelope(Page{Window: Window{Limit: 10, Number: 1}})
	properties, required := members{}, []any{}
	for _, m := range full {
		if m.Name == "" {
			return rows
		}
		if empty.has(m.Name) {
			required = append(required, m.Name)
		}
		properties.add(m.Name, described(w.member(m, rows), m.Doc))
	}
	for _, m := range empty {
		if !full.has(m.Name) {
			properties.add(m.Name, described(w.member(m, rows), m.Doc))
		}
	}
	name := title(strings.Join(e.resource.words(), " ")) + "Page"
	w.schemas.named[name] = object(properties, required)
	return schemaOf(name)
}

// envelope is what the list answers to a page, none if it would refuse.
func (e *endpoint) envelope(p Page) Envelope {
	p.Link = func(url.Values) string { return "/" }
	envelope, _ := e.pagination.Envelope(p)
	return envelope
}

func (e Envelope) has(name string) bool {
	return slices.ContainsFunc(e, func(m Member) bool { return m.Name == name })
}

func (w *specWriter) member(m Member, rows jsonSchema) jsonSchema {
	if _, isRows := m.Value.(Items); isRows {
		return rows
	}
	if m.Value == nil {
		return jsonSchema{}
	}
	return w.schemas.out(reflect.TypeOf(m.Value))
}

// refusal is what an endpoint answers with a status that refuses. Those that
// refuse by the same few codes share one, which is named by them.
func (w *specWriter) refusal(e *endpoint, status int, codes []string) openapi31.ResponseOrReference {
	media, _ := w.api.config.ErrorShape.Shape(w.sample(codes[0]))
	r := &openapi31.Response{Description: w.meanings(codes), Headers: w.headers(headersOf(status, codes))}
	loosen(r.Headers, sometimes(status)...)
	extra := false
	for _, h := range append(w.usualHeaders(), e.ownHeaders()...) {
		r.Headers[h.Name] = openapi31.HeaderOrReference{Header: header(h)}
		extra = extra || !slices.ContainsFunc(w.usualHeaders(), func(usual Header) bool { return usual.Name == h.Name })
	}
	told := openapi31.MediaType{Schema: w.problem(status, codes), Examples: map[string]openapi31.ExampleOrReference{}}
	for _, code := range codes {
		told.Examples[code] = openapi31.ExampleOrReference{Reference: &openapi31.Reference{Ref: "#/components/examples/" + code}}
	}
	r.WithContentItem(media, told)
	if len(codes) > mostInName || extra {
		return openapi31.ResponseOrReference{Response: r}
	}
	name := title(strings.Join(codes, " or "))
	w.spec.ComponentsEns().WithResponsesItem(name, openapi31.ResponseOrReference{Response: r})
	return openapi31.ResponseOrReference{Reference: &openapi31.Reference{Ref: "#/components/responses/" + name}}
}

// mostInName is how many codes a name is made of; a longer one reads badly.
const mostInName = 3

// usualHeaders are those that the API's own schemes, throttles and permission
// set, so that any answer may have them.
func (w *specWriter) usualHeaders() []Header {
	c := w.api.config
	return (&endpoint{door: door{c.Authentication, c.Throttles, c.Permission}}).ownHeaders()
}

func example(summary string, value any) *openapi31.Example {
	e := &openapi31.Example{}
	return e.WithSummary(summary).WithValue(value)
}

func (w *specWriter) headers(names []string) map[string]openapi31.HeaderOrReference {
	all := map[string]openapi31.HeaderOrReference{}
	for _, name := range names {
		if slices.ContainsFunc(standardHeaders, func(h Header) bool { return h.Name == name }) {
			all[name] = openapi31.HeaderOrReference{Reference: &openapi31.Reference{Ref: "#/components/headers/" + name}}
		}
	}
	return all
}

func header(h Header) *openapi31.Header {
	described := &openapi31.Header{Schema: jsonSchema{"type": "string"}}
	if h.Required {
		described.WithRequired(true)
	}
	return described.WithDescription(h.Doc)
}

// loosen tells of standard headers that an answer may have, and need not.
func loosen(headers map[string]openapi31.HeaderOrReference, names ...string) {
	for _, h := range standardHeaders {
		if _, has := headers[h.Name]; has && slices.Contains(names, h.Name) {
			h.Required = false
			headers[h.Name] = openapi31.HeaderOrReference{Header: header(h)}
		}
	}
}

// security are the ways to send credentials, of which one is enough; the empty
// one is for callers who need none.
func (w *specWriter) security(e *endpoint) []map[string][]string {
	var ways []map[string][]string
	for _, scheme := range e.authentication {
		for _, way := range securityOf(scheme, e.route.Method) {
			names := map[string][]string{}
			for _, s := range way {
				names[s.Name] = []string{}
				w.spec.ComponentsEns().WithSecuritySchemesItem(s.Name, openapi31.SecuritySchemeOrReference{SecurityScheme: w.securityScheme(s)})
			}
			if !slices.ContainsFunc(ways, func(known map[string][]string) bool { return maps.EqualFunc(known, names, slices.Equal) }) {
				ways = append(ways, names)
			}
		}
	}
	if e.admits(nil) || len(ways) == 0 {
		ways = append([]map[string][]string{{}}, ways...)
	}
	return ways
}

func (w *specWriter) securityScheme(s SecurityScheme) *openapi31.SecurityScheme {
	told := &openapi31.SecurityScheme{}
	switch {
	case s.Scheme == "bearer":
		bearer := openapi31.SecuritySchemeHTTPBearer{Scheme: s.Scheme}
		if s.Format != "" {
			bearer.WithBearerFormat(s.Format)
		}
		told.WithHTTPBearer(bearer)
	case s.Scheme != "":
		told.WithHTTP(openapi31.SecuritySchemeHTTP{Scheme: s.Scheme})
	default:
		told.WithAPIKey(openapi31.SecuritySchemeAPIKey{Name: s.Key, In: openapi31.SecuritySchemeAPIKeyIn(s.In)})
	}
	return told.WithDescription(w.prefixed(s.Doc))
}

// prefixed is a text in which {prefix} stands for the API's own.
func (w *specWriter) prefixed(text string) string {
	return strings.ReplaceAll(text, "{prefix}", w.api.config.Prefix)
}
