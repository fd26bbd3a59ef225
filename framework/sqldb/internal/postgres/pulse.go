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

// A pulse checks whether the PostgreSQL server answers. If the server is frozen, or its
// machine has failed, sockets stay open and no data arrives on them. Without a pulse every
// statement, and every request that waits for a connection, would wait until its deadline.
//
// While a statement waits for the server and no data arrives, the pulse sends a statement
// on a connection of its own. Then it requests a new connection, because a pooler without
// a free connection still answers that. If neither is answered, the server is away: the
// pulse closes the server's connections, which ends all waiting, and no connection is made
// until the server answers the pulse. If an attempt to connect fails, see absent, the server
// is away too, but the existing connections stay open.
type pulse struct {
	dial     func(context.Context) (*pgdriver.Conn, error)
	knock    func(context.Context) (*pgdriver.Conn, error) // dial without a statement; a pooler answers it by itself
	waiting  atomic.Int64                                  // how many statements wait for the server
	heard    atomic.Uint64                                 // raised by all data from the server
	watching atomic.Bool
	ctx      context.Context // ends with the DB
	close    context.CancelFunc

	mu        sync.Mutex
	away      error // why no connection is made; nil while they are
	conns     map[driver.Conn]struct{}
	making    map[*making]struct{}
	observers []func(error)
}

// making is a connection on its way.
type making struct{ end context.CancelFunc }

const (
	// pulseTick is how long the server may be silent before the pulse probes it.
	pulseTick = 250 * time.Millisecond
	// putTicks and knockTicks are how many silent ticks in a row a probe waits for: a
	// server that is only busy must not lose all its connections, and a server whose
	// client is delayed must not lose them either.
	putTicks, knockTicks = 4, 4
	// aloneTicks is used instead of both if there is no connection to lose: a DNS
	// lookup may take five seconds, in which no data arrives.
	aloneTicks = 24
)

var errNoPulse = errors.New("sqldb: the server is silent: it has sent nothing since the last probe, on any connection")

func newPulse(dial, knock func(context.Context) (*pgdriver.Conn, error)) *pulse {
	p := &pulse{dial: dial, knock: knock, conns: map[driver.Conn]struct{}{}, making: map[*making]struct{}{}}
	p.ctx, p.close = context.WithCancel(context.Background())
	return p
}

// begin counts a statement that waits for the server, until end.
func (p *pulse) begin() {
	p.waiting.Add(1)
	if !p.watching.Load() && p.watching.CompareAndSwap(false, true) {
		go p.watch()
	}
}

func (p *pulse) end() { p.waiting.Add(-1) }

// watch probes a silent server as long as a statement waits for it.
func (p *pulse) watch() {
	q := prober{pulse: p}
	defer q.close()
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
			if err := q.probe(); absent(err) {
				p.lost(err)
			}
		}
	}
}

// absent reports whether an error means that no server can be used: it has no code of
// PostgreSQL, or a code that means that the server is starting or stopping. So absent returns
// true if no host has the role that the URL wants, but false for a wrong password.
func absent(err error) bool {
	if err == nil {
		return false
	}
	state := fault.State(err)
	return state == "" || strings.HasPrefix(state, "57P")
}

// lost records that the server is away, reports it and begins to probe the server, unless
// the server is already recorded as away. If why is errNoPulse, it always closes the
// connections and ends those that are being made. After close it does nothing.
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
		p.report(why)
		go p.probe()
	}
}

// leave closes the connections that lead to any host but the given one.
func (p *pulse) leave(host int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		if hostOf(c) != host {
			_ = c.Close()
		}
	}
}

func (p *pulse) report(why error) {
	for _, fn := range p.observers {
		func() {
			defer fault.LogPanic(p.ctx)
			fn(why)
		}()
	}
}

// probe probes the server until it answers, if only with an error, and then records that it
// is no longer away.
func (p *pulse) probe() {
	q := prober{pulse: p}
	defer q.close()
	tick := time.NewTicker(pulseTick)
	defer tick.Stop()
	for absent(q.probe()) {
		select {
		case <-p.ctx.Done():
			return
		case <-tick.C:
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = nil
	p.report(nil)
}

// connect makes a connection, unless the server is known to be away. It gives up with
// errNoPulse if the server turns out to be silent. If it cannot connect, see absent, it
// records that the server is away.
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

// enter registers a connection that is being made, until leave is called; lost calls end to
// stop it. If the server is away, enter returns the reason as an error.
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

// hold registers a connection, so that lost closes it when the server is silent, until drop.
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
	p.observers = append(p.observers, fn)
}
