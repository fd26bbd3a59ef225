// Command withpg runs another command beside a PostgreSQL server that lives
// only as long as that command.
//
//	go run ./cmd/withpg [--install] [--memory] [--verbose] -- command [argument ...]
//
// If TEST_DATABASE_URL is set, withpg starts no server, and the command uses the one
// that the variable names. If it is not set, withpg starts a private, temporary cluster
// and sets TEST_DATABASE_URL for the command. With --install it first installs programs
// that the tests need and the machine lacks (as root, with apt-get), and shows what the
// installer prints: PostgreSQL unless TEST_DATABASE_URL is set, Redis unless
// TEST_REDIS_URL is set, a browser unless TEST_BROWSER is set, pgbouncer, Node.js, Django,
// Caddy, HAProxy, nginx and Prometheus. If PostgreSQL or Redis cannot be installed, withpg ends;
// any other program that cannot be installed is only reported. With --memory the temporary
// files of the server and of the command are in memory, on Linux, unless TMPDIR is set or
// /dev/shm has less than 8 GiB free: tests run faster, and measurements say nothing about
// a disk. With --verbose it shows the server's log.
//
// SIGINT, SIGTERM, SIGHUP and SIGQUIT end the start of the server, or reach the command.
// The server stops after the command. The exit code is the command's, 128 plus the
// signal's number if a signal ended it, 125 if withpg itself failed, 126 if the command
// cannot be run, 127 if there is no such command, and 2 for a wrong call.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"trestle.example/internal/testserver/chromium"
	"trestle.example/internal/testserver/django"
	"trestle.example/internal/testserver/nodejs"
	"trestle.example/internal/testserver/pgbouncer"
	"trestle.example/internal/testserver/postgres"
	"trestle.example/internal/testserver/redis"
	"trestle.example/internal/testserver/tool"
)

const (
	exitUsage     = 2
	exitFailed    = 125
	exitCannotRun = 126
	exitNotFound  = 127
	exitSignal    = 128
)

const (
	// variable names the variable with the URL of the server.
	variable = "TEST_DATABASE_URL"
	// redisVariable names the variable with the URL of a Redis of the caller's own.
	redisVariable = "TEST_REDIS_URL"
	// browserVariable names the variable with a browser of the caller's own.
	browserVariable = "TEST_BROWSER"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stderr))
}

// run does the work of main, and returns the exit code.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("withpg", flag.ContinueOnError)
	flags.SetOutput(stderr)
	install := flags.Bool("install", false, "install PostgreSQL, Redis, pgbouncer, Chromium, Node.js, Django, Caddy, HAProxy, nginx and Prometheus first if they are missing (as root, with apt-get)")
	memory := flags.Bool("memory", false, "keep temporary files in memory, if TMPDIR is not set and /dev/shm has 8 GiB free")
	verbose := flags.Bool("verbose", false, "show what the server logs")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: withpg [--install] [--memory] [--verbose] -- command [argument ...]")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return exitUsage
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return exitUsage
	}
	if *memory {
		defer useMemory(stderr)()
	}
	log := io.Discard
	if *verbose {
		log = stderr
	}
	return withServer(ctx, options{install: *install, log: log, stderr: stderr}, flags.Args())
}

type options struct {
	install     bool
	log, stderr io.Writer
}

func withServer(ctx context.Context, o options, command []string) int {
	// From here on a signal must not end this process before its command.
	signals := catch()
	defer signals.stop()

	// A signal also ends the start of the server. A signal that comes after the start
	// is passed on to the command.
	starting, cancel := signal.NotifyContext(ctx, requestsToEnd()...)
	cluster, err := prepare(starting, o)
	cancel()
	if err != nil {
		fmt.Fprintln(o.stderr, "withpg:", err)
		return exitFailed
	}
	if cluster == nil {
		return runCommand(command, os.Getenv(variable), signals, o.stderr)
	}
	code := runCommand(command, cluster.URL(), signals, o.stderr)
	if err := cluster.Stop(); err != nil {
		fmt.Fprintln(o.stderr, "withpg: stopping PostgreSQL:", err)
		if code == 0 {
			code = exitFailed
		}
	}
	return code
}

// prepare installs the requested programs, and starts a cluster. If TEST_DATABASE_URL is set,
// it starts none and returns nil.
func prepare(ctx context.Context, o options) (*postgres.Cluster, error) {
	if o.install {
		if err := installBeside(ctx, o.stderr); err != nil {
			return nil, err
		}
	}
	if given(variable) {
		return nil, nil
	}
	if o.install {
		if err := postgres.Install(ctx, o.stderr); err != nil {
			return nil, err
		}
	}
	return postgres.Start(ctx, o.log)
}

// installBeside installs the programs that tests start themselves. It returns an error only if
// Redis cannot be installed, because tests cannot do without it. It prints other errors.
func installBeside(ctx context.Context, stderr io.Writer) error {
	if !given(redisVariable) {
		if err := redis.Install(ctx, stderr); err != nil {
			return err
		}
	}
	others := []func(context.Context, io.Writer) error{django.Install, nodejs.Install, pgbouncer.Install, installTools}
	if !given(browserVariable) {
		others = append(others, chromium.Install)
	}
	for _, install := range others {
		if err := install(ctx, stderr); err != nil {
			fmt.Fprintln(stderr, "withpg:", err)
		}
	}
	return nil
}

// installTools installs the proxies and Prometheus with its promtool.
func installTools(ctx context.Context, stderr io.Writer) error {
	return tool.Install(ctx, stderr, tool.Caddy, tool.Curl, tool.HAProxy, tool.Nginx, tool.Prometheus, tool.Promtool)
}

func given(variable string) bool { return strings.TrimSpace(os.Getenv(variable)) != "" }

// runCommand runs the command with the URL of the server, and returns its exit code.
func runCommand(command []string, address string, signals *signals, stderr io.Writer) int {
	cmd := exec.Command(command[0], command[1:]...) //nolint:noctx // signals end it
	cmd.Env = append(os.Environ(), variable+"="+address)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(stderr, "withpg:", err)
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			return exitNotFound
		}
		return exitCannotRun
	}
	defer signals.forwardTo(cmd.Process)()

	var failed *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &failed) {
		fmt.Fprintln(stderr, "withpg: waiting for the command:", err)
		return exitFailed
	}
	return exitCode(cmd.ProcessState)
}
