package call

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// UnknownCredentials refuses a header Authorization that none of the schemes
// recognises, and says with which words it may begin: status 401.
func UnknownCredentials(schemes ...Authenticator) *problem.Error {
	detail := "The header Authorization holds no credentials of a kind that is accepted here"
	if words := authorizationWords(schemes); len(words) > 0 {
		detail += "; send " + strings.Join(words, " or ") + ", a space and the credentials"
	}
	return problem.InvalidCredentials(detail + ".")
}

// AsError finds the client's part of err; anything that is not an [Error] is
// a 503 where the database is away, else a 500 that says nothing.
func AsError(err error) *problem.Error {
	if e, ok := errors.AsType[*problem.Error](err); ok {
		return e
	}
	if sqldb.IsOverloaded(err) {
		return problem.Overloaded().Because(err)
	}
	if away(err) {
		return problem.UnavailableFor(1).Because(err)
	}
	return problem.Refuse(http.StatusInternalServerError, problem.CodeInternal, "Something went wrong on the server; the log has it under this request's id.").Because(err)
}

// away reports whether an error means that the database cannot answer just now.
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
