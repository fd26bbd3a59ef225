package framework

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// URL is the absolute address of a path below the API's prefix, by the rule of all
// links: [Config.PublicURL], or else the request's Host. A function that creates
// something at another path than its own viewset's sets the header Location to it:
//
//	c.Header().Set("Location", c.URL("/cart/items/"+id.String()))
//
// and names the header with Sends. Location is not sent with an error.
func (c *Call) URL(path string) string { return c.api.url(c.request, path) }

// hasAddresses reports whether rows have addresses of their own: an endpoint of the
// viewset, with any method, that is served at the path of one row.
func (r *resource) hasAddresses() bool {
	verbs := r.declaration.verbs.named()
	return r.declaration.single || slices.ContainsFunc(verbs, func(v namedVerb) bool { return v.kind != verbAbsent && v.onObject() })
}

// rowPath is the path of a row below the prefix; empty if it has none.
func (r *resource) rowPath(key reflect.Value) string {
	key = reflect.Indirect(key)
	switch {
	case !r.hasAddresses():
		return ""
	case r.declaration.single:
		return r.listPath()
	case !key.IsValid() || key.IsZero():
		return ""
	}
	text := fmt.Sprint(key.Interface())
	if text == "." || text == ".." { // clients take these segments out of a path
		return ""
	}
	return "/" + r.path + "/" + url.PathEscape(text) + r.slash
}

// created is the path of the row that a function created; empty if its answer does
// not name the row.
func (e *endpoint) created(out any) string {
	if !e.showsCreated() {
		return ""
	}
	return e.resource.rowPath(reflect.ValueOf(out).FieldByIndex(e.keyOf))
}

// showsCreated reports whether the endpoint is a function that creates a row of its
// viewset and answers with it: the answer has the row's key, matched by Go name and
// type as in every view.
func (e *endpoint) showsCreated() bool {
	return e.keyOf != nil && !e.onObject && e.status == http.StatusCreated
}

// findKey looks for the row's key in the answer of a function.
func (e *endpoint) findKey() {
	if e.out == nil || e.out.Kind() != reflect.Struct || e.resource.key == nil || !e.resource.hasAddresses() {
		return
	}
	for f := range naming.ShapeFields(e.out) {
		if f.Name == e.resource.key.GoName && f.Type == e.resource.key.StructField.Type {
			e.keyOf = f.Index
		}
	}
}

// location is the header Location of the endpoint's success, if it sends one.
func (e *endpoint) location() (h Header, sends bool) {
	h = standardHeader(problem.HeaderLocation)
	single := e.resource.declaration.single
	switch {
	case e.showsCreated(), e.kind == verbAccepts && e.route.Name == verbUpdate && single:
		h.Required = false // the first PUT alone creates; a function may leave the key out
	case e.kind == verbAccepts && e.route.Name == verbCreate && e.resource.hasAddresses():
		// Text may be blank, and then has no address.
		h.Required = e.resource.key == e.resource.pk && e.resource.key.IndirectType.Kind() != reflect.String
	default:
		return h, false
	}
	return h, true
}

// withoutLocation are the headers that an error may have.
func withoutLocation(headers []Header) []Header {
	return slices.DeleteFunc(headers, func(h Header) bool { return strings.EqualFold(h.Name, problem.HeaderLocation) })
}

// locate sets the header Location of an answer that created something, unless a
// function did.
func (c *Call) locate(resp *response) {
	if resp.created != "" && c.header.Get(problem.HeaderLocation) == "" {
		c.header.Set(problem.HeaderLocation, c.URL(resp.created))
	}
}
