package httpserver

import (
	"container/heap"
	"sync"
	"time"
)

// A phase is what a connection waits for. Of several connections the one whose
// phase is first matters least.
type phase int

const (
	idle    phase = iota // for the next request
	reading              // for the rest of a request, be it all of it
	sending              // for the client to take an answer
	working              // for nothing: a handler works
)

// stuck is how long a client may take a part of an answer before its connection
// may be closed for another's sake.
const stuck = time.Second

// conns are the connections of a server.
type conns struct {
	limit   int
	now     func() time.Time
	left    chan struct{} // told that there may be room, if somebody waits
	mu      sync.Mutex
	open    int
	beside  int   // requests by HTTP/2, beside the first of each connection
	refused int64 // of those
	waiting bool  // for room
	waits   order
	evicted int64
}

func newConns(limit int) *conns {
	return &conns{limit: limit, now: time.Now, left: make(chan struct{}, 1)}
}

// order is a heap of the connections that wait for their clients: the first is
// the one to close.
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

// Push adds a connection, for package heap.
func (o *order) Push(c any) {
	added := c.(*conn)
	added.at = len(*o)
	*o = append(*o, added)
}

// Pop takes the last away, for package heap.
func (o *order) Pop() any {
	last := len(*o) - 1
	c := (*o)[last]
	(*o)[last] = nil
	*o = (*o)[:last]
	c.at = nowhere
	return c
}

// nowhere is the place in the order of a connection that is not in it.
const nowhere = -1

// admit gives a connection a place, if need be that of another, and waits while
// all are at work. It is false if closed ends first.
func (cs *conns) admit(c *conn, closed <-chan struct{}) bool {
	for {
		admitted, victim := cs.enter(c)
		if victim != nil {
			_ = victim.Conn.Close()
		}
		if admitted {
			return true
		}
		again := time.NewTimer(stuck / 4) // an answer gets stuck by time alone
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

// enter gives a connection a place if there is one, and names whose it was.
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

// evict closes the connection that matters least, if there is one to spare.
func (cs *conns) evict() {
	cs.mu.Lock()
	victim := cs.victim()
	cs.mu.Unlock()
	if victim != nil {
		_ = victim.Conn.Close()
	}
}

// victim takes away the connection that matters least, nil if there is none.
func (cs *conns) victim() *conn {
	if len(cs.waits) == 0 {
		return nil
	}
	first := cs.waits[0]
	if first.phase == sending && cs.now().Sub(first.since) < stuck {
		return nil
	}
	cs.forget(first)
	cs.evicted++
	return first
}

// forget takes a connection away that is closed, or is about to be.
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

// change notes what happened to a connection, and puts it where it belongs; it is false
// if the connection has gone.
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

// settle puts a connection where its phase belongs.
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

// wake tells whoever waits for room to look again.
func (cs *conns) wake() {
	if !cs.waiting {
		return
	}
	select {
	case cs.left <- struct{}{}:
	default:
	}
}

// counts are how many connections are open, how many were closed for the sake of
// others, and how many requests by HTTP/2 had no place.
func (cs *conns) counts() (open int, evicted, refused int64) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.open, cs.evicted, cs.refused
}
