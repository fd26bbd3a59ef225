package prove

import (
	"fmt"
	"regexp"
	"strings"

	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/report"
	"trestle.example/framework/internal/prove/shown"
)

// A prover is a proof under way.
type prover struct {
	*fixture.Fixture

	report *report.Report
	kinds  map[string]int      // the places of the findings of each kind in the report
	later  []*fixture.Endpoint // that were not exercised, because their rows may come from endpoints after them
	again  bool                // the endpoints are tried for the second time
	views  shown.Views
	moved  map[movedText]bool // what a person sent, and so may get back
}

// quoted is a text in a sentence, such as the value that an answer has.
var quoted = regexp.MustCompile(`"[^"]*"`)

// A movedText is a text of another's row that a person put into a body.
type movedText struct {
	who  *fixture.Person
	text string
}

// find adds a leak to the report. Of the leaks of one kind at an endpoint by one caller, it adds the first,
// and counts the others: their sentences begin with the same line, quoted texts aside.
func (p *prover) find(e *fixture.Endpoint, by *fixture.Person, curl, sentence string, args ...any) {
	found := findingOf(e, by, curl, fmt.Sprintf(sentence, args...))
	line, _, _ := strings.Cut(found.What, "\n")
	kind := fmt.Sprintf("%p %s: %s", e, by.Name, quoted.ReplaceAllString(line, ""))
	if at, known := p.kinds[kind]; known {
		p.report.Findings[at].Further++
		return
	}
	p.kinds[kind] = len(p.report.Findings)
	p.report.Findings = append(p.report.Findings, found)
}

// skip adds an endpoint that was not exercised to the report.
func (p *prover) skip(e *fixture.Endpoint, by *fixture.Person, curl, sentence string, args ...any) {
	p.report.Unexercised = append(p.report.Unexercised, findingOf(e, by, curl, fmt.Sprintf(sentence, args...)))
}

// findingOf makes a finding, without the bytes of an answer that are no text.
func findingOf(e *fixture.Endpoint, by *fixture.Person, curl, what string) report.Finding {
	return report.Finding{
		Method: e.Info.Method, Path: e.Info.Path, Caller: by.Name,
		What: strings.ToValidUTF8(what, "?"), Curl: strings.ToValidUTF8(curl, "?"),
	}
}
