package contract_test

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
)

// TestATightContract finds bodies that the server rejects and the schema accepts.
func TestATightContract(t *testing.T) {
	for name, c := range map[string]struct {
		body        fields
		fault, want string
	}{
		"a rule that the schema lacks":    {fields{"name": "Rose"}, `{"pointer":"/name","code":"oneof","detail":"x"}`, "the schema accepts the body, which the server rejects for /name: oneof"},
		"a rule that the schema has":      {fields{"name": strings.Repeat("a", 21)}, `{"pointer":"/name","code":"max","detail":"x"}`, ""},
		"a rule that no schema expresses": {fields{"name": "Rose"}, `{"pointer":"/name","code":"range","detail":"x"}`, ""},
		"a row that does not exist":       {fields{"name": "Rose"}, `{"pointer":"/name","code":"invalid_reference","detail":"x"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			handler, promised := garden(t)
			found := &notebook{TB: t}
			tight := promised.Tight(map[string][]string{"createPlant": {"/name: range"}})
			frameworktest.New(t, tight.Wrap(found, liar(handler, func(r *httptest.ResponseRecorder) {
				busy(400, "validation_failed")(r)
				r.Body = bytes.NewBufferString(strings.Replace(r.Body.String(), `"errors":[]`, `"errors":[`+c.fault+`]`, 1))
				r.Header().Del("Location")
			}))).With("Authorization", "Garden spade").Post("/api/plants/", c.body)
			notes := strings.Join(found.read(), "\n")
			if !strings.Contains(notes, c.want) || c.want == "" && notes != "" {
				t.Errorf("the findings are\n%s\nwant %q", notes, c.want)
			}
		})
	}
}
