package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// An outcome is the result of a suite.
type outcome struct {
	passed, failed, skipped int      // of the tests that use the database
	failures                []string // the names of all tests that failed
	ended                   error    // the error with which go test ended, or nil
}

func (o *outcome) held() bool { return o.ended == nil && o.failed == 0 && o.passed > 0 }

// An event is a line of go test -json, as far as it matters here.
type event struct {
	Action  string `json:"Action"`
	Package string `json:"Package"`
	Test    string `json:"Test"`
	Output  string `json:"Output"`
}

// ofDatabase is the end of the name of a subtest that uses PostgreSQL.
const ofDatabase = "/postgresql"

// read counts the results that go test reports, and prints the output of tests that fail.
func read(events io.Reader, stderr io.Writer) (*outcome, error) {
	o := &outcome{}
	printed := map[string][]string{} // by package and test, until the test ends
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if len(line) > 0 {
			if err := json.Unmarshal(line, &e); err != nil {
				return nil, fmt.Errorf("go test -json printed %q: %w", line, err)
			}
			o.add(e, printed, stderr)
		}
		if errors.Is(err, io.EOF) {
			return o, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (o *outcome) add(e event, printed map[string][]string, stderr io.Writer) {
	counts, test := strings.HasSuffix(e.Test, ofDatabase), e.Package+" "+e.Test
	switch e.Action {
	case "output":
		printed[test] = append(printed[test], e.Output)
		return
	case "pass":
		o.passed += one(counts)
	case "skip":
		o.skipped += one(counts)
	case "fail":
		o.failed += one(counts)
		if e.Test != "" {
			o.failures = append(o.failures, e.Test)
		}
		fmt.Fprint(stderr, strings.Join(printed[test], ""))
	default:
		return
	}
	delete(printed, test)
}

func one(counts bool) int {
	if counts {
		return 1
	}
	return 0
}

// omitIdle removes the suites without a test that a pattern selects, unless no suite has one.
func omitIdle(outcomes map[string]*outcome) {
	isIdle := func(_ string, o *outcome) bool { return o.ended == nil && o.passed == 0 && o.failed == 0 }
	busy := maps.Clone(outcomes)
	maps.DeleteFunc(busy, isIdle)
	if len(busy) > 0 {
		maps.DeleteFunc(outcomes, isIdle)
	}
}

// report prints the table of the suites, the tests that failed, and those that were left out. It
// returns false if a suite did not hold.
func report(w io.Writer, outcomes map[string]*outcome, left []leftOut) (held bool, err error) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SUITE\tHELD\tFAILED\tSKIPPED")
	var failures []string
	held = true
	for _, s := range suites() {
		o, ran := outcomes[s.name]
		if !ran {
			continue
		}
		held = held && o.held()
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\n", s.name, o.passed, o.failed, o.skipped)
		failures = append(failures, o.failures...)
		if len(o.failures) == 0 && !o.held() {
			failures = append(failures, fmt.Sprintf("%s: %v", s.name, cmp.Or(o.ended, errNothingRun)))
		}
	}
	if err := table.Flush(); err != nil {
		return false, err
	}
	for _, name := range slices.Compact(failures) {
		fmt.Fprintf(w, "failed: %s\n", name)
	}
	for _, l := range left {
		fmt.Fprintf(w, "left out: %s: %s\n", l.tests, l.why)
	}
	return held, nil
}

var errNothingRun = errors.New("no test used the database")
