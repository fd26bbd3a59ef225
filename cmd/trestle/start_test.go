package main

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"trestle.example/framework/program"
	"trestle.example/internal/testserver/postgres"
)

// A gateway is a way to a database that is opened later.
type gateway struct {
	t        *testing.T
	at, to   string
	url      string // of the database, by this way
	mu       sync.Mutex
	listener net.Listener
	passing  []net.Conn
}

func newGateway(t *testing.T) *gateway {
	t.Helper()
	u, err := url.Parse(postgres.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	g := &gateway{t: t, to: u.Host, at: freeAddress(t, rand.New(rand.NewPCG(seed, 0)))}
	u.Host = g.at
	g.url = u.String()
	t.Cleanup(g.close)
	return g
}

// open lets connections pass.
func (g *gateway) open() {
	g.t.Helper()
	listener, err := net.Listen("tcp", g.at)
	if err != nil {
		g.t.Fatal(err)
	}
	g.mu.Lock()
	g.listener = listener
	g.mu.Unlock()
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", g.to)
			if err != nil {
				_ = near.Close()
				continue
			}
			g.mu.Lock()
			g.passing = append(g.passing, near, far)
			g.mu.Unlock()
			go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
			go func() { _, _ = io.Copy(near, far); _ = near.Close() }()
		}
	}()
}

// close ends what passes, too.
func (g *gateway) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.listener != nil {
		_ = g.listener.Close()
	}
	for _, c := range g.passing {
		_ = c.Close()
	}
}

// A starting is a server whose database is away.
type starting struct {
	base  string
	log   *logged
	stop  context.CancelFunc
	ended chan int
}

// startWithout starts a server and returns when it listens.
func startWithout(t *testing.T, database string, flags ...string) *starting {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s := &starting{log: newLogged(), stop: stop, ended: make(chan int, 1)}
	args := append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)
	go func() {
		code := program.Run(ctx, trestle(), args, []string{"DATABASE_URL=" + database}, strings.NewReader(""), io.Discard, s.log)
		io.WriteString(s.log, "ended\n")
		s.ended <- code
	}()
	t.Cleanup(stop)
	found := s.log.find(regexp.MustCompile(`msg=starting address=(\S+)|ended`))
	if found[1] == "" {
		t.Fatalf("it does not start: %s", s.log)
	}
	s.base = "http://" + found[1]
	return s
}

// plain makes a visitor without a contract, because the contract does not describe health.
func plain(t *testing.T, base string) visitor {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return visitor{base, &http.Client{Transport: transport, Timeout: waitLimit}, http.Header{}}
}

// TestAServerStartsBeforeItsDatabase, says that it is not ready, and is when the
// database is there.
func TestAServerStartsBeforeItsDatabase(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	s := startWithout(t, g.url, "--migrate")
	v := plain(t, s.base)
	s.log.await(t, "tries again until the database answers")
	v.send(t, "GET /livez", "").is(t, http.StatusOK, `{"status":"ok"}`)
	v.send(t, "GET /readyz", "").is(t, http.StatusServiceUnavailable, `{"status":"starting","checks":{"database":"failing"}}`)
	for _, request := range []string{"GET /api/products", "POST /api/auth/login", "GET /nowhere", "GET /"} {
		got := v.send(t, request, "").is(t, http.StatusServiceUnavailable, `"code":"unavailable"`)
		if got.header.Get("Retry-After") != "1" || got.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: the headers are %v", request, got.header)
		}
	}
	g.open()
	s.log.await(t, "msg=serving")
	v.send(t, "GET /api/products", "").is(t, http.StatusOK)
	awaitReady(t, v)
	if n := strings.Count(s.log.String(), "tries again"); n != 1 {
		t.Errorf("it says %d times that the database is away: %s", n, s.log)
	}
	if password := regexp.MustCompile(`:([^:@/]+)@`).FindStringSubmatch(g.url); password != nil && strings.Contains(s.log.String(), password[1]) {
		t.Error("the log has the password")
	}
	g.close()
	awaitStatus(t, v, http.StatusServiceUnavailable, `{"status":"failing","checks":{"database":"failing"}}`)
	v.send(t, "GET /livez", "").is(t, http.StatusOK)
	g.open()
	awaitReady(t, v)
	s.stop()
	if code := <-s.ended; code != exitOK {
		t.Errorf("it ends with %d: %s", code, s.log)
	}
}

func awaitReady(t *testing.T, v visitor) {
	t.Helper()
	awaitStatus(t, v, http.StatusOK, `{"status":"ok","checks":{"database":"ok"}}`)
}

// awaitStatus polls /readyz until it has a status.
func awaitStatus(t *testing.T, v visitor, status int, body string) {
	t.Helper()
	var got answer
	for deadline := time.Now().Add(waitLimit); time.Now().Before(deadline); <-time.After(20 * time.Millisecond) {
		if got = v.send(t, "GET /readyz", ""); got.status == status && got.body == body {
			return
		}
	}
	t.Errorf("/readyz says %d %s; want %d %s", got.status, got.body, status, body)
}

// TestWhatEndsAStart: an error that waiting does not cure, and a signal.
func TestWhatEndsAStart(t *testing.T) {
	t.Parallel()
	t.Run("migrations that are missing", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t)
		s := startWithout(t, g.url)
		s.log.await(t, "tries again")
		g.open()
		if code := <-s.ended; code != exitNeedsAction || !strings.Contains(s.log.String(), "run: trestle migrate up") {
			t.Errorf("it ends with %d: %s", code, s.log)
		}
	})
	t.Run("a signal", func(t *testing.T) {
		t.Parallel()
		s := startWithout(t, newGateway(t).url, "--migrate", "--drain-delay", "1m")
		s.log.await(t, "tries again")
		s.stop()
		if code := <-s.ended; code != exitOK {
			t.Errorf("it ends with %d: %s", code, s.log)
		}
	})
	t.Run("a file that is no database", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "test.db")
		if err := os.WriteFile(file, []byte(strings.Repeat("no database\n", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		newRig(t, (&url.URL{Scheme: "sqlite", Path: file}).String()).run("serve --migrate --addr 127.0.0.1:0").is(t, exitFailure, "not a database")
	})
}

// TestAWrongPassword is said once, and may be put right meanwhile.
func TestAWrongPassword(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(postgres.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("nobody_at_all", "hidden-guess")
	s := startWithout(t, u.String())
	s.log.await(t, "tries again")
	v := plain(t, s.base)
	for range 3 {
		v.send(t, "GET /readyz", "").is(t, http.StatusServiceUnavailable, "starting")
	}
	if log := s.log.String(); strings.Count(log, "tries again") != 1 || strings.Contains(log, "hidden-guess") {
		t.Errorf("the log is %s", log)
	}
	s.stop()
	if code := <-s.ended; code != exitOK {
		t.Errorf("it ends with %d: %s", code, s.log)
	}
}

// TestHowAServerStops: it says so before it takes no more requests, and a second
// signal ends it at once.
func TestHowAServerStops(t *testing.T) {
	t.Parallel()
	program := buildProgram(t)
	onBothURLs(t, func(t *testing.T, database string) {
		s := startProgram(t, program, database, "TRESTLE_DRAIN_DELAY=1m")
		v := plain(t, s.base(t))
		awaitReady(t, v)
		if got := v.send(t, "GET /api/products", "").is(t, http.StatusOK); got.header.Get("Connection") != "" {
			t.Errorf("before, Connection is %q", got.header.Get("Connection"))
		}
		signal := func() {
			if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
		signal()
		s.stderr.await(t, "msg=stopping")
		v.send(t, "GET /readyz", "").is(t, http.StatusServiceUnavailable, `{"status":"stopping"}`)
		v.send(t, "GET /livez", "").is(t, http.StatusOK)
		v.send(t, "GET /api/products", "").is(t, http.StatusOK)
		signal()
		_ = s.wait()
		if status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGTERM {
			t.Errorf("it ends with %s; want the signal", s.cmd.ProcessState)
		}
	})
}

// TestHealthIsForProbes: by whatever host they come, without credentials, with no
// line in the log each.
func TestHealthIsForProbes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		s := r.start(t, "TRESTLE_HOSTS=api.example.org", "TRESTLE_RATES=anon=1/hour")
		v := plain(t, s.base)
		v.send(t, "GET /api/products", "").is(t, http.StatusBadRequest, "invalid_host")
		for range 5 {
			for _, path := range []string{"/livez", "/readyz"} {
				v.send(t, "GET "+path, "").is(t, http.StatusOK)
				v.with("Authorization", "Token nonsense").send(t, "HEAD "+path, "").is(t, http.StatusOK)
			}
		}
		if strings.Contains(s.log.String(), "readyz") {
			t.Errorf("the log tells of them: %s", s.log)
		}
	})
}
