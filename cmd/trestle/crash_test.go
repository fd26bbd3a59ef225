package main

import (
	"testing"
	"time"

	"trestle.example/internal/proving"
)

const (
	buyersAtOnce = 24
	// ordersPerHalf are acknowledged in a cycle before the blow, and as many
	// after it.
	ordersPerHalf = 50
	// writesPerSecond are acknowledged at least, in the proof.
	writesPerSecond = 50
)

// A moment is where requests are when the blow falls: a lock that the
// test takes holds them there.
type moment struct{ name, lock string }

var moments = []moment{
	{"wherever they are", ""},
	{"before they take from the stock", "SELECT id FROM products ORDER BY id FOR UPDATE"},
	{"before they book a slot", "LOCK TABLE delivery_slots IN SHARE MODE"},
	{"before orders are stored or cancelled", "LOCK TABLE orders IN SHARE MODE"},
	{"before movements are written down", "LOCK TABLE stock_movements IN SHARE MODE"},
	{"before keys are claimed and answers kept", "LOCK TABLE idempotency_keys IN SHARE MODE"},
}

// A blow strikes the server or its database, and returns what brings it back;
// that lets go of the requests that a lock holds.
type blow struct {
	name   string
	strike func(*load) (back func(release func()))
}

// blows fall in turn.
var blows = []blow{
	{"the server is killed", func(l *load) func(func()) {
		killed := l.kill()
		return func(release func()) {
			l.begin()
			release()
			l.settle(killed)
		}
	}},
	{"the database crashes", func(l *load) func(func()) {
		l.crash()
		return func(release func()) {
			release()
			l.up()
		}
	}},
}

// cycles is how many blows fall.
func cycles() int {
	if proving.On() {
		return 50
	}
	return len(blows)
}

// TestAKillUnderLoadLosesNothing kills the server and crashes its database, again and
// again, while clients order, cancel and set stocks. What an answer reported was done; a
// request without an answer was done or not; a client that repeats a request with its key
// has it done once. While the database is away the server answers so, and it recovers by
// itself.
func TestAKillUnderLoadLosesNothing(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	began := time.Now()
	l := newLoad(t, seed)
	first := int(seed % uint64(len(moments)))
	for i := range cycles() {
		m, b := moments[(first+i/len(blows))%len(moments)], blows[i%len(blows)]
		t.Logf("cycle %d: %s while requests are %s", i+1, b.name, m.name)
		l.cycle(m, b)
		if t.Failed() {
			t.Fatal("so far:" + l.counts.String())
		}
	}
	l.report(time.Since(began))
}

// cycle strikes in the midst of the load, brings back what was struck, lets the
// load go on, and audits what is there when all is quiet.
func (l *load) cycle(m moment, b blow) {
	l.t.Helper()
	enough, began := l.mark(true), time.Now()
	rest := l.work()
	defer func() {
		if l.t.Failed() {
			l.giveUp()
		}
		rest()
	}()
	l.await(enough)
	release := l.hold(m)
	defer release()
	back := b.strike(l)
	more := l.mark(false) // before a client gets an answer again
	back(release)
	close(l.era.Swap(newEra()).over)
	l.await(more)
	rest()
	l.worked += time.Since(began)
	if !l.t.Failed() {
		l.audit()
	}
}

// report logs what was done, and checks that the kills hit running requests.
func (l *load) report(took time.Duration) {
	l.t.Helper()
	orders, cancels := 0, 0
	for _, b := range l.buyers {
		orders += len(b.orders)
		cancels += len(b.cancelled)
	}
	l.t.Logf("%d kills, %d crashes of the database, %d orders and %d cancellations acknowledged, %d requests repeated, %s:%s",
		l.lives-1, cycles()-l.lives+1, orders, cancels, l.counts.of(repeated), took.Round(time.Millisecond), l.counts.String())
	figure(l.t, !l.t.Failed(), "%d blows to server and database in turn: 0 acknowledged lost, 0 done twice, 0 answers of 500 (bound 0; any ends the run)", cycles())
	figure(l.t, !l.t.Failed() && len(l.reader.read) > 0,
		"%d entries of histories of patients: 0 missing, 0 extra, and 0 missed by a reader that follows them (bound 0; any ends the run)", len(l.reader.read))
	rate := float64(l.writes.Load()) / l.worked.Seconds()
	figure(l.t, rate >= writesPerSecond, "%.0f writes acknowledged a second, the time of blows included (bound: at least %d)", rate, writesPerSecond)
	if l.counts.of(afterBlow+replayed) == 0 {
		l.t.Error("no order was done before a blow and answered after it: they proved nothing")
	}
	if cancels == 0 || orders < 2*ordersPerHalf*cycles() {
		l.t.Errorf("%d orders and %d cancellations are too few to prove anything", orders, cancels)
	}
}
