package framework

import (
	"reflect"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// A CodeInfo explains one error code on its page at {prefix}/errors/{code}. One without
// a Status is the code of a [Fault], such as that of a rule of one's own: it is
// explained where faults are.
type CodeInfo = problem.CodeInfo

// ReferencedDetails are the details of the code still_referenced.
type ReferencedDetails = problem.ReferencedDetails

// An Error is a refusal that the client reads: a status, a stable code, a
// sentence, and every fault that was found. Handlers return it as an error;
// the API's [ErrorShape] turns it into a body at the door. Nothing but these
// fields reaches a client: any other error becomes a plain 500.
//
// An Error is not changed once it was made, so one value may be shared.
type Error = problem.Error

// A Fault is one thing wrong with a request: where it is, a stable code, and a
// sentence. Exactly one of Pointer and Parameter is set.
type Fault = problem.Fault

// A ValueError says to clients why a value is not one of its type: an
// UnmarshalJSON or UnmarshalText of the program's own returns one, such as
// ValueError("must be a number with at most two decimal places"). Errors of
// other kinds, which name Go's types and functions, are not repeated.
type ValueError = problem.ValueError

// A RangeError is a [ValueError] about a value that its type cannot store, such as
// RangeError("must be at most 999999999.99"). The method that returns it sets the
// nearest value that the type can store. If a rule of the field rejects that value too,
// the client reads about the rule.
type RangeError = problem.RangeError

// An ErrorShape is the body of errors. Implementations are used by many
// requests at once.
type ErrorShape = problem.ErrorShape

// A ShapeTeller is an [ErrorShape] that tells the reference what its bodies are.
// Without it they may be any object.
type ShapeTeller = problem.ShapeTeller

// A Problem is a refusal on its way out, with what its body may say.
type Problem = problem.Problem

// ProblemJSON shapes errors as RFC 9457 does, application/problem+json, with
// the members code, errors and details besides.
type ProblemJSON = problem.ProblemJSON

// DRFShape shapes errors as Django REST Framework does: {"name": ["..."]} for
// faults, lists and objects nested as the body was, {"detail": "..."} for
// everything else.
type DRFShape = problem.DRFShape

// An Enumerated is a type of text, numbers or booleans whose values are few and
// known, such as a status. An input, a filter and a parameter refuse every other
// value, as the rule oneof does, and the reference lists them. No value is
// missing by itself: where "" or 0 is to be one, Enum returns it too.
type Enumerated = input.Enumerated

// A Checker is an input type with a rule that tags cannot express, such as one
// that compares two fields. Check runs on a body whose fields are all valid by
// themselves, for Create and Update as it was sent, for Patch on the row with
// the changes applied, and returns what is wrong, nil for nothing. Each
// [Fault] needs a Pointer (RFC 6901, from the input itself: "/ends_at"), a code
// and a sentence that the client reads. A nested input's Check runs with
// its own object, pointers counted from there.
//
// Check may have a value or a pointer receiver; it must not touch the database
// and is called by many requests at once, each with a value of its own.
type Checker = input.Checker

// A SchemaTeller is a type of one's own that is read or written as JSON by its
// own methods: without this, the reference says that it may be anything.
type SchemaTeller = input.SchemaTeller

// A OneRequirer is an input type that needs one of several fields, such as an e-mail
// address or a user name. If none of them has a value, the first has the fault
// "required"; blank text counts as no value. The OpenAPI document says it as a choice of
// one schema for each field.
type OneRequirer = input.OneRequirer

// An Optional is a field of an input that tells absent apart from every value,
// at any depth: in a nested object, where [Call.Has] does not reach. With a
// pointer as T it takes null too. Rules of its tag judge the value where one is
// given; it has no default and cannot be required.
//
//	Price framework.Optional[int64]   `json:"price" validate:"min=1"`  // absent or a number
//	SKU   framework.Optional[string]  `json:"sku" validate:"filled"`   // absent or text that is not blank
//	Brand framework.Optional[*string] `json:"brand" validate:"max=80"` // absent, null or text
//
// It is for functions ([Does], [Changes], [Fills] and actions): no column has
// this type.
type Optional[T any] = input.Optional[T]

// None is the input of an endpoint that takes nothing, or the output of one
// that answers 204.
type None = input.None

// The codes of errors.
const (
	CodeInvalidJSON             = problem.CodeInvalidJSON
	CodeValidationFailed        = problem.CodeValidationFailed
	CodeUnknownField            = problem.CodeUnknownField
	CodeInvalidParameter        = problem.CodeInvalidParameter
	CodeInvalidReference        = problem.CodeInvalidReference
	CodeAuthenticationRequired  = problem.CodeAuthenticationRequired
	CodeInvalidToken            = problem.CodeInvalidToken
	CodeForbidden               = problem.CodeForbidden
	CodeNotFound                = problem.CodeNotFound
	CodeMethodNotAllowed        = problem.CodeMethodNotAllowed
	CodeUnique                  = problem.CodeUnique
	CodeReferenced              = problem.CodeReferenced
	CodeConflict                = problem.CodeConflict
	CodeTooManyRows             = problem.CodeTooManyRows
	CodePreconditionUnsupported = problem.CodePreconditionUnsupported
	CodeRequestTimeout          = problem.CodeRequestTimeout
	CodeBodyTooLarge            = problem.CodeBodyTooLarge
	CodeUnsupportedMediaType    = problem.CodeUnsupportedMediaType
	CodeURITooLong              = problem.CodeURITooLong
	CodeInvalidHost             = problem.CodeInvalidHost
	CodeInvalidIdempotencyKey   = problem.CodeInvalidIdempotencyKey
	CodeIdempotencyKeyReused    = problem.CodeIdempotencyKeyReused
	CodeIdempotencyInProgress   = problem.CodeIdempotencyInProgress
	CodeThrottled               = problem.CodeThrottled
	CodeInternal                = problem.CodeInternal
	CodeUnavailable             = problem.CodeUnavailable
	CodeOverloaded              = problem.CodeOverloaded
)

// OneOf returns the detail of a fault for a text that is not one of the known words. It
// lists the words, and suggests the nearest one. It is safe for concurrent use.
func OneOf(known []string, text string) string {
	return problem.OneOf(known, text)
}

// Refuse makes an [Error]. Declare codes of your own in [Config.Codes], so
// that each has a page at {prefix}/errors/{code}.
func Refuse(status int, code, detail string) *Error {
	return problem.Refuse(status, code, detail)
}

// Conflict refuses a request that is well formed but not possible in the
// present state: status 409.
func Conflict(code, detail string) *Error {
	return problem.Conflict(code, detail)
}

// NotFound is the one answer for an unknown path, an unknown id and a row
// outside the caller's scope: status 404.
func NotFound() *Error {
	return problem.NotFound()
}

// Forbidden refuses a caller who is known but may not: status 403.
func Forbidden() *Error {
	return problem.Forbidden()
}

// Unauthenticated refuses a caller without credentials: status 401. The
// framework adds WWW-Authenticate.
func Unauthenticated() *Error {
	return problem.Unauthenticated()
}

// InvalidCredentials refuses credentials that were sent but do not hold:
// status 401.
func InvalidCredentials(detail string) *Error {
	return problem.InvalidCredentials(detail)
}

// Invalid refuses a body for its faults: status 400, code validation_failed.
func Invalid(faults ...Fault) *Error {
	return problem.Invalid(faults...)
}

// InvalidParameter refuses one query parameter: status 400.
func InvalidParameter(name, detail string) *Error {
	return problem.InvalidParameter(name, detail)
}

// Overloaded is the error of a request for which the server has no capacity at the
// moment, so that it did nothing: status 503 with Retry-After.
func Overloaded() *Error {
	return problem.Overloaded()
}

// Unavailable is the error of a request to a server that cannot answer any request at
// the moment, such as a server that is starting: status 503 with Retry-After.
func Unavailable() *Error {
	return problem.Unavailable()
}

// ParseValue parses the text of a query parameter as a value of type t: text,
// whole and decimal numbers, true/false/1/0, UUIDs, RFC 3339 times, and
// whatever implements [encoding.TextUnmarshaler] or else [json.Unmarshaler], in
// the form that it reads, and says why not by a [ValueError]. A value of an [Enumerated] type is one of its values. The error
// says what the parameter takes: "must be a whole number".
func ParseValue(t reflect.Type, text string) (any, error) {
	return input.ParseValue(t, text)
}

// IsLine reports whether a text is one line that reads as it is stored. This is
// the rule "line" of inputs, for a name that a program takes by other means; the
// code of its fault is "line" too. Control characters, line and paragraph
// separators and bidirectional controls (Unicode property Bidi_Control) fail.
// Characters that join letters or keep them apart (U+200C, U+200D) pass, since
// several scripts are written with them. It is safe for concurrent use.
func IsLine(text string) bool {
	return naming.IsLine(text)
}
