package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"trestle.example/internal/proving"
)

const (
	// A polite client sends politeRate requests a second.
	politeRate = 20
	// The usual address of a greedy client, and those of clients that do not share it.
	greedyAddress, elsewhere, third = "127.0.0.1", "127.0.0.2", "127.0.0.3"
	// The most that the p95 of a polite client may be, at an address of its own and at
	// the address of a greedy client.
	elsewhereP95, sharedP95 = 500 * time.Millisecond, time.Second
	// sharedLost is the part of its requests that a polite client may lose at the
	// address of a greedy client.
	sharedLost = 0.01
)

// TestNobodyStarves: polite clients are served beside a greedy client. With
// TRESTLE_PROVE=1 each of them sends 200 requests in ten seconds; TRESTLE_FAIR sets another
// time. Otherwise the test only checks that the server has no fault meanwhile.
func TestNobodyStarves(t *testing.T) {
	eachDatabase(t, func(t *testing.T, database string) {
		f := openFairness(t, database)
		for _, g := range greeds() {
			if g.postgres && !f.isPostgres() {
				continue
			}
			t.Run(g.name, func(t *testing.T) { f.suffer(t, g) })
		}
	})
}

// A fairness is a population, some of whose users are greedy.
type fairness struct {
	*population

	lasts    time.Duration
	scale    int      // by which the number of greedy connections is divided
	variant  string   // a thing to put into a cart
	accounts []string // with the password signInPassword
	server   *instance
	usual    *instance // with the default settings
}

// The generated users that are greedy, that are polite, and those of the rest.
const (
	greedyUser  = 0
	hoarder     = 1 // owns hoard patients
	firstPolite = 2
	endPolite   = 16
)

func openFairness(t *testing.T, database string) *fairness {
	t.Helper()
	f := &fairness{population: openPopulation(t, database), lasts: 500 * time.Millisecond, scale: 4}
	hoard, accounts := 400, 1
	if proving.On() {
		f.lasts, f.scale, hoard, accounts = lasting(t, "TRESTLE_FAIR", 10*time.Second), 1, 16_000, 20
	}
	f.patients(1_000_000, 1_000_000+hoard, strconv.Itoa(hoarder))
	f.exec("ANALYZE")
	if err := f.db.NewRaw("SELECT CAST(id AS text) FROM variants WHERE stock > 10 LIMIT 1").Scan(t.Context(), &f.variant); err != nil {
		t.Fatal(err)
	}
	f.openAccounts(t, accounts)
	return f
}

// suffer lets a greedy client work, and measures polite ones meanwhile.
func (f *fairness) suffer(t *testing.T, g greed) {
	t.Helper()
	f.server = f.serverOf(t, g)
	l := g.loop(f)
	l.address, l.seed, l.conns = f.server.address, f.seed, max(1, l.conns/f.scale)
	end, release := l.begin(t), func() {}
	if g.lock != nil {
		release = g.lock(t, f)
		_ = pause(t.Context(), loopWarmUp())
	}
	clients := f.politeBeside(g, l.from[0])
	for _, c := range clients {
		c.begin(t)
	}
	for _, c := range clients {
		c.judge(t, g.name)
	}
	release()
	greedy := end()
	t.Logf("%s: the greedy client: %.0f requests/s; %s", g.name, float64(greedy.offered)/greedy.lasts.Seconds(), greedy.tally())
}

// serverOf starts a server for a greedy client. Without proof those with the same
// settings share one.
func (f *fairness) serverOf(t *testing.T, g greed) *instance {
	t.Helper()
	if proving.On() || len(g.env) > 0 {
		return f.serve(t, nil, g.env...)
	}
	if f.usual == nil {
		f.usual = f.serve(f.t, nil)
	}
	return f.usual
}

// visits are the requests of a polite client: it reads patients of several users, each
// of them rarely, and products.
func (f *fairness) visits() []errand {
	patients := func(user int, dice *rand.Rand) []byte {
		if dice.IntN(2) == 0 {
			return request("GET", "/api/patients/"+f.seenBy(user, dice)+"/", tokenOfUser(user), "")
		}
		return request("GET", fmt.Sprintf("/api/patients/?page=%d", 1+dice.IntN(f.pagesOf(user))), tokenOfUser(user), "")
	}
	products := func(user int, dice *rand.Rand) []byte {
		return request("GET", fmt.Sprintf("/api/products?page=%d", 1+dice.IntN(5)), tokenOfUser(user), "")
	}
	return []errand{
		{name: "patients", weight: 1, next: f.bySome(firstPolite, endPolite, patients)},
		{name: "products", weight: 1, next: f.bySome(firstPolite, endPolite, products)},
	}
}

// A polite client sends a few requests, whether or not earlier ones were answered.
type polite struct {
	name   string
	stream *stream
	rate   float64
	lasts  time.Duration
	lost   float64       // the part of its requests that it may lose
	p95    time.Duration // which it may have; 0 for any
	sent   chan *phase
}

func (f *fairness) polite(name, from string, errands ...errand) *polite {
	s := newStream(f.server.address, f.seed, errands...)
	s.from = from
	return &polite{name: name, stream: s, rate: politeRate, lasts: f.lasts, sent: make(chan *phase, 1)}
}

// politeBeside are the clients that the server must serve beside a greedy client.
func (f *fairness) politeBeside(g greed, shared string) []*polite {
	visits := f.visits()
	if g.visits != nil {
		visits = g.visits(f)
	}
	other := f.polite("a polite client at another address", elsewhere, visits...)
	other.p95 = elsewhereP95
	all := []*polite{other}
	if g.visits == nil {
		same := f.polite("a polite client at the same address", shared, visits...)
		same.p95, same.lost = sharedP95, sharedLost
		all = append(all, same)
	}
	if g.signIn {
		right := f.polite("a client that signs in at a third address", third, f.signIn())
		right.rate, right.lasts = 1, 2*f.lasts
		all = append(all, right)
	}
	return all
}

func (c *polite) begin(t *testing.T) {
	t.Helper()
	t.Cleanup(c.stream.close)
	go func() { c.sent <- c.stream.run(t.Context(), c.rate, c.lasts).wait() }()
}

// judge checks what became of the requests.
func (c *polite) judge(t *testing.T, what string) {
	t.Helper()
	got := <-c.sent
	lost, p95 := got.offered-got.accepted.n, got.accepted.quantile(0.95)
	most := int(c.lost * float64(got.offered))
	figure(t, lost <= most, "%s: %s loses %d of %d requests (bound %d)", what, c.name, lost, got.offered, most)
	if c.p95 > 0 {
		figure(t, got.accepted.n > 0 && p95 <= c.p95, "%s: p95 of %s: %s (bound %s)", what, c.name, p95, c.p95)
	}
	t.Log(got)
	for _, one := range got.strange[:min(1, len(got.strange))] {
		t.Log(one)
	}
	if faults := got.faults(); faults > 0 && !proving.On() {
		t.Errorf("%d requests of a polite client were answered with a fault, such as %v", faults, got.strange)
	}
}
