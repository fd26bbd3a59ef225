package frameworktest

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
)

// TestErrorShape checks an error shape with sample errors of the statuses 400 to 503. The
// media type must be valid and a JSON type. The body must be a JSON object, equal each time
// and in any goroutine. For a 400 with faults it must contain the detail of each fault, for
// any other error the detail of the error, and never the cause. Shape must not change the
// problem.
func TestErrorShape(t *testing.T, s framework.ErrorShape) {
	t.Helper()
	checkErrorShape(t, s)
}

// hiddenCause is a text that only a log may contain.
const hiddenCause = "duplicate key value violates unique constraint zq7xk"

func checkErrorShape(tb testing.TB, s framework.ErrorShape) {
	tb.Helper()
	for _, e := range sampleErrors() {
		p := framework.Problem{
			Error: e.Because(errors.New(hiddenCause)), Type: "https://api.example.org/errors/" + e.Code,
			Title: "A title", RequestID: uuid.MustParse("01900000-0000-7000-8000-000000000001"),
		}
		body, ok := shapeJSON(tb, s, p)
		if !ok {
			continue
		}
		checkDetails(tb, e, body)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if again, ok := shapeJSON(tb, s, p); ok && again != body {
					tb.Errorf("%d %s: the body is %s and then %s", e.Status, e.Code, body, again)
				}
			})
		}
		group.Wait()
	}
}

// shapeJSON returns the body of a problem as JSON.
func shapeJSON(tb testing.TB, s framework.ErrorShape, p framework.Problem) (text string, ok bool) {
	tb.Helper()
	defer func() {
		if r := recover(); r != nil {
			tb.Errorf("%d %s: Shape panics: %v", p.Status, p.Code, r)
			ok = false
		}
	}()
	before := *p.Error
	before.Faults = slices.Clone(before.Faults)
	media, body := s.Shape(p)
	if !reflect.DeepEqual(before, *p.Error) {
		tb.Errorf("%d %s: Shape changes the problem, which other requests may share", p.Status, p.Code)
	}
	kind, _, err := mime.ParseMediaType(media)
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		tb.Errorf("%d %s: the media type is %q; want a JSON type, such as application/problem+json", p.Status, p.Code, media)
	}
	encoded, err := json.Marshal(body)
	if err != nil || len(encoded) == 0 || encoded[0] != '{' {
		tb.Errorf("%d %s: the body is %s, error %v; want a JSON object", p.Status, p.Code, encoded, err)
		return "", false
	}
	return string(encoded), true
}

// checkDetails checks that the body contains the details for the client and not the cause.
func checkDetails(tb testing.TB, e *framework.Error, body string) {
	tb.Helper()
	if strings.Contains(body, "zq7xk") {
		tb.Errorf("%d %s: the body contains the cause, which only the log may contain: %s", e.Status, e.Code, body)
	}
	wanted := []string{e.Detail}
	if e.Status == http.StatusBadRequest && len(e.Faults) > 0 {
		wanted = nil
		for _, f := range e.Faults {
			wanted = append(wanted, f.Detail)
		}
	}
	for _, detail := range wanted {
		if !strings.Contains(body, detail) {
			tb.Errorf("%d %s: the body lacks %q: %s", e.Status, e.Code, detail, body)
		}
	}
}

// sampleErrors returns errors of the usual statuses, with and without faults.
func sampleErrors() []*framework.Error {
	deep := framework.Fault{Pointer: "/items/0/quantity", Code: "max", Detail: "must be at most 99"}
	return []*framework.Error{
		framework.Invalid(),
		framework.Invalid(framework.Fault{Pointer: "", Code: "type", Detail: "must be an object"}),
		framework.Invalid(framework.Fault{Pointer: "/name", Code: "required", Detail: "is required"}, deep),
		framework.Invalid(deep, framework.Fault{Pointer: "/items", Code: "unique", Detail: "must not repeat"}),
		framework.Invalid(framework.Fault{Pointer: "/items", Code: "unique", Detail: "must not repeat"}, deep),
		framework.Invalid(framework.Fault{Pointer: "/a~1b~0c/", Code: "unknown", Detail: "is not known"}),
		framework.InvalidParameter("page", "must be a whole number"),
		framework.Unauthenticated(),
		framework.InvalidCredentials("The token has expired."),
		framework.Forbidden(),
		framework.NotFound(),
		framework.Refuse(http.StatusMethodNotAllowed, framework.CodeMethodNotAllowed, "PUT is not offered here."),
		framework.Conflict(framework.CodeConflict, "The order was sent already.").With(map[string]any{"state": "sent"}),
		framework.Refuse(http.StatusRequestEntityTooLarge, framework.CodeBodyTooLarge, "The body is too large."),
		framework.Refuse(http.StatusUnsupportedMediaType, framework.CodeUnsupportedMediaType, "Send JSON."),
		framework.Refuse(http.StatusTooManyRequests, framework.CodeThrottled, "Too many requests; try again in 7 s."),
		framework.Refuse(http.StatusInternalServerError, framework.CodeInternal, "Something went wrong."),
		framework.Refuse(http.StatusServiceUnavailable, framework.CodeUnavailable, "Try again shortly."),
	}
}
