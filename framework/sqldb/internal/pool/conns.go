package pool

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// badConnections is how many times in all a statement is tried if its connection broke
// while it was idle, as in database/sql. Then the statement fails.
const badConnections = 3

// Read runs a statement on a connection of the pool and reads all its rows. It does not use
// sql.Rows, which start a goroutine for each query.
func (p *Pool) Read(ctx context.Context, text string, args []any) (r *connection.Result, err error) {
	err = p.OnConn(ctx, sqltext.IsWrite(text), func(c *connection.Conn) (err error) {
		r, err = c.Read(ctx, text, Numbered(args))
		return err
	})
	return r, err
}

// OnConn waits for a connection of the pool and runs fn with it. If the connection broke
// before anything was sent, it runs fn again with another one, three times in all. If
// writes is true on SQLite, it waits for the slot of the writer.
func (p *Pool) OnConn(ctx context.Context, writes bool, fn func(*connection.Conn) error) error {
	turn, err := p.acquire(ctx, writes)
	if err != nil {
		return err
	}
	defer turn.End()
	return OnConns(func() (*sql.Conn, error) {
		c, err := p.conn(ctx, p.bun)
		return c.Conn, err
	}, fn)
}

// OnConns runs fn with a connection that take returns, and again with another if the
// connection broke before anything was sent, three times in all.
func OnConns(take func() (*sql.Conn, error), fn func(*connection.Conn) error) error {
	for attempt := 1; ; attempt++ {
		err := onConnOnce(take, fn)
		if attempt == badConnections || !errors.Is(err, driver.ErrBadConn) {
			return err
		}
	}
}

func onConnOnce(take func() (*sql.Conn, error), fn func(*connection.Conn) error) error {
	c, err := take()
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	return c.Raw(func(inner any) error {
		return fn(inner.(*connection.Conn)) //nolint:forcetypeassert // every connection of the pool is one
	})
}

// Numbered returns values in the form that a driver takes.
func Numbered(args []any) []driver.NamedValue {
	all := make([]driver.NamedValue, len(args))
	for i, v := range args {
		all[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return all
}
