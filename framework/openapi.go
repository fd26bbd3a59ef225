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
	switch format {
	case "json":
		text, err := json.MarshalIndent(spec, "", "  ")
		return append(text, '\n'), err
	case "yaml":
		return spec.MarshalYAML()
	}
	return nil, sentence("the reference is written as json or yaml, not as %q", format)
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
	w := &specWriter{api: a, schemas: newSchemas(), ids: map[string]bool{}, spec: &openapi31.Spec{Openapi: "3.1.0"}}
	w.spec.Info.WithTitle(a.config.Title).WithVersion(a.config.Version).WithDescription(strings.TrimSpace(a.config.Doc + "\n\n" + conventions))
	w.spec.WithServers(openapi31.Server{URL: "/"})
	w.problems()
	for _, e := range a.endpoints() {
		w.answer(e) // what is shown has the first choice of names
	}
	for _, e := range a.endpoints() {
		if err := w.operation(e); err != nil {
			return nil, fmt.Errorf("the reference of %s %s: %w", e.route.Method, e.pattern, err)
		}
	}
	for name, s := range w.schemas.named {
		w.spec.ComponentsEns().WithSchemasItem(name, s)
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
	"Refusals are problems as RFC 9457 has them; the member code is stable, and type is a page that explains it. " +
	"What of a request has no effect is named in the header Trestle-Ignored. Every path is served with and without its last slash, " +
	"HEAD wherever there is GET, and OPTIONS tells what a path takes."

// operation adds one endpoint.
func (w *specWriter) operation(e *endpoint) error {
	method, path := e.route.Method, w.api.info(e).Path
	op := openapi31.Operation{}
	op.WithID(w.unused(e.id())).WithSummary(e.summary()).WithDescription(e.description()).WithTags(w.tag(e))
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
		p.WithRequired(true).WithDescription("Which one of " + strings.Join(e.resource.words(), " ") + ".")
		add(p)
	}
	for _, param := range e.params {
		add(w.queryParameter(e, param))
	}
	for _, h := range e.takes {
		p := openapi31.Parameter{Name: h.Name, In: openapi31.ParameterInHeader, Schema: jsonSchema{"type": "string"}}
		add(*p.WithDescription(h.Doc))
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
	properties, required := jsonSchema{}, []any{}
	for _, m := range full {
		if m.Name == "" {
			return rows
		}
		_, again := empty.member(m.Name)
		if again {
			required = append(required, m.Name)
		}
		properties[m.Name] = described(w.member(m, rows), m.Doc)
	}
	for _, m := range empty {
		if _, known := properties[m.Name]; !known {
			properties[m.Name] = described(w.member(m, rows), m.Doc)
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

func (e Envelope) member(name string) (Member, bool) {
	for _, m := range e {
		if m.Name == name {
			return m, true
		}
	}
	return Member{}, false
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
// refuse alike share one.
func (w *specWriter) refusal(e *endpoint, status int, codes []string) openapi31.ResponseOrReference {
	names := e.headers()
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		names = slices.DeleteFunc(names, func(name string) bool { return name == headerAllow })
	}
	switch {
	case status == http.StatusUnauthorized:
		names = append(names, headerChallenge)
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable, slices.Contains(codes, CodeIdempotencyInProgress):
		names = append(names, headerRetry)
	}
	media, _ := w.api.config.ErrorShape.Shape(w.sample(codes[0]))
	r := &openapi31.Response{Description: strings.Join(codes, ", "), Headers: w.headers(names)}
	for _, h := range e.ownHeaders() {
		r.Headers[h.Name] = openapi31.HeaderOrReference{Header: header(h)}
	}
	r.WithContentItem(media, openapi31.MediaType{Schema: w.problem(status, codes)})
	return w.shared(strings.ReplaceAll(http.StatusText(status), " ", ""), r)
}

// shared refers to a response that is written once, however many have it.
func (w *specWriter) shared(base string, r *openapi31.Response) openapi31.ResponseOrReference {
	known := w.spec.ComponentsEns().Responses
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name += strconv.Itoa(n)
		}
		if known[name].Response == nil {
			w.spec.Components.WithResponsesItem(name, openapi31.ResponseOrReference{Response: r})
		} else if !reflect.DeepEqual(known[name].Response, r) {
			continue
		}
		return openapi31.ResponseOrReference{Reference: &openapi31.Reference{Ref: "#/components/responses/" + name}}
	}
}

// problem refers to the schema of refusals with a status and one of the codes.
func (w *specWriter) problem(status int, codes []string) jsonSchema {
	if _, standard := w.api.config.ErrorShape.(ProblemJSON); !standard {
		return jsonSchema{"type": "object"}
	}
	told := w.problemOf(codes)
	base := strings.ReplaceAll(http.StatusText(status), " ", "")
	for n := 1; ; n++ {
		name := base + "Problem"
		if n > 1 {
			name = base + strconv.Itoa(n) + "Problem"
		}
		if known := w.schemas.named[name]; known == nil {
			w.schemas.named[name] = told
		} else if !reflect.DeepEqual(known, told) {
			continue
		}
		return schemaOf(name)
	}
}

// problemOf is a refusal with one of the codes. Codes whose details have a type
// are problems of their own.
func (w *specWriter) problemOf(codes []string) jsonSchema {
	var plain, all []any
	for _, code := range codes {
		if info := w.api.codes[code]; info.Details != nil {
			all = append(all, w.typedProblem(info))
			continue
		}
		plain = append(plain, code)
	}
	if len(plain) > 0 {
		code := jsonSchema{"code": jsonSchema{"type": "string", "enum": plain}}
		narrowed := jsonSchema{"allOf": []any{schemaOf("Problem"), jsonSchema{"type": "object", "properties": code}}}
		all = append([]any{narrowed}, all...)
	}
	if len(all) == 1 {
		return all[0].(jsonSchema) //nolint:forcetypeassert // all of them are
	}
	return jsonSchema{"oneOf": all}
}

func (w *specWriter) typedProblem(info CodeInfo) jsonSchema {
	name := title(info.Code) + "Problem"
	if w.schemas.named[name] == nil {
		w.schemas.named[name] = jsonSchema{"allOf": []any{schemaOf("Problem"), jsonSchema{
			"type": "object", "required": []any{"details"},
			"properties": jsonSchema{"code": jsonSchema{"type": "string", "const": info.Code}, "details": w.schemas.out(reflect.TypeOf(info.Details))},
		}}}
	}
	return schemaOf(name)
}

func (w *specWriter) sample(code string) Problem {
	info := w.api.codes[code]
	return Problem{Error: Refuse(info.Status, code, info.Text), Title: info.Title}
}

// problems names the shapes that all refusals have.
func (w *specWriter) problems() {
	if _, standard := w.api.config.ErrorShape.(ProblemJSON); !standard {
		return
	}
	text := func(doc string) jsonSchema { return jsonSchema{"type": "string", "description": doc} }
	w.schemas.named["Fault"] = object(jsonSchema{
		"pointer":   text("A JSON Pointer (RFC 6901) into the body."),
		"parameter": text("The name of a query parameter."),
		"code":      text("Stable, for programs."), "detail": text("One sentence for a person."),
	}, []any{"code", "detail"})
	w.schemas.named["Problem"] = described(object(jsonSchema{
		"type":  jsonSchema{"type": "string", "format": "uri-reference", "description": "A page that explains the code."},
		"title": text("The code in a few words."), "status": jsonSchema{"type": "integer", "minimum": 400, "maximum": 599},
		"detail": text("One sentence for a person."), "code": text("Stable, for programs."),
		"instance": jsonSchema{"type": "string", "format": "uri", "description": "urn:uuid: and the request's id."},
		"errors":   jsonSchema{"type": "array", "items": schemaOf("Fault"), "description": "Every fault at once, place by place."},
		"details":  jsonSchema{"description": "Facts that go with the code."},
	}, []any{"type", "title", "status", "detail", "code", "instance", "errors"}), "A refusal (RFC 9457).")
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
	return described.WithDescription(h.Doc)
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
				w.spec.ComponentsEns().WithSecuritySchemesItem(s.Name, openapi31.SecuritySchemeOrReference{SecurityScheme: securityScheme(s)})
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

func securityScheme(s SecurityScheme) *openapi31.SecurityScheme {
	told := &openapi31.SecurityScheme{}
	switch {
	case s.Scheme == "bearer":
		told.WithHTTPBearer(openapi31.SecuritySchemeHTTPBearer{Scheme: s.Scheme, BearerFormat: &s.Format})
	case s.Scheme != "":
		told.WithHTTP(openapi31.SecuritySchemeHTTP{Scheme: s.Scheme})
	default:
		told.WithAPIKey(openapi31.SecuritySchemeAPIKey{Name: s.Key, In: openapi31.SecuritySchemeAPIKeyIn(s.In)})
	}
	return told.WithDescription(s.Doc)
}
