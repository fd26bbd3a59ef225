package framework

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// Document is the reference of the whole API as OpenAPI 3.1, in the format
// "json" or "yaml": what the server answers at {prefix}/openapi.json and .yaml.
// It is made of the declarations alone, and the same for the same declarations.
// The error names every type whose own schema is none.
func (a *API) Document(format string) ([]byte, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	document, err := a.written()
	if err != nil {
		return nil, err
	}
	return formatted(document, format)
}

// formatted is the reference as text.
func formatted(document wire.Members, format string) ([]byte, error) {
	switch format {
	case "json":
		return append(wire.IndentJSON(nil, document, ""), '\n'), nil
	case "yaml":
		return []byte(wire.FormatYAML(document, "")), nil
	}
	return nil, naming.Sentence("the reference is written as json or yaml, not as %q", format)
}

// written is the reference as its members, in the order of declaration. A part of
// the program that panics when it is asked what it is, is an error.
func (a *API) written() (root wire.Members, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("the reference: a declared part panics when it is asked what it is: %v", p)
		}
	}()
	spec, err := a.spec()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	document, err := wire.ReadOrdered(text)
	root, _ = document.(wire.Members) // it is an object
	a.inOrder(root)
	keepUsed(root)
	return root, err
}

// inOrder puts paths, and the methods of each, in the order of declaration.
func (a *API) inOrder(root wire.Members) {
	var paths []string
	methods := map[string][]string{}
	for _, e := range a.endpoints() {
		path := a.info(e).Path
		paths = append(paths, path)
		methods[path] = append(methods[path], strings.ToLower(e.route.Method))
	}
	all := root.At("paths")
	all.SortBy(paths)
	for _, path := range paths {
		all.At(path).SortBy(methods[path])
	}
}

// A specWriter writes the reference. This is the only file that knows
// openapi-go.
type specWriter struct {
	api     *API
	spec    *openapi31.Spec
	schemas *schemas
	headers map[string]Header              // those that are told once
	shared  map[string]*openapi31.Response // refusals that are told once, by their names
	used    []problem.CodeInfo             // the codes by which some operation refuses
}

func (a *API) spec() (*openapi31.Spec, error) {
	w := &specWriter{
		api: a, spec: &openapi31.Spec{Openapi: "3.1.0"}, schemas: newSchemas(a.resources),
		headers: map[string]Header{}, shared: map[string]*openapi31.Response{},
	}
	w.spec.Info.WithTitle(a.config.Title).WithVersion(a.config.Version).WithDescription(strings.TrimSpace(a.config.Doc + "\n\n" + a.conventions()))
	w.spec.WithServers(openapi31.Server{URL: cmp.Or(a.basePath(), "/")})
	w.used = w.codesInUse()
	w.reserveSchemes()
	w.problems()
	for _, h := range slices.Concat(standardHeaders, w.usualHeaders()) {
		w.header(h)
	}
	for _, e := range a.endpoints() {
		if err := w.operation(e); err != nil {
			return nil, fmt.Errorf("the reference of %s %s: %w", e.route.Method, e.pattern, err)
		}
	}
	if tags := w.spec.Tags; len(tags) > 1 {
		w.spec.Tags = slices.Concat(tags[1:], tags[:1]) // the services, then the root
	}
	examples := w.examples() // which may name a schema more
	for name, value := range examples {
		w.spec.ComponentsEns().WithExamplesItem(name, openapi31.ExampleOrReference{Example: example(w.api.codes[name].Title, value)})
	}
	for name, s := range w.schemas.named {
		w.spec.ComponentsEns().WithSchemasItem(name, s)
	}
	if err := errors.Join(w.schemas.faults...); err != nil {
		return nil, fmt.Errorf("the reference: %w", err)
	}
	return w.spec, nil
}

// operation adds one endpoint.
func (w *specWriter) operation(e *endpoint) error {
	method, path := e.route.Method, w.api.info(e).Path
	op := openapi31.Operation{}
	op.WithID(e.id()).WithSummary(e.summary()).WithDescription(w.prefixed(e.description())).WithTags(w.tag(e))
	w.parameters(&op, e)
	w.body(&op, e)
	w.responses(&op, e)
	op.Security = w.security(e)
	return w.spec.SetupOperation(method, path, func(o *openapi31.Operation) error { *o = op; return nil })
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
		p := openapi31.Parameter{Name: e.resource.keyName(), In: openapi31.ParameterInPath, Schema: w.schemas.key(e.resource.key.IndirectType)}
		p.WithRequired(true).WithDescription("The " + e.resource.noun() + "'s " + e.resource.keyName() + ".")
		add(p)
	}
	for _, param := range e.params {
		add(w.queryParameter(e, param))
	}
	for _, h := range e.takes {
		p := openapi31.Parameter{Name: h.Name, In: openapi31.ParameterInHeader, Schema: wire.JSONSchema{"type": "string"}}
		if h.Required {
			p.WithRequired(true)
		}
		add(*p.WithDescription(w.prefixed(h.Doc)))
	}
	if e.idempotent {
		key := wire.JSONSchema{"type": "string", "pattern": idempotencyPattern}
		p := openapi31.Parameter{Name: problem.IdempotencyHeader, In: openapi31.ParameterInHeader, Schema: key}
		add(*p.WithDescription("A key of the client's own, 1 to 255 visible characters of ASCII, bare or in double quotes. For 24 hours the same request with the same key is done once, and answered as it was the first time."))
	}
}

// idempotencyPattern is what readKey takes.
const idempotencyPattern = `^([!#-~][!-~]{0,254}|"([!#-\[\]-~]|\\["\\]){1,255}")$`

func (w *specWriter) queryParameter(e *endpoint, param Param) openapi31.Parameter {
	p := openapi31.Parameter{Name: param.Name, In: openapi31.ParameterInQuery}
	var one wire.JSONSchema
	if f := e.inputField(param.Name); f != nil {
		one = w.schemas.parameter(f)
		p.WithRequired(f.Required)
	} else if one = w.schemas.asked(param.typ()); param.Enum != nil {
		one["enum"] = literals(one, param.typ(), param.Enum)
	}
	if param.Minimum != nil {
		one["minimum"] = param.Minimum
	}
	if param.Default != nil {
		one["default"] = param.Default
	}
	p.Schema = one
	if param.List {
		p.Schema = wire.JSONSchema{"type": "array", "items": one}
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
func (e *endpoint) inputField(name string) *input.Field {
	if e.input == nil || e.route.Method != http.MethodGet {
		return nil
	}
	return e.input.ByName[name]
}

func (w *specWriter) body(op *openapi31.Operation, e *endpoint) {
	if !e.takesBody() || len(e.input.Fields) == 0 {
		return
	}
	body := openapi31.RequestBody{}
	body.WithRequired(!e.needsNoBody())
	w.schemas.within = e.noun()
	body.WithContentItem("application/json", openapi31.MediaType{Schema: w.schemas.in(e.input, e.route.Name == verbPatch, e.resource.strict, e.sentBack())})
	op.WithRequestBody(openapi31.RequestBodyOrReference{RequestBody: &body})
}

func (w *specWriter) responses(op *openapi31.Operation, e *endpoint) {
	op.Responses = &openapi31.Responses{MapOfResponseOrReferenceValues: map[string]openapi31.ResponseOrReference{}}
	for _, status := range e.successes() {
		op.Responses.MapOfResponseOrReferenceValues[strconv.Itoa(status)] = openapi31.ResponseOrReference{Response: w.success(e, status)}
	}
	refusals := e.refusals()
	for _, status := range slices.Sorted(maps.Keys(refusals)) {
		op.Responses.MapOfResponseOrReferenceValues[strconv.Itoa(status)] = w.refusal(e, status, refusals[status])
	}
}

func (w *specWriter) success(e *endpoint, status int) *openapi31.Response {
	r := &openapi31.Response{Description: http.StatusText(status), Headers: w.tell(e.headers()), Links: w.links(e)}
	if body := w.answer(e); body != nil {
		r.WithContentItem("application/json", openapi31.MediaType{Schema: body})
	}
	return r
}

// answer is the schema of an endpoint's success, nil for none.
func (w *specWriter) answer(e *endpoint) wire.JSONSchema {
	switch {
	case e.resource.path == "":
		return wire.JSONSchema{"type": "object", "additionalProperties": wire.JSONSchema{"type": "string", "format": "uri-reference"}}
	case e.out == input.NoneType || e.out == nil:
		return nil
	case e.pagination != nil:
		return w.list(e)
	}
	return w.schemas.out(e.out)
}

// links describe where the key in a success leads (OpenAPI 3.1, section 4.8.20).
func (w *specWriter) links(e *endpoint) map[string]openapi31.LinkOrReference {
	all := map[string]openapi31.LinkOrReference{}
	for _, to := range e.linked() {
		key := to.resource.keyName()
		link := openapi31.Link{Parameters: map[string]string{key: "$response.body#/" + key}}
		all[to.id()] = openapi31.LinkOrReference{Link: link.WithOperationID(to.id())}
	}
	return all
}

// refusal is what an endpoint answers with a status that refuses. Those that
// refuse by the same few codes share one, which is named by them.
func (w *specWriter) refusal(e *endpoint, status int, codes []string) openapi31.ResponseOrReference {
	media, _ := w.api.config.ErrorShape.Shape(w.sample(codes[0]))
	own := append(w.usualHeaders(), withoutLocation(e.ownHeaders())...)
	r := &openapi31.Response{Description: w.meanings(codes), Headers: w.tell(append(e.headersOf(status, codes), own...))}
	told := openapi31.MediaType{Schema: w.problem(status, codes), Examples: map[string]openapi31.ExampleOrReference{}}
	for _, code := range codes {
		told.Examples[code] = openapi31.ExampleOrReference{Reference: &openapi31.Reference{Ref: "#/components/examples/" + code}}
	}
	r.WithContentItem(media, told)
	if len(codes) > mostInName {
		return openapi31.ResponseOrReference{Response: r}
	}
	return w.share(naming.Title(strings.Join(codes, " or ")), r)
}

// mostInName is how many codes a name is made of; a longer one reads badly.
const mostInName = 3

// share tells a response once, by a name, unless another has it.
func (w *specWriter) share(name string, r *openapi31.Response) openapi31.ResponseOrReference {
	whole := openapi31.ResponseOrReference{Response: r}
	switch known := w.shared[name]; {
	case known == nil:
		w.shared[name] = r
		w.spec.ComponentsEns().WithResponsesItem(name, whole)
	case !reflect.DeepEqual(known, r):
		return whole
	}
	return openapi31.ResponseOrReference{Reference: &openapi31.Reference{Ref: "#/components/responses/" + name}}
}

func example(summary string, value any) *openapi31.Example {
	e := &openapi31.Example{}
	return e.WithSummary(summary).WithValue(value)
}

// tell describes headers of an answer; of two with one name, the latter.
func (w *specWriter) tell(headers []Header) map[string]openapi31.HeaderOrReference {
	all := map[string]openapi31.HeaderOrReference{}
	for _, h := range headers {
		all[h.Name] = w.header(h)
	}
	return all
}

// header is a header of an answer, told once for all that say the same of it.
func (w *specWriter) header(h Header) openapi31.HeaderOrReference {
	told := &openapi31.Header{Schema: wire.JSONSchema{"type": "string"}}
	if h.Required {
		told.WithRequired(true)
	}
	whole := openapi31.HeaderOrReference{Header: told.WithDescription(w.prefixed(h.Doc))}
	known, taken := w.headers[h.Name]
	if taken && known != h {
		return whole
	}
	if !taken {
		w.headers[h.Name] = h
		w.spec.ComponentsEns().WithHeadersItem(h.Name, whole)
	}
	return openapi31.HeaderOrReference{Reference: &openapi31.Reference{Ref: "#/components/headers/" + h.Name}}
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

// reserveSchemes keeps the names of security schemes from schemas: generators make a
// type of either.
func (w *specWriter) reserveSchemes() {
	for _, e := range w.api.endpoints() {
		for _, scheme := range e.authentication {
			for _, s := range slices.Concat(securityOf(scheme, e.route.Method)...) {
				w.schemas.reserved[strings.ToLower(s.Name)] = true
			}
		}
	}
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
