package frameworktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
)

// A Response is the answer to a request. Its expectations return it, so that they can be
// chained. A failed expectation marks the test as failed, and the test continues. The first
// one also prints the request, the response and a curl line that repeats the request.
type Response struct {
	tb       testing.TB
	request  *http.Request
	sent     []byte
	response *http.Response
	body     []byte
	printed  bool // the request and the response were printed
}

// Status returns the status code.
func (r *Response) Status() int { return r.response.StatusCode }

// Headers returns the headers of the response.
func (r *Response) Headers() http.Header { return r.response.Header }

// Body returns the body of the response as it was received.
func (r *Response) Body() string { return string(r.body) }

// Expect checks the status code.
func (r *Response) Expect(status int) *Response {
	r.tb.Helper()
	if r.Status() != status {
		r.failf("status %d; want %d", r.Status(), status)
	}
	return r
}

// Code checks the stable code of an error in the shape of [framework.ProblemJSON].
func (r *Response) Code(code string) *Response {
	r.tb.Helper()
	if got := r.problem().Code; got != code {
		r.failf("error code %q; want %q", got, code)
	}
	return r
}

// Fault checks that an error in the shape of [framework.ProblemJSON] lists a fault. where
// is a JSON Pointer into the body, "/items/0/quantity", or the name of a query parameter.
func (r *Response) Fault(where, code string) *Response {
	r.tb.Helper()
	found := slices.ContainsFunc(r.problem().Errors, func(f framework.Fault) bool {
		return f.Pointer+f.Parameter == where && f.Code == code
	})
	if !found {
		r.failf("no fault %q at %q", code, where)
	}
	return r
}

// JSON decodes the body into v, a pointer. If that fails, the test fails at once.
func (r *Response) JSON(v any) *Response {
	r.tb.Helper()
	if err := json.Unmarshal(r.body, v); err != nil {
		r.tb.Fatalf("the body is not a %T: %v\n%s", v, err, r.story())
	}
	return r
}

// Contains checks that the body contains every text.
func (r *Response) Contains(texts ...string) *Response {
	r.tb.Helper()
	for _, text := range texts {
		if !strings.Contains(r.Body(), text) {
			r.failf("the body lacks %q", text)
		}
	}
	return r
}

// Lacks checks that the body does not contain any of the texts.
func (r *Response) Lacks(texts ...string) *Response {
	r.tb.Helper()
	for _, text := range texts {
		if strings.Contains(r.Body(), text) {
			r.failf("the body must not have %q in it", text)
		}
	}
	return r
}

// Order checks that the listed items have these values of a member, in this order. The body
// is an array of items, or an object with one array, such as a page of a list.
func (r *Response) Order(member string, want ...any) *Response {
	r.tb.Helper()
	items, err := r.items()
	if err != nil {
		r.failf("the order of %q cannot be checked: %v", member, err)
		return r
	}
	got := make([]any, len(items))
	for i, item := range items {
		got[i] = item[member]
	}
	if got, want := asJSON(got), asJSON(want); got != want {
		r.failf("the items have %q in the order %s; want %s", member, got, want)
	}
	return r
}

// items returns the items of a list.
func (r *Response) items() (items []map[string]any, err error) {
	list := r.body
	if !strings.HasPrefix(strings.TrimSpace(r.Body()), "[") {
		var page map[string]json.RawMessage
		if err := json.Unmarshal(list, &page); err != nil {
			return nil, fmt.Errorf("the body is not a list: %w", err)
		}
		maps.DeleteFunc(page, func(_ string, value json.RawMessage) bool { return value[0] != '[' })
		if len(page) != 1 {
			return nil, fmt.Errorf("the body has %d arrays, and not one", len(page))
		}
		list = slices.Collect(maps.Values(page))[0]
	}
	decoder := json.NewDecoder(bytes.NewReader(list))
	decoder.UseNumber()
	return items, decoder.Decode(&items)
}

// asJSON returns values as a JSON array.
func asJSON(values []any) string {
	text, err := json.Marshal(append([]any{}, values...))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Header checks the value of a header: several values are joined by ", ". If want is empty,
// the header must be absent or empty.
func (r *Response) Header(name, want string) *Response {
	r.tb.Helper()
	if got := strings.Join(r.response.Header.Values(name), ", "); got != want {
		r.failf("header %s is %q; want %q", name, got, want)
	}
	return r
}

// problem returns the code and faults of an error body, or nothing if the body has
// another shape.
func (r *Response) problem() (p struct {
	Code   string            `json:"code"`
	Errors []framework.Fault `json:"errors"`
}) {
	// Without a valid body the code is empty, which the caller reports.
	_ = json.Unmarshal(r.body, &p)
	return p
}

func (r *Response) failf(format string, args ...any) {
	r.tb.Helper()
	message := fmt.Sprintf(format, args...)
	if !r.printed {
		message += "\n" + r.story()
	}
	r.printed = true
	r.tb.Error(message)
}

// story returns the request, the response, and a line that repeats the request.
func (r *Response) story() string {
	var b strings.Builder
	fmt.Fprintf(&b, "> %s %s\n", r.request.Method, r.request.URL.RequestURI())
	writeHeader(&b, "> ", r.request.Header)
	writeBody(&b, "> ", r.sent)
	fmt.Fprintf(&b, "< %s\n", r.response.Status)
	writeHeader(&b, "< ", r.response.Header)
	writeBody(&b, "< ", r.body)
	b.WriteString(curl(r.request, r.sent))
	return b.String()
}

func writeHeader(b *strings.Builder, mark string, h http.Header) {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value, _ := maskHeader(name, strings.Join(h.Values(name), ", "))
		fmt.Fprintf(b, "%s%s: %s\n", mark, name, value)
	}
}

// writeBody prints a body, or the start of a long one.
func writeBody(b *strings.Builder, mark string, body []byte) {
	const most = 8 << 10
	if len(body) == 0 {
		return
	}
	text := string(body)
	if len(text) > most {
		text = fmt.Sprintf("%s... (%d bytes in all)", strings.ToValidUTF8(text[:most], ""), len(body))
	}
	fmt.Fprintf(b, "%s\n%s%s\n", mark, mark, text)
}
