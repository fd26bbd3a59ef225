// Package openapi writes the OpenAPI 3.1 document of an API from its description as plain
// data. It uses no server, no database and no declaration.
package openapi

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"trestle.example/framework/internal/limits"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/prefer"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// A writer writes one document. This is the only file that uses openapi-go.
type writer struct {
	api      *spec.API
	doc      *openapi31.Spec
	schemas  *schemas
	headers  map[string]spec.Header         // those that have a component
	shared   map[string]*openapi31.Response // errors that have a component, by its name
	failures map[string]spec.Failure        // of the shared errors
	used     []problem.CodeInfo             // the codes of errors that some operation answers

	operations []*openapi31.Operation // of the endpoints
}

func write(api *spec.API) (*writer, error) {
	w := &writer{
		api: api, doc: &openapi31.Spec{Openapi: "3.1.0"}, schemas: newSchemas(api.Shown, api.Hidden, api.Case),
		headers: map[string]spec.Header{}, shared: map[string]*openapi31.Response{}, failures: map[string]spec.Failure{},
	}
	w.schemas.faults = slices.Clone(api.Mistakes)
	w.doc.Info.WithTitle(api.Title).WithVersion(api.Version).WithDescription(strings.TrimSpace(api.Doc + "\n\n" + conventions(api)))
	w.doc.WithServers(openapi31.Server{URL: api.Server})
	w.used = w.codesInUse()
	w.reserveSchemes()
	w.problems()
	for _, h := range slices.Concat(api.Headers, api.UsualHeaders) {
		w.header(h)
	}
	for _, e := range api.Endpoints {
		if err := w.operation(e); err != nil {
			return nil, fmt.Errorf("the reference of %s %s: %w", e.Method, e.Path, err)
		}
	}
	if tags := w.doc.Tags; len(tags) > 1 {
		w.doc.Tags = slices.Concat(tags[1:], tags[:1]) // the services, then the root
	}
	examples := w.examples() // which may name a schema more
	for name, value := range examples {
		w.doc.ComponentsEns().WithExamplesItem(name, openapi31.ExampleOrReference{Example: example(api.Codes[name].Title, value)})
	}
	for name, s := range w.schemas.named {
		w.doc.ComponentsEns().WithSchemasItem(name, s)
	}
	if err := errors.Join(w.schemas.faults...); err != nil {
		return nil, fmt.Errorf("the reference: %w", err)
	}
	return w, nil
}

// operation adds one endpoint.
func (w *writer) operation(e *spec.Endpoint) error {
	op := &openapi31.Operation{}
	w.operations = append(w.operations, op)
	op.WithID(e.ID).WithSummary(e.Summary).WithDescription(w.prefixed(e.Description)).WithTags(w.tag(e.Service))
	w.parameters(op, e)
	w.body(op, e.Body)
	w.upload(op, e.Upload)
	w.responses(op, e)
	op.Security = w.security(e)
	return w.doc.SetupOperation(e.Method, e.Path, func(o *openapi31.Operation) error { *o = *op; return nil })
}

// tag returns the name of an endpoint's service and adds the service to the document, unless it
// has one with this name. So the first service with a name gives the description.
func (w *writer) tag(s spec.Service) string {
	tag := openapi31.Tag{Name: s.Name}
	tag.WithDescription(s.Doc)
	if !slices.ContainsFunc(w.doc.Tags, func(known openapi31.Tag) bool { return known.Name == tag.Name }) {
		w.doc.Tags = append(w.doc.Tags, tag)
	}
	return tag.Name
}

func (w *writer) parameters(op *openapi31.Operation, e *spec.Endpoint) {
	add := func(p openapi31.Parameter) { op.Parameters = append(op.Parameters, p.ToParameterOrRef()) }
	keys := slices.Clone(e.Above)
	for _, key := range []*spec.Key{e.Key, e.Other} {
		if key != nil {
			keys = append(keys, *key)
		}
	}
	for _, key := range keys {
		p := openapi31.Parameter{Name: key.Name, In: openapi31.ParameterInPath, Schema: w.schemas.key(key.Type)}
		p.WithRequired(true).WithDescription(key.Doc)
		add(p)
	}
	for _, param := range e.Params {
		add(w.queryParameter(param))
	}
	for _, h := range e.Takes {
		p := openapi31.Parameter{Name: h.Name, In: openapi31.ParameterInHeader, Schema: wire.JSONSchema{"type": "string"}}
		if h.Required {
			p.WithRequired(true)
		}
		add(*p.WithDescription(w.prefixed(h.Doc)))
	}
	if e.Idempotent {
		key := wire.JSONSchema{"type": "string", "pattern": idempotencyPattern}
		p := openapi31.Parameter{Name: problem.IdempotencyHeader, In: openapi31.ParameterInHeader, Schema: key}
		add(*p.WithDescription("A key of the client's own, 1 to 255 visible characters of ASCII, bare or in double quotes. For " + limits.KeyLifeText + " the same request with the same key is done once, and answered as it was the first time."))
	}
	if e.MayLackBody {
		op.Parameters = append(op.Parameters, w.preference())
	}
}

// preference returns a reference to the parameter of the header Prefer, and adds its component. Its description has the status 204, because
// with a response of its own, each generated client would have answers without a body everywhere, also for requests without the header.
func (w *writer) preference() openapi31.ParameterOrReference {
	p := openapi31.Parameter{Name: prefer.Header, In: openapi31.ParameterInHeader, Schema: wire.JSONSchema{"type": "string"}}
	p.WithDescription(prefer.ReturnMinimal + ": a success has no body, and 204 instead of 200. The header " + prefer.HeaderApplied + " states that. Other preferences have no effect.")
	w.doc.ComponentsEns().WithParametersItem(prefer.Header, p.ToParameterOrRef())
	return openapi31.ParameterOrReference{Reference: &openapi31.Reference{Ref: "#/components/parameters/" + prefer.Header}}
}

// idempotencyPattern matches the values of the header Idempotency-Key that package once accepts.
const idempotencyPattern = `^([!#-~][!-~]{0,254}|"([!#-\[\]-~]|\\["\\]){1,255}")$`

func (w *writer) queryParameter(param spec.Param) openapi31.Parameter {
	p := openapi31.Parameter{Name: param.Name, In: openapi31.ParameterInQuery}
	var one wire.JSONSchema
	if f := param.Field; f != nil {
		one = w.schemas.parameter(f)
		p.WithRequired(f.Required)
	} else if one = w.schemas.ofText(param.Type); param.Enum != nil {
		one["enum"] = literals(one, param.Type, param.Enum)
	}
	if param.Required {
		p.WithRequired(true)
	}
	if param.Minimum != nil {
		one["minimum"] = param.Minimum
	}
	if param.MaxLength > 0 {
		one["maxLength"] = param.MaxLength
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
	if param.Compared != nil {
		p.WithMapOfAnythingItem(filterFields, w.compared(param.Compared))
	}
	return p
}

// filterFields is the member of a parameter that lists the fields of its expressions, for programs that build them.
const filterFields = "x-filterFields"

func (w *writer) compared(fields []spec.Compared) []any {
	all := make([]any, len(fields))
	for i, f := range fields {
		schema := w.schemas.ofText(f.Type)
		if f.Enum != nil {
			schema["enum"] = literals(schema, f.Type, f.Enum)
		}
		all[i] = wire.JSONSchema{"name": f.Name, "schema": schema, "ordered": f.Ordered, "several": f.ToMany}
	}
	return all
}

func (w *writer) body(op *openapi31.Operation, b *spec.Body) {
	if b == nil {
		return
	}
	body := openapi31.RequestBody{}
	body.WithRequired(b.Required)
	w.schemas.within = b.Noun
	var key *spec.Key
	if b.Items != nil {
		key = b.Items.Key
	}
	schema := w.schemas.in(b.Shape, b.Partial, b.Strict, b.Shown, key)
	w.schemas.within = ""
	if b.In != "" {
		schema = wrapped(b.In, schema, b.Required)
		if b.Strict {
			schema["additionalProperties"] = false
		}
	}
	if b.Items != nil {
		schema = wire.JSONSchema{"type": "array", "maxItems": b.Items.Most, "items": schema}
	}
	body.WithContentItem("application/json", openapi31.MediaType{Schema: schema})
	op.WithRequestBody(openapi31.RequestBodyOrReference{RequestBody: &body})
}

// upload describes the body of an endpoint that stores a file: the content itself, or one part of
// a form. The part has no "encoding" with the types, because ogen does not read it.
func (w *writer) upload(op *openapi31.Operation, u *spec.Upload) {
	if u == nil {
		return
	}
	body := openapi31.RequestBody{}
	body.WithRequired(true).WithDescription(fmt.Sprintf(
		"The content of the file, of at most %d bytes. The part of a form has one of the types %s.", u.MaxBytes, strings.Join(u.Types, ", ")))
	for _, media := range u.Types {
		body.WithContentItem(media, openapi31.MediaType{Schema: bytesSchema()})
	}
	body.WithContentItem("multipart/form-data", openapi31.MediaType{Schema: object(wire.Members{{Name: "file", Value: bytesSchema()}}, []any{"file"})})
	op.WithRequestBody(openapi31.RequestBodyOrReference{RequestBody: &body})
}

func (w *writer) responses(op *openapi31.Operation, e *spec.Endpoint) {
	op.Responses = &openapi31.Responses{MapOfResponseOrReferenceValues: map[string]openapi31.ResponseOrReference{}}
	for _, status := range e.Statuses {
		op.Responses.MapOfResponseOrReferenceValues[strconv.Itoa(status)] = openapi31.ResponseOrReference{Response: w.success(e, status)}
	}
	for _, failure := range e.Failures {
		op.Responses.MapOfResponseOrReferenceValues[strconv.Itoa(failure.Status)] = w.failure(failure)
	}
}

func (w *writer) success(e *spec.Endpoint, status int) *openapi31.Response {
	r := &openapi31.Response{Description: http.StatusText(status), Headers: w.describe(e.Headers), Links: links(e)}
	if status == http.StatusNotModified {
		return r
	}
	if e.Parts != nil {
		w.parts(r, e.Parts)
	}
	if body := w.answer(e); body != nil {
		r.WithContentItem("application/json", openapi31.MediaType{Schema: body})
	}
	w.exports(r, e)
	return r
}

// answer is the schema of an endpoint's success, nil for none.
func (w *writer) answer(e *spec.Endpoint) wire.JSONSchema {
	switch {
	case e.Root:
		return wire.JSONSchema{"type": "object", "additionalProperties": wire.JSONSchema{"type": "string", "format": "uri-reference"}}
	case e.Output == nil && !e.Each:
		return nil
	case e.Page != nil:
		return w.list(e)
	case e.Totals != nil:
		return w.totals(e)
	}
	schema := w.output(e)
	if e.Upload != nil { // the stored file, never null
		schema = maps.Clone(schema)
		schema["type"], schema["description"] = "object", "The stored file."
	}
	if e.In != "" {
		return wrapped(e.In, schema, true)
	}
	return schema
}

// wrapped returns the schema of an object that has a value as its one member.
func wrapped(member string, schema wire.JSONSchema, required bool) wire.JSONSchema {
	if !required {
		return object(wire.Members{{Name: member, Value: schema}}, nil)
	}
	return object(wire.Members{{Name: member, Value: schema}}, []any{member})
}

// links returns the operations that take the key in a success (OpenAPI 3.1, section 4.8.20).
func links(e *spec.Endpoint) map[string]openapi31.LinkOrReference {
	all := map[string]openapi31.LinkOrReference{}
	for _, to := range e.Links {
		pointer := naming.PointerTo(to.Member)
		if e.In != "" {
			pointer = naming.PointerTo(e.In) + pointer
		}
		link := openapi31.Link{Parameters: map[string]string{to.Key: "$response.body#" + pointer}}
		for name, sent := range to.Above {
			link.Parameters[name] = "$request.path." + sent
		}
		all[to.ID] = openapi31.LinkOrReference{Link: link.WithOperationID(to.ID)}
	}
	return all
}

// failure returns the response of an error of an endpoint. Errors with the same few codes
// share a component, which has the names of the codes.
func (w *writer) failure(failure spec.Failure) openapi31.ResponseOrReference {
	name := naming.Title(strings.Join(failure.Codes, " or "))
	if known, shared := w.failures[name]; shared && reflect.DeepEqual(known, failure) {
		return inComponent(name)
	}
	media, _ := w.api.ErrorShape.Shape(w.sample(failure.Codes[0]))
	r := &openapi31.Response{Description: w.meanings(failure.Codes), Headers: w.describe(failure.Headers)}
	content := openapi31.MediaType{Schema: w.problem(failure.Status, failure.Codes), Examples: map[string]openapi31.ExampleOrReference{}}
	for _, code := range failure.Codes {
		content.Examples[code] = openapi31.ExampleOrReference{Reference: &openapi31.Reference{Ref: "#/components/examples/" + code}}
	}
	r.WithContentItem(media, content)
	if len(failure.Codes) > mostInName {
		return openapi31.ResponseOrReference{Response: r}
	}
	if w.shared[name] == nil {
		w.failures[name] = failure
	}
	return w.share(name, r)
}

// mostInName is the highest number of codes in the name of a component. Errors with more codes
// get no component.
const mostInName = 3

// share makes a component of a response and returns a reference to it. If a different response
// has the name already, it returns the response itself.
func (w *writer) share(name string, r *openapi31.Response) openapi31.ResponseOrReference {
	whole := openapi31.ResponseOrReference{Response: r}
	switch known := w.shared[name]; {
	case known == nil:
		w.shared[name] = r
		w.doc.ComponentsEns().WithResponsesItem(name, whole)
	case !reflect.DeepEqual(known, r):
		return whole
	}
	return inComponent(name)
}

func inComponent(name string) openapi31.ResponseOrReference {
	return openapi31.ResponseOrReference{Reference: &openapi31.Reference{Ref: "#/components/responses/" + name}}
}

func example(summary string, value any) *openapi31.Example {
	e := &openapi31.Example{}
	return e.WithSummary(summary).WithValue(value)
}

// describe returns the headers of an answer by name. Of several headers with one name, it has
// the last.
func (w *writer) describe(headers []spec.Header) map[string]openapi31.HeaderOrReference {
	all := map[string]openapi31.HeaderOrReference{}
	for _, h := range headers {
		all[h.Name] = w.header(h)
	}
	return all
}

// header returns a header of an answer. The first header with a name gets a component, which
// equal ones refer to. A different one with this name is written in place.
func (w *writer) header(h spec.Header) openapi31.HeaderOrReference {
	reference := openapi31.HeaderOrReference{Reference: &openapi31.Reference{Ref: "#/components/headers/" + h.Name}}
	known, exists := w.headers[h.Name]
	if exists && known == h {
		return reference
	}
	described := &openapi31.Header{Schema: wire.JSONSchema{"type": "string"}}
	if h.Required {
		described.WithRequired(true)
	}
	whole := openapi31.HeaderOrReference{Header: described.WithDescription(w.prefixed(h.Doc))}
	if exists {
		return whole
	}
	w.headers[h.Name] = h
	w.doc.ComponentsEns().WithHeadersItem(h.Name, whole)
	return reference
}

// security returns the alternative ways to send credentials, each once. The first way is empty
// if the endpoint accepts callers without credentials, or has no ways. It adds the components of
// the schemes.
func (w *writer) security(e *spec.Endpoint) []map[string][]string {
	var ways []map[string][]string
	for _, way := range e.Security {
		names := map[string][]string{}
		for _, s := range way {
			names[s.Name] = []string{}
			w.doc.ComponentsEns().WithSecuritySchemesItem(s.Name, openapi31.SecuritySchemeOrReference{SecurityScheme: w.securityScheme(s)})
		}
		if !slices.ContainsFunc(ways, func(known map[string][]string) bool { return maps.EqualFunc(known, names, slices.Equal) }) {
			ways = append(ways, names)
		}
	}
	if e.Open || len(ways) == 0 {
		ways = append([]map[string][]string{{}}, ways...)
	}
	return ways
}

// reserveSchemes keeps the names of security schemes from schemas: generators make a
// type of either.
func (w *writer) reserveSchemes() {
	for _, e := range w.api.Endpoints {
		for _, s := range slices.Concat(e.Security...) {
			w.schemas.reserved[strings.ToLower(s.Name)] = true
		}
	}
}

func (w *writer) securityScheme(s spec.Scheme) *openapi31.SecurityScheme {
	described := &openapi31.SecurityScheme{}
	switch {
	case s.Scheme == "bearer":
		bearer := openapi31.SecuritySchemeHTTPBearer{Scheme: s.Scheme}
		if s.Format != "" {
			bearer.WithBearerFormat(s.Format)
		}
		described.WithHTTPBearer(bearer)
	case s.Scheme != "":
		described.WithHTTP(openapi31.SecuritySchemeHTTP{Scheme: s.Scheme})
	default:
		described.WithAPIKey(openapi31.SecuritySchemeAPIKey{Name: s.Key, In: openapi31.SecuritySchemeAPIKeyIn(s.In)})
	}
	return described.WithDescription(w.prefixed(s.Doc))
}

// prefixed returns a text with the API's prefix instead of {prefix}.
func (w *writer) prefixed(text string) string {
	return strings.ReplaceAll(text, "{prefix}", w.api.Prefix)
}
