package pool

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/uptrace/bun"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/sqldb/internal/dialect"
)

// txKey holds the *Pool of the transaction that a context is in.
type txKey struct{}

// Inside reports whether a context is that of a transaction of the pool.
func (p *Pool) Inside(ctx context.Context) bool { return ctx.Value(txKey{}) == p }

// InTransaction reports whether a context is that of a transaction of any pool.
func InTransaction(ctx context.Context) bool { return ctx.Value(txKey{}) != nil }

// InTx runs fn in one transaction, once: committed when fn returns nil, rolled back when it
// returns an error or panics. db is [Pool.Bun], or that with hooks of the program.
func (p *Pool) InTx(ctx context.Context, db *bun.DB, fn func(context.Context, *bun.Tx) error) error {
	turn, err := p.acquire(ctx, true)
	if err != nil {
		return err
	}
	ctx = context.WithValue(ctx, txKey{}, p)
	own, cancel := context.WithCancel(ctx) // ends the transaction if COMMIT or ROLLBACK gets no answer
	defer cancel()
	begun := false
	defer func() {
		if !begun {
			turn.End()
		}
	}()
	conn, tx, err := p.begin(own, db)
	if err != nil {
		return err
	}
	begun = true
	over, commits := false, false
	defer func() { giveBack(conn, turn, over) }()
	defer func() {
		if !commits {
			_ = tx.Rollback()
			over = p.ended(ctx)
		}
	}()
	if err := fn(ctx, &tx); err != nil {
		return err
	}
	commits = true
	err = tx.Commit()
	over = p.ended(ctx)
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil { // the context ended first: nothing is committed
		return ctx.Err()
	}
	return err
}

// ended reports whether a transaction of a context has ended when its commit or rollback
// returns. It returns false on PostgreSQL if the context has ended: database/sql then rolls
// back in another goroutine, which may take its time. On SQLite it returns true, because
// that rollback is quick. If that rollback is not over yet, the next writer waits for the
// file.
func (p *Pool) ended(ctx context.Context) bool { return p.kind == dialect.SQLite || ctx.Err() == nil }

// giveBack closes a connection, which waits for the end of its transaction, and ends its
// turn. If the transaction is not over yet, it does so in another goroutine and returns at
// once.
func giveBack(conn bun.Conn, turn *fair.Turn, over bool) {
	end := func() {
		_ = conn.Close()
		turn.End()
	}
	if over {
		end()
		return
	}
	go end()
}

// begin takes a connection of the pool and begins a transaction on it. If the connection
// broke before, it takes another, up to badConnections times in all.
func (p *Pool) begin(ctx context.Context, db *bun.DB) (bun.Conn, bun.Tx, error) {
	for attempt := 1; ; attempt++ {
		conn, tx, err := p.beginOnce(ctx, db)
		if attempt == badConnections || !errors.Is(err, driver.ErrBadConn) {
			return conn, tx, err
		}
	}
}

func (p *Pool) beginOnce(ctx context.Context, db *bun.DB) (bun.Conn, bun.Tx, error) {
	conn, err := p.conn(ctx, db)
	if err != nil {
		return conn, bun.Tx{}, err
	}
	begun, over := false, false
	defer func() {
		if !begun {
			giveBack(conn, nil, over)
		}
	}()
	tx, err := conn.BeginTx(ctx, nil)
	begun, over = err == nil, true
	return conn, tx, err
}
