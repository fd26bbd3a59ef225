// Package fair hands out a fixed number of slots, such as the connections of a
// database. The client that used them least goes first, so that no client can make the
// others wait without end.
package fair

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sync"
	"time"
)

// A Client uses slots. The zero Client is the program itself.
type Client struct {
	Caller    string // the identity of the caller, "" until it is known
	Anonymous bool   // the request names no caller
	Address   string // the network address of the client, or its network
	Resource  string // what the request works on, such as a viewset; "" for none
}

// Name is the caller, or else the address.
func (c Client) Name() string { return cmp.Or(c.Caller, c.Address) }

// ErrOverloaded is the error of a request that waited too long, or that was shed
// because too many wait.
var ErrOverloaded = errors.New("no slot came free in time")

// Options configure a [Queue]. Slots is required.
type Options struct {
	// Slots is how many slots there are.
	Slots int
	// Timeout limits how long a request waits in all its waits together; 0 allows no
	// wait. A context without a [Client] has no such limit.
	Timeout time.Duration
	// Depth limits how many turns wait; 0 allows none. A turn of several clients counts
	// once for each. If one more arrives, the client with the most waiting turns, the
	// arriving one included, loses its newest turn; of equal clients, the one that used
	// most. The queue sheds that turn, unless it also waits for another client.
	Depth int
	// HalfLife is the time in which half of the use is forgotten. Defaults to 1
	// second.
	HalfLife time.Duration
}

// A Queue hands out slots. A caller holds at most half of them. The requests of one
// address that name no caller hold at most half, and so do those whose caller is not
// known yet. One address holds at most three quarters, and so does one resource. These
// limits are rounded up. The program itself may hold all slots.
//
// Use is the time for which slots were held. It is charged to the caller, the address and
// the resource. The order of clients depends on the use of the caller, or of the address
// if no caller is known. A client that was idle starts at the least use of the clients
// that wait or hold a slot, if its own is less.
//
// A Queue is safe for concurrent use.
type Queue struct {
	options Options

	mu       sync.Mutex
	free     int
	waiting  int
	shed     int64
	arrivals uint64  // turns that waited so far
	level    float64 // the use at which a client that was idle starts
	aged     time.Time
	accounts map[accountKey]*account
	lines    []*line // in which turns wait, in no order
	known    map[Client]*line
	holding  map[*Turn]struct{} // the turns that hold a slot
}

// New makes a queue.
func New(o Options) *Queue {
	o.HalfLife = cmp.Or(o.HalfLife, time.Second)
	return &Queue{options: o, free: o.Slots, aged: time.Now(), accounts: map[accountKey]*account{}, known: map[Client]*line{}, holding: map[*Turn]struct{}{}}
}

// Stats are how many slots are held, how many turns wait, and how many were shed or
// waited too long so far. Waiting counts a turn once for each client for which it waits.
type Stats struct {
	Used, Waiting int
	Shed          int64
}

// Stats returns the numbers of this moment.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	return Stats{Used: q.options.Slots - q.free, Waiting: q.waiting, Shed: q.shed}
}

type accountKey struct{ kind, name string }

// An account counts what one caller, address or resource uses.
type account struct {
	accountKey

	most          int // slots that it may hold
	held, waiting int
	use, fine     float64 // in seconds; a fine does not raise the level
}

// rank decides the order of clients. The lowest is first.
func (a *account) rank() float64 { return a.use + a.fine }

func (a *account) idle() bool { return a.held == 0 && a.waiting == 0 }

// A line is the waiting turns of one client, the oldest first.
type line struct {
	client   Client
	accounts []*account // of the caller or the kind of request, the address and the resource
	rank     *account
	turns    []*Turn
	at       int // its index in Queue.lines
}

// A Turn waits for a slot, holds one, or is over.
type Turn struct {
	queue   *Queue
	number  uint64        // of its arrival
	ready   chan struct{} // closed when it came or was shed; nil if it never waited
	lines   []*line       // in which it waits
	by      *line         // of the client whose turn it was; nil until then
	began   time.Time     // when it came
	over    bool
	request *request // that holds the slot
}

// line finds the line of a client, or makes one.
func (q *Queue) line(c Client) *line {
	if l := q.known[c]; l != nil {
		return l
	}
	all := q.options.Slots
	half, most := (all+1)/2, (all*3+3)/4
	l := &line{client: c, accounts: make([]*account, 0, 3)}
	switch {
	case c.Caller != "":
		l.rank = q.account(l, "caller", c.Caller, half)
	case c.Address == "":
		l.rank = q.account(l, "program", "", all)
	case c.Anonymous:
		q.account(l, "anonymous", c.Address, half)
	default:
		q.account(l, "unknown", c.Address, half)
	}
	if c.Address != "" {
		l.rank = cmp.Or(l.rank, q.account(l, "address", c.Address, most))
	}
	if c.Resource != "" {
		q.account(l, "resource", c.Resource, most)
	}
	return l
}

// account adds an account to a line: the account that the queue keeps, or a new one. It
// raises the use of an idle account to the level.
func (q *Queue) account(l *line, kind, name string, most int) *account {
	key := accountKey{kind, name}
	a := q.accounts[key]
	if a == nil {
		a = &account{accountKey: key, most: most}
	}
	if a.idle() {
		a.use = max(a.use, q.level)
	}
	l.accounts = append(l.accounts, a)
	return a
}

// count adds to what the accounts of a line wait for and hold. The queue keeps the
// accounts that wait, hold a slot, or have used more than a new one would start with.
func (q *Queue) count(l *line, waiting, held int) {
	for _, a := range l.accounts {
		if a.idle() {
			q.accounts[a.accountKey] = a
		}
		a.waiting += waiting
		if a.held += held; a.idle() && a.rank() <= q.level {
			delete(q.accounts, a.accountKey)
		}
	}
}

// age halves all use and fines once per HalfLife, in steps of at least half of HalfLife. A step
// also forgets each idle account with almost no more use than a new one.
func (q *Queue) age() {
	const least = 0.001 // seconds
	since := time.Since(q.aged)
	if since < q.options.HalfLife/2 {
		return
	}
	q.aged = q.aged.Add(since)
	left := math.Exp2(-since.Seconds() / q.options.HalfLife.Seconds())
	q.level *= left
	for key, a := range q.accounts {
		a.use, a.fine = a.use*left, a.fine*left
		if a.idle() && a.rank() < q.level+least {
			delete(q.accounts, key)
		}
	}
}

// eligible reports whether a turn of the line may hold one more slot.
func (l *line) eligible() bool {
	for _, a := range l.accounts {
		if a.held >= a.most {
			return false
		}
	}
	return true
}

// before reports whether the first turn of a line comes before that of another.
func (l *line) before(other *line) bool {
	return cmp.Or(cmp.Compare(l.rank.rank(), other.rank.rank()), cmp.Compare(l.turns[0].number, other.turns[0].number)) < 0
}

// Enter begins a turn that clients share. It comes when it is the turn of any of them,
// perhaps at once. If too many turns wait, the queue sheds this turn or another one, see
// [Options.Depth]; [Turn.Wait] of that turn returns [ErrOverloaded]. Without clients, this
// turn is shed. The caller must call [Turn.End].
func (q *Queue) Enter(clients ...Client) *Turn {
	t := &Turn{queue: q}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.age()
	for _, c := range clients {
		q.join(t, c)
	}
	if t.by == nil && len(t.lines) == 0 {
		q.drop(t)
	}
	return t
}

// Join adds a client to a turn that still waits. The turn comes at once if a slot is free
// for the client. If too many turns wait, Join adds nothing or the queue sheds another turn,
// see [Options.Depth]. Join does nothing if the turn has come or is over.
func (t *Turn) Join(c Client) {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	t.queue.join(t, c)
}

func (q *Queue) join(t *Turn, c Client) {
	if t.by != nil || t.over {
		return
	}
	switch l := q.line(c); {
	case slices.Contains(t.lines, l):
	case q.free > 0 && l.eligible(): // no waiting turn may hold a slot: serve would have granted it
		q.grant(t, l)
		if len(q.lines) == 0 {
			q.level = q.leastHeld()
		}
	case q.waiting < q.options.Depth:
		q.await(t, l)
	default:
		if victim := q.victim(l); victim != nil {
			q.await(t, l)
			q.shedFrom(victim)
		}
	}
}

// await puts a turn at the end of a line.
func (q *Queue) await(t *Turn, l *line) {
	if t.ready == nil {
		q.arrivals++
		t.number, t.ready = q.arrivals, make(chan struct{})
	}
	if len(l.turns) == 0 {
		l.at, q.lines, q.known[l.client] = len(q.lines), append(q.lines, l), l
	}
	l.turns, t.lines = append(l.turns, t), append(t.lines, l)
	q.waiting++
	q.count(l, +1, 0)
}

// leave takes a turn out of a line.
func (q *Queue) leave(t *Turn, l *line) {
	at := slices.Index(l.turns, t)
	if l.turns = slices.Delete(l.turns, at, at+1); len(l.turns) == 0 {
		last := len(q.lines) - 1
		q.lines[l.at], q.lines[last].at = q.lines[last], l.at
		q.lines[last], q.lines = nil, q.lines[:last]
		delete(q.known, l.client)
	}
	q.waiting--
	q.count(l, -1, 0)
}

func (q *Queue) leaveAll(t *Turn) {
	for _, l := range t.lines {
		q.leave(t, l)
	}
	t.lines = nil
}

// Sheds reports whether the queue would at once shed a new turn of this one client.
func (q *Queue) Sheds(c Client) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.line(c)
	return q.waiting >= q.options.Depth && (q.free == 0 || !l.eligible()) && q.victim(l) == nil
}

// victim is the line that loses its newest turn to a new turn, see [Options.Depth]. It
// is nil if the new turn is the one to shed.
func (q *Queue) victim(of *line) (victim *line) {
	waiting, rank, newest := of.accounts[0].waiting+1, of.rank.rank(), q.arrivals+1
	for _, l := range q.lines {
		most, last := l.accounts[0].waiting, l.turns[len(l.turns)-1].number
		if cmp.Or(cmp.Compare(most, waiting), cmp.Compare(l.rank.rank(), rank), cmp.Compare(last, newest)) > 0 {
			victim, waiting, rank, newest = l, most, l.rank.rank(), last
		}
	}
	return victim
}

// shedFrom takes the newest turn out of a line, and sheds it if it waits for no other
// client.
func (q *Queue) shedFrom(victim *line) {
	t := victim.turns[len(victim.turns)-1]
	q.leave(t, victim)
	t.lines = slices.DeleteFunc(t.lines, func(l *line) bool { return l == victim })
	if len(t.lines) == 0 {
		q.drop(t)
	}
}

// drop sheds a turn.
func (q *Queue) drop(t *Turn) {
	q.shed++
	t.over = true
	t.wake()
}

func (t *Turn) wake() {
	if t.ready != nil {
		close(t.ready)
	}
}

// grant gives a turn a slot.
func (q *Queue) grant(t *Turn, by *line) {
	q.leaveAll(t)
	q.free--
	q.count(by, 0, +1)
	t.by, t.began = by, time.Now()
	q.holding[t] = struct{}{}
	t.wake()
}

// leastHeld returns the least use of the clients that hold a slot; it includes the time for
// which they have held that slot so far. It is infinite if no slot is held.
func (q *Queue) leastHeld() float64 {
	least, now := math.Inf(1), time.Now()
	for t := range q.holding {
		least = min(least, t.by.rank.use+now.Sub(t.began).Seconds())
	}
	return least
}

// End releases the slot, or ends the wait for one. Further calls, and calls on a nil
// Turn, do nothing.
func (t *Turn) End() { t.EndFined(0) }

// EndFined is End for a client that misused its slot. Its next turns come later, as if
// it had held the slot for the time fine longer. Without a slot, there is no fine.
func (t *Turn) EndFined(fine time.Duration) {
	if t == nil {
		return
	}
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.over {
		return
	}
	t.over = true
	if t.by == nil {
		q.leaveAll(t)
		return
	}
	for _, a := range t.by.accounts {
		a.use += time.Since(t.began).Seconds()
		a.fine += fine.Seconds()
	}
	q.free++
	delete(q.holding, t)
	q.count(t.by, 0, -1)
	if t.request != nil {
		t.request.released(q)
	}
	q.serve()
}

// serve hands out the free slots: each to the first of the turns that may hold one.
func (q *Queue) serve() {
	for q.free > 0 {
		var next *line
		least := math.Inf(1)
		for _, l := range q.lines {
			least = min(least, l.rank.use)
			if l.eligible() && (next == nil || l.before(next)) {
				next = l
			}
		}
		if next == nil {
			return
		}
		q.level = min(least, q.leastHeld())
		q.grant(next.turns[0], next)
	}
}
