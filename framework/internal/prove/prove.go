package prove

import (
	"cmp"
	"context"
	"fmt"

	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/report"
	"trestle.example/framework/internal/prove/shown"
	"trestle.example/framework/internal/table"
)

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
	}, kinds: map[string]int{}, views: shown.Find(f), moved: map[movedText]bool{}}
	for _, one := range f.People {
		p.report.Callers = append(p.report.Callers, one.Name)
	}
	for _, e := range f.Endpoints {
		p.report.Endpoints = append(p.report.Endpoints, e.Tried)
	}
	f.Perform, f.Examine = p.perform, p.checkCaching
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
	p.tryQuotas()
	p.tryResends()
	p.report.Requests, p.report.Unshared = p.Requests, p.unshared()
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
