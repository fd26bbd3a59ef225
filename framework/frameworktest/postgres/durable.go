//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"trestle.example/framework/frameworktest/internal/throwaway"
)

// Durable is a [Cluster] that keeps what it has acknowledged: it flushes to disk
// and waits for that. It can be taken down and started again on the same address
// and data, and frozen, so that a test sees what others make of it. One goroutine
// at a time uses it.
type Durable struct {
	*Cluster

	bin    string
	frozen []int // processes, the server's first
}

// StartDurable is [Start] for a durable cluster.
func StartDurable(ctx context.Context, log io.Writer) (*Durable, error) {
	bin, err := findBinaries(ctx)
	if err != nil {
		return nil, err
	}
	c, err := Start(ctx, log)
	if err != nil {
		return nil, err
	}
	d := &Durable{Cluster: c, bin: bin}
	for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		if err := d.execute("ALTER SYSTEM SET " + setting + " TO on"); err != nil {
			return nil, errors.Join(err, c.Stop())
		}
	}
	if err := d.execute("SELECT pg_reload_conf()"); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return d, nil
}

func (d *Durable) execute(statement string) error {
	server, err := url.Parse(d.url)
	if err != nil {
		return err
	}
	return execute(server, statement)
}

// Crash ends the server as a fault of the machine would: nothing is finished and
// no client is told. It returns when the server is gone.
func (d *Durable) Crash(ctx context.Context) error { return d.down(ctx, syscall.SIGQUIT) }

// Shut ends the server in order: clients are told and what they do is undone. It
// returns when the server is gone.
func (d *Durable) Shut(ctx context.Context) error { return d.down(ctx, syscall.SIGINT) }

func (d *Durable) down(ctx context.Context, how syscall.Signal) error {
	server, err := d.server()
	if err != nil {
		return err
	}
	if err := syscall.Kill(server, how); err != nil {
		return fmt.Errorf("ending the PostgreSQL server, process %d: %w", server, err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(d.pidFile()); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the PostgreSQL server, process %d, does not end: %w", server, ctx.Err())
		}
	}
}

// Up starts the server again, on the same address, and returns when it accepts
// connections: what was acknowledged is there.
func (d *Durable) Up(ctx context.Context) error {
	said := filepath.Join(d.dir, "restarted.log")
	cmd := exec.CommandContext(ctx, filepath.Join(d.bin, "pg_ctl"), "-D", filepath.Join(d.dir, "data"), "-l", said, "-s", "-w", "-t", "120", "start")
	cmd.Dir, cmd.Env = "/", keeperEnv(os.Environ())
	if err := throwaway.Detach(cmd, "postgres", "nobody"); err != nil {
		return err
	}
	if err := cmd.Run(); err != nil { // without pipes, which the server would keep open
		text, _ := os.ReadFile(said)
		return fmt.Errorf("starting the PostgreSQL server again: %w: %s", err, text[max(0, len(text)-2000):])
	}
	return nil
}

// Freeze stops every process of the server where it is: connections stay open,
// new ones are taken by the system, and nothing is answered. [Durable.Thaw] and
// [Durable.Stop] let it go on.
func (d *Durable) Freeze() error {
	server, err := d.server()
	if err != nil {
		return err
	}
	if err := d.freeze(server); err != nil { // it starts no others from here on
		return err
	}
	others, err := children(server)
	if err != nil {
		return errors.Join(err, d.Thaw())
	}
	for _, process := range others {
		if err := d.freeze(process); err != nil {
			return errors.Join(err, d.Thaw())
		}
	}
	return nil
}

func (d *Durable) freeze(process int) error {
	switch err := syscall.Kill(process, syscall.SIGSTOP); {
	case errors.Is(err, syscall.ESRCH): // it ended meanwhile
		return nil
	case err != nil:
		return fmt.Errorf("freezing process %d of the PostgreSQL server: %w", process, err)
	}
	d.frozen = append(d.frozen, process)
	return nil
}

// Thaw lets a frozen server go on as if nothing had happened.
func (d *Durable) Thaw() error {
	var failed []error
	for _, process := range d.frozen {
		if err := syscall.Kill(process, syscall.SIGCONT); err != nil && !errors.Is(err, syscall.ESRCH) {
			failed = append(failed, fmt.Errorf("waking process %d of the PostgreSQL server: %w", process, err))
		}
	}
	d.frozen = nil
	return errors.Join(failed...)
}

// Stop is [Cluster.Stop], also of a server that is frozen or down.
func (d *Durable) Stop() error { return errors.Join(d.Thaw(), d.Cluster.Stop()) }

func (d *Durable) pidFile() string { return filepath.Join(d.dir, "data", "postmaster.pid") }

// server is the process that all others of the server are children of.
func (d *Durable) server() (int, error) {
	content, err := os.ReadFile(d.pidFile())
	if err != nil {
		return 0, fmt.Errorf("the PostgreSQL server does not run: %w", err)
	}
	first, _, _ := strings.Cut(string(content), "\n")
	return strconv.Atoi(first)
}

// children are the processes that a process started.
func children(of int) ([]int, error) {
	output, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output() //nolint:noctx // it lists what is there
	if err != nil {
		return nil, fmt.Errorf("listing processes by ps: %w", err)
	}
	var found []int
	for line := range strings.Lines(string(output)) {
		var process, parent int
		if _, err := fmt.Sscan(line, &process, &parent); err == nil && parent == of {
			found = append(found, process)
		}
	}
	return found, nil
}
