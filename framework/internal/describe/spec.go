package describe

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

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/openapi"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// Document returns the members of the OpenAPI document. If a part of the program panics while
// it describes itself, the result is an error.
func (a Catalog) Document() (root wire.Members, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("the OpenAPI document: a part of a declaration panics when it describes itself: %v", p)
		}
	}()
	return openapi.Write(a.spec())
}

// spec describes the checked API as plain data.
func (a Catalog) spec() *spec.API {
	c := a.Config
	api := &spec.API{
		Title: c.Title, Version: c.Version, Doc: c.Doc, Prefix: c.Prefix, Server: cmp.Or(a.Origin.BasePath(), "/"), ErrorsAt: a.Origin.ErrorsAt(),
		Lenient:    len(a.Resources) == 0 || slices.ContainsFunc(a.Resources, func(r *table.Resource) bool { return !r.Strict }),
		ErrorShape: c.ErrorShape, Case: c.Case, Codes: a.Codes, FaultCodes: a.FaultCodes(), Hidden: map[spec.MemberOf]string{},
		Headers: specHeaders(standardHeaders), UsualHeaders: specHeaders(a.usualHeaders()), Permissions: a.Permissions(),
	}
	for _, r := range a.Resources {
		for _, v := range r.Declaration.Verbs {
			api.Shown = append(api.Shown, specShown(r, v.Out))
		}
		for out, shown := range r.Shown {
			a.hidden(shown.Hiding(), api.Hidden)
			if r.Declaration.Select.Fields {
				a.chosen(out, api.Hidden)
			}
		}
		for _, e := range r.Endpoints {
			a.hidden(e.Mask, api.Hidden)
			a.hidden(e.Unasked, api.Hidden)
		}
	}
	for _, e := range a.Operations() {
		described, err := e.spec()
		api.Endpoints = append(api.Endpoints, described)
		api.Mistakes = append(api.Mistakes, err...)
	}
	return api
}

// chosen adds all members of a view, without a sentence: clients choose some of them.
func (a Catalog) chosen(out reflect.Type, to map[spec.MemberOf]string) {
	for f := range naming.ShapeFields(out) {
		of := spec.MemberOf{Type: out, Name: a.Config.Case.JSONName(f)}
		to[of] = cmp.Or(to[of], "")
	}
}

// hidden adds the members that only some callers see, or that only some answers have, with a sentence about that.
func (a Catalog) hidden(mask *fieldrule.Mask, to map[spec.MemberOf]string) {
	for m, rule := range mask.Members() {
		for f := range naming.ShapeFields(m.Of) {
			if naming.JSONName(f) != m.Name {
				continue
			}
			of, said := spec.MemberOf{Type: m.Of, Name: a.Config.Case.JSONName(f)}, rule.Sentence()
			if known := to[of]; known == "" || said < known { // the order of members is random
				to[of] = said
			}
		}
	}
}

func specShown(r *table.Resource, out reflect.Type) spec.Shown {
	shown := spec.Shown{Output: out}
	for _, v := range r.Declaration.Verbs {
		if shape := r.Inputs[v.In]; shape != nil {
			shown.Inputs = append(shown.Inputs, shape)
		}
	}
	return shown
}

// spec describes the endpoint as plain data. The errors are of a pagination class that cannot
// describe its pages.
func (e Operation) spec() (*spec.Endpoint, []error) {
	a := e.Catalog()
	described := &spec.Endpoint{
		ID: e.ID(), Method: e.Route.Method, Path: a.PathOf(e.Endpoint), Summary: e.summary(), Description: e.description(),
		Service: e.specService(), ViewSet: e.Resource.Path, Root: e.Resource.Path == "", Idempotent: e.Idempotent, MayLackBody: e.MayLackBody(),
		Above: e.specAbove(), Key: e.specKey(), Other: e.specOther(), Takes: specHeaders(e.takes()), Body: e.specBody(), Totals: e.specTotals(),
		Statuses: e.successes(), Headers: specHeaders(e.headers()), Failures: e.specFailures(), Open: e.admits(nil) || e.takesSignature(),
	}
	if e.Parts != nil {
		described.Parts = &spec.Parts{Media: e.Parts.Media(), Element: e.Parts.Element}
	}
	switch {
	case e.Bulk != nil && e.Bulk.Each:
		described.Each, described.Output = true, e.Bulk.Row
	case e.Out != input.NoneType:
		described.Output = e.Out
	}
	if e.File != nil && e.Route.Method == http.MethodPut {
		described.Upload = &spec.Upload{Types: e.File.Types, MaxBytes: e.File.MaxBytes}
	}
	for _, p := range e.Params {
		described.Params = append(described.Params, spec.Param{
			Name: p.Name, Doc: p.Doc, Role: roles[e.PartOf[p.Name]], Type: typeOf(p), Enum: p.Enum, List: p.List, Required: p.Required,
			Minimum: p.Minimum, MaxLength: p.MaxLength, Default: p.Default,
			Field: e.inputField(p.Name), Compared: e.compared(p.Name),
		})
	}
	described.Links = e.linked()
	for _, scheme := range e.Authentication {
		for _, way := range access.SecurityOf(scheme, e.Route.Method) {
			described.Security = append(described.Security, specSchemes(way))
		}
	}
	var mistakes []error
	if e.Pagination != nil {
		described.Page, mistakes = e.specPage()
		described.Exports = e.Exports.Media()
	} else {
		described.In = e.AnswerIn
	}
	return described, mistakes
}

// roles are the roles of parameters by the part of the declaration that they are of.
var roles = map[string]spec.Role{
	"pagination": spec.RolePage, "ordering": spec.RoleOrder, "search": spec.RoleSearch, "ranked": spec.RoleSearch,
	"select": spec.RoleMembers, "export": spec.RoleFormat,
}

// specTotals describes the answer of an endpoint of totals, nil for any other.
func (e Operation) specTotals() *spec.Totals {
	if e.Totals == nil {
		return nil
	}
	described := &spec.Totals{Name: e.noun()}
	for _, part := range e.Totals.Parts {
		shown := spec.TotalsPart{Member: part.Member, Doc: part.Doc}
		for _, f := range part.Fields {
			shown.Fields = append(shown.Fields, spec.TotalsField{Name: f.Name, Type: f.Result, Nullable: f.Nullable, Unbounded: f.Unbounded})
		}
		described.Parts = append(described.Parts, shown)
	}
	return described
}

func (e Operation) specService() spec.Service {
	if s := e.Resource.Declaration.Service; s != nil {
		return spec.Service{Name: s.Name, Doc: s.Doc}
	}
	return spec.Service{Name: e.Resource.API.Config.Title, Doc: "The API as a whole."}
}

func (e Operation) specKey() *spec.Key {
	if !strings.Contains(e.Pattern, ":id") {
		return nil
	}
	r := e.Resource
	return &spec.Key{Name: r.KeyName(), Doc: "The " + nounOf(r) + "'s " + r.KeyName() + ".", Type: r.Key.IndirectType}
}

// specOther describes the second key in the path, nil without one.
func (e Operation) specOther() *spec.Key {
	if e.OtherKey == nil {
		return nil
	}
	return &spec.Key{Name: otherName(e.Endpoint), Doc: "The " + e.OtherKey.Name + " of one of " + e.Route.Name + ".", Type: e.OtherKey.IndirectType}
}

func (e Operation) specBody() *spec.Body {
	if !e.TakesBody() || len(e.Input.Fields) == 0 {
		return nil
	}
	return &spec.Body{
		Shape: e.Input, Noun: e.noun(), Partial: e.Partial(), Strict: e.Resource.Strict,
		Required: !e.NeedsNoBody(), Shown: e.sentBack(), In: e.BodyIn.Member, Items: e.specItems(),
	}
}

// specItems describes the items of a body that is a list, nil for any other.
func (e Operation) specItems() *spec.Items {
	if e.Bulk == nil {
		return nil
	}
	items := &spec.Items{Most: e.Bulk.Most}
	if name := e.Bulk.Key.Name; name != "" {
		items.Key = &spec.Key{Name: name, Doc: "The " + nounOf(e.Resource) + "'s " + name + ".", Type: e.Bulk.Key.Column.IndirectType}
	}
	return items
}

func (e Operation) specFailures() (all []spec.Failure) {
	failures := e.failures()
	own := append(e.Catalog().usualHeaders(), withoutLocation(e.OwnHeaders())...)
	for _, status := range slices.Sorted(maps.Keys(failures)) {
		codes := failures[status]
		all = append(all, spec.Failure{Status: status, Codes: codes, Headers: specHeaders(append(e.headersOf(status, codes), own...))})
	}
	return all
}

func specHeaders(headers []call.Header) []spec.Header {
	all := make([]spec.Header, len(headers))
	for i, h := range headers {
		all[i] = spec.Header(h)
	}
	return all
}

func specSchemes(way []call.SecurityScheme) []spec.Scheme {
	all := make([]spec.Scheme, len(way))
	for i, s := range way {
		all[i] = spec.Scheme(s)
	}
	return all
}

// samplePages are pages of a list of 30 rows, and the page of an empty list. Together, their
// envelopes have every member that a pagination class answers.
var samplePages = []query.Page{
	{Window: query.Window{Limit: 10, Offset: 10, Number: 2}, Total: query.Total{Count: 30, Known: true}, Rows: 10, More: true, Next: "b", Previous: "a"},
	{Window: query.Window{Limit: 10, Number: 1}, Total: query.Total{Count: 30, Known: true}, Rows: 10, More: true, Next: "b"},
	{Window: query.Window{Limit: 10, Offset: 20, Number: 3}, Total: query.Total{Count: 30, Known: true}, Rows: 10, Previous: "a"},
	{Window: query.Window{Limit: 10, Number: 1}, Total: query.Total{Known: true}},
}

// specPage describes a list by the envelopes of the sample pages. If the pagination class
// rejects a page, for example a page after the last, the description lacks this page. An error
// that is not a [problem.Error] is a mistake, and so is a class that rejects every page.
func (e Operation) specPage() (*spec.Page, []error) {
	words := Words(e.Resource)
	if e.Route.Name != call.VerbList {
		words = append(words, e.Route.Name)
	}
	page := &spec.Page{Name: naming.Title(strings.Join(words, " ")) + "Page"}
	var mistakes []error
	var last error
	for _, p := range samplePages {
		p.Link = func(url.Values) string { return "/" }
		envelope, err := e.Envelope(p)
		if err == nil {
			page.Samples = append(page.Samples, specMembers(envelope))
			continue
		}
		last = err
		if _, refused := errors.AsType[*problem.Error](err); !refused {
			mistakes = append(mistakes, naming.Sentence("%s: the Envelope of %T: %w", e.Resource.Path, e.Pagination, err))
		}
	}
	if len(page.Samples) == 0 {
		mistakes = append(mistakes, naming.Sentence("%s: the Envelope of %T rejects every page: %w", e.Resource.Path, e.Pagination, last))
	}
	return page, mistakes
}

func specMembers(envelope query.Envelope) []spec.Member {
	all := make([]spec.Member, len(envelope))
	for i, m := range envelope {
		all[i] = spec.Member{Name: m.Name, Doc: m.Doc, Value: m.Value}
		if _, rows := m.Value.(query.Items); rows {
			all[i].Value = spec.Rows{}
		}
	}
	return all
}

// typeOf is the Go type of one value of a parameter: string, if the parameter has no type.
func typeOf(p query.Param) reflect.Type {
	if p.Type == nil {
		return reflect.TypeFor[string]()
	}
	return p.Type
}

// compared lists the fields that the expression in a parameter of a list may compare; nil for any other parameter.
func (e Operation) compared(param string) (fields []spec.Compared) {
	x := e.Resource.Expression
	if x == nil || e.Ordering == nil && e.Totals == nil || x.Param != param {
		return nil
	}
	for _, f := range x.Fields {
		fields = append(fields, spec.Compared{Name: f.Name, Type: f.Type, Enum: f.Enum, Ordered: f.Ordered(), ToMany: f.ToMany})
	}
	return fields
}

// inputField is the field that a query parameter fills in the input of a GET; nil if it fills
// no field.
func (e Operation) inputField(name string) *input.Field {
	if e.Input == nil || e.Route.Method != http.MethodGet {
		return nil
	}
	return e.Input.ByName[name]
}

// PageMembers lists the names of the members of the sample pages of a list, without that of the
// rows. A page that the pagination class cannot make adds none.
func (e Operation) PageMembers() (names []string) {
	for _, p := range samplePages {
		p.Link = func(url.Values) string { return "/" }
		envelope, _ := e.Pagination.Envelope(p)
		for _, m := range envelope {
			if _, rows := m.Value.(query.Items); !rows {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// Spec describes the checked API as plain data.
func (a Catalog) Spec() *spec.API { return a.spec() }

// Described describes every endpoint as plain data, in the order of [Catalog.Operations].
func (a Catalog) Described() []*spec.Endpoint { return a.spec().Endpoints }
