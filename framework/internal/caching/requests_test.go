package caching_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/throttle"
	"trestle.example/internal/apitest"
)

const (
	public  = "public, max-age=60"
	private = "private, no-cache"
	never   = "no-store"
)

// varies lists the names in Vary.
func varies(r *frameworktest.Response) []string {
	var all []string
	for _, line := range r.Headers().Values("Vary") {
		for name := range strings.SplitSeq(line, ",") {
			all = append(all, strings.TrimSpace(name))
		}
	}
	return all
}

// TestRequests: which answers caches may keep.
func TestRequests(t *testing.T) {
	both(t, nil, func(t *testing.T, c *frameworktest.Client) {
		ada, cookie := apitest.As(c, "ada"), c.With("Cookie", "seen=1")
		for _, test := range []struct {
			name         string
			by           *frameworktest.Client
			method, path string
			body         any
			status       int
			control      string
			vary         string
			tagged       bool
		}{
			{"a list for an anonymous caller", c, "GET", "/api/books/", nil, 200, public, "Accept,Authorization,Cookie", true},
			{"a row for an anonymous caller", c, "GET", "/api/books/1/", nil, 200, public, "Authorization,Cookie", true},
			{"HEAD", c, "HEAD", "/api/books/1/", nil, 200, public, "Authorization,Cookie", true},
			{"a list of Lists", c, "GET", "/api/books/sale/", nil, 200, public, "Accept,Authorization,Cookie", true},
			{"chosen members", c, "GET", "/api/books/?fields=title", nil, 200, public, "Accept,Authorization,Cookie", true},
			{"ignored parameters", c, "GET", "/api/books/1/?tilte=1", nil, 200, public, "Authorization,Cookie", true},
			{"a nested list", c, "GET", "/api/books/2/pages/", nil, 200, public, "Authorization,Cookie", true},
			{"a nested row", c, "GET", "/api/books/2/pages/1/", nil, 200, public, "Authorization,Cookie", true},
			{"a row with versions", c, "GET", "/api/counted/books/1/", nil, 200, public, "Authorization,Cookie", true},
			{"an identified caller", ada, "GET", "/api/books/", nil, 200, private, "Accept,Authorization,Cookie", true},
			{"an identified caller at a row", ada, "GET", "/api/books/1/", nil, 200, private, "Authorization,Cookie", true},
			{"an identified caller at a nested row", ada, "GET", "/api/books/2/pages/1/", nil, 200, private, "Authorization,Cookie", true},
			{"a cookie that no authenticator reads", cookie, "GET", "/api/books/1/", nil, 200, private, "Authorization,Cookie", true},
			{"wrong credentials", c.With("Authorization", "Name"), "GET", "/api/books/1/", nil, 401, never, "", false},
			{"no such row", c, "GET", "/api/books/9/", nil, 404, never, "", false},
			{"no row above", c, "GET", "/api/books/9/pages/", nil, 404, never, "", false},
			{"a wrong parameter", c, "GET", "/api/books/?fields=tilte", nil, 400, never, "Accept", false},
			{"no such page", c, "GET", "/api/books/?page=9", nil, 404, never, "Accept", false},
			{"an export", c, "GET", "/api/books/?format=csv", nil, 200, never, "Accept", false},
			{"a function", c, "GET", "/api/books/1/look/", nil, 200, never, "", false},
			{"a create", c, "POST", "/api/plain/books/", map[string]any{"title": "Middlemarch"}, 201, never, "", false},
			{"a create of a viewset with a cache", c, "POST", "/api/books/", map[string]any{"title": "Middlemarch"}, 201, never, "", false},
			{"a change", c, "PATCH", "/api/books/2/", map[string]any{"title": "Dubliners"}, 200, never, "", false},
			{"a delete", c, "DELETE", "/api/books/3/", nil, 204, never, "", false},
			{"OPTIONS", c, "OPTIONS", "/api/books/1/", nil, 200, never, "", false},
			{"another method", c, "POST", "/api/books/1/", "{}", 405, never, "", false},
			{"a viewset without a cache", c, "GET", "/api/plain/books/", nil, 200, never, "", false},
			{"the API root", c, "GET", "/api/", nil, 200, never, "", false},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := test.by.On(t).Do(test.method, test.path, test.body).Expect(test.status).Header("Cache-Control", test.control)
				if vary := strings.Join(varies(got), ","); vary != test.vary {
					t.Errorf("Vary is %q; want %q", vary, test.vary)
				}
				if tag := got.Headers().Get("ETag"); (tag != "") != test.tagged {
					t.Errorf("the ETag is %q", tag)
				}
			})
		}
	})
}

// TestRevalidation: a client with the answer gets a 304 that caches may keep, until the row changes. Each caller has an answer of its own.
func TestRevalidation(t *testing.T) {
	both(t, nil, func(t *testing.T, c *frameworktest.Client) {
		staff := apitest.As(c, "staff")
		for _, path := range []string{"/api/books/1/", "/api/books/", "/api/books/sale/", "/api/counted/books/1/", "/api/books/1/pages/"} {
			tag := c.Get(path).Expect(200).Headers().Get("ETag")
			for _, sent := range []string{tag, "W/" + tag, `"other", ` + tag} {
				again := c.With("If-None-Match", sent).Get(path).Expect(304).Header("Cache-Control", public).Header("ETag", tag)
				if again.Body() != "" || !slices.Contains(varies(again), "Cookie") {
					t.Errorf("%s: the 304 has the body %q and Vary %v", path, again.Body(), varies(again))
				}
			}
			staff.With("If-None-Match", tag).Do("HEAD", path, nil).Header("Cache-Control", private)
		}
		tag := c.Get("/api/books/1/").Headers().Get("ETag")
		if other := staff.With("If-None-Match", tag).Get("/api/books/1/").Expect(200).Contains(`"cost"`).Headers().Get("ETag"); other == tag {
			t.Errorf("the staff sees another body with the ETag %s", other)
		}
		c.Get("/api/books/1/").Expect(200).Lacks(`"cost"`)
		c.Patch("/api/books/1/", map[string]any{"title": "Persuasion"}).Expect(200)
		c.With("If-None-Match", tag).Get("/api/books/1/").Expect(200).Contains("Persuasion")
	})
}

// TestIfMatchNeedsVersions: the ETag of a Cache alone is no version for a write.
func TestIfMatchNeedsVersions(t *testing.T) {
	both(t, nil, func(t *testing.T, c *frameworktest.Client) {
		tag := c.Get("/api/books/1/").Headers().Get("ETag")
		c.With("If-Match", tag).Patch("/api/books/1/", map[string]any{"title": "x"}).Expect(412).Code("precondition_unsupported")
		tag = c.Get("/api/counted/books/1/").Headers().Get("ETag")
		c.With("If-Match", tag).Patch("/api/counted/books/1/", map[string]any{"title": "x"}).Expect(200)
		c.With("If-Match", tag).Patch("/api/counted/books/1/", map[string]any{"title": "y"}).Expect(412).Code("precondition_failed").Header("Cache-Control", never)
	})
}

// TestRatesArePrivate: what is left of a caller's rate is in private answers alone.
func TestRatesArePrivate(t *testing.T) {
	limit := func(c *framework.Config) {
		c.Throttles = []framework.Throttle{throttle.Scoped(new(throttle.Memory), "all", throttle.Rate{Limit: 100, Per: time.Hour}, throttle.ByAddress())}
	}
	both(t, limit, func(t *testing.T, c *frameworktest.Client) {
		for _, test := range []struct {
			name string
			by   *frameworktest.Client
			path string
			sent bool
		}{
			{"a public answer", c, "/api/books/1/", false},
			{"a private answer", apitest.As(c, "ada"), "/api/books/1/", true},
			{"an answer that no cache keeps", c, "/api/plain/books/1/", true},
		} {
			got := test.by.Get(test.path).Expect(200)
			if rate, policy := got.Headers().Get("RateLimit"), got.Headers().Get("RateLimit-Policy"); (rate != "") != test.sent || (policy != "") != test.sent {
				t.Errorf("%s: RateLimit is %q, RateLimit-Policy is %q", test.name, rate, policy)
			}
		}
	})
}

// TestHeadersOfThePrograms: an answer with a cookie is kept by no cache, wherever the cookie comes from, and Cache-Control of the program stays.
func TestHeadersOfThePrograms(t *testing.T) {
	sends := framework.Header{Name: "Set-Cookie", Doc: "A cookie of middleware."}
	around := func(name string, do func(w http.ResponseWriter, r *http.Request)) framework.Resource {
		v := books()
		v.Verbs.Retrieve = v.Verbs.Retrieve.Sends(sends)
		v.Under, v.Select, v.Export, v.Middleware = name, framework.Select{}, nil, []framework.Middleware{func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				do(w, r)
				next.ServeHTTP(w, r)
			})
		}}
		return v
	}
	late := books()
	late.Verbs.Retrieve = late.Verbs.Retrieve.Sends(sends)
	late.Under, late.Select, late.Export = "late", framework.Select{}, nil
	late.Middleware = []framework.Middleware{func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(cookies{w}, r) })
	}}
	both(t, nil, func(t *testing.T, c *frameworktest.Client) {
		for _, test := range []struct{ name, path, control string }{
			{"a cookie before the answer", "/api/early/books/1/", never},
			{"a cookie with the headers of the answer", "/api/late/books/1/", never},
			{"Cache-Control of the program", "/api/own/books/1/", "public, max-age=5"},
			{"middleware that takes the credentials from the request", "/api/stripped/books/1/", private},
		} {
			t.Run(test.name, func(t *testing.T) {
				by := c.On(t)
				if strings.Contains(test.path, "stripped") {
					by = apitest.As(by, "ada")
				}
				by.Get(test.path).Expect(200).Header("Cache-Control", test.control)
				by.Do("HEAD", test.path, nil).Expect(200).Header("Cache-Control", test.control)
			})
		}
	},
		around("early", func(w http.ResponseWriter, _ *http.Request) { http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"}) }),
		around("own", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Cache-Control", "public, max-age=5") }),
		around("stripped", func(_ http.ResponseWriter, r *http.Request) { r.Header.Del("Authorization") }),
		late)
}

// cookies is a writer that adds a cookie to an answer, as packages for sessions do.
type cookies struct{ http.ResponseWriter }

func (c cookies) WriteHeader(status int) {
	http.SetCookie(c, &http.Cookie{Name: "a", Value: "b"})
	c.ResponseWriter.WriteHeader(status)
}
