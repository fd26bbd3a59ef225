package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"strings"
	"sync"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static/console.css
var styleSheet []byte

//go:embed static/console.js
var script []byte

// pages returns the templates, one for each kind of page.
var pages = sync.OnceValue(func() map[string]*template.Template { //nolint:gochecknoglobals // it is made once
	all := map[string]*template.Template{}
	for _, name := range []string{"home", "list", "object", "form", "signin", "rejected"} {
		all[name] = template.Must(template.ParseFS(templateFiles, "templates/layout.html", "templates/parts.html", "templates/"+name+".html"))
	}
	return all
})

// files are the console's own files by name. A name has a hash of the file, so that browsers keep it.
var files = sync.OnceValue(func() map[string]file { //nolint:gochecknoglobals // it is made once
	return map[string]file{
		hashed("css", styleSheet): {"text/css; charset=utf-8", styleSheet},
		hashed("js", script):      {"text/javascript; charset=utf-8", script},
	}
})

// A file is a file of the console.
type file struct {
	media string
	body  []byte
}

// hashed returns the name of a file, which has a hash of its content.
func hashed(end string, body []byte) string {
	sum := sha256.Sum256(body)
	return "console." + hex.EncodeToString(sum[:6]) + "." + end
}

// serveFile answers with a file of the console.
func serveFile(w http.ResponseWriter, r *http.Request, name string) {
	f, ok := files()[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("Content-Type", f.media)
	_, _ = w.Write(f.body)
}

// A page is what every page shows around its own part.
type page struct {
	Title  string
	Crumbs []link
	Bare   bool // without the menu, for a person before signing in
	Data   any

	Console   string // the title of the console
	Base      string // the path of the console
	Files     string
	Style     string
	Script    string
	User      string
	CSRF      string
	Menu      []*group
	Here      string // the address of the page
	JSON      string // the address of the same as JSON
	API       string // its address in the API
	SignOutAt string
	Theme     string
}

// render answers with a page.
func (v *visit) render(status int, name string, p page) {
	p.Console, p.Base, p.User, p.CSRF, p.Here = v.Title, v.Path, v.user, v.csrf, v.r.URL.EscapedPath()
	p.Files, p.SignOutAt = v.Path+filesAt, v.Path+signOutAt
	p.Style, p.Script = hashed("css", styleSheet), hashed("js", script)
	p.Menu = v.menu()
	p.Bare = p.Bare || v.user == ""
	if !p.Bare && v.path != "" && !strings.Contains(v.path, "~") {
		p.API = v.apiAddress()
		p.JSON = v.Path + strings.TrimRight(v.path, "/") + "/" + jsonAt + strings.TrimSuffix("?"+v.query(), "?")
	}
	var body bytes.Buffer
	if err := pages()[name].ExecuteTemplate(&body, "layout", p); err != nil {
		http.Error(v.w, "The page could not be written.", http.StatusInternalServerError)
		return
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	if v.r.Method != http.MethodHead {
		_, _ = v.w.Write(body.Bytes())
	}
}

// apiAddress is the address of the API that the page shows. It may stand between single quotes in a shell.
func (v *visit) apiAddress() string {
	return strings.ReplaceAll(v.API.Prefix+"/"+v.path+strings.TrimSuffix("?"+v.query(), "?"), "'", "%27")
}
