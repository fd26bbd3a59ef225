package pgbouncer

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"trestle.example/internal/testserver/throwaway"
)

//go:embed keeper.sh
var keeper string

// A Pooler is a private pgbouncer of this process in front of a PostgreSQL server. It
// stops at [Pooler.Stop] or when the process ends in any way.
type Pooler struct {
	url    string
	keeper *throwaway.Process
}

// defaultConnections is how many connections a pooler has to each database.
const defaultConnections = 4

// Start starts a pooler in front of the server of a URL, with the password of its user,
// and returns when it accepts connections. Without the program the error is
// [ErrNotInstalled]. The log of pgbouncer goes to log when it stops; nil drops it. The
// context limits the start only.
//
// pgbouncer does not run as root. If this process does, pgbouncer runs as the system user
// `postgres`. If that user does not exist, it runs as `nobody`.
func Start(ctx context.Context, database string, log io.Writer) (*Pooler, error) {
	return startWith(ctx, database, defaultConnections, log)
}

func startWith(ctx context.Context, database string, connections int, log io.Writer) (*Pooler, error) {
	program, err := Program()
	if err != nil {
		return nil, err
	}
	at, err := url.Parse(database)
	if err != nil {
		return nil, errors.New("the URL of the PostgreSQL server is not valid") // the URL may contain a password
	}
	if log == nil {
		log = io.Discard
	}

	// Another process may take the free port before it is used.
	const attempts = 3
	for range attempts {
		var p *Pooler
		if p, err = start(ctx, program, *at, connections, log); err == nil {
			return p, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("starting a pooler, %s: %w", program, err)
}

func start(ctx context.Context, program string, at url.URL, connections int, log io.Writer) (*Pooler, error) {
	port, err := throwaway.FreePort(ctx)
	if err != nil {
		return nil, err
	}
	server := at.Port()
	if server == "" {
		server = "5432"
	}
	cmd := throwaway.ServiceKeeper(keeper, program, strconv.Itoa(port), at.Hostname(), server, at.User.Username(), strconv.Itoa(connections))
	if err := throwaway.Detach(cmd, "postgres", "nobody"); err != nil {
		return nil, err
	}
	password, _ := at.User.Password()
	process, err := throwaway.Launch(cmd, password, log)
	if err != nil {
		return nil, err
	}
	if _, err := process.Ready(ctx); err != nil {
		return nil, errors.Join(err, process.Stop())
	}
	at.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	return &Pooler{url: withoutTLS(at), keeper: process}, nil
}

// withoutTLS returns a URL with TLS disabled, for a connection within the machine.
func withoutTLS(at url.URL) string {
	query := at.Query()
	query.Set("sslmode", "disable")
	at.RawQuery = query.Encode()
	return at.String()
}

// URL returns the address of the database of the URL through the pooler. With another
// path it is the address of another database of the server.
func (p *Pooler) URL() string { return p.url }

// Stop kills the pooler, without notice to its clients, and removes its folder. It
// returns when both are done. A second call does nothing.
func (p *Pooler) Stop() error { return p.keeper.Stop() }

// Pooled returns the URL of a database through a pooler that runs as long as the test.
// Without pgbouncer the test fails at once with the reason.
func Pooled(tb testing.TB, database string) string {
	tb.Helper()
	return startPooled(tb, database, defaultConnections)
}

// Narrow is [Pooled] with one connection of the server, which all clients use in turn. So
// a client sees the session state that an earlier client left.
func Narrow(tb testing.TB, database string) string {
	tb.Helper()
	return startPooled(tb, database, 1)
}

func startPooled(tb testing.TB, database string, connections int) string {
	tb.Helper()
	const startLimit = 2 * time.Minute // on a machine that is busy with other tests
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	var log strings.Builder
	p, err := startWith(ctx, database, connections, &log)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		err := p.Stop()
		if err != nil {
			tb.Errorf("stopping the test's pooler: %v", err)
		}
		if tb.Failed() {
			tb.Logf("the log of the pooler:\n%s", log.String())
		}
	})
	return p.URL()
}
