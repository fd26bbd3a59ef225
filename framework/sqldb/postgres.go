package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"
)

// connectTimeout bounds a whole connection: dialling, TLS and logging in.
const connectTimeout = 10 * time.Second

// postgresConnector opens connections with pgdriver and sees to what the
// driver leaves out: it gives up when the context ends and closes the socket
// of a connection that failed half-way.
type postgresConnector struct {
	core *core
	conf pgdriver.Config
}

func newPostgresConnector(c *core, u *url.URL) (driver.Connector, error) {
	conf, err := postgresConfig(u)
	if err != nil {
		return nil, err
	}
	c.link = linkOf(u, conf)
	conf.ReadTimeout = 0 // every statement has a context with a deadline
	conf.EnableTracing = false
	made := &postgresConnector{core: c, conf: *conf}
	c.pulse = newPulse(made.dial, made.knock)
	return made, nil
}

// postgresConfig is the driver's reading of a URL, with the host, the socket
// and sslmode made explicit where the driver's defaults are too trusting.
func postgresConfig(u *url.URL) (*pgdriver.Config, error) {
	explicit := *u
	q := u.Query()
	network, addr := postgresAddress(u)
	if network == "unix" {
		q.Set("host", addr)
		explicit.Host = ""
	} else {
		q.Del("host")
		explicit.Host = addr
	}
	if q.Get("sslmode") == "" && (!isLocal(network, addr) || q.Get("sslrootcert") != "") {
		q.Set("sslmode", "verify-full")
	} else if q.Get("sslmode") == "" {
		q.Set("sslmode", "disable")
	}
	explicit.RawQuery = q.Encode()
	connector, err := pgdriver.NewDriver().OpenConnector(explicit.String())
	if err != nil {
		return nil, urlError(u.String(), driverFault(err), postgresExample)
	}
	return connector.(*pgdriver.Connector).Config(), nil
}

func driverFault(err error) string {
	return strings.TrimPrefix(err.Error(), "pgdriver: ")
}

// postgresAddress is the network and address of a URL. As in libpq the host
// parameter stands in for an absent host, and one that begins with a slash is
// the folder of a socket.
func postgresAddress(u *url.URL) (network, addr string) {
	host, port := u.Hostname(), orDefault(u.Port(), "5432")
	if h := u.Query().Get("host"); h != "" {
		host = h
	}
	if !strings.HasPrefix(host, "/") {
		return "tcp", net.JoinHostPort(orDefault(host, "localhost"), port)
	}
	if !strings.Contains(host, ".s.PGSQL.") {
		host = strings.TrimRight(host, "/") + "/.s.PGSQL." + port
	}
	return "unix", host
}

func (p *postgresConnector) Driver() driver.Driver { return pgdriver.NewDriver() }

// Close is called when the pool closes.
func (p *postgresConnector) Close() error {
	p.core.pulse.close()
	return nil
}

func (p *postgresConnector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := p.core.pulse.connect(ctx)
	if err != nil {
		return nil, &connectError{err}
	}
	c := newConn(p.core, inner)
	p.core.pulse.hold(c)
	if standby := p.core.standby; standby != nil {
		guarded, stop := c.guard(ctx)
		err := c.settle(guarded, standby.connected(guarded, c))
		stop()
		if err != nil {
			return nil, errors.Join(&connectError{err}, c.Close())
		}
	}
	return c, nil
}

// dial makes a connection whether the server is known to be away or not.
func (p *postgresConnector) dial(ctx context.Context) (*pgdriver.Conn, error) {
	return p.reach(ctx, p.conf, p.setSession)
}

// knock is dial without any statement, which is as far as a pooler goes without
// its server.
func (p *postgresConnector) knock(ctx context.Context) (*pgdriver.Conn, error) {
	conf := p.conf
	conf.ConnParams = nil
	return p.reach(ctx, conf, func(context.Context, *pgdriver.Conn) error { return nil })
}

// reach makes a connection and sets it up, and gives up when the context ends.
func (p *postgresConnector) reach(ctx context.Context, conf pgdriver.Config, setUp func(context.Context, *pgdriver.Conn) error) (*pgdriver.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	var socket atomic.Pointer[net.Conn]
	conf.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		s, err := p.conf.Dialer(ctx, network, addr)
		if err == nil {
			s = &listening{s, &p.core.pulse.heard}
			socket.Store(&s)
		}
		return s, err
	}
	hangUp := func() {
		if s := socket.Load(); s != nil {
			_ = (*s).Close()
		}
	}
	hungUp := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		hangUp()
		close(hungUp)
	})
	defer func() {
		if !stop() {
			<-hungUp
		}
	}()
	inner, err := login(ctx, conf, setUp)
	if err != nil {
		hangUp()
		if ctx.Err() != nil {
			err = fmt.Errorf("connecting to %s: %w", conf.Addr, errors.Join(ctx.Err(), err))
		}
		return nil, err
	}
	return inner, nil
}

func login(ctx context.Context, conf pgdriver.Config, setUp func(context.Context, *pgdriver.Conn) error) (*pgdriver.Conn, error) {
	inner, err := pgdriver.NewConnector(pgdriver.WithConfig(&conf)).Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn := inner.(*pgdriver.Conn)
	return conn, setUp(ctx, conn)
}

// setSession has times come in UTC, a setting that poolers keep for each of
// their clients, bounds statements and their waits for locks on the server, and has
// it notice within a tenth of a second that a client has gone. Compatible
// databases may not know the last setting, which is then left out.
func (p *postgresConnector) setSession(ctx context.Context, conn *pgdriver.Conn) error {
	if p.core.onlyReads() {
		return nil // a transaction sets what it needs for itself
	}
	if _, set := p.conf.ConnParams["timezone"]; !set {
		if _, err := conn.ExecContext(ctx, "SET TIME ZONE 'UTC'", nil); err != nil {
			return err
		}
	}
	if p.core.options.NoPrepare {
		return nil
	}
	for name, limit := range map[string]time.Duration{
		"statement_timeout": p.core.options.StatementTimeout, "lock_timeout": p.core.options.LockTimeout,
	} {
		if _, set := p.conf.ConnParams[name]; set {
			continue
		}
		query := fmt.Sprintf("SET %s TO %d", name, milliseconds(limit))
		if _, err := conn.ExecContext(ctx, query, nil); err != nil {
			return err
		}
	}
	_, err := conn.ExecContext(ctx, "SET client_connection_check_interval TO 100", nil)
	if _, ok := errors.AsType[pgdriver.Error](err); ok {
		return nil
	}
	return err
}

// milliseconds are those of a limit for PostgreSQL, to which 0 would be none.
func milliseconds(limit time.Duration) int64 { return max(limit.Milliseconds(), 1) }

// connectError marks a failure to connect, which no statement caused.
type connectError struct{ err error }

func (e *connectError) Error() string { return "sqldb: cannot connect: " + e.err.Error() }
func (e *connectError) Unwrap() error { return e.err }

// severe tells whether the connection is of no further use after an error: it
// is not the server's answer to one statement, or it is the server's last.
func severe(err error) bool {
	var refused pgdriver.Error
	if !errors.As(err, &refused) {
		return true
	}
	return refused.Field('V') == "FATAL" || refused.Field('V') == "PANIC"
}

// sqlState is PostgreSQL's code of an error, "" if it is not one of its own.
func sqlState(err error) string {
	if refused, ok := errors.AsType[pgdriver.Error](err); ok {
		return refused.Field('C')
	}
	return ""
}
