package framework

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/openapi"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// Document returns the OpenAPI 3.1 document of the whole API in the format "json" or
// "yaml": what the server answers at {prefix}/openapi.json and .yaml. It is made of the
// declarations alone, and the same for the same declarations. The error names every type
// whose own schema is none.
func (a *API) Document(format string) ([]byte, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	document, err := a.document()
	if err != nil {
		return nil, err
	}
	return openapi.Format(document, format)
}

// document is the OpenAPI document as its members. A part of the program that panics
// when it describes itself is an error.
func (a *API) document() (root wire.Members, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("the reference: a declared part panics when it is asked what it is: %v", p)
		}
	}()
	return openapi.Write(a.spec())
}

// spec describes the checked API as plain data.
func (a *API) spec() *spec.API {
	c := a.config
	api := &spec.API{
		Title: c.Title, Version: c.Version, Doc: c.Doc, Prefix: c.Prefix, Server: cmp.Or(a.basePath(), "/"), ErrorsAt: a.errorsAt(),
		Lenient:    len(a.resources) == 0 || slices.ContainsFunc(a.resources, func(r *resource) bool { return !r.strict }),
		ErrorShape: c.ErrorShape, Codes: a.codes, FaultCodes: a.faultCodes(),
		Headers: specHeaders(standardHeaders), UsualHeaders: specHeaders(a.usualHeaders()),
	}
	for _, r := range a.resources {
		for _, v := range r.declaration.verbs.named() {
			api.Shown = append(api.Shown, r.specShown(v.out))
		}
	}
	for _, e := range a.endpoints() {
		described, err := e.spec()
		api.Endpoints = append(api.Endpoints, described)
		api.Mistakes = append(api.Mistakes, err...)
	}
	return api
}

func (r *resource) specShown(out reflect.Type) spec.Shown {
	shown := spec.Shown{Output: out}
	for _, v := range r.declaration.verbs.named() {
		if shape := r.inputs[v.in]; shape != nil {
			shown.Inputs = append(shown.Inputs, shape)
		}
	}
	return shown
}

// spec describes the endpoint, with the mistakes of parts that cannot describe theirs.
func (e *endpoint) spec() (*spec.Endpoint, []error) {
	a := e.resource.api
	described := &spec.Endpoint{
		ID: e.id(), Method: e.route.Method, Path: a.info(e).Path, Summary: e.summary(), Description: e.description(),
		Service: e.specService(), ViewSet: e.resource.path, Root: e.resource.path == "",
		Key: e.specKey(), Takes: specHeaders(e.takes), Idempotent: e.idempotent, Body: e.specBody(),
		Statuses: e.successes(), Headers: specHeaders(e.headers()), Refusals: e.specRefusals(), Open: e.admits(nil),
	}
	if e.out != input.NoneType {
		described.Output = e.out
	}
	for _, p := range e.params {
		described.Params = append(described.Params, spec.Param{
			Name: p.Name, Doc: p.Doc, Type: p.typ(), Enum: p.Enum, List: p.List, Minimum: p.Minimum, Default: p.Default, Field: e.inputField(p.Name),
		})
	}
	for _, to := range e.linked() {
		described.Links = append(described.Links, spec.Link{ID: to.id(), Key: to.resource.keyName()})
	}
	for _, scheme := range e.authentication {
		for _, way := range securityOf(scheme, e.route.Method) {
			described.Security = append(described.Security, specSchemes(way))
		}
	}
	var mistakes []error
	if e.pagination != nil {
		described.Page, mistakes = e.specPage()
	}
	return described, mistakes
}

func (e *endpoint) specService() spec.Service {
	if s := e.resource.declaration.service; s != nil {
		return spec.Service{Name: s.Name, Doc: s.Doc}
	}
	return spec.Service{Name: e.resource.api.config.Title, Doc: "The API as a whole."}
}

func (e *endpoint) specKey() *spec.Key {
	if !strings.Contains(e.pattern, ":id") {
		return nil
	}
	r := e.resource
	return &spec.Key{Name: r.keyName(), Doc: "The " + r.noun() + "'s " + r.keyName() + ".", Type: r.key.IndirectType}
}

func (e *endpoint) specBody() *spec.Body {
	if !e.takesBody() || len(e.input.Fields) == 0 {
		return nil
	}
	return &spec.Body{
		Shape: e.input, Noun: e.noun(), Partial: e.route.Name == verbPatch, Strict: e.resource.strict,
		Required: !e.needsNoBody(), Shown: e.sentBack(),
	}
}

func (e *endpoint) specRefusals() (all []spec.Refusal) {
	refusals := e.refusals()
	own := append(e.resource.api.usualHeaders(), withoutLocation(e.ownHeaders())...)
	for _, status := range slices.Sorted(maps.Keys(refusals)) {
		codes := refusals[status]
		all = append(all, spec.Refusal{Status: status, Codes: codes, Headers: specHeaders(append(e.headersOf(status, codes), own...))})
	}
	return all
}

func specHeaders(headers []Header) []spec.Header {
	all := make([]spec.Header, len(headers))
	for i, h := range headers {
		all[i] = spec.Header(h)
	}
	return all
}

func specSchemes(way []SecurityScheme) []spec.Scheme {
	all := make([]spec.Scheme, len(way))
	for i, s := range way {
		all[i] = spec.Scheme(s)
	}
	return all
}

// samplePages are pages of a list of thirty rows and of an empty one: the envelopes of a
// pagination class for them have every member that it answers.
var samplePages = []Page{
	{Window: Window{Limit: 10, Offset: 10, Number: 2}, Total: Total{Count: 30, Known: true}, Rows: 10, More: true},
	{Window: Window{Limit: 10, Number: 1}, Total: Total{Count: 30, Known: true}, Rows: 10, More: true},
	{Window: Window{Limit: 10, Offset: 20, Number: 3}, Total: Total{Count: 30, Known: true}, Rows: 10},
	{Window: Window{Limit: 10, Number: 1}, Total: Total{Known: true}},
}

// specPage has the envelopes of the sample pages. A page that is rejected, as one past the
// end may be, adds nothing. An error of another kind is a mistake, and so is a class that
// rejects every page.
func (e *endpoint) specPage() (*spec.Page, []error) {
	page := &spec.Page{Name: naming.Title(strings.Join(e.resource.words(), " ")) + "Page"}
	var mistakes []error
	var last error
	for _, p := range samplePages {
		p.Link = func(url.Values) string { return "/" }
		envelope, err := e.pagination.Envelope(p)
		if err == nil {
			page.Samples = append(page.Samples, specMembers(envelope))
			continue
		}
		last = err
		if _, refused := errors.AsType[*problem.Error](err); !refused {
			mistakes = append(mistakes, naming.Sentence("%s: the Envelope of %T: %w", e.resource.path, e.pagination, err))
		}
	}
	if len(page.Samples) == 0 {
		mistakes = append(mistakes, naming.Sentence("%s: the Envelope of %T refuses every page: %w", e.resource.path, e.pagination, last))
	}
	return page, mistakes
}

func specMembers(envelope Envelope) []spec.Member {
	all := make([]spec.Member, len(envelope))
	for i, m := range envelope {
		all[i] = spec.Member{Name: m.Name, Doc: m.Doc, Value: m.Value}
		if _, rows := m.Value.(Items); rows {
			all[i].Value = spec.Rows{}
		}
	}
	return all
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
