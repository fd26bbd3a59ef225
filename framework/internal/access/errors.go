package access

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// UnknownCredentials is the error for a header Authorization that no scheme recognises:
// status 401. Its detail lists the words with which the header may begin.
func UnknownCredentials(schemes ...call.Authenticator) *problem.Error {
	words := authorizationWords(schemes)
	if len(words) == 0 {
		return problem.InvalidCredentials("No credentials in the header Authorization are accepted here; leave it out.")
	}
	return problem.InvalidCredentials("The header Authorization holds no credentials of a kind that is accepted here; send " +
		strings.Join(words, " or ") + ", a space and the credentials.")
}

// AsError returns the [problem.Error] in err, if there is one. Otherwise it returns 503 if the
// database is overloaded or cannot answer, or if the context ended, else 500 with a detail that
// reveals nothing.
func AsError(err error) *problem.Error {
	if e, ok := errors.AsType[*problem.Error](err); ok {
		return e
	}
	if sqldb.IsOverloaded(err) {
		return problem.Overloaded().Because(err)
	}
	if away(err) {
		return problem.Unavailable().Because(err)
	}
	return problem.Refuse(http.StatusInternalServerError, problem.CodeInternal, "Something went wrong on the server; the log has it under this request's id.").Because(err)
}

// away reports whether an error means that the database cannot answer at the moment, or that
// the context ended.
func away(err error) bool {
	fault, ok := sqldb.Classify(err)
	if !ok {
		return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	}
	switch fault.Kind {
	case sqldb.Retry, sqldb.Timeout, sqldb.Locked, sqldb.Unavailable, sqldb.Full:
		return true
	}
	return false
}
