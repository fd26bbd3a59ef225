package check

import (
	"strings"

	"trestle.example/framework/internal/caching"
	"trestle.example/framework/internal/prove/exchange"
)

// checkCaching checks that a shared cache, which passes answers on to other callers, does not keep an answer to one caller: to a request with
// credentials, or with a cookie.
func (c *Checker) checkCaching(e *exchange.Endpoint, got *exchange.Answer) {
	if !caching.IsPublic(got.Header) {
		return
	}
	control := strings.Join(got.Header.Values(caching.HeaderControl), ", ")
	switch {
	case got.HasCredentials():
		c.Find(e, got.By, got.Curl(), "shared caches may pass the answer on to others by Cache-Control: %q, and the request has credentials", control)
	case len(got.Header.Values("Set-Cookie")) > 0:
		c.Find(e, got.By, got.Curl(), "shared caches may pass the answer on to others by Cache-Control: %q, and it sets a cookie", control)
	}
}
