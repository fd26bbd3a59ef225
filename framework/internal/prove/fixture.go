package prove

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/http"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/prove/report"
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

// A Fixture is the endpoints of an API, callers of every kind, and the rows that they made. It is not
// safe for concurrent use.
type Fixture struct {
	Options

	// Ctx ends the requests and the reads of the database.
	ctx context.Context
	// Registry is the checked API.
	registry *table.Registry
	// Endpoints has every endpoint, in the order of registration.
	endpoints []*endpoint
	// People has a caller of each kind.
	people []*person
	// Owner makes the rows that others try to reach.
	owner *person
	// Made are the rows that callers or migrations made, the oldest first.
	made []*row
	// Fits has, for each endpoint, how the last body that succeeded was made.
	fits map[*endpoint]writer
	// Start begins the random texts of bodies.
	start string
	// Requests counts the requests that were sent.
	requests int
	// Broken is an error that ends the proof.
	broken error
	// Perform sends a request for a row, nil for none, and returns the rows that are new. It is what
	// makes and changes rows. Callers of New may wrap it.
	perform func(e *endpoint, r request, on *row) (*answer, []*row)

	dice      *rand.Rand
	document  wire.Members
	keys      map[string][]string // the columns of the primary key, by table
	singulars map[string]string   // the names of tables
	words     map[string]bool     // random texts of bodies, which no other row has by chance
	now       contents            // of the database; nil after a request that may have changed it
	last      contents            // as last read, with the commits before
	commits   string
	known     contents                      // the source of the values of made
	present   contents                      // that has every row of made
	failures  map[attempt]int               // how often a create failed
	yields    map[*endpoint]map[string]bool // the tables that had new rows after a create
	making    map[*endpoint]bool            // endpoints that are making a row
	small     bool                          // pages of lists have one row
}

// New makes a caller of each kind, and the endpoints of a checked API. It removes the throttles, because
// answers of 429 would hide all others. The rows that the database has already, as those of a migration,
// count as made by no caller.
func New(ctx context.Context, registry *table.Registry, o Options) (*Fixture, error) {
	p := &Fixture{
		Options: o, ctx: ctx, registry: registry, dice: rand.New(rand.NewPCG(o.Seed, 0)), making: map[*endpoint]bool{}, keys: map[string][]string{},
		failures: map[attempt]int{}, singulars: map[string]string{}, yields: map[*endpoint]map[string]bool{},
		fits: map[*endpoint]writer{}, words: map[string]bool{},
	}
	p.perform = p.sendAndLearn
	p.unthrottle()
	p.learn(nil, &person{header: http.Header{}})
	catalog := describe.NewCatalog(registry)
	var err error
	if p.document, err = catalog.Document(); err != nil {
		return nil, err
	}
	if err := p.gather(catalog); err != nil {
		return nil, err
	}
	return p, p.list(catalog)
}

// Stop ends the proof with an error, if there is one.
func (p *Fixture) stop(err error) { p.broken = cmp.Or(p.broken, err) }

func (p *Fixture) unthrottle() {
	for _, r := range p.registry.Resources {
		r.Access.Throttles = nil
		for _, e := range r.Endpoints {
			e.Throttles = nil
		}
	}
}

// sendAndLearn sends a request, and returns the rows that are new.
func (p *Fixture) sendAndLearn(e *endpoint, r request, on *row) (*answer, []*row) {
	before := p.contents()
	return p.send(e, r), p.learn(before, makerOf(r, on))
}

// makerOf returns the person who counts as the maker of the rows that a request makes: the one who made the
// row of the request, or else the sender.
func makerOf(r request, on *row) *person {
	if on != nil {
		return on.by
	}
	return r.by
}

// list lists the endpoints, with the access of each caller by the declarations.
func (p *Fixture) list(catalog describe.Catalog) (err error) {
	described := catalog.Described()
	callers := make([]*call.Caller, len(p.people))
	for i, one := range p.people {
		callers[i] = one.caller
	}
	endpoints := p.registry.Endpoints()
	for i, row := range catalog.Access(callers) {
		e := &endpoint{Endpoint: endpoints[i], info: row.RouteInfo, spec: described[i], tried: &report.Tried{RouteInfo: row.RouteInfo}}
		for _, access := range row.Access {
			e.tried.Cells = append(e.tried.Cells, report.Cell{Access: access, Statuses: map[int]int{}})
		}
		if e.body, err = p.bodyOf(e); err != nil {
			return err
		}
		if e.Pagination != nil { // after the document is made from the pages
			e.Pagination = smallPages{e.Pagination, &p.small}
		}
		p.endpoints = append(p.endpoints, e)
	}
	return nil
}
