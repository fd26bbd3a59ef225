package retries

import (
	"trestle.example/framework/internal/prove/check"
	"trestle.example/framework/internal/prove/exchange"
)

// A prover sends the requests of this package.
type prover struct{ *check.Checker }

// Replay sends the Idempotency-Key of one caller to an endpoint as another, with a request of their own.
func Replay(c *check.Checker, e *exchange.Endpoint) { prover{c}.tryReplay(e) }

// Resend sends requests once more as other callers, with the same Idempotency-Key and the same body. Nothing may be tried after
// it, because rows of several callers then have the same texts.
func Resend(c *check.Checker) { prover{c}.tryResends() }
