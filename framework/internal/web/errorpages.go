package web

import (
	"cmp"
	"html/template"
	"maps"
	"net/http"
	"slices"

	"trestle.example/framework/internal/describe"
	"trestle.example/framework/problem"
)

var errorPageHTML = template.Must(template.New("error").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
{{with .Code}}<title>{{.Code}}: {{.Title}}</title>
<h1>{{.Title}}</h1>
<p><code>{{.Code}}</code>, status {{.Status}} {{.StatusText}}</p>
<p>{{.Text}}</p>
{{else}}<title>Codes of errors</title>
<h1>Codes of errors</h1>
<ul>
{{range .All}}<li><a href="{{$.At}}{{.Code}}"><code>{{.Code}}</code></a>, status {{.Status}}: {{.Title}}</li>
{{end}}</ul>
{{end}}{{with .Faults}}<h2>Codes of faults</h2>
<p>Each fault in the list errors has one of these.</p>
<dl>
{{range .}}<dt id="{{.Code}}"><code>{{.Code}}</code></dt><dd>{{.Text}}</dd>
{{end}}</dl>
{{end}}</html>
`))

// An errorPage is one page: of a code, or of all.
type errorPage struct {
	Code   *problem.CodeInfo // nil on the page of all
	All    []problem.CodeInfo
	Faults []problem.CodeInfo
	At     string
}

// explain makes the page of a code, or of all for "". The codes of faults stand
// beside the refusal that has most of them.
func explain(a describe.Catalog, code string) (errorPage, bool) {
	page := errorPage{At: a.Origin.ErrorsAt()}
	if code == "" {
		page.All = slices.SortedFunc(maps.Values(a.Codes), func(a, b problem.CodeInfo) int { return cmp.Compare(a.Code, b.Code) })
	}
	if code == "" || code == problem.CodeValidationFailed {
		page.Faults = a.FaultCodes()
	}
	info, known := a.Codes[code]
	if known {
		page.Code = &info
	}
	return page, known || code == ""
}

// write sends the page.
func (p errorPage) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	// A client that is gone cannot be told that its page failed.
	_ = errorPageHTML.Execute(w, p)
}
