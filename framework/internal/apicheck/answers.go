package apicheck

import (
	"reflect"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
)

// CheckNames reports an answer with two members of one name, which the case of the settings gives
// to a field that another field has in its tag.
func (k Checker) CheckNames() {
	if k.API.Config.Case < naming.AsInGo || k.API.Config.Case > naming.CamelCase {
		k.Fault("framework.Config", "Case", naming.Sentence("%d is not a case; use framework.SnakeCase or framework.CamelCase", k.API.Config.Case))
		return
	}
	known := map[reflect.Type]bool{}
	for _, r := range k.API.Resources {
		for _, e := range r.Endpoints {
			if e.Out != nil {
				checkCased(e.Out, k.API.Config.Case, known, k.at(r, e.Place()))
			}
		}
	}
}

// checkCased reports each struct of a type, at any depth, with two members of one name.
func checkCased(t reflect.Type, c naming.Case, known map[reflect.Type]bool, fault func(error)) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if known[t] || t.Kind() != reflect.Struct || datatype.WrittenForm(t) != datatype.FormParts {
		return
	}
	known[t] = true
	first := map[string]string{}
	for f := range c.Fields(t) {
		name := naming.JSONName(f)
		if other, taken := first[name]; taken {
			fault(naming.Sentence("%s.%s and %s are both named %q; give one of them another json name", naming.ShortName(t, "the answer"), other, f.Name, name))
		}
		first[name] = f.Name
		checkCased(f.Type, c, known, fault)
	}
}

// CheckShown reports each embedded pointer to a struct in the type of an answer, at any depth,
// unless it has a JSON name. A schema cannot describe its members, because JSON leaves them out
// where the pointer is nil. Fields that JSON leaves out, and types that write their own JSON,
// are not checked. Each struct type is checked once; known remembers which.
func CheckShown(t reflect.Type, known map[reflect.Type]bool, fault func(error)) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if known[t] || t.Kind() != reflect.Struct || datatype.WrittenForm(t) != datatype.FormParts {
		return
	}
	known[t] = true
	for f := range t.Fields() {
		switch {
		case f.Tag.Get("json") == "-":
		case naming.EmbedsPointer(f):
			fault(naming.Sentence("%s.%s: embed the struct itself, not a pointer to it, whose members would be left out where it is nil; or give it a json name", naming.ShortName(t, "the answer"), f.Name))
		case f.IsExported(), f.Anonymous:
			CheckShown(f.Type, known, fault)
		}
	}
}

// CheckShapes reports the embedded pointers in the answer of every endpoint ([CheckShown]),
// which the OpenAPI document cannot describe.
func (k Checker) CheckShapes() {
	for _, r := range k.API.Resources {
		known := map[reflect.Type]bool{}
		for _, e := range r.Endpoints {
			if e.Out != nil {
				CheckShown(e.Out, known, func(err error) { k.Fault(r.Path, e.Place(), err) })
			}
		}
	}
}
