package check

import (
	"regexp"
	"strings"

	"trestle.example/framework/internal/caching"
	"trestle.example/framework/internal/prove/exchange"
)

// checkCaching checks that a shared cache, which passes answers on to other callers, does not keep an answer to one caller: to a request with
// credentials, or with a cookie.
func (c *Checker) checkCaching(e *exchange.Endpoint, got *exchange.Answer) {
	control := strings.Join(got.Header.Values(caching.HeaderControl), ", ")
	public := caching.IsPublic(got.Header)
	switch {
	case got.HasCredentials() && (public || isShared(got, control)):
		c.Find(e, got.By, got.Curl(), "shared caches may pass the answer on to others by Cache-Control: %q, and the request has credentials", control)
	case public && len(got.Header.Values("Set-Cookie")) > 0:
		c.Find(e, got.By, got.Curl(), "shared caches may pass the answer on to others by Cache-Control: %q, and it sets a cookie", control)
	}
}

// private are the directives of Cache-Control that keep an answer from shared caches, or let them ask the server before each use.
var private = regexp.MustCompile(`(?i)\b(private|no-store|no-cache|max-age="?0+"?)(\W|$)`)

// isShared reports whether a shared cache may keep a fresh answer that is not public (RFC 9111, section 3.5): one to a request without
// the header Authorization, or one that must be revalidated only once it is stale. Vary with the headers of the credentials keeps
// callers apart.
func isShared(got *exchange.Answer, control string) bool {
	lower := strings.ToLower(control)
	if private.MatchString(lower) || !strings.Contains(lower, "max-age") {
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
