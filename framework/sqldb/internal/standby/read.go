package standby

import (
	"context"
	"errors"

	"trestle.example/framework/sqldb/internal/fault"
)

// ErrRemade is the error of a read during which connections were made, again and again.
var ErrRemade = errors.New("sqldb: connections to the replica are made all the time")

// Either reads the position of the primary and calls replica with it. If reads do not go to the
// replica, it calls primary. If reading the position or replica fails, it calls primary too, except
// for these errors, which it returns:
//   - ctx has ended.
//   - No connection became free in time to read the position.
//   - No connection became free in time for the read, and the replica is usable.
//   - The statement took too long on the replica, waited too long for a lock there, or was cancelled.
//
// If the replica fails or the position cannot be read, it ends the use of the replica, see
// [Standby.judge]. It remembers a statement that the replica rejected and the primary ran, see
// [Standby.Rejected].
func Either[T any](ctx context.Context, s *Standby, text string, replica func(Position) (T, error), primary func() (T, error)) (T, error) {
	if !s.MayRead() {
		return primary()
	}
	var v T
	p, err := s.Position(ctx)
	if err == nil {
		v, err = replica(p)
	}
	switch {
	case err == nil:
		return v, nil
	case fault.IsOver(ctx):
		return v, fault.EndOf(ctx)
	case fault.IsOverloaded(err) && (!ofRead(err) || s.isBusy(ctx)): // the primary's pool would be next
		return v, err
	case fault.IsOverloaded(err):
		return primary()
	}
	rejected := s.judge(err)
	if rejected && tookTooLong(err) { // the primary would take as long
		return v, err
	}
	if v, err = primary(); err == nil && rejected {
		s.unfit.Add(text)
	}
	return v, err
}

// tookTooLong reports whether PostgreSQL ended a statement because it ran for too long, waited
// too long for a lock, or was cancelled.
func tookTooLong(err error) bool {
	failure, _ := fault.Classify(err)
	return failure.Kind == fault.Locked || fault.State(err) == stateCanceled
}

// A readError is the error of a caller's read from the replica. Errors of the reads of
// positions are not readErrors.
type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

func ofRead(err error) bool {
	_, of := errors.AsType[*readError](err)
	return of
}

// CaughtUp calls ask after the replica has replayed the log up to a position. It calls ask
// again if a connection was made meanwhile, up to Attempts times; then the error is
// ErrRemade. An error of ask is a readError.
func CaughtUp[T any](ctx context.Context, s *Standby, p Position, ask func(context.Context) (T, error)) (v T, err error) {
	for range Attempts {
		made, err := s.reaches(ctx, p)
		if err != nil {
			return v, err
		}
		switch v, err = ask(ctx); {
		case err != nil:
			return v, &readError{err}
		case s.runs.Made() == made:
			return v, nil
		}
	}
	return v, ErrRemade
}

// judge ends the use of the replica if the error is a fault of the replica, or if the position of
// the primary cannot be read. It returns true if the replica rejected the statement. For ErrRemade,
// a cancelled context, a conflict with what is replayed and an unknown error of a read, it returns
// false and ends nothing.
func (s *Standby) judge(err error) (rejected bool) {
	failure, known := fault.Classify(err)
	read := ofRead(err)
	switch {
	case errors.Is(err, ErrRemade), errors.Is(err, context.Canceled), read && !known:
		return false
	case read && failure.Kind == fault.Retry: // it conflicted with what is replayed
		return false
	case read && fault.State(err) != "" && failure.Kind != fault.Unavailable:
		return true
	}
	s.settle(err)
	return false
}
