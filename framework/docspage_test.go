package framework_test

import (
	"compress/gzip"
	"io"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework"
)

// TestDocsPage: every API has it, open to anyone, beside its documents.
func TestDocsPage(t *testing.T) {
	for name, c := range map[string]struct{ prefix, at string }{
		"the usual prefix": {"", "/api"}, "another": {"v1/shop", "/v1/shop"}, "none": {"/", ""},
	} {
		t.Run(name, func(t *testing.T) {
			set := config(sqlite(t))
			set.Prefix, set.Title = c.prefix, "Bücher & more"
			api := serve(t, set, shelves()...)
			for _, path := range []string{"/docs", "/docs/"} {
				for _, caller := range []*client{api, api.as("ada"), api.as("nobody"), api.with("Authorization", "Nonsense")} {
					caller.get(c.at+path).is(200).head("Content-Type", "text/html; charset=utf-8").
						says("<title>Bücher &amp; more: reference</title>").head("Allow", "GET, HEAD, OPTIONS")
				}
				for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "TRACE", "MADEUP"} {
					api.as("ada").do(method, c.at+path, fields{}).refuses(405, "method_not_allowed").head("Allow", "GET, HEAD, OPTIONS")
				}
				api.do("OPTIONS", c.at+path, nil).is(200)
				api.do("HEAD", c.at+path, nil).is(200)
			}
			for _, path := range []string{"/docs/docs.js", "/docs/docs.css", "/docs/icon.svg", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js", "/openapi.json", "/openapi.yaml", "/docs/%64ocs.js"} {
				api.get(c.at+path).is(200).head("X-Content-Type-Options", "nosniff").head("Cache-Control", "no-cache")
				api.post(c.at+path, fields{}).refuses(405, "method_not_allowed")
			}
			for _, path := range []string{"/docs/nothing", "/docs//", "/docs/docs.js/x", "/docs/swagger-ui.css.gz", "/Docs", "/%44ocs", "/docs/..%2f"} {
				api.get(c.at+path).refuses(404, "not_found")
			}
		})
	}
}

// TestDocsPageHeaders are those of the page and those of every answer.
func TestDocsPageHeaders(t *testing.T) {
	api := serve(t, config(sqlite(t)), shelves()...)
	for _, path := range []string{"/api/docs", "/api/docs/docs.js"} {
		got := api.get(path).is(200).head("X-Content-Type-Options", "nosniff").head("Referrer-Policy", "same-origin")
		policy := got.header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'; script-src 'self'; style-src 'self'; ") || !strings.Contains(policy, "frame-ancestors 'none'") ||
			strings.Contains(policy, "unsafe") || len(got.header.Get("X-Request-Id")) != 36 {
			got.failf("the headers are %v", got.header)
		}
		head, again := api.do("HEAD", path, nil).is(200), api.with("If-None-Match", got.header.Get("ETag")).get(path).is(304)
		for _, name := range []string{"Content-Type", "Content-Length", "ETag", "Cache-Control", "Content-Security-Policy", "Allow"} {
			if head.header.Get(name) != got.header.Get(name) || head.body != "" {
				head.failf("%s is %q, GET: %q", name, head.header.Get(name), got.header.Get(name))
			}
		}
		if again.body != "" || again.header.Get("ETag") != got.header.Get("ETag") || again.header.Get("Content-Type") != "" {
			again.failf("not what 304 has: %v", again.header)
		}
	}
}

// TestTheReferenceIsSentAsFilesAre: compressed to those who take that, and not
// again to those who have it. Go's own client would unpack it unseen.
func TestTheReferenceIsSentAsFilesAre(t *testing.T) {
	api := serve(t, config(sqlite(t)), shelves()...)
	for path, media := range map[string]string{"/api/openapi.json": "application/json", "/api/openapi.yaml": "application/yaml"} {
		whole := api.with("Accept-Encoding", "identity").get(path).is(200).head("Content-Encoding", "").head("Content-Type", media)
		packed := api.with("Accept-Encoding", "br, gzip").get(path).is(200).head("Content-Encoding", "gzip").head("Content-Type", media)
		z, err := gzip.NewReader(strings.NewReader(packed.body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil || string(text) != whole.body || len(packed.body) > len(whole.body)/4 {
			t.Errorf("%s has %d bytes, in %d; %v", path, len(text), len(packed.body), err)
		}
		if whole.header.Get("ETag") == packed.header.Get("ETag") {
			t.Errorf("both forms of %s have the tag %s", path, whole.header.Get("ETag"))
		}
		for coding, first := range map[string]*answer{"identity": whole, "gzip": packed} {
			first.head("Vary", "Accept-Encoding").head("Cache-Control", "no-cache").head("X-Content-Type-Options", "nosniff").
				head("Content-Length", strconv.Itoa(len(first.body)))
			again := api.with("Accept-Encoding", coding).with("If-None-Match", `"x", W/`+first.header.Get("ETag")).get(path).is(304).
				head("Vary", "Accept-Encoding").head("Cache-Control", "no-cache").head("ETag", first.header.Get("ETag")).head("Content-Encoding", "")
			if again.body != "" {
				again.failf("304 has a body")
			}
		}
	}
}

// TestUndocumented: neither the documents nor their page are there.
func TestUndocumented(t *testing.T) {
	c := config(sqlite(t))
	c.Undocumented = true
	manuals := countries()
	manuals.Name, manuals.Permission = "docs", framework.Anyone()
	api := serve(t, c, manuals)
	for _, path := range []string{"/api/openapi.json", "/api/openapi.yaml", "/api/docs/docs.js", "/api/docs/swagger-ui.css"} {
		api.get(path).refuses(404, "not_found")
	}
	api.get("/api/docs/").is(200).says(`"results":[]`)
	api.get("/").is(200).says(`"docs":"` + api.url + `/api/docs/"`).lacks("openapi")
	api.with("Accept", "text/html").get("/").is(200).says("/api/docs/").lacks("openapi", "reference")
}

// TestAViewSetInThePlaceOfTheDocs is a mistake.
func TestAViewSetInThePlaceOfTheDocs(t *testing.T) {
	under, beside := countries(), countries()
	under.Under, beside.Name = "docs", "documents"
	docs := countries()
	docs.Name = "docs"
	api := framework.New(config(sqlite(t)))
	api.Register(docs, under, beside)
	want := `docs: the page of the reference is at "/api/docs"; choose another name, or set framework.Config.Undocumented
docs/countries: the page of the reference is at "/api/docs"; choose another name, or set framework.Config.Undocumented`
	if err := api.Check(); err == nil || err.Error() != want {
		t.Errorf("the mistakes are\n%v\nwant\n%s", err, want)
	}
}
