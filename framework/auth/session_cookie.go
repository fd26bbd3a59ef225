package auth

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"

	"trestle.example/framework"
)

// The cookies. If [SessionOptions].Secure is set, all but csrfCookie have the prefix hostPrefix.
// Browsers accept such a cookie only from the host itself, over https (RFC 6265bis section
// 4.1.3.2). So neither a sibling subdomain nor an attacker in the network can set one.
const (
	hostPrefix       = "__Host-"
	sessionCookie    = "sessionid"  // a live session
	presessionCookie = "presession" // a browser that has not signed in yet
	csrfCookie       = "csrftoken"  // scripts read it; the server never does

	keyLength = 43 // length of 256 bits in base64url without padding
)

// newKey makes the value of a session cookie or a presession cookie.
func newKey() string {
	key := make([]byte, tokenBytes)
	_, _ = rand.Read(key) // never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(key)
}

// name returns the full name of a cookie that only the server reads.
func (s *Sessions) name(cookie string) string {
	if s.options.Secure {
		return hostPrefix + cookie
	}
	return cookie
}

// key reads a cookie of the server, and returns how many of the same name the request has.
// If there are several, key is "", because a sibling subdomain may have set one of them. key
// is also "" for a malformed value.
func (s *Sessions) key(r *http.Request, cookie string) (key string, sent int) {
	cookies := r.CookiesNamed(s.name(cookie))
	if len(cookies) == 1 && isKey(cookies[0].Value) {
		key = cookies[0].Value
	}
	return key, len(cookies)
}

// isKey reports whether text may be a key, without a query.
func isKey(text string) bool {
	_, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && len(text) == keyLength
}

// setKey sets a cookie that scripts cannot read. The cookie ends when the browser closes; how
// long a session lives depends on the table and the options.
func (s *Sessions) setKey(c *framework.Call, cookie, key string) {
	s.set(c, s.name(cookie), key, 0)
}

// setCSRF sets the cookie from which scripts read the token.
func (s *Sessions) setCSRF(c *framework.Call, token string) { s.set(c, csrfCookie, token, 0) }

// clear deletes a cookie in the browser.
func (s *Sessions) clear(c *framework.Call, name string) { s.set(c, name, "", -1) }

// SetCookie adds a cookie to the response, for a value that only the server reads, such as the
// state of a sign-in. The cookie has the attributes of a session cookie: HttpOnly, SameSite=Lax,
// and, if [SessionOptions].Secure is set, Secure and the prefix __Host-. The browser deletes it
// after life. A life below one second deletes it at once.
func (s *Sessions) SetCookie(c *framework.Call, name, value string, life time.Duration) {
	age := int(life / time.Second)
	if age < 1 {
		value, age = "", -1
	}
	s.set(c, s.name(name), value, age)
}

// Cookie returns the value of a cookie that SetCookie set, as the request sends it: a client may
// have changed it. It is "" if the request has no such cookie or several.
func (s *Sessions) Cookie(r *http.Request, name string) string {
	cookies := r.CookiesNamed(s.name(name))
	if len(cookies) != 1 {
		return ""
	}
	return cookies[0].Value
}

// set adds a cookie to the response, once per name: if a transaction runs again, the
// cookie of the last attempt is sent. It also sets Cache-Control: no-store.
func (s *Sessions) set(c *framework.Call, name, value string, age int) {
	cookie := http.Cookie{ //nolint:gosec // Secure follows the option, and scripts read csrftoken
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
