package bind

import (
	"reflect"
	"strconv"

	"trestle.example/framework/internal/structtag"
	"trestle.example/framework/internal/table"
)

// checkTags reports the wrong struct tags of every model, input type and output type.
func (b *binder) checkTags() {
	known := map[reflect.Type]bool{}
	for _, r := range b.api.Resources {
		structtag.Check(r.Model, known, b.at(r, ""))
		for _, v := range r.Declaration.Verbs {
			b.checkShapeTags(r, v.Name, known, v.In, v.Out)
		}
		for _, a := range r.Declaration.Actions {
			b.checkShapeTags(r, "action "+strconv.Quote(a.Name), known, a.In, shownBy(a.Out))
		}
	}
}

func (b *binder) checkShapeTags(r *table.Resource, place string, known map[reflect.Type]bool, shapes ...reflect.Type) {
	for _, shape := range shapes {
		if shape != nil {
			structtag.Check(shape, known, b.at(r, place))
		}
	}
}
