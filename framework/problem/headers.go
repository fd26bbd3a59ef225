package problem

// Response headers that the framework sets.
const (
	HeaderRequestID = "X-Request-Id"
	HeaderAllow     = "Allow"
	HeaderIgnored   = "Trestle-Ignored"
	HeaderLocation  = "Location"
	HeaderReplayed  = "Idempotent-Replayed"
	HeaderChallenge = "WWW-Authenticate"
	HeaderRetry     = "Retry-After"
	HeaderLink      = "Link"
)

// IdempotencyHeader carries the key of a request that may be repeated.
const IdempotencyHeader = "Idempotency-Key"
