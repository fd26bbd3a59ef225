package framework

import (
	"net/http"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/openapi"
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
	api       catalog
	reference func() (wire.Members, error)
}

// describe answers OPTIONS for callers who may use the viewset.
func (d *describer) describe(c *Call, r *http.Request, p *place) (*response, error) {
	if err := p.resource.door.admit(c, r); err != nil {
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
			said.Actions.Add(method, openapi.Describe(root, d.api.pathOf(e), method))
		}
	}
	return &response{status: http.StatusOK, value: said}, nil
}

// name is what is at a path: "books", or "books/lend" for an action.
func (p *place) name() string {
	for _, method := range naming.KnownMethods {
		if e := p.methods[method]; e != nil && !isVerb(e.route.Name) {
			return p.resource.path + "/" + e.route.Name
		}
	}
	return p.resource.path
}

// doc describes what is at a path: an action, or else the resource.
func (p *place) doc() string {
	for _, method := range naming.KnownMethods { // in an order, so that it is told alike each time
		if e := p.methods[method]; e != nil && e.doc != "" && !isVerb(e.route.Name) {
			return e.doc
		}
	}
	return p.resource.declaration.doc
}

func mayUse(c *Call, e *endpoint) bool {
	as := *c
	as.Route = e.route
	return e.permission.Permit(&as)
}
