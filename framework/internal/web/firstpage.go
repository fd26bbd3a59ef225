package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/view"
	"trestle.example/framework/query"
)

//go:embed static/first.html
var firstHTML string

//go:embed static/first.css
var firstCSS string

var firstTemplate = template.Must(template.New("first").Parse(firstHTML))

// A firstPage answers the path "/" with the addresses of the API: as a page for browsers, and
// as JSON for other clients.
type firstPage struct {
	api    describe.Catalog
	policy string
}

func newFirstPage(a describe.Catalog) *firstPage {
	sum := sha256.Sum256([]byte(firstCSS))
	return &firstPage{api: a, policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
}

func (f *firstPage) serve(c *call.Call, r *http.Request) (*table.Response, error) {
	c.Header().Add("Vary", "Accept")
	if !prefersHTML(r.Header.Values("Accept")) {
		return &table.Response{Status: http.StatusOK, Value: f.members(r)}, nil
	}
	var text bytes.Buffer
	if err := firstTemplate.Execute(&text, f.shown(r)); err != nil {
		return nil, err
	}
	c.Header().Set("Content-Security-Policy", f.policy)
	c.Header().Set("Referrer-Policy", "same-origin")
	return &table.Response{Status: http.StatusOK, Value: text.Bytes(), Body: text.Bytes(), Media: "text/html; charset=utf-8"}, nil
}

// A link leads to one address of the API.
type link struct {
	Name, URL, Doc string
	Path, Methods  string // "" for a link that does not lead to a resource
	Opens          bool   // a browser can open it, because it answers GET
}

// A group has the links to the resources of one service.
type group struct {
	Name, Doc string
	Links     []link
}

type firstShown struct {
	Title, Doc string
	Style      template.CSS
	Own        []link
	Groups     []group
}

func (f *firstPage) shown(r *http.Request) firstShown {
	return firstShown{
		Title: f.api.Config.Title, Doc: f.api.Config.Doc, Own: f.own(r), Groups: f.groups(r),
		Style: template.CSS(firstCSS), //nolint:gosec // it is a file of this package
	}
}

// own lists the links to the API root and, if the API is documented, to the documentation page
// and the OpenAPI documents.
func (f *firstPage) own(r *http.Request) []link {
	links := []link{{Name: "api", URL: f.api.Origin.URL(r, "/"), Doc: "Every resource and its address"}}
	if f.api.Config.Undocumented {
		return links
	}
	return append([]link{{Name: "docs", URL: f.api.Origin.URL(r, describe.DocsPath), Doc: "The reference, to read and to try"}}, append(links,
		link{Name: "openapi.json", URL: f.api.Origin.URL(r, describe.JSONPath), Doc: "The reference for programs, OpenAPI 3.1 as JSON"},
		link{Name: "openapi.yaml", URL: f.api.Origin.URL(r, describe.YamlPath), Doc: "The same as YAML"},
	)...)
}

// groups lists the services with their resources. The last group has the resources without a
// service.
func (f *firstPage) groups(r *http.Request) []group {
	var groups []group
	rest := group{Name: "Resources"}
	for _, res := range f.api.Resources {
		service := res.Declaration.Service
		if service == nil {
			rest.Links = append(rest.Links, f.links(r, res)...)
			continue
		}
		at := slices.IndexFunc(groups, func(g group) bool { return g.Name == service.Name })
		if at < 0 {
			at = len(groups)
			groups = append(groups, group{Name: service.Name, Doc: service.Doc})
		}
		groups[at].Links = append(groups[at].Links, f.links(r, res)...)
	}
	if len(rest.Links) > 0 {
		groups = append(groups, rest)
	}
	return groups
}

// links lists the links to the addresses of a resource that the API root lists.
func (f *firstPage) links(r *http.Request, res *table.Resource) []link {
	var links []link
	for _, at := range res.Entries() {
		l := link{Name: strings.Trim(at, "/"), URL: f.api.Origin.URL(r, at), Path: f.api.Config.Prefix + at, Doc: res.Declaration.Doc}
		var methods []string
		for _, e := range res.Endpoints {
			if e.Pattern != at {
				continue
			}
			methods = append(methods, e.Route.Method)
			l.Opens = l.Opens || e.Route.Method == http.MethodGet
			if at != res.ListPath() && len(methods) == 1 {
				l.Doc = e.Doc
			}
		}
		if len(methods) > 1 && at != res.ListPath() {
			l.Doc = cmp.Or(res.Declaration.Doc, l.Doc) // the Doc of one method does not describe the others
		}
		l.Methods = strings.Join(methods, " ")
		links = append(links, l)
	}
	return links
}

// members lists all links as members of a JSON object. It leaves out a link that has the name of
// an earlier one, such as a resource with the name "docs"; the API root lists every resource.
func (f *firstPage) members(r *http.Request) view.ListAnswer {
	var all query.Envelope
	add := func(l link) {
		if !slices.ContainsFunc(all, func(m query.Member) bool { return m.Name == l.Name }) {
			all = append(all, query.Member{Name: l.Name, Value: l.URL})
		}
	}
	for _, l := range f.own(r) {
		add(l)
	}
	for _, g := range f.groups(r) {
		for _, l := range g.Links {
			add(l)
		}
	}
	return view.ListAnswer{Envelope: all}
}
