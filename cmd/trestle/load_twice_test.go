package main

import (
	"testing"
	"time"

	"trestle.example/internal/proving"
)

const (
	// twiceLeast is how much of its capacity a server does that is sent twice as much.
	twiceLeast = 0.85
	// inTime is how long after it was due the answer of a request is of use.
	inTime = 3 * time.Second
	// capacityConns are the connections at which the capacity is measured.
	capacityConns = 64
)

// TestTwiceTheCapacity: a server that is sent twice as many requests as it can answer
// answers nearly as many as it can. Generator and server have a core each. With
// TRESTLE_PROVE=1 it lasts 30 seconds for each operation, or TRESTLE_TWICE; else
// the test only checks that the server has no fault meanwhile.
//
// The generator has 1,000 connections. A request that finds all of them busy is lost.
func TestTwiceTheCapacity(t *testing.T) {
	eachDatabase(t, func(t *testing.T, database string) {
		p := openPopulation(t, database)
		lasts := 300 * time.Millisecond
		var before []string
		if proving.On() {
			lasts = lasting(t, "TRESTLE_TWICE", 30*time.Second)
			before = apart(t, p.db, database)
		}
		w := workload{t, p, p.serve(t, before), p.operations(), lasts}
		for _, operation := range []string{"list", "search"} {
			t.Run(operation, func(t *testing.T) { w.in(t).twice(operation) })
		}
	})
}

// twice sends twice as many requests as the server can answer.
func (w workload) twice(operation string) {
	w.t.Helper()
	calm := w
	calm.lasts = min(w.lasts, 10*time.Second)
	capacity := max(calm.measure(operation, capacityConns).goodput(), 10) // on a busy machine, a short measurement may see no answer
	s := newStream(w.server.address, w.population.seed, w.errands(operation)...)
	s.drops = true
	defer s.close()
	s.run(w.t.Context(), 2*capacity, loopWarmUp()).wait()
	got := s.run(w.t.Context(), 2*capacity, w.lasts).wait()
	good := float64(got.accepted.within(inTime)) / got.lasts.Seconds()
	w.t.Log(got)
	figure(w.t, good >= twiceLeast*capacity, "%s, %.0f/s, which is twice the capacity: goodput %.0f/s, %.2f of the capacity (bound %.2f), p99 %s",
		operation, 2*capacity, good, good/capacity, twiceLeast, got.accepted.quantile(0.99))
	if statuses := got.statuses(); statuses[500] > 0 || got.accepted.n == 0 {
		w.t.Errorf("the answers are %v; want some 2xx, and none 500", statuses)
	}
}

// statuses counts the answers by their status.
func (p *phase) statuses() map[int]int {
	all := map[int]int{}
	for what, n := range p.counts {
		all[what.status] += n
	}
	return all
}
