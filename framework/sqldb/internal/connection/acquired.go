package connection

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
)

// Acquired returns what takes connections to PostgreSQL from a pool of the program, and what
// they share. A connection goes back to that pool when this one closes it. Their sessions are
// left as the program made them: nothing is set, and no statement is prepared.
func Acquired(from *sql.DB, o Options) (driver.Connector, *Shared) {
	o.NoPrepare = true
	s := &Shared{options: o, acquires: true}
	return &acquirer{from, s}, s
}

// A acquirer takes connections from a pool of the program.
type acquirer struct {
	from   *sql.DB
	shared *Shared
}

// Driver implements [driver.Connector].
func (b *acquirer) Driver() driver.Driver { return b.from.Driver() }

// Connect implements [driver.Connector]. A driver that runs no statements with a context is an
// error.
func (b *acquirer) Connect(ctx context.Context) (driver.Conn, error) {
	held, err := b.from.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var inner sessionConn
	err = held.Raw(func(c any) (err error) {
		var ok bool
		if inner, ok = c.(sessionConn); !ok {
			err = fmt.Errorf("sqldb.Wrap: a connection of the driver is a %T, which runs no statements and transactions with a context", c)
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return newConn(b.shared, &acquiredConn{sessionConn: inner, held: held}), nil
}

// A sessionConn is a connection as all drivers that are kept make them.
type sessionConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
}

// A acquiredConn is a connection that belongs to a pool of the program.
type acquiredConn struct {
	sessionConn

	held   *sql.Conn
	broken bool
	back   sync.Once
}

// Close gives the connection back. A broken one is closed by its pool.
func (b *acquiredConn) Close() (err error) {
	b.back.Do(func() {
		if b.broken {
			_ = b.held.Raw(func(any) error { return driver.ErrBadConn })
		}
		if err = b.held.Close(); errors.Is(err, sql.ErrConnDone) { // Raw closed it
			err = nil
		}
	})
	return err
}

// IsValid implements [driver.Validator].
func (b *acquiredConn) IsValid() bool {
	inner, ok := b.sessionConn.(driver.Validator)
	return !b.broken && (!ok || inner.IsValid())
}

// ResetSession implements [driver.SessionResetter].
func (b *acquiredConn) ResetSession(ctx context.Context) error {
	if inner, ok := b.sessionConn.(driver.SessionResetter); ok {
		return inner.ResetSession(ctx)
	}
	return nil
}

// Ping implements [driver.Pinger].
func (b *acquiredConn) Ping(ctx context.Context) error {
	if inner, ok := b.sessionConn.(driver.Pinger); ok {
		return inner.Ping(ctx)
	}
	return nil
}

// abandon makes the pool that a connection belongs to close it.
func (c *Conn) abandon() {
	if b, acquired := c.inner.(*acquiredConn); acquired {
		b.broken = true // it is closed when it goes back, because the driver may still use it
		return
	}
	_ = c.inner.Close()
}
