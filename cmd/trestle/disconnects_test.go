package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
	"trestle.example/internal/testserver/postgres"
)

const (
	// mostLeftover is how long the statements of disconnected clients may still run.
	mostLeftover = 500 * time.Millisecond
	// requestTimeout ends the statements of any request, long after that.
	requestTimeout = 50 * time.Second
)

// TestWhoIsGoneLeavesNoStatement: clients who do not wait for slow statements
// leave none behind in the database, and no connection that others lack.
func TestWhoIsGoneLeavesNoStatement(t *testing.T) {
	clients, conns, rounds := 100, 16, 1
	if proving.On() {
		clients, conns, rounds = 500, 64, 8
	}
	c := openCrowd(t, conns)
	release := lockTable(t, c.db, "patients")
	defer release()
	waiting := conns * 3 / 4 // the most for one resource
	var slowest time.Duration
	for range rounds {
		slowest = max(slowest, c.leaves(clients, waiting))
	}
	figure(t, slowest < mostLeftover, "%d clients disconnected, %d times, and at least %d statements were left each time: none after %s (bound: under %s)",
		clients, rounds, waiting, slowest.Round(time.Millisecond), mostLeftover)
	if slowest > requestTimeout/2 {
		t.Errorf("no statement was left after %s: that the requests took too long has ended them", slowest)
	}
	release()
	c.serves(3 * conns)
	untilSo(t, "the pool is idle", func() bool { return c.statements("state <> 'idle'") == 0 })
	if n := c.statements("true"); n > conns {
		t.Errorf("there are %d connections; want %d at most", n, conns)
	}
}

// A crowd is a server and many clients.
type crowd struct {
	*instance

	db     *sqldb.DB // seen from outside
	tokens []string  // of several users, because one user gets at most half of the connections
	ids    []string  // of patients
}

func openCrowd(t *testing.T, conns int) *crowd {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	database := postgres.Database(t)
	r := newRig(t, database)
	r.ok("migrate up")
	r.ok("seed --patients 200 --appointments 200 --products 20")
	c := &crowd{}
	for _, u := range demoUsers() {
		c.tokens = append(c.tokens, tokenOf(r, u.Email))
	}
	var err error
	if c.db, err = sqldb.Open(database, sqldb.Options{MaxConns: 2, StatementTimeout: waitLimit}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.db.Close() })
	if err := c.db.NewRaw("SELECT id::text FROM patients").Scan(t.Context(), &c.ids); err != nil {
		t.Fatal(err)
	}
	named, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	query := named.Query()
	query.Set("application_name", "crowded")
	query.Set("lock_timeout", "0") // so that nothing on the server ends who waits for a lock
	named.RawQuery = query.Encode()
	c.instance = newInstance(t, freeAddress(t, rand.New(rand.NewPCG(seed, 0))), nil, []string{
		"DATABASE_URL=" + named.String(), fmt.Sprintf("TRESTLE_DB_CONNS=%d", conns),
		"TRESTLE_STATEMENT_TIMEOUT=1h", "TRESTLE_REQUEST_TIMEOUT=" + requestTimeout.String(),
	})
	c.begin()
	return c
}

// statements counts the server's connections to the database for which a
// condition is true, without the connection of the health check.
func (c *crowd) statements(condition string) (n int) {
	c.t.Helper()
	query := "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'crowded' AND query <> 'SELECT 1' AND " + condition
	if err := c.db.NewRaw(query).Scan(c.t.Context(), &n); err != nil {
		c.t.Fatal(err)
	}
	return n
}

// send sends requests that read and write, each by a connection of its own, and
// returns what ends all of those.
func (c *crowd) send(clients int) (gone func()) {
	c.t.Helper()
	var all []net.Conn
	c.t.Cleanup(func() {
		for _, conn := range all {
			conn.Close()
		}
	})
	for i := range clients {
		conn, err := net.Dial("tcp", c.address)
		if err != nil {
			c.t.Fatal(err)
		}
		all = append(all, conn)
		if _, err := conn.Write(c.slow(i)); err != nil {
			c.t.Fatal(err)
		}
	}
	return func() {
		for _, conn := range all {
			conn.Close()
		}
	}
}

// slow is a request that waits for the lock, and no other's answer will do for.
func (c *crowd) slow(i int) []byte {
	id, token := c.ids[i%len(c.ids)], c.tokens[i/4%len(c.tokens)]
	switch i % 4 {
	case 0:
		return request("GET", fmt.Sprintf("/api/patients/?search=gone%d", i), token, "")
	case 1:
		return request("GET", "/api/patients/"+id+"/", token, "")
	case 2:
		return request("PATCH", "/api/patients/"+id+"/", token, fmt.Sprintf(`{"city": "Gone %d"}`, i))
	}
	return request("POST", "/api/patients/", token, fmt.Sprintf(`{"name": "Gone %d", "phone": "555 0100"}`, i))
}

// leaves sends requests whose clients disconnect when so many statements wait for the
// lock, and returns when the last statement of theirs was seen. Until the server
// notices that a client disconnected, its request may still begin a statement.
func (c *crowd) leaves(clients, waiting int) (took time.Duration) {
	c.t.Helper()
	gone := c.send(clients)
	untilSo(c.t, "the statements wait for the lock", func() bool { return c.statements("wait_event_type = 'Lock'") >= waiting })
	began := time.Now()
	gone()
	untilSo(c.t, "no statement is left", func() bool {
		left, since := c.statements("state <> 'idle'"), time.Since(began)
		if left > 0 {
			took = since
		}
		return left == 0 && since > 2*mostLeftover
	})
	return took
}

// serves checks that others are served.
func (c *crowd) serves(others int) {
	c.t.Helper()
	var all sync.WaitGroup
	for i := range others {
		all.Go(func() {
			w := wire{address: c.address}
			defer w.close()
			got, err := w.send(request("GET", "/api/patients/"+c.ids[i%len(c.ids)]+"/", c.tokens[0], ""), waitLimit)
			if err != nil || got.status != http.StatusOK {
				c.t.Errorf("afterwards somebody is answered %d %s, %v", got.status, got.body, err)
			}
		})
	}
	all.Wait()
}
