package main

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework/sqldb"
)

// apart gives core 1 to this process, which makes the load, and core 0 to the
// database; what it returns stands before the command of a server for core 0,
// too. Where that cannot be it says so, which is no proof, and they share the machine.
func apart(t *testing.T, db *sqldb.DB, address string) (before []string) {
	t.Helper()
	if _, err := exec.LookPath("taskset"); err != nil || runtime.NumCPU() < 2 {
		figure(t, false, "load and server share the machine: it has %d cores, taskset: %v", runtime.NumCPU(), err)
		return nil
	}
	if err := keepTo(t, os.Getpid(), "1"); err != nil {
		figure(t, false, "load and server share the machine: %v", err)
		return nil
	}
	ungroup(t)
	threads := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(threads) })
	if db.Kind() == sqldb.SQLite { // the server does its work
		return []string{"taskset", "-c", "0"}
	}
	of, err := postgresOf(t, db, address)
	for _, pid := range of {
		if err == nil {
			err = keepTo(t, pid, "0")
		}
	}
	if err != nil {
		figure(t, false, "PostgreSQL has the whole machine: %v", err)
	}
	return []string{"taskset", "-c", "0"}
}

// ungroup lets the kernel of Linux share a core among processes, not among sessions of
// processes, until the test ends. Each connection's process of PostgreSQL is a session
// of its own, and beside others on one core some of them then stood still for half a
// second. As services, which have groups by themselves, they do not.
func ungroup(t *testing.T) {
	t.Helper()
	const setting = "/proc/sys/kernel/sched_autogroup_enabled"
	if was, err := os.ReadFile(setting); err != nil || strings.TrimSpace(string(was)) != "1" {
		return
	}
	if err := os.WriteFile(setting, []byte("0"), 0); err != nil {
		figure(t, false, "processes share the core by sessions, so that some statements stand still for long: %v", err)
		return
	}
	t.Cleanup(func() { _ = os.WriteFile(setting, []byte("1"), 0) })
}

// keepTo keeps a process to a core until the test ends.
func keepTo(t *testing.T, pid int, core string) error {
	t.Helper()
	number := strconv.Itoa(pid)
	said, err := exec.Command("taskset", "-cp", number).Output() // pid 7's current affinity list: 0,1
	if err != nil {
		return fmt.Errorf("asking where process %d may run: %w", pid, err)
	}
	_, before, _ := strings.Cut(string(said), ": ")
	if said, err := exec.Command("taskset", "-acp", core, number).CombinedOutput(); err != nil {
		return fmt.Errorf("keeping process %d to core %s: %w: %s", pid, core, err, said)
	}
	t.Cleanup(func() { _ = exec.Command("taskset", "-acp", strings.TrimSpace(before), number).Run() }) // it may have ended
	return nil
}

// postgresOf are the processes of the server of a database, if it is on this
// machine: the first is that which makes the others.
func postgresOf(t *testing.T, db *sqldb.DB, address string) ([]int, error) {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if host := parsed.Hostname(); host != "127.0.0.1" && host != "localhost" {
		return nil, fmt.Errorf("it is at %s", host)
	}
	var pid int
	if err := db.NewRaw("SELECT pg_backend_pid()").Scan(t.Context(), &pid); err != nil {
		return nil, err
	}
	first := parentOf(pid)
	name, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(first), "comm"))
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(string(name)) != "postgres" {
		return nil, fmt.Errorf("process %d, which made that of this connection, is %q", first, name)
	}
	all := []int{first}
	entries, err := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, wrong := strconv.Atoi(e.Name()); wrong == nil && parentOf(pid) == first {
			all = append(all, pid)
		}
	}
	return all, err
}

// parentOf is the process that made another; 0 where that cannot be known.
func parentOf(pid int) int {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, after, _ := strings.Cut(string(text), ") ") // pid (name) state parent ...
	if fields := strings.Fields(after); len(fields) > 1 {
		parent, _ := strconv.Atoi(fields[1])
		return parent
	}
	return 0
}
