package framework

import (
	"reflect"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// The names of package [trestle.example/framework/problem]. Their contracts are in that
// package.
type (
	// A CodeInfo explains an error code on its page at {prefix}/errors/{code}: see [problem.CodeInfo].
	CodeInfo = problem.CodeInfo
	// QuotaExceededDetails are the details of the code quota_exceeded: see [problem.QuotaExceededDetails].
	QuotaExceededDetails = problem.QuotaExceededDetails
	// ReferencedDetails are the details of the code still_referenced: see [problem.ReferencedDetails].
	ReferencedDetails = problem.ReferencedDetails
	// NotAcceptableDetails are the details of the code not_acceptable: see [problem.NotAcceptableDetails].
	NotAcceptableDetails = problem.NotAcceptableDetails
	// SignInDetails are the details of a 401 if an endpoint of the API issues credentials: see [problem.SignInDetails].
	SignInDetails = problem.SignInDetails
	// An Error is an error that the client reads: see [problem.Error].
	Error = problem.Error
	// A Fault is one thing that is wrong with a request: see [problem.Fault].
	Fault = problem.Fault
	// A ValueError explains to clients why a value is not valid for its type: see [problem.ValueError].
	ValueError = problem.ValueError
	// A RangeError is a [ValueError] about a value that its type cannot store: see [problem.RangeError].
	RangeError = problem.RangeError
	// An ErrorShape writes the bodies of errors: see [problem.ErrorShape].
	ErrorShape = problem.ErrorShape
	// A Case is how the names of fields without a name in the tag json look to clients.
	Case = naming.Case
	// A ShapeVarier is an [ErrorShape] whose bodies depend on headers of the request: see [problem.ShapeVarier].
	ShapeVarier = problem.ShapeVarier
	// A ShapeTeller is an [ErrorShape] that describes its bodies for the OpenAPI document: see [problem.ShapeTeller].
	ShapeTeller = problem.ShapeTeller
	// A Problem is an error with the values that its body may contain: see [problem.Problem].
	Problem = problem.Problem
	// ProblemJSON writes errors as RFC 9457 does: see [problem.ProblemJSON].
	ProblemJSON = problem.ProblemJSON
	// DRFShape writes errors as Django REST Framework does: see [problem.DRFShape].
	DRFShape = problem.DRFShape
)

// An Enumerated is a type of text, numbers or booleans whose values are few and known, such
// as a status. Inputs, filters and parameters reject every other value, as the rule oneof
// does, and the OpenAPI document lists the values. If "" or 0 is allowed, Enum must return it
// too.
type Enumerated interface {
	// Enum returns every allowed value. It is called on the type's zero value.
	Enum() []any
}

// A Checker is an input type with a rule that tags cannot express, such as one that compares
// two fields. The Check of a nested input runs with its own object, and its pointers begin at
// that object.
//
// Check may have a value or a pointer receiver. It must not use the database. Several
// requests call it at the same time, each with its own value.
type Checker interface {
	// Check returns the faults, or nil. It runs if each field is valid by itself: for the verb
	// Patch on the row with the changes applied, and for every other endpoint on the body or
	// the query parameters. A list of related rows that a PATCH lacks is nil, because its rows
	// stay; one that the body has is not nil. It does not run after a fault of a [OneRequirer]. Each fault needs
	// a code, a sentence for the client, and a Pointer (RFC 6901) from the input itself, such
	// as "/ends_at".
	Check() []Fault
}

// A SchemaTeller is a type that is read or written as JSON by its own methods. Without
// JSONSchemaBytes the OpenAPI document allows it any value.
type SchemaTeller interface {
	// JSONSchemaBytes returns the JSON Schema of the values. It is called on the type's zero
	// value.
	JSONSchemaBytes() ([]byte, error)
}

// A OneRequirer is an input type that requires one of several fields, such as an e-mail
// address or a user name. If none of them has a value, the first has the fault "required",
// or the one that an unknown name in the body is near to.
// Null, 0, false and blank text are no value; 0 and false are one behind a pointer and in an
// [Optional]. The OpenAPI document offers a choice of one schema for each field.
type OneRequirer interface {
	// OneRequired returns the JSON names of two or more fields. It is called on the type's
	// zero value.
	OneRequired() []string
}

// The engine recognises the interfaces of inputs by interfaces of its own.
var (
	_ datatype.Enumerated   = Enumerated(nil)
	_ input.Checker         = Checker(nil)
	_ datatype.SchemaTeller = SchemaTeller(nil)
	_ input.OneRequirer     = OneRequirer(nil)
)

// An Optional is a field of an input that distinguishes absent from every value, also in a
// nested object, where [Call.Has] does not work. With a pointer as T it accepts null too. The
// rules of its tag judge a value that is present. It has no default and cannot be required.
//
//	Price framework.Optional[int64]   `json:"price" validate:"min=1"`  // absent or a number
//	SKU   framework.Optional[string]  `json:"sku" validate:"filled"`   // absent or text that is not blank
//	Brand framework.Optional[*string] `json:"brand" validate:"max=80"` // absent, null or text
//
// No column has this type: it is for the functions of [Does], [Changes], [Fills] and
// actions. It has these fields and this method:
//
//	Given bool // true if the body contains the field
//	Value T
//
//	func (o Optional[T]) Or(other T) T // Value, or other if Given is false
type Optional[T any] = input.Optional[T]

// None is the input of an endpoint without input, or the output of one that answers 204. It
// is a struct without fields.
type None = input.None

// The codes of errors; package problem describes each.
const (
	CodeInvalidJSON             = problem.CodeInvalidJSON
	CodeValidationFailed        = problem.CodeValidationFailed
	CodeUnknownField            = problem.CodeUnknownField
	CodeInvalidParameter        = problem.CodeInvalidParameter
	CodeInvalidReference        = problem.CodeInvalidReference
	CodeAuthenticationRequired  = problem.CodeAuthenticationRequired
	CodeInvalidToken            = problem.CodeInvalidToken
	CodeForbidden               = problem.CodeForbidden
	CodeNotYours                = problem.CodeNotYours
	CodeNotFound                = problem.CodeNotFound
	CodeMethodNotAllowed        = problem.CodeMethodNotAllowed
	CodeNotAcceptable           = problem.CodeNotAcceptable
	CodeUnique                  = problem.CodeUnique
	CodeReferenced              = problem.CodeReferenced
	CodeConflict                = problem.CodeConflict
	CodeQuotaExceeded           = problem.CodeQuotaExceeded
	CodeTooManyRows             = problem.CodeTooManyRows
	CodePreconditionFailed      = problem.CodePreconditionFailed
	CodePreconditionUnsupported = problem.CodePreconditionUnsupported
	CodePreconditionRequired    = problem.CodePreconditionRequired
	CodeRangeNotSatisfiable     = problem.CodeRangeNotSatisfiable
	CodeInvalidUpload           = problem.CodeInvalidUpload
	CodeFileTooLarge            = problem.CodeFileTooLarge
	CodeUnsupportedFileType     = problem.CodeUnsupportedFileType
	CodeInvalidSignature        = problem.CodeInvalidSignature
	CodeRequestTimeout          = problem.CodeRequestTimeout
	CodeBodyTooLarge            = problem.CodeBodyTooLarge
	CodeUnsupportedMediaType    = problem.CodeUnsupportedMediaType
	CodeURITooLong              = problem.CodeURITooLong
	CodeInvalidHost             = problem.CodeInvalidHost
	CodeInvalidIdempotencyKey   = problem.CodeInvalidIdempotencyKey
	CodeIdempotencyKeyReused    = problem.CodeIdempotencyKeyReused
	CodeIdempotencyInProgress   = problem.CodeIdempotencyInProgress
	CodeExportInProgress        = problem.CodeExportInProgress
	CodeThrottled               = problem.CodeThrottled
	CodeInternal                = problem.CodeInternal
	CodeUnavailable             = problem.CodeUnavailable
	CodeOverloaded              = problem.CodeOverloaded
)

// OneOf returns the detail of a fault for a text that is not one of the known words. It
// lists the words, and suggests the nearest one. It is safe for concurrent use.
func OneOf(known []string, text string) string { return problem.OneOf(known, text) }

// Refuse returns an [Error] with a code of your own or of the framework: see [problem.Refuse].
func Refuse(status int, code, detail string) *Error { return problem.Refuse(status, code, detail) }

// NotYours returns the error of a caller that may see a row and may not change it: status 403. See
// [ViewSet].Writers.
func NotYours() *Error { return problem.NotYours() }

// Conflict returns the error of a valid request that the present state does not allow: 409.
func Conflict(code, detail string) *Error { return problem.Conflict(code, detail) }

// NotFound returns the error of an unknown path, an unknown id, and a row outside the
// caller's scope: status 404.
func NotFound() *Error { return problem.NotFound() }

// Forbidden returns the error of an identified caller without permission: status 403.
func Forbidden() *Error { return problem.Forbidden() }

// Unauthenticated returns the error of a caller without credentials: status 401. The
// framework adds WWW-Authenticate.
func Unauthenticated() *Error { return problem.Unauthenticated() }

// InvalidCredentials returns the error of credentials that are not valid: status 401.
func InvalidCredentials(detail string) *Error { return problem.InvalidCredentials(detail) }

// Invalid returns the error of a body with faults: status 400, code validation_failed.
func Invalid(faults ...Fault) *Error { return problem.Invalid(faults...) }

// InvalidParameter returns the error of a wrong query parameter: status 400.
func InvalidParameter(name, detail string) *Error { return problem.InvalidParameter(name, detail) }

// Overloaded returns the error of a request that the server has no capacity for at the
// moment, and that had no effect: status 503 with Retry-After.
func Overloaded() *Error { return problem.Overloaded() }

// Unavailable returns the error of a server that cannot answer any request at the moment,
// such as a server that is starting: status 503 with Retry-After.
func Unavailable() *Error { return problem.Unavailable() }

// ParseValue parses the text of a query parameter as a value of type t: text, whole and
// decimal numbers, true/false/1/0, UUIDs, RFC 3339 times, the values of an [Enumerated]
// type, and types that implement [encoding.TextUnmarshaler] or else [json.Unmarshaler].
// The error states what the parameter accepts: "must be a whole number".
func ParseValue(t reflect.Type, text string) (any, error) { return datatype.ParseValue(t, text) }

// IsLine reports whether a text is one line that reads as it is stored: the rule "line" of
// inputs. Control characters, line and paragraph separators and bidirectional controls
// (Unicode property Bidi_Control) fail. The joiners U+200C and U+200D pass, because several
// scripts need them. It is safe for concurrent use.
func IsLine(text string) bool { return naming.IsLine(text) }

// The cases of names that no tag json gives, for [Config].Case. The field AuthorID is "AuthorID",
// "author_id" or "authorId". A run of capitals is one word.
const (
	// AsInGo uses the name of the field in Go.
	AsInGo = naming.AsInGo
	// SnakeCase writes words in small letters with underscores between them.
	SnakeCase = naming.SnakeCase
	// CamelCase writes the first word in small letters, and the others with a capital.
	CamelCase = naming.CamelCase
)
