package framework

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
)

// bindReserved gives each resource the values that no row of its model may have,
// as the viewsets of the model reserve them, by column.
func (b *binder) bindReserved() {
	for _, r := range b.api.resources {
		words, key := r.declaration.reserved, declaredKey(r)
		if len(words) == 0 || key == nil {
			continue
		}
		for _, word := range words {
			if _, ok := input.ParseKey(key.IndirectType, word); !ok || key.IndirectType.Kind() != reflect.String {
				b.fault(r.path, "reserved", naming.Sentence("%q cannot be a value of %s, which is %s", word, key.GoName, key.IndirectType))
			}
		}
		b.reserve(r.model, key, words)
	}
}

// declaredKey is what item paths will carry; nil for a Lookup that is no field, which
// bind reports.
func declaredKey(r *resource) *schema.Field {
	if r.declaration.lookup == "" {
		return r.pk
	}
	f, err := r.Field(r.declaration.lookup)
	if err != nil {
		return nil
	}
	return f.Column
}

// reserve gives the values to each resource of the model.
func (b *binder) reserve(model reflect.Type, key *schema.Field, words []string) {
	for _, r := range b.api.resources {
		if r.model == model {
			r.reserved = addReserved(r.reserved, key, words)
		}
	}
}

// collides reports whether an action whose path has no id has that of another
// resource, or of such an action of another.
func collides(r *resource, act action) bool {
	path := r.path + "/" + act.name
	return slices.ContainsFunc(r.api.resources, func(other *resource) bool {
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
			if rest, ok := strings.CutPrefix(other.path, r.path+"/"); ok && itemAt(r, "") {
				word, _, _ := strings.Cut(rest, "/")
				b.checkShadow(other, "", r, word)
			}
		}
	}
}

func (b *binder) checkActionShadows(r *resource) {
	for _, a := range r.declaration.actions {
		word, rest, _ := strings.Cut(a.name, "/")
		if !a.onObject && itemAt(r, rest) {
			b.checkShadow(r, fmt.Sprintf("action %q", a.name), r, word)
		}
	}
}

// itemAt reports whether objects of the viewset have an endpoint at this part of
// the path behind their key.
func itemAt(r *resource, name string) bool {
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
