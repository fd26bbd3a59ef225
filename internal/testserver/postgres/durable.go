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

// Durable is a [Cluster] that keeps acknowledged data: it waits until data is flushed to
// disk. A test can stop it and start it again with the same address and data, and freeze
// it. One goroutine at a time uses it.
type Durable struct {
	*Cluster

	bin    string
	frozen []int // processes, the first one of the server first
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

// Crash ends the server as a fault of the machine would: it finishes nothing and gives no
// notice to clients. It returns when the server has ended.
func (d *Durable) Crash(ctx context.Context) error { return d.down(ctx, syscall.SIGQUIT) }

// Shut ends the server in order: it disconnects clients and rolls their transactions
// back. It returns when the server has ended.
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

// Up starts the server again at the same address, with all acknowledged data, and returns
// when it accepts connections.
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

// Freeze stops every process of the server: connections stay open, the system accepts new
// ones, and nothing is answered. [Durable.Thaw] and [Durable.Stop] end it.
func (d *Durable) Freeze() (err error) {
	d.frozen, err = freeze(d.dir)
	return err
}

// Thaw lets a frozen server continue as if nothing had happened.
func (d *Durable) Thaw() error {
	frozen := d.frozen
	d.frozen = nil
	return thaw(frozen)
}

// Stop is [Cluster.Stop], also for a server that is frozen or stopped.
func (d *Durable) Stop() error { return errors.Join(d.Thaw(), d.Cluster.Stop()) }
