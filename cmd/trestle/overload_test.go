package main

import (
	"testing"
	"time"

	"github.com/uptrace/bun"
)

// TestOverload: twice as many requests as a server can answer take little from
// those that it answers, and the others are told at once to come again. With
// TRESTLE_PROVE=1 it measures that for five minutes, or as long as
// TRESTLE_OVERLOAD says; else it looks at what is answered, and no timing
// decides.
func TestOverload(t *testing.T) {
	if !underProof() {
		t.Parallel()
		refuseWhatIsTooMuch(t)
		return
	}
	p := openPractice(t)
	knee := p.knee(4 * time.Second)
	t.Logf("FIGURE knee: %.0f requests/s (999 of 1,000 done for a minute, p99 250 ms)", knee)
	calm, full := lasting(t, "TRESTLE_OVERLOAD", time.Minute), lasting(t, "TRESTLE_OVERLOAD", 5*time.Minute)

	endMemory := peak(t, p.memory)
	before := merged(ended(p.in(t.Context(), 0.7*knee, calm))...).check(t)
	memory := endMemory()
	t.Log("before: ", before)

	health, endMemory := keepVigil(t, p.address), peak(t, p.memory)
	over := p.in(t.Context(), 2*knee, full)
	after := ended(p.in(t.Context(), 0.7*knee, calm))
	health.end()
	during := merged(ended(over)...).check(t)
	t.Log("during: ", during)
	t.Log("after: ", merged(after...).check(t))
	o := overload{t, knee, before, during}
	o.answers()
	o.memory(memory, endMemory())
	o.recovery(after)
	figure(t, health.wrong.Load() == 0, "health under overload: %d of %d probes were not answered 200 (bound 0), p99 %s",
		health.wrong.Load(), health.asked.Load(), health.took.quantile(0.99))
}

// An overload is what was measured of one.
type overload struct {
	t              *testing.T
	knee           float64
	before, during *phase
}

func (o overload) answers() {
	o.t.Helper()
	good := o.during.goodput() / o.knee
	if o.during.refused.n == 0 || good > 1.5 {
		o.t.Errorf("nothing was overloaded: the knee was not one, or the machine was busy with something else when it was looked for")
	}
	figure(o.t, good >= 0.9, "goodput at twice the knee: %.0f/s, %.0f %% of the knee (bound 90 %%)", o.during.goodput(), 100*good)
	calm, hot := o.before.accepted.quantile(0.99), o.during.accepted.quantile(0.99)
	figure(o.t, hot <= 2*calm, "p99 of what is done: %s, %.1f times the %s at 70 %% (bound 2)", hot, hot.Seconds()/calm.Seconds(), calm)
	refused := o.during.refused.quantile(0.99)
	figure(o.t, refused < 50*time.Millisecond, "p99 of %d refusals: %s (bound 50ms), of 999 in 1,000: %s",
		o.during.refused.n, refused, o.during.refused.quantile(0.999))
}

func (o overload) memory(calm, hot float64) {
	o.t.Helper()
	if calm == 0 && !underProof() {
		o.t.Log("the memory of a process is known on Linux only")
		return
	}
	figure(o.t, calm > 0 && hot <= 1.5*calm, "memory: %.0f MiB, %.2f times the %.0f MiB at 70 %% (bound 1.5)", hot, hot/calm, calm)
}

// recovery is how long it takes until five seconds together are as they were
// before.
func (o overload) recovery(after []*phase) {
	o.t.Helper()
	const window = 5
	bound := 2 * o.before.accepted.quantile(0.99)
	for i := range max(0, len(after)-window+1) {
		if w := merged(after[i : i+window]...); w.accepted.quantile(0.99) <= bound && w.goodput() >= 0.95*w.rate {
			figure(o.t, i < 10, "recovery: %d s until p99 is within twice that before, and all is done (bound: under 10)", i)
			return
		}
	}
	figure(o.t, false, "recovery: not within %d s (bound: under 10)", len(after))
}

// refuseWhatIsTooMuch overloads a server that takes four requests at once: the
// first ones wait for a lock.
func refuseWhatIsTooMuch(t *testing.T) {
	t.Helper()
	p := openPractice(t, "TRESTLE_MAX_REQUESTS=4")
	health := keepVigil(t, p.address)
	release := p.lock("patients")
	during := p.stream.run(t.Context(), 200, time.Second)
	release()
	during.wait().check(t)
	t.Log(during)
	if during.refused.n < 100 || during.accepted.n == 0 {
		t.Errorf("%d requests are refused and %d done; want 100 at least, and some", during.refused.n, during.accepted.n)
	}
	if after := p.stream.run(t.Context(), 20, time.Second).wait().check(t); after.accepted.n == 0 {
		t.Errorf("after the overload nothing is done: %s", after)
	}
	health.end()
	if health.wrong.Load() > 0 || health.asked.Load() == 0 {
		t.Errorf("of %d probes %d are not answered with 200", health.asked.Load(), health.wrong.Load())
	}
}

// lock holds whatever reads a table until release is called.
func (p *practice) lock(table string) (release func()) {
	p.t.Helper()
	tx, err := p.db.BeginTx(p.t.Context(), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := tx.NewRaw("LOCK TABLE ? IN ACCESS EXCLUSIVE MODE", bun.Ident(table)).Exec(p.t.Context()); err != nil {
		_ = tx.Rollback()
		p.t.Fatal(err)
	}
	return func() { _ = tx.Rollback() }
}
