package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"

	"trestle.example/framework/sqldb/internal/address"
	"trestle.example/framework/sqldb/internal/fault"
)

// keepAlive is between two probes of a connection on which nothing comes.
const keepAlive = 5 * time.Minute

// postgresConnector opens connections with pgdriver and sees to what the
// driver leaves out: it tries several hosts, gives up when the context ends, and closes
// the socket of a connection that failed half-way.
type postgresConnector struct {
	core *core
	at   *address.Server
	home atomic.Int32 // the host of the latest connection, counted from 1; 0 for none yet
}

func newPostgresConnector(c *core, raw string) (driver.Connector, error) {
	at, err := address.ReadServer(raw)
	if err != nil {
		return nil, err
	}
	if name := at.PooledSetting(); c.options.NoPrepare && name != "" {
		return nil, address.Fault(raw, fmt.Sprintf("%s is a setting of a session, which a pooler hands to other clients, and without prepared statements there may be a pooler; set it for the role: ALTER ROLE app SET %s = value",
			name, name), address.PostgresExample)
	}
	c.link, c.anywhere = at.Link(), len(at.Hosts) > 1 && at.Target == address.Any
	made := &postgresConnector{core: c, at: at}
	c.settings = withZone(made.settings())
	c.pulse = newPulse(made.dial, made.knock)
	return made, nil
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
		return nil, &fault.ConnectError{Err: err}
	}
	c := newConn(p.core, inner)
	p.core.pulse.hold(c)
	if standby := p.core.standby; standby != nil {
		guarded, stop := c.guard(ctx)
		err := c.settle(guarded, standby.connected(guarded, c))
		stop()
		if err != nil {
			return nil, errors.Join(&fault.ConnectError{Err: err}, c.Close())
		}
	}
	return c, nil
}

// dial makes a connection, whether the server is known to be away or not, to the first
// host that answers and is what the URL wants. Where one at most can be that, the host
// of the latest connection is tried first, and the connections to it are closed when
// another is found: it was demoted, or is cut off.
func (p *postgresConnector) dial(ctx context.Context) (*pgdriver.Conn, error) {
	var failed error
	for _, want := range p.at.Target.Passes() {
		for _, i := range p.order() {
			conn, err := p.reach(ctx, i, func(ctx context.Context, conn *pgdriver.Conn) error {
				if err := checkRole(ctx, conn, want); err != nil {
					return err
				}
				return p.setSession(ctx, conn)
			})
			if err == nil {
				p.moveTo(i)
				return conn, nil
			}
			if failed = also(failed, err); isOver(ctx) {
				return nil, failed
			}
			p.core.pulse.heard.Add(1) // so that the pulse does not take a slow host for a lost server
		}
	}
	return nil, failed
}

// also is both errors in one line.
func also(before, err error) error {
	if before == nil {
		return err
	}
	return fmt.Errorf("%w; %w", before, err)
}

// order is in which order the hosts are tried.
func (p *postgresConnector) order() []int {
	all := make([]int, len(p.at.Hosts))
	for i := range all {
		all[i] = i
	}
	if home := int(p.home.Load()) - 1; home > 0 && p.at.Target.Single() {
		all = slices.Insert(slices.Delete(all, home, home+1), 0, home)
	}
	return all
}

func (p *postgresConnector) moveTo(host int) {
	before := p.home.Swap(int32(host) + 1)                              //nolint:gosec // there are few hosts
	if p.at.Target.Single() && before != 0 && before != int32(host)+1 { //nolint:gosec // the same
		p.core.pulse.leave(host)
	}
}

// knock is dial without any statement, which is as far as a pooler goes without
// its server. It is for the host to which the connections lead.
func (p *postgresConnector) knock(ctx context.Context) (*pgdriver.Conn, error) {
	host := max(int(p.home.Load())-1, 0)
	return p.reach(ctx, host, func(context.Context, *pgdriver.Conn) error { return nil })
}

// reach makes a connection to a host and sets it up, and gives up when the context ends.
func (p *postgresConnector) reach(ctx context.Context, host int, setUp func(context.Context, *pgdriver.Conn) error) (*pgdriver.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, p.at.Limit)
	defer cancel()
	conf := p.at.Hosts[host]
	var socket atomic.Pointer[net.Conn]
	dialer := net.Dialer{KeepAlive: keepAlive}
	conf.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		s, err := dialer.DialContext(ctx, network, addr)
		if err == nil {
			s = &listening{s, &p.core.pulse.heard, host}
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
	switch {
	case err == nil:
		return inner, nil
	case ctx.Err() != nil:
		err = fmt.Errorf("%w: %w", ctx.Err(), err)
	case len(p.at.Hosts) == 1:
		hangUp()
		return nil, err
	}
	hangUp()
	return nil, fmt.Errorf("connecting to %s: %w", conf.Addr, err)
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
// it notice within a tenth of a second that a client has gone. Where each transaction
// sets what it needs for itself, only the last is tried, for a transaction of one statement.
func (p *postgresConnector) setSession(ctx context.Context, conn *pgdriver.Conn) error {
	local := p.core.setsLocally()
	if p.core.options.NoPrepare && !local {
		return set(ctx, conn, withZone(p.at.Settings), false)
	}
	if !local {
		if err := set(ctx, conn, p.core.settings, false); err != nil {
			return err
		}
	}
	err := set(ctx, conn, noticeLeaving, local)
	_, unknown := errors.AsType[pgdriver.Error](err) // compatible databases may not have it
	p.core.notices.Store(err == nil)
	if unknown {
		return nil
	}
	return err
}

// noticeLeaving has PostgreSQL see within a tenth of a second that a client has gone.
var noticeLeaving = map[string]string{"client_connection_check_interval": "100"}

// settings are those of a session that no pooler hands to another client.
func (p *postgresConnector) settings() map[string]string {
	all := map[string]string{
		"statement_timeout": milliseconds(p.core.options.StatementTimeout), "lock_timeout": milliseconds(p.core.options.LockTimeout),
	}
	if p.core.standby != nil { // it may be promoted, and this pool still leads to it
		all["default_transaction_read_only"] = "on"
	}
	maps.Copy(all, p.at.Settings)
	return all
}

func withZone(settings map[string]string) map[string]string {
	all := map[string]string{"timezone": "UTC"}
	maps.Copy(all, settings)
	return all
}

// set sets settings in one statement, for the session or for the transaction alone.
func set(ctx context.Context, conn driver.ExecerContext, settings map[string]string, local bool) error {
	var calls []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		value := strings.ReplaceAll(settings[name], "'", "''") // standard_conforming_strings is on
		calls = append(calls, fmt.Sprintf("set_config('%s', '%s', %t)", name, value, local))
	}
	_, err := conn.ExecContext(ctx, "SELECT "+strings.Join(calls, ", "), nil)
	return err
}

// milliseconds are those of a limit for PostgreSQL, to which 0 would be none.
func milliseconds(limit time.Duration) string {
	return strconv.FormatInt(max(limit.Milliseconds(), 1), 10)
}
