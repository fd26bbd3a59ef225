package batch

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/sqltext"
)

const (
	// Most is the largest number of writes in one statement, a power of two.
	Most = 16
	// TransactionMost is the largest number of writes in one transaction of SQLite.
	TransactionMost = 64
)

// A write is one write that waits.
type write struct {
	Write

	line    string // the name of its line: the writes that may be sent together
	row     string // its key; "" on SQLite, where a batch may have several writes of one row
	client  fair.Client
	over    chan struct{}        // closed when it was sent, or may run by itself
	results []*connection.Result // of its statements, in their order
	err     error

	// These change under the lock of lines.
	alone     bool   // it may run by itself, in the slot of a statement that ended
	batch     *batch // the writes that it is sent with
	abandoned bool   // its request ended, and the result is not needed
}

// A batch are writes that are sent together.
type batch struct {
	ctx     context.Context //nolint:containedctx // it is that of the sending, which outlives each of those who wait
	cancel  context.CancelFunc
	writes  []*write
	clients []fair.Client
	left    int // number of writes whose requests still wait; at 0 the batch is cancelled
}

// lines are the statements that run and those that wait for them, by line.
type lines struct {
	mu     sync.Mutex
	byText map[string]*line
}

type line struct {
	running int
	waiting []*write
	moved   time.Time  // when a statement of it was over last
	turn    *fair.Turn // on SQLite, in which the next statement waits for the writer, or waited
}

// enter reports whether a write may run at once, because fewer than most statements of its
// line run. If it returns false, the write waits in the line.
func (s *lines) enter(w *write, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.byText[w.line]
	if l == nil {
		if s.byText == nil {
			s.byText = map[string]*line{}
		}
		l = &line{}
		s.byText[w.line] = l
	}
	if l.running < most {
		l.running++
		return true
	}
	l.waiting = append(l.waiting, w)
	if l.turn != nil {
		l.turn.Join(w.client)
	}
	return false
}

// enterTurn begins the turn of a line's next statement, which those who come later share.
func (s *lines) enterTurn(of string, queue *fair.Queue, clients []fair.Client) *fair.Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	turn := queue.Enter(clients...)
	s.byText[of].turn = turn
	return turn
}

// withdraw takes back a write that still waits, and reports whether it did.
func (s *lines) withdraw(w *write) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.remove(w)
}

func (s *lines) remove(w *write) bool {
	l := s.byText[w.line]
	if l == nil || !slices.Contains(l.waiting, w) {
		return false
	}
	l.waiting = slices.DeleteFunc(l.waiting, func(other *write) bool { return other == w })
	return true
}

// still returns for how long no statement of a write's line has ended, but at most for how
// long the write has waited.
func (s *lines) still(w *write, waited time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.byText[w.line]; l != nil {
		return min(waited, time.Since(l.moved))
	}
	return waited
}

// abandon removes a write whose request ended, if it was not sent, and reports whether it
// has a slot to release. If it was sent, and no request of its batch waits any longer,
// abandon cancels the batch.
func (s *lines) abandon(w *write) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.remove(w) || w.alone {
		return w.alone
	}
	w.abandoned = true
	if w.batch.left--; w.batch.left == 0 {
		w.batch.cancel()
	}
	return false
}

// choose takes writes out of a line to send together: the oldest of each client, then the
// oldest of the others. It takes a power of two of them, at most Most or TransactionMost;
// on PostgreSQL of different rows.
func (l *line) choose() []*write {
	most := TransactionMost
	if len(l.waiting) > 0 && l.waiting[0].row != "" {
		most = Most
	}
	var some []*write
	rows, clients := map[string]bool{}, map[string]bool{}
	take := func(w *write) {
		if len(some) < most && (w.row == "" || !rows[w.row]) {
			rows[w.row], clients[w.client.Name()] = true, true
			some = append(some, w)
		}
	}
	for _, w := range l.waiting {
		if !clients[w.client.Name()] {
			take(w)
		}
	}
	for _, w := range l.waiting {
		if !slices.Contains(some, w) {
			take(w)
		}
	}
	some = some[:sqltext.PaddedLen(len(some)+1)/2]
	l.waiting = slices.DeleteFunc(l.waiting, func(w *write) bool { return slices.Contains(some, w) })
	return some
}

// remaining returns the writes of a batch whose requests still wait.
func (s *lines) remaining(b *batch) []*write {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.writes), func(w *write) bool { return w.abandoned })
}

// next returns the writes to send together when a statement ends: those of choose. On
// PostgreSQL they are in the order of their keys, so that no two statements wait for each
// other's rows. A single write runs by itself. If no write waits, the slot becomes free.
func (s *lines) next(of string) *batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.byText[of]
	l.moved = time.Now()
	some := l.choose()
	if len(some) == 0 {
		if l.running--; l.running == 0 {
			delete(s.byText, of)
		}
		return nil
	}
	if len(some) == 1 {
		some[0].alone = true
		close(some[0].over)
		return nil
	}
	slices.SortFunc(some, func(a, b *write) int { return strings.Compare(a.row, b.row) })
	b := &batch{writes: some, left: len(some)}
	for _, w := range some {
		w.batch = b
		b.clients = append(b.clients, w.client)
	}
	b.ctx, b.cancel = context.WithCancel(fair.Apart(context.Background(), b.clients...))
	return b
}

func (s *lines) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byText)
}

func (s *lines) waiting(of string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.byText[of]; l != nil {
		return len(l.waiting)
	}
	return 0
}
