package bind

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/rowslug"
	"trestle.example/framework/internal/table"
)

// bindReserved adds the reserved values of every viewset to all resources of the same model. No
// row of the model may have a reserved value in the viewset's key column. It reports each value
// that cannot be a key, and every value if the key is not a text.
func (b *binder) bindReserved() {
	for _, r := range b.api.Resources {
		words, key := r.Declaration.Reserved, declaredKey(r)
		if len(words) == 0 || key == nil {
			continue
		}
		for _, word := range words {
			if _, ok := datatype.ParseKey(key.IndirectType, word); !ok || key.IndirectType.Kind() != reflect.String {
				b.fault(r.Path, "reserved", naming.Sentence("%q cannot be a value of %s, which is %s", word, key.GoName, key.IndirectType))
			}
		}
		b.reserve(r.Model, key, words)
	}
}

// bindSlugs binds the slug of every viewset. A viewset without a slug has that of the first viewset of
// its model that declares one: each way to store a row sets the slug.
func (b *binder) bindSlugs() {
	first := map[reflect.Type]*table.BoundSlug{}
	for _, r := range b.api.Resources {
		r.Slug = rowslug.Bind(r, r.Declaration.Slug, func(place string, err error) { b.fault(r.Path, place, err) })
		if first[r.Model] == nil {
			first[r.Model] = r.Slug
		}
	}
	for _, r := range b.api.Resources {
		if r.Declaration.Slug == (declare.Slug{}) {
			r.Slug = first[r.Model]
		}
	}
}

// declaredKey returns the column whose value is in the paths of objects. It is nil if Lookup
// is not a field; bind reports this mistake.
func declaredKey(r *table.Resource) *schema.Field {
	if r.Declaration.Lookup == "" {
		return r.Pk
	}
	f, err := r.Field(r.Declaration.Lookup)
	if err != nil {
		return nil
	}
	return f.Column
}

// reserve adds the reserved values of a column to each resource of the model.
func (b *binder) reserve(model reflect.Type, key *schema.Field, words []string) {
	for _, r := range b.api.Resources {
		if r.Model == model {
			r.Reserved = table.AddReserved(r.Reserved, key, words)
		}
	}
}

// collides reports whether the path of an action, which has no id, is also the path of a
// resource, or of an action of another resource.
func collides(r *table.Resource, act declare.Action) bool {
	path := r.Path + "/" + act.Name
	return slices.ContainsFunc(r.API.Resources, func(other *table.Resource) bool {
		return other.Path == path || other != r && slices.ContainsFunc(other.Declaration.Actions, func(theirs declare.Action) bool {
			return (!theirs.OnObject || other.Declaration.Single) && other.Path+"/"+theirs.Name == path
		})
	})
}

// checkShadows reports each viewset whose path is at or below the path of an object of another
// viewset that has a verb on its objects, and each action on the collection whose path is also
// that of an object or of its action. It reports nothing if the word where the key would be cannot be a key, or is a
// reserved value.
func (b *binder) checkShadows() {
	for _, r := range b.api.Resources {
		b.checkActionShadows(r)
		for _, other := range b.api.Resources {
			rest, ok := strings.CutPrefix(other.Path, r.Path+"/")
			word, below, _ := strings.Cut(rest, "/")
			if ok && !nested.InPath(word) && (itemAt(r, "") || itemAt(r, below)) {
				b.checkShadow(other, "", r, word)
			}
		}
	}
}

func (b *binder) checkActionShadows(r *table.Resource) {
	for _, a := range r.Declaration.Actions {
		word, rest, _ := strings.Cut(a.Name, "/")
		if !a.OnObject && itemAt(r, rest) {
			b.checkShadow(r, fmt.Sprintf("action %q", a.Name), r, word)
		}
	}
}

// itemAt reports whether the viewset has an endpoint on an object with this name after the
// key: the name of an action or of a nested viewset, or "" for the verbs.
func itemAt(r *table.Resource, name string) bool {
	return !r.Declaration.Single && (nested.Named(r, name) || slices.ContainsFunc(r.Endpoints, func(e *table.Endpoint) bool {
		if declare.IsVerb(e.Route.Name) {
			return e.OnObject && name == ""
		}
		return e.OnObject && e.Route.Name == name
	}))
}

// checkShadow reports the path of a resource, or of one of its actions: at this path, or at its
// beginning, r has its object with the key word. The caller has compared the paths. It reports
// nothing if word cannot be a key of r, or if r reserves it.
func (b *binder) checkShadow(of *table.Resource, place string, r *table.Resource, word string) {
	if _, ok := datatype.ParseKey(r.Key.IndirectType, word); !ok {
		return
	}
	for _, reserved := range r.Reserved {
		if reserved.Column == r.Key && slices.Contains(reserved.Words, word) {
			return
		}
	}
	b.fault(of.Path, place, naming.Sentence("its path is also that of the object of %s whose %s is %q, which could not be reached; reserve the value: Reserved: []string{%q} in %s",
		r.Path, r.Key.GoName, word, word, r.Path))
}
