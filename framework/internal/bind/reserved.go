package bind

import (
	"reflect"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rowslug"
	"trestle.example/framework/internal/table"
)

// bindReserved adds the reserved values of every viewset to all resources of the same model. No
// row of the model may have a reserved value in the viewset's key column. It reports each value
// that cannot be a key, and every value if the key is not a text.
func (b *binder) bindReserved() {
	for _, r := range b.api.Resources {
		words, key := r.Declaration.Reserved, r.DeclaredKey()
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

// reserve adds the reserved values of a column to each resource of the model.
func (b *binder) reserve(model reflect.Type, key *schema.Field, words []string) {
	for _, r := range b.api.Resources {
		if r.Model == model {
			r.Reserved = r.Reserved.Add(key, words)
		}
	}
}
