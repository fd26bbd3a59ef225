package connection

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/uptrace/bun/driver/pgdriver"

	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/framework/sqldb/internal/postgres"
)

// postgresConnector makes connections to a PostgreSQL server.
type postgresConnector struct{ shared *Shared }

// Postgres returns a connector to a server, and what its connections share.
func Postgres(server *postgres.Server, o Options) (driver.Connector, *Shared) {
	s := &Shared{options: o, server: server}
	return &postgresConnector{s}, s
}

func (p *postgresConnector) Driver() driver.Driver { return pgdriver.NewDriver() }

// Close ends the watch of the server. database/sql calls it when the pool closes.
func (p *postgresConnector) Close() error {
	p.shared.server.Close()
	return nil
}

func (p *postgresConnector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := p.shared.server.Connect(ctx)
	if err != nil {
		return nil, err
	}
	c := newConn(p.shared, inner)
	if p.shared.options.Runs == nil {
		return c, nil
	}
	guarded, stop := c.guard(ctx)
	err = c.settle(guarded, c.noteRun(guarded))
	stop()
	if err != nil {
		return nil, errors.Join(&fault.ConnectError{Err: err}, c.Close())
	}
	return c, nil
}

// noteRun stores the run of the server that a new connection leads to, and reports it to
// Options.Runs.
func (c *Conn) noteRun(ctx context.Context) error {
	found, err := c.collect(ctx, text{c.inner, `SELECT pg_postmaster_start_time()::text`}, nil)
	if err != nil {
		return err
	}
	if err := found.Scan(0, &c.run); err != nil {
		return err
	}
	c.shared.options.Runs.Connected(c.run)
	return nil
}
