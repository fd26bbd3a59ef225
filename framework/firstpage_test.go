package framework_test

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"trestle.example/framework"
)

// chrome is what a person's browser accepts.
const chrome = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"

// library is an API with services and a resource outside all services.
func library(t *testing.T, change func(*framework.Config)) *client {
	t.Helper()
	c := config(sqlite(t))
	c.Title, c.Doc = "The <Library>", "Books & who writes them."
	if change != nil {
		change(&c)
	}
	one, actions := countries(), countries()
	one.Doc = "Where authors <live>."
	actions.Name, actions.Verbs = "tools", framework.Verbs{}
	actions.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "summary", summary).Doc("Sums up."),
	}
	return serve(t, c, profile(),
		framework.Service{Name: "Shelves", Doc: "What is lent.", Resources: []framework.Resource{books(), chapters()}},
		framework.Service{Name: "People", Doc: "Who writes.", Resources: []framework.Resource{authors(), one, actions}},
	)
}

// TestFirstPageAsJSON is what programs get: every way in by its name.
func TestFirstPageAsJSON(t *testing.T) {
	api := library(t, nil)
	at := api.url + "/api/"
	want := `{"docs":"` + at + `docs","api":"` + at + `","openapi.json":"` + at + `openapi.json","openapi.yaml":"` + at + `openapi.yaml",` +
		`"books":"` + at + `books/","chapters":"` + at + `chapters/","authors":"` + at + `authors/","countries":"` + at + `countries/",` +
		`"tools/summary":"` + at + `tools/summary/","profile":"` + at + `profile/"}`
	for _, accept := range []string{"", "*/*", "application/json", "application/json, text/html", "text/html;q=0.1, application/json", "text/plain", "text/*", "text/html;q=0"} {
		got := api.with("Accept", accept).get("/").is(200).head("Content-Type", "application/json").head("Vary", "Accept").
			head("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'").head("Cache-Control", "no-store")
		if got.body != want {
			t.Errorf("Accept: %s: got\n%s\nwant\n%s", accept, got.body, want)
		}
	}
	api.as("nobody").get("/").is(200)
	for _, name := range []string{"docs", "api", "books"} {
		if to, _ := api.get("/").object()[name].(string); to != "" {
			api.as("ada").get(to).is(200)
		}
	}
}

// TestFirstPageAsHTML is what people get: services, in order of registration,
// and last what belongs to none.
func TestFirstPageAsHTML(t *testing.T) {
	api := library(t, nil)
	got := api.with("Accept", chrome).get("/").is(200).head("Content-Type", "text/html; charset=utf-8").head("Vary", "Accept").
		head("X-Content-Type-Options", "nosniff").head("Referrer-Policy", "same-origin").head("Cache-Control", "no-store").
		says("<title>The &lt;Library&gt;</title>", "Books &amp; who writes them.", "Where authors &lt;live&gt;.")
	rest := got.body
	for _, next := range []string{
		`<a href="` + api.url + `/api/docs">docs</a>`, `<a href="` + api.url + `/api/">api</a>`,
		`<a href="` + api.url + `/api/openapi.json">`, `<a href="` + api.url + `/api/openapi.yaml">`,
		"<h2>Shelves</h2>", "What is lent.", `<a href="` + api.url + `/api/books/"><code>/api/books/</code></a> <small>GET POST</small>`, "/api/chapters/",
		"<h2>People</h2>", "/api/authors/", "/api/countries/", "<code>/api/tools/summary/</code> <small>POST</small> <span>Sums up.</span>",
		"<h2>Resources</h2>", `<code>/api/profile/</code></a> <small>GET PUT PATCH DELETE</small>`,
	} {
		_, after, found := strings.Cut(rest, next)
		if !found {
			t.Fatalf("want %s in\n%s", next, rest)
		}
		rest = after
	}
	if strings.Contains(got.body, `/api/tools/summary/"`) {
		t.Error("a link leads to where GET is not offered")
	}
	for _, match := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(got.body, -1) {
		if match[1] != "data:," && !strings.HasPrefix(match[1], api.url+"/") {
			t.Errorf("%q leads to another host", match[1])
		}
	}
}

// TestFirstPagePolicy: no script, and no style but its own.
func TestFirstPagePolicy(t *testing.T) {
	got := library(t, nil).with("Accept", chrome).get("/").is(200)
	found := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(got.body, -1)
	if len(found) != 1 {
		t.Fatalf("%d styles:\n%s", len(found), got.body)
	}
	sum := sha256.Sum256([]byte(found[0][1]))
	got.head("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'; img-src data:; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	got.lacks("<script", "style=", "@import", "url(", "javascript:", "<form")
}

// TestFirstPageIsReadOnly, and answers as the rest of the API does.
func TestFirstPageIsReadOnly(t *testing.T) {
	api := library(t, nil)
	for _, accept := range []string{"", chrome} {
		api := api.with("Accept", accept)
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "TRACE", "MADEUP"} {
			api.as("ada").do(method, "/", fields{}).refuses(405, "method_not_allowed").head("Allow", "GET, HEAD, OPTIONS")
		}
		get, head := api.get("/").is(200).head("Allow", "GET, HEAD, OPTIONS"), api.do("HEAD", "/", nil).is(200)
		for _, name := range []string{"Content-Type", "Content-Length", "Vary", "Content-Security-Policy", "Allow"} {
			if head.body != "" || head.header.Get(name) != get.header.Get(name) {
				head.failf("%s is %q, GET: %q", name, head.header.Get(name), get.header.Get(name))
			}
		}
		api.do("OPTIONS", "/", nil).is(200)
		for _, path := range []string{"//", "/index.html", "/favicon.ico", "/robots.txt"} {
			api.get(path).refuses(404, "not_found")
		}
	}
}

// TestFirstPageLinks begin where clients reach the server.
func TestFirstPageLinks(t *testing.T) {
	api := library(t, func(c *framework.Config) { c.PublicURL = "https://books.example.org/library" })
	for _, accept := range []string{"", chrome} {
		api.with("Accept", accept).with("Host", "evil.example").get("/").is(200).
			says(`"https://books.example.org/library/api/books/"`, `"https://books.example.org/library/api/docs"`).lacks("evil")
	}
	api = library(t, func(c *framework.Config) { c.Hosts = []string{"127.0.0.1"} })
	api.with("Accept", chrome).with("Host", "evil.example").get("/").refuses(400, "invalid_host")
	api.with("Accept", chrome).with("Host", `a"><script>x</script>`).get("/").is(400)
}

// TestFirstPageGivesWay to the API's own root.
func TestFirstPageGivesWay(t *testing.T) {
	api := library(t, func(c *framework.Config) { c.Prefix = "/" })
	for _, accept := range []string{"", chrome} {
		api.with("Accept", accept).get("/").is(200).head("Content-Type", "application/json").says(`{"profile":"`+api.url+`/profile/"`).lacks("openapi", "docs")
	}
}

// TestFirstPageNames: a resource that is called like one of the API's own is
// found at the root.
func TestFirstPageNames(t *testing.T) {
	v := countries()
	v.Name = "api"
	api := serve(t, config(sqlite(t)), v)
	api.get("/").is(200).says(`"api":"` + api.url + `/api/"`).lacks("/api/api/")
	api.with("Accept", chrome).get("/").is(200).says(api.url + `/api/api/"`)
}

// TestFirstPageLeavesOptions as they are.
func TestFirstPageLeavesOptions(t *testing.T) {
	api := library(t, nil).as("ada")
	for _, accept := range []string{"", chrome} {
		api.with("Accept", accept).do("OPTIONS", "/api/books/", nil).is(200).head("Content-Type", "application/json").says(`"name":"books"`, `"actions":{"GET":`)
	}
}
