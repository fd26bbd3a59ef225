package prove

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/report"
	"trestle.example/framework/internal/table"
)

// A prover is a proof under way.
type prover struct {
	*fixture.Fixture

	report *report.Report
	kinds  map[string]int      // the places of the findings of each kind in the report
	later  []*fixture.Endpoint // that were not exercised, because their rows may come from endpoints after them
	again  bool                // the endpoints are tried for the second time
}

// Run proves a checked API, whose database is changed by it. The error is not a finding: the API
// could not be tried.
func Run(ctx context.Context, registry *table.Registry, o fixture.Options) (*report.Report, error) {
	f, err := fixture.New(ctx, registry, o)
	if err != nil {
		return nil, err
	}
	p := &prover{Fixture: f, report: &report.Report{
		Title: registry.Config.Title, Version: registry.Config.Version, At: registry.Config.Now().UTC(), Seed: o.Seed,
		Findings: []report.Finding{}, Unexercised: []report.Finding{}, FieldRules: fieldRules(registry.Resources),
	}, kinds: map[string]int{}}
	for _, one := range f.People {
		p.report.Callers = append(p.report.Callers, one.Name)
	}
	for _, e := range f.Endpoints {
		p.report.Endpoints = append(p.report.Endpoints, e.Tried)
	}
	f.Perform = p.perform
	p.tryOptions()
	p.tryLists()
	if err := p.tryEndpoints(p.Endpoints); err != nil {
		return nil, err
	}
	p.again = true
	p.Retry()
	if err := p.tryEndpoints(p.later); err != nil {
		return nil, err
	}
	p.tryChanges() // at last, because now there are rows of many people
	p.tryDeleted()
	p.tryMine()
	p.report.Requests = p.Requests
	return p.report, cmp.Or(ctx.Err(), p.Broken)
}

// tryEndpoints tries some endpoints, one after another.
func (p *prover) tryEndpoints(all []*fixture.Endpoint) error {
	for _, e := range all {
		if err := cmp.Or(p.Ctx.Err(), p.Broken); err != nil {
			return err
		}
		p.tryEndpoint(e)
	}
	return nil
}

// fieldRules lists the rules about the fields of viewsets.
func fieldRules(resources []*table.Resource) []report.FieldRule {
	all := []report.FieldRule{}
	for _, r := range resources {
		for _, rule := range r.Declaration.Fields {
			what := "sees"
			if rule.Writes {
				what = "writes"
			}
			all = append(all, report.FieldRule{ViewSet: r.Path, Field: rule.Field, Rule: what, Permission: fmt.Sprint(rule.Permission)})
		}
	}
	return all
}

// quoted is a text in a sentence, such as the value that an answer has.
var quoted = regexp.MustCompile(`"[^"]*"`)

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
