package bind

import (
	"slices"

	"trestle.example/framework/internal/export"
	"trestle.example/framework/internal/listing"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// exports makes the formats in which a list is sent whole, and adds the parameter that chooses one.
func (b *binder) exports(l *listing.List, add func(place string, ps ...query.Param)) {
	r, e := l.Resource, l.Endpoint.Endpoint
	if len(r.Declaration.Export) == 0 {
		return
	}
	e.Exports = export.Compile(e.Out, r.Declaration.Export, b.api.Config.Case, b.at(r, "export"))
	add("export", e.Exports.Param())
	e.Refuses = append(slices.Clip(e.Refuses), problem.CodeExportInProgress)
}

// checkExports reports formats of a viewset without a list.
func checkExports(r *table.Resource, fault func(error)) {
	if len(r.Declaration.Export) > 0 && !hasList(r) {
		fault(naming.Sentence("no list can be exported; declare the verb List or an action of framework.Lists, or leave Export out"))
	}
}

// hasList reports whether a viewset has a list: the verb, or an action of Lists.
func hasList(r *table.Resource) bool {
	return slices.ContainsFunc(r.Endpoints, func(e *table.Endpoint) bool { return e.Ordering != nil })
}
