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

// Cluster is a private PostgreSQL server of this process. Its data is in its own folder
// under the temporary directory, it listens on a free port of 127.0.0.1 only, and its
// superuser has a random password. The encoding is UTF-8, text sorts by its bytes, and
// the time zone is UTC. Nothing is flushed to disk, so a cluster is fast and loses its
// data in a crash.
//
// It stops at [Cluster.Stop] or when the process ends in any way. A Cluster is safe for
// concurrent use.
type Cluster struct {
	url    string
	dir    string
	keeper *throwaway.Process
}

// Start creates and starts a cluster, which takes a second or two, and returns when it
// accepts connections. It uses the first PostgreSQL of version 15 or newer in PATH, or
// else the newest in the folders where Debian, Fedora, Alpine, Homebrew and Postgres.app
// install it. Without one the error is [ErrNotInstalled].
//
// PostgreSQL does not run as root. If this process does, the server runs as the system user
// `postgres`. If that user does not exist, it runs as `nobody`. One goroutine writes the
// messages of the server to log; nil drops them. The context limits the start only.
func Start(ctx context.Context, log io.Writer) (*Cluster, error) {
	bin, err := findBinaries(ctx)
	if err != nil {
		return nil, err
	}
	if log == nil {
		log = io.Discard
	}

	// Another process may take the free port before it is used.
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

// launch starts the keeper and waits for its server. PostgreSQL does not run as root.
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

// URL returns the address of the database "postgres" for the superuser "postgres".
func (c *Cluster) URL() string { return c.url }

// Stop ends the server at once, without waiting for its clients, and removes its folder.
// It returns when both are done. A second call does nothing. An error contains the last
// lines that PostgreSQL printed.
func (c *Cluster) Stop() error { return c.keeper.Stop() }

// keeperEnv removes variables that would affect the programs of PostgreSQL.
func keeperEnv(environ []string) []string {
	env := []string{"LC_ALL=C"}
	for _, pair := range environ {
		if !strings.HasPrefix(pair, "PG") && !strings.HasPrefix(pair, "LC_") && !strings.HasPrefix(pair, "LANG") {
			env = append(env, pair)
		}
	}
	return env
}
