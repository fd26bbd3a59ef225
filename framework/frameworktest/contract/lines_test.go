package contract_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
)

// feed is the document of an API with a stream of prices.
const feed = `{"openapi": "3.1.0", "paths": {"/feed": {"get": {"operationId": "getFeed",
	"responses": {"200": {"content": {
		"application/x-ndjson": {"schema": {"type": "string"}, "x-itemSchema": {"$ref": "#/components/schemas/Price"}},
		"text/csv": {"schema": {"type": "string"}}}}}}}},
	"components": {"schemas": {"Price": {"type": "object", "required": ["price"], "properties": {"price": {"type": "number"}}}}}}`

// TestLinesOfAStream: each line of NDJSON is checked against the schema of an element. A body of
// another media type that is not JSON is not checked.
func TestLinesOfAStream(t *testing.T) {
	promised, err := contract.New([]byte(feed))
	must(t, err)
	for name, c := range map[string]struct{ media, body, want string }{
		"lines":          {"application/x-ndjson", "{\"price\":1}\n{\"price\":2}\n", ""},
		"no lines":       {"application/x-ndjson", "", ""},
		"a wrong line":   {"application/x-ndjson", "{\"price\":1}\n{\"price\":\"2\"}\n", "/price: got string, want number"},
		"another member": {"application/x-ndjson", "{\"price\":1,\"x\":2}\n", "/x: the member is not described"},
		"a line of text": {"application/x-ndjson", "{\"price\":1}\nx\n", "a line is not JSON"},
		"rows":           {"text/csv; charset=utf-8", "price\r\n1\r\n", ""},
		"another type":   {"text/html", "<p>", `the media type "text/html" is not described`},
		"a body of JSON": {"application/json", "{}", `the media type "application/json" is not described`},
	} {
		t.Run(name, func(t *testing.T) {
			found := &notebook{TB: t}
			server := frameworktest.New(t, promised.Tight(nil).Wrap(found, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.media)
				_, _ = io.WriteString(w, c.body)
			})))
			server.Get("/feed").Expect(http.StatusOK)
			if got := strings.Join(found.read(), "\n"); !strings.Contains(got, c.want) || c.want == "" && got != "" {
				t.Errorf("the findings are\n%s\nwant %q", got, c.want)
			}
		})
	}
}
