// Package retries sends the Idempotency-Key of one caller as another: it must not get the answer to the first one.
package retries
