package framework

import (
	"net/http"
	"slices"
	"strings"
)

// A description is what OPTIONS answers: what the path takes, method by method,
// for those that the caller may use. It is a piece of the reference, enough to
// build a form of.
type description struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Renders     []string `json:"renders"`
	Parses      []string `json:"parses"`
	Actions     members  `json:"actions"`
}

// A describer answers OPTIONS out of the reference, which an API that is not
// documented writes when it is first asked. It is safe for concurrent use.
type describer struct {
	api       *API
	reference func() (members, error)
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
		Name: p.name(), Description: p.doc(), Renders: []string{"application/json"}, Parses: []string{"application/json"}, Actions: members{},
	}
	for _, method := range knownMethods {
		if e := p.methods[method]; e != nil && e.mayBeUsed(c) {
			operation := root.at("paths").at(d.api.info(e).Path).at(strings.ToLower(method))
			said.Actions.add(method, taken(root, operation))
		}
	}
	return &response{status: http.StatusOK, value: said}, nil
}

// name is what is at a path: "books", or "books/lend" for an action.
func (p *place) name() string {
	for _, method := range knownMethods {
		if e := p.methods[method]; e != nil && !isVerb(e.route.Name) {
			return p.resource.path + "/" + e.route.Name
		}
	}
	return p.resource.path
}

// doc describes what is at a path: an action, or else the resource.
func (p *place) doc() string {
	for _, method := range knownMethods { // in an order, so that it is told alike each time
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
func taken(root, operation members) members {
	said := members{}
	if summary := operation.member("summary"); summary != nil {
		said.add("summary", summary)
	}
	parameters, _ := operation.member("parameters").([]any)
	parameters = slices.DeleteFunc(slices.Clone(parameters), func(one any) bool {
		told, _ := one.(members)
		return told.member("in") == "path"
	})
	if len(parameters) > 0 {
		said.add("parameters", inlined(root, parameters, mostInlined))
	}
	if body := operation.at("requestBody"); body != nil {
		schema := body.at("content").at("application/json").member("schema")
		said.add("body", inlined(root, schema, mostInlined))
	}
	return said
}

// member is the value of a member, nil for none.
func (m members) member(name string) any {
	for _, one := range m {
		if one.name == name {
			return one.value
		}
	}
	return nil
}

// mostInlined is how deep schemas are put in the place of their references, so
// that one which refers to itself has an end.
const mostInlined = 16

// inlined is a part of the reference that refers to no other part: what a
// reference leads to stands in its place, with what is said beside it.
func inlined(root members, value any, depth int) any {
	switch value := value.(type) {
	case []any:
		all := make([]any, len(value))
		for i, one := range value {
			all[i] = inlined(root, one, depth)
		}
		return all
	case members:
		all := members{}
		for _, one := range value {
			if one.name != "$ref" || depth == 0 {
				all.add(one.name, inlined(root, one.value, depth))
			}
		}
		if to, refers := value.member("$ref").(string); refers && depth > 0 {
			found, _ := inlined(root, root.find(to), depth-1).(members)
			return found.with(all)
		}
		return all
	}
	return value
}

// find is what a reference within a document leads to.
func (m members) find(to string) any {
	var value any = m
	for name := range strings.SplitSeq(strings.TrimPrefix(to, "#/"), "/") {
		object, _ := value.(members)
		value = object.member(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	}
	return value
}

// with are the members and others, which go before those of the same name.
func (m members) with(others members) members {
	all := slices.DeleteFunc(slices.Clone(m), func(one member) bool { return others.member(one.name) != nil })
	return append(all, others...)
}
