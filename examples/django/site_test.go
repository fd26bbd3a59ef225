package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/django"
	"trestle.example/internal/testserver/postgres"
	"trestle.example/internal/testserver/throwaway"
)

// startLimit bounds the start of a server, on a machine that is busy with other tests.
const startLimit = time.Minute

// A site is Django and this program on one database.
type site struct {
	*testing.T

	python          string
	database        string
	db              *sqldb.DB
	client          *http.Client
	iterations      int
	tokens          map[string]string // of the users, by their names
	before          string            // the schema before this program ran
	django, trestle string            // the URLs of the servers
}

// on returns the site for a subtest.
func (s *site) on(t *testing.T) *site {
	t.Helper()
	other := *s
	other.T = t
	return &other
}

// startBoth makes the tables by the migrations of Django, fills them, and starts both servers.
func startBoth(t *testing.T) *site {
	t.Helper()
	s := &site{T: t, python: django.Python(t), database: postgres.Database(t)}
	s.client = &http.Client{Timeout: startLimit}
	var err error
	s.db, err = sqldb.Open(s.database, sqldb.Options{})
	s.must(err)
	t.Cleanup(func() { _ = s.db.Close() })
	s.manage("migrate", "--verbosity", "0")
	seed, err := os.ReadFile("testdata/seed.py")
	s.must(err)
	var seeded struct {
		Iterations int               `json:"iterations"`
		Tokens     map[string]string `json:"tokens"`
	}
	s.must(json.Unmarshal(s.manage("shell", "--verbosity", "0", "-c", string(seed)), &seeded))
	s.iterations, s.tokens = seeded.Iterations, seeded.Tokens
	s.before = s.query(schema)
	s.django, s.trestle = s.startDjango(), s.startTrestle()
	return s
}

// manage runs a command of Django and returns what it prints.
func (s *site) manage(args ...string) []byte {
	s.Helper()
	cmd := s.command(s.Context(), append([]string{"manage.py"}, args...)...)
	var printed bytes.Buffer
	cmd.Stderr = &printed
	output, err := cmd.Output()
	if err != nil {
		s.Fatalf("manage.py %s: %v: %s", args[0], err, &printed)
	}
	return output
}

// command returns a command of Python in the folder of the project of Django.
func (s *site) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.python, args...)
	cmd.Dir = "site"
	cmd.Env = append(os.Environ(), "DATABASE_URL="+s.database, "DJANGO_SECRET_KEY=of-the-test-alone",
		"DJANGO_SETTINGS_MODULE=clinicsite.settings", "PYTHONPATH=.", "PYTHONDONTWRITEBYTECODE=1")
	return cmd
}

// startDjango starts the server of Django. It ends when its standard input does, which is also
// closed if this process is killed.
func (s *site) startDjango() string {
	s.Helper()
	address := s.freeAddress()
	script, err := filepath.Abs("testdata/serve.py")
	s.must(err)
	cmd := s.command(context.Background(), script, address)
	stdin, err := cmd.StdinPipe()
	s.must(err)
	s.must(cmd.Start())
	s.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	s.waitFor(address)
	return "http://" + address
}

// startTrestle starts this program.
func (s *site) startTrestle() string {
	s.Helper()
	address := s.freeAddress()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, address, s.database, s.iterations) }()
	s.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			s.Error(err)
		}
	})
	s.waitFor(address)
	return "http://" + address
}

func (s *site) freeAddress() string {
	s.Helper()
	port, err := throwaway.FreePort(s.Context())
	s.must(err)
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// waitFor waits until a server listens.
func (s *site) waitFor(address string) {
	s.Helper()
	limit, tick := time.After(startLimit), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for {
		connection, err := (&net.Dialer{}).DialContext(s.Context(), "tcp", address)
		if err == nil {
			_ = connection.Close()
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			s.Fatal(fmt.Errorf("the server does not listen on %s: %w", address, err))
		}
	}
}
