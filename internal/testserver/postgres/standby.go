package postgres

import (
	"context"
	_ "embed"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"trestle.example/internal/testserver/throwaway"
)

//go:embed standby.sh
var standbyKeeper string

// A Standby is a private streaming standby of a [Cluster]: a second server on 127.0.0.1
// that replays the writes of the first one and answers reads. It replays each commit 3 ms
// late, and cancels reads that delay the replay for more than 100 ms.
//
// It stops as a Cluster does. A Standby is safe for concurrent use, except Halt and
// Resume.
type Standby struct {
	url    url.URL
	dir    string
	keeper *throwaway.Process
}

// Standby makes a standby of the cluster and starts it, which takes a second or two. The
// messages of the server go to log; nil drops them. The context limits the start only.
func (c *Cluster) Standby(ctx context.Context, log io.Writer) (*Standby, error) {
	bin, err := findBinaries(ctx)
	if err != nil {
		return nil, err
	}
	at, err := url.Parse(c.url)
	if err != nil {
		return nil, err
	}
	port, err := throwaway.FreePort(ctx)
	if err != nil {
		return nil, err
	}
	cmd := throwaway.Keeper(standbyKeeper, bin, strconv.Itoa(port), at.Port())
	cmd.Env = keeperEnv(os.Environ())
	if err := throwaway.Detach(cmd, "postgres", "nobody"); err != nil {
		return nil, err
	}
	if log == nil {
		log = io.Discard
	}
	password, _ := at.User.Password()
	process, err := throwaway.Launch(cmd, password, log)
	if err != nil {
		return nil, err
	}
	dir, err := process.Ready(ctx)
	if err != nil {
		return nil, errors.Join(err, process.Stop())
	}
	at.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	return &Standby{url: *at, dir: dir, keeper: process}, nil
}

// URL returns the address of the database "postgres" for the superuser "postgres".
func (s *Standby) URL() string { return s.url.String() }

// Stop ends the server at once and removes its folder, as [Cluster.Stop] does.
func (s *Standby) Stop() error { return s.keeper.Stop() }

// Pause stops the replay until [Standby.Continue].
func (s *Standby) Pause() error { return execute(&s.url, "SELECT pg_wal_replay_pause()") }

// Continue ends a [Standby.Pause].
func (s *Standby) Continue() error { return execute(&s.url, "SELECT pg_wal_replay_resume()") }

// Promote makes the standby an independent server, for good.
func (s *Standby) Promote() error { return execute(&s.url, "SELECT pg_promote()") }

// Halt kills the server, without notice to its clients. Resume starts it again at the
// same address. Neither waits until that is done.
func (s *Standby) Halt() error { return s.keeper.Order("stop") }

// Resume starts the server again after [Standby.Halt].
func (s *Standby) Resume() error { return s.keeper.Order("start") }

// Replicated starts a cluster and a standby for the test, for as long as it runs. It does
// not use TEST_DATABASE_URL. If that variable is set and the machine lacks the programs
// of PostgreSQL, the test is skipped.
func Replicated(tb testing.TB) (*Cluster, *Standby) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), statementLimit)
	defer cancel()
	cluster, err := Start(ctx, nil)
	if errors.Is(err, ErrNotInstalled) && strings.TrimSpace(os.Getenv("TEST_DATABASE_URL")) != "" {
		tb.Skip("a standby needs the programs of PostgreSQL, which this machine lacks")
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { stop(tb, cluster) })
	standby, err := cluster.Standby(ctx, nil)
	if err != nil {
		tb.Fatalf("starting a standby: %v", err)
	}
	tb.Cleanup(func() { stop(tb, standby) })
	return cluster, standby
}

func stop(tb testing.TB, server interface{ Stop() error }) {
	tb.Helper()
	if err := server.Stop(); err != nil {
		tb.Errorf("stopping a server of the test: %v", err)
	}
}
