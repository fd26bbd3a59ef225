package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os/exec"
	"regexp"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

// A shop is a server that is killed and started again, on one address and one
// database, which is crashed and started again too.
type shop struct {
	t                      *testing.T
	program, address, base string
	cluster                *postgres.Durable
	database               *url.URL
	db                     *sqldb.DB // seen from outside
	lives                  int
	life                   atomic.Pointer[life]
}

// A life is one process of the server.
type life struct {
	cmd     *exec.Cmd
	name    string // of its sessions in the database
	log     *logged
	killed  atomic.Bool   // it is about to be
	ended   chan struct{} // it is
	next    chan struct{} // another one serves
	settled chan struct{} // its last transaction is over
}

// openShop starts the first life.
func openShop(t *testing.T, dice *rand.Rand) *shop {
	t.Helper()
	cluster := startDurable(t)
	address := cluster.URL()
	database, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqldb.Open(address, sqldb.Options{StatementTimeout: waitLimit, LockTimeout: waitLimit / 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s := &shop{t: t, program: buildProgram(t), address: freeAddress(t, dice), cluster: cluster, database: database, db: db}
	s.base = "http://" + s.address
	s.begin()
	return s
}

// freeAddress has a port that systems do not assign by themselves: while no
// server listens on it, no other process gets it.
func freeAddress(t *testing.T, dice *rand.Rand) string {
	t.Helper()
	for range 100 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(10_000+dice.IntN(20_000)))
		if listener, err := net.Listen("tcp", address); err == nil {
			listener.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

// begin starts the server, and returns when it serves.
func (s *shop) begin() {
	s.t.Helper()
	s.lives++
	l := &life{
		name: fmt.Sprintf("trestle life %d", s.lives), log: newLogged(),
		ended: make(chan struct{}), next: make(chan struct{}), settled: make(chan struct{}),
	}
	database, query := *s.database, s.database.Query()
	query.Set("application_name", l.name)
	database.RawQuery = query.Encode()
	l.cmd = exec.Command(s.program, "serve", "--migrate", "--addr", s.address)
	l.cmd.Env = []string{"DATABASE_URL=" + database.String()}
	l.cmd.Stderr = l.log
	if err := l.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = l.cmd.Process.Kill(); <-l.ended })
	go func() {
		fmt.Fprintf(l.log, "ended: %v\n", l.cmd.Wait())
		close(l.ended)
	}()
	if found := l.log.find(regexp.MustCompile(`(msg=serving )|ended: `)); found[1] == "" {
		s.t.Fatalf("the server does not start: %s", l.said())
	}
	if before := s.life.Swap(l); before != nil {
		close(before.next)
	}
}

// said is the end of what the server logged.
func (l *life) said() string {
	text := l.log.String()
	return text[max(0, len(text)-2000):]
}

// kill ends the server as kill -9 does.
func (s *shop) kill() *life {
	s.t.Helper()
	l := s.life.Load()
	l.killed.Store(true)
	if err := l.cmd.Process.Kill(); err != nil {
		s.t.Fatalf("the server had ended by itself: %v: %s", err, l.said())
	}
	<-l.ended
	if status, ok := l.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		s.t.Fatalf("the server had ended by itself with %s: %s", l.cmd.ProcessState, l.said())
	}
	return l
}

// crash ends the database as a fault of its machine would.
func (s *shop) crash() {
	s.t.Helper()
	if err := s.cluster.Crash(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// up starts the database again, and returns when it answers.
func (s *shop) up() {
	s.t.Helper()
	if err := s.cluster.Up(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	s.poll("the database answers again", func() bool { return s.db.PingContext(s.t.Context()) == nil })
}

// settle waits until the database has noticed the end of a server: it has no session and no
// transaction of that server.
func (s *shop) settle(l *life) {
	s.t.Helper()
	s.poll("no session of the killed server is left", func() bool {
		return s.sessions("application_name = ?", l.name) == 0
	})
	close(l.settled)
}

// hold keeps requests at a moment until they are released, and returns when
// several wait there.
func (s *shop) hold(m moment) (release func()) {
	s.t.Helper()
	if m.lock == "" {
		return func() {}
	}
	tx, err := s.db.BeginTx(context.Background(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	release = func() { _ = tx.Rollback() }
	if _, err := tx.NewRaw(m.lock).Exec(s.t.Context()); err != nil {
		release()
		s.t.Fatalf("%s: %v", m.lock, err)
	}
	s.poll("requests wait "+m.name, func() bool {
		return s.sessions("application_name = ? AND wait_event_type = 'Lock'", s.life.Load().name) >= 3
	})
	return release
}

// sessions counts those of the database for which a condition holds.
func (s *shop) sessions(condition string, args ...any) (n int) {
	s.t.Helper()
	query := "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND " + condition
	if err := s.db.NewRaw(query, args...).Scan(s.t.Context(), &n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// poll calls a function until it returns true.
func (s *shop) poll(what string, so func() bool) {
	s.t.Helper()
	limit, tick := time.After(waitLimit), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-limit:
			s.t.Fatalf("after %s it is still not so that %s", waitLimit, what)
		}
	}
}
