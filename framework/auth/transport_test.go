package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
)

// inTLS is a desk whose credentials need TLS.
func inTLS(c *auth.Config, f *framework.Config) {
	unlimited(c, f)
	c.RequireTLS = true
}

// byTLS returns the client as a proxy that received its requests by TLS.
func byTLS(c *frameworktest.Client) *frameworktest.Client {
	return c.With("X-Forwarded-Proto", "https")
}

// TestCredentialsInCleartextAreRejected: credentials in cleartext are rejected before any
// query, whether they are valid or not.
func TestCredentialsInCleartextAreRejected(t *testing.T) {
	onDesk(t, inTLS, func(d *desk) {
		user := d.user("asha@example.com")
		pair, opaque := d.pair(user), d.token(user)
		statements := frameworktest.CountStatements(d.db)
		for _, c := range []struct {
			name, method, path, header, value string
			body                              any
		}{
			{"a token", "GET", me, "Authorization", "Token " + opaque, nil},
			{"a token that is unknown", "GET", me, "Authorization", "Token trs_x", nil},
			{"a token to revoke", "DELETE", token, "Authorization", "Token " + opaque, nil},
			{"a token to log out", "POST", logout, "Authorization", "Token " + opaque, nil},
			{"a token for another resource", "GET", "/api/groups/who", "Authorization", "Token " + opaque, nil},
			{"a token where anyone may", "GET", "/api/groups/open", "Authorization", "Token " + opaque, nil},
			{"a token where the method is not offered", "DELETE", "/api/groups/who", "Authorization", "Token " + opaque, nil},
			{"a JWT", "GET", me, "Authorization", "Bearer " + pair.Access, nil},
			{"a password in a header", "GET", me, "Authorization", "Basic YTpi", nil},
			{"a session", "GET", me, "Cookie", "__Host-sessionid=" + strings.Repeat("A", 43), nil},
			{"an invalid session", "GET", sessionPath, "Cookie", "__Host-sessionid=x", nil},
			{"two sessions", "GET", me, "Cookie", "__Host-sessionid=x; __Host-sessionid=y", nil},
			{"a session to sign out", "DELETE", sessionPath, "Cookie", "__Host-sessionid=" + strings.Repeat("A", 43), nil},
			{"a registration", "POST", register, "", "", credentialsOf("b@example.com", goodPassword)},
			{"a login", "POST", login, "", "", right},
			{"a login that fails", "POST", login, "", "", wrong},
			{"a login for a token", "POST", token, "", "", right},
			{"a login for a JWT", "POST", jwtPath, "", "", right},
			{"a login of a browser", "POST", sessionPath, "", "", right},
			{"a refresh", "POST", refreshPath, "", "", map[string]any{"refresh": pair.Refresh}},
			{"a revocation", "POST", revokePath, "", "", map[string]any{"refresh": pair.Refresh}},
			{"a login with the header Forwarded of an untrusted client", "POST", login, "Forwarded", "proto=https", right},
		} {
			d.Run(c.name, func(t *testing.T) {
				client, hashes := d.Client.On(t), d.hashes.Load()
				if c.header != "" {
					client = client.With(c.header, c.value)
				}
				ran := statements.During(func() {
					client.Do(c.method, c.path, c.body).Expect(http.StatusForbidden).Code(auth.CodeTLSRequired).
						Header("WWW-Authenticate", "").Header("Set-Cookie", "").Lacks(opaque, pair.Refresh, goodPassword)
				})
				if len(ran) != 0 || d.hashes.Load() != hashes {
					t.Errorf("%d hashes, and the statements %q", d.hashes.Load()-hashes, ran)
				}
			})
		}
		d.twoHeaders(opaque)
		if lines := d.log.Take(d.T); len(lines) != 0 {
			d.Errorf("the audit log is %v", lines)
		}
	})
}

// twoHeaders sends a token after an empty header of the same name.
func (d *desk) twoHeaders(opaque string) {
	d.Helper()
	r, err := http.NewRequestWithContext(d.Context(), http.MethodGet, d.URL()+me, nil)
	must(d.T, err)
	r.Header["Authorization"] = []string{"", "Token " + opaque}
	response, err := http.DefaultTransport.RoundTrip(r)
	must(d.T, err)
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusForbidden {
		d.Errorf("after an empty header a token in cleartext is answered %d", response.StatusCode)
	}
}

// TestNothingElseNeedsTLS: requests without credentials are served, and requests by TLS,
// too.
func TestNothingElseNeedsTLS(t *testing.T) {
	onDesk(t, inTLS, func(d *desk) {
		user := d.user("asha@example.com")
		d.Get("/api/").Expect(http.StatusOK)
		d.Get("/api/errors/tls_required").Expect(http.StatusOK)
		d.Get("/api/groups/open").Expect(http.StatusOK)
		d.Get(me).Expect(http.StatusUnauthorized).Code(framework.CodeAuthenticationRequired)
		d.Get(sessionPath).Expect(http.StatusOK)
		d.With("Cookie", "theme=dark; sessionid=x").Get(sessionPath).Expect(http.StatusOK)
		d.Get("/api/nothing").Expect(http.StatusNotFound)

		d.Client = byTLS(d.Client)
		d.Post(register, credentialsOf("b@example.com", goodPassword)).Expect(http.StatusCreated)
		for _, path := range []string{login, token, jwtPath} {
			d.Post(path, right).Expect(http.StatusOK)
		}
		d.knows(d.as("Token "+d.token(user)), "asha@example.com")
		d.knows(d.as("Bearer "+d.refreshed(d.pair(user).Refresh).Access), "asha@example.com")
		d.as("Token trs_x").Get(me).Expect(http.StatusUnauthorized)

		b := d.signedIn()
		if b.cookies["__Host-sessionid"] == "" {
			d.Errorf("the cookies are %v; cookies that need TLS begin with __Host-", b.cookies)
		}
		d.knows(b.client(), "asha@example.com")
		b.client().With("Origin", strings.Replace(d.URL(), "http:", "https:", 1)).Delete(sessionPath).Expect(http.StatusNoContent)
	})
}

// TestTLSIsNotRequiredByDefault: by default credentials may be sent in cleartext, for
// development.
func TestTLSIsNotRequiredByDefault(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		user := d.user("asha@example.com")
		d.Post(login, right).Expect(http.StatusOK)
		d.knows(d.as("Token "+d.token(user)), "asha@example.com")
		d.knows(d.signedIn().client(), "asha@example.com")
	})
}
