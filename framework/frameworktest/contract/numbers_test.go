package contract_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
)

// shop is the document of an API with a price, which is a number with limits.
const shop = `{"openapi": "3.1.0", "paths": {"/prices": {"post": {"operationId": "addPrice",
	"parameters": [{"name": "min", "in": "query", "schema": {"type": "number", "minimum": 0, "maximum": 1000}}],
	"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Price"}}}},
	"responses": {
		"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Price"}}}},
		"400": {"content": {"application/problem+json": {"schema": {}}}}}}}},
	"components": {"schemas": {"Price": {"type": "object", "properties": {"price": {
		"type": "number", "minimum": 0, "maximum": 1000, "multipleOf": 0.5}}}}}}`

// TestNumbersOutOfRange: the contract checks numbers of any size. It never ends the
// connection, and it needs little time.
func TestNumbersOutOfRange(t *testing.T) {
	promised, err := contract.New([]byte(shop))
	must(t, err)
	for number, want := range map[string]string{
		"1e400":                               "/price: maximum: got ∞, want 1,000",
		"1e999999999999":                      "/price: maximum: got ∞, want 1,000",
		"1E+99999999999999999999":             "/price: maximum: got ∞, want 1,000",
		"-1e999999999999":                     "/price: minimum: got -∞, want 0",
		strings.Repeat("9", 100_000):          "/price: maximum: got ∞, want 1,000",
		"1e-400":                              "/price: multipleOf: got 0, want 0.5",
		"1e-999999999999":                     "/price: multipleOf: got 0, want 0.5",
		"-1e-99999999999999999999":            "/price: minimum: got 0, want 0",
		"0." + strings.Repeat("3", 1_100_000): "/price: multipleOf: got 0.3333333333333333, want 0.5",
		"0e99999999999999999999":              "",
		"-0.0e-99999999999999999999":          "",
		"12.5":                                "",
	} {
		t.Run(number[:min(len(number), 30)], func(t *testing.T) {
			accepted := pricesFindings(t, promised, number, http.StatusOK)
			if got := strings.Join(accepted, "\n"); !strings.Contains(got, want) || want == "" && got != "" {
				t.Errorf("the findings of an accepted number are\n%s\nwant %q", got, want)
			}
			if rejected := pricesFindings(t, promised, number, http.StatusBadRequest); want != "" && len(rejected) > 0 {
				t.Errorf("the findings of a rejected number are\n%s", strings.Join(rejected, "\n"))
			}
		})
	}
}

// pricesFindings returns the findings of a server that answers a price with itself, or with
// an error.
func pricesFindings(t *testing.T, promised *contract.Contract, number string, status int) []string {
	found := &notebook{TB: t}
	c := frameworktest.New(t, promised.Tight(nil).Wrap(found, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body := io.Reader(r.Body)
		if status != http.StatusOK {
			w.Header().Set("Content-Type", "application/problem+json")
			body = strings.NewReader(`{"code": "validation_failed", "errors": [{"pointer": "/price", "code": "range"}]}`)
		}
		w.WriteHeader(status)
		_, _ = io.Copy(w, body)
	})))
	c.Post("/prices?min="+url.QueryEscape(number[:min(len(number), 1000)]), `{"price": `+number+`}`).Expect(status)
	return found.read()
}
