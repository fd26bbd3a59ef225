package bind

import (
	"reflect"
	"strconv"

	"trestle.example/framework/internal/structtag"
	"trestle.example/framework/internal/table"
)

// checkTags reports the wrong struct tags of every model, input type and output type.
func (b *binder) checkTags() {
	tags := structtag.NewChecker(b.api.Config.ForeignTags)
	for _, r := range b.api.Resources {
		tags.Check(r.Model, b.at(r, ""))
		for _, v := range r.Declaration.Verbs {
			b.checkShapeTags(r, v.Name, tags, v.In, v.Out)
		}
		for _, a := range r.Declaration.Actions {
			b.checkShapeTags(r, "action "+strconv.Quote(a.Name), tags, a.In, shownBy(a.Out))
		}
	}
}

func (b *binder) checkShapeTags(r *table.Resource, place string, tags *structtag.Checker, shapes ...reflect.Type) {
	for _, shape := range shapes {
		if shape != nil {
			tags.Check(shape, b.at(r, place))
		}
	}
}
