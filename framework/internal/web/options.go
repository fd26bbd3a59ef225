package web

import (
	"net/http"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/openapi"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
)

// A description is what OPTIONS answers: what the path takes, method by method,
// for those that the caller may use. It is a piece of the reference, enough to
// build a form of.
type description struct {
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Renders     []string     `json:"renders"`
	Parses      []string     `json:"parses"`
	Actions     wire.Members `json:"actions"`
}

// A describer answers OPTIONS out of the reference, which an API that is not
// documented writes when it is first asked. It is safe for concurrent use.
type describer struct {
	api       describe.Catalog
	reference func() (wire.Members, error)
}

// describe answers OPTIONS for callers who may use the viewset.
func (d *describer) describe(c *call.Call, r *http.Request, p *place) (*table.Response, error) {
	if err := p.resource.Access.Admit(c, r); err != nil {
		return nil, err
	}
	root, err := d.reference()
	if err != nil {
		return nil, err
	}
	said := description{
		Name: p.name(), Description: p.doc(), Renders: []string{"application/json"}, Parses: []string{"application/json"}, Actions: wire.Members{},
	}
	for _, method := range naming.KnownMethods {
		if e := p.methods[method]; e != nil && mayUse(c, e) {
			said.Actions.Add(method, openapi.Describe(root, d.api.PathOf(e), method))
		}
	}
	return &table.Response{Status: http.StatusOK, Value: said}, nil
}

// name is what is at a path: "books", or "books/lend" for an action.
func (p *place) name() string {
	for _, method := range naming.KnownMethods {
		if e := p.methods[method]; e != nil && !declare.IsVerb(e.Route.Name) {
			return p.resource.Path + "/" + e.Route.Name
		}
	}
	return p.resource.Path
}

// doc describes what is at a path: an action, or else the resource.
func (p *place) doc() string {
	for _, method := range naming.KnownMethods { // in an order, so that it is told alike each time
		if e := p.methods[method]; e != nil && e.Doc != "" && !declare.IsVerb(e.Route.Name) {
			return e.Doc
		}
	}
	return p.resource.Declaration.Doc
}

func mayUse(c *call.Call, e *table.Endpoint) bool {
	as := *c
	as.Route = e.Route
	return e.Permission.Permit(&as)
}
