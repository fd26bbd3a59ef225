// Package pool gives connections to statements and transactions. They wait for a slot in a
// fair queue, and use a connection of database/sql.
package pool

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// waitingMost limits how many statements and transactions wait for a connection.
const waitingMost = 4096

// Options are what a Pool needs beside its connections.
type Options struct {
	Kind         dialect.Kind
	Dialect      schema.Dialect
	Conns        int           // how many statements and transactions run at once
	QueueTimeout time.Duration // how long a request waits for connections
	Lifetime     time.Duration // the age at which a connection is replaced
	Acquires     bool          // a connection that is not in use goes back to the pool of the program
}

// A Pool gives connections to statements and transactions, in a fair queue. It is safe for
// concurrent use.
type Pool struct {
	// Slots are for the connections of the pool.
	Slots *fair.Queue
	// Writer is for SQLite's one writer, which has a connection of its own. PostgreSQL does not
	// use it.
	Writer *fair.Queue

	kind   dialect.Kind
	shared *connection.Shared
	bun    *bun.DB
	idle   int // how many connections it keeps while nothing uses them, -1 for none
}

// New makes a pool. It connects to nothing.
func New(connector driver.Connector, shared *connection.Shared, o Options) *Pool {
	queue := func(slots int) *fair.Queue {
		return fair.New(fair.Options{Slots: slots, Timeout: o.QueueTimeout, Depth: waitingMost})
	}
	p := &Pool{Slots: queue(o.Conns), Writer: queue(1), kind: o.Kind, shared: shared}
	n := o.Conns + 1 // for a request that holds a connection and needs a second one
	if o.Kind == dialect.SQLite {
		n++
	}
	conns := sql.OpenDB(connector)
	conns.SetMaxOpenConns(n)
	if p.idle = n; o.Acquires {
		p.idle = -1
	}
	conns.SetMaxIdleConns(p.idle)
	conns.SetConnMaxLifetime(o.Lifetime)
	p.bun = bun.NewDB(conns, o.Dialect, bun.WithConnResolver(Slotted{p}))
	return p
}

// Bun returns the pool as bun uses it. The queries that bun builds wait for slots.
func (p *Pool) Bun() *bun.DB { return p.bun }

// CloseIdle closes the connections that neither a statement nor a transaction holds now.
func (p *Pool) CloseIdle() {
	p.bun.SetMaxIdleConns(-1)
	p.bun.SetMaxIdleConns(p.idle)
}

// acquire waits for a slot: that of SQLite's writer, or one of the others. The turn is nil
// in a transaction of the pool, and for a request that holds the writer's slot or one of
// the same queue: it needs no other.
func (p *Pool) acquire(ctx context.Context, writes bool) (*fair.Turn, error) {
	queue := p.Slots
	if writes && p.kind == dialect.SQLite {
		queue = p.Writer
	}
	if p.Inside(ctx) || p.Writer.Holds(ctx) || queue.Holds(ctx) {
		return nil, ctx.Err()
	}
	ctx, cancel := p.shared.Deadline(ctx)
	defer cancel()
	turn, err := queue.Acquire(ctx)
	return turn, fault.WaitError(err)
}

// conn takes a connection of the pool, which has at least one for each slot. None may be
// free if the program took connections itself, by [database/sql], or if requests hold a
// second one. Then a request waits for one, but no longer than it may still wait for a
// slot.
func (p *Pool) conn(ctx context.Context, db *bun.DB) (bun.Conn, error) {
	began := time.Now()
	left, limited := p.Slots.Left(ctx)
	if pool := p.bun.Stats(); !limited || pool.InUse < pool.MaxOpenConnections {
		return db.Conn(ctx)
	}
	short, cancel := context.WithTimeoutCause(ctx, left, fair.ErrOverloaded)
	defer cancel()
	c, err := db.Conn(short)
	fair.Waited(ctx, time.Since(began))
	if err != nil && ctx.Err() == nil && fault.IsOverloaded(context.Cause(short)) {
		err = fault.WaitError(p.Slots.GiveUp())
	}
	return c, err
}

// Query runs a query on the pool.
func (p *Pool) Query(ctx context.Context, text string, args ...any) (rows *sql.Rows, err error) {
	turn, err := p.acquire(ctx, sqltext.IsWrite(text))
	if err != nil {
		return nil, err
	}
	defer func() {
		if rows == nil { // also after a panic
			turn.End()
		}
	}()
	return p.bun.DB.QueryContext(connection.WithTurn(ctx, turn), text, args...) //nolint:sqlclosecheck // the caller closes them
}

// Exec runs a statement without rows on the pool.
func (p *Pool) Exec(ctx context.Context, text string, args ...any) (res sql.Result, err error) {
	err = p.OnConn(ctx, sqltext.IsWrite(text), func(c *connection.Conn) (err error) {
		res, err = c.ExecContext(ctx, text, Numbered(args))
		return err
	})
	return res, err
}
