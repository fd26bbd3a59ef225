package problem

import (
	"net/http"

	"github.com/google/uuid"

	"trestle.example/framework/internal/naming"
)

// An ErrorShape is the body of errors. Implementations are used by many
// requests at once. A shape may embed [ProblemJSON], change the [Problem], and pass it on: its
// bodies are then documented as problem details.
type ErrorShape interface {
	// Shape returns the media type and the value to encode as JSON.
	Shape(p Problem) (mediaType string, body any)
}

// A ShapeTeller is an [ErrorShape] that describes its bodies for the OpenAPI document.
// Without it the document allows any object.
type ShapeTeller interface {
	// ShapeSchema returns the JSON Schema of the bodies of errors with a
	// status.
	ShapeSchema(status int) ([]byte, error)
	// ShapeDoc returns a sentence about the bodies, or "" for none.
	ShapeDoc() string
}

// A ShapeVarier is an [ErrorShape] whose bodies depend on headers of the request, such as
// Accept-Language.
type ShapeVarier interface {
	// ShapeVary lists these headers. Every error names them in its header Vary.
	ShapeVary() []string
}

// A Problem is an error with the values that its body may contain.
type Problem struct {
	*Error
	Type      string    // address of the page that explains Code: PublicURL, Prefix, "/errors/" and Code, or the path alone without a PublicURL; about:blank if Code has no page
	Title     string    // of Code, or the name of the status if Code has no page
	RequestID uuid.UUID // also in X-Request-Id
	// Request is the request that is answered. A shape may read its method, URL and headers, and
	// must not read its body. It is nil for the examples of the OpenAPI document.
	Request *http.Request
}

// ProblemJSON shapes errors as RFC 9457 does, application/problem+json, with
// the members code, errors and details besides.
type ProblemJSON struct{}

// problemDetails is a method of ProblemJSON and of the types that embed it.
func (ProblemJSON) problemDetails() {}

// IsProblemJSON reports whether the bodies of a shape are documented as problem details: it is
// [ProblemJSON] or embeds it, and is no [ShapeTeller].
func IsProblemJSON(shape ErrorShape) bool {
	_, details := shape.(interface{ problemDetails() })
	_, tells := shape.(ShapeTeller)
	return details && !tells
}

// problemJSON is the body of [ProblemJSON].
type problemJSON struct {
	Type     string  `json:"type"`
	Title    string  `json:"title"`
	Status   int     `json:"status"`
	Detail   string  `json:"detail"`
	Code     string  `json:"code"`
	Instance string  `json:"instance"`
	Errors   []Fault `json:"errors"`
	Details  any     `json:"details,omitempty"`
}

// Shape implements [ErrorShape].
func (ProblemJSON) Shape(p Problem) (string, any) {
	return "application/problem+json", problemJSON{
		Type: p.Type, Title: p.Title, Status: p.Status, Detail: p.Detail, Code: p.Code,
		Instance: "urn:uuid:" + p.RequestID.String(), Errors: p.Faults, Details: p.Details,
	}
}

// DRFShape shapes errors as Django REST Framework does. An error 400 or 422 with faults is
// {"name": ["..."]}, with lists and objects nested as the body was. A fault of the whole
// body has the name non_field_errors. Every other error is {"detail": "..."}, also one
// with faults and another status.
type DRFShape struct{}

// Shape implements [ErrorShape].
func (DRFShape) Shape(p Problem) (string, any) {
	if !listsFaults(p.Status) || len(p.Faults) == 0 {
		return "application/json", map[string]string{"detail": p.Detail}
	}
	body := map[string]any{}
	for _, f := range p.Faults {
		path := naming.PointerSegments(f.Pointer)
		if f.Parameter != "" {
			path = []string{f.Parameter}
		}
		if len(path) == 0 {
			path = []string{"non_field_errors"}
		}
		nest(body, path, f.Detail)
	}
	return "application/json", body
}

// listsFaults reports whether errors with a status have a body by faults.
func listsFaults(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
}

// ShapeSchema implements [ShapeTeller].
func (DRFShape) ShapeSchema(status int) ([]byte, error) {
	const detail = `{"type":"object","required":["detail"],"properties":{"detail":{"type":"string"}}}`
	if !listsFaults(status) {
		return []byte(detail), nil
	}
	const faults = `{"type":"object","additionalProperties":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"object"}]}}`
	return []byte(`{"anyOf":[` + detail + `,` + faults + `]}`), nil
}

// ShapeDoc implements [ShapeTeller].
func (DRFShape) ShapeDoc() string {
	return "Errors are objects with the member detail, a sentence. Errors of a body or of parameters have a list of sentences for each name with a fault, nested as the body was."
}

// nest puts a message where its path leads, making objects on the way. A
// message about what has members of its own goes to non_field_errors in it.
func nest(into map[string]any, path []string, message string) {
	for _, segment := range path[:len(path)-1] {
		deeper, ok := into[segment].(map[string]any)
		if !ok {
			deeper = map[string]any{}
			if messages, taken := into[segment]; taken {
				deeper["non_field_errors"] = messages
			}
			into[segment] = deeper
		}
		into = deeper
	}
	last := path[len(path)-1]
	if deeper, ok := into[last].(map[string]any); ok {
		into, last = deeper, "non_field_errors"
	}
	messages, _ := into[last].([]string)
	into[last] = append(messages, message)
}
