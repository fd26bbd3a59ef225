// Package docspage serves a page on which people read the API reference
// and try the API in their browser: Swagger UI, from files that are part of the
// program. The page loads nothing from other hosts, has a strict
// Content-Security-Policy and stores no credentials.
package docspage

import (
	"bytes"
	_ "embed"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/swaggest/swgui/v5/static"
)

//go:embed static/index.html
var indexHTML string

//go:embed static/docs.js
var script []byte

//go:embed static/docs.css
var style []byte

//go:embed static/icon.svg
var icon []byte

// Options say what the page shows. All are required.
type Options struct {
	// Title names the API to people.
	Title string
	// Name is the last part of the path at which the page is served, "docs"
	// for /api/docs: its files are one level below.
	Name string
	// Reference is the path of the OpenAPI document in JSON, from the folder
	// in which the page is: "openapi.json" for one at /api/openapi.json.
	Reference string
}

// A Page serves the page and its files. It is safe for concurrent use.
type Page struct {
	options Options
	index   *template.Template
	files   map[string]*File
}

// New makes a page. The handler expects paths relative to the page: "" or "/" for the page
// itself, with or without its last slash, and one of [Page.Files] after a slash for the files.
// Use [http.StripPrefix] with the path of the page.
func New(o Options) (*Page, error) {
	index, err := template.New("index").Parse(indexHTML)
	if err != nil {
		return nil, err
	}
	p := &Page{options: o, index: index, files: map[string]*File{
		"docs.js":  plain("text/javascript; charset=utf-8", script),
		"docs.css": plain("text/css; charset=utf-8", style),
		"icon.svg": plain("image/svg+xml", icon),
	}}
	for name, media := range map[string]string{
		"swagger-ui-bundle.js": "text/javascript; charset=utf-8",
		"swagger-ui.css":       "text/css; charset=utf-8",
	} {
		packed, err := fs.ReadFile(static.FS, name+".gz")
		if err != nil {
			return nil, err
		}
		p.files[name] = gzipped(media, packed)
	}
	return p, nil
}

// Files returns the names of the files that the page loads, sorted. They are served one level
// below the page.
func (p *Page) Files() []string { return slices.Sorted(maps.Keys(p.files)) }

// ServeHTTP answers GET and HEAD, and OPTIONS as it does GET. Other methods are answered
// 405, and paths that are neither the page nor one of its files 404.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
	default:
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
		return
	}
	name := strings.Trim(r.URL.Path, "/")
	f := p.files[name]
	switch {
	case name == "":
		f = p.page(r.URL.Path == "/")
	case f == nil:
		http.NotFound(w, r)
		return
	}
	f.ServeHTTP(w, r)
}

// policy lets the page load scripts, styles and pictures from its own origin only, and pictures
// from data URLs too. The page can send requests to its own origin only.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// protect sets the security headers of every answer.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
}

// page returns the page as a file. Its links are relative, so that they work behind a proxy
// that serves the page elsewhere. They depend on whether the path of the page ends with a
// slash.
func (p *Page) page(slash bool) *File {
	below, beside := p.options.Name+"/", ""
	if slash {
		below, beside = "", "../"
	}
	files := map[string]string{}
	for name, f := range p.files {
		files[name] = below + name + "?" + f.version()
	}
	var text bytes.Buffer
	// Execute fails only if the template uses a value that does not exist, which tests find.
	_ = p.index.Execute(&text, map[string]any{
		"Title": p.options.Title, "Reference": beside + p.options.Reference, "Files": files,
	})
	return plain("text/html; charset=utf-8", text.Bytes())
}
