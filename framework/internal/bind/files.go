package bind

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/attachment"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/scoping"
	"trestle.example/framework/internal/shadow"
	"trestle.example/framework/internal/signature"
	"trestle.example/framework/internal/stream"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/query"
)

// findFiles finds the columns of the declared files of a viewset, and the key in their paths.
// Views of other viewsets refer to both.
func (b *binder) findFiles(r *table.Resource) {
	if key := r.DeclaredKey(); key != nil {
		r.Key = key
	}
	for _, d := range r.Declaration.Files {
		if d.Field == nil {
			b.fault(r.Path, (&table.FileColumn{FileField: d}).Place(), naming.Sentence("it has no Field; write a function that returns the address of the column: func(m *%s) *files.File", r.Model.Name()))
			continue
		}
		f, err := attachment.NewColumn(r, d)
		if err != nil {
			b.fault(r.Path, (&table.FileColumn{FileField: d}).Place(), err)
			continue
		}
		r.Files = append(r.Files, f)
	}
}

// bindFiles checks the declared files of a viewset and makes their endpoints.
func (b *binder) bindFiles(r *table.Resource) {
	taken := map[string]bool{}
	for _, f := range r.Files {
		fault := b.at(r, f.Place())
		switch {
		case !pathName.MatchString(f.Name) || strings.Contains(f.Name, "/"):
			fault(naming.Sentence("the name of a file is a part of its path: letters, digits, - and _"))
			continue
		case declare.IsVerb(f.Name):
			fault(naming.Sentence("it has the name of a verb; choose another name"))
			continue
		case taken[f.Name]:
			fault(naming.Sentence("it is declared twice"))
			continue
		case isAction(r, f.Name):
			fault(naming.Sentence("an action on the object has this name; choose another name"))
			continue
		case r.Declaration.Single && shadow.Collides(r, declare.Action{Name: f.Name}):
			fault(naming.Sentence("its path is that of another resource, or of an action of one"))
			continue
		}
		taken[f.Name] = true
		attachment.Check(f, fault)
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
			r.Endpoints = append(r.Endpoints, b.fileEndpoint(r, f, method))
		}
	}
}

func isAction(r *table.Resource, name string) bool {
	return slices.ContainsFunc(r.Declaration.Actions, func(a declare.Action) bool { return a.OnObject && a.Name == name })
}

// fileEndpoint makes the endpoint of one method of a file.
func (b *binder) fileEndpoint(r *table.Resource, f *table.FileColumn, method string) *table.Endpoint {
	e := b.newEndpoint(r, f.Place(), f.Name, method, declare.Rules{})
	e.OnObject, e.File, e.Pattern, e.Doc = true, f, f.Pattern(), f.Doc
	e.ByWriters = scoping.Changes(e)
	switch method {
	case http.MethodGet:
		e.Parts = stream.NewDownloadPlan(f.Types)
		e.Serve = verb.Reading(attachment.Download{File: f}.Serve)
		if f.SignFor > 0 {
			e.Params = []query.Param{
				{Name: signature.ParamExpires, Doc: "When a signed URL expires, in seconds since 1970."},
				{Name: signature.ParamSignature, Doc: "The signature of a signed URL, with which the request needs no credentials."},
			}
		}
	case http.MethodPut:
		e.Out = table.FileType
		e.Serve = attachment.Upload{File: f}.Serve
	default:
		e.Out = input.NoneType
		e.Serve = attachment.Removal{File: f}.Serve
	}
	e.Settle()
	return e
}
