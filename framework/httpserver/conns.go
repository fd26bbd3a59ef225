package httpserver

import (
	"container/heap"
	"sync"
	"time"
)

// A phase is what a connection waits for. To make room, the server closes connections
// of an earlier phase first.
type phase int

const (
	idle    phase = iota // the connection waits for its next request
	reading              // it waits for its first request, or for the rest of a request
	sending              // it waits until the client reads the answer
	working              // a handler works; the connection is not closed to make room
)

// stuckAfter is how long a client may leave a part of an answer unread before the server may
// close its connection to make room.
const stuckAfter = time.Second

// conns are the connections of a server.
type conns struct {
	limit    int
	now      func() time.Time
	left     chan struct{} // gets a value when there may be room for a waiting connection
	mu       sync.Mutex
	open     int
	beside   int   // HTTP/2 requests under way, without the first of each connection
	rejected int64 // HTTP/2 requests that were answered 503
	waiting  bool  // a new connection waits for room
	waits    order
	evicted  int64 // connections that were closed to make room
}

func newConns(limit int) *conns {
	return &conns{limit: limit, now: time.Now, left: make(chan struct{}, 1)}
}

// order is a heap of the connections that wait for their clients. The server closes the
// first one to make room.
type order []*conn

func (o *order) Len() int { return len(*o) }

func (o *order) Less(i, j int) bool {
	a, b := (*o)[i], (*o)[j]
	if a.phase != b.phase {
		return a.phase < b.phase
	}
	return a.since.Before(b.since)
}

func (o *order) Swap(i, j int) {
	all := *o
	all[i], all[j] = all[j], all[i]
	all[i].at, all[j].at = i, j
}

// Push adds a connection. Package heap calls it.
func (o *order) Push(c any) {
	added := c.(*conn)
	added.at = len(*o)
	*o = append(*o, added)
}

// Pop removes the last connection and returns it. Package heap calls it.
func (o *order) Pop() any {
	last := len(*o) - 1
	c := (*o)[last]
	(*o)[last] = nil
	*o = (*o)[:last]
	c.at = nowhere
	return c
}

// nowhere is the index of a connection that is not in the order.
const nowhere = -1

// admit lets a new connection in. At the limit it closes another connection. While none may be
// closed, see [conns.victim], it waits. It returns false if the channel closed is closed first.
func (cs *conns) admit(c *conn, closed <-chan struct{}) bool {
	for {
		admitted, victim := cs.enter(c)
		if victim != nil {
			_ = victim.Conn.Close()
		}
		if admitted {
			return true
		}
		again := time.NewTimer(stuckAfter / 4) // nothing is sent on left when an answer becomes stuck
		select {
		case <-cs.left:
			again.Stop()
		case <-again.C:
		case <-closed:
			again.Stop()
			return false
		}
	}
}

// enter lets a connection in if there is room, or if another one may be closed for it. The
// caller must close that one, victim. victim is nil if there is room.
func (cs *conns) enter(c *conn) (admitted bool, victim *conn) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.open >= cs.limit {
		if victim = cs.victim(); victim == nil {
			cs.waiting = true
			return false, nil
		}
	}
	cs.waiting = false
	cs.open++
	c.phase, c.at, c.active = working, nowhere, true
	c.began = cs.now()
	cs.settle(c)
	return true, victim
}

// evict closes the first connection of the order. It closes none if there is none, or if the
// first one has left an answer unread for less than stuckAfter.
func (cs *conns) evict() {
	cs.mu.Lock()
	victim := cs.victim()
	cs.mu.Unlock()
	if victim != nil {
		_ = victim.Conn.Close()
	}
}

// victim removes the first connection of the order and returns it, to be closed. It returns
// nil if there is none, or if the first one has left an answer unread for less than
// stuckAfter.
func (cs *conns) victim() *conn {
	if len(cs.waits) == 0 {
		return nil
	}
	first := cs.waits[0]
	if first.phase == sending && cs.now().Sub(first.since) < stuckAfter {
		return nil
	}
	cs.forget(first)
	cs.evicted++
	return first
}

// forget removes a connection that is closed or is about to be closed.
func (cs *conns) forget(c *conn) {
	if c.gone {
		return
	}
	c.gone = true
	cs.open--
	cs.beside -= max(0, len(c.streams)-1)
	if c.at != nowhere {
		heap.Remove(&cs.waits, c.at)
	}
	cs.wake()
}

// change updates a connection and its place in the order. If the connection is closed or about
// to be closed, it does nothing and returns false.
func (cs *conns) change(c *conn, what func(c *conn)) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c.gone {
		return false
	}
	what(c)
	cs.settle(c)
	return true
}

// settle computes the phase of a connection and moves it within the order. Within a phase the
// earliest time is first: for reading, when the oldest request began; for an unsent HTTP/2
// answer, when its write began; otherwise when the phase began. A connection that works is not
// in the order.
func (cs *conns) settle(c *conn) {
	now, since := c.waitsFor(), c.since
	switch {
	case now == sending && len(c.unsent) > 0:
		since = c.unsent[0].since
	case now == reading:
		since = c.began
	case now == c.phase:
	default:
		since = cs.now()
	}
	if now == c.phase && since.Equal(c.since) {
		return
	}
	c.phase, c.since = now, since
	switch {
	case now == working:
		heap.Remove(&cs.waits, c.at)
		return
	case c.at == nowhere:
		heap.Push(&cs.waits, c)
	default:
		heap.Fix(&cs.waits, c.at)
	}
	cs.wake()
}

// wake makes a waiting connection try again.
func (cs *conns) wake() {
	if !cs.waiting {
		return
	}
	select {
	case cs.left <- struct{}{}:
	default:
	}
}

// counts returns how many connections are open, how many were closed to make room, and
// how many HTTP/2 requests were answered 503 since the start.
func (cs *conns) counts() (open int, evicted, rejected int64) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.open, cs.evicted, cs.rejected
}
