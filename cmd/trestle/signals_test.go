package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"trestle.example/internal/testserver/selfsigned"
)

// TestADeadLogReader: what reads the server's output ends, as head does after a
// line. The server goes on, answers, and drains when it gets a signal.
func TestADeadLogReader(t *testing.T) {
	t.Parallel()
	program := buildProgram(t)
	for name, reads := range map[string]struct{ out, err bool }{
		"of the log": {false, true}, "of the results": {true, false}, "of both, as 2>&1 | head -1": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			taken, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			at := taken.Addr().String()
			_ = taken.Close()
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(program, "serve", "--migrate", "--seed", "--addr", at)
			cmd.Env = []string{"DATABASE_URL=" + sqliteURL(t)}
			if reads.out {
				cmd.Stdout = writer
			}
			if reads.err {
				cmd.Stderr = writer
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			_ = writer.Close()
			if _, err := bufio.NewReader(reader).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			_ = reader.Close()
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			for ready := false; !ready; { // its log cannot be read
				select {
				case err := <-ended:
					t.Fatalf("the server ends with %v", err)
				case <-time.After(20 * time.Millisecond):
				}
				answer, err := http.Get("http://" + at + "/readyz")
				if ready = err == nil && answer.StatusCode == http.StatusOK; err == nil {
					_ = answer.Body.Close()
				}
			}
			for range 5 { // each writes a line of the log
				visit(t, "http://"+at, nil).send(t, "GET /api/", "").is(t, http.StatusOK)
				visit(t, "http://"+at, nil).send(t, "POST /api/auth/login", `{"email": "nobody@example.com", "password": "something"}`).is(t, http.StatusUnauthorized)
			}
			answers := underWay(t, at)
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			answers()
			if err := <-ended; err != nil {
				t.Errorf("stopped by SIGTERM it ends with %v; want exit code 0", err)
			}
		})
	}
}

// TestOtherCommandsEndWithTheirReader, quietly, as programs do in a pipe.
func TestOtherCommandsEndWithTheirReader(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = reader.Close()
	var said strings.Builder
	cmd := exec.Command(buildProgram(t), "openapi")
	cmd.Stdout, cmd.Stderr = writer, &said
	err = cmd.Run()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGPIPE || said.String() != "" {
		t.Errorf("it ends with %v and says %q; want SIGPIPE and nothing", err, said.String())
	}
}

// underWay begins a request, whose end the function sends: it must be answered.
func underWay(t *testing.T, at string) (finish func()) {
	t.Helper()
	connection, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	const body = `{"email": "nobody@example.com", "password": "something"}`
	fmt.Fprintf(connection, "POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n", len(body))
	lines := bufio.NewReader(connection)
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("the server answers %q, %v", line, err)
	}
	return func() {
		t.Helper()
		_, _ = io.WriteString(connection, body)
		if text, err := io.ReadAll(lines); err != nil || !strings.Contains(string(text), "invalid_credentials") {
			t.Errorf("the request under way is answered %q, %v", text, err)
		}
	}
}

// TestSIGHUPReloadsTheCertificate at once. A certificate that cannot be used is
// logged, and the one before stays. Requests under way are not disturbed.
func TestSIGHUPReloadsTheCertificate(t *testing.T) {
	t.Parallel()
	files := selfsigned.NewFiles(t)
	s := startProgram(t, buildProgram(t), sqliteURL(t), files.Env()...)
	at := strings.TrimPrefix(s.base(t), "https://")
	serial := func() int64 {
		t.Helper()
		connection, err := tls.Dial("tcp", at, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		return connection.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	now := time.Now()
	second, secondKey := selfsigned.Make(t, 2, now.Add(-time.Hour), now.Add(time.Hour))
	third, thirdKey := selfsigned.Make(t, 3, now.Add(-time.Hour), now.Add(time.Hour))
	for i, step := range []struct {
		cert, key []byte
		says      string
		times     int // how often the log has said so by then
		want      int64
	}{
		{second, secondKey, "the renewed TLS certificate is in use", 1, 2},
		{third, secondKey, "the certificate before stays", 1, 2},
		{second, secondKey, "the renewed TLS certificate is in use", 2, 2},
		{third, thirdKey, "the renewed TLS certificate is in use", 3, 3},
	} {
		files.Write(t, step.cert, step.key)
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		s.stderr.find(regexp.MustCompile(fmt.Sprintf(`(?s)(%s.*){%d}`, regexp.QuoteMeta(step.says), step.times)))
		if got := serial(); got != step.want {
			t.Errorf("step %d: the serial number is %d; want %d", i+1, got, step.want)
		}
	}
	s.stop(t)
}

// TestSIGHUPEndsNothing: without a certificate there is nothing to reload.
func TestSIGHUPEndsNothing(t *testing.T) {
	t.Parallel()
	s := startProgram(t, buildProgram(t), sqliteURL(t))
	answers := underWay(t, strings.TrimPrefix(s.base(t), "http://"))
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	s.stderr.await(t, "SIGHUP")
	answers()
	visit(t, s.base(t), nil).send(t, "GET /api/", "").is(t, http.StatusOK)
	s.stop(t)
}
