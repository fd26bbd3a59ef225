package framework

import (
	"net/http"
	"time"
)

// A Throttle limits how often an endpoint may be used. Throttles are asked in
// turn after the caller was identified and before permission. Implementations
// are used by many requests at once.
//
// frameworktest.TestThrottle checks an implementation of your own.
type Throttle interface {
	// Allow counts the call. Zero lets it pass; otherwise the call is refused
	// with 429 and Retry-After, the time to wait rounded up to whole seconds.
	Allow(c *Call, r *http.Request) (wait time.Duration, err error)
	// String says what it allows, as in "100/min per caller".
	String() string
}
