package check

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"trestle.example/framework/internal/caching"
	"trestle.example/framework/internal/prove/exchange"
)

// isTargeted reports whether a header is one that some shared caches use in place of Cache-Control and Expires: CDN-Cache-Control (RFC 9213),
// a header of one network with such a name, or Surrogate-Control, which is older.
func isTargeted(name string) bool {
	return strings.HasSuffix(name, "-Cache-Control") || name == "Surrogate-Control"
}

// checkCaching checks that a shared cache, which passes answers on to other callers, does not keep an answer to one caller: to a request with
// credentials, or with a cookie.
func (c *Checker) checkCaching(e *exchange.Endpoint, got *exchange.Answer) {
	c.checkPolicy(e, got, caching.HeaderControl, got.Header.Get("Expires"))
	for _, name := range slices.Sorted(maps.Keys(got.Header)) {
		if isTargeted(name) {
			c.checkPolicy(e, got, name, "")
		}
	}
}

// checkPolicy is [Checker.checkCaching] for one header with a policy for caches, and the time at which the answer expires without one.
func (c *Checker) checkPolicy(e *exchange.Endpoint, got *exchange.Answer, name, expires string) {
	control := strings.Join(got.Header[name], ", ")
	public := caching.IsPublic(http.Header{caching.HeaderControl: got.Header[name]})
	switch {
	case got.HasCredentials() && (public || isShared(got, name, control, expires)):
		c.Find(e, got.By, got.Curl(), "shared caches may pass the answer on to others by %s: %q, and the request has credentials", name, control)
	case public && len(got.Header.Values("Set-Cookie")) > 0:
		c.Find(e, got.By, got.Curl(), "shared caches may pass the answer on to others by %s: %q, and it sets a cookie", name, control)
	}
}

// private are the directives of Cache-Control that keep an answer from shared caches, or let them ask the server before each use.
var private = regexp.MustCompile(`\b(private|no-store|no-cache|max-age="?0+"?)(\W|$)`)

// partly are directives that keep only some headers of an answer from shared caches.
var partly = regexp.MustCompile(`\b(private|no-cache)="[^"]*"`)

// isShared reports whether a shared cache may keep a fresh answer that is not public by the policy in a header (RFC 9111, section 3.5): one to
// a request without the header Authorization, one that must be revalidated only once it is stale, or one with a time for shared caches alone.
// Vary with the headers of the credentials keeps callers apart.
func isShared(got *exchange.Answer, name, control, expires string) bool {
	lower := partly.ReplaceAllString(strings.ToLower(control), "")
	if private.MatchString(lower) || !strings.Contains(lower, "max-age") && !isLater(expires) {
		return false
	}
	if got.By.Header.Get("Authorization") != "" && !strings.Contains(lower, "must-revalidate") && !isTargeted(name) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(strings.Join(got.Header.Values("Vary"), ","), ","), func(varies string) bool {
		varies = strings.TrimSpace(varies)
		is := func(name string) bool { return strings.EqualFold(name, varies) }
		return varies == "*" || slices.ContainsFunc(slices.Collect(maps.Keys(got.By.Header)), is)
	})
}

// isLater reports whether the text of the header Expires is a time that is still to come.
func isLater(expires string) bool {
	at, err := http.ParseTime(expires)
	return err == nil && time.Until(at) > 0
}
