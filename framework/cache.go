package framework

import (
	"time"

	"trestle.example/framework/internal/declare"
)

// Cache lets caches, such as browsers and proxies, keep the answers of List, Retrieve and actions of [Lists], for rows that
// every caller may read.
//
// An answer 200 or 304 to a request without credentials has Cache-Control: public, max-age=N. One to a request with the header
// Authorization, Cookie or another one that an authenticator describes, or by a caller that is not anonymous, has
// private, no-cache: the client may store it, and sends a conditional request before each use. Both have
// these headers in Vary. All other answers have no-store: errors, exports, writes, and answers with Set-Cookie. An answer
// whose function or middleware has set Cache-Control keeps it.
//
// The answers have an ETag, a hash of the body, also without [Versions]. A request with If-None-Match that names it is
// answered 304 without a body. A public answer has no headers RateLimit and RateLimit-Policy, because a cache would pass
// them on to other callers.
//
// For some time after a change, caches answer with what was there before. An answer must depend on the URL, the credentials and the
// headers in Vary alone: a function that reads the address of the caller, for example, must not be cached.
type Cache struct {
	// For is the time for which caches use an answer before they send another request, in whole seconds, up to a year.
	// Defaults to none: no answer is kept.
	For time.Duration
}

func (c Cache) declare() declare.Cache { return declare.Cache(c) }
