// Command conformance runs the tests of the services by HTTP against one database
// that speaks PostgreSQL's protocol, and prints what held.
//
//	DATABASE_URL=postgres://user:password@host:5432/postgres go run ./cmd/conformance [pattern]
//
// The user must be allowed to create databases: each test has one of its own,
// which is dropped when it ends. TRESTLE_PREPARE=off sends statements unprepared,
// for poolers that give a connection to each transaction. The pattern selects tests, as
// that of go test -run does.
//
// Some tests are left out; the report names them and the reasons. The exit code is 0 if
// all held, 1 if a test failed or a suite ran no test that uses the database, and 2 for a
// wrong call. With a pattern, one suite with such a test is enough.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

const (
	exitFailed = 1
	exitUsage  = 2
)

// A suite is a package, or a pattern of several, whose tests send requests by HTTP.
type suite struct{ name, path string }

// suites returns the suites of the services, with their names in the table.
func suites() []suite {
	return []suite{{"identity and access", "./resources"}, {"clinic", "./resources/clinic"}, {"store", "./resources/store/..."}}
}

// A leftOut is a group of tests that are not run, and why.
type leftOut struct{ tests, why string }

// leftOuts returns the tests that are left out, such as those that do not test requests by
// HTTP, or hold on one database only. Without prepared statements there is one group more.
func leftOuts(prepared bool) []leftOut {
	all := []leftOut{
		{"TestIndexesServe", "they read the plans of PostgreSQL's own planner"},
		{"Fuzz", "they try how requests are read, and know each statement of PostgreSQL and SQLite"},
		{"TestSeed", "they are about the demo data, not about requests"},
		{"TestReplica|TestTwoProcessesThroughAPooler", "they start servers of their own"},
		{".*/sqlite", "the database is not that one"},
	}
	if !prepared {
		all = append(all, leftOut{
			"TestNothingOfARequestIsInAStatement|TestTextsOfStatements|TestHostileCatalogue|TestCanary", "without prepared statements values are quoted into the text, hashes of passwords among them",
		})
	}
	return all
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Getenv("DATABASE_URL"), os.Getenv("TRESTLE_PREPARE") != "off", os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, database string, prepared bool, stdout, stderr io.Writer) int {
	if len(args) > 1 || !strings.HasPrefix(database, "postgres://") && !strings.HasPrefix(database, "postgresql://") {
		fmt.Fprintln(stderr, "usage: DATABASE_URL=postgres://user:password@host:5432/postgres conformance [pattern]")
		return exitUsage
	}
	outcomes := map[string]*outcome{}
	for _, s := range suites() {
		fmt.Fprintf(stderr, "running %s, %s\n", s.name, s.path)
		o, err := test(ctx, s, args, database, prepared, stderr)
		if err != nil {
			fmt.Fprintf(stderr, "conformance: %v\n", err)
			return exitFailed
		}
		outcomes[s.name] = o
	}
	if len(args) > 0 {
		omitIdle(outcomes)
	}
	held, err := report(stdout, outcomes, leftOuts(prepared))
	if err != nil || !held {
		return exitFailed
	}
	return 0
}

// test runs a suite with TEST_DATABASE_URL set.
func test(ctx context.Context, s suite, args []string, database string, prepared bool, stderr io.Writer) (*outcome, error) {
	var skipped []string
	for _, l := range leftOuts(prepared) {
		skipped = append(skipped, l.tests)
	}
	call := []string{"test", "-count=1", "-json", "-timeout=60m", "-skip", strings.Join(skipped, "|")}
	if len(args) > 0 {
		call = append(call, "-run", args[0])
	}
	cmd := exec.CommandContext(ctx, "go", append(call, s.path)...)
	cmd.Env = append(os.Environ(), "TEST_DATABASE_URL="+database)
	if !prepared {
		cmd.Env = append(cmd.Env, "TEST_PREPARE=off")
	}
	cmd.Stderr = stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	o, err := read(events, stderr)
	if err != nil {
		return nil, err
	}
	o.ended = cmd.Wait() // not nil if a test failed, which the report has
	return o, nil
}
