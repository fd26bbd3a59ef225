package exchange

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/prove/sample"
	"trestle.example/framework/internal/table"
)

// An Answer is what the server sent.
type Answer struct {
	Request

	Status int
	Header http.Header
	Text   string
	Whole  string // of Text, which may be one of several results
}

// OK reports a success.
func (a *Answer) OK() bool { return a.Status >= http.StatusOK && a.Status < http.StatusMultipleChoices }

// Rejects reports whether the answer is 401 or 403.
func (a *Answer) Rejects() bool {
	return a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden
}

// Value is the body, read as JSON; nil for any other.
func (a *Answer) Value() any {
	var value any
	d := json.NewDecoder(strings.NewReader(a.Text))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil
	}
	return value
}

// Headers are the values of the headers of an answer.
func (a *Answer) Headers() string { return fmt.Sprint(slices.Collect(maps.Values(a.Header))) }

// changing are headers that differ between two answers to the same request.
// Content-Length depends on the length of a key that a body repeats; the body itself is compared.
var changing = []string{"Age", "Content-Length", "Date", "Expires", "X-Request-Id", "Traceparent", "Server-Timing", "Retry-After"}

// Plain returns an answer without what no two answers have in common. The texts in masked, such
// as the key that a path names and that of no row, count as equal.
func (a *Answer) Plain(masked ...string) string {
	var text strings.Builder
	text.WriteString(http.StatusText(a.Status))
	for _, name := range slices.Sorted(maps.Keys(a.Header)) {
		if !slices.Contains(changing, name) && !strings.HasPrefix(name, "Ratelimit") {
			text.WriteString("\n" + name + ": " + strings.Join(a.Header[name], ", "))
		}
	}
	whole := text.String() + "\n\n" + a.Text
	longest := func(a, b string) int { return len(b) - len(a) }
	for _, one := range slices.SortedStableFunc(slices.Values(masked), longest) {
		for _, form := range forms(one) {
			whole = sample.Mask(whole, form, "<key>")
		}
	}
	return sample.Mask(whole, a.Header.Get("X-Request-Id"), "<request>")
}

// Last returns an answer that is a list with a result for each item as the last of them: with its status, and its row or its
// error. The items before it are of rows that the sender may change. It returns any other answer unchanged.
func (a *Answer) Last(e *Endpoint) *Answer {
	if e.Bulk == nil || !e.Bulk.Each || !a.OK() {
		return a
	}
	text := []byte(a.Text)
	if e.AnswerIn != "" {
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) != nil {
			return a
		}
		text = object[e.AnswerIn]
	}
	var results []table.Result
	if json.Unmarshal(text, &results) != nil || len(results) == 0 {
		return a
	}
	one, result := *a, results[len(results)-1]
	one.Status, one.Text = result.Status, string(result.Row)+string(result.Problem)
	return &one
}
