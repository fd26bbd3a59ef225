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

// document is the OpenAPI document as its members. A part of the program that panics
// when it describes itself is an error.
func (a catalog) document() (root wire.Members, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("the reference: a declared part panics when it is asked what it is: %v", p)
		}
	}()
	return openapi.Write(a.spec())
}

// spec describes the checked API as plain data.
func (a catalog) spec() *spec.API {
	c := a.config
	api := &spec.API{
		Title: c.Title, Version: c.Version, Doc: c.Doc, Prefix: c.Prefix, Server: cmp.Or(a.origin.basePath(), "/"), ErrorsAt: a.origin.errorsAt(),
		Lenient:    len(a.resources) == 0 || slices.ContainsFunc(a.resources, func(r *resource) bool { return !r.strict }),
		ErrorShape: c.ErrorShape, Codes: a.codes, FaultCodes: a.faultCodes(),
		Headers: specHeaders(standardHeaders), UsualHeaders: specHeaders(a.usualHeaders()),
	}
	for _, r := range a.resources {
		for _, v := range r.declaration.verbs {
			api.Shown = append(api.Shown, specShown(r, v.out))
		}
	}
	for _, e := range a.operations() {
		described, err := e.spec()
		api.Endpoints = append(api.Endpoints, described)
		api.Mistakes = append(api.Mistakes, err...)
	}
	return api
}

func specShown(r *resource, out reflect.Type) spec.Shown {
	shown := spec.Shown{Output: out}
	for _, v := range r.declaration.verbs {
		if shape := r.inputs[v.in]; shape != nil {
			shown.Inputs = append(shown.Inputs, shape)
		}
	}
	return shown
}

// spec describes the endpoint, with the mistakes of parts that cannot describe theirs.
func (e operation) spec() (*spec.Endpoint, []error) {
	a := e.catalog()
	described := &spec.Endpoint{
		ID: e.id(), Method: e.route.Method, Path: a.pathOf(e.endpoint), Summary: e.summary(), Description: e.description(),
		Service: e.specService(), ViewSet: e.resource.path, Root: e.resource.path == "",
		Key: e.specKey(), Takes: specHeaders(e.takes), Idempotent: e.idempotent, Body: e.specBody(),
		Statuses: e.successes(), Headers: specHeaders(e.headers()), Failures: e.specFailures(), Open: e.admits(nil),
	}
	if e.out != input.NoneType {
		described.Output = e.out
	}
	for _, p := range e.params {
		described.Params = append(described.Params, spec.Param{
			Name: p.Name, Doc: p.Doc, Type: typeOf(p), Enum: p.Enum, List: p.List, Minimum: p.Minimum, Default: p.Default, Field: e.inputField(p.Name),
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

func (e operation) specService() spec.Service {
	if s := e.resource.declaration.service; s != nil {
		return spec.Service{Name: s.Name, Doc: s.Doc}
	}
	return spec.Service{Name: e.resource.api.config.Title, Doc: "The API as a whole."}
}

func (e operation) specKey() *spec.Key {
	if !strings.Contains(e.pattern, ":id") {
		return nil
	}
	r := e.resource
	return &spec.Key{Name: r.keyName(), Doc: "The " + nounOf(r) + "'s " + r.keyName() + ".", Type: r.key.IndirectType}
}

func (e operation) specBody() *spec.Body {
	if !e.takesBody() || len(e.input.Fields) == 0 {
		return nil
	}
	return &spec.Body{
		Shape: e.input, Noun: e.noun(), Partial: e.route.Name == verbPatch, Strict: e.resource.strict,
		Required: !e.needsNoBody(), Shown: e.sentBack(),
	}
}

func (e operation) specFailures() (all []spec.Failure) {
	refusals := e.refusals()
	own := append(e.catalog().usualHeaders(), withoutLocation(e.ownHeaders())...)
	for _, status := range slices.Sorted(maps.Keys(refusals)) {
		codes := refusals[status]
		all = append(all, spec.Failure{Status: status, Codes: codes, Headers: specHeaders(append(e.headersOf(status, codes), own...))})
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
func (e operation) specPage() (*spec.Page, []error) {
	page := &spec.Page{Name: naming.Title(strings.Join(words(e.resource), " ")) + "Page"}
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

// typeOf is the type of one value.
func typeOf(p Param) reflect.Type {
	if p.Type == nil {
		return reflect.TypeFor[string]()
	}
	return p.Type
}

// inputField is the field of a GET's input that a parameter fills.
func (e operation) inputField(name string) *input.Field {
	if e.input == nil || e.route.Method != http.MethodGet {
		return nil
	}
	return e.input.ByName[name]
}
