package check

import (
	"net/http"
	"regexp"
	"strings"
	"time"

	"trestle.example/framework/internal/caching"
	"trestle.example/framework/internal/prove/exchange"
)

// headerCDN is Cache-Control for caches of a content delivery network, which use it in place of Cache-Control and Expires (RFC 9213).
const headerCDN = "Cdn-Cache-Control"

// checkCaching checks that a shared cache, which passes answers on to other callers, does not keep an answer to one caller: to a request with
// credentials, or with a cookie.
func (c *Checker) checkCaching(e *exchange.Endpoint, got *exchange.Answer) {
	c.checkPolicy(e, got, caching.HeaderControl, got.Header.Get("Expires"))
	if len(got.Header[headerCDN]) > 0 {
		c.checkPolicy(e, got, headerCDN, "")
	}
}

// checkPolicy is [Checker.checkCaching] for one header with a policy for caches, and the time at which the answer expires without one.
func (c *Checker) checkPolicy(e *exchange.Endpoint, got *exchange.Answer, name, expires string) {
	control := strings.Join(got.Header[name], ", ")
	public := caching.IsPublic(http.Header{caching.HeaderControl: got.Header[name]})
	switch {
	case got.HasCredentials() && (public || isShared(got, control, expires)):
		c.Find(e, got.By, got.Curl(), "shared caches may pass the answer on to others by %s: %q, and the request has credentials", name, control)
	case public && len(got.Header.Values("Set-Cookie")) > 0:
		c.Find(e, got.By, got.Curl(), "shared caches may pass the answer on to others by %s: %q, and it sets a cookie", name, control)
	}
}

// private are the directives of Cache-Control that keep an answer from shared caches, or let them ask the server before each use.
var private = regexp.MustCompile(`\b(private|no-store|no-cache|max-age="?0+"?)(\W|$)`)

// partly are directives that keep only some headers of an answer from shared caches.
var partly = regexp.MustCompile(`\b(private|no-cache)="[^"]*"`)

// isShared reports whether a shared cache may keep a fresh answer that is not public (RFC 9111, section 3.5): one to a request without
// the header Authorization, or one that must be revalidated only once it is stale. Vary with the headers of the credentials keeps
// callers apart.
func isShared(got *exchange.Answer, control, expires string) bool {
	lower := partly.ReplaceAllString(strings.ToLower(control), "")
	if private.MatchString(lower) || !strings.Contains(lower, "max-age") && !isLater(expires) {
		return false
	}
	if got.By.Header.Get("Authorization") != "" && !strings.Contains(lower, "must-revalidate") {
		return false
	}
	varies := strings.ToLower(strings.Join(got.Header.Values("Vary"), ","))
	for name := range got.By.Header {
		if strings.Contains(varies, strings.ToLower(name)) || strings.Contains(varies, "*") {
			return false
		}
	}
	return true
}

// isLater reports whether the text of the header Expires is a time that is still to come.
func isLater(expires string) bool {
	at, err := http.ParseTime(expires)
	return err == nil && time.Until(at) > 0
}
