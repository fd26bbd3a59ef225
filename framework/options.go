package framework

import (
	"net/http"
	"reflect"
)

// A description is what OPTIONS answers: what the path takes and gives, for
// the methods that the caller may use.
type description struct {
	Name        string                          `json:"name"`
	Description string                          `json:"description"`
	Renders     []string                        `json:"renders"`
	Parses      []string                        `json:"parses"`
	Parameters  []parameterDescription          `json:"parameters"`
	Actions     map[string]map[string]fieldInfo `json:"actions"`
}

type parameterDescription struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Choices     []string `json:"choices,omitempty"`
}

// fieldInfo describes one field of a body.
type fieldInfo struct {
	Type     string            `json:"type"`
	Required bool              `json:"required"`
	ReadOnly bool              `json:"read_only"`
	Nullable bool              `json:"nullable"`
	Rules    map[string]string `json:"rules,omitempty"`
}

// describe answers OPTIONS for callers who may use the viewset.
func (a *API) describe(c *Call, r *http.Request, p *place) (*response, error) {
	if err := p.resource.door.admit(c, r); err != nil {
		return nil, err
	}
	said := description{
		Name: p.resource.path, Description: p.doc(), Renders: []string{"application/json"}, Parses: []string{"application/json"},
		Parameters: []parameterDescription{}, Actions: map[string]map[string]fieldInfo{},
	}
	if list := p.methods[http.MethodGet]; list != nil && list.mayBeUsed(c) {
		for _, param := range list.params {
			said.Parameters = append(said.Parameters, parameterDescription{param.Name, param.Doc, param.Enum})
		}
	}
	for method, e := range p.methods {
		if e.input != nil && method != http.MethodGet && e.mayBeUsed(c) {
			said.Actions[method] = e.fields()
		}
	}
	return &response{status: http.StatusOK, value: said}, nil
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

// fields are those of the body, and those that are shown and read-only.
func (e *endpoint) fields() map[string]fieldInfo {
	fields := map[string]fieldInfo{}
	if e.out != nil && e.out.Kind() == reflect.Struct {
		for f := range shapeFields(e.out) {
			fields[jsonName(f)] = fieldInfo{Type: typeName(f.Type), ReadOnly: true, Nullable: f.Type.Kind() == reflect.Pointer}
		}
	}
	for _, f := range e.input.fields {
		info := fieldInfo{Type: typeName(f.typ), Required: f.required && e.route.Name != verbPatch, Nullable: f.nullable, Rules: map[string]string{}}
		for _, rule := range f.rules {
			info.Rules[rule.name] = rule.param
		}
		if f.ref != "" {
			info.Type, info.Rules["reference"] = "reference", f.ref
		}
		fields[f.name] = info
	}
	return fields
}

// typeName is what a client calls a Go type.
func typeName(t reflect.Type) string {
	if isOptional(t) {
		t = optionalValue(t)
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == timeType:
		return "datetime"
	case t == uuidType:
		return "uuid"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Slice, reflect.Array:
		return "list"
	case reflect.Struct, reflect.Map:
		return "object"
	}
	if t.PkgPath() != "" || t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64 {
		return "number"
	}
	return "integer"
}
