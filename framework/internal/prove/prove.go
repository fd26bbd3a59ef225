package prove

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"trestle.example/framework/internal/prove/report"
	"trestle.example/framework/internal/table"
)

// A prover is a proof under way.
type prover struct {
	*Fixture

	report *report.Report
}

// Run proves a checked API, whose database is changed by it. The error is not a finding: the API
// could not be tried.
func Run(ctx context.Context, registry *table.Registry, o Options) (*report.Report, error) {
	f, err := New(ctx, registry, o)
	if err != nil {
		return nil, err
	}
	p := &prover{f, &report.Report{Seed: o.Seed, Findings: []report.Finding{}, Unexercised: []report.Finding{}, FieldRules: fieldRules(registry.Resources)}}
	for _, one := range f.people {
		p.report.Callers = append(p.report.Callers, one.Name)
	}
	for _, e := range f.endpoints {
		p.report.Endpoints = append(p.report.Endpoints, e.tried)
	}
	f.perform = p.perform
	p.tryOptions()
	p.tryLists()
	for _, e := range p.endpoints {
		if err := cmp.Or(ctx.Err(), p.broken); err != nil {
			return nil, err
		}
		p.tryEndpoint(e)
	}
	p.tryChanges() // at last, because now there are rows of many people
	p.tryDeleted()
	p.tryMine()
	p.report.Requests = p.requests
	return p.report, cmp.Or(ctx.Err(), p.broken)
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
			all = append(all, report.FieldRule{r.Path, rule.Field, what, fmt.Sprint(rule.Permission)})
		}
	}
	return all
}

// find adds a leak to the report.
func (p *prover) find(e *endpoint, by *person, curl, sentence string, args ...any) {
	p.report.Findings = append(p.report.Findings, findingOf(e, by, curl, fmt.Sprintf(sentence, args...)))
}

// skip adds an endpoint that was not exercised to the report.
func (p *prover) skip(e *endpoint, by *person, curl, sentence string, args ...any) {
	p.report.Unexercised = append(p.report.Unexercised, findingOf(e, by, curl, fmt.Sprintf(sentence, args...)))
}

// findingOf makes a finding, without the bytes of an answer that are no text.
func findingOf(e *endpoint, by *person, curl, what string) report.Finding {
	return report.Finding{e.info.Method, e.info.Path, by.Name, strings.ToValidUTF8(what, "?"), strings.ToValidUTF8(curl, "?")}
}
