package framework

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
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
	api       *API
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
		if e := p.methods[method]; e != nil && e.mayBeUsed(c) {
			operation := root.At("paths").At(d.api.info(e).Path).At(strings.ToLower(method))
			said.Actions.Add(method, taken(root, operation))
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

func (e *endpoint) mayBeUsed(c *Call) bool {
	as := *c
	as.Route = e.route
	return e.permission.Permit(&as)
}

// taken is what an operation of the reference takes: its parameters but for
// those of the path, and the JSON Schema of its body.
func taken(root, operation wire.Members) wire.Members {
	said := wire.Members{}
	if summary := operation.Member("summary"); summary != nil {
		said.Add("summary", summary)
	}
	parameters, _ := operation.Member("parameters").([]any)
	parameters = slices.DeleteFunc(slices.Clone(parameters), func(one any) bool {
		told, _ := one.(wire.Members)
		return told.Member("in") == "path"
	})
	if len(parameters) > 0 {
		said.Add("parameters", inlined(root, parameters, mostInlined))
	}
	if body := operation.At("requestBody"); body != nil {
		schema := body.At("content").At("application/json").Member("schema")
		said.Add("body", inlined(root, schema, mostInlined))
	}
	return said
}

// mostInlined is how deep schemas are put in the place of their references, so
// that one which refers to itself has an end.
const mostInlined = 16

// inlined is a part of the reference that refers to no other part: what a
// reference leads to stands in its place, with what is said beside it.
func inlined(root wire.Members, value any, depth int) any {
	switch value := value.(type) {
	case []any:
		all := make([]any, len(value))
		for i, one := range value {
			all[i] = inlined(root, one, depth)
		}
		return all
	case wire.Members:
		all := wire.Members{}
		for _, one := range value {
			if one.Name != "$ref" || depth == 0 {
				all.Add(one.Name, inlined(root, one.Value, depth))
			}
		}
		if to, refers := value.Member("$ref").(string); refers && depth > 0 {
			found, _ := inlined(root, root.Find(to), depth-1).(wire.Members)
			return found.With(all)
		}
		return all
	}
	return value
}
