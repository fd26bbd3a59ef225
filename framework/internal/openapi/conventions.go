package openapi

import (
	"strings"

	"trestle.example/framework/internal/spec"
	"trestle.example/framework/problem"
)

// conventions are what holds for every operation, so that none repeats it.
func conventions(api *spec.API) string {
	said := []string{
		"Bodies are JSON in UTF-8, at most " + problem.BodyLimitText + ". Times are RFC 3339 in UTC.",
		aboutRefusals(api),
		"Besides what its operations list, any path may answer 401, 403, 429, 500 or 503, one that is not there 404, and a method that a path does not have 405.",
	}
	if api.Lenient {
		said = append(said, "What of a request has no effect is named in the header Trestle-Ignored.")
	}
	said = append(said,
		"Records have no versions: a write with `If-Match`, except `If-Match: *`, with `If-None-Match` or with `If-Unmodified-Since` is rejected with 412 and changes nothing.",
		"Every path is served with and without its last slash, HEAD wherever there is GET, and OPTIONS tells what a path takes.",
		"Text loses the white space at both ends, before its length counts, and has no character U+0000. One line of text has no control characters, not even at its ends, and none that turn the direction of writing.",
	)
	return strings.Join(said, " ")
}

// aboutRefusals says what refusals look like and where they are explained.
func aboutRefusals(api *spec.API) string {
	pages := "[" + api.ErrorsAt + "](" + api.ErrorsAt + ")"
	switch shape := api.ErrorShape.(type) {
	case problem.ProblemJSON:
		return "Refusals are problems as RFC 9457 has them; the member code is stable, and type is a page that explains it: " + pages + " lists all."
	case problem.ShapeTeller:
		if doc := shape.ShapeDoc(); doc != "" {
			return doc + " " + pages + " explains why requests are refused."
		}
	}
	return pages + " explains why requests are refused."
}
