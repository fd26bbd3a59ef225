package auth

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const trustedOrigin = "https://app.example.com"

// A sourceCase is an Origin and, for each Sec-Fetch-Site, whether a browser that sends
// both may write.
type sourceCase struct {
	name   string
	origin string // "" for none; SCHEME and OTHER are the site's and the other
	may    [6]bool
}

var fetchSites = [6]string{"", "same-origin", "none", "same-site", "cross-site", "something new"}

var sourceCases = []sourceCase{
	{"absent", "", [6]bool{true, true, true, false, false, false}},
	{"same", "SCHEME://api.example.org", [6]bool{true, true, true, false, false, false}},
	{"null", "null", [6]bool{}},
	{"sibling subdomain", "SCHEME://shop.example.org", [6]bool{}},
	{"parent domain", "SCHEME://example.org", [6]bool{}},
	{"own name as a prefix", "SCHEME://api.example.org.evil.test", [6]bool{}},
	{"own name as a user", "SCHEME://api.example.org@evil.test", [6]bool{}},
	{"http of https, or https of http", "OTHER://api.example.org", [6]bool{}},
	{"other port", "SCHEME://api.example.org:8443", [6]bool{}},
	{"another site", "https://evil.test", [6]bool{}},
	{"trusted", trustedOrigin, [6]bool{true, true, true, true, true, true}},
	{"trusted by another scheme", "http://app.example.com", [6]bool{}},
}

var csrfMethods = []struct {
	name         string
	safe, whole  bool
	status, made int // if it passes; made is how often it acts
}{
	{"GET", true, true, 204, 0},
	{"HEAD", true, false, 204, 0},
	{"OPTIONS", true, false, 200, 0},
	{"TRACE", true, false, 405, 0},
	{"POST", false, true, 204, 1},
	{"PUT", false, false, 204, 1},
	{"PATCH", false, false, 204, 1},
	{"DELETE", false, true, 204, 1},
}

// A csrfTarget is an endpoint with credentials and the tokens to try.
type csrfTarget struct {
	name    string
	path    string
	body    string
	headers []string // the credentials
	free    bool     // exempt from the checks
	post    int      // the status of a POST that passes; then other methods are not tried. 0 for the default
	tokens  []csrfToken
}

type csrfToken struct {
	name  string
	sent  []string
	right bool
}

// csrfTokens returns wrong tokens and the right one.
func csrfTokens(right, other, stale string) []csrfToken {
	return []csrfToken{
		{"missing", nil, false},
		{"empty", []string{""}, false},
		{"short", []string{right[:csrfLength-1]}, false},
		{"long", []string{right + "A"}, false},
		{"bad character", []string{right[:40] + "!" + right[41:]}, false},
		{"all zero", []string{strings.Repeat("A", csrfLength)}, false},
		{"other session's", []string{other}, false},
		{"stale from before login", []string{stale}, false},
		{"right, sent twice", []string{right, right}, false},
		{"right", []string{right}, true},
	}
}

func (s *site) csrfTargets() []csrfTarget {
	before := s.browser()
	before.show()
	b := s.browser()
	b.show()
	stale := b.token
	waiting := b.cookie()
	b.enter("asha@example.com", http.StatusOK)
	other := s.signedIn("other@example.com")
	user, err := s.users.FindUser(s.ctx, s.s, "asha@example.com")
	s.must(err)
	tokens := csrfTokens(b.token, other.token, stale)
	return []csrfTarget{
		{name: "session", path: "act/", headers: []string{"Cookie: " + b.cookie()}, tokens: tokens},
		{
			name: "signing in", path: "session/", body: `{"email":"asha@example.com"}`, post: http.StatusOK,
			headers: []string{"Cookie: " + waiting}, tokens: csrfTokens(stale, other.token, before.token),
		},
		{
			name: "token beside a session", path: "act/", free: true, tokens: tokens,
			headers: []string{"Cookie: " + b.cookie(), "Authorization: Token " + s.token(user, 0)},
		},
	}
}

// TestCSRFMatrix tries every scheme x method x token x Origin x Sec-Fetch-Site, over
// https and http.
func TestCSRFMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("the race run; these are single requests and run in make test")
	}
	onBoth(t, func(w *world) {
		w.user("asha@example.com")
		w.user("other@example.com")
		for _, secure := range []bool{true, false} {
			s := w.site(SessionOptions{Secure: secure, TrustedOrigins: []string{trustedOrigin}})
			cells, wrong := 0, 0
			for _, target := range s.csrfTargets() {
				a, b := s.csrfTarget(target)
				cells, wrong = cells+a, wrong+b
			}
			w.Logf("secure %v: %d cells, %d answered wrongly", secure, cells, wrong)
			if cells < 250 {
				w.Errorf("only %d cells were tried", cells)
			}
		}
	})
}

func (s *site) csrfTarget(target csrfTarget) (cells, wrong int) {
	for _, method := range csrfMethods {
		if target.post != 0 {
			if method.name != http.MethodPost {
				continue
			}
			method.status = target.post
		}
		for _, token := range target.tokens {
			for _, source := range sourceCases {
				for i, site := range fetchSites {
					if i > 0 && !method.whole {
						continue
					}
					passes := method.safe || target.free || token.right && source.may[i]
					status, made := http.StatusForbidden, 0
					if passes {
						status, made = method.status, method.made
					}
					cell := fmt.Sprintf("%s, %s, token %s, Origin %s, Sec-Fetch-Site %q", target.name, method.name, token.name, source.name, site)
					if !s.csrfCell(cell, s.csrfRequest(target, method.name, token, source, site), status, made) {
						wrong++
					}
					cells++
				}
			}
		}
	}
	return cells, wrong
}

func (s *site) csrfRequest(target csrfTarget, method string, token csrfToken, source sourceCase, site string) *http.Request {
	r := s.request(method, target.path, target.body, target.headers...)
	for _, sent := range token.sent {
		r.Header.Add(csrfHeader, sent)
	}
	schemes := strings.NewReplacer("SCHEME", "http", "OTHER", "https")
	if s.sessions.options.Secure {
		schemes = strings.NewReplacer("SCHEME", "https", "OTHER", "http")
	}
	if source.origin != "" {
		r.Header.Set("Origin", schemes.Replace(source.origin))
	}
	if site != "" {
		r.Header.Set("Sec-Fetch-Site", site)
	}
	return r
}

// csrfCell sends one request and checks its effect.
func (s *site) csrfCell(cell string, r *http.Request, status, made int) bool {
	s.Helper()
	before := s.acts.Load()
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	s.checkCookies(w)
	acted := int(s.acts.Load() - before)
	refused := strings.Contains(w.Body.String(), `"code":"csrf_failed"`)
	if w.Code != status || acted != made || refused != (status == http.StatusForbidden) {
		s.Errorf("%s: %d, acted %d times; want %d, %d: %s", cell, w.Code, acted, status, made, w.Body)
		return false
	}
	if made > 0 && r.Header.Get("Authorization") == "" && !s.standardAllows(r) {
		s.Errorf("%s: net/http's CrossOriginProtection rejects what passed", cell)
		return false
	}
	return true
}

// standardAllows returns the decision of net/http, whose rules are less strict.
func (s *site) standardAllows(r *http.Request) bool {
	p := http.NewCrossOriginProtection()
	s.must(p.AddTrustedOrigin(trustedOrigin))
	return p.Check(r) == nil
}

// TestCSRFSources tries the other headers that state the origin of a request.
func TestCSRFSources(t *testing.T) {
	onBoth(t, func(w *world) {
		w.user("asha@example.com")
		s := w.site(SessionOptions{Secure: true, TrustedOrigins: []string{trustedOrigin}})
		b := s.signedIn("asha@example.com")
		for _, c := range []struct {
			name    string
			headers []string
			refused string // a part of the sentence, "" for none
		}{
			{"nothing", nil, ""},
			{"own Referer", []string{"Referer: https://api.example.org/page?x=1"}, ""},
			{"own Referer with the usual port", []string{"Referer: https://api.example.org:443/"}, ""},
			{"own Referer in upper case", []string{"Referer: https://API.example.org/"}, ""},
			{"a Referer of a trusted origin", []string{"Referer: " + trustedOrigin + "/page"}, ""},
			{"a Referer of another site", []string{"Referer: https://evil.test/https://api.example.org/"}, "header Referer"},
			{"own Referer by http", []string{"Referer: http://api.example.org/"}, "header Referer"},
			{"own name as a user in Referer", []string{"Referer: https://api.example.org@evil.test/"}, "header Referer"},
			{"a Referer that is not a URL", []string{"Referer: ://"}, "header Referer"},
			{"a Referer without a host", []string{"Referer: about:blank"}, "header Referer"},
			{"an empty Referer", []string{"Referer: "}, "header Referer"},
			{"a trusted Referer from another site", []string{"Referer: " + trustedOrigin + "/", "Sec-Fetch-Site: cross-site"}, "header Sec-Fetch-Site"},
			{"own Origin and a Referer of another site", []string{"Origin: https://api.example.org", "Referer: https://evil.test/"}, ""},
			{"two Referers", []string{"Referer: https://api.example.org/", "Referer: https://evil.test/"}, "several Origin or Referer"},
			{"two Origins", []string{"Origin: https://api.example.org", "Origin: https://evil.test"}, "several Origin or Referer"},
			{"two Origins, both own", []string{"Origin: https://api.example.org", "Origin: https://api.example.org"}, "several Origin or Referer"},
			{"an empty Origin", []string{"Origin: "}, "header Origin"},
			{"an Origin with a path", []string{"Origin: https://api.example.org/"}, "header Origin"},
			{"an Origin in upper case", []string{"Origin: https://API.EXAMPLE.ORG"}, "header Origin"},
			{"an Origin with the usual port", []string{"Origin: https://api.example.org:443"}, "header Origin"},
			{"a list of Origins", []string{"Origin: https://api.example.org https://evil.test"}, "header Origin"},
			{"two of Sec-Fetch-Site", []string{"Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"}, "header Sec-Fetch-Site"},
			{"Sec-Fetch-Site in upper case", []string{"Sec-Fetch-Site: Same-Origin"}, "header Sec-Fetch-Site"},
			{"a forwarded host", []string{"Origin: https://evil.test", "X-Forwarded-Host: evil.test"}, "header Origin"},
		} {
			w.Run(c.name, func(t *testing.T) {
				s := s.on(t)
				headers := append([]string{"Cookie: " + b.cookie(), "X-CSRFToken: " + b.token}, c.headers...)
				status := http.StatusNoContent
				if c.refused != "" {
					status = http.StatusForbidden
				}
				s.wants(s.send("POST", "act/", "", headers...), status, c.refused)
			})
		}
	})
}

// TestCSRFOfWebsockets: a page of another origin cannot open a websocket with the session of a
// visitor. The request needs no token, because a page cannot send one.
func TestCSRFOfWebsockets(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		s := w.site(SessionOptions{Secure: true, TrustedOrigins: []string{trustedOrigin}})
		session := "Cookie: " + s.signedIn("asha@example.com").cookie()
		for _, c := range []struct {
			name    string
			headers []string
			refused string // a part of the sentence, "" for none
		}{
			{"own Origin", []string{"Origin: https://api.example.org"}, ""},
			{"own Origin, as browsers send it", []string{"Origin: https://api.example.org", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: websocket"}, ""},
			{"a trusted Origin", []string{"Origin: " + trustedOrigin, "Sec-Fetch-Site: cross-site"}, ""},
			{"no Origin, so no browser", nil, ""},
			{"an Origin of another site", []string{"Origin: https://evil.test"}, "header Origin"},
			{"an Origin of a sibling subdomain", []string{"Origin: https://shop.example.org", "Sec-Fetch-Site: same-site"}, "header Origin"},
			{"an Origin without TLS", []string{"Origin: http://api.example.org"}, "header Origin"},
			{"a sandboxed page", []string{"Origin: null"}, "header Origin"},
			{"another site, without Origin", []string{"Sec-Fetch-Site: cross-site"}, "header Sec-Fetch-Site"},
			{"another site, beside a token", []string{"Origin: https://evil.test", "Authorization: Token " + s.token(user, 0)}, ""},
		} {
			w.Run(c.name, func(t *testing.T) {
				s := s.on(t)
				headers := append([]string{session, "Connection: Upgrade", "Upgrade: websocket"}, c.headers...)
				status := http.StatusNoContent
				if c.refused != "" {
					status = http.StatusForbidden
				}
				s.wants(s.send("GET", "act/", "", headers...), status, c.refused)
			})
		}
	})
}

func TestRefererOrigin(t *testing.T) {
	for referer, want := range map[string]string{
		"https://api.example.org/page?x=1":   "https://api.example.org",
		"http://api.example.org/":            "http://api.example.org",
		"http://api.example.org:80/":         "http://api.example.org",
		"http://api.example.org:443/":        "http://api.example.org:443",
		"https://api.example.org:8443":       "https://api.example.org:8443",
		"HTTPS://API.example.org":            "https://api.example.org",
		"https://api.example.org@evil.test/": "https://evil.test",
		"ftp://api.example.org/":             "",
		"//api.example.org/":                 "",
		"https:///page":                      "",
		"about:blank":                        "",
		"://":                                "",
		"":                                   "",
	} {
		if got := refererOrigin(referer); got != want {
			t.Errorf("%q is of %q; want %q", referer, got, want)
		}
	}
}

// TestSecureSetsTheOriginBehindAProxy: behind a proxy that terminates TLS, the
// request itself does not state its scheme.
func TestSecureSetsTheOriginBehindAProxy(t *testing.T) {
	onBoth(t, func(w *world) {
		w.user("asha@example.com")
		for _, c := range []struct {
			name   string
			secure bool
			tls    bool
			origin string
			passes bool
		}{
			{"https by a proxy", true, false, "https://api.example.org", true},
			{"http by a proxy that is known for https", true, false, "http://api.example.org", false},
			{"https of its own", true, true, "https://api.example.org", true},
			{"https of its own, with cookies for http too", false, true, "https://api.example.org", true},
			{"http of https, with cookies for http too", false, true, "http://api.example.org", false},
			{"http", false, false, "http://api.example.org", true},
			{"https of http", false, false, "https://api.example.org", false},
		} {
			w.Run(c.name, func(t *testing.T) {
				s := w.site(SessionOptions{Secure: c.secure})
				b := s.signedIn("asha@example.com")
				r := s.on(t).request("POST", "act/", "", "Cookie: "+b.cookie(), "X-CSRFToken: "+b.token, "Origin: "+c.origin)
				r.TLS = nil
				if c.tls {
					r.TLS = &tls.ConnectionState{}
				}
				recorder := httptest.NewRecorder()
				s.handler.ServeHTTP(recorder, r)
				if (recorder.Code == http.StatusNoContent) != c.passes {
					t.Errorf("%d %s", recorder.Code, recorder.Body)
				}
			})
		}
	})
}

// TestCSRFBodiesAndOverrides tries bodies that another site can make a browser send, and
// ways to override the method of a POST.
func TestCSRFBodiesAndOverrides(t *testing.T) {
	const multipart = "--x\r\nContent-Disposition: form-data; name=\"_method\"\r\n\r\nGET\r\n--x--\r\n"
	onBoth(t, func(w *world) {
		w.user("asha@example.com")
		s := w.site(SessionOptions{Secure: true})
		b := s.signedIn("asha@example.com")
		for _, c := range []struct {
			name, method, path, body string
			headers                  []string
			bare, told               int // the status without a token, and with it
		}{
			{"JSON", "POST", "act/", "{}", nil, 403, 204},
			{"JSON as text/plain", "POST", "session/", `{"email":"asha@example.com"}`, []string{"Content-Type: text/plain"}, 415, 415},
			{"a form", "POST", "session/", "email=asha@example.com", []string{"Content-Type: application/x-www-form-urlencoded"}, 415, 415},
			{"signing in as another user", "POST", "session/", `{"email":"asha@example.com"}`, nil, 403, 200},
			{"text/plain beside a session", "POST", "act/", "{}", []string{"Content-Type: text/plain"}, 403, 415},
			{"a form beside a session", "POST", "act/", "a=b", []string{"Content-Type: application/x-www-form-urlencoded"}, 403, 415},
			{"a form with files", "POST", "act/", multipart, []string{"Content-Type: multipart/form-data; boundary=x"}, 403, 415},
			{"no media type", "POST", "act/", "", []string{"Content-Type: "}, 403, 204},
			{"_method=GET in the body", "POST", "act/", "_method=GET", []string{"Content-Type: application/x-www-form-urlencoded"}, 403, 415},
			{"_method=GET in the query", "POST", "act/?_method=GET", "", nil, 403, 204},
			{"a header that overrides", "POST", "act/", "", []string{"X-HTTP-Method-Override: GET"}, 403, 204},
			{"another header that overrides", "DELETE", "act/", "", []string{"X-Method-Override: GET"}, 403, 204},
			{"a method in lower case", "post", "act/", "", nil, 403, 405},
		} {
			w.Run(c.name, func(t *testing.T) {
				s := s.on(t)
				headers := append([]string{"Cookie: " + b.cookie()}, c.headers...)
				s.wants(s.send(c.method, c.path, c.body, headers...), c.bare, "")
				b := b.site.signedIn("asha@example.com")
				headers = append([]string{"Cookie: " + b.cookie(), "X-CSRFToken: " + b.token}, c.headers...)
				s.wants(s.send(c.method, c.path, c.body, headers...), c.told, "")
			})
		}
		for _, path := range []string{"act/?_method=POST", "act/?_method=DELETE"} {
			before := s.acts.Load()
			headers := []string{"Cookie: " + b.cookie(), "X-HTTP-Method-Override: POST", "X-CSRFToken: " + b.token}
			s.wants(s.send("GET", path, "", headers...), http.StatusNoContent, "")
			if s.acts.Load() != before {
				w.Errorf("GET %s acted", path)
			}
		}
		// A token that is not in the header does not count.
		for _, path := range []string{"act/?csrftoken=", "act/?csrfmiddlewaretoken=", "act/?X-CSRFToken="} {
			s.wants(s.send("POST", path+b.token, "", "Cookie: "+b.cookie()), http.StatusForbidden, "X-CSRFToken is missing")
		}
	})
}

func TestCSRFTokensAreMaskedAndBound(t *testing.T) {
	key, other := newKey(), newKey()
	secret := csrfSecret(sessionCookie, key)
	seen := map[string]bool{}
	for range 100 {
		token := maskCSRF(secret)
		if seen[token] || len(token) != csrfLength {
			t.Fatalf("the token %s came twice or has %d characters", token, len(token))
		}
		seen[token] = true
		for _, c := range []struct {
			name   string
			secret []byte
			right  bool
		}{
			{"its own", secret, true},
			{"another key's", csrfSecret(sessionCookie, other), false},
			{"the same key's before login", csrfSecret(presessionCookie, key), false},
			{"the hash that the table holds", hashToken(key), false},
			{"none", nil, false},
		} {
			if err := checkCSRF([]string{token}, c.secret); (err == nil) != c.right {
				t.Errorf("with the secret %s: %v", c.name, err)
			}
		}
	}
}

func FuzzCheckCSRF(f *testing.F) {
	f.Add(strings.Repeat("A", csrfLength))
	f.Add("")
	f.Add(strings.Repeat("A", csrfLength-1) + "\n")
	f.Fuzz(func(t *testing.T, sent string) {
		if checkCSRF([]string{sent}, csrfSecret(sessionCookie, newKey())) == nil {
			t.Errorf("%q passed", sent)
		}
	})
}
