// Package postgres makes connections to a PostgreSQL server: it tries the hosts of a URL,
// sets the session up, and detects when the server stops answering.
package postgres

import (
	"context"
	"database/sql/driver"
	"fmt"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"

	"trestle.example/framework/sqldb/internal/address"
	"trestle.example/framework/sqldb/internal/fault"
)

// keepAlive is the time between two probes of a connection on which no data arrives.
const keepAlive = 5 * time.Minute

// Options are what a Server needs beside its URL.
type Options struct {
	StatementTimeout, LockTimeout time.Duration

	// NoPrepare is for a pooler: a session gets no setting but the time zone.
	NoPrepare bool
	// SetsLocally leaves a session without settings: the caller makes them in each
	// transaction, see [Server.SetLocally].
	SetsLocally bool
	// Replica is for a standby: its sessions cannot write, because it may be promoted while
	// the pool still leads to it.
	Replica bool
}

// A Server makes connections with pgdriver and does what the driver leaves out: it tries
// several hosts, gives up when the context ends, closes the socket of a connection that
// failed half-way, and detects that the server is away. It is safe for concurrent use. Some
// methods document that they do nothing on a nil Server, which is that of a SQLite database.
type Server struct {
	options  Options
	at       *address.Server
	settings map[string]string // of each session
	notices  atomic.Bool       // the server has the setting of noticeLeaving
	home     atomic.Int32      // the host of the latest connection, counted from 1; 0 for none yet
	pulse    *pulse
}

// New makes the Server of a URL. It connects to nothing. A wrong URL is an error, and so is
// a setting of sessions with NoPrepare, except the time zone.
func New(raw string, o Options) (*Server, error) {
	at, err := address.ReadServer(raw)
	if err != nil {
		return nil, err
	}
	if name := at.PooledSetting(); o.NoPrepare && name != "" {
		return nil, address.Fault(raw, fmt.Sprintf("%s is a setting of a session, which a pooler hands to other clients, and without prepared statements there may be a pooler; set it for the role: ALTER ROLE app SET %s = value",
			name, name), address.PostgresExample)
	}
	p := &Server{options: o, at: at}
	p.settings = withZone(p.ownSettings())
	p.pulse = newPulse(p.dial, p.knock)
	return p, nil
}

// Link returns how the program reaches the server.
func (p *Server) Link() address.Link { return p.at.Link() }

// LeadsAnywhere reports whether the URL names several hosts and not which of them to use.
func (p *Server) LeadsAnywhere() bool { return len(p.at.Hosts) > 1 && p.at.Target == address.Any }

// Connect makes a connection, unless the server is known to be away. The connection is closed
// when the server is silent, until [Server.Release]. The error is a fault.ConnectError.
func (p *Server) Connect(ctx context.Context) (*pgdriver.Conn, error) {
	conn, err := p.pulse.connect(ctx)
	if err != nil {
		return nil, &fault.ConnectError{Err: err}
	}
	p.pulse.hold(conn)
	return conn, nil
}

// Release forgets a connection that is closed. It does nothing on a nil Server.
func (p *Server) Release(c driver.Conn) {
	if p != nil {
		p.pulse.drop(c)
	}
}

// Begin counts a statement that waits for the server, until [Server.End].
func (p *Server) Begin() { p.pulse.begin() }

// End must be called once after each [Server.Begin], when the statement has ended.
func (p *Server) End() { p.pulse.end() }

// ObserveAway calls fn with the reason when the server stops answering, and with nil when
// it answers again. It does nothing on a nil Server.
func (p *Server) ObserveAway(fn func(why error)) {
	if p != nil {
		p.pulse.observe(fn)
	}
}

// Close ends the watch of the server.
func (p *Server) Close() { p.pulse.close() }

// dial makes a connection, whether the server is known to be away or not, to the first
// host that answers and has the role that the URL wants. If only one host at a time can have
// that role, dial tries the host of the latest connection first. If it then connects to
// another host, it closes the connections to the earlier one, which was demoted or is cut off.
func (p *Server) dial(ctx context.Context) (*pgdriver.Conn, error) {
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
			if failed = also(failed, err); fault.IsOver(ctx) {
				return nil, failed
			}
			p.pulse.heard.Add(1) // so that the pulse does not take a slow host for a lost server
		}
	}
	return nil, failed
}

// also returns an error with both errors in one line. before may be nil.
func also(before, err error) error {
	if before == nil {
		return err
	}
	return fmt.Errorf("%w; %w", before, err)
}

// order returns the indexes of the hosts, in the order in which they are tried.
func (p *Server) order() []int {
	all := make([]int, len(p.at.Hosts))
	for i := range all {
		all[i] = i
	}
	if home := int(p.home.Load()) - 1; home > 0 && p.at.Target.Single() {
		all = slices.Insert(slices.Delete(all, home, home+1), 0, home)
	}
	return all
}

func (p *Server) moveTo(host int) {
	before := p.home.Swap(int32(host) + 1)                              //nolint:gosec // there are few hosts
	if p.at.Target.Single() && before != 0 && before != int32(host)+1 { //nolint:gosec // the same
		p.pulse.leave(host)
	}
}

// knock makes a connection and sends no statement, which a pooler answers even without its
// server. It connects to the host of the latest connection, or to the first host.
func (p *Server) knock(ctx context.Context) (*pgdriver.Conn, error) {
	host := max(int(p.home.Load())-1, 0)
	return p.reach(ctx, host, func(context.Context, *pgdriver.Conn) error { return nil })
}

// reach makes a connection to a host and sets it up. It gives up when the context ends, or
// after the limit of a host.
func (p *Server) reach(ctx context.Context, host int, setUp func(context.Context, *pgdriver.Conn) error) (*pgdriver.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, p.at.Limit)
	defer cancel()
	conf := p.at.Hosts[host]
	var socket atomic.Pointer[net.Conn]
	dialer := net.Dialer{KeepAlive: keepAlive}
	conf.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		s, err := dialer.DialContext(ctx, network, addr)
		if err == nil {
			s = &listening{s, &p.pulse.heard, host}
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
