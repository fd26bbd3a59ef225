package web

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/mergepatch"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/openapi"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/internal/wire"
)

// A description is the answer to OPTIONS. Its actions are the operations of the path that the
// caller may use, by method, as the OpenAPI document describes them, but with readOnly for the
// fields of a body that the caller may not write. A client can make a form from it.
type description struct {
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Renders     []string     `json:"renders"`
	Parses      []string     `json:"parses"`
	Actions     wire.Members `json:"actions"`
	// Children are the addresses of the nested viewsets below a row, by name.
	Children wire.Members `json:"children,omitempty"`
}

// A describer answers OPTIONS from the OpenAPI document. For an API that is not documented, the
// document may be made at the first OPTIONS request. It is safe for concurrent use.
type describer struct {
	api       describe.Catalog
	reference func() (wire.Members, error)
}

// describe answers OPTIONS, if the access check of the viewset admits the caller. The throttles
// count the request. If the caller does not see the row directly above, the error is 404.
func (d *describer) describe(c *call.Call, r *http.Request, p *place, texts verb.Keys) (*table.Response, error) {
	if err := p.resource.Access.Admit(c, r); err != nil {
		return nil, err
	}
	keys, err := nested.ReadKeys(p.resource, texts.Above)
	if err == nil {
		err = nested.Find(c, p.resource, keys)
	}
	if err != nil {
		return nil, err
	}
	root, err := d.reference()
	if err != nil {
		return nil, err
	}
	answer := description{
		Name: p.name(), Description: p.doc(), Renders: p.renders(), Parses: p.parses(c), Actions: wire.Members{},
	}
	for _, method := range naming.KnownMethods {
		if e := p.methods[method]; e != nil && mayUse(c, e) {
			described := openapi.Describe(root, d.api.PathOf(e), method)
			answer.Actions.Add(method, openapi.MarkReadOnly(described, e.BodyIn.Member, locked(c, e)))
		}
	}
	if p.pattern == p.resource.ItemPath() {
		answer.Children = children(c, p.resource, append(keys, texts.Row))
	}
	return &table.Response{Status: http.StatusOK, Value: answer}, nil
}

// children lists the addresses of the viewsets below a row that the caller may use, by name. keys
// are those of the row and of the rows above it.
func children(c *call.Call, r *table.Resource, keys []any) (all wire.Members) {
	for _, child := range nested.Below(r) {
		if slices.ContainsFunc(child.Endpoints, func(e *table.Endpoint) bool { return mayUse(c, e) }) {
			all.Add(child.Declaration.Name, c.URL(child.PathBelow(keys)))
		}
	}
	return all
}

// name is the path of the viewset, with the name of an action: "books", or "books/lend".
func (p *place) name() string {
	for _, method := range naming.KnownMethods {
		if e := p.methods[method]; e != nil && e.Bulk != nil {
			return p.resource.Path + "/" + e.Bulk.Name
		} else if e != nil && !declare.IsVerb(e.Route.Name) {
			return p.resource.Path + "/" + e.Route.Name
		}
	}
	return p.resource.Path
}

// doc returns the Doc of the first action of the path that has one, in the order of the known
// methods. If no action has one, it returns the Doc of the resource.
func (p *place) doc() string {
	for _, method := range naming.KnownMethods { // in this order, so that the answer is always the same
		if e := p.methods[method]; e != nil && e.Doc != "" && !declare.IsVerb(e.Route.Name) {
			return e.Doc
		}
	}
	return p.resource.Declaration.Doc
}

// renders lists the media types of the answers of the path, in the order of the known methods.
func (p *place) renders() (media []string) {
	for _, method := range naming.KnownMethods {
		e := p.methods[method]
		if e == nil {
			continue
		}
		all := []string{"application/json"}
		if e.Parts != nil {
			all = e.Parts.Media()
		}
		all = append(all, e.Exports.Media()...)
		for _, one := range all {
			if !slices.Contains(media, one) {
				media = append(media, one)
			}
		}
	}
	return media
}

// parses lists the media types of the bodies of the path, and sets the header Accept-Patch if the path has a PATCH that takes a body.
func (p *place) parses(c *call.Call) []string {
	e := p.methods[http.MethodPatch]
	if e == nil || !e.TakesBody() {
		return []string{"application/json"}
	}
	media := e.BodyMedia()
	c.Header().Set(mergepatch.HeaderAccept, strings.Join(media, ", "))
	return media
}

// mayUse reports whether the permission of an endpoint permits the caller.
func mayUse(c *call.Call, e *table.Endpoint) bool { return e.Permission.Permit(callTo(c, e)) }

// locked lists the fields of the input of an endpoint that the caller may not write.
func locked(c *call.Call, e *table.Endpoint) (names []string) {
	for name, rules := range e.Locks {
		if fieldrule.AnyLocks(callTo(c, e), rules) {
			names = append(names, name)
		}
	}
	return names
}

// callTo is the call as one to an endpoint of the same path.
func callTo(c *call.Call, e *table.Endpoint) *call.Call {
	to := *c
	to.Route = e.Route
	return &to
}
