package main

import (
	"os"
	"testing"
	"time"
)

const (
	buyersAtOnce = 24
	// ordersPerHalf are acknowledged in a cycle before the kill, and as many
	// after it.
	ordersPerHalf = 50
)

// A moment is where requests are when the server is killed: a lock that the
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

// cycles is how often the server is killed.
func cycles() int {
	switch {
	case os.Getenv("TRESTLE_PROVE") == "1":
		return 20
	case testing.Short():
		return 1
	}
	return 2
}

// TestAKillUnderLoadLosesNothing: however often the server is killed among
// orders, cancellations and stocks that are set, what clients were told is so,
// what they were not told is so or not, and whoever repeats a request with its
// key has it done once.
func TestAKillUnderLoadLosesNothing(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	began := time.Now()
	l := newLoad(t, seed)
	first := int(seed % uint64(len(moments)))
	for i := range cycles() {
		m := moments[(first+i)%len(moments)]
		t.Logf("cycle %d: requests are killed %s", i+1, m.name)
		l.cycle(m)
		if t.Failed() {
			t.Fatal("so far:" + l.counts.String())
		}
	}
	l.tell(time.Since(began))
}

// cycle kills the server in the midst of the load, starts it again, lets the
// load go on, and audits what is there when all is quiet.
func (l *load) cycle(m moment) {
	l.t.Helper()
	kill := l.mark(true)
	rest := l.work()
	defer func() {
		if l.t.Failed() {
			l.giveUp()
		}
		rest()
	}()
	l.await(kill)
	release := l.hold(m)
	defer release()
	killed := l.kill()
	more := l.mark(false) // before anybody is answered again
	l.begin()
	release()
	l.settle(killed)
	l.await(more)
	rest()
	if !l.t.Failed() {
		l.audit()
	}
}

// tell logs what was done, and checks that the kills hit something.
func (l *load) tell(took time.Duration) {
	l.t.Helper()
	orders, cancels := 0, 0
	for _, b := range l.buyers {
		orders += len(b.orders)
		cancels += len(b.cancelled)
	}
	l.t.Logf("%d kills, %d orders and %d cancellations acknowledged, %d requests repeated, %s:%s",
		l.lives-1, orders, cancels, l.counts.of(repeated), took.Round(time.Millisecond), l.counts.String())
	if l.counts.of(afterKill+replayed) == 0 {
		l.t.Error("no order was done by one server and answered by the next: the kills proved nothing")
	}
	if cancels == 0 || orders < 2*ordersPerHalf*cycles() {
		l.t.Errorf("%d orders and %d cancellations are too few to prove anything", orders, cancels)
	}
}
