package prove

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"trestle.example/framework/internal/prove/check"
	"trestle.example/framework/internal/prove/deleted"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/lists"
	"trestle.example/framework/internal/prove/report"
	"trestle.example/framework/internal/prove/retries"
	"trestle.example/framework/internal/table"
)

// A prover is a proof under way.
type prover struct {
	*check.Checker

	later []*exchange.Endpoint // that were not exercised, because their rows may come from endpoints after them
	again bool                 // the endpoints are tried for the second time
}

// Run proves a checked API, whose database is changed by it. The error is not a finding: the API
// could not be tried.
func Run(ctx context.Context, registry *table.Registry, o fixture.Options) (*report.Report, error) {
	f, err := fixture.New(ctx, registry, o)
	if err != nil {
		return nil, err
	}
	result := &report.Report{
		Title: registry.Config.Title, Version: registry.Config.Version, At: registry.Config.Now().UTC(), Seed: o.Seed,
		Findings: []report.Finding{}, Unexercised: []report.Finding{}, FieldRules: fieldRules(registry.Resources),
	}
	for _, one := range f.People {
		result.Callers = append(result.Callers, one.Name)
	}
	for _, e := range f.Endpoints {
		result.Endpoints = append(result.Endpoints, e.Tried)
	}
	p := &prover{Checker: check.New(f, result)}
	p.tryOptions()
	lists.CompareCreates(p.Checker)
	if err := p.tryEndpoints(p.Endpoints); err != nil {
		return nil, err
	}
	p.again = true
	p.Retry()
	if err := p.tryEndpoints(p.later); err != nil {
		return nil, err
	}
	lists.CompareChanges(p.Checker) // at last, because now there are rows of many people
	deleted.Try(p.Checker)
	lists.TryMine(p.Checker)
	p.tryQuotas()
	p.tryReads()
	retries.Resend(p.Checker)
	result.Requests, result.Unshared = p.Requests, p.unshared()
	result.JoinRests(ownRests(f.Endpoints))
	return result, cmp.Or(ctx.Err(), p.Broken)
}

// tryEndpoints tries some endpoints, one after another.
func (p *prover) tryEndpoints(all []*exchange.Endpoint) error {
	for _, e := range all {
		if err := cmp.Or(p.Ctx.Err(), p.Broken); err != nil {
			return err
		}
		p.tryEndpoint(e)
	}
	return nil
}

// ownRests returns the column of the holder of the others for each endpoint that has one.
func ownRests(all []*exchange.Endpoint) map[*report.Tried]int {
	own := map[*report.Tried]int{}
	for _, e := range all {
		if at := slices.IndexFunc(e.Callers, func(who *exchange.Person) bool { return who.Rest }); at >= 0 {
			own[e.Tried] = e.Callers[at].At
		}
	}
	return own
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
