// Package exit has the exit codes of commands, and the errors that choose one.
package exit

import (
	"errors"
	"fmt"
)

// The exit codes.
const (
	OK          = 0
	Failure     = 1
	Usage       = 2 // a wrong call or a wrong setting
	ActionFirst = 3 // the database needs something done first, such as a migration
)

// An Error is an error with its own exit code. Without Err, the command has already
// printed what is wrong.
type Error struct {
	Code int
	Err  error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

// Unwrap returns the wrapped error, or nil.
func (e *Error) Unwrap() error { return e.Err }

// Code returns the exit code of an error. It is [OK] for nil, and otherwise [Failure] unless
// an [Error] chooses another code.
func Code(err error) int {
	if err == nil {
		return OK
	}
	if chosen, ok := errors.AsType[*Error](err); ok {
		return chosen.Code
	}
	return Failure
}

// Misused returns an error for a wrong call or a wrong setting.
func Misused(format string, args ...any) error {
	return &Error{Usage, fmt.Errorf(format, args...)}
}

// NeedsAction returns an error for a database that needs something done first.
func NeedsAction(format string, args ...any) error {
	return &Error{ActionFirst, fmt.Errorf(format, args...)}
}
