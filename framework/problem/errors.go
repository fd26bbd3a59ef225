package problem

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"trestle.example/framework/internal/naming"
)

// Throttled is 429 with the time after which a client may try again, rounded up to whole
// seconds.
func Throttled(wait time.Duration) *Error {
	seconds := strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10)
	e := Refuse(http.StatusTooManyRequests, CodeThrottled, "Too many requests; try again in "+seconds+" s.")
	e.Header = map[string]string{HeaderRetry: seconds}
	return e
}

// OneOf returns the detail of a fault for a text that is not one of the known words. It
// lists the words, and suggests the nearest one. It is safe for concurrent use.
func OneOf(known []string, text string) string {
	return naming.ListWords(known) + naming.Suggestion(naming.Nearest(text, known))
}

// An Error is an error that the client reads: a status, a stable code, a sentence, and
// every fault that was found. Handlers return it as an error; the API's [ErrorShape] turns
// it into the body of the answer. Nothing but these fields reaches a client. The framework
// makes an Error of some other errors, such as a broken constraint (409) or a database that
// does not answer (503); the rest become a plain 500.
//
// The framework does not change an Error, so several requests may return the same value.
type Error struct {
	Status  int               // HTTP status
	Code    string            // stable, machine readable: "not_found"
	Detail  string            // one sentence for a person
	Faults  []Fault           // what is wrong with the request, place by place
	Details any               // typed facts that go with Code; nil for none
	Header  map[string]string // response headers of the answer
	cause   error             // for the log only
}

// A Fault is one thing wrong with a request: where it is, a stable code, and a
// sentence. Pointer or Parameter is set, never both. A fault of the whole body has neither.
type Fault struct {
	Pointer   string `json:"pointer,omitempty"`   // JSON Pointer (RFC 6901) into the body
	Parameter string `json:"parameter,omitempty"` // name of a query parameter
	Code      string `json:"code"`
	Detail    string `json:"detail"`
}

// Error describes the error for a log.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s: %s", e.Status, e.Code, e.Detail)
	for _, f := range e.Faults {
		fmt.Fprintf(&b, "; %s%s %s", f.Pointer, f.Parameter, f.Code)
	}
	if e.cause != nil {
		b.WriteString(": " + e.cause.Error())
	}
	return b.String()
}

// Unwrap returns the cause of the error; it is logged and never sent.
func (e *Error) Unwrap() error { return e.cause }

// Because returns a copy of e that carries err for the log.
func (e *Error) Because(err error) *Error {
	c := *e
	c.cause = err
	return &c
}

// With returns a copy of e that carries details, the typed facts of its code.
func (e *Error) With(details any) *Error {
	c := *e
	c.Details = details
	return &c
}

// Refuse makes an [Error]. Declare codes of your own in framework.Config.Codes, so
// that each has a page at {prefix}/errors/{code}.
func Refuse(status int, code, detail string) *Error {
	return &Error{Status: status, Code: code, Detail: detail}
}

// A ValueError explains to clients why a value is not valid for its type. Return it
// from UnmarshalJSON or UnmarshalText of your types, such as
// ValueError("must be a number with at most two decimal places"). Errors of
// other kinds, which may name types and functions of Go, are not sent to clients.
type ValueError string

// Error is the sentence.
func (e ValueError) Error() string { return string(e) }

// A RangeError is a [ValueError] about a value that its type cannot store, such as
// RangeError("must be at most 999999999.99"). The method that returns it sets the
// nearest value that the type can store. If a rule of the field rejects that value too,
// the client reads about the rule.
type RangeError string

// Error is the sentence.
func (e RangeError) Error() string { return string(e) }

// Unwrap returns the sentence as a [ValueError].
func (e RangeError) Unwrap() error { return ValueError(e) }

// Conflict makes the error for a request that is well formed but not possible in the
// present state: status 409.
func Conflict(code, detail string) *Error {
	return Refuse(http.StatusConflict, code, detail)
}

// NotFound makes the error for an unknown path, an unknown id and a row
// outside the caller's scope: status 404.
func NotFound() *Error {
	return Refuse(http.StatusNotFound, CodeNotFound, "Nothing is here, or it is not yours to see.")
}

// Forbidden makes the error for an authenticated caller without permission: status 403.
func Forbidden() *Error {
	return Refuse(http.StatusForbidden, CodeForbidden, "You are signed in but have no permission to do this.")
}

// NotYours makes the error for a row that the caller may see and may not change: status 403.
func NotYours() *Error {
	return Refuse(http.StatusForbidden, CodeNotYours, "You may see this, but it is not yours to change.")
}

// Unauthenticated makes the error for a request without credentials: status 401. The
// framework adds the header WWW-Authenticate.
func Unauthenticated() *Error {
	return Refuse(http.StatusUnauthorized, CodeAuthenticationRequired, "This needs credentials, and the request carries none.")
}

// InvalidCredentials makes the error for credentials that are wrong or expired:
// status 401.
func InvalidCredentials(detail string) *Error {
	return Refuse(http.StatusUnauthorized, CodeInvalidToken, detail)
}

// Invalid makes the error for a body with faults: status 400, code validation_failed.
func Invalid(faults ...Fault) *Error {
	e := Refuse(http.StatusBadRequest, CodeValidationFailed, "The body is not valid; errors names each fault.")
	e.Faults = faults
	return e
}

// InvalidParameter makes the error for one query parameter: status 400.
func InvalidParameter(name, detail string) *Error {
	e := Refuse(http.StatusBadRequest, CodeInvalidParameter, "A query parameter is not valid; errors names each.")
	e.Faults = []Fault{{Parameter: name, Code: CodeInvalidParameter, Detail: detail}}
	return e
}

// Overloaded is the error of a request for which the server has no capacity at the
// moment, so that it did nothing: status 503 with Retry-After of 1 second.
func Overloaded() *Error {
	e := Refuse(http.StatusServiceUnavailable, CodeOverloaded, "There are more requests than the server can answer; try again shortly.")
	e.Header = map[string]string{HeaderRetry: "1"}
	return e
}

// Unavailable is the error of a request to a server that cannot answer any request at
// the moment, such as a server that is starting: status 503 with Retry-After of
// 1 second.
func Unavailable() *Error {
	e := Refuse(http.StatusServiceUnavailable, CodeUnavailable, "The server cannot answer just now; try again shortly.")
	e.Header = map[string]string{HeaderRetry: "1"}
	return e
}
