// Command prove runs the long proofs one after the other, and prints one table
// of what each found.
//
//	go run ./cmd/prove [--again] [--list] [--fuzz DURATION] [stage ...]
//
// A stage is a command. That it passed is written below .bin/prove with the
// commit it passed at, and so is what it printed: a run that was stopped goes on
// where it was. A stage that passed at this commit is not run again, unless
// --again is given, its command is another or files have been changed since. Only the
// audit always runs, because its result depends on the day.
// Stages that fail do not stop the others; the exit code is 1 if any failed, and
// 2 for a wrong call.
//
// A name may be the beginning of several: "fuzz" is all stages of fuzzing.
// What a stage measured stands in its output after the word FIGURE.
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

// run is main without the end of the process.
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

// named are the stages whose names begin so; all without a name.
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
