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

// An errorPage is the page of one error code, or the page that lists all codes.
type errorPage struct {
	Code   *problem.CodeInfo  // nil on the page of all codes
	All    []problem.CodeInfo // nil on the page of one code
	Faults []problem.CodeInfo // the codes of faults, if the page lists them
	At     string             // the address of the page of all codes
}

// explain makes the page of a code, or the page of all codes for "". It reports whether the code
// is known. The codes of faults are on the page of all codes and on the page of
// validation_failed.
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
	// An error cannot reach the client: it disconnected.
	_ = errorPageHTML.Execute(w, p)
}
