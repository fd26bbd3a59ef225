package openapi

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
)

// names gives each type, page and error of a document a name of its own.
type names struct {
	named    map[string]wire.JSONSchema
	known    map[any]string  // the name of each named thing
	reserved map[string]bool // in lower case, of security schemes: generators make types of these too
}

func newNames() names {
	return names{map[string]wire.JSONSchema{}, map[any]string{}, map[string]bool{}}
}

// A component is a schema that has the name of a type: of its values in an answer, in a
// body, in the body of a PATCH, or in a body that may send shown fields back.
type component struct {
	typ     reflect.Type
	partial bool
	strict  bool
	input   bool
	shown   reflect.Type
	key     string // the member with the key of the row, of an item of a list; "" for none
	within  string // for a type without a name: the name that it gets from the place of its use
}

// plain returns the name of the type, without separators and with a capital first letter.
func (c component) plain() string {
	if c.within != "" {
		return c.within
	}
	return naming.Title(plainName(c.typ))
}

// member returns the name for the type of a field of c, for a type without a name.
func (c component) member(field string) string {
	if c.input {
		return strings.TrimSuffix(c.plain(), "Input") + naming.Title(field)
	}
	return c.base() + naming.Title(field)
}

// A pageOf is the schema of a list, with the id of its operation.
type pageOf struct{ id string }

// A problemOf is the schema of errors with a code.
type problemOf struct{ code string }

// allot names a thing. A new thing gets the first free candidate, or else the first candidate
// with a number from 2, and an empty schema; fresh is true. A known thing keeps its name.
func (n names) allot(thing any, candidates ...string) (name string, fresh bool) {
	if known, ok := n.known[thing]; ok {
		return known, false
	}
	isFree := func(name string) bool { return n.named[name] == nil && !n.reserved[strings.ToLower(name)] }
	if at := slices.IndexFunc(candidates, isFree); at >= 0 {
		name = candidates[at]
	}
	for number := 2; name == ""; number++ {
		if numbered := candidates[0] + strconv.Itoa(number); isFree(numbered) {
			name = numbered
		}
	}
	n.known[thing], n.named[name] = name, wire.JSONSchema{}
	return name, true
}

// component returns the name of a component, which is that of its type by [component.base]. If
// this name is taken, a strict component gets the prefix Strict. If that is taken too, or for
// any other component, the name of the type's package is the prefix. If all these are taken,
// the base name gets a number ([names.allot]). A known component keeps its name, and fresh is
// false.
func (n names) component(c component) (name string, fresh bool) {
	base := c.base()
	candidates := []string{base, naming.Title(packageName(c.typ)) + base}
	if c.strict {
		candidates = slices.Insert(candidates, 1, "Strict"+base)
	}
	return n.allot(c, candidates...)
}

// base returns the name of a component: for an output the name of its type without View or Input
// at the end; for an input with Input at the end, unless it ends with Patch, and for an item with the key of its
// row with Item. A partial input
// without Patch begins with Patched, and a whole one with shown fields with Replaced.
func (c component) base() string {
	name := c.plain()
	patch := strings.HasSuffix(name, "Patch")
	switch {
	case !c.input:
		return cmp.Or(strings.TrimSuffix(strings.TrimSuffix(name, "View"), "Input"), name)
	case !patch && !strings.HasSuffix(name, "Input"):
		name += "Input"
	}
	switch {
	case c.key != "":
		return strings.TrimSuffix(name, "Input") + "Item"
	case c.partial && !patch:
		return "Patched" + name
	case c.shown != nil && !c.partial:
		return "Replaced" + name
	}
	return name
}

// plainName returns a type's name without packages and without the brackets of type arguments. It
// is "Object" for a type without a name.
func plainName(t reflect.Type) string {
	var parts []string
	for _, part := range strings.FieldsFunc(t.Name(), func(r rune) bool { return strings.ContainsRune("[], ", r) }) {
		parts = append(parts, naming.Title(part[strings.LastIndexAny(part, "./")+1:]))
	}
	if len(parts) == 0 {
		return "Object"
	}
	return strings.Join(parts, "")
}

func packageName(t reflect.Type) string { return t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:] }

func schemaOf(name string) wire.JSONSchema {
	return wire.JSONSchema{"$ref": "#/components/schemas/" + name}
}
