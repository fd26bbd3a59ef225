package frameworktest

import (
	"cmp"
	"net/http"
	"testing"
)

// A Scenario is one request and what must come of it, named in words: a line
// of a table that reads as specification.
type Scenario struct {
	// Name says what is tried and by whom.
	Name string
	// Method is the request's. Defaults to GET.
	Method string
	// Path is the request's, with its query.
	Path string
	// As is the token to send. Defaults to the client's own credentials.
	As string
	// Headers are sent besides. An empty value removes one of the client's.
	Headers map[string]string
	// Body is sent as [Client.Do] says. Defaults to none.
	Body any

	// Status is the one that must come back. Required.
	Status int
	// Code is the error's stable code. Defaults to any.
	Code string
	// Faults are the error's, by JSON Pointer or parameter: each has this code.
	Faults map[string]string
	// Contains are texts that the body has in it.
	Contains []string
	// Lacks are texts that the body has not in it.
	Lacks []string
	// Answers are headers of the response; an empty value means absent.
	Answers map[string]string
}

// Run sends each scenario's request in a subtest of its name, one after the
// other.
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
