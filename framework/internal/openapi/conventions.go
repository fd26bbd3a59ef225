package openapi

import (
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/limits"
	"trestle.example/framework/internal/mergepatch"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/problem"
)

// conventions returns the text that holds for every operation. The document has it once, in its
// description.
func conventions(api *spec.API) string {
	said := []string{
		"Bodies are JSON in UTF-8, at most " + limits.BodyText + ". Times are RFC 3339 in UTC.",
		aboutErrors(api),
		"Besides what its operations list, any path may answer 401, 403, 429, 500 or 503, one that is not there " + strconv.Itoa(api.Codes[problem.CodeNotFound].Status) + ", and a method that a path does not have 405.",
	}
	if api.Lenient {
		said = append(said, "What of a request has no effect is named in the header Trestle-Ignored.")
	}
	if slices.ContainsFunc(api.Endpoints, func(e *spec.Endpoint) bool { return e.Body != nil && e.Body.Partial && e.Body.Items == nil }) {
		said = append(said, "`PATCH` of one record takes "+mergepatch.Media+" (RFC 7396) too. Members that the body lacks stay as they are. Objects and lists are replaced as a whole, so a merge patch with an object in a member is rejected.")
	}
	said = append(said,
		"A write with `If-None-Match`, with `If-Unmodified-Since`, or with another `If-Match` than `*`, where its operation does not list the header, is rejected with 412 and changes nothing.",
		"Every path is served with and without its last slash, HEAD wherever there is GET, and OPTIONS lists the methods of a path for callers that may use it.",
		"Text loses the white space at both ends, before its length and its pattern are checked, and has no character U+0000. One line of text has no control characters, not even at its ends, and none that turn the direction of writing.",
	)
	return strings.Join(said, " ")
}

// aboutErrors describes the bodies of errors and links to the pages that explain them.
func aboutErrors(api *spec.API) string {
	pages := "[" + api.ErrorsAt + "](" + api.ErrorsAt + ")"
	if problem.IsProblemJSON(api.ErrorShape) {
		return "Errors are problem details (RFC 9457). The member code is stable, and type is the address of a page that explains it: " + pages + " lists all codes."
	}
	if shape, tells := api.ErrorShape.(problem.ShapeTeller); tells {
		if doc := shape.ShapeDoc(); doc != "" {
			return doc + " " + pages + " explains the errors."
		}
	}
	return pages + " explains the errors."
}
