// Command prove runs the long proofs one after the other, and prints one table
// of what each found.
//
//	go run ./cmd/prove [--again] [--list] [--fuzz DURATION] [stage ...]
//
// A stage is a command. prove writes its result, the commit and its output below
// .bin/prove. So a new run continues where a stopped run ended: a stage that passed at
// this commit is not run again, unless --again is given, or its command or a file has
// changed since. Only the audit always runs, because its result depends on the day.
// Stages that fail do not stop the others. The exit code is 1 if a stage failed, if the
// run was stopped, or if a result cannot be written. It is 2 for a wrong call, and
// outside the project's folder.
//
// The argument stage is the beginning of one or more names: "fuzz" selects all stages of
// fuzzing. A stage prints what it measured after the word FIGURE.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// run does the work of main, and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("prove", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: prove [--again] [--list] [--fuzz DURATION] [stage ...]")
		flags.PrintDefaults()
	}
	again := flags.Bool("again", false, "run what passed at this commit too")
	list := flags.Bool("list", false, "print the stages, and run none")
	fuzzing := flags.Duration("fuzz", fuzzFor, "how long each fuzz test runs")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil {
		return exitUsage
	}
	all, err := stages(*fuzzing)
	if err == nil {
		all, err = named(all, flags.Args())
	}
	if err != nil {
		fmt.Fprintln(stderr, "prove:", err)
		return exitUsage
	}
	if *list {
		for _, s := range all {
			fmt.Fprintf(stdout, "%-28s %s\n", s.name, s.proves)
		}
		return exitOK
	}
	b, err := openBook(".bin/prove")
	if err != nil {
		fmt.Fprintln(stderr, "prove:", err)
		return exitFailed
	}
	passed := b.prove(ctx, all, *again, stderr)
	b.table(context.WithoutCancel(ctx), all, stdout)
	if !passed {
		return exitFailed
	}
	return exitOK
}

// named returns the stages whose names begin with one of the names, or all without a name. A
// name that selects no stage is an error.
func named(all []stage, names []string) ([]stage, error) {
	if len(names) == 0 {
		return all, nil
	}
	var some []stage
	taken := map[string]bool{}
	for _, name := range names {
		found := false
		for _, s := range all {
			if !strings.HasPrefix(s.name, name) {
				continue
			}
			if found = true; !taken[s.name] {
				taken[s.name] = true
				some = append(some, s)
			}
		}
		if !found {
			return nil, fmt.Errorf("no stage is called %q; --list prints them", name)
		}
	}
	return some, nil
}
