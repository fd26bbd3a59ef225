package fault

import "fmt"

// An overloadError means that no connection became free in time.
type overloadError struct{ err error }

func (e *overloadError) Error() string {
	return "sqldb: waiting for a connection of the pool: " + e.err.Error() + "; other requests hold them all (Options.MaxConns, Options.QueueTimeout)"
}
func (e *overloadError) Unwrap() error { return e.err }

// WaitError returns the error of a wait for a connection, nil if err is nil.
func WaitError(err error) error {
	switch {
	case err == nil:
		return nil
	case IsOverloaded(err):
		return &overloadError{err}
	}
	return fmt.Errorf("sqldb: waiting for a connection: %w", err)
}
