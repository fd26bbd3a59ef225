package framework

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// bindReserved gives each resource the values that no row of its model may have,
// as the viewsets of the model reserve them, by column.
func (b *binder) bindReserved() {
	for _, r := range b.api.resources {
		words, key := r.declaration.reserved, r.declaredKey()
		if len(words) == 0 || key == nil {
			continue
		}
		for _, word := range words {
			if _, ok := input.ParseKey(key.IndirectType, word); !ok || key.IndirectType.Kind() != reflect.String {
				b.fault(r.path, "reserved", naming.Sentence("%q cannot be a value of %s, which is %s", word, key.GoName, key.IndirectType))
			}
		}
		b.api.reserve(r.model, key, words)
	}
}

// declaredKey is what item paths will carry; nil for a Lookup that is no field, which
// bind reports.
func (r *resource) declaredKey() *schema.Field {
	if r.declaration.lookup == "" {
		return r.pk
	}
	f, err := r.field(r.declaration.lookup)
	if err != nil {
		return nil
	}
	return f.column
}

// reserve gives the values to each resource of the model.
func (a *API) reserve(model reflect.Type, key *schema.Field, words []string) {
	for _, r := range a.resources {
		if r.model == model {
			r.reserved = addReserved(r.reserved, key, words)
		}
	}
}

// A reservation is the values that a column never has.
type reservation struct {
	column *schema.Field
	words  []string
}

func addReserved(all []reservation, column *schema.Field, words []string) []reservation {
	for i, known := range all {
		if known.column == column {
			all[i].words = addNew(slices.Clone(known.words), words)
			return all
		}
	}
	return append(all, reservation{column, words})
}

// reserve makes the field of an input refuse the values that its column never has.
func (r *resource) reserve(f *input.Field, column *schema.Field) {
	for _, reserved := range r.reserved {
		if reserved.column != column || f.Value.Typ.Kind() != reflect.String {
			continue
		}
		add := input.Rule{Name: "noneof", Param: strings.Join(reserved.words, " ")}
		if !slices.Contains(f.Value.Rules, add) {
			f.Value.Rules = append(slices.Clip(f.Value.Rules), add)
			f.Rules, f.Value.Tag = f.Value.Rules, (&input.RuleSpec{Rules: f.Value.Rules}).Tag()
		}
	}
}

// unreserved refuses a row that a function gave a reserved value.
func (r *resource) unreserved(m reflect.Value) error {
	for _, reserved := range r.reserved {
		v := reflect.Indirect(reserved.column.Value(m))
		if !v.IsValid() || !slices.Contains(reserved.words, v.String()) {
			continue
		}
		fault := problem.Fault{Code: "noneof", Detail: input.RuleDetail(input.Rule{Name: "noneof", Param: strings.Join(reserved.words, " ")}, v.Type())}
		if name := r.clientName(reserved.column.Name); name != "" {
			fault.Pointer = naming.PointerTo(name)
		}
		return problem.Invalid(fault)
	}
	return nil
}

// collides reports whether an action whose path has no id has that of another
// resource, or of such an action of another.
func (a *API) collides(r *resource, act action) bool {
	path := r.path + "/" + act.name
	return slices.ContainsFunc(a.resources, func(other *resource) bool {
		return other.path == path || other != r && slices.ContainsFunc(other.declaration.actions, func(theirs action) bool {
			return (!theirs.onObject || other.declaration.single) && other.path+"/"+theirs.name == path
		})
	})
}

// checkShadows reports each path below a viewset that is also the path of an object
// of it, unless the value is reserved.
func (b *binder) checkShadows() {
	for _, r := range b.api.resources {
		b.checkActionShadows(r)
		for _, other := range b.api.resources {
			if rest, ok := strings.CutPrefix(other.path, r.path+"/"); ok && r.itemAt("") {
				word, _, _ := strings.Cut(rest, "/")
				b.checkShadow(other, "", r, word)
			}
		}
	}
}

func (b *binder) checkActionShadows(r *resource) {
	for _, a := range r.declaration.actions {
		word, rest, _ := strings.Cut(a.name, "/")
		if !a.onObject && r.itemAt(rest) {
			b.checkShadow(r, fmt.Sprintf("action %q", a.name), r, word)
		}
	}
}

// itemAt reports whether objects of the viewset have an endpoint at this part of
// the path behind their key.
func (r *resource) itemAt(name string) bool {
	return !r.declaration.single && slices.ContainsFunc(r.endpoints, func(e *endpoint) bool {
		if isVerb(e.route.Name) {
			return e.onObject && name == ""
		}
		return e.onObject && e.route.Name == name
	})
}

// checkShadow reports a path, of an action of a resource or of the whole of it, that
// is also that of an object of r whose key is word.
func (b *binder) checkShadow(of *resource, place string, r *resource, word string) {
	if _, ok := input.ParseKey(r.key.IndirectType, word); !ok {
		return
	}
	for _, reserved := range r.reserved {
		if reserved.column == r.key && slices.Contains(reserved.words, word) {
			return
		}
	}
	b.fault(of.path, place, naming.Sentence("its path is also that of the object of %s whose %s is %q, which could not be reached; reserve the value: Reserved: []string{%q} in %s",
		r.path, r.key.GoName, word, word, r.path))
}
