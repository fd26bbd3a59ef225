package redisthrottle

import (
	"context"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// newClient returns a client that waits at most the timeout in each step (pool, dial, read and
// write) and at most until the deadline of the context in total. It never retries: the breaker
// decides when to try again.
func newClient(o *redis.Options, timeout time.Duration) *redis.Client {
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = timeout, timeout, timeout, timeout
	o.ContextTimeoutEnabled = true
	o.MaxRetries, o.DialerRetries = -1, 1
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	o.Dialer = quietDial(redis.NewDialer(o))
	return redis.NewClient(o)
}

// quietDial wraps dial. If dial fails, it returns a connection that fails with the same
// error. The reason: go-redis writes every failed dial to standard error, and the only
// way to stop that affects the whole program.
func quietDial(dial func(ctx context.Context, network, address string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return failedConn{err}, nil //nolint:nilerr // the connection returns it
		}
		return conn, nil
	}
}

// failedConn is a connection whose reads and writes fail with an error. Its other methods do
// nothing and succeed.
type failedConn struct{ err error }

func (u failedConn) Read([]byte) (int, error)       { return 0, u.err }
func (u failedConn) Write([]byte) (int, error)      { return 0, u.err }
func (failedConn) Close() error                     { return nil }
func (failedConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (failedConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (failedConn) SetDeadline(time.Time) error      { return nil }
func (failedConn) SetReadDeadline(time.Time) error  { return nil }
func (failedConn) SetWriteDeadline(time.Time) error { return nil }
