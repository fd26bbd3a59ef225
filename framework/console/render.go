package console

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"

	"trestle.example/framework/console/internal/own"
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
	for _, name := range []string{"home", "search", "chosen", "grid", "import", "list", "object", "form", "signin", "first", "rejected", "own"} {
		all[name] = template.Must(template.ParseFS(templateFiles, "templates/layout.html", "templates/parts.html", "templates/"+name+".html"))
	}
	return all
})

// A page is what every page shows around its own part.
type page struct {
	Title  string
	Crumbs []link
	Bare   bool // without the menu, for a person before signing in
	Data   any

	Console   string // the title of the console
	Base      string // the path of the console
	Files     string
	Sheets    []string // the names of the style sheets among the files
	Script    string
	Logo      string
	User      string
	CSRF      string
	Menu      []*group
	Account   []link // to the pages of the own account
	Here      string // the address of the page
	JSON      string // the address of the same as JSON
	API       string // its address in the API
	SignOutAt string
	Theme     string

	own *own.Page // nil for a generated page
}

// render answers with a page.
func (v *visit) render(status int, name string, p page) {
	p.Console, p.Base, p.User, p.CSRF, p.Here = v.Title, v.Path, v.user, v.csrf, v.r.URL.EscapedPath()
	p.Files, p.SignOutAt = v.Path+filesAt, v.Path+signOutAt
	p.Sheets, p.Script, p.Logo = v.files.Sheets, v.files.Script, v.files.Logo
	p.Menu, p.Account = v.menu(), v.account()
	p.Bare = p.Bare || v.user == ""
	if at := v.site.Find(v.API.Prefix + "/" + v.path); !p.Bare && at.Place != nil && isPage(at.Place.By[http.MethodGet]) {
		p.API = v.apiAddress()
		p.JSON = v.Path + strings.TrimRight(v.path, "/") + "/" + jsonAt + strings.TrimSuffix("?"+v.query(), "?")
	}
	made := pages()[name]
	if p.own != nil {
		made = p.own.Made
		if p.own.Sheet != "" {
			p.Sheets = append(slices.Clone(p.Sheets), p.own.Sheet)
		}
	}
	var body bytes.Buffer
	if err := made.ExecuteTemplate(&body, "layout", p); err != nil {
		v.Log.ErrorContext(v.r.Context(), "the template of a page of the console failed", "template", name, "error", err)
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
