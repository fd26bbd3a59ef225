package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trestle.example/framework/frameworktest/postgres"
	"trestle.example/framework/sqldb"
)

const (
	// mostRefusal bounds what 99 of 100 take who are told that the database is
	// away, and mostRecovery the time to the first success when it is back.
	mostRefusal  = time.Second
	mostRecovery = 5 * time.Second
	// mostWait is how long a client waits for any answer at all.
	mostWait = 10 * time.Second
)

// A fault is what happens to a database, and how it ends.
type fault struct {
	name       string
	begin, end func(*postgres.Durable, context.Context) error
}

var faults = []fault{
	{"is shut", (*postgres.Durable).Shut, (*postgres.Durable).Up},
	{"crashes", (*postgres.Durable).Crash, (*postgres.Durable).Up},
	{
		"is frozen",
		func(d *postgres.Durable, _ context.Context) error { return d.Freeze() },
		func(d *postgres.Durable, _ context.Context) error { return d.Thaw() },
	},
}

// TestOutage: the database goes away and comes back under load. Nobody is
// answered 500 or kept waiting, the server says how it is and finds back by
// itself, what was acknowledged is there, and the log tells of it once.
func TestOutage(t *testing.T) {
	rounds := 1
	if underProof() {
		rounds = 5
	}
	o := openOutage(t)
	rest := o.work(32)
	for range rounds {
		for _, f := range faults {
			o.suffer(f)
		}
	}
	rest()
	o.tell()
	o.audit()
	o.stop()
	o.auditLog(rounds * len(faults))
}

// An outage is a server whose database comes and goes, and what its clients see.
type outage struct {
	*instance

	cluster *postgres.Durable
	token   string
	seed    uint64

	good, refused, alive atomic.Int64
	recovered            []time.Duration
	made                 acknowledged

	mu      sync.Mutex
	refusal spread
	odd     map[string]int
}

func openOutage(t *testing.T) *outage {
	t.Helper()
	o := &outage{cluster: startDurable(t), seed: uint64(time.Now().UnixNano()), odd: map[string]int{}}
	t.Logf("seed %d", o.seed)
	r := newRig(t, o.cluster.URL())
	r.ok("migrate up")
	r.ok("seed --patients 200 --appointments 200 --products 20")
	o.token = tokenOf(r, triedOut)
	o.instance = newInstance(t, freeAddress(t, rand.New(rand.NewPCG(o.seed, 0))), nil, []string{"DATABASE_URL=" + o.cluster.URL()})
	o.begin()
	return o
}

// work lets clients work until they are told to rest, and asks all the time
// whether the server is alive.
func (o *outage) work(clients int) (rest func()) {
	ctx, cancel := context.WithCancel(o.t.Context())
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() { o.client(ctx, rand.New(rand.NewPCG(o.seed, uint64(i+1)))) })
	}
	all.Go(func() { o.watch(ctx) })
	end := func() { cancel(); all.Wait() }
	o.t.Cleanup(end)
	return end
}

// client asks for one thing after the other, and comes again soon when it is
// refused.
func (o *outage) client(ctx context.Context, dice *rand.Rand) {
	w := wire{address: o.address}
	defer w.close()
	for ctx.Err() == nil {
		sent, creates := o.errand(dice)
		began := time.Now()
		got, err := w.send(sent, mostWait)
		if o.note(got, err, time.Since(began)); creates && got.status == http.StatusCreated {
			o.made.note(got.body)
		}
		rest := 5 * time.Millisecond
		if got.status == http.StatusServiceUnavailable {
			rest = 20*time.Millisecond + time.Duration(dice.Int64N(int64(20*time.Millisecond)))
		}
		_ = pause(ctx, rest)
	}
}

func (o *outage) errand(dice *rand.Rand) (sent []byte, creates bool) {
	switch dice.IntN(4) {
	case 0:
		return request("POST", "/api/patients/", o.token, `{"name": "Zara Outage", "phone": "555 0100"}`), true
	case 1:
		return request("GET", fmt.Sprintf("/api/patients/?page=%d", 1+dice.IntN(5)), o.token, ""), false
	case 2:
		return request("GET", fmt.Sprintf("/api/products?page=%d", 1+dice.IntN(2)), "", ""), false
	}
	return request("GET", "/api/auth/me", o.token, ""), false
}

// note sorts answers into good ones, refusals that say when to come again, and
// what there should not be.
func (o *outage) note(got reply, err error, took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err != nil:
		o.odd[fmt.Sprintf("no answer: %v", err)]++
	case got.status == http.StatusServiceUnavailable && got.retryAfter:
		o.refused.Add(1)
		o.refusal.add(took)
	case got.status == http.StatusOK || got.status == http.StatusCreated:
		o.good.Add(1)
	default:
		o.odd[fmt.Sprintf("%d %s", got.status, got.body)]++
	}
}

// watch asks whether the server is alive, which it is whatever its database does.
func (o *outage) watch(ctx context.Context) {
	for pause(ctx, 50*time.Millisecond) == nil {
		status := healthOf(o.address, "/livez")
		o.alive.Add(1)
		if status != http.StatusOK {
			o.mu.Lock()
			o.odd[fmt.Sprintf("/livez %d", status)]++
			o.mu.Unlock()
		}
	}
}

// suffer lets one fault begin and end in the midst of the load.
func (o *outage) suffer(f fault) {
	o.t.Helper()
	ready := func(want int) func() bool {
		return func() bool { return healthOf(o.address, "/readyz") == want }
	}
	o.await("requests are done", &o.good, 100)
	o.must(f.begin(o.cluster, o.t.Context()))
	lasts := time.After(0)
	if underProof() {
		lasts = time.After(3 * time.Second)
	}
	o.await("requests are refused while the database "+f.name, &o.refused, 100)
	untilSo(o.t, "/readyz says that the database "+f.name, ready(http.StatusServiceUnavailable))
	<-lasts
	before := o.good.Load()
	o.must(f.end(o.cluster, o.t.Context()))
	back := time.Now()
	o.await("requests are done again", &o.good, before-o.good.Load()+1)
	o.recovered = append(o.recovered, time.Since(back))
	untilSo(o.t, "/readyz says that the database is back", ready(http.StatusOK))
}

func (o *outage) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// await waits for so many more answers of a kind.
func (o *outage) await(what string, kind *atomic.Int64, more int64) {
	o.t.Helper()
	enough := kind.Load() + more
	untilSo(o.t, what, func() bool { return kind.Load() >= enough })
}

// tell prints what clients saw.
func (o *outage) tell() {
	o.t.Helper()
	for what, times := range o.odd {
		o.t.Errorf("%d times: %s", times, what)
	}
	if o.alive.Load() == 0 {
		o.t.Error("nobody asked whether the server is alive")
	}
	figure(o.t, len(o.odd) == 0, "%d outages, %d requests done and %d refused: %d kinds of other answers, 500 among them (bound 0)",
		len(o.recovered), o.good.Load(), o.refused.Load(), len(o.odd))
	p99, slowest := o.refusal.quantile(0.99), slices.Max(o.recovered)
	figure(o.t, p99 < mostRefusal, "refusals: p99 %s (bound: under %s), the slowest %s", p99, mostRefusal, o.refusal.quantile(1))
	figure(o.t, slowest < mostRecovery, "from the database's return to the first success: %s at most (bound: under %s)", slowest.Round(time.Millisecond), mostRecovery)
}

// audit checks that what was acknowledged is there.
func (o *outage) audit() {
	o.t.Helper()
	db, err := sqldb.Open(o.cluster.URL(), sqldb.Options{})
	o.must(err)
	defer db.Close()
	var there []string
	o.must(db.NewRaw("SELECT id::text FROM patients WHERE name = 'Zara Outage' ORDER BY 1").Scan(o.t.Context(), &there))
	lost := 0
	for _, id := range o.made.ids {
		if _, found := slices.BinarySearch(there, id); !found {
			lost++
		}
	}
	figure(o.t, lost == 0, "%d of %d acknowledged writes are lost (bound 0)", lost, len(o.made.ids))
	if lost > 0 || len(o.made.ids) == 0 {
		o.t.Errorf("of %d acknowledged writes %d are lost", len(o.made.ids), lost)
	}
}

// auditLog checks that the log tells of each outage, and not of each request at
// the level of errors.
func (o *outage) auditLog(outages int) {
	o.t.Helper()
	text, err := os.ReadFile(o.log)
	o.must(err)
	away, back := 0, 0
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.Contains(line, "level=ERROR msg=request "):
			o.t.Errorf("a request is an error: %s", line)
		case strings.Contains(line, `level=ERROR msg="the database does not answer"`):
			away++
		case strings.Contains(line, `level=INFO msg="the database answers again"`):
			back++
		}
	}
	if away < outages || away > 2*outages || back != away {
		o.t.Errorf("of %d outages the log tells %d times that the database is away and %d times that it is back", outages, away, back)
	}
}
