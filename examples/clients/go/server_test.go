package client_test

import (
	"bufio"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A server is the real program, with demo data, until the test ends.
type server struct {
	url      string
	email    string // of a demo user who sees every record
	password string
}

// build makes the program of the checkout that this module lies in.
func build(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "trestle")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "./cmd/trestle")
	cmd.Dir = filepath.Join("..", "..", "..")
	if printed, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v: %s", err, printed)
	}
	return program
}

// start runs the program on a free port and reads what it prints: the demo's
// users, and last a request to try.
func start(t *testing.T, program, database string) server {
	t.Helper()
	cmd := exec.Command(program, "serve", "--migrate", "--seed", "--addr", "127.0.0.1:0")
	cmd.Env = []string{"DATABASE_URL=" + database}
	cmd.Stderr = t.Output()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // says that it was killed
	})
	var printed strings.Builder
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		printed.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(strings.TrimSpace(lines.Text()), "curl ") {
			break
		}
	}
	found := regexp.MustCompile(`(?s)(admin@\S+)\s+(\S+).*'(http://[^/]+)/`).FindStringSubmatch(printed.String())
	if found == nil {
		t.Fatalf("the program prints no user and no request to try: %q", printed.String())
	}
	return server{url: found[3], email: found[1], password: found[2]}
}

func sqlite(t *testing.T) string {
	t.Helper()
	return (&url.URL{Scheme: "sqlite", Path: filepath.Join(t.TempDir(), "demo.db")}).String()
}
