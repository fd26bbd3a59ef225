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

	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
	"trestle.example/internal/testserver/postgres"
)

const (
	// mostRefusal bounds the time of 99 of 100 errors while the database is
	// away, mostSilence that time while the database is silent, and
	// mostRecovery the time until all clients are served when it is available again.
	mostRefusal  = time.Second
	mostSilence  = 3 * time.Second
	mostRecovery = 5 * time.Second
	// mostWait is how long a client waits for any answer at all.
	mostWait = 10 * time.Second
	// outageClients is how many ask for things all the time.
	outageClients = 32
)

// A fault is what happens to a database, how long 99 of 100 of its errors may
// take, and how it ends.
type fault struct {
	name       string
	most       time.Duration
	begin, end func(*postgres.Durable, context.Context) error
}

var faults = []fault{
	{"is shut", mostRefusal, (*postgres.Durable).Shut, (*postgres.Durable).Up},
	{"crashes", mostRefusal, (*postgres.Durable).Crash, (*postgres.Durable).Up},
	{
		"is frozen", mostSilence,
		func(d *postgres.Durable, _ context.Context) error { return d.Freeze() },
		func(d *postgres.Durable, _ context.Context) error { return d.Thaw() },
	},
}

// TestOutage: the database becomes unavailable and available again under load. No client
// gets a 500 or waits too long, the server reports its state and recovers by
// itself, what was acknowledged is there, and the log has it once.
func TestOutage(t *testing.T) {
	rounds := 1
	if proving.On() {
		rounds = 5
	}
	o := openOutage(t)
	rest := o.work(outageClients)
	for range rounds {
		for _, f := range faults {
			o.suffer(f)
		}
	}
	rest()
	o.report()
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
	made                 acknowledged

	mu         sync.Mutex
	refusals   map[string]*spread // by the fault
	odd        map[string]int
	recoveries []*recovery // of each fault in turn, the present one last
}

// A recovery is how long after its database's return a server was well again.
type recovery struct {
	fault                string
	back                 time.Time     // when the database was; zero until then
	good, ready, refused time.Duration // the first success, /readyz 200, the last error of any client
	served               map[int]int   // how often each client was served since its last error
	calm                 bool          // all of them are
}

func openOutage(t *testing.T) *outage {
	t.Helper()
	o := &outage{cluster: startDurable(t), seed: uint64(time.Now().UnixNano()), odd: map[string]int{}, refusals: map[string]*spread{}}
	t.Logf("seed %d", o.seed)
	r := newRig(t, o.cluster.URL())
	r.ok("migrate up")
	r.ok("seed --patients 200 --appointments 200 --products 20")
	o.token = tokenOf(r, triedOut)
	o.instance = newInstance(t, freeAddress(t, rand.New(rand.NewPCG(o.seed, 0))), nil, []string{"DATABASE_URL=" + o.cluster.URL()})
	o.begin()
	return o
}

// work lets clients work until the test calls rest, and checks all the time
// whether the server is alive.
func (o *outage) work(clients int) (rest func()) {
	ctx, cancel := context.WithCancel(o.t.Context())
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() { o.client(ctx, i, rand.New(rand.NewPCG(o.seed, uint64(i+1)))) })
	}
	all.Go(func() { o.watch(ctx) })
	end := func() { cancel(); all.Wait() }
	o.t.Cleanup(end)
	return end
}

// client sends one request after the other, and repeats it soon when the answer is an
// error.
func (o *outage) client(ctx context.Context, i int, dice *rand.Rand) {
	w := wire{address: o.address}
	defer w.close()
	for ctx.Err() == nil {
		sent, creates := o.errand(dice)
		began := time.Now()
		got, err := w.send(sent, mostWait)
		if o.note(i, got, err, time.Since(began)); creates && got.status == http.StatusCreated {
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

// note sorts answers into good ones, errors with a Retry-After header, and answers that
// must not occur.
func (o *outage) note(client int, got reply, err error, took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := &recovery{fault: "none", served: map[int]int{}}
	if len(o.recoveries) > 0 {
		r = o.recoveries[len(o.recoveries)-1]
	}
	switch {
	case err != nil:
		o.odd[fmt.Sprintf("no answer: %v", err)]++
	case got.status == http.StatusServiceUnavailable && got.retryAfter:
		o.refused.Add(1)
		if o.refusals[r.fault] == nil {
			o.refusals[r.fault] = &spread{}
		}
		o.refusals[r.fault].add(took)
		r.refuses(client, got)
	case got.status == http.StatusOK || got.status == http.StatusCreated:
		o.good.Add(1)
		r.serves(client)
	default:
		o.odd[fmt.Sprintf("%d %s", got.status, got.body)]++
	}
}

// refuses counts an error. When all clients are served again, an error because of too
// many requests does not come from the database.
func (r *recovery) refuses(client int, got reply) {
	if r.back.IsZero() || r.calm && got.refuses() {
		return
	}
	r.served[client] = 0
	r.refused = time.Since(r.back)
}

func (r *recovery) serves(client int) {
	if r.back.IsZero() {
		return
	}
	r.served[client]++
	if r.good == 0 {
		r.good = time.Since(r.back)
	}
}

// isCalm reports whether every client was served some times since its last error.
func (r *recovery) isCalm() bool {
	r.calm = len(r.served) == outageClients
	for _, times := range r.served {
		r.calm = r.calm && times >= 5
	}
	return r.calm
}

// watch checks whether the server is alive, which does not depend on its database.
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
	r := &recovery{fault: f.name, served: map[int]int{}}
	o.locked(func() { o.recoveries = append(o.recoveries, r) })
	o.must(f.begin(o.cluster, o.t.Context()))
	lasts := time.After(0)
	if proving.On() {
		lasts = time.After(3 * time.Second)
	}
	o.await("requests are refused while the database "+f.name, &o.refused, 100)
	untilSo(o.t, "/readyz says that the database "+f.name, ready(http.StatusServiceUnavailable))
	<-lasts
	o.must(f.end(o.cluster, o.t.Context()))
	back := time.Now()
	o.locked(func() { r.back = back })
	untilSo(o.t, "/readyz says that the database is back", ready(http.StatusOK))
	o.locked(func() { r.ready = time.Since(back) })
	untilSo(o.t, "every client is served again", func() (calm bool) {
		o.locked(func() { calm = r.isCalm() })
		return calm
	})
}

// locked runs a function while no client records an answer.
func (o *outage) locked(do func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	do()
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

// report prints the results of the clients.
func (o *outage) report() {
	o.t.Helper()
	for what, times := range o.odd {
		o.t.Errorf("%d times: %s", times, what)
	}
	if o.alive.Load() == 0 {
		o.t.Error("nobody asked whether the server is alive")
	}
	figure(o.t, len(o.odd) == 0, "%d outages, %d requests done and %d refused: %d kinds of other answers, 500 among them (bound 0)",
		len(o.recoveries), o.good.Load(), o.refused.Load(), len(o.odd))
	var all spread
	for _, of := range o.refusals {
		all.merge(of)
	}
	o.tellRefusals("of all faults", &all, mostRefusal)
	for _, f := range faults {
		o.tellRefusals("of a database that "+f.name, o.refusals[f.name], f.most)
	}
	var worst recovery
	for _, r := range o.recoveries {
		worst.good, worst.ready, worst.refused = max(worst.good, r.good), max(worst.ready, r.ready), max(worst.refused, r.refused)
	}
	figure(o.t, max(worst.good, worst.ready, worst.refused) < mostRecovery,
		"from the database's return: %s at most to the first success, %s to /readyz 200, %s to the last refusal of any client (bound: each under %s)",
		worst.good.Round(time.Millisecond), worst.ready.Round(time.Millisecond), worst.refused.Round(time.Millisecond), mostRecovery)
}

// tellRefusals prints how long errors took.
func (o *outage) tellRefusals(which string, took *spread, most time.Duration) {
	o.t.Helper()
	p99 := took.quantile(0.99)
	figure(o.t, p99 < most, "refusals %s: p99 of %d is %s (bound: under %s), the slowest %s", which, took.n, p99, most, took.quantile(1))
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

// auditLog checks that the log reports each outage once, and not each request at
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
