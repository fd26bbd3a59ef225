package apicheck

import (
	"reflect"
	"strconv"

	"trestle.example/framework/internal/stream"
	"trestle.example/framework/internal/structtag"
	"trestle.example/framework/internal/table"
)

// CheckTags reports the wrong struct tags of every model, input type and output type.
func (k Checker) CheckTags() {
	tags := structtag.NewChecker(k.API.Config.ForeignTags)
	for _, r := range k.API.Resources {
		tags.Check(r.Model, k.at(r, ""))
		for _, v := range r.Declaration.Verbs {
			k.checkShapeTags(r, v.Name, tags, v.In, v.Out)
		}
		for _, a := range r.Declaration.Actions {
			k.checkShapeTags(r, "action "+strconv.Quote(a.Name), tags, a.In, stream.ShownBy(a.Out))
		}
	}
}

func (k Checker) checkShapeTags(r *table.Resource, place string, tags *structtag.Checker, shapes ...reflect.Type) {
	for _, shape := range shapes {
		if shape != nil {
			tags.Check(shape, k.at(r, place))
		}
	}
}
