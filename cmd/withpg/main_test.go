//go:build unix

package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// asWithpg, set in a child process, makes this test program be withpg.
const asWithpg = "TRESTLE_TEST_AS_WITHPG"

func TestMain(m *testing.M) {
	if os.Getenv(asWithpg) != "" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stderr))
	}
	os.Exit(m.Run())
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args   []string
		want   int
		stderr string
	}{
		"the command's, when it succeeds":      {[]string{"--", "true"}, 0, ""},
		"the command's, when it fails":         {[]string{"--", "sh", "-c", "exit 7"}, 7, ""},
		"128 plus the signal that ended it":    {[]string{"--", "sh", "-c", "kill -TERM $$"}, 128 + 15, ""},
		"no such command":                      {[]string{"--", "no-such-command"}, exitNotFound, "no-such-command"},
		"no such file":                         {[]string{"--", "./no-such-file"}, exitNotFound, "no-such-file"},
		"a file that is no program":            {[]string{"--", "./main.go"}, exitCannotRun, "permission denied"},
		"no command":                           {nil, exitUsage, "usage: withpg"},
		"an unknown flag":                      {[]string{"--instal", "--", "true"}, exitUsage, "-instal"},
		"help":                                 {[]string{"--help"}, 0, "usage: withpg"},
		"the command's flags are its own":      {[]string{"--", "sh", "-c", "exit $#", "sh", "--install", "--help"}, 2, ""},
		"the two dashes may be left out":       {[]string{"sh", "-c", "exit 3"}, 3, ""},
		"install has nothing to do, and is ok": {[]string{"--install", "--", "true"}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, stderr := withpg("TEST_DATABASE_URL=postgres://somebody@localhost/db", test.args...)
			err := cmd.Run()
			if cmd.ProcessState == nil {
				t.Fatal(err)
			}
			if got := cmd.ProcessState.ExitCode(); got != test.want {
				t.Errorf("exit code %d; want %d", got, test.want)
			}
			if !strings.Contains(stderr.String(), test.stderr) || (test.stderr == "" && stderr.Len() > 0) {
				t.Errorf("standard error %q; want %q", stderr, test.stderr)
			}
		})
	}
}

func TestAServerOfYourOwnIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	const own = "postgres://somebody@localhost/db"
	cmd, _ := withpg("TEST_DATABASE_URL="+own, "--", "sh", "-c", "echo $TEST_DATABASE_URL")
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(output)); got != own {
		t.Errorf("the command sees %q; want %q", got, own)
	}
}

func TestTheServerLivesAsLongAsTheCommand(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script string
		end    func(t *testing.T, withpg *os.Process, stdin io.Closer)
		want   int
	}{
		"which ends by itself": {
			script: "echo $TEST_DATABASE_URL; cat; exit 5",
			end:    func(_ *testing.T, _ *os.Process, stdin io.Closer) { stdin.Close() },
			want:   5,
		},
		"which a signal ends": {
			script: "echo $TEST_DATABASE_URL; exec cat",
			end:    send(syscall.SIGTERM),
			want:   128 + 15,
		},
		"which cleans up after an interrupt": {
			script: "trap 'exit 9' INT; echo $TEST_DATABASE_URL; while :; do read line; done",
			end:    send(syscall.SIGINT),
			want:   9,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, stderr := withpg("TEST_DATABASE_URL=", "--", "sh", "-c", test.script)
			stdin, host := start(t, cmd)
			if !listens(host) {
				t.Errorf("nothing listens on %s while the command runs", host)
			}
			test.end(t, cmd.Process, stdin)
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != test.want {
				t.Errorf("exit code %d; want %d; standard error: %s", got, test.want, stderr)
			}
			if listens(host) {
				t.Errorf("the server still listens on %s", host)
			}
		})
	}
}

func TestVerboseShowsTheServer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		want bool
	}{
		"asked for": {[]string{"--verbose", "--", "true"}, true},
		"not asked": {[]string{"--", "true"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, stderr := withpg("TEST_DATABASE_URL=", test.args...)
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %s", err, stderr)
			}
			if got := strings.Contains(stderr.String(), "ready to accept connections"); got != test.want {
				t.Errorf("the server's log is shown: %t; want %t", got, test.want)
			}
		})
	}
}

// withpg is this program as a process of its own, with one variable set.
func withpg(variable string, args ...string) (*exec.Cmd, *strings.Builder) {
	var stderr strings.Builder
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asWithpg+"=1", variable)
	cmd.Stderr = &stderr
	return cmd, &stderr
}

// start runs withpg and reads the address that its command prints.
func start(t *testing.T, cmd *exec.Cmd) (stdin io.Closer, host string) {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close() })
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() {
		t.Fatalf("withpg ended before its command: %v: %s", cmd.Wait(), cmd.Stderr)
	}
	address, err := url.Parse(lines.Text())
	if err != nil {
		t.Fatal(err)
	}
	return stdin, address.Host
}

func send(sig syscall.Signal) func(*testing.T, *os.Process, io.Closer) {
	return func(t *testing.T, process *os.Process, _ io.Closer) {
		t.Helper()
		if err := process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
}

func listens(host string) bool {
	connection, err := net.Dial("tcp", host)
	if err != nil {
		return false
	}
	connection.Close()
	return true
}

func TestTemporaryFilesInMemory(t *testing.T) {
	t.Parallel()
	own := t.TempDir()
	for name, test := range map[string]struct {
		given    string
		inMemory bool
	}{
		"no folder of the caller's own": {"", hasMemory()},
		"a folder of the caller's own":  {own, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, _ := withpg("TEST_DATABASE_URL=", "--memory", "--", "sh", "-c", `echo "$TMPDIR"; ls "$TMPDIR"`)
			cmd.Env = append(cmd.Env, temporary+"="+test.given, buildTemporary+"=")
			output, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			folder, held, _ := strings.Cut(string(output), "\n")
			if got := memoryFolder != "" && strings.HasPrefix(folder, memoryFolder); got != test.inMemory {
				t.Errorf("temporary files are in %q; in memory: %t, want %t", folder, got, test.inMemory)
			}
			if test.inMemory && held == "" {
				t.Errorf("%s is empty; want the server's folder in it", folder)
			}
			if _, err := os.Stat(folder); test.inMemory != os.IsNotExist(err) {
				t.Errorf("afterwards the folder is there with the error %v; want it gone: %t", err, test.inMemory)
			}
		})
	}
}
