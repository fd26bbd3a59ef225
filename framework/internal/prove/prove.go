package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
)

// Options are what a proof needs beside the checked API.
type Options struct {
	// Handler serves the API on its database, which must have no rows but those of its migrations. Required.
	Handler http.Handler
	// SignIn makes a user of a kind in the database. It returns the headers of its requests, and
	// the caller as the API identifies it. Required.
	SignIn func(ctx context.Context, k Kind) (http.Header, *call.Caller, error)
	// Seed determines the requests, except for values that the server makes, and for dates, which
	// count from today.
	Seed uint64
	// Callers are kinds of callers beside the usual ones, for permissions of the program's own types.
	Callers []Kind
}

// A Kind is a kind of caller.
type Kind struct {
	Name        string // "user"
	Email       string // at whose domain its address is; "" for any
	Staff       bool
	Superuser   bool
	Permissions []string
}

// The names of the usual callers. Each other caller is named like the permission that it holds.
const (
	visitor   = "visitor"
	owner     = "owner" // a user, who makes the rows that others try to reach
	user      = "user"
	staff     = "staff"
	holder    = "holder of all" // of the permissions
	superuser = "superuser"
)

// A prover is a proof under way.
type prover struct {
	Options

	ctx       context.Context
	registry  *table.Registry
	document  wire.Members
	endpoints []*endpoint
	people    []*person // in the order of the report's callers
	owner     *person   // makes the rows that others try to reach
	dice      *rand.Rand
	made      []*row
	keys      map[string][]string // the columns of the primary key, by table
	report    *Report
	broken    error    // that ends the proof
	now       contents // of the database; nil after a request that may have changed it
	last      contents // as last read, with the commits before
	commits   string
	known     contents                      // the source of the values of made
	present   contents                      // that has every row of made
	singulars map[string]string             // the names of tables
	failures  map[attempt]int               // how often a create failed
	yields    map[*endpoint]map[string]bool // the tables that had new rows after a create
	making    map[*endpoint]bool            // endpoints that are making a row
	fits      map[*endpoint]writer          // how the last body that succeeded was made
	words     map[string]bool               // random texts of bodies, which no other row has by chance
	start     string                        // of random texts
	small     bool                          // pages of lists have one row
}

// An endpoint is one endpoint of the API.
type endpoint struct {
	*table.Endpoint

	info  spec.RouteInfo
	spec  *spec.Endpoint
	tried *Tried
	body  map[string]any // the JSON Schema of its body, nil without one
	// endless: an answer was cut off, as that of a stream which goes on.
	endless bool
	// steady: an answer stayed the same for a second. timed: it did not.
	steady, timed bool
}

// A person is a caller whose requests the server identifies.
type person struct {
	Kind

	header http.Header
	caller *call.Caller // nil for the visitor
	at     int          // in the report's callers; that of a second user is that of the first
}

// Run proves a checked API, whose database is changed by it. The error is not a finding: the API
// could not be tried.
func Run(ctx context.Context, registry *table.Registry, o Options) (*Report, error) {
	p := &prover{
		Options: o, ctx: ctx, registry: registry, dice: rand.New(rand.NewPCG(o.Seed, 0)),
		report: &Report{Seed: o.Seed, Findings: []Finding{}, Unexercised: []Finding{}}, making: map[*endpoint]bool{}, keys: map[string][]string{},
		failures: map[attempt]int{}, singulars: map[string]string{}, yields: map[*endpoint]map[string]bool{},
		fits: map[*endpoint]writer{}, words: map[string]bool{},
	}
	if err := p.begin(); err != nil {
		return nil, err
	}
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
	return p.report, cmp.Or(ctx.Err(), p.broken)
}

// stop ends the proof with an error, if there is one.
func (p *prover) stop(err error) { p.broken = cmp.Or(p.broken, err) }

// unthrottle removes the throttles, because answers of 429 would hide all others.
func (p *prover) unthrottle() {
	for _, r := range p.registry.Resources {
		r.Access.Throttles = nil
		for _, e := range r.Endpoints {
			e.Throttles = nil
		}
	}
}

// begin reads the declarations and makes the people. The rows that the database has already, as those
// of a migration, count as made by no caller.
func (p *prover) begin() error {
	p.unthrottle()
	migration := &person{header: http.Header{}}
	p.learn(nil, p.contents(), migration)
	catalog := describe.NewCatalog(p.registry)
	document, err := catalog.Document()
	if err != nil {
		return err
	}
	p.document = document
	if err := p.gather(catalog); err != nil {
		return err
	}
	described := catalog.Described()
	callers := make([]*call.Caller, len(p.people))
	for i, one := range p.people {
		callers[i] = one.caller
	}
	endpoints := p.registry.Endpoints()
	for i, row := range catalog.Access(callers) {
		e := &endpoint{Endpoint: endpoints[i], info: row.RouteInfo, spec: described[i], tried: &Tried{RouteInfo: row.RouteInfo}}
		for _, access := range row.Access {
			e.tried.Cells = append(e.tried.Cells, Cell{access, map[int]int{}})
		}
		if e.body, err = p.bodyOf(e); err != nil {
			return err
		}
		if e.Pagination != nil { // after the document is made from the pages
			e.Pagination = smallPages{e.Pagination, &p.small}
		}
		p.endpoints, p.report.Endpoints = append(p.endpoints, e), append(p.report.Endpoints, e.tried)
	}
	p.report.FieldRules = fieldRules(p.registry.Resources)
	return nil
}

// fieldRules lists the rules about the fields of viewsets.
func fieldRules(resources []*table.Resource) []FieldRule {
	all := []FieldRule{}
	for _, r := range resources {
		for _, rule := range r.Declaration.Fields {
			what := "sees"
			if rule.Writes {
				what = "writes"
			}
			all = append(all, FieldRule{r.Path, rule.Field, what, fmt.Sprint(rule.Permission)})
		}
	}
	return all
}

// gather makes a person of each kind: a visitor, two users, one of the staff, a holder of each
// permission, a holder of all, and a superuser. The first user makes the rows that the others try
// to reach.
func (p *prover) gather(catalog describe.Catalog) error {
	kinds := []Kind{{Name: owner}, {Name: user}, {Name: staff, Staff: true}}
	all := catalog.Permissions()
	for _, permission := range all {
		kinds = append(kinds, Kind{Name: permission, Permissions: []string{permission}})
	}
	if len(all) > 1 {
		kinds = append(kinds, Kind{Name: holder, Permissions: all})
	}
	kinds = append(append(kinds, p.Callers...), Kind{Name: superuser, Staff: true, Superuser: true})
	p.people = []*person{{Kind: Kind{Name: visitor}, header: http.Header{}}}
	known := map[string]bool{}
	for _, k := range kinds {
		one, err := p.arrive(k, len(p.people))
		if err == nil && known[one.caller.IDText()] {
			err = errors.New("SignIn returned the same caller as before")
		}
		if err != nil {
			return fmt.Errorf("a caller of the kind %q cannot be made: %w", k.Name, err)
		}
		p.people, known[one.caller.IDText()] = append(p.people, one), true
	}
	p.owner = p.people[1]
	for _, one := range p.people {
		p.report.Callers = append(p.report.Callers, one.Name)
	}
	return nil
}

// arrive makes one more person of a kind.
func (p *prover) arrive(k Kind, at int) (*person, error) {
	p.now = nil
	header, caller, err := p.SignIn(p.ctx, k)
	if err == nil && caller.Anonymous() {
		err = errors.New("SignIn returned no caller")
	}
	if err != nil {
		return nil, err
	}
	return &person{Kind: k, header: header, caller: caller, at: at}, nil
}

// others are all people except one.
func (p *prover) others(of *person) []*person {
	return slices.DeleteFunc(slices.Clone(p.people), func(one *person) bool { return one == of })
}

// access is the access of a person to an endpoint by the declarations.
func (e *endpoint) access(of *person) spec.Access { return e.tried.Cells[of.at].Access }

// find adds a leak to the report.
func (p *prover) find(e *endpoint, by *person, curl, sentence string, args ...any) {
	p.report.Findings = append(p.report.Findings, findingOf(e, by, curl, fmt.Sprintf(sentence, args...)))
}

// skip adds an endpoint that was not exercised to the report.
func (p *prover) skip(e *endpoint, by *person, curl, sentence string, args ...any) {
	p.report.Unexercised = append(p.report.Unexercised, findingOf(e, by, curl, fmt.Sprintf(sentence, args...)))
}

// findingOf makes a finding, without the bytes of an answer that are no text.
func findingOf(e *endpoint, by *person, curl, what string) Finding {
	return Finding{e.info.Method, e.info.Path, by.Name, strings.ToValidUTF8(what, "?"), strings.ToValidUTF8(curl, "?")}
}
