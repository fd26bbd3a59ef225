package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"

	"trestle.example/framework/sqldb/internal/fault"
)

// A pulse tells whether PostgreSQL's server answers at all. One that is frozen,
// or whose machine is gone, leaves sockets open on which nothing ever comes: who
// asked it would wait until a deadline, and so would all who wait for a
// connection.
//
// While somebody waits for the server and nothing whatever comes from it, the
// pulse asks it for something by a connection of its own, and then for a new
// connection, which a pooler too answers that has no other to give. If nothing
// comes of either, the server is away: its connections are closed, which ends all
// waiting, and none is made until the pulse has been answered. A connection that
// cannot be made has the same end, but for those that there are.
type pulse struct {
	dial     func(context.Context) (*pgdriver.Conn, error)
	knock    func(context.Context) (*pgdriver.Conn, error) // dial, as far as a pooler answers by itself
	waiting  atomic.Int64                                  // who waits for the server
	heard    atomic.Uint64                                 // raised by whatever comes from it
	watching atomic.Bool
	ctx      context.Context // ends with the DB
	close    context.CancelFunc

	mu     sync.Mutex
	away   error // why no connection is made; nil while they are
	conns  map[driver.Conn]struct{}
	making map[*making]struct{}
	told   []func(error)
}

// making is a connection on its way.
type making struct{ end context.CancelFunc }

const (
	// pulseTick is how long nothing may come before the pulse asks.
	pulseTick = 250 * time.Millisecond
	// putTicks and knockTicks are how many ticks in turn bring nothing until a
	// question has no answer: a server that is only busy must not lose all its
	// connections, nor must one whose client is held up itself.
	putTicks, knockTicks = 4, 4
	// aloneTicks are both where no connection is to be lost: looking up a name may
	// take five seconds, of which nothing is heard.
	aloneTicks = 24
)

var errNoPulse = errors.New("sqldb: the server is silent: nothing has come from it since it was asked, on any connection")

func newPulse(dial, knock func(context.Context) (*pgdriver.Conn, error)) *pulse {
	p := &pulse{dial: dial, knock: knock, conns: map[driver.Conn]struct{}{}, making: map[*making]struct{}{}}
	p.ctx, p.close = context.WithCancel(context.Background())
	return p
}

// begin notes somebody who waits for the server, until end.
func (p *pulse) begin() {
	p.waiting.Add(1)
	if !p.watching.Load() && p.watching.CompareAndSwap(false, true) {
		go p.watch()
	}
}

func (p *pulse) end() { p.waiting.Add(-1) }

// watch listens as long as somebody waits.
func (p *pulse) watch() {
	q := question{pulse: p}
	defer q.hangUp()
	tick := time.NewTicker(pulseTick)
	defer tick.Stop()
	for last := p.heard.Load(); ; last = p.heard.Load() {
		select {
		case <-p.ctx.Done():
			return
		case <-tick.C:
		}
		switch {
		case p.waiting.Load() == 0:
			if p.watching.Store(false); p.waiting.Load() == 0 || !p.watching.CompareAndSwap(false, true) {
				return
			}
		case p.heard.Load() == last:
			if err := q.ask(); absent(err) {
				p.lost(err)
			}
		}
	}
}

// absent tells that an error is no answer of a server at work: there is none, or
// it is starting or stopping.
func absent(err error) bool {
	if err == nil {
		return false
	}
	state := fault.State(err)
	return state == "" || strings.HasPrefix(state, "57P")
}

// lost begins the server's absence. A server that is silent will not end what
// waits for it.
func (p *pulse) lost(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return
	}
	if errors.Is(why, errNoPulse) {
		for c := range p.conns {
			_ = c.Close()
		}
		clear(p.conns)
		for m := range p.making {
			m.end()
		}
	}
	if p.away == nil {
		p.away = why
		p.tell(why)
		go p.probe()
	}
}

// leave closes the connections that do not lead to a host.
func (p *pulse) leave(host int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		if hostOf(c) != host {
			_ = c.Close()
		}
	}
}

func (p *pulse) tell(why error) {
	for _, fn := range p.told {
		func() {
			defer fault.LogPanic(p.ctx)
			fn(why)
		}()
	}
}

// probe asks the server until it answers, which ends its absence.
func (p *pulse) probe() {
	q := question{pulse: p}
	defer q.hangUp()
	tick := time.NewTicker(pulseTick)
	defer tick.Stop()
	for absent(q.ask()) {
		select {
		case <-p.ctx.Done():
			return
		case <-tick.C:
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = nil
	p.tell(nil)
}

// connect makes a connection, unless the server is known to be away, or until
// that is known.
func (p *pulse) connect(ctx context.Context) (*pgdriver.Conn, error) {
	awaited, cancel := context.WithCancel(ctx)
	defer cancel()
	leave, err := p.enter(cancel)
	if err != nil {
		return nil, err
	}
	defer leave()
	p.begin()
	defer p.end()
	inner, err := p.dial(awaited)
	switch {
	case err == nil || fault.IsOver(ctx):
		return inner, err
	case awaited.Err() != nil:
		return nil, errNoPulse
	case absent(err):
		p.lost(err)
	}
	return nil, err
}

// enter is for a connection to be made, which end ends.
func (p *pulse) enter(end context.CancelFunc) (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away != nil {
		return nil, p.away
	}
	m := &making{end}
	p.making[m] = struct{}{}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.making, m)
	}, nil
}

// hold has a connection closed when the server is silent, until drop.
func (p *pulse) hold(c driver.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[c] = struct{}{}
}

func (p *pulse) drop(c driver.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

func (p *pulse) observe(fn func(why error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, fn)
}
