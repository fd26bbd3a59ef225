package main

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
	"trestle.example/internal/testserver/patroni"
	"trestle.example/internal/testserver/tool"
)

const (
	// mostAfterPromotion bounds the time from Patroni's promotion to the first write
	// that is acknowledged then: the median of all runs. mostSwitchover bounds the time
	// from the request for a switchover to that write.
	mostAfterPromotion = 3 * time.Second
	mostSwitchover     = 4 * time.Second
	// failoverRuns is how often the leader is killed, and failoverClients how many write.
	failoverRuns    = 5
	failoverClients = 8
	// failoverPatience bounds what is waited for on a busy machine.
	failoverPatience = 2 * time.Minute
)

// TestFailover: under writes the leader of PostgreSQL is killed with its Patroni, five
// times, and then another is made the leader as planned. No acknowledged write is lost,
// and the server finds the new leader by itself.
func TestFailover(t *testing.T) {
	if !proving.On() {
		t.Skip("it takes minutes and needs Patroni: make prove PROVE=failover")
	}
	if err := tool.Install(t.Context(), io.Discard, tool.Patroni, tool.Etcd); err != nil {
		t.Fatal(err)
	}
	f := openFailover(t)
	rest := f.work()
	var after []time.Duration
	for range failoverRuns {
		after = append(after, f.kill())
	}
	f.switchOver()
	rest()
	slices.Sort(after)
	median := after[len(after)/2]
	figure(t, median <= mostAfterPromotion, "the first write is acknowledged %s after Patroni's promotion, the median of %d kills (bound %s); all: %s", median, len(after), mostAfterPromotion, after)
	f.audit()
}

// A failover is a server whose database fails over, and the writes that it acknowledged.
type failover struct {
	*instance

	cluster *patroni.Cluster
	token   string
	refused map[int]int // how many answers had which status

	mu   sync.Mutex
	made []madeAt
}

// madeAt is a write and when its acknowledgement came.
type madeAt struct {
	id string
	at time.Time
}

func openFailover(t *testing.T) *failover {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), failoverPatience)
	defer cancel()
	cluster, err := patroni.Start(ctx, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Stop(); err != nil {
			t.Error(err)
		}
	})
	r := newRig(t, cluster.URL())
	r.ok("migrate up")
	r.ok("seed --patients 10 --appointments 10 --products 5")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	f := &failover{cluster: cluster, token: tokenOf(r, triedOut), refused: map[int]int{}}
	f.instance = newInstance(t, freeAddress(t, rand.New(rand.NewPCG(seed, 0))), nil, []string{"DATABASE_URL=" + cluster.URL()})
	f.begin()
	return f
}

// work lets clients write until the test calls rest.
func (f *failover) work() (rest func()) {
	ctx, cancel := context.WithCancel(f.t.Context())
	var all sync.WaitGroup
	for range failoverClients {
		all.Go(func() { f.client(ctx) })
	}
	end := func() { cancel(); all.Wait() }
	f.t.Cleanup(end)
	return end
}

func (f *failover) client(ctx context.Context) {
	w := wire{address: f.address}
	defer w.close()
	sent := request("POST", "/api/patients/", f.token, `{"name": "Zara Failover", "phone": "555 0100"}`)
	for ctx.Err() == nil {
		got, err := w.send(sent, mostWait)
		now := time.Now()
		f.mu.Lock()
		if err == nil && got.status == http.StatusCreated {
			f.made = append(f.made, madeAt{idOf(got.body), now})
		} else {
			f.refused[got.status]++
		}
		f.mu.Unlock()
		_ = pause(ctx, 10*time.Millisecond)
	}
}

// first waits for the first write that is acknowledged after a moment.
func (f *failover) first(ctx context.Context, after time.Time) time.Time {
	f.t.Helper()
	for ctx.Err() == nil {
		f.mu.Lock()
		at := slices.IndexFunc(f.made, func(m madeAt) bool { return m.at.After(after) })
		var found time.Time
		if at >= 0 {
			found = f.made[at].at
		}
		f.mu.Unlock()
		if at >= 0 {
			return found
		}
		_ = pause(ctx, 5*time.Millisecond)
	}
	f.t.Fatal("no write is acknowledged any more")
	return time.Time{}
}

// kill kills the leader under writes, and returns how long after the promotion of
// another the first write is acknowledged.
func (f *failover) kill() time.Duration {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), failoverPatience)
	defer cancel()
	leader, err := f.cluster.Leader(ctx)
	f.must(err)
	f.first(ctx, time.Now())
	began := time.Now()
	f.must(f.cluster.Kill(leader))
	promoted, err := f.cluster.Promoted(ctx, began)
	f.must(err)
	again := f.first(ctx, promoted)
	f.must(f.cluster.Revive(leader))
	f.must(f.cluster.Settled(ctx))
	f.t.Logf("FIGURE leader %d killed: promoted after %s, a write acknowledged %s later", leader, promoted.Sub(began), again.Sub(promoted))
	return again.Sub(promoted)
}

// switchOver makes another server the leader as planned.
func (f *failover) switchOver() {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), failoverPatience)
	defer cancel()
	began := time.Now()
	f.must(f.cluster.Switchover(ctx))
	promoted, err := f.cluster.Promoted(ctx, began)
	f.must(err)
	took := f.first(ctx, promoted).Sub(began)
	figure(f.t, took <= mostSwitchover, "planned switchover: a write is acknowledged %s after the request for it (bound %s)", took, mostSwitchover)
	f.must(f.cluster.Settled(ctx))
}

func (f *failover) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// audit checks that what was acknowledged is there.
func (f *failover) audit() {
	f.t.Helper()
	db, err := sqldb.Open(f.cluster.URL(), sqldb.Options{})
	f.must(err)
	defer db.Close()
	var there []string
	f.must(db.NewRaw("SELECT id::text FROM patients WHERE name = 'Zara Failover' ORDER BY 1").Scan(f.t.Context(), &there))
	lost := 0
	for _, m := range f.made {
		if _, found := slices.BinarySearch(there, m.id); !found {
			lost++
		}
	}
	figure(f.t, lost == 0 && len(f.made) > 0, "%d of %d acknowledged writes are lost (bound 0)", lost, len(f.made))
	figure(f.t, f.refused[http.StatusInternalServerError] == 0, "%d writes are answered with 500 (bound 0); all that was not 201: %v", f.refused[http.StatusInternalServerError], f.refused)
}
