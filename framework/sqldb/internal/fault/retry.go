package fault

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Attempts is how often a transaction is begun in all.
const Attempts = 5

// Retries reports whether a transaction that failed may succeed if it is run again.
func Retries(err error) bool {
	var untyped *UntypedError
	if errors.As(err, &untyped) || IsStale(err) {
		return true
	}
	f, ok := Classify(err)
	return ok && f.Kind == Retry
}

// Pause waits between 0 and 10, 20, 40... milliseconds. It returns false if ctx ends first.
func Pause(ctx context.Context, attempt int) bool {
	limit := 10 * time.Millisecond << min(attempt-1, 6)
	timer := time.NewTimer(rand.N(limit))
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// An UntypedError is the error of a statement in a transaction whose parameters have no
// type for PostgreSQL. The transaction begins again, and sends the statement as text.
type UntypedError struct{ Err error }

// Error implements error.
func (e *UntypedError) Error() string { return e.Err.Error() }

// Unwrap returns the error of PostgreSQL.
func (e *UntypedError) Unwrap() error { return e.Err }

// IsUntyped reports whether PostgreSQL could not find the type of a parameter. It finds
// each of these faults before it does anything.
func IsUntyped(err error) bool {
	switch State(err) {
	case "42P18", "42P08", "42804", "42883", "42725", "42601":
		return true
	}
	return false
}

// IsStale reports whether a prepared statement no longer fits: its result changed with the
// schema, or a pooler handed out another connection to the server.
func IsStale(err error) bool {
	switch State(err) {
	case "0A000", "26000":
		return true
	}
	return false
}
