package call

import (
	"net/http"
	"time"
)

// A Throttle limits how often an endpoint may be used. Throttles run in turn after the
// caller is identified and before the permission is checked; see also [EarlyThrottle].
// Implementations must be safe for concurrent use.
//
// frameworktest.TestThrottle checks your own implementation.
type Throttle interface {
	// Allow counts the call. If wait is positive, the call is rejected with 429 and
	// Retry-After: the wait, rounded up to whole seconds. An error ends the request.
	Allow(c *Call, r *http.Request) (wait time.Duration, err error)
	// String returns the limit, as in "100/min per caller".
	String() string
}

// An EarlyThrottle is a [Throttle] that may not need the caller. If BeforeCaller is true,
// it runs before the caller is identified, so that a request beyond its rate costs no query
// of the database.
type EarlyThrottle interface {
	Throttle
	// BeforeCaller reports whether Allow does not use c.Caller.
	BeforeCaller() bool
}
