package patroni

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"trestle.example/internal/testserver/postgres"
	"trestle.example/internal/testserver/throwaway"
	"trestle.example/internal/testserver/tool"
)

//go:embed keeper.sh
var keeper string

const (
	servers = 3
	// pause is the time between two checks of the cluster.
	pause = 20 * time.Millisecond
)

// A Cluster is three servers of PostgreSQL. One of them is the leader. One goroutine at
// a time uses it.
type Cluster struct {
	password string
	ports    []int // of etcd, twice, then of PostgreSQL and Patroni for each server
	keeper   *throwaway.Process
	web      http.Client
}

// Start starts a cluster and returns when it has a leader, a synchronous standby and
// another standby. Without the programs the error wraps [tool.ErrNotInstalled]. Their
// output goes to log when they stop. The context limits the start only.
func Start(ctx context.Context, log io.Writer) (*Cluster, error) {
	c := &Cluster{password: rand.Text(), web: http.Client{Timeout: 5 * time.Second}}
	patroni, err := tool.Patroni.Path()
	if err != nil {
		return nil, err
	}
	etcd, err := tool.Etcd.Path()
	if err != nil {
		return nil, err
	}
	bin, err := postgres.Programs(ctx)
	if err != nil {
		return nil, err
	}
	args := []string{patroni, etcd, bin}
	for range 2 + 2*servers {
		port, err := throwaway.FreePort(ctx)
		if err != nil {
			return nil, err
		}
		c.ports, args = append(c.ports, port), append(args, strconv.Itoa(port))
	}
	cmd := throwaway.Keeper(keeper, args...)
	if err := throwaway.Detach(cmd, "postgres", "nobody"); err != nil {
		return nil, err
	}
	if c.keeper, err = throwaway.Launch(cmd, c.password, log); err != nil {
		return nil, err
	}
	if _, err = c.keeper.Ready(ctx); err == nil {
		err = c.Settled(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// Stop kills all processes and removes their folder. A second call does nothing.
func (c *Cluster) Stop() error { return c.keeper.Stop() }

// URL names all servers and selects the one that accepts writes.
func (c *Cluster) URL() string {
	var hosts []string
	for n := range servers {
		hosts = append(hosts, "127.0.0.1:"+strconv.Itoa(c.ports[2+2*n]))
	}
	return fmt.Sprintf("postgres://postgres:%s@%s/postgres?sslmode=disable&target_session_attrs=read-write", c.password, strings.Join(hosts, ","))
}

// A member is a server as Patroni describes it.
type member struct {
	Name  string `json:"name"`
	Role  string `json:"role"`
	State string `json:"state"`
}

// members returns all servers, as the first Patroni that answers reports them.
func (c *Cluster) members(ctx context.Context) (all []member, err error) {
	var found struct{ Members []member }
	for n := 1; n <= servers; n++ {
		if err = c.get(ctx, n, "/cluster", &found); err == nil {
			return found.Members, nil
		}
	}
	return nil, err
}

// get sends a GET request to the Patroni of a server, counted from 1.
func (c *Cluster) get(ctx context.Context, n int, path string, into any) error {
	return c.send(ctx, http.MethodGet, n, path, nil, into)
}

func (c *Cluster) send(ctx context.Context, method string, n int, path string, body []byte, into any) error {
	at := fmt.Sprintf("http://127.0.0.1:%d%s", c.ports[1+2*n], path)
	r, err := http.NewRequestWithContext(ctx, method, at, bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := c.web.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Leader returns the number of the leader, counted from 1.
func (c *Cluster) Leader(ctx context.Context) (int, error) {
	all, err := c.members(ctx)
	if err != nil {
		return 0, err
	}
	for _, m := range all {
		if m.Role == "leader" {
			return strconv.Atoi(m.Name)
		}
	}
	return 0, errors.New("patroni has no leader")
}

// Settled returns when a leader, a synchronous standby and another standby run.
func (c *Cluster) Settled(ctx context.Context) error {
	return c.await(ctx, "a leader and two standbys", func() bool {
		all, err := c.members(ctx)
		roles := map[string]int{}
		for _, m := range all {
			if m.State == "running" || m.State == "streaming" {
				roles[m.Role]++
			}
		}
		return err == nil && roles["leader"] == 1 && roles["sync_standby"] == 1 && roles["replica"] == 1
	})
}

// Kill kills a server and its Patroni, as a machine that fails does.
func (c *Cluster) Kill(n int) error { return c.keeper.Order(fmt.Sprintf("kill %d", n)) }

// Revive starts the Patroni of a server again after [Cluster.Kill].
func (c *Cluster) Revive(n int) error { return c.keeper.Order(fmt.Sprintf("start %d", n)) }

// Switchover has Patroni make another server the leader. It returns when that is done.
func (c *Cluster) Switchover(ctx context.Context) error {
	n, err := c.Leader(ctx)
	if err != nil {
		return err
	}
	return c.send(ctx, http.MethodPost, n, "/switchover", []byte(fmt.Sprintf(`{"leader": "%d"}`, n)), nil)
}

// Promoted waits until Patroni promotes a server after a time, and returns when that was.
func (c *Cluster) Promoted(ctx context.Context, after time.Time) (at time.Time, err error) {
	err = c.await(ctx, "a promotion", func() bool {
		n, err := c.Leader(ctx)
		var history [][]any
		if err != nil || c.get(ctx, n, "/history", &history) != nil || len(history) == 0 {
			return false
		}
		last := history[len(history)-1]
		if len(last) < 4 {
			return false
		}
		text, _ := last[3].(string)
		at, err = time.Parse(time.RFC3339Nano, text)
		return err == nil && at.After(after)
	})
	return at, err
}

func (c *Cluster) await(ctx context.Context, what string, so func() bool) error {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for !so() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s of Patroni: %w", what, ctx.Err())
		case <-tick.C:
		}
	}
	return nil
}
