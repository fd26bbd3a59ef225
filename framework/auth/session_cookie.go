package auth

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework"
)

// The cookies. Secure ones carry hostPrefix, by which a browser promises that
// this very host set them, over https (RFC 6265bis section 4.1.3.2): neither a
// sibling subdomain nor a network in between can plant one.
const (
	hostPrefix       = "__Host-"
	sessionCookie    = "sessionid"  // a live session
	presessionCookie = "presession" // a browser that has not signed in yet
	csrfCookie       = "csrftoken"  // for scripts to read; never read here

	keyLength = 43 // of 256 bits in base64url without padding
)

// newKey makes the value of a session's cookie.
func newKey() string {
	key := make([]byte, tokenBytes)
	_, _ = rand.Read(key) // never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(key)
}

// name is what a cookie that only the server reads is called.
func (s *Sessions) name(cookie string) string {
	if s.options.Secure {
		return hostPrefix + cookie
	}
	return cookie
}

// key reads a cookie of the server's. Several of one name are not told apart:
// one may have been planted from a sibling subdomain, so none counts.
func (s *Sessions) key(r *http.Request, cookie string) (key string, sent int) {
	cookies := r.CookiesNamed(s.name(cookie))
	if len(cookies) == 1 && isKey(cookies[0].Value) {
		key = cookies[0].Value
	}
	return key, len(cookies)
}

// isKey refuses what cannot be a key, without asking the database.
func isKey(text string) bool {
	_, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && len(text) == keyLength
}

// setKey sets a cookie that scripts cannot read. It ends with the browser's
// own session; how long it holds is for the table to say.
func (s *Sessions) setKey(c *framework.Call, cookie, key string) {
	s.set(c, s.name(cookie), key, 0)
}

// setCSRF gives scripts the token.
func (s *Sessions) setCSRF(c *framework.Call, token string) { s.set(c, csrfCookie, token, 0) }

// clear makes the browser forget a cookie.
func (s *Sessions) clear(c *framework.Call, name string) { s.set(c, name, "", -1) }

// set adds a cookie to the response, once per name: a transaction may run
// again, and the last attempt is the one that holds. No cache may keep it.
func (s *Sessions) set(c *framework.Call, name, value string, age int) {
	cookie := http.Cookie{ //nolint:gosec // Secure follows the option, and csrftoken is for scripts
		Name: name, Value: value, MaxAge: age, Path: "/",
		HttpOnly: name != csrfCookie, Secure: s.options.Secure, SameSite: http.SameSiteLaxMode,
	}
	h := c.Header()
	others := slices.DeleteFunc(slices.Clone(h.Values("Set-Cookie")), func(line string) bool {
		return strings.HasPrefix(line, name+"=")
	})
	h["Set-Cookie"] = append(others, cookie.String())
	h.Set("Cache-Control", "no-store")
}
