package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"trestle.example/internal/testserver/postgres"
)

// waitLimit bounds what a test waits for on a busy machine.
const waitLimit = time.Minute

func TestTheProgramServesUntilItIsStopped(t *testing.T) {
	t.Parallel()
	program := buildProgram(t)
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":     sqliteURL,
		"postgresql": func(t *testing.T) string { return postgres.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := database(t)
			for _, start := range []string{"cold", "warm"} {
				served := startProgram(t, program, url)
				if page := fetchPasted(t, served.curl); page.Count == 0 || len(page.Results) == 0 {
					t.Errorf("%s: the printed request finds nothing", start)
				}
				if told := strings.Contains(served.stderr.String(), "Seeded 200 patients, 600 appointments, 120 products and 4 users."); told != (start == "cold") {
					t.Errorf("%s: it says what it seeded: %t: %s", start, told, served.stderr)
				}
				if printed := strings.Contains(served.before, "admin@example.com"); printed != (start == "cold") {
					t.Errorf("%s: passwords are printed: %t", start, printed)
				}
				if err := served.cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				if err := served.wait(); err != nil {
					t.Errorf("%s: stopped by SIGTERM it ends with %v; want exit code 0: %s", start, err, served.stderr)
				}
				if token := regexp.MustCompile(`trs_\S+`).FindString(served.curl); strings.Contains(served.stderr.String(), strings.Trim(token, "'")) {
					t.Error("the log holds the token")
				}
			}
		})
	}
}

type page struct {
	Count   int
	Results []json.RawMessage
}

// fetchPasted does what a shell does with the printed line.
func fetchPasted(t *testing.T, curl string) page {
	t.Helper()
	parts := regexp.MustCompile(`^curl -H '([^:']+): ([^']+)' '([^']+)'$`).FindStringSubmatch(curl)
	if parts == nil {
		t.Fatalf("%q is not the request that was agreed", curl)
	}
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, parts[3], nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set(parts[1], parts[2])
	response, err := new(http.Client).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var p page
	if err := json.NewDecoder(response.Body).Decode(&p); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %s, %v", parts[3], response.Status, err)
	}
	return p
}

func TestASecondSignalEndsItAtOnce(t *testing.T) {
	t.Parallel()
	s := startProgram(t, buildProgram(t), sqliteURL(t))
	parts := regexp.MustCompile(`'(Authorization: .+)' 'http://([^/]+)/`).FindStringSubmatch(s.curl)
	connection, err := net.Dial("tcp", parts[2])
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	// A request without its body: "100 Continue" shows that the server waits for it.
	fmt.Fprintf(connection, "POST /api/patients/ HTTP/1.1\r\nHost: %s\r\n%s\r\nContent-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n",
		parts[2], parts[1])
	if line, err := bufio.NewReader(connection).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("the server answers %q, %v", line, err)
	}
	terminate := func() {
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	terminate()
	s.stderr.await(t, "msg=stopping")
	terminate()
	_ = s.wait()
	if status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ends with %s; want the signal", s.cmd.ProcessState)
	}
}

// next is the address with the next port.
func next(t *testing.T, addr string) string {
	t.Helper()
	at, err := netip.ParseAddrPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	return netip.AddrPortFrom(at.Addr(), at.Port()+1).String()
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	addr := taken.Addr().String()
	for name, test := range map[string]struct{ call, variable, says string }{
		"the flag":                   {"serve --migrate --seed --addr " + addr, "", "try --addr " + next(t, addr)},
		"the variable":               {"serve --migrate --seed", addr, "try TRESTLE_ADDR=" + next(t, addr)},
		"the flag, not the variable": {"serve --migrate --seed --addr " + addr, "127.0.0.1:0", "try --addr " + next(t, addr)},
	} {
		t.Run("chosen by "+name, func(t *testing.T) {
			t.Parallel()
			got := newRig(t, sqliteURL(t), "TRESTLE_ADDR="+test.variable).run(test.call)
			got.is(t, exitFailure, "the address "+addr+" is in use; "+test.says)
			if got.stdout != "" {
				t.Errorf("it prints passwords before it fails: %s", got.stdout)
			}
		})
	}
}
