package problem

import "time"

// The limits that errors and the OpenAPI document name, with their words for people.
const (
	BodyLimit     = 1 << 20 // bytes of a request's body, after decompression
	BodyLimitText = "1 MiB"

	KeyLife     = 24 * time.Hour // of an idempotency key
	KeyLifeText = "24 hours"
)
