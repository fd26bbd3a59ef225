package postgres

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
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
	stdin  io.Closer
	stdout io.Reader
	output *tail
	done   chan struct{} // closed when the keeper has ended
	err    error         // how it ended; read after done
	stop   sync.Once
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
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	password := rand.Text()
	c, err := launch(keeperCommand(bin, port), password, log)
	if err != nil {
		return nil, err
	}
	if err := c.awaitReady(ctx); err != nil {
		return nil, errors.Join(err, c.Stop())
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

// keeperCommand does not take a context: ending the keeper by force is the one
// thing that could leave a server behind.
func keeperCommand(bin string, port int) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", keeper, "keeper", bin, strconv.Itoa(port)) //nolint:noctx // see above
	cmd.Dir = "/"
	cmd.Env = keeperEnv(os.Environ())
	return cmd
}

// launch starts the keeper and tells it the password.
func launch(cmd *exec.Cmd, password string, log io.Writer) (*Cluster, error) {
	if err := detach(cmd); err != nil {
		return nil, err
	}
	c := &Cluster{output: &tail{}, done: make(chan struct{})}
	cmd.Stderr = io.MultiWriter(c.output, log)

	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	ready, stdout := io.Pipe()
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c.stdin, c.stdout = stdin, ready
	go func() { // refers to c, so that a cluster whose URL alone is kept lives on
		c.err = cmd.Wait()
		stdout.Close()
		close(c.done)
	}()
	if _, err := io.WriteString(stdin, password+"\n"); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// awaitReady waits for the keeper's one line, the cluster's folder.
func (c *Cluster) awaitReady(ctx context.Context) error {
	line := make(chan string, 1)
	go func() {
		first, _ := bufio.NewReader(c.stdout).ReadString('\n')
		line <- strings.TrimSpace(first)
	}()
	select {
	case c.dir = <-line:
	case <-ctx.Done():
		return ctx.Err()
	}
	if c.dir == "" {
		return errors.New("the server did not start")
	}
	return nil
}

// URL is the address of the superuser "postgres" and the database "postgres".
func (c *Cluster) URL() string { return c.url }

// Stop ends the server at once, without waiting for its clients, and removes its
// folder. It returns when both are done; calling it again does nothing more. The
// error, if any, carries the last lines that PostgreSQL printed.
func (c *Cluster) Stop() error {
	c.stop.Do(func() { _ = c.stdin.Close() }) // fails only if the keeper has gone, which done tells
	<-c.done
	if c.err == nil {
		return nil
	}
	return fmt.Errorf("the cluster's keeper ended with %w: %s", c.err,
		cmp.Or(c.output.String(), "it printed nothing"))
}

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

func freePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
