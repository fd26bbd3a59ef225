package fault

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"trestle.example/framework/problem"
)

// InvalidJSON is the error of a body that is not one valid JSON object: status 400.
func InvalidJSON(format string, args ...any) *problem.Error {
	return problem.Refuse(http.StatusBadRequest, problem.CodeInvalidJSON, fmt.Sprintf(format, args...))
}

// MalformedQuery is the error of a query string that cannot be read: status 400.
func MalformedQuery(why string) *problem.Error {
	return problem.Refuse(http.StatusBadRequest, problem.CodeInvalidParameter, "The query string cannot be read: "+why+".")
}

// TooManyRows is the error of an answer with more rows than the API sends at once: status
// 409.
func TooManyRows(most int64, viewset string) *problem.Error {
	return problem.Refuse(http.StatusConflict, problem.CodeTooManyRows,
		fmt.Sprintf("There are more than %d rows; list them in pages, at the address of %s.", most, viewset))
}

// IsNotFound reports whether the error's code is not_found.
func IsNotFound(err error) bool {
	e, ok := errors.AsType[*problem.Error](err)
	return ok && e.Code == problem.CodeNotFound
}

// Panicked is the error of a panic, for the log. A deferred function calls it when it
// recovers the panic, because the stack is lost afterwards.
func Panicked(p any) error { return fmt.Errorf("panic: %v\n%s", p, debug.Stack()) }

// Protect runs a part of a handler and turns its panic into an error. It passes on a panic with
// [http.ErrAbortHandler].
func Protect(run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if IsAbort(p) {
				panic(p)
			}
			err = Panicked(p)
		}
	}()
	return run()
}

// IsAbort reports whether the value of a panic is [http.ErrAbortHandler], by which a handler closes
// the connection.
func IsAbort(p any) bool {
	err, ok := p.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}
