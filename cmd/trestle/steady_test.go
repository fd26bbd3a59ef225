package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A stream sends requests at a constant rate, whether or not earlier ones were
// answered, as independent clients do. Latency counts from
// when a request was due, so the wait for a connection or for
// the answer to another request counts as well.
//
// A request is up to a millisecond late, which counts too.
type stream struct {
	address string // host and port
	from    string // the clients' own address; "" for the usual one
	errands []errand
	most    int           // connections
	drops   bool          // a request that finds all connections busy is lost, and does not wait for one
	limit   time.Duration // from when a request is due to the end of its answer
	dice    *rand.Rand    // for one phase at a time

	mu       sync.Mutex
	idle     []*carrier // the last to rest is the first to work
	waiting  []task     // for a carrier
	carriers int
}

// An errand is a kind of request.
type errand struct {
	name   string
	weight int
	next   func(dice *rand.Rand) []byte // a whole request; it has one caller at a time
	took   func(body []byte)            // what was answered with 2xx, unless nil; it has many callers
}

// A task is one request.
type task struct {
	due     time.Time
	errand  int
	request []byte
	phase   *phase
}

// A carrier sends requests over one connection.
type carrier struct {
	wire wire
	work chan task
}

func newStream(address string, seed uint64, errands ...errand) *stream {
	return &stream{address: address, errands: errands, most: 1000, limit: 10 * time.Second, dice: rand.New(rand.NewPCG(seed, 1))}
}

// run sends for a while, and returns when all is sent: answers may come later.
func (s *stream) run(ctx context.Context, rate float64, lasts time.Duration) *phase {
	p := &phase{stream: s, rate: rate, lasts: lasts, counts: map[outcome]int{}}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	began, interval := time.Now(), time.Duration(float64(time.Second)/rate)
	for total := int(rate * lasts.Seconds()); p.offered < total; {
		for due := min(total, 1+int(time.Since(began)/interval)); p.offered < due; p.offered++ {
			which := s.draw()
			p.open.Add(1)
			s.give(task{began.Add(time.Duration(p.offered) * interval), which, s.errands[which].next(s.dice), p})
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			p.lasts = time.Since(began)
			return p
		}
	}
	p.lasts = max(lasts, time.Since(began)) // who sends may have been held up
	return p
}

// draw chooses an errand by its weight.
func (s *stream) draw() int {
	total := 0
	for _, e := range s.errands {
		total += e.weight
	}
	roll := s.dice.IntN(total)
	for i, e := range s.errands {
		if roll -= e.weight; roll < 0 {
			return i
		}
	}
	panic("a roll beyond its dice")
}

// give hands a task to an idle worker, or to a new one, or lets it wait.
func (s *stream) give(t task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.idle) > 0:
		last := len(s.idle) - 1
		s.idle[last].work <- t // who is idle has room for one
		s.idle = s.idle[:last]
	case s.carriers < s.most:
		s.carriers++
		c := &carrier{wire: wire{address: s.address, from: s.from}, work: make(chan task, 1)}
		c.work <- t
		go s.carry(c)
	case s.drops:
		t.phase.note(t.errand, reply{}, errNoConnection, 0)
		t.phase.open.Done()
	default:
		s.waiting = append(s.waiting, t)
	}
}

// errNoConnection is why a request was not sent.
var errNoConnection = errors.New("all connections were busy")

func (s *stream) carry(c *carrier) {
	defer c.wire.close()
	for t := range c.work {
		for more := true; more; t, more = s.next(c) {
			s.do(&c.wire, t)
		}
	}
}

// next is what a carrier does next; it is idle if that is nothing.
func (s *stream) next(c *carrier) (task, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		s.idle = append(s.idle, c)
		return task{}, false
	}
	t := s.waiting[0]
	s.waiting = s.waiting[1:]
	return t, true
}

func (s *stream) do(w *wire, t task) {
	defer t.phase.open.Done()
	var got reply
	err := errors.New("it waited too long for a connection")
	if left := s.limit - time.Since(t.due); left > 0 {
		got, err = w.send(t.request, left)
	}
	took := time.Since(t.due)
	if e := s.errands[t.errand]; err == nil && got.status/100 == 2 && e.took != nil {
		e.took(got.body)
	}
	t.phase.note(t.errand, got, err, took)
}

// close ends all connections, when all is answered.
func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.idle {
		close(c.work)
	}
	s.carriers -= len(s.idle)
	s.idle = nil
}

// A phase is what became of the requests of a stretch of time.
type phase struct {
	stream  *stream
	rate    float64
	lasts   time.Duration
	offered int
	open    sync.WaitGroup // requests that are not answered

	mu                sync.Mutex
	accepted, refused spread
	counts            map[outcome]int
	strange           []string // the first of what is neither
	odd               int      // how many those are
}

// An outcome is what became of a request; status 0 is no answer.
type outcome struct{ errand, status int }

func (p *phase) note(errand int, got reply, err error, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[outcome{errand, got.status}]++
	switch {
	case err == nil && got.status/100 == 2:
		p.accepted.add(took)
	case err == nil && got.refuses():
		p.refused.add(took)
	default:
		p.odd++
		if len(p.strange) < 5 {
			p.strange = append(p.strange, fmt.Sprintf("%s after %s: %d %.300s %v", p.stream.errands[errand].name, took, got.status, got.body, err))
		}
	}
}

// wait returns when all is answered.
func (p *phase) wait() *phase {
	p.open.Wait()
	return p
}

// merged is several phases of one stream as one.
func merged(phases ...*phase) *phase {
	all := &phase{stream: phases[0].stream, rate: phases[0].rate, counts: map[outcome]int{}}
	for _, p := range phases {
		p.mu.Lock()
		all.lasts += p.lasts
		all.offered += p.offered
		all.odd += p.odd
		all.accepted.merge(&p.accepted)
		all.refused.merge(&p.refused)
		all.strange = append(all.strange, p.strange[:min(len(p.strange), 5-len(all.strange))]...)
		for what, n := range p.counts {
			all.counts[what] += n
		}
		p.mu.Unlock()
	}
	return all
}

// goodput is how many requests of a second were done.
func (p *phase) goodput() float64 { return float64(p.accepted.n) / p.lasts.Seconds() }

// mostKneeDelay is the most that the p99 is at a rate that a server keeps up with.
const mostKneeDelay = 250 * time.Millisecond

// keepsUp reports whether nearly all was done, and in time.
func (p *phase) keepsUp() bool {
	return p.goodput() >= 0.95*p.rate && p.accepted.quantile(0.99) <= mostKneeDelay
}

func (p *phase) String() string {
	return fmt.Sprintf("%.0f/s for %s: %d offered, %d done (p50 %s, p99 %s), %d refused (p99 %s), %d strange; %s",
		p.rate, p.lasts.Round(time.Second), p.offered, p.accepted.n, p.accepted.quantile(0.5), p.accepted.quantile(0.99),
		p.refused.n, p.refused.quantile(0.99), p.odd, p.tally())
}

// tally is how often which answer came.
func (p *phase) tally() string {
	var all []string
	for what, n := range p.counts {
		all = append(all, fmt.Sprintf("%s %d: %d", p.stream.errands[what.errand].name, what.status, n))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// check reports requests that neither succeeded nor were rejected as they should be, and
// returns the phase.
func (p *phase) check(t *testing.T) *phase {
	t.Helper()
	if p.odd > 0 {
		t.Errorf("%d requests were neither done nor refused with Retry-After, such as\n%s", p.odd, strings.Join(p.strange, "\n"))
	}
	return p
}
