package input

import (
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// A OneRequirer is an input type that needs at least one of several fields, such as an e-mail
// address or a user name. If none of them has a value, the first has the fault "required",
// or the one that an unknown name in the body is near to.
// Null, 0, false and blank text count as no value; 0 and false do count behind a pointer and in
// an Optional. In the OpenAPI document it is a choice of one schema for each field, except for
// PATCH.
type OneRequirer interface {
	// OneRequired returns the names of the fields in JSON, two or more. It is called on
	// the type's zero value.
	OneRequired() []string
}

// meantOne returns the field of OneOf that the client probably meant by an unknown name of the
// object at a pointer, or else the first field of OneOf.
func (s *Shape) meantOne(unknown []string, at string) *Field {
	for _, pointer := range unknown {
		name, ok := strings.CutPrefix(pointer, at+"/")
		if !ok || strings.Contains(name, "/") {
			continue
		}
		near := s.NearestPointer("/" + name)
		if i := slices.IndexFunc(s.OneOf, func(f *Field) bool { return naming.PointerTo(f.Name) == near }); i >= 0 {
			return s.OneOf[i]
		}
	}
	return s.OneOf[0]
}

// Checked runs the checks of an input type that concern several fields. If no field in
// OneOf has a value, it returns that fault only. Otherwise, it returns the faults of Check,
// or nil without a Check method. v is addressable and of the shape's type.
func (s *Shape) Checked(v reflect.Value) []problem.Fault {
	return s.checked(v, func(*Field) bool { return false })
}

// checked is [Shape.Checked] for a body that sent some fields. If none has a value, the fault is
// at the first field that was sent.
func (s *Shape) checked(v reflect.Value, sent func(*Field) bool) []problem.Fault {
	if len(s.OneOf) > 0 && !slices.ContainsFunc(s.OneOf, func(f *Field) bool { return f.hasValue(v) }) {
		if at := slices.IndexFunc(s.OneOf, sent); at >= 0 {
			return []problem.Fault{{Pointer: naming.PointerTo(s.OneOf[at].Name), Code: "required", Detail: "must have a value"}}
		}
		return []problem.Fault{{Pointer: naming.PointerTo(s.OneOf[0].Name), Code: "required", Detail: missingDetail}}
	}
	if !s.checker {
		return nil
	}
	return v.Addr().Interface().(Checker).Check()
}

// hasValue reports whether a field has a value that satisfies [OneRequirer]: an absent field,
// null and blank text are no value. 0 and false are one in a pointer or in an Optional only.
func (f *Field) hasValue(v reflect.Value) bool {
	v = f.in(v)
	given := f.Value.Optional
	if given {
		if !v.Field(0).Bool() {
			return false
		}
		v = v.Field(1)
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return false
		}
		v, given = v.Elem(), true
	}
	if v.Kind() == reflect.String {
		return !naming.IsBlank([]byte(v.String()))
	}
	return given || !v.IsZero()
}

// oneRequired sets OneOf to the fields that a [OneRequirer] names.
func (c *inputCompiler) oneRequired(s *Shape, name string) {
	requirer, ok := reflect.TypeAssert[OneRequirer](reflect.New(s.Typ))
	if !ok {
		return
	}
	names := requirer.OneRequired()
	if len(names) < 2 {
		c.mistakef(name, "OneRequired returns %d names; it needs two or more", len(names))
	}
	for _, one := range names {
		f := s.ByName[one]
		switch {
		case f == nil:
			c.mistakef(name, "OneRequired names %q, which is no field%s", one, naming.DidYouMean(one, s.names()))
		case f.Required || f.HasDef:
			c.mistakef(f.Place, "always has a value, so OneRequired must not name it")
		default:
			s.OneOf = append(s.OneOf, f)
		}
	}
}
