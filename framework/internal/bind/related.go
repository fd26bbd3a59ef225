package bind

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/listing"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rows"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
)

// bindRelated finds the viewset and the field of an action of Related, and returns the function
// that serves the action. If it reports a mistake in the viewset or the field, it returns nil. When
// all resources are bound, it finds the representation of the rows, and adds to the endpoint's
// permission that the caller may list the rows' viewset. An unknown representation is a mistake.
func (b *binder) bindRelated(e *table.Endpoint, declared *declare.RelatedRows, fault func(error)) func(*call.Call, *table.Request) (*table.Response, error) {
	target, err := b.api.LookUp(declared.Viewset)
	if err != nil {
		fault(err)
		return nil
	}
	field, err := target.Field(declared.Field)
	switch {
	case err != nil:
		fault(err)
		return nil
	case field.Type != e.Resource.Pk.IndirectType:
		fault(naming.Sentence("%q of %s is %s, but the key of %s is %s", declared.Field, declared.Viewset, field.Type, e.Resource.Path, e.Resource.Pk.IndirectType))
		return nil
	}
	if err := target.CheckReference(field.Column, e.Resource); err != nil {
		fault(naming.Sentence("%q of %s: %w", declared.Field, declared.Viewset, err))
		return nil
	}
	rel := &listing.Related{RelatedRows: declared, Endpoint: verb.NewHandler(e), Of: e.Resource, Column: field.Column, Rows: target}
	b.later(func() {
		if _, rel.Shown, err = rows.New(b.api).Finder(declared.Viewset, declared.Out); err != nil {
			fault(naming.Sentence("%s shows no %s; name one of its read shapes", declared.Viewset, declared.Out))
			return
		}
		rel.Prepare()
		e.Permission = access.All(e.Permission, rel.Lists())
	})
	return rel.Serve
}
