package httpserver

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"
)

// GateOptions say how many requests a [Gate] lets in. Only Requests is required.
type GateOptions struct {
	// Requests is how many are let in at once, 1 or more.
	Requests int
	// Queue is how many more wait for their turn; one too many is refused at once, or
	// the oldest is. Defaults to eight times Requests, and 512 at least.
	Queue int
	// Burst is how long all places may have been taken for what comes to be no more
	// than a burst, as after a moment in which the database stood still: a request
	// that comes then waits for as much of that as is left. The time in which there was
	// a free place is taken off. Defaults to 500 milliseconds.
	Burst time.Duration
	// Patience is how long a request waits that comes later, which is overload.
	// Defaults to 10 milliseconds.
	Patience time.Duration
	// Refuse answers those that are not let in. Defaults to a problem of RFC 9457:
	// 503, the code overloaded, Retry-After 1.
	Refuse http.Handler
	// Log is told that requests are refused, once a second at most. Defaults to
	// none.
	Log *slog.Logger
}

// A Gate is a handler that lets so many requests at once to another, and refuses
// what is too much before it has cost anything. Those that wait have their turns
// in the order in which they came, unless the oldest, which did not come in a burst,
// has waited for half of its patience: then the newest is the next. It is answered in
// time, while the oldest would be answered late and perhaps to nobody. Of one too many
// to wait the newest is refused while the oldest is the next, else the oldest.
//
// A request is counted from when it is let in until its answer begins, so that a
// client who takes the answer slowly takes no place. Nor does one whose body is
// slow to come: after 20 milliseconds of waiting its place is lent to another, and
// it has one again when all of the body is there, in turns with those who were never
// let in; as long as many come back, up to twice Requests are at work. Who has no place
// again after 5 seconds, or twice Patience if that is more, is refused: its Read fails
// with [context.Canceled], as it does when the client has gone, which the request's
// context tells. Of such bodies the gate waits for four times Requests, and 512 at least,
// of which 32 MiB may have come, those counted that are there and wait for a place again.
// One too many ends the wait for the oldest, bytes too many that for the longest: its
// Read fails with [os.ErrDeadlineExceeded]. A handler that writes, or works, before its
// body is read to the end, or after a Read that failed, is therefore not held to the
// limit.
//
// A Gate is safe for concurrent use.
type Gate struct {
	handler, refuse http.Handler
	limit, depth    int
	bodies          int           // that may be waited for with their places lent
	backFor         time.Duration // how long who lent a place waits for one
	burst           time.Duration
	patience        time.Duration
	now             func() time.Time
	log             *slog.Logger
	told            seldom

	mu      sync.Mutex
	running int
	full    time.Time     // when all places were last taken, or given up after that
	spent   time.Duration // of the burst, when that was
	waiting []*waiter     // the newest last; among them those that left
	queued  int           // of them, without those
	back    []*waiter     // who were let in and have lent their place; the newest last
	owed    int           // places that went to those while others waited, who have as many next; 0 when none of them waits any more
	lent    []*ticket     // whose bodies are waited for, the oldest first
	lentHas int           // bytes of those that came
	backHas int           // and of those who wait for a place again
	refused int64
}

// A waiter waits for its turn; false says that there will be none.
type waiter struct {
	turn     chan bool
	since    time.Time
	patience time.Duration
	left     bool
	tired    bool // of g.back: it has waited for as long as others would
}

// lendAfter is how long a handler may wait for its body, all reads together, before
// its request's place is lent.
const lendAfter = 20 * time.Millisecond

// lentPerPlace is how many requests may have lent their places, for each place, if that
// is not less than leastLent: what they hold beside their bodies is little.
const (
	lentPerPlace = 4
	leastLent    = 512
)

// leastBackFor is how long who has lent a place waits for one, if others do not wait
// for longer: it was let in, but a request shall not last as long as the queue is.
const leastBackFor = 5 * time.Second

// lentBytes is how many bytes may have come of such bodies, all together, and of those
// that wait for a place again.
const lentBytes = 32 << 20

// NewGate makes a gate before a handler. It panics if Requests is less than 1.
func NewGate(next http.Handler, o GateOptions) *Gate {
	if o.Requests < 1 {
		panic("httpserver: GateOptions.Requests must be 1 or more")
	}
	g := &Gate{
		handler: next, refuse: o.Refuse, limit: o.Requests, depth: orDefault(o.Queue, max(8*o.Requests, 512)),
		bodies: max(lentPerPlace*o.Requests, leastLent),
		burst:  orDefault(o.Burst, 500*time.Millisecond), patience: orDefault(o.Patience, 10*time.Millisecond),
		now: time.Now, log: o.Log,
	}
	g.backFor = max(leastBackFor, 2*g.patience)
	if g.refuse == nil {
		g.refuse = http.HandlerFunc(overloaded)
	}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	return g
}

// ServeHTTP lets a request in, or refuses it.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.enter(r.Context()) {
		g.turnAway(w, r)
		return
	}
	t := &ticket{ResponseWriter: w, gate: g, held: true}
	defer t.end()
	if hasBody(r) {
		body := &lentBody{ReadCloser: r.Body, ticket: t}
		t.sent, t.gone = r.Body, r.Context().Done()
		r = r.WithContext(r.Context()) // a copy: net/http looks at its own
		r.Body = body
	}
	g.handler.ServeHTTP(t, r)
}

// enter takes a place, or waits for one.
func (g *Gate) enter(ctx context.Context) bool {
	g.mu.Lock()
	if g.running < g.limit {
		g.take()
		g.mu.Unlock()
		return true
	}
	if g.queued == g.depth {
		if g.inOrder() {
			g.mu.Unlock()
			return false
		}
		g.takeOldest().turn <- false
	}
	w := &waiter{turn: make(chan bool, 1), since: g.now()}
	w.patience = max(g.patience, g.burst-g.spent-w.since.Sub(g.full))
	g.waiting = append(g.waiting, w)
	g.queued++
	g.mu.Unlock()
	return g.wait(ctx, w)
}

// take takes a place, with g.mu held.
func (g *Gate) take() {
	if g.running++; g.running == g.limit {
		now := g.now()
		g.spent = max(0, g.spent-now.Sub(g.full))
		g.full = now
	}
}

// free gives a place up, with g.mu held.
func (g *Gate) free() {
	if g.running--; g.running == g.limit-1 {
		now := g.now()
		g.spent = min(g.burst, g.spent+now.Sub(g.full))
		g.full = now
	}
}

// inOrder reports whether the oldest is the next, somebody being there who waits: who
// came in a burst, and so has more patience than others, keeps its turn.
func (g *Gate) inOrder() bool {
	oldest := g.waiting[0]
	return oldest.patience > g.patience || g.now().Sub(oldest.since) < g.patience/2
}

// takeOldest is who has waited for longest, somebody being there who waits.
func (g *Gate) takeOldest() *waiter {
	oldest := g.waiting[0]
	g.waiting = g.waiting[1:]
	g.queued--
	g.trim()
	return oldest
}

// takeNewest is who came last, somebody being there who waits.
func (g *Gate) takeNewest() *waiter {
	for last, newest := range slices.Backward(g.waiting) {
		g.waiting = g.waiting[:last]
		if !newest.left {
			g.queued--
			return newest
		}
	}
	panic("httpserver: nobody waits")
}

// trim forgets the oldest as far as they have left: the first of g.waiting waits.
func (g *Gate) trim() {
	for len(g.waiting) > 0 && g.waiting[0].left {
		g.waiting = g.waiting[1:]
	}
}

// wait is true when it is the waiter's turn.
func (g *Gate) wait(ctx context.Context, w *waiter) bool {
	patience := time.NewTimer(w.patience)
	defer patience.Stop()
	select {
	case turn := <-w.turn:
		return turn
	case <-patience.C:
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case turn := <-w.turn: // meanwhile
		return turn
	default:
	}
	w.left = true
	g.queued--
	g.trim()
	return false
}

// pass gives a place that is free to the next, with g.mu held: to who had one before and
// to who waits, in turns, so that however many come back, others are let in beside them.
func (g *Gate) pass() {
	backIsDue := len(g.back) > 0 && (g.running <= g.limit || g.back[0].tired && g.running <= 2*g.limit)
	if g.queued == 0 {
		g.owed = 0
	}
	switch {
	case backIsDue && g.owed == 0:
		next := g.back[0]
		g.back = g.back[1:]
		g.owe()
		next.turn <- true
	case g.queued == 0 || g.running > g.limit && g.owed == 0: // some came back beyond it
		g.free()
	default:
		g.owed = max(0, g.owed-1)
		g.next().turn <- true
	}
}

// owe notes that somebody came back, for whom one of those who wait is let in.
func (g *Gate) owe() {
	if g.queued > 0 {
		g.owed++
	}
}

// next is whose turn it is of those who wait, somebody being there.
func (g *Gate) next() *waiter {
	if g.inOrder() {
		return g.takeOldest()
	}
	return g.takeNewest()
}

// comeBack takes a place again. Who was let in stays in: after as long as others
// would wait, even if there is none, until those are as many as there are places. It
// is false if the client has gone meanwhile, or there was none for too long.
func (g *Gate) comeBack(gone <-chan struct{}) bool {
	g.mu.Lock()
	if g.running < g.limit {
		g.take()
		g.mu.Unlock()
		return true
	}
	w := &waiter{turn: make(chan bool, 1)}
	g.back = append(g.back, w)
	g.mu.Unlock()
	patience, end := time.NewTimer(g.patience), time.NewTimer(g.backFor)
	defer patience.Stop()
	defer end.Stop()
	for {
		select {
		case <-w.turn:
			return true
		case <-patience.C:
			if g.tires(w) {
				return true
			}
		case <-end.C:
			return !g.giveUp(w)
		case <-gone:
			return !g.giveUp(w)
		}
	}
}

// tires takes a place beyond the limit, or notes that the next of those is due.
func (g *Gate) tires(w *waiter) (in bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w.tired = true
	if g.running >= 2*g.limit || !g.forget(w) {
		return false
	}
	g.owe()
	g.take()
	return true
}

// giveUp is for one who would come back; it is false if it has a place meanwhile.
func (g *Gate) giveUp(w *waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.forget(w)
}

// forget takes one from those who come back, with g.mu held; it is false if it is
// none of them any more.
func (g *Gate) forget(w *waiter) bool {
	at := slices.Index(g.back, w)
	if at < 0 {
		return false
	}
	g.back = slices.Delete(g.back, at, at+1)
	return true
}

// endWaits ends the wait for the oldest bodies as long as they are too many, and for the
// longest as long as they are too long, with g.mu held, for which their handlers would
// have to wait before they end: a writer must not be touched after that.
func (g *Gate) endWaits() {
	for {
		tooLong := g.lentHas > 0 && g.lentHas+g.backHas > lentBytes
		if !tooLong && len(g.lent) <= g.bodies {
			return
		}
		victim := g.slowest(tooLong)
		if victim == nil {
			return
		}
		if victim.all = !victim.endsWait(); !victim.all {
			victim.cut = true
			victim.forget()
		}
	}
}

// slowest is whose body has been waited for longest, or of whose body most has come;
// nil if all has come of all.
func (g *Gate) slowest(byLength bool) (found *ticket) {
	for _, t := range g.lent {
		if !t.all && (found == nil || byLength && t.came > found.came) {
			found = t
		}
	}
	return found
}

// turnAway refuses a request.
func (g *Gate) turnAway(w http.ResponseWriter, r *http.Request) {
	g.tell()
	g.refuse.ServeHTTP(w, r)
}

// tell counts a request that is refused, and says so in the log.
func (g *Gate) tell() {
	g.mu.Lock()
	g.refused++
	refused, now := g.refused, g.now()
	g.mu.Unlock()
	if g.told.due(now) {
		g.log.Warn("there are more requests than can be answered; those too many are refused", "at_once", g.limit, "refused_since_start", refused)
	}
}

// counts are how many requests are with the handler, how many wait, and how many
// were refused.
func (g *Gate) counts() (running, waiting int, refused int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running, g.queued + len(g.back), g.refused
}
