package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// An instance is a server of the real program at an address of its own, which
// may be stopped and started again.
type instance struct {
	t        *testing.T
	command  []string
	env      []string
	address  string
	watching string // the address of its metrics, "" for none
	log      string // a file, which may get long
	cmd      *exec.Cmd
	ended    chan struct{}
	err      error // how it ended; read after ended
}

// newInstance starts nothing yet. What stands before the program, such as
// taskset, runs it.
func newInstance(t *testing.T, address string, before, env []string) *instance {
	t.Helper()
	command := append(append([]string{}, before...), buildProgram(t), "serve", "--addr", address)
	i := &instance{t: t, command: command, env: env, address: address, log: filepath.Join(t.TempDir(), "log")}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of what the server at %s logged: %s", address, i.said())
		}
	})
	return i
}

// begin starts the server, and returns when it is ready.
func (i *instance) begin() {
	i.t.Helper()
	log, err := os.OpenFile(i.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		i.t.Fatal(err)
	}
	defer log.Close()
	cmd, ended := exec.Command(i.command[0], i.command[1:]...), make(chan struct{})
	cmd.Env, cmd.Stderr = i.env, log
	if err := cmd.Start(); err != nil {
		i.t.Fatal(err)
	}
	i.cmd, i.ended = cmd, ended
	i.t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	go func() {
		i.err = cmd.Wait()
		close(ended)
	}()
	untilSo(i.t, "the server is ready", func() bool {
		select {
		case <-ended:
			i.t.Fatalf("the server does not start: %v", i.err)
		default:
		}
		return healthOf(i.address, "/readyz") == http.StatusOK
	})
}

// stop ends the server by SIGTERM, and checks that it ends without an error.
func (i *instance) stop() {
	i.t.Helper()
	if err := i.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		i.t.Fatal(err)
	}
	select {
	case <-i.ended:
	case <-time.After(waitLimit):
		i.t.Fatalf("the server at %s still runs %s after SIGTERM", i.address, waitLimit)
	}
	if i.err != nil {
		i.t.Errorf("stopped by SIGTERM the server at %s ends with %v; want exit code 0", i.address, i.err)
	}
}

// said is the end of what it logged.
func (i *instance) said() string {
	text, err := os.ReadFile(i.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4000):])
}

// untilSo calls a function until it returns true.
func untilSo(t *testing.T, what string, so func() bool) {
	t.Helper()
	limit, tick := time.After(waitLimit), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("after %s it is still not so that %s", waitLimit, what)
		}
	}
}

// healthOf is the status of a probe, which comes by a connection of its own, as
// they do; 0 is no answer in five seconds.
func healthOf(address, path string) int {
	probe := wire{address: address}
	defer probe.close()
	got, err := probe.send([]byte("GET "+path+" HTTP/1.1\r\nHost: "+address+"\r\nConnection: close\r\n\r\n"), 5*time.Second)
	if err != nil {
		return 0
	}
	return got.status
}

// memory is what the process has of the machine's, in MiB; 0 where that cannot
// be known.
func (i *instance) memory() float64 {
	text, _ := os.ReadFile(i.proc("status"))
	_, after, _ := strings.Cut(string(text), "VmRSS:")
	kib, _ := strconv.ParseFloat(strings.TrimSpace(strings.SplitN(after, "kB", 2)[0]), 64)
	return kib / 1024
}

// files is how many are open; 0 where that cannot be known.
func (i *instance) files() float64 {
	all, _ := os.ReadDir(i.proc("fd"))
	return float64(len(all))
}

// clients is how many connections its clients keep open; 0 where that cannot be known.
func (i *instance) clients() (n float64) {
	_, port, _ := net.SplitHostPort(i.address)
	number, _ := strconv.Atoi(port)
	table, _ := os.ReadFile(i.proc("net/tcp"))
	for line := range strings.Lines(string(table)) { // sl local_address rem_address st ...
		const established = "01"
		if fields := strings.Fields(line); len(fields) > 3 && strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", number)) && fields[3] == established {
			n++
		}
	}
	return n
}

// proc is a file about the process, where the system is Linux.
func (i *instance) proc(name string) string {
	return filepath.Join("/proc", strconv.Itoa(i.cmd.Process.Pid), name)
}

// peak samples a number until the function is called that returns the highest.
func peak(t *testing.T, sample func() float64) (end func() float64) {
	t.Helper()
	var highest float64
	var done sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	done.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			highest = max(highest, sample())
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return func() float64 { cancel(); done.Wait(); return highest }
}

// metrics returns the metrics of the server, without those that have labels.
func (i *instance) metrics() map[string]float64 {
	i.t.Helper()
	client := &http.Client{Timeout: waitLimit, Transport: &http.Transport{DisableKeepAlives: true}}
	got, err := client.Get("http://" + i.watching + "/metrics")
	if err != nil {
		i.t.Fatal(err)
	}
	defer got.Body.Close()
	all := map[string]float64{}
	for lines := bufio.NewScanner(io.LimitReader(got.Body, 16<<20)); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), " ")
		if value, err := strconv.ParseFloat(text, 64); err == nil {
			all[name] = value
		}
	}
	if got.StatusCode != http.StatusOK || all["go_goroutines"] == 0 {
		i.t.Fatalf("the metrics are answered with %d, and %d of them", got.StatusCode, len(all))
	}
	return all
}
