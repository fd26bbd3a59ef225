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

// A Pooler is a private pgbouncer of this process before a PostgreSQL server. It
// stops at [Pooler.Stop] or when the process ends, however that happens.
type Pooler struct {
	url    string
	keeper *throwaway.Process
}

// usual is how many connections a pooler has to each database.
const usual = 4

// Start starts a pooler before the server of a URL, of whose user it takes the
// password, and returns when it accepts connections. Without the program the error
// is [ErrNotInstalled]. What pgbouncer logs goes to log when it stops; nil drops
// it. The context limits the start only.
//
// As root, which pgbouncer refuses to run as, it runs as the user "postgres", or
// "nobody" if there is none.
func Start(ctx context.Context, database string, log io.Writer) (*Pooler, error) {
	return startWith(ctx, database, usual, log)
}

func startWith(ctx context.Context, database string, connections int, log io.Writer) (*Pooler, error) {
	program, err := Program()
	if err != nil {
		return nil, err
	}
	at, err := url.Parse(database)
	if err != nil {
		return nil, errors.New("the URL of the server to stand before is none") // it may hold a password
	}
	if log == nil {
		log = io.Discard
	}

	// Between choosing a free port and using it, somebody else may take it.
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

// withoutTLS is a URL whose connection does not leave the machine.
func withoutTLS(at url.URL) string {
	query := at.Query()
	query.Set("sslmode", "disable")
	at.RawQuery = query.Encode()
	return at.String()
}

// URL is the address of the URL's own database by way of the pooler. With another
// path it is that of another database of the server.
func (p *Pooler) URL() string { return p.url }

// Stop kills the pooler, without a word to its clients, and removes its folder. It
// returns when both are done; calling it again does nothing more.
func (p *Pooler) Stop() error { return p.keeper.Stop() }

// Pooled is the URL of a database by way of a pooler that lives as long as the
// test. A machine without pgbouncer fails the test at once with the reason.
func Pooled(tb testing.TB, database string) string {
	tb.Helper()
	return pooled(tb, database, usual)
}

// Narrow is [Pooled] with one connection of the server, which every client uses in
// turn: what one leaves behind, the next finds.
func Narrow(tb testing.TB, database string) string {
	tb.Helper()
	return pooled(tb, database, 1)
}

func pooled(tb testing.TB, database string, connections int) string {
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
			tb.Logf("the pooler says:\n%s", log.String())
		}
	})
	return p.URL()
}
