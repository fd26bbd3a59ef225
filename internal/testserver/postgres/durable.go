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
	"syscall"
	"time"

	"trestle.example/internal/testserver/throwaway"
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
	server, err := serverOf(d.dir)
	if err != nil {
		return err
	}
	if err := syscall.Kill(server, how); err != nil {
		return fmt.Errorf("ending the PostgreSQL server, process %d: %w", server, err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(pidFile(d.dir)); errors.Is(err, fs.ErrNotExist) {
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
func (d *Durable) Freeze() (err error) {
	d.frozen, err = freeze(d.dir)
	return err
}

// Thaw lets a frozen server go on as if nothing had happened.
func (d *Durable) Thaw() error {
	frozen := d.frozen
	d.frozen = nil
	return thaw(frozen)
}

// Stop is [Cluster.Stop], also of a server that is frozen or down.
func (d *Durable) Stop() error { return errors.Join(d.Thaw(), d.Cluster.Stop()) }
