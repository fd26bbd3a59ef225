package main

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestJWTsOutliveTheServer where their keys are a setting.
func TestJWTsOutliveTheServer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.with(somePhrase+"\n", "createsuperuser --email a@example.com").is(t, exitOK)
		one, two := strings.TrimSpace(r.ok("jwt keygen")), strings.TrimSpace(r.ok("jwt keygen --alg HS256"))
		const keys = "TRESTLE_JWT_KEYS="
		s := r.start(t, keys+one)
		access := visit(t, s.base, nil).send(t, "POST /api/auth/jwt", credentials).is(t, http.StatusOK).member(t, "access")
		for name, test := range map[string]struct {
			keys string
			want int
		}{
			"the same key":                    {keys + one, http.StatusOK},
			"another key that signs before":   {keys + two + " " + one, http.StatusOK},
			"another key alone":               {keys + two, http.StatusUnauthorized},
			"a key that is made up, as a try": {keys, http.StatusUnauthorized},
		} {
			t.Run(name, func(t *testing.T) {
				s := r.start(t, test.keys)
				visit(t, s.base, nil, "Authorization", "Bearer "+access).send(t, "GET /api/auth/me", "").is(t, test.want)
				if made := strings.Contains(s.log.String(), "a key for JWTs was generated"); made != (test.keys == keys) {
					t.Errorf("it says that a key was generated: %t", made)
				}
				if strings.Contains(s.log.String(), one) || strings.Contains(s.log.String(), two) {
					t.Error("the log has a key in it")
				}
			})
		}
	})
}

func TestTokensLiveAsLongAsIsSet(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.with(somePhrase+"\n", "createsuperuser --email a@example.com").is(t, exitOK)
		for env, life := range map[string]time.Duration{"": 30 * 24 * time.Hour, "TRESTLE_TOKEN_LIFE=90m": 90 * time.Minute} {
			v := visit(t, r.start(t, env).base, nil)
			before := time.Now().Add(-time.Second)
			got := v.send(t, "POST /api/auth/login", credentials).is(t, http.StatusOK).member(t, "expiresAt")
			until, err := time.Parse(time.RFC3339, got)
			if after := time.Now(); err != nil || until.Before(before.Add(life)) || until.After(after.Add(life)) {
				t.Errorf("%s: a token ends at %q; want it to live for %s", env, got, life)
			}
		}
	})
}

// TestSessionsWriteFromTrustedOrigins alone.
func TestSessionsWriteFromTrustedOrigins(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.with(somePhrase+"\n", "createsuperuser --email a@example.com").is(t, exitOK)
		v := visit(t, r.start(t, "TRESTLE_TRUSTED_ORIGINS=https://app.example.org").base, nil)
		for origin, want := range map[string]int{
			v.base:                           http.StatusOK,
			"https://app.example.org":        http.StatusOK,
			"http://app.example.org":         http.StatusForbidden,
			"https://app.example.org.evil.t": http.StatusForbidden,
			"null":                           http.StatusForbidden,
		} {
			before := v.send(t, "GET /api/auth/session", "").is(t, http.StatusOK)
			browser := v.with("Origin", origin, "Cookie", "presession="+before.cookie(t, "presession").Value, "X-CSRFToken", before.member(t, "csrfToken"))
			if got := browser.send(t, "POST /api/auth/session", credentials); got.status != want {
				t.Errorf("from %s it is answered with %d; want %d: %s", origin, got.status, want, got.body)
			}
		}
	})
}
