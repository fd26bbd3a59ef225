package sqldb

import (
	"context"
	"net"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trestle.example/internal/testserver/pgbouncer"
)

// A valve passes bytes between clients and a server; while it is shut, it keeps
// them, and connections stay open.
type valve struct {
	net.Listener

	server string
	conns  atomic.Int64 // that were made

	mu   sync.Mutex
	open chan struct{} // closed while bytes pass
}

func newValve(t *testing.T, address, server string) *valve {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	v := &valve{Listener: l, server: server, open: make(chan struct{})}
	close(v.open)
	t.Cleanup(func() { l.Close(); v.turnOn() })
	go v.accept()
	return v
}

func (v *valve) accept() {
	for {
		near, err := v.Accept()
		if err != nil {
			return
		}
		v.conns.Add(1)
		far, err := net.Dial("tcp", v.server)
		if err != nil {
			near.Close()
			continue
		}
		go v.pass(near, far)
		go v.pass(far, near)
	}
}

func (v *valve) pass(to, from net.Conn) {
	defer to.Close()
	b := make([]byte, 4096)
	for {
		n, err := from.Read(b)
		<-v.opened()
		if _, failed := to.Write(b[:n]); err != nil || failed != nil {
			return
		}
	}
}

func (v *valve) opened() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.open
}

func (v *valve) shut() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open = make(chan struct{})
}

func (v *valve) turnOn() {
	v.mu.Lock()
	defer v.mu.Unlock()
	select {
	case <-v.open:
	default:
		close(v.open)
	}
}

// through is the URL of a server by another address.
func through(t *testing.T, address, server string) (around, host string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	host = u.Host
	u.Host, u.RawQuery = address, "sslmode=disable"
	return u.String(), host
}

// A herald records the reports about a server.
type herald struct {
	mu   sync.Mutex
	told []error
}

func heraldOf(db *DB) *herald {
	h := &herald{}
	db.ObserveAway(func(why error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.told = append(h.told, why)
	})
	return h
}

// all returns the reports so far: true for away.
func (h *herald) all() (told []bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, why := range h.told {
		told = append(told, why != nil)
	}
	return told
}

// unavailable checks that a statement met a server that is away.
func unavailable(t *testing.T, what string, err error) {
	t.Helper()
	if f, ok := Classify(err); !ok || f.Kind != Unavailable {
		t.Errorf("%s: %v is %v; want unavailable", what, err, f.Kind)
	}
}

// TestASilentServer: from one moment to the next nothing comes from the server,
// and no connection is closed. Without the pulse each statement would wait for an
// hour.
func TestASilentServer(t *testing.T) {
	server := postgresURL(t)
	_, host := through(t, "", server)
	v := newValve(t, "127.0.0.1:0", host)
	around, _ := through(t, v.Addr().String(), server)
	db := open(t, around, Options{MaxConns: 2, StatementTimeout: time.Hour})
	h := heraldOf(db)
	script(t, db, counter)
	run(t, db.Session(), "SELECT 1")

	v.shut()
	var wg sync.WaitGroup
	for range 6 { // two have a connection, the others wait for one
		wg.Go(func() {
			_, err := oneOf[int](context.Background(), db.Session(), "SELECT 1")
			unavailable(t, "a statement", err)
		})
		wg.Go(func() {
			unavailable(t, "a transaction", db.InTx(context.Background(), func(ctx context.Context, s *Session) error {
				_, err := s.Exec(ctx, db.NewRaw("UPDATE c SET n = n + 1"))
				return err
			}))
		})
	}
	wg.Wait()
	before := v.conns.Load()
	for range 100 {
		_, err := oneOf[int](context.Background(), db.Session(), "SELECT 1")
		unavailable(t, "a statement while the server is known to be away", err)
	}
	if made := v.conns.Load() - before; made > 10 {
		t.Errorf("%d connections were tried for 100 statements; want those of the pulse alone", made)
	}
	if told := h.all(); len(told) != 1 || !told[0] {
		t.Errorf("it is told %v; want once that the server is away", told)
	}

	v.turnOn()
	eventually(t, "the server answers again", func() bool {
		_, err := oneOf[int](background(t), db.Session(), "SELECT 1")
		return err == nil
	})
	if told := h.all(); len(told) != 2 || told[1] {
		t.Errorf("it is told %v; want that it is back as well", told)
	}
	if n := db.Stats().InUse; n != 0 {
		t.Errorf("%d connections are still in use", n)
	}
}

// TestASlowStatementIsNoSilence: the server sends nothing for longer than
// the pulse waits, but answers the probe.
func TestASlowStatementIsNoSilence(t *testing.T) {
	db := open(t, postgresURL(t), Options{MaxConns: 1})
	h := heraldOf(db)
	run(t, db.Session(), "SELECT pg_sleep(1.5)")
	if told := h.all(); len(told) != 0 {
		t.Errorf("it is told %v; want nothing", told)
	}
}

// TestAPoolerWithoutAConnectionToGive: all of its connections are busy, so that it sends
// nothing, not even to the pulse, until it gets the request for a new connection.
func TestAPoolerWithoutAConnectionToGive(t *testing.T) {
	server := postgresURL(t)
	db := open(t, pgbouncer.Pooled(t, server), Options{NoPrepare: true, MaxConns: 16})
	h := heraldOf(db)
	var wg sync.WaitGroup
	for range 12 { // three times as many as it has
		wg.Go(func() { run(t, db.Session(), "SELECT pg_sleep(1.1)") })
	}
	wg.Wait()
	if told := h.all(); len(told) != 0 {
		t.Errorf("it is told %v; want nothing", told)
	}
}

// TestThePulseRests when no statement waits: it holds no connection of its own.
func TestThePulseRests(t *testing.T) {
	server := postgresURL(t)
	db, other := open(t, server, Options{MaxConns: 1}), open(t, server, Options{MaxConns: 1})
	const connections = "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
	var most int
	var wg sync.WaitGroup
	wg.Go(func() { run(t, db.Session(), "SELECT pg_sleep(0.7)") })
	eventually(t, "the pulse asks", func() bool {
		most = max(most, one[int](t, other.Session(), connections))
		return most == 2
	})
	wg.Wait()
	eventually(t, "it has hung up", func() bool { return one[int](t, other.Session(), connections) == 1 })
	eventually(t, "it rests", func() bool { return !isWatched() })
}

// TestAServerThatIsNotThere: the first statement finds out. The others fail without
// another try, until the server is there.
func TestAServerThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	around, host := through(t, address, postgresURL(t))
	db := open(t, around, Options{MaxConns: 4})
	h := heraldOf(db)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { unavailable(t, "a statement", db.PingContext(background(t))) })
	}
	wg.Wait()
	if told := h.all(); len(told) != 1 || !told[0] {
		t.Errorf("it is told %v; want once that the server is away", told)
	}
	newValve(t, address, host)
	eventually(t, "the server is found", func() bool { return db.PingContext(background(t)) == nil })
	if told := h.all(); len(told) != 2 || told[1] {
		t.Errorf("it is told %v; want that it is back as well", told)
	}
}

// isWatched reports whether a pulse of this process watches its server.
func isWatched() bool {
	stacks := make([]byte, 1<<20)
	return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "(*pulse).watch")
}
