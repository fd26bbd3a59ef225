//go:build unix

package redis

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// leaveRunning, set in a child process, makes it start a server, print the address and
// the folder, and wait to be killed.
const leaveRunning = "TRESTLE_TEST_LEAVE_REDIS_RUNNING"

func TestMain(m *testing.M) {
	if os.Getenv(leaveRunning) == "" {
		os.Exit(m.Run())
	}
	server, err := Start(context.Background(), nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, server.URL())
	fmt.Fprintln(os.Stdout, server.dir)
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0) // without Stop: the end of the process must be enough
}

func TestAnInstanceIsPrivate(t *testing.T) {
	t.Parallel()
	server := started(t)
	for what, c := range map[string]struct{ password, command, want string }{
		"answers a client with the password": {server.password, "PING", "+PONG"},
		"rejects a wrong password":           {"guess", "PING", "-NOAUTH"},
		"keeps nothing on disk":              {server.password, "CONFIG GET save", "*2"},
	} {
		t.Run(what, func(t *testing.T) {
			if got := ask(t, server, c.password, c.command); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s answers %q; want %q", c.command, got, c.want)
			}
		})
	}
	t.Run("keeps its folder to itself", func(t *testing.T) {
		info, err := os.Stat(server.dir)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o700 {
			t.Errorf("the folder's mode is %o; want 700", mode)
		}
	})
}

func TestStopEndsTheServerAndRestartBringsItBackEmpty(t *testing.T) {
	t.Parallel()
	server := started(t)
	address, dir := server.URL(), server.dir
	ask(t, server, server.password, "SET kept 1")
	for call := range 2 {
		if err := server.Stop(); err != nil {
			t.Fatalf("call %d of Stop: %v", call+1, err)
		}
	}
	if !isRemoved(address, dir) {
		t.Error("after Stop the server still answers or its folder is still there")
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if server.URL() != address {
		t.Errorf("after Restart the address is %s; want %s", server.URL(), address)
	}
	if got := ask(t, server, server.password, "EXISTS kept"); got != ":0" {
		t.Errorf("after Restart EXISTS answers %q; want :0", got)
	}
}

func TestNoServerOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	for how, end := range map[string]func(*exec.Cmd, io.Closer) error{
		"killed":                     func(child *exec.Cmd, _ io.Closer) error { return child.Process.Kill() },
		"interrupted":                func(child *exec.Cmd, _ io.Closer) error { return child.Process.Signal(os.Interrupt) },
		"exits without calling Stop": func(_ *exec.Cmd, stdin io.Closer) error { return stdin.Close() },
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			child, stdin, address, dir := startChild(t)
			if isRemoved(address, dir) {
				t.Fatal("the child's server does not answer")
			}
			if err := end(child, stdin); err != nil {
				t.Fatal(err)
			}
			_ = child.Wait() // it is killed, so it returns an error
			await(t, "the server and its folder to be gone", func() bool { return isRemoved(address, dir) })
		})
	}
}

func TestAServerThatCannotStartReturnsTheReason(t *testing.T) {
	t.Parallel()
	server := started(t)
	second := &Instance{program: server.program, port: server.port, password: "secret", log: io.Discard}
	if err := second.launch(t.Context()); err == nil || !strings.Contains(err.Error(), "Address already in use") {
		t.Errorf("starting on an occupied port gives %v; want the message of the server", err)
	}
}

func TestServerURL(t *testing.T) {
	t.Run("a server of the caller", func(t *testing.T) {
		t.Setenv("TEST_REDIS_URL", " redis://:secret@localhost:1 ")
		if got := Server(t); got != "redis://:secret@localhost:1" {
			t.Errorf("the address is %q", got)
		}
	})
	t.Run("a private server, the same each time", func(t *testing.T) {
		t.Setenv("TEST_REDIS_URL", " ")
		if first, second := Server(t), Server(t); first != second || !strings.HasPrefix(first, "redis://:") {
			t.Errorf("the addresses are %q and %q", first, second)
		}
	})
	t.Run("an invalid address is rejected without repeating it", func(t *testing.T) {
		_, err := serverURL("postgres://:secret@localhost")
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "redis://") {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestWithoutAServerTheErrorStatesWhatToDo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Start(t.Context(), nil)
	if !errors.Is(err, ErrNotInstalled) {
		t.Fatalf("the error is %v; want ErrNotInstalled", err)
	}
	for _, part := range []string{"apt-get install", "dnf install", "brew install", "TEST_REDIS_URL"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the sentence does not mention %q: %v", part, err)
		}
	}
	if err := Install(t.Context(), nil); !errors.Is(err, ErrNotInstalled) { // there is no apt-get in PATH either
		t.Errorf("Install gives %v; want ErrNotInstalled", err)
	}
}

func TestInstallLeavesAnInstalledRedisAlone(t *testing.T) {
	var log strings.Builder
	if err := Install(t.Context(), &log); err != nil || log.Len() > 0 {
		t.Errorf("error %v; a program was run:\n%s", err, log.String())
	}
}

func started(t *testing.T) *Instance {
	t.Helper()
	server, err := Start(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// ask sends one command in the inline form of Redis and returns the first line of the
// answer.
func ask(t *testing.T, server *Instance, password, command string) string {
	t.Helper()
	connection, err := net.Dial("tcp", hostOf(server.URL()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprintf(connection, "AUTH %s\r\n%s\r\n", password, command)
	lines := bufio.NewScanner(connection)
	lines.Scan() // the answer to AUTH
	lines.Scan()
	return lines.Text()
}

func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Host
}

// startChild runs this test program as a process that owns a server.
func startChild(t *testing.T) (child *exec.Cmd, stdin io.Closer, address, dir string) {
	t.Helper()
	child = exec.Command(os.Args[0])
	child.Env = append(os.Environ(), leaveRunning+"=1")
	child.Stderr = os.Stderr
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill() }) // has ended already unless the test failed
	lines := bufio.NewScanner(stdout)
	for _, into := range []*string{&address, &dir} {
		if !lines.Scan() {
			t.Fatal("the child ended before its server was ready")
		}
		*into = lines.Text()
	}
	return child, stdin, address, dir
}

// isRemoved reports that nothing listens at the address and that the folder is removed.
func isRemoved(address, dir string) bool {
	connection, err := net.Dial("tcp", hostOf(address))
	if err == nil {
		connection.Close()
		return false
	}
	_, err = os.Stat(dir)
	return errors.Is(err, os.ErrNotExist)
}

// await polls a condition. Its limit only ends a test that has failed.
func await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	limit := time.After(time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !happened() {
		select {
		case <-limit:
			t.Fatalf("still waiting for %s", what)
		case <-tick.C:
		}
	}
}
