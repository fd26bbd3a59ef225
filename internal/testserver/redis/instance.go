package redis

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"

	"trestle.example/internal/testserver/throwaway"
)

//go:embed keeper.sh
var keeper string

// An Instance is a private Redis server of this process. It listens on a free port of
// 127.0.0.1 only, requires a random password, and loses all data when it stops: at
// [Instance.Stop] or when the process ends in any way.
type Instance struct {
	program  string
	port     int
	password string
	log      io.Writer
	dir      string
	keeper   *throwaway.Process
}

// Start starts a server and returns when it accepts connections. Without a program in
// PATH the error is [ErrNotInstalled]. The log of the server goes to log when it stops;
// nil drops it. The context limits the start only.
func Start(ctx context.Context, log io.Writer) (*Instance, error) {
	program, err := findBinary()
	if err != nil {
		return nil, err
	}
	if log == nil {
		log = io.Discard
	}

	// Another process may take the free port before it is used.
	const attempts = 3
	for range attempts {
		var i *Instance
		if i, err = start(ctx, program, log); err == nil {
			return i, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("starting a Redis server, %s: %w", program, err)
}

func start(ctx context.Context, program string, log io.Writer) (*Instance, error) {
	port, err := throwaway.FreePort(ctx)
	if err != nil {
		return nil, err
	}
	i := &Instance{program: program, port: port, password: rand.Text(), log: log}
	return i, i.launch(ctx)
}

func (i *Instance) launch(ctx context.Context) error {
	cmd := throwaway.ServiceKeeper(keeper, i.program, strconv.Itoa(i.port))
	if err := throwaway.Detach(cmd, "redis", "nobody"); err != nil {
		return err
	}
	process, err := throwaway.Launch(cmd, i.password, i.log)
	if err != nil {
		return err
	}
	if i.dir, err = process.Ready(ctx); err != nil {
		return errors.Join(err, process.Stop())
	}
	i.keeper = process
	return nil
}

// URL returns the address of the server: redis://:password@127.0.0.1:port.
func (i *Instance) URL() string {
	return (&url.URL{
		Scheme: "redis",
		User:   url.UserPassword("", i.password),
		Host:   net.JoinHostPort("127.0.0.1", strconv.Itoa(i.port)),
	}).String()
}

// Stop kills the server, without notice to its clients, and removes its folder. It
// returns when both are done. A second call does nothing.
func (i *Instance) Stop() error { return i.keeper.Stop() }

// Restart starts the server again after [Instance.Stop], empty, at the same address.
func (i *Instance) Restart(ctx context.Context) error { return i.launch(ctx) }
