package main

import (
	"crypto/tls"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trestle.example/internal/testserver/selfsigned"
)

const (
	year        = "max-age=31536000"
	somePhrase  = "correct horse battery"
	credentials = `{"email": "a@example.com", "password": "` + somePhrase + `"}`
	// anyKey is what a session's cookie looks like.
	anyKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)

// TestProductionTakesCredentialsByTLSAlone: its own, or that of a proxy that it
// trusts, which no other client can claim.
func TestProductionTakesCredentialsByTLSAlone(t *testing.T) {
	t.Parallel()
	files := selfsigned.NewFiles(t)
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.with(somePhrase+"\n", "createsuperuser --email a@example.com").is(t, exitOK)
		r.env = append(r.env, "TRESTLE_ENV=production", "TRESTLE_HOSTS=127.0.0.1", "TRESTLE_DRAIN_DELAY=0s", "TRESTLE_SMTP_URL="+aMailServer, "TRESTLE_MAIL_FROM="+aSender,
			"TRESTLE_JWT_KEYS="+strings.TrimSpace(r.ok("jwt keygen")))
		token := r.token("a@example.com")
		const proxies, told = "TRESTLE_TRUSTED_PROXIES=", "X-Forwarded-Proto"
		for _, test := range []struct {
			name    string
			env     []string
			headers []string
			safe    bool
		}{
			{"plain HTTP", nil, nil, false},
			{"a client that says what a proxy would", nil, []string{told, "https"}, false},
			{"the same, where other proxies are trusted", []string{proxies + "10.0.0.0/8,::1"}, []string{told, "https"}, false},
			{"a proxy that says nothing", []string{proxies + "127.0.0.1"}, nil, false},
			{"a proxy that was asked in the clear", []string{proxies + "127.0.0.1"}, []string{told, "http"}, false},
			{"the same, whose client says otherwise", []string{proxies + "127.0.0.1"}, []string{told, "https, http"}, false},
			{"a proxy that was asked by TLS", []string{proxies + "127.0.0.0/8"}, []string{told, "https"}, true},
			{"its own TLS", files.Env(), nil, true},
		} {
			t.Run(test.name, func(t *testing.T) {
				var speaks *tls.Config
				if strings.Contains(test.name, "its own") {
					speaks = files.Trusted(t)
				}
				v := visit(t, r.start(t, test.env...).base, speaks, test.headers...)
				if test.safe {
					takesCredentials(t, v, token)
				} else {
					refusesCredentials(t, v, token)
				}
				for _, request := range []string{"GET /api/", "GET /api/auth/session", "GET /api/errors/tls_required"} {
					v.send(t, request, "").is(t, http.StatusOK).strict(t, test.safe)
				}
				v.send(t, "GET /api/patients/", "").is(t, http.StatusUnauthorized).strict(t, test.safe)
				v.send(t, "GET /nowhere", "").is(t, http.StatusNotFound).strict(t, test.safe)
			})
		}
	})
}

// strict checks whether an answer requires browsers to use TLS.
func (got answer) strict(t *testing.T, want bool) {
	t.Helper()
	told := got.header["Strict-Transport-Security"]
	if want && !slices.Equal(told, []string{year}) || !want && told != nil {
		t.Errorf("Strict-Transport-Security is %q; want it there: %t", told, want)
	}
}

func refusesCredentials(t *testing.T, v visitor, token string) {
	t.Helper()
	for name, credential := range map[string][]string{
		"a token":            {"Authorization", "Token " + token},
		"a token, as Bearer": {"Authorization", "Bearer " + token},
		"a JWT":              {"Authorization", "Bearer e30.e30.e30"},
		"a session":          {"Cookie", "__Host-sessionid=" + anyKey},
	} {
		for _, path := range []string{"/api/patients/", "/api/auth/me", "/api/manage/doctors/"} {
			got := v.with(credential...).send(t, "GET "+path, "").is(t, http.StatusForbidden, `"tls_required"`)
			if strings.Contains(got.body, token) {
				t.Errorf("%s is in the answer: %s", name, got.body)
			}
		}
	}
	for _, path := range []string{"register", "login", "token", "jwt", "session"} {
		got := v.send(t, "POST /api/auth/"+path, credentials).is(t, http.StatusForbidden, `"tls_required"`)
		if strings.Contains(got.body, somePhrase) || strings.Contains(got.body, "trs_") {
			t.Errorf("%s answers a secret: %s", path, got.body)
		}
	}
	v.send(t, "POST /api/auth/jwt/refresh", `{"refresh": "e30.e30.e30"}`).is(t, http.StatusForbidden, `"tls_required"`)
}

func takesCredentials(t *testing.T, v visitor, token string) {
	t.Helper()
	v.with("Authorization", "Token "+token).send(t, "GET /api/auth/me", "").is(t, http.StatusOK, "a@example.com")
	v.send(t, "POST /api/auth/login", credentials).is(t, http.StatusOK, "trs_").strict(t, true)
	pair := v.send(t, "POST /api/auth/jwt", credentials).is(t, http.StatusOK)
	access := pair.member(t, "access")
	v.with("Authorization", "Bearer "+access).send(t, "GET /api/auth/me", "").is(t, http.StatusOK, "a@example.com")
	session := signIn(t, v, "__Host-", credentials)
	v.with("Cookie", session.Name+"="+session.Value).send(t, "GET /api/auth/me", "").is(t, http.StatusOK, "a@example.com")
	_, attributes, _ := strings.Cut(session.Raw, "; ")
	if got := strings.Split(attributes, "; "); !slices.Equal(slices.Sorted(slices.Values(got)), []string{"HttpOnly", "Path=/", "SameSite=Lax", "Secure"}) {
		t.Errorf("the session's cookie has %q", got)
	}
}

// member is one of the answer's JSON.
func (got answer) member(t *testing.T, name string) string {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(got.body), &members); err != nil {
		t.Fatalf("the answer is %s: %v", got.body, err)
	}
	text, _ := members[name].(string)
	return text
}

// signIn does what a browser does, and returns the session's cookie. The names
// of the cookies begin with prefix.
func signIn(t *testing.T, v visitor, prefix, credentials string) *http.Cookie {
	t.Helper()
	before := v.send(t, "GET /api/auth/session", "").is(t, http.StatusOK)
	presession := before.cookie(t, prefix+"presession")
	browser := v.with("Cookie", presession.Name+"="+presession.Value, "X-CSRFToken", before.member(t, "csrfToken"))
	return browser.send(t, "POST /api/auth/session", credentials).is(t, http.StatusOK).cookie(t, prefix+"sessionid")
}

// TestDevelopmentTakesCredentialsInTheClear, without cookies that insist on
// https, and does not bind browsers to it.
func TestDevelopmentTakesCredentialsInTheClear(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.with(somePhrase+"\n", "createsuperuser --email a@example.com").is(t, exitOK)
		s := r.start(t, "TRESTLE_TRUSTED_PROXIES=127.0.0.1")
		v := visit(t, s.base, nil, "X-Forwarded-Proto", "https")
		v.with("Authorization", "Token "+r.token("a@example.com")).send(t, "GET /api/auth/me", "").is(t, http.StatusOK).strict(t, false)
		if session := signIn(t, v, "", credentials); session.Secure {
			t.Errorf("the session's cookie is %s", session)
		}
		s.log.await(t, "a key for JWTs was generated")
		if n := strings.Count(s.log.String(), "a key for JWTs was generated"); n != 1 {
			t.Errorf("it says %d times that a key was generated", n)
		}
	})
}

// TestLinksOfAServerWithTLS begin with https, as does what it prints.
func TestLinksOfAServerWithTLS(t *testing.T) {
	t.Parallel()
	files := selfsigned.NewFiles(t)
	s := newRig(t, sqliteURL(t), files.Env()...).start(t)
	visit(t, s.base, files.Trusted(t)).send(t, "GET /api/", "").is(t, http.StatusOK, `"`+s.base+`/api/patients/"`)
	if !strings.Contains(s.printed.String(), s.base+"/api/") {
		t.Errorf("it prints %q; want %s", s.printed, s.base)
	}
}
