package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"trestle.example/framework/program"
)

// binaryFolder holds the program as buildProgram makes it.
var binaryFolder string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "trestle-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaryFolder = folder
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// binary builds the program once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	program := filepath.Join(binaryFolder, "trestle")
	output, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("building: %w: %s", err, output)
	}
	return program, err
})

func buildProgram(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("the race run; the program is built without the detector and runs in make test")
	}
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// A served is a running server and what it printed.
type served struct {
	cmd    *exec.Cmd
	before string // what it printed first
	curl   string // the line with the request to try
	rest   io.Reader
	stderr *logged
}

// startProgram serves a demo on a free port, and waits until it does.
func startProgram(t *testing.T, program, database string, env ...string) *served {
	t.Helper()
	s := &served{cmd: exec.Command(program, "serve", "--migrate", "--seed", "--addr", "127.0.0.1:0"), stderr: newLogged()}
	s.cmd.Env = append(s.cmd.Env, "DATABASE_URL="+database)
	s.cmd.Env = append(s.cmd.Env, env...)
	s.cmd.Stderr = s.stderr
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	s.rest = stdout
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if line := strings.TrimSpace(lines.Text()); strings.HasPrefix(line, "curl ") {
			s.curl = line
			return s
		}
		s.before += lines.Text() + "\n"
	}
	t.Fatalf("it ends without a request to try: %v: %s", s.cmd.Wait(), s.stderr)
	return nil
}

func (s *served) wait() error {
	_, _ = io.Copy(io.Discard, s.rest)
	return s.cmd.Wait()
}

// base is where it serves.
func (s *served) base(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`'(https?://[^/]+)/`).FindStringSubmatch(s.curl)
	if found == nil {
		t.Fatalf("%q names no server", s.curl)
	}
	return found[1]
}

// token is the one that it printed.
func (s *served) token(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`trs_[A-Za-z0-9_-]{43}`).FindString(s.curl)
	if found == "" {
		t.Fatalf("%q has no token", s.curl)
	}
	return found
}

// stop makes the process end, and checks that it ends without an error.
func (s *served) stop(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.wait(); err != nil {
		t.Errorf("stopped by SIGTERM it ends with %v; want exit code 0: %s", err, s.stderr)
	}
}

// A running is a server in the test's own process.
type running struct {
	base         string
	log, printed *logged
}

// start serves the rig's database, migrated, until the test ends.
func (r *rig) start(t *testing.T, env ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s, ended := &running{log: newLogged(), printed: newLogged()}, make(chan int, 1)
	go func() {
		code := program.Run(ctx, trestle(), []string{"serve", "--migrate", "--addr", "127.0.0.1:0"}, append(env, r.env...), strings.NewReader(""), s.printed, s.log)
		fmt.Fprintf(s.log, "ended with %d\n", code)
		ended <- code
	}()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != exitOK {
			t.Errorf("the server ends with %d: %s", code, s.log)
		}
	})
	found := s.log.find(regexp.MustCompile(`msg=serving address=(\S+) tls=(\w+)|ended with`))
	switch found[2] {
	case "":
		t.Fatalf("it does not serve: %s", s.log)
	case "true":
		s.base = "https://" + found[1]
	default:
		s.base = "http://" + found[1]
	}
	return s
}

// logged is a log whose lines can be waited for.
type logged struct {
	mu   sync.Mutex
	more *sync.Cond
	text strings.Builder
}

func newLogged() *logged {
	l := &logged{}
	l.more = sync.NewCond(&l.mu)
	return l
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.more.Broadcast()
	return l.text.Write(line)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// await returns when the log holds some words.
func (l *logged) await(t *testing.T, words string) {
	t.Helper()
	l.find(regexp.MustCompile(regexp.QuoteMeta(words)))
}

// find waits until the log matches, and returns the groups.
func (l *logged) find(pattern *regexp.Regexp) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if found := pattern.FindStringSubmatch(l.text.String()); found != nil {
			return found
		}
		l.more.Wait()
	}
}
