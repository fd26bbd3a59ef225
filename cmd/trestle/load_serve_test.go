package main

import (
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"trestle.example/internal/proving"
)

const (
	// fullMemory bounds the memory of a server with 2,000 connections, in MiB.
	fullMemory = 256
	// manyLeast and fullLeast are how much of the goodput at 32 connections there
	// must be at 512 and at 2,000.
	manyLeast = 0.9
	fullLeast = 0.8
)

// TestServesEveryone: the server answers each request of 512 connections, in turn, and
// many connections do not slow it down. With TRESTLE_PROVE=1 it measures each load for
// five seconds, or for TRESTLE_SERVE; else it checks the answers at 32 connections.
func TestServesEveryone(t *testing.T) {
	eachDatabase(t, func(t *testing.T, database string) {
		p := openPopulation(t, database)
		w := workload{t, p, p.serve(t, nil), p.operations(), lasting(t, "TRESTLE_SERVE", 5*time.Second)}
		if !proving.On() {
			// A busy machine may answer nothing in so short a time.
			for w.lasts = 200 * time.Millisecond; ; w.lasts *= 4 {
				got := w.measure("mixed", 32)
				if got.faults() > 0 || got.accepted.n == 0 && w.lasts > 10*time.Second {
					t.Fatalf("%d requests of %d were answered 2xx, and %d with a fault; want some, and none", got.accepted.n, got.offered, got.faults())
				}
				if got.accepted.n > 0 {
					return
				}
			}
		}
		for _, name := range []string{"retrieve", "list", "create", "mixed", "search"} {
			t.Run(name, func(t *testing.T) { w.in(t).serves(name) })
		}
		t.Run("2000", func(t *testing.T) { w.in(t).full("retrieve"); w.in(t).full("mixed") })
		t.Run("idle", func(t *testing.T) { w.in(t).besideIdle() })
		if p.isPostgres() {
			t.Run("peer", func(t *testing.T) { w.in(t).besidePeer() })
		}
	})
}

// A workload is what many users do to one server.
type workload struct {
	t          *testing.T
	population *population
	server     *instance
	operations map[string]errand
	lasts      time.Duration // of each measurement
}

// in is the workload for a subtest.
func (w workload) in(t *testing.T) workload { w.t = t; return w }

// errands are those of an operation, or of "mixed".
func (w workload) errands(operation string) []errand {
	if operation == "mixed" {
		return mixed(w.operations)
	}
	return []errand{w.operations[operation]}
}

// measure runs an operation over some connections.
func (w workload) measure(operation string, conns int) *phase {
	w.t.Helper()
	got := loop{address: w.server.address, conns: conns, seed: w.population.seed, errands: w.errands(operation)}.run(w.t.Context(), w.lasts)
	w.t.Logf("%s, %d connections: %.0f/s, p50 %s, p99 %s; %s", operation, conns, got.goodput(), got.accepted.quantile(0.5), got.accepted.quantile(0.99), got.tally())
	if len(got.strange) > 0 {
		w.t.Log(got.strange[0])
	}
	return got
}

// tailBound is the longest p99 that is allowed: twice the mean time of a request, and the p99 of
// one connection alone.
func tailBound(conns int, goodput float64, calm time.Duration) time.Duration {
	return calm + time.Duration(2*float64(conns)/goodput*float64(time.Second))
}

// serves checks one operation at several numbers of connections.
func (w workload) serves(operation string) {
	w.t.Helper()
	calm := w.measure(operation, 1).accepted.quantile(0.99)
	numbers := []int{32, 128, 512}
	if operation == "search" {
		numbers = []int{128}
	}
	goodputs := map[int]float64{}
	for _, conns := range numbers {
		got := w.measure(operation, conns)
		goodputs[conns] = got.goodput()
		figure(w.t, got.others() == 0, "%s, %d connections: %d of %d requests were not answered 2xx (bound 0)", operation, conns, got.others(), got.offered)
		most := tailBound(conns, got.goodput(), calm)
		p99 := got.accepted.quantile(0.99)
		figure(w.t, got.accepted.n > 0 && p99 <= most, "%s, %d connections: p99 %s (bound %s: 2 x %d connections / %.0f/s + %s, the p99 of 1 connection)",
			operation, conns, p99, most.Round(100*time.Microsecond), conns, got.goodput(), calm)
	}
	if operation == "search" {
		return
	}
	part := goodputs[512] / goodputs[32]
	figure(w.t, part >= manyLeast, "%s: goodput at 512 connections %.0f/s, %.2f of the %.0f/s at 32 (bound %.2f)", operation, goodputs[512], part, goodputs[32], manyLeast)
}

// full checks an operation at 2,000 connections.
func (w workload) full(operation string) {
	w.t.Helper()
	const conns = 2000
	calm := w.measure(operation, 32)
	end := peak(w.t, w.server.memory)
	got := w.measure(operation, conns)
	memory, part := end(), got.goodput()/calm.goodput()
	figure(w.t, got.others() == 0, "%s, %d connections: %d of %d requests were not answered 2xx (bound 0)", operation, conns, got.others(), got.offered)
	figure(w.t, part >= fullLeast, "%s: goodput at %d connections %.0f/s, %.2f of the %.0f/s at 32 (bound %.2f)",
		operation, conns, got.goodput(), part, calm.goodput(), fullLeast)
	figure(w.t, memory > 0 && memory < fullMemory, "%s: %.0f MiB of memory at %d connections (bound: under %d)", operation, memory, conns, fullMemory)
}

// besideIdle checks that the server serves other clients beside 10,000 connections that
// each sent one request. The server closes those that have been idle for longest.
func (w workload) besideIdle() {
	w.t.Helper()
	const conns = 10_000
	dice, ask := rand.New(rand.NewPCG(w.population.seed, 3)), w.operations["retrieve"]
	from := addresses("127.0.4", 16)
	end := peak(w.t, w.server.memory)
	answered := 0
	for i := range conns {
		idle := &wire{address: w.server.address, from: from[i%len(from)]}
		w.t.Cleanup(idle.close)
		if got, err := idle.send(ask.next(dice), loopLimit); err == nil && got.status == http.StatusOK {
			answered++
		}
	}
	figure(w.t, answered == conns, "%d of %d connections that then were idle had their request answered (bound all)", answered, conns)
	got := w.measure("retrieve", 32)
	memory := end()
	figure(w.t, got.others() == 0 && got.accepted.n > 0, "after %d idle connections: %d of %d requests were not answered 2xx (bound 0)", conns, got.others(), got.offered)
	figure(w.t, memory > 0 && memory < fullMemory, "after %d idle connections: %.0f MiB of memory (bound: under %d)", conns, memory, fullMemory)
}
