package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/report"
	"trestle.example/framework/internal/prove/shown"
	"trestle.example/framework/internal/table"
)

// A Checker sends the requests of a proof, checks what they change and what their answers have, and adds findings to a report.
type Checker struct {
	*fixture.Fixture

	Views  shown.Views
	report *report.Report
	kinds  map[string]int     // the places of the findings of each kind in the report
	moved  map[movedText]bool // what a person sent, and so may get back

	tags      map[tag]*exchange.Answer // the first answer with an ETag; nil after a comparison
	comparing bool                     // requests with equal ETags are sent again
	rules     bool                     // a viewset has rules about fields
}

// New returns the checker of a fixture. It also checks the requests by which the fixture makes rows.
func New(f *fixture.Fixture, to *report.Report) *Checker {
	c := &Checker{Fixture: f, Views: shown.Find(f), report: to, kinds: map[string]int{}, moved: map[movedText]bool{}, tags: map[tag]*exchange.Answer{}}
	c.rules = slices.ContainsFunc(f.Registry.Resources, func(r *table.Resource) bool { return len(r.Fields) > 0 })
	f.Perform, f.Examine = c.Perform, func(e *exchange.Endpoint, got *exchange.Answer) {
		c.checkCaching(e, got)
		c.checkMembers(e, got)
		c.checkRelated(e, got)
		c.checkTotals(e, got)
		c.checkTags(e, got)
	}
	return c
}

// quoted is a text in a sentence, such as the value that an answer has.
var quoted = regexp.MustCompile(`"[^"]*"`)

// A movedText is a text of another's row that a person put into a body.
type movedText struct {
	who  *exchange.Person
	text string
}

// Move records that a person sends a text of another's row, and so may get it back.
func (c *Checker) Move(who *exchange.Person, text string) { c.moved[movedText{who, text}] = true }

// Moved reports whether a person sent a text of another's row.
func (c *Checker) Moved(who *exchange.Person, text string) bool { return c.moved[movedText{who, text}] }

// Find adds a leak to the report. Of the leaks of one kind at an endpoint by one caller, it adds the first,
// and counts the others: their sentences begin with the same line, quoted texts aside.
func (c *Checker) Find(e *exchange.Endpoint, by *exchange.Person, curl, sentence string, args ...any) {
	found := findingOf(e, by, curl, fmt.Sprintf(sentence, args...))
	line, _, _ := strings.Cut(found.What, "\n")
	kind := fmt.Sprintf("%p %s: %s", e, by.Name, quoted.ReplaceAllString(line, ""))
	if at, known := c.kinds[kind]; known {
		c.report.Findings[at].Further++
		return
	}
	c.kinds[kind] = len(c.report.Findings)
	c.report.Findings = append(c.report.Findings, found)
}

// Skip adds an endpoint that was not exercised to the report.
func (c *Checker) Skip(e *exchange.Endpoint, by *exchange.Person, curl, sentence string, args ...any) {
	c.report.Unexercised = append(c.report.Unexercised, findingOf(e, by, curl, fmt.Sprintf(sentence, args...)))
}

// findingOf makes a finding, without the bytes of an answer that are no text.
func findingOf(e *exchange.Endpoint, by *exchange.Person, curl, what string) report.Finding {
	return report.Finding{
		Method: e.Info.Method, Path: e.Info.Path, Caller: by.Name,
		What: strings.ToValidUTF8(what, "?"), Curl: strings.ToValidUTF8(curl, "?"),
	}
}
