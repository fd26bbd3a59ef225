package postgres

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"

	"trestle.example/internal/testserver/throwaway"
)

//go:embed keeper.sh
var keeper string

// Cluster is a private PostgreSQL server of this process: its data lies in a
// folder of its own under the temporary directory, it listens on a free port of
// 127.0.0.1 only, and its superuser has a random password. The encoding is
// UTF-8, text sorts by its bytes, the time zone is UTC, and nothing is flushed
// to disk, so a cluster is fast and worthless after a crash.
//
// It stops at [Cluster.Stop] or when the process ends, however that happens.
// A Cluster is safe for concurrent use.
type Cluster struct {
	url    string
	dir    string
	keeper *throwaway.Process
}

// Start creates and starts a cluster, which takes a second or two, and returns
// when it accepts connections. It uses the first PostgreSQL of version 15 or
// newer among the folders of PATH, then the newest in the places where Debian,
// Fedora, Alpine, Homebrew and Postgres.app install it; without one the error is
// [ErrNotInstalled].
//
// As root, which PostgreSQL refuses to run as, the server runs as the user
// "postgres", or "nobody" if there is none. The server's messages go to log,
// written by one goroutine; nil drops them. The context limits the start only.
func Start(ctx context.Context, log io.Writer) (*Cluster, error) {
	bin, err := findBinaries(ctx)
	if err != nil {
		return nil, err
	}
	if log == nil {
		log = io.Discard
	}

	// Between choosing a free port and using it, somebody else may take it.
	const attempts = 3
	for range attempts {
		var c *Cluster
		if c, err = start(ctx, bin, log); err == nil {
			return c, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("starting a PostgreSQL cluster from %s: %w", bin, err)
}

func start(ctx context.Context, bin string, log io.Writer) (*Cluster, error) {
	port, err := throwaway.FreePort(ctx)
	if err != nil {
		return nil, err
	}
	password := rand.Text()
	c, err := launch(ctx, bin, port, password, log)
	if err != nil {
		return nil, err
	}
	c.url = (&url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword("postgres", password),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		Path:     "/postgres",
		RawQuery: "sslmode=disable",
	}).String()
	return c, nil
}

// launch starts the keeper and waits for its server. PostgreSQL refuses to run
// as root.
func launch(ctx context.Context, bin string, port int, password string, log io.Writer) (*Cluster, error) {
	cmd := throwaway.Keeper(keeper, bin, strconv.Itoa(port))
	cmd.Env = keeperEnv(os.Environ())
	if err := throwaway.Detach(cmd, "postgres", "nobody"); err != nil {
		return nil, err
	}
	process, err := throwaway.Launch(cmd, password, log)
	if err != nil {
		return nil, err
	}
	dir, err := process.Ready(ctx)
	if err != nil {
		return nil, errors.Join(err, process.Stop())
	}
	return &Cluster{dir: dir, keeper: process}, nil
}

// URL is the address of the superuser "postgres" and the database "postgres".
func (c *Cluster) URL() string { return c.url }

// Stop ends the server at once, without waiting for its clients, and removes its
// folder. It returns when both are done; calling it again does nothing more. The
// error, if any, carries the last lines that PostgreSQL printed.
func (c *Cluster) Stop() error { return c.keeper.Stop() }

// keeperEnv leaves out what would steer PostgreSQL's programs from outside.
func keeperEnv(environ []string) []string {
	env := []string{"LC_ALL=C"}
	for _, pair := range environ {
		if !strings.HasPrefix(pair, "PG") && !strings.HasPrefix(pair, "LC_") && !strings.HasPrefix(pair, "LANG") {
			env = append(env, pair)
		}
	}
	return env
}
