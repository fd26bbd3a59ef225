package framework

import "net/http"

// The codes that the framework itself answers with. Each has a page at
// /errors/{code}.
const (
	CodeInvalidJSON            = "invalid_json"
	CodeValidationFailed       = "validation_failed"
	CodeUnknownField           = "unknown_field"
	CodeInvalidParameter       = "invalid_parameter"
	CodeInvalidReference       = "invalid_reference"
	CodeAuthenticationRequired = "authentication_required"
	CodeInvalidToken           = "invalid_token"
	CodeForbidden              = "forbidden"
	CodeNotFound               = "not_found"
	CodeMethodNotAllowed       = "method_not_allowed"
	CodeUnique                 = "not_unique"
	CodeReferenced             = "still_referenced"
	CodeConflict               = "conflict"
	CodeTooManyRows            = "too_many_rows"
	CodeBodyTooLarge           = "body_too_large"
	CodeUnsupportedMediaType   = "unsupported_media_type"
	CodeURITooLong             = "uri_too_long"
	CodeInvalidHost            = "invalid_host"
	CodeInvalidIdempotencyKey  = "invalid_idempotency_key"
	CodeIdempotencyKeyReused   = "idempotency_key_reused"
	CodeIdempotencyInProgress  = "idempotency_in_progress"
	CodeThrottled              = "rate_limited"
	CodeInternal               = "internal"
	CodeUnavailable            = "unavailable"
)

// A CodeInfo explains one error code on its page at /errors/{code}.
type CodeInfo struct {
	Code   string // "cart_empty"
	Status int    // the HTTP status it comes with
	Title  string // a few words, the title of the problem
	Text   string // what happened and what to do next, a paragraph
}

// builtinCodes is the one table of codes, statuses and titles.
var builtinCodes = []CodeInfo{
	{CodeInvalidJSON, http.StatusBadRequest, "The body is not one JSON object", "The body must be one JSON object in UTF-8: no duplicate names, nothing after its end, nesting of at most 32. The error says at which byte it stopped making sense."},
	{CodeValidationFailed, http.StatusBadRequest, "The body is not valid", "The body was understood, but some of its values may not be used. The list errors names every fault at once, each with a JSON Pointer to its place."},
	{CodeUnknownField, http.StatusBadRequest, "The body names an unknown field", "This endpoint is strict: a name it does not know, or may not change, is refused. The list errors names each, with the nearest known name."},
	{CodeInvalidParameter, http.StatusBadRequest, "A query parameter is not valid", "The list errors names each parameter and says what it takes."},
	{CodeInvalidReference, http.StatusBadRequest, "A reference leads nowhere", "The body refers to a record that does not exist or is not yours to use."},
	{CodeAuthenticationRequired, http.StatusUnauthorized, "Credentials are required", "Send credentials: the header WWW-Authenticate names the schemes that are accepted."},
	{CodeInvalidToken, http.StatusUnauthorized, "The credentials are not valid", "The credentials are malformed, expired or revoked. Get new ones; the request was not treated as anonymous."},
	{CodeForbidden, http.StatusForbidden, "Not permitted", "You are signed in, but you may not do this. Ask whoever runs the service for the permission."},
	{CodeNotFound, http.StatusNotFound, "Not found", "The path is unknown, or the record does not exist, or it is not yours to see. These are answered alike."},
	{CodeMethodNotAllowed, http.StatusMethodNotAllowed, "Method not allowed", "This path exists, but does not offer this method. The header Allow lists those it does."},
	{CodeUnique, http.StatusConflict, "Already taken", "Another record already has this value, which must be unique. The list errors names the field."},
	{CodeReferenced, http.StatusConflict, "Still in use", "Other records refer to this one; remove or move them first."},
	{CodeConflict, http.StatusConflict, "Refused by the present state", "The request is well formed, but the stored data does not allow it."},
	{CodeTooManyRows, http.StatusConflict, "Too many rows", "An answer that is not in pages would be too long. Ask for the same rows as a list, page by page."},
	{CodeBodyTooLarge, http.StatusRequestEntityTooLarge, "The body is too large", "A body may have at most 1 MiB, counted after decompression."},
	{CodeUnsupportedMediaType, http.StatusUnsupportedMediaType, "Unsupported media type", "Send the body as application/json in UTF-8."},
	{CodeURITooLong, http.StatusRequestURITooLong, "The address is too long", "The query string is longer than the server reads."},
	{CodeInvalidHost, http.StatusBadRequest, "The host is not served here", "The header Host must name this server as its clients know it."},
	{CodeInvalidIdempotencyKey, http.StatusBadRequest, "The Idempotency-Key is not valid", "The header Idempotency-Key is one key of 1 to 255 visible ASCII characters, bare or in double quotes. It belongs to a caller, so a request without credentials cannot have one."},
	{CodeIdempotencyKeyReused, http.StatusUnprocessableEntity, "The Idempotency-Key was used for something else", "Within 24 hours a key stands for one request: the same path, query and body. Send the request as it was the first time, or make a new key for a new one."},
	{CodeIdempotencyInProgress, http.StatusConflict, "The same request is still under way", "A request with this Idempotency-Key has not ended yet. Wait as many seconds as the header Retry-After says, then send it again with the same key; it will be done once."},
	{CodeThrottled, http.StatusTooManyRequests, "Too many requests", "Wait as many seconds as the header Retry-After says, then try again."},
	{CodeInternal, http.StatusInternalServerError, "Internal error", "The server failed. Tell whoever runs it the request id; the log has the rest under it."},
	{CodeUnavailable, http.StatusServiceUnavailable, "Temporarily unavailable", "The server cannot answer just now. Wait as many seconds as the header Retry-After says, then try again."},
}
