package problem

import (
	"net/http"
	"slices"

	"trestle.example/framework/internal/limits"
)

// The codes that the framework itself answers with. Each has a page at
// /errors/{code} below framework.Config.Prefix.
const (
	CodeInvalidJSON             = "invalid_json"
	CodeValidationFailed        = "validation_failed"
	CodeUnknownField            = "unknown_field"
	CodeInvalidParameter        = "invalid_parameter"
	CodeInvalidReference        = "invalid_reference"
	CodeAuthenticationRequired  = "authentication_required"
	CodeInvalidToken            = "invalid_token"
	CodeForbidden               = "forbidden"
	CodeNotYours                = "not_yours"
	CodeNotFound                = "not_found"
	CodeMethodNotAllowed        = "method_not_allowed"
	CodeNotAcceptable           = "not_acceptable"
	CodeUnique                  = "not_unique"
	CodeReferenced              = "still_referenced"
	CodeConflict                = "conflict"
	CodeQuotaExceeded           = "quota_exceeded"
	CodeTooManyRows             = "too_many_rows"
	CodePreconditionFailed      = "precondition_failed"
	CodePreconditionUnsupported = "precondition_unsupported"
	CodePreconditionRequired    = "precondition_required"
	CodeRangeNotSatisfiable     = "range_not_satisfiable"
	CodeInvalidUpload           = "invalid_upload"
	CodeInvalidSignature        = "invalid_signature"
	CodeFileTooLarge            = "file_too_large"
	CodeUnsupportedFileType     = "unsupported_file_type"
	CodeRequestTimeout          = "request_timeout"
	CodeBodyTooLarge            = "body_too_large"
	CodeUnsupportedMediaType    = "unsupported_media_type"
	CodeURITooLong              = "uri_too_long"
	CodeInvalidHost             = "invalid_host"
	CodeInvalidIdempotencyKey   = "invalid_idempotency_key"
	CodeIdempotencyKeyReused    = "idempotency_key_reused"
	CodeIdempotencyInProgress   = "idempotency_in_progress"
	CodeExportInProgress        = "export_in_progress"
	CodeThrottled               = "rate_limited"
	CodeInternal                = "internal"
	CodeUnavailable             = "unavailable"
	CodeOverloaded              = "overloaded"
)

// A CodeInfo explains one error code on its page at {prefix}/errors/{code}. A CodeInfo
// without a Status explains the code of a [Fault], such as that of a rule of the program.
type CodeInfo struct {
	Code   string // "cart_empty"
	Status int    // the HTTP status it comes with, 0 for a code of faults alone
	Title  string // a few words, the title of the problem
	Text   string // what happened and what to do next, a paragraph
	// Details is a zero value of the type of [Error].Details that goes with the
	// code, nil for none: CartChangedDetails{}.
	Details any
}

// BuiltinCodes lists the codes that the framework itself answers with. The caller may
// change the list.
func BuiltinCodes() []CodeInfo { return slices.Clone(builtinCodes) }

// builtinCodes is the one table of codes, statuses and titles.
var builtinCodes = []CodeInfo{
	{Code: CodeInvalidJSON, Status: http.StatusBadRequest, Title: "The body is not one JSON object", Text: "The body must be one JSON object in UTF-8: no duplicate names, nothing after its end, nesting of at most 32. The error states at which byte it stops being JSON."},
	{Code: CodeValidationFailed, Status: http.StatusBadRequest, Title: "The body is not valid", Text: "The body was understood, but some of its values may not be used. The list errors names every fault at once, each with a JSON Pointer to its place."},
	{Code: CodeUnknownField, Status: http.StatusBadRequest, Title: "The body names an unknown field", Text: "This endpoint is strict: it rejects names that it does not have, or that clients cannot change. The list errors has each of them, with the nearest name that exists."},
	{Code: CodeInvalidParameter, Status: http.StatusBadRequest, Title: "A query parameter is not valid", Text: "The list errors names each parameter and states which values it accepts."},
	{Code: CodeInvalidReference, Status: http.StatusBadRequest, Title: "A reference leads nowhere", Text: "The body refers to a record that does not exist or is not yours to use."},
	{Code: CodeAuthenticationRequired, Status: http.StatusUnauthorized, Title: "Credentials are required", Text: "Send credentials: the header WWW-Authenticate names the schemes that are accepted."},
	{Code: CodeInvalidToken, Status: http.StatusUnauthorized, Title: "The credentials are not valid", Text: "The credentials are malformed, expired or revoked. Get new ones; the request was not treated as anonymous."},
	{Code: CodeForbidden, Status: http.StatusForbidden, Title: "Not permitted", Text: "You are signed in, but you have no permission for this. An operator of the service can give it to you."},
	{Code: CodeNotYours, Status: http.StatusForbidden, Title: "Not yours to change", Text: "You may see this record, but not change it: it belongs to another user, or its present state does not allow it. Nothing was changed."},
	{Code: CodeNotFound, Status: http.StatusNotFound, Title: "Not found", Text: "The path is unknown, or the record does not exist, or you have no access to it. The answer is the same in all three cases."},
	{Code: CodeMethodNotAllowed, Status: http.StatusMethodNotAllowed, Title: "Method not allowed", Text: "This path exists, but does not offer this method. The header Allow lists those it does."},
	{Code: CodeNotAcceptable, Status: http.StatusNotAcceptable, Title: "No acceptable media type", Text: "The header Accept excludes every media type that this endpoint has. details.offered lists them.", Details: NotAcceptableDetails{}},
	{Code: CodeUnique, Status: http.StatusConflict, Title: "Already taken", Text: "Another record already has this value, which must be unique. The list errors names the field."},
	{Code: CodeReferenced, Status: http.StatusConflict, Title: "Still in use", Text: "Other records refer to this one; remove or move them first. If a resource serves those records, details.resource names it.", Details: ReferencedDetails{}},
	{Code: CodeConflict, Status: http.StatusConflict, Title: "Conflict with the present state", Text: "The request is well formed, but the stored data does not allow it."},
	{Code: CodeQuotaExceeded, Status: http.StatusConflict, Title: "Too many records of one owner", Text: "A user may own a limited number of these records, and the request would exceed it. Nothing was stored. Delete some, and send the request again. details.limit is the number; details.count is how many you own, and is absent if they are another user's.", Details: QuotaExceededDetails{}},
	{Code: CodeTooManyRows, Status: http.StatusConflict, Title: "Too many rows", Text: "An answer that is not in pages would be too long. Request the same rows as a list, page by page."},
	{Code: CodePreconditionFailed, Status: http.StatusPreconditionFailed, Title: "The precondition is false", Text: "The record or the content is not the one that If-Match or If-Unmodified-Since names. A write changed nothing. Read it again to get the present one; the header ETag of the error has its version."},
	{
		Code: CodePreconditionUnsupported, Status: http.StatusPreconditionFailed, Title: "The precondition is not supported",
		Text: "The server cannot check this precondition of a write here: If-None-Match, If-Unmodified-Since, or If-Match with a version where records have none. It changed nothing. Send the request without these headers; If-Match: * is accepted.",
	},
	{
		Code: CodePreconditionRequired, Status: http.StatusPreconditionRequired, Title: "The version is missing",
		Text: "A write of this record must name the version that it changes: read the record, and send its ETag as If-Match. Nothing was changed.",
	},
	{Code: CodeRangeNotSatisfiable, Status: http.StatusRequestedRangeNotSatisfiable, Title: "The range is not in the file", Text: "The header Range names no byte of the file. The header Content-Range has the length of the file."},
	{Code: CodeInvalidUpload, Status: http.StatusBadRequest, Title: "The body is not one file", Text: "Send the content of the file as the body, with its Content-Type, or as multipart/form-data with exactly one part, file. Nothing was stored."},
	{Code: CodeFileTooLarge, Status: http.StatusRequestEntityTooLarge, Title: "The file is too large", Text: "Each kind of file has a limit of its own, which the error states. Nothing was stored."},
	{Code: CodeUnsupportedFileType, Status: http.StatusUnsupportedMediaType, Title: "The type of the file is not allowed", Text: "The type of a file is detected from its content, and must be one that the error lists. The Content-Type of the request must agree with it. Nothing was stored."},
	{Code: CodeInvalidSignature, Status: http.StatusForbidden, Title: "The signed URL is not valid", Text: "The URL was changed, or it has expired. Read the record again: it has a new URL of the file."},
	{Code: CodeRequestTimeout, Status: http.StatusRequestTimeout, Title: "The body did not arrive in time", Text: "The body stopped coming, or came too slowly to be waited for. The connection was closed; send the request again, on another."},
	{
		Code: CodeBodyTooLarge, Status: http.StatusRequestEntityTooLarge, Title: "The body is too large",
		Text: "A body may have at most " + limits.BodyText + ", counted after decompression.",
	},
	{
		Code: CodeUnsupportedMediaType, Status: http.StatusUnsupportedMediaType, Title: "Unsupported media type",
		Text: "Send the body as application/json in UTF-8.",
	},
	{Code: CodeURITooLong, Status: http.StatusRequestURITooLong, Title: "The address is too long", Text: "The query string is longer than the server reads."},
	{Code: CodeInvalidHost, Status: http.StatusBadRequest, Title: "The host is not served here", Text: "The header Host must name this server as its clients know it."},
	{Code: CodeInvalidIdempotencyKey, Status: http.StatusBadRequest, Title: "The Idempotency-Key is not valid", Text: "The header Idempotency-Key is one key of 1 to 255 visible ASCII characters, bare or in double quotes. It belongs to a caller, so a request without credentials cannot have one."},
	{Code: CodeIdempotencyKeyReused, Status: http.StatusUnprocessableEntity, Title: "The Idempotency-Key was used for something else", Text: "Within " + limits.KeyLifeText + " a key of a caller belongs to one request of an operation (method and route): the same id in the path, the same query and the same body. Send the request as it was the first time, or make a new key for a new one."},
	{Code: CodeIdempotencyInProgress, Status: http.StatusConflict, Title: "The same request is still under way", Text: "A request with this Idempotency-Key has not ended yet. Wait for the number of seconds in the Retry-After header, then send it again with the same key; it will be done once."},
	{Code: CodeExportInProgress, Status: http.StatusTooManyRequests, Title: "Another export is not done yet", Text: "A caller has one export at a time. Wait until the other one is done, or close its connection. The header Retry-After has a number of seconds after which to try again."},
	{Code: CodeThrottled, Status: http.StatusTooManyRequests, Title: "Too many requests", Text: "Wait for the number of seconds in the Retry-After header, then try again."},
	{Code: CodeInternal, Status: http.StatusInternalServerError, Title: "Internal error", Text: "The server failed. Report the request id to the operator of the service; the server's log has the cause under it."},
	{Code: CodeUnavailable, Status: http.StatusServiceUnavailable, Title: "Temporarily unavailable", Text: "The server cannot answer now. Wait for the number of seconds in the Retry-After header, then try again."},
	{Code: CodeOverloaded, Status: http.StatusServiceUnavailable, Title: "Too many requests at once", Text: "The server has more requests than it can answer in time, and did nothing for this one. Wait for the number of seconds in the Retry-After header, then try again."},
}

// ErrorPages is the path, below the prefix, of the pages that explain codes; a problem's
// type leads there. The page at this path lists all codes.
const ErrorPages = "/errors/"

// StatusText is the name of the code's status.
func (c CodeInfo) StatusText() string { return http.StatusText(c.Status) }

// IsFault reports whether it is the code of a fault, and not of an error.
func (c CodeInfo) IsFault() bool { return c.Status == 0 }

// NotAcceptableDetails are the details of the code not_acceptable.
type NotAcceptableDetails struct {
	Offered []string `json:"offered" doc:"The media types of the endpoint, the default first."`
}

// ReferencedDetails are the details of the code still_referenced.
type ReferencedDetails struct {
	Resource string `json:"resource" doc:"The resource whose records still refer to this one." example:"appointments"`
}

// QuotaExceededDetails are the details of the code quota_exceeded.
type QuotaExceededDetails struct {
	Limit int `json:"limit" doc:"How many of these records a user may own." example:"100"`
	// Count is nil if the caller is not the owner.
	Count *int64 `json:"count,omitempty" doc:"How many the caller owns. Absent if the records are another user's." example:"100"`
}

// SignInDetails are the details of a 401 if an endpoint of the API issues credentials: see
// CollectionAction.SignsIn of package framework.
type SignInDetails struct {
	// SignIn is the address of that endpoint: below PublicURL, or the path alone without a
	// PublicURL.
	SignIn string `json:"signIn" doc:"The address of the endpoint that gives credentials, by POST: an absolute URL, or a path where the server has no public URL." example:"/api/auth/login"`
}
