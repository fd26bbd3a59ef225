package fault

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Attempts is how often a transaction is begun at most, the first time included.
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

// Pause waits for a random time: less than 10 ms after attempt 1, then less than 20, 40 and
// so on, up to 640 ms. It returns false if ctx ends first.
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

// IsUntyped reports whether an error has a code with which PostgreSQL reports that it could
// not find the type of a parameter. Other faults of a statement, such as a syntax error,
// have these codes too. PostgreSQL finds each of them before it does anything.
func IsUntyped(err error) bool {
	switch State(err) {
	case "42P18", "42P08", "42804", "42883", "42725", "42601":
		return true
	}
	return false
}

// IsStale reports whether an error has a code with which PostgreSQL reports a prepared
// statement that no longer fits: its result changed with the schema, or a pooler handed out
// another connection to the server. A feature that PostgreSQL does not support has one of
// these codes too.
func IsStale(err error) bool {
	switch State(err) {
	case "0A000", "26000":
		return true
	}
	return false
}
