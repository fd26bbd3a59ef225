package framework

import "trestle.example/framework/internal/naming"

// bindRelated finds the viewset and the field, and reports what is wrong with
// them. The viewset's shapes are known when all are bound.
func (b *binder) bindRelated(e *endpoint, declared *relatedRows, fault func(error)) func(*Call, *request) (*response, error) {
	target, err := b.api.lookUp(declared.viewset)
	if err != nil {
		fault(err)
		return nil
	}
	field, err := target.Field(declared.field)
	switch {
	case err != nil:
		fault(err)
		return nil
	case field.Type != e.resource.pk.IndirectType:
		fault(naming.Sentence("%q of %s is %s, but the key of %s is %s", declared.field, declared.viewset, field.Type, e.resource.path, e.resource.pk.IndirectType))
		return nil
	}
	rel := &related{relatedRows: declared, endpoint: newHandler(e), of: e.resource, column: field.Column, rows: target}
	b.later(func() {
		if _, rel.shown, err = newFunctions(b.api).finder(declared.viewset, declared.out); err != nil {
			fault(naming.Sentence("%s shows no %s; name one of its read shapes", declared.viewset, declared.out))
			return
		}
		rel.prepare()
		e.permission = All(e.permission, rel.lists())
	})
	return rel.serve
}
