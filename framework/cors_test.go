package framework_test

import (
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestCORS: pages of the origins that were named, to the letter, may ask and read;
// the answers to all others say nothing of theirs.
func TestCORS(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		const app = "https://app.example.org"
		c := config(db)
		c.CORS = []string{app, "http://localhost:5173"}
		api := serve(t, c, shelves()...)
		for name, test := range map[string]struct {
			origin  string
			allowed bool
		}{
			"the origin":                   {app, true},
			"another that is named":        {"http://localhost:5173", true},
			"null":                         {"null", false},
			"a suffix":                     {app + ".evil.example", false},
			"a prefix":                     {"https://evil-app.example.org", false},
			"a subdomain":                  {"https://x.app.example.org", false},
			"its parent":                   {"https://example.org", false},
			"a port":                       {app + ":8443", false},
			"the usual port":               {app + ":443", false},
			"another scheme":               {"http://app.example.org", false},
			"another port of one":          {"http://localhost:5174", false},
			"capitals":                     {"https://APP.example.org", false},
			"a slash":                      {app + "/", false},
			"all of them":                  {"*", false},
			"two in one":                   {app + ", " + app, false},
			"a dot at the end":             {app + ".", false},
			"letters that look like those": {"https://аpp.example.org", false},
		} {
			t.Run(name, func(t *testing.T) {
				from := api.in(t).with("Origin", test.origin)
				allowed := ""
				if test.allowed {
					allowed = test.origin
				}
				for _, a := range []*answer{
					from.as("ada").get("/api/books/").is(200), from.get("/api/books/").is(401), from.get("/nowhere").is(404),
					from.as("ada").post("/api/books/", fields{}).is(400), from.with("Host", "x").do("OPTIONS", "/api/", nil).is(200),
				} {
					a.head("Access-Control-Allow-Origin", allowed).head("Vary", "Origin")
					if exposed := a.header.Get("Access-Control-Expose-Headers"); test.allowed != strings.Contains(exposed, "X-Request-Id") {
						a.failf("it exposes %q", exposed)
					}
					lacksCredentials(a)
				}
				preflight(from, test.allowed, allowed)
			})
		}
	})
}

// preflight sends the request that a browser sends before a request with a token.
func preflight(from *client, allowed bool, origin string) {
	from.tb.Helper()
	a := from.with("Access-Control-Request-Method", "PATCH").with("Access-Control-Request-Headers", "authorization,content-type").
		do("OPTIONS", "/api/books/"+missing+"/", nil)
	a.head("Access-Control-Allow-Origin", origin).head("Vary", "Origin")
	lacksCredentials(a)
	if !allowed {
		a.head("Access-Control-Allow-Methods", "").head("Access-Control-Allow-Headers", "")
		return
	}
	a.is(204).head("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
	for _, name := range []string{"Authorization", "Content-Encoding", "Content-Type", "Idempotency-Key", "If-Match", "X-Request-Id"} {
		if !strings.Contains(a.header.Get("Access-Control-Allow-Headers"), name) {
			a.failf("want the header %s among those that may be sent", name)
		}
	}
}

func lacksCredentials(a *answer) {
	a.tb.Helper()
	if a.header["Access-Control-Allow-Credentials"] != nil {
		a.failf("cookies are let in")
	}
}

// TestCORSIsOff by default.
func TestCORSIsOff(t *testing.T) {
	api := serve(t, config(sqlite(t)), shelves()...).with("Origin", "https://app.example.org").with("Access-Control-Request-Method", "GET")
	for _, a := range []*answer{api.get("/api/"), api.do("OPTIONS", "/api/", nil), api.get("/nowhere")} {
		for name := range a.header {
			if strings.HasPrefix(name, "Access-Control-") || name == "Vary" {
				a.failf("there is a header %s", name)
			}
		}
	}
}

// TestCORSBesideOtherVariants: an answer that depends on more says both.
func TestCORSBesideOtherVariants(t *testing.T) {
	c := config(sqlite(t))
	c.CORS = []string{"https://app.example.org"}
	api := serve(t, c, countries())
	for path, other := range map[string]string{"/": "Accept", "/api/openapi.json": "Accept-Encoding"} {
		if got := strings.Join(api.get(path).is(200).header["Vary"], ", "); got != "Origin, "+other {
			t.Errorf("%s: Vary is %q", path, got)
		}
	}
}

func TestWrongOrigins(t *testing.T) {
	for _, origin := range []string{
		"", "*", "null", "app.example.org", "https://app.example.org/", "https://app.example.org/x", "https://APP.example.org", "https://*.example.org",
		"https://app.example.org:443", "http://app.example.org:80", "https://user@app.example.org", "ftp://app.example.org", "https://", "https://a:",
	} {
		c := config(sqlite(t))
		c.CORS = []string{origin}
		if err := framework.New(c).Check(); err == nil || !strings.Contains(err.Error(), "framework.Config: CORS") {
			t.Errorf("%q: %v", origin, err)
		}
	}
}

// TestEveryAnswerGuardsItself: each answer has the headers of protection.
func TestEveryAnswerGuardsItself(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := serve(t, config(db), shelves()...)
		ada := api.as("ada")
		id := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
		for name, a := range map[string]*answer{
			"the root":           api.get("/api/").is(200),
			"a list":             ada.get("/api/books/").is(200),
			"its head":           ada.do("HEAD", "/api/books/", nil).is(200),
			"a row":              ada.get("/api/books/" + id + "/").is(200),
			"a write":            ada.post("/api/books/", fields{"title": "Persuasion"}).is(201),
			"OPTIONS":            ada.do("OPTIONS", "/api/books/", nil).is(200),
			"no credentials":     api.get("/api/books/").is(401),
			"wrong ones":         api.as("nobody").get("/api/books/").is(401),
			"a wrong body":       ada.post("/api/books/", `{`).is(400),
			"nothing there":      api.get("/nowhere").is(404),
			"a method too many":  ada.do("TRACE", "/api/books/", nil).is(405),
			"no content":         ada.delete("/api/books/" + id + "/").is(204),
			"the first page":     api.get("/").is(200),
			"the page of a code": api.get("/api/errors/not_found").is(200),
			"the reference":      api.get("/api/openapi.json").is(200),
			"its page":           api.get("/api/docs").is(200),
		} {
			t.Run(name, func(t *testing.T) {
				a.tb = t
				a.head("X-Content-Type-Options", "nosniff").head("Cross-Origin-Resource-Policy", "same-origin")
				if policy := a.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
					a.failf("the policy is %q", policy)
				}
				if a.header.Get("Cache-Control") == "" && name != "the page of a code" {
					a.failf("nothing says who may keep it")
				}
				for _, name := range []string{"X-Content-Type-Options", "Content-Security-Policy", "Cache-Control"} {
					if n := len(a.header[http.CanonicalHeaderKey(name)]); n > 1 {
						a.failf("%s is there %d times", name, n)
					}
				}
			})
		}
	})
}
