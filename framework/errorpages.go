package framework

import (
	"html/template"
	"net/http"
)

// errorPages is where the pages that explain codes are served; a problem's
// type leads there.
const errorPages = "/errors/"

var errorPageHTML = template.Must(template.New("error").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{.Code}}: {{.Title}}</title>
<h1>{{.Title}}</h1>
<p><code>{{.Code}}</code>, status {{.Status}} {{.StatusText}}</p>
<p>{{.Text}}</p>
</html>
`))

// StatusText is the name of the code's status.
func (c CodeInfo) StatusText() string { return http.StatusText(c.Status) }

// explain writes the page of one code.
func explain(w http.ResponseWriter, info CodeInfo) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	// A client that is gone cannot be told that its page failed.
	_ = errorPageHTML.Execute(w, info)
}
