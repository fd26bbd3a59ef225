//go:build unix

package postgres

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"
)

// leaveRunning, set in a child process, makes it start a cluster, print the address and
// the folder, and wait to be killed.
const leaveRunning = "TRESTLE_TEST_LEAVE_CLUSTER_RUNNING"

func TestMain(m *testing.M) {
	if os.Getenv(leaveRunning) == "" {
		os.Exit(m.Run())
	}
	cluster, err := Start(context.Background(), nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, cluster.URL())
	fmt.Fprintln(os.Stdout, cluster.dir)
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0) // without Stop: the end of the process must be enough
}

func TestAClusterIsPrivate(t *testing.T) {
	t.Parallel()
	cluster := startCluster(t)
	for what, query := range map[string]struct{ sql, want string }{
		"listens on loopback only":            {"SHOW listen_addresses", "127.0.0.1"},
		"has no socket in a folder":           {"SHOW unix_socket_directories", ""},
		"hashes passwords":                    {"SHOW password_encryption", "scram-sha-256"},
		"speaks UTF-8":                        {"SHOW server_encoding", "UTF8"},
		"keeps time in UTC":                   {"SHOW timezone", "UTC"},
		"sorts text by its bytes":             {"SELECT string_agg(v, '' ORDER BY v) FROM (VALUES ('a'), ('B'), ('é'), ('C')) t(v)", "BCaé"},
		"flushes nothing to disk":             {"SHOW fsync", "off"},
		"takes many connections":              {"SHOW max_connections", "200"},
		"trusts no client without a password": {"SELECT count(*) FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256'", "0"},
		"is at least version 15":              {"SELECT current_setting('server_version_num')::int >= 150000", "true"},
	} {
		t.Run(what, func(t *testing.T) {
			if got := queryText(t, cluster.URL(), query.sql); got != query.want {
				t.Errorf("%s gives %q; want %q", query.sql, got, query.want)
			}
		})
	}
	t.Run("rejects a wrong password", func(t *testing.T) {
		address := mustParse(t, cluster.URL())
		address.User = url.UserPassword("postgres", "guess")
		if err := ping(address.String()); err == nil {
			t.Error("the server accepted a password that is not its own")
		}
	})
	t.Run("keeps its folder to itself", func(t *testing.T) {
		info, err := os.Stat(cluster.dir)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o700 {
			t.Errorf("the folder's mode is %o; want 700", mode)
		}
	})
}

func TestStopEndsTheServerAndRemovesItsFolder(t *testing.T) {
	t.Parallel()
	cluster := startCluster(t)
	client := open(t, cluster.URL())
	connection, err := client.Conn(t.Context()) // a connected client does not delay Stop
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()

	for call := range 2 {
		if err := cluster.Stop(); err != nil {
			t.Fatalf("call %d of Stop: %v", call+1, err)
		}
	}
	if !isRemoved(cluster.URL(), cluster.dir) {
		t.Error("after Stop the server still answers or its folder is still there")
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
			if err := ping(address); err != nil {
				t.Fatalf("the child's server does not answer: %v", err)
			}
			if err := end(child, stdin); err != nil {
				t.Fatal(err)
			}
			_ = child.Wait() // it is killed, so it returns an error
			await(t, "the server and its folder to be gone", func() bool { return isRemoved(address, dir) })
		})
	}
}

func TestAServerThatWasKilledLeavesNoFolder(t *testing.T) {
	t.Parallel()
	cluster := startCluster(t)
	content, err := os.ReadFile(filepath.Join(cluster.dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.SplitN(string(content), "\n", 2)[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, "the server to be gone", func() bool { return ping(cluster.URL()) != nil })
	_ = cluster.Stop() // may return an error because the server has ended
	if !isRemoved(cluster.URL(), cluster.dir) {
		t.Error("the server's folder is still there")
	}
}

func TestStartHonoursItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, nil); err == nil {
		t.Error("Start with a context that has ended returned no error")
	}
}

func TestStartLogsTheMessagesOfTheServer(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	cluster, err := Start(t.Context(), &log)
	if err != nil {
		t.Fatal(err)
	}
	if err := ping(cluster.URL()); err != nil {
		t.Error(err)
	}
	if err := cluster.Stop(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "ready to accept connections") {
		t.Errorf("the log does not state that the server is ready:\n%s", log.String())
	}
}

func TestAServerThatCannotStartReturnsTheReason(t *testing.T) {
	t.Parallel()
	bin, err := findBinaries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	occupied, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer occupied.Close()

	port := occupied.Addr().(*net.TCPAddr).Port
	_, err = launch(t.Context(), bin, port, "secret", io.Discard)
	if err == nil || !strings.Contains(err.Error(), "Address already in use") {
		t.Errorf("starting on an occupied port gives %v; want the message of PostgreSQL", err)
	}
}

func startCluster(t *testing.T) *Cluster {
	t.Helper()
	cluster, err := Start(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Stop(); err != nil {
			t.Error(err)
		}
	})
	return cluster
}

// startChild runs this test program as a process that owns a cluster.
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
	parsed, err := url.Parse(address)
	if err != nil {
		return false
	}
	connection, err := net.Dial("tcp", parsed.Host)
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

func open(t *testing.T, address string) *sql.DB {
	t.Helper()
	db := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(address)))
	t.Cleanup(func() { db.Close() })
	return db
}

func ping(address string) error {
	db := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(address)))
	defer db.Close()
	return db.Ping()
}

func queryText(t *testing.T, address, query string) string {
	t.Helper()
	var text string
	if err := open(t, address).QueryRowContext(t.Context(), query).Scan(&text); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return text
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
