// Package fair hands out a fixed number of slots, such as the connections of a
// database, to clients in turn: the client that used them least goes first, so that
// no client can keep the others waiting.
package fair

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sync"
	"time"
)

// A Client is for whom a slot is used. The zero Client is the program itself.
type Client struct {
	// Caller is the identity of the caller, "" until it is known.
	Caller string
	// Anonymous says that the request names no caller.
	Anonymous bool
	// Address is the network address of the client, or its network.
	Address string
	// Resource is what the request works on, such as a viewset; "" for none.
	Resource string
}

// Name names the client: the caller, or else the address.
func (c Client) Name() string { return cmp.Or(c.Caller, c.Address) }

// ErrOverloaded is the error of a wait that took too long, or that was given up
// because too many wait.
var ErrOverloaded = errors.New("no slot came free in time")

// Options configure a [Queue]. Slots is required.
type Options struct {
	// Slots is how many are handed out at once.
	Slots int
	// Timeout is how long a request waits in all its waits together. A context
	// without a [Client] has no such limit.
	Timeout time.Duration
	// Depth is how many wait at most. One too many takes the place of the newest
	// in the longest line.
	Depth int
	// HalfLife is the time in which half of the use is forgotten. Defaults to 1
	// second.
	HalfLife time.Duration
}

// A Queue hands out slots. A caller holds at most half of them, and so do the
// requests of one address that name no caller, together, and those whose caller is
// not known yet. One address, and one resource, hold at most three quarters.
//
// Use is the time for which slots were held, of which half is forgotten in each
// [Options.HalfLife]. It is charged to the caller and to the address. A client that
// comes back starts at the use of the client that was served last, if its own is less.
//
// A Queue is safe for concurrent use.
type Queue struct {
	options Options

	mu       sync.Mutex
	free     int
	waiting  int
	shed     int64
	level    float64 // the use of the client that was served last
	aged     time.Time
	arrivals uint64 // how many turns have waited so far
	accounts map[accountKey]*account
	lines    []*line // those in which a turn waits
	known    map[lineKey]*line
}

// New makes a queue.
func New(o Options) *Queue {
	o.HalfLife = cmp.Or(o.HalfLife, time.Second)
	return &Queue{options: o, free: o.Slots, aged: time.Now(), accounts: map[accountKey]*account{}, known: map[lineKey]*line{}}
}

// Stats are what a queue holds just now, and how many it has shed.
type Stats struct {
	Used, Waiting int
	Shed          int64
}

// Stats counts.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	return Stats{Used: q.options.Slots - q.free, Waiting: q.waiting, Shed: q.shed}
}

type accountKind byte

const (
	ofCaller accountKind = iota
	ofAnonymous
	ofUnknown
	ofAddress
	ofResource
	ofProgram
)

type accountKey struct {
	kind accountKind
	name string
}

// An account is what one caller, address or resource uses.
type account struct {
	most  int // slots that it may hold
	held  int
	turns int // that wait
	use   float64
	fine  float64 // counts as use, but never for another client
}

// load is how many turns an account has under way.
func (a *account) load() int { return a.held + a.turns }

// rank is what decides whose turn it is.
func (a *account) rank() float64 { return a.use + a.fine }

// idle reports whether nothing of an account is under way.
func (a *account) idle() bool { return a.held == 0 && a.turns == 0 }

// A lineKey has the accounts of a caller, an address and a resource; nil for none.
type lineKey [3]*account

// A line is the turns of one caller for one resource at one address: either all of
// them may go on, or none.
type line struct {
	client   Client
	accounts lineKey
	rank     *account // whose use decides
	turns    []*Turn  // the oldest first
}

// A Turn is one that waits for a slot, or holds one.
type Turn struct {
	queue  *Queue
	number uint64        // of its arrival
	ready  chan struct{} // closed when it holds a slot, or was shed; nil if it did not wait
	lines  []*line       // in which it waits
	by     *line         // by which it holds its slot
	began  time.Time     // when it got it
	visit  *visit        // whose it is; nil without one
	shed   bool
	over   bool
}

// account finds an account, or makes it.
func (q *Queue) account(kind accountKind, name string, most int) *account {
	key := accountKey{kind, name}
	a := q.accounts[key]
	if a == nil {
		a = &account{most: most}
		q.accounts[key] = a
	}
	if a.idle() {
		a.use = max(a.use, q.level)
	}
	return a
}

// line finds the line of a client in which turns wait, or makes one.
func (q *Queue) line(c Client) *line {
	l := &line{client: c}
	half, most := (q.options.Slots+1)/2, (q.options.Slots*3+3)/4
	if c.Address != "" {
		l.accounts[1] = q.account(ofAddress, c.Address, most)
	}
	switch {
	case c.Caller != "":
		l.accounts[0] = q.account(ofCaller, c.Caller, half)
	case c.Address == "":
		l.accounts[0] = q.account(ofProgram, "", q.options.Slots)
	case c.Anonymous:
		l.accounts[0] = q.account(ofAnonymous, c.Address, half)
	default:
		l.accounts[0] = q.account(ofUnknown, c.Address, half)
	}
	if l.rank = l.accounts[0]; c.Caller == "" && c.Address != "" {
		l.rank = l.accounts[1]
	}
	if c.Resource != "" {
		l.accounts[2] = q.account(ofResource, c.Resource, most)
	}
	if known := q.known[l.accounts]; known != nil {
		return known
	}
	return l
}

// may reports whether a turn of the line may hold a slot.
func (l *line) may() bool {
	for _, a := range l.accounts {
		if a != nil && a.held >= a.most {
			return false
		}
	}
	return true
}

// count counts the turns that wait.
func (l *line) count(more int) {
	for _, a := range l.accounts {
		if a != nil {
			a.turns += more
		}
	}
}

// before reports whether the first turn of a line comes before that of another.
func (l *line) before(other *line) bool {
	if one, two := l.rank.rank(), other.rank.rank(); one != two {
		return one < two
	}
	return l.turns[0].number < other.turns[0].number
}

// leastFine is a fine that is forgotten, in seconds.
const leastFine = 0.01

// age forgets use as time passes, and accounts to which it makes no difference.
func (q *Queue) age() {
	now := time.Now()
	since := now.Sub(q.aged)
	if since < q.options.HalfLife/2 {
		return
	}
	q.aged = now
	left := math.Exp2(-since.Seconds() / q.options.HalfLife.Seconds())
	q.level *= left
	for key, a := range q.accounts {
		a.use *= left
		if a.fine *= left; a.idle() && a.use <= q.level && a.fine < leastFine {
			delete(q.accounts, key)
		}
	}
}

// Enter begins a turn for clients that share it: it comes when it is the turn of any
// of them, perhaps at once. [Turn.End] must be called.
func (q *Queue) Enter(clients ...Client) *Turn {
	t := &Turn{queue: q}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.age()
	for _, c := range clients {
		q.join(t, c)
	}
	return t
}

// Join adds a client to those that share a turn, if it still waits.
func (t *Turn) Join(c Client) {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	t.queue.join(t, c)
}

func (q *Queue) join(t *Turn, c Client) {
	if t.by != nil || t.shed || t.over {
		return
	}
	l := q.line(c)
	switch {
	case slices.Contains(t.lines, l):
		return
	case q.free > 0 && l.may(): // nobody who waits may have it
		q.grant(t, l)
		return
	case len(t.lines) > 0:
	case q.waiting >= q.options.Depth && !q.shedFor(l):
		q.drop(t)
		return
	default:
		q.waiting++
		q.arrivals++
		t.number, t.ready = q.arrivals, make(chan struct{})
	}
	if len(l.turns) == 0 {
		q.lines = append(q.lines, l)
		q.known[l.accounts] = l
	}
	l.turns = append(l.turns, t)
	l.count(+1)
	t.lines = append(t.lines, l)
}

// Sheds reports whether a turn of a client would be shed now.
func (q *Queue) Sheds(c Client) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting >= q.options.Depth && q.victim(q.line(c)) == nil
}

// victim is the line that loses its newest turn to a new turn: that of the client that
// has most turns under way, and of equal ones the one that used most. It is nil if the new turn
// is itself the one to lose.
func (q *Queue) victim(newest *line) *line {
	longest := slices.MaxFunc(q.lines, func(a, b *line) int {
		return cmp.Or(cmp.Compare(a.accounts[0].load(), b.accounts[0].load()), cmp.Compare(a.rank.rank(), b.rank.rank()))
	})
	more := cmp.Compare(longest.accounts[0].load(), newest.accounts[0].load()+1)
	if cmp.Or(more, cmp.Compare(longest.rank.rank(), newest.rank.rank())) <= 0 {
		return nil
	}
	return longest
}

// shedFor ends the wait of a turn to make room for a new one of a line, if there is
// one to end.
func (q *Queue) shedFor(newest *line) bool {
	longest := q.victim(newest)
	if longest == nil {
		return false
	}
	victim := longest.turns[len(longest.turns)-1]
	q.leave(victim)
	q.drop(victim)
	return true
}

// drop ends a turn that will not come.
func (q *Queue) drop(t *Turn) {
	q.shed++
	t.shed = true
	t.settle()
}

// settle wakes whoever waits for a turn.
func (t *Turn) settle() {
	if t.ready != nil {
		close(t.ready)
	}
}

// grant gives a turn a slot.
func (q *Queue) grant(t *Turn, by *line) {
	q.leave(t)
	q.free--
	q.level = by.rank.use
	for _, a := range by.accounts {
		if a != nil {
			a.held++
		}
	}
	t.by, t.began = by, time.Now()
	t.settle()
}

// leave takes a turn from its lines.
func (q *Queue) leave(t *Turn) {
	if len(t.lines) > 0 {
		q.waiting--
	}
	for _, l := range t.lines {
		at := slices.Index(l.turns, t)
		l.turns = slices.Delete(l.turns, at, at+1)
		if l.count(-1); len(l.turns) == 0 {
			at := slices.Index(q.lines, l)
			q.lines = slices.Delete(q.lines, at, at+1)
			delete(q.known, l.accounts)
		}
	}
	t.lines = nil
}

// End gives the slot back, or ends the wait for one. Further calls, and those of a nil
// Turn, do nothing.
func (t *Turn) End() { t.end(0) }

// EndFined is End for a client that misused its slot: its next turns come later, as if
// it had held the slot for so much longer.
func (t *Turn) EndFined(fine time.Duration) { t.end(fine) }

func (t *Turn) end(fine time.Duration) {
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
		q.leave(t)
		return
	}
	if t.visit != nil {
		t.visit.returned(t)
	}
	used := time.Since(t.began).Seconds()
	for i, a := range t.by.accounts {
		if a == nil {
			continue
		}
		a.held--
		if i < 2 {
			a.use += used
			a.fine += fine.Seconds()
		}
	}
	q.free++
	q.serve()
}

// serve gives free slots to those whose turn it is: of the lines that may hold one,
// to the one that used least, and of equal ones to the one that has waited longest.
func (q *Queue) serve() {
	for q.free > 0 {
		var next *line
		for _, l := range q.lines {
			if l.may() && (next == nil || l.before(next)) {
				next = l
			}
		}
		if next == nil {
			return
		}
		q.grant(next.turns[0], next)
	}
}
