// Package once keeps the answers of requests with an Idempotency-Key, so that a request
// that is sent again runs once.
package once
