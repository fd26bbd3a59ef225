package frameworktest

import (
	"cmp"
	"net/http"
	"testing"
)

// A Scenario is one request with the expected answer, named in words: one row of a table
// that reads as a specification.
type Scenario struct {
	// Name states the request and the caller.
	Name string
	// Method is the method of the request. Defaults to GET.
	Method string
	// Path is the path of the request, with its query.
	Path string
	// As is the token to send. Defaults to the credentials of the client.
	As string
	// Headers are additional headers. An empty value removes a header of the client.
	Headers map[string]string
	// Body is sent as [Client.Do] documents. Defaults to none.
	Body any

	// Status is the expected status. Required.
	Status int
	// Code is the expected stable code of the error. Defaults to any.
	Code string
	// Faults are the expected faults of the error: codes by JSON Pointer or parameter.
	Faults map[string]string
	// Contains are texts that the body must contain.
	Contains []string
	// Lacks are texts that the body must not contain.
	Lacks []string
	// Answers are expected headers of the response. An empty value means absent.
	Answers map[string]string
}

// Run sends the request of each scenario in a subtest with its name, one after the other.
func Run(t *testing.T, c *Client, scenarios []Scenario) {
	t.Helper()
	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) {
			t.Helper()
			s.run(c.On(t))
		})
	}
}

func (s Scenario) run(c *Client) {
	c.tb.Helper()
	if s.Status == 0 {
		c.tb.Fatalf("scenario %q expects nothing; set Status", s.Name)
	}
	if s.As != "" {
		c = c.As(s.As)
	}
	for name, value := range s.Headers {
		c = c.With(name, value)
	}
	r := c.Do(cmp.Or(s.Method, http.MethodGet), s.Path, s.Body)
	r.Expect(s.Status).Contains(s.Contains...).Lacks(s.Lacks...)
	if s.Code != "" {
		r.Code(s.Code)
	}
	for where, code := range s.Faults {
		r.Fault(where, code)
	}
	for name, value := range s.Answers {
		r.Header(name, value)
	}
}
