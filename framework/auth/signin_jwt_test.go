package auth_test

import (
	"net/http"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
)

const (
	jwtPath     = "/api/auth/jwt"
	refreshPath = "/api/auth/jwt/refresh"
	revokePath  = "/api/auth/jwt/revoke"
)

// signInByJWT returns the first pair of a login of asha@example.com.
func (d *desk) signInByJWT() (pair pairView) {
	d.Helper()
	r := d.Post(jwtPath, right).Expect(http.StatusOK).JSON(&pair)
	if got := members(object(r)); got != "access refresh" {
		d.Errorf("the body has %s", got)
	}
	return pair
}

// refresh sends a refresh token.
func (d *desk) refresh(token string) *frameworktest.Response {
	d.Helper()
	return d.Post(refreshPath, map[string]any{"refresh": token})
}

// refreshed returns the next pair.
func (d *desk) refreshed(token string) (pair pairView) {
	d.Helper()
	d.refresh(token).Expect(http.StatusOK).JSON(&pair)
	return pair
}

// rejected checks that a refresh token is rejected.
func (d *desk) rejected(token, code string) {
	d.Helper()
	d.refresh(token).Expect(http.StatusUnauthorized).Code(code).Header("WWW-Authenticate", `Bearer realm="api"`).Lacks(token)
}

func TestJWTIsRefreshedOnce(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		d.user("asha@example.com")
		first := d.signInByJWT()
		d.knows(d.as("Bearer "+first.Access), "asha@example.com")
		d.knows(d.as("Token "+first.Access), "")
		d.knows(d.as("Bearer "+first.Refresh), "")

		second := d.refreshed(first.Refresh)
		if second.Refresh == first.Refresh || second.Access == first.Access {
			d.Error("a token is issued twice")
		}
		d.knows(d.as("Bearer "+second.Access), "asha@example.com")
		d.rejected(first.Refresh, auth.CodeRefreshSuperseded)
		d.knows(d.as("Bearer "+second.Access), "asha@example.com")
		third := d.refreshed(second.Refresh)

		d.clock.turn(10 * time.Second)
		d.rejected(first.Refresh, framework.CodeInvalidToken)
		d.rejected(third.Refresh, framework.CodeInvalidToken)
		d.knows(d.as("Bearer "+third.Access), "")
	})
}

// TestReuseEndsTheLogin: a token that is used again ends its login, and no other one.
func TestReuseEndsTheLogin(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		d.user("asha@example.com")
		other, first := d.signInByJWT(), d.signInByJWT()
		second := d.refreshed(first.Refresh)
		d.clock.turn(10 * time.Second)
		d.rejected(first.Refresh, framework.CodeInvalidToken)
		d.rejected(second.Refresh, framework.CodeInvalidToken)
		d.knows(d.as("Bearer "+second.Access), "")
		d.knows(d.as("Bearer "+other.Access), "asha@example.com")
		d.refreshed(other.Refresh)
	})
}

// TestALoginOutlivesTheProcess: the state of a login is in the database, so another
// process with the same keys can use it.
func TestALoginOutlivesTheProcess(t *testing.T) {
	key, err := auth.GenerateKey("test", auth.EdDSA)
	must(t, err)
	keys, err := auth.ParseKeys(key.Reveal())
	must(t, err)
	own, common := auth.Config{}, framework.Config{}
	set := func(c *auth.Config, f *framework.Config) {
		unlimited(c, f)
		c.JWT.Keys = keys
		own, common = *c, *f
	}
	onDesk(t, set, func(d *desk) {
		d.user("asha@example.com")
		restart := func() { d.serve(own, common) }
		first := d.signInByJWT()
		restart()
		d.knows(d.as("Bearer "+first.Access), "asha@example.com")
		second := d.refreshed(first.Refresh)
		restart()
		d.rejected(first.Refresh, auth.CodeRefreshSuperseded)
		d.clock.turn(10 * time.Second)
		restart()
		d.rejected(first.Refresh, framework.CodeInvalidToken)
		restart()
		d.rejected(second.Refresh, framework.CodeInvalidToken)
		d.knows(d.as("Bearer "+second.Access), "")
	})
}

// TestWithoutKeysALoginEndsWithTheProcess: without keys a service generates one, which
// another process does not know.
func TestWithoutKeysALoginEndsWithTheProcess(t *testing.T) {
	own, common := auth.Config{}, framework.Config{}
	set := func(c *auth.Config, f *framework.Config) { own, common = *c, *f }
	onDesk(t, set, func(d *desk) {
		pair := d.pair(d.user("asha@example.com"))
		d.knows(d.as("Bearer "+pair.Access), "asha@example.com")
		d.serve(own, common)
		d.knows(d.as("Bearer "+pair.Access), "")
		d.rejected(pair.Refresh, framework.CodeInvalidToken)
	})
}

func TestRefreshAndRevokeReject(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		user := d.user("asha@example.com")
		pair, old := d.pair(user), d.pair(user)
		for _, path := range []string{refreshPath, revokePath} {
			for _, c := range []struct {
				name   string
				body   any
				status int
				code   string
			}{
				{"nothing", nil, 400, "invalid_json"},
				{"an empty object", map[string]any{}, 400, "validation_failed"},
				{"an empty token", map[string]any{"refresh": ""}, 400, "validation_failed"},
				{"a number", map[string]any{"refresh": 1}, 400, "validation_failed"},
				{"junk", map[string]any{"refresh": "x"}, 401, "invalid_token"},
				{"dots", map[string]any{"refresh": ".."}, 401, "invalid_token"},
				{"an opaque token", map[string]any{"refresh": d.token(user)}, 401, "invalid_token"},
				{"a forged token", map[string]any{"refresh": pair.Refresh[:len(pair.Refresh)-4] + "AAAA"}, 401, "invalid_token"},
			} {
				d.Run(path+" "+c.name, func(t *testing.T) {
					want := ""
					if c.status == 401 {
						want = `Bearer realm="api"`
					}
					d.on(t).Post(path, c.body).Expect(c.status).Code(c.code).Header("WWW-Authenticate", want)
				})
			}
		}
		d.rejected(pair.Access, framework.CodeInvalidToken)
		d.knows(d.as("Bearer "+pair.Access), "asha@example.com")
		d.clock.turn(24 * time.Hour)
		d.rejected(old.Refresh, framework.CodeInvalidToken)
	})
}

func TestRevokeEndsOneLogin(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		user := d.user("asha@example.com")
		pair, other, superseded := d.pair(user), d.pair(user), d.pair(user)
		d.Post(revokePath, map[string]any{"refresh": pair.Refresh}).Expect(http.StatusNoContent)
		d.knows(d.as("Bearer "+pair.Access), "")
		d.rejected(pair.Refresh, framework.CodeInvalidToken)
		d.Post(revokePath, map[string]any{"refresh": pair.Refresh}).Expect(http.StatusNoContent) // it has ended, as requested

		next := d.refreshed(superseded.Refresh)
		d.Post(revokePath, map[string]any{"refresh": superseded.Refresh}).Expect(http.StatusNoContent)
		d.knows(d.as("Bearer "+next.Access), "")
		d.knows(d.as("Bearer "+other.Access), "asha@example.com")
	})
}
