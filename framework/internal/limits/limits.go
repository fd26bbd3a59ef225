// Package limits has the limits that both errors and the OpenAPI document name, with their
// words for people.
package limits

import "time"

// The greatest length of a request's body, in bytes, before and after decompression.
const (
	Body     = 1 << 20
	BodyText = "1 MiB"
)

// The time for which an idempotency key belongs to one request.
const (
	KeyLife     = 24 * time.Hour
	KeyLifeText = "24 hours"
)
