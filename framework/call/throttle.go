package call

import (
	"net/http"
	"time"
)

// A Throttle limits how often an endpoint may be used. Throttles are asked in
// turn after the caller was identified and before permission; see [EarlyThrottle]. Implementations
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

// An EarlyThrottle is a [Throttle] that may not need to know who calls. One that does
// not is asked before the caller is identified, so that a request beyond its rate
// costs no look-up in the database.
type EarlyThrottle interface {
	Throttle
	// BeforeCaller reports whether Allow does not use c.Caller.
	BeforeCaller() bool
}

// isEarly reports whether a throttle is asked before the caller is identified.
func isEarly(t Throttle) bool {
	early, ok := t.(EarlyThrottle)
	return ok && early.BeforeCaller()
}
