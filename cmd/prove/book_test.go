//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newBook is one at a commit that the test may change.
func newBook(t *testing.T) (b *book, at *string) {
	t.Helper()
	b, err := openBook(filepath.Join(t.TempDir(), "proofs"))
	if err != nil {
		t.Fatal(err)
	}
	now := "0123456789abcdef"
	b.commit = func(context.Context) string { return now }
	return b, &now
}

// shell is a stage that writes its name down, and does something else.
func shell(t *testing.T, diary, name, script string) stage {
	t.Helper()
	return stage{name: name, proves: "that it runs", command: []string{"sh", "-c", "echo " + name + " >>" + diary + "; " + script}}
}

// runs are the stages that ran, in their order.
func runs(t *testing.T, diary string) []string {
	t.Helper()
	text, err := os.ReadFile(diary)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

func TestAStoppedRunGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(at *string, all []stage)
		again  bool
		want   string // what runs the second time
	}{
		"what passed is not run again":     {func(*string, []stage) {}, false, "bad"},
		"unless it is asked for":           {func(*string, []stage) {}, true, "good bad last"},
		"or there is another commit":       {func(at *string, _ []stage) { *at = "fedcba9876543210" }, false, "good bad last"},
		"or files have been changed":       {func(at *string, _ []stage) { *at = "" }, false, "good bad last"},
		"or its command is another":        {func(_ *string, all []stage) { all[0].command = append(all[0].command, "x") }, false, "good bad"},
		"or it is another every day":       {func(_ *string, all []stage) { all[2].always = true }, false, "bad last"},
		"and what failed may pass by then": {func(_ *string, all []stage) { all[1].command[2] += "; true" }, false, "bad"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, at := newBook(t)
			diary := filepath.Join(t.TempDir(), "diary")
			all := []stage{shell(t, diary, "good", "true"), shell(t, diary, "bad", "false"), shell(t, diary, "last", "true")}
			if b.prove(t.Context(), all, false, io.Discard) {
				t.Error("a stage fails, and all is said to have passed")
			}
			if got := runs(t, diary); !slices.Equal(got, []string{"good", "bad", "last"}) {
				t.Fatalf("at first %v run; want all, whichever fails", got)
			}
			test.change(at, all)
			passed := b.prove(t.Context(), all, test.again, io.Discard)
			if got := strings.Join(runs(t, diary)[3:], " "); got != test.want {
				t.Errorf("then %q run; want %q", got, test.want)
			}
			if want := strings.HasSuffix(all[1].command[2], "; true"); passed != want {
				t.Errorf("all passed: %v; want %v", passed, want)
			}
		})
	}
}

func TestWhatAStageFinds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script, sees string
		passed       bool
		figures      []string
	}{
		"figures":                       {"echo '  a_test.go:1: FIGURE p99: 3 ms (bound 5 ms)'; echo FIGURE 2 of 2 >&2", "", true, []string{"p99: 3 ms (bound 5 ms)", "2 of 2"}},
		"a failure, with its figures":   {"echo FIGURE lost: 1; exit 3", "", false, []string{"exit status 3", "lost: 1"}},
		"nothing":                       {"echo well", "", true, nil},
		"what it is for":                {"echo '--- PASS: TestX (0.1s)'", "--- PASS: TestX (", true, nil},
		"no test to run":                {"echo ok", "--- PASS: TestX (", false, []string{`it proved nothing: its output does not say "--- PASS: TestX ("`}},
		"a test that was skipped":       {"echo '--- SKIP: TestX (0.1s)'", "--- PASS: TestX (", false, []string{`it proved nothing: its output does not say "--- PASS: TestX ("`}},
		"a command that is not there":   {"", "", false, nil},
		"a figure is no part of a word": {"echo CONFIGURE it; echo DISFIGURE it", "", true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newBook(t)
			s := stage{name: "one", proves: "what it is for", command: []string{"sh", "-c", test.script}, sees: test.sees}
			if test.script == "" {
				s.command = []string{filepath.Join(b.folder, "none")}
			}
			var shown bytes.Buffer
			if passed := b.prove(t.Context(), []stage{s}, false, &shown); passed != test.passed {
				t.Errorf("it passed: %v; want %v", passed, test.passed)
			}
			r := b.read(s)
			if r.Passed != test.passed || r.Proves != s.proves || test.script != "" && !slices.Equal(r.Figures, test.figures) {
				t.Errorf("the record is %+v", r)
			}
			log, err := os.ReadFile(filepath.Join(b.folder, "one.log"))
			if err != nil || !strings.HasSuffix(shown.String(), string(log)) {
				t.Errorf("the log is %q, %v; shown was %q", log, err, shown.String())
			}
		})
	}
}

// TestFilesThatChangeMeanwhile: what was found then is of no commit, so that it
// does not stand for one.
func TestFilesThatChangeMeanwhile(t *testing.T) {
	t.Parallel()
	b, at := newBook(t)
	asked := 0
	b.commit = func(context.Context) string {
		if asked++; asked > 2 { // whether it has passed already, and before it runs
			*at = ""
		}
		return *at
	}
	s := stage{name: "one", command: []string{"true"}}
	if !b.prove(t.Context(), []stage{s}, false, io.Discard) {
		t.Error("it does not pass")
	}
	if r := b.read(s); !r.Passed || r.Commit != "" {
		t.Errorf("the record is %+v; want no commit", r)
	}
}

// TestAStoppedStageSaysNothing, and what it started ends with it.
func TestAStoppedStageSaysNothing(t *testing.T) {
	t.Parallel()
	b, _ := newBook(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	shown := &firstLine{seen: make(chan struct{})}
	all := []stage{
		{name: "one", command: []string{"sh", "-c", "sleep 600 & echo $!; wait"}},
		{name: "two", command: []string{"sh", "-c", "echo two"}},
	}
	done := make(chan bool)
	go func() { done <- b.prove(ctx, all, false, shown) }()
	<-shown.seen
	stop()
	if <-done {
		t.Error("it is said to have passed")
	}
	for _, s := range all {
		if r := b.read(s); !r.At.IsZero() {
			t.Errorf("of %s there is the record %+v", s.name, r)
		}
	}
	pid, err := strconv.Atoi(strings.TrimSpace(shown.line))
	if err != nil {
		t.Fatal(err)
	}
	limit, tick := time.After(time.Minute), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for syscall.Kill(pid, 0) == nil && !isZombie(pid) {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("process %d, which the stage started, still runs", pid)
		}
	}
}

// isZombie reports whether a process has ended, and its parent has not read its status.
func isZombie(pid int) bool {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, state, _ := strings.Cut(string(text), ") ")
	return err == nil && strings.HasPrefix(state, "Z")
}

// firstLine keeps the first line of a stage.
type firstLine struct {
	line string
	seen chan struct{}
}

func (f *firstLine) Write(p []byte) (int, error) {
	if !bytes.HasPrefix(p, []byte("== ")) && f.line == "" {
		f.line = string(p)
		close(f.seen)
	}
	return len(p), nil
}

func TestTable(t *testing.T) {
	t.Parallel()
	b, _ := newBook(t)
	at := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	now := b.commit(t.Context())
	all := []stage{
		{name: "new", proves: "a"}, {name: "passed", proves: "b"}, {name: "failed", proves: "c"}, {name: "changed", proves: "d"}, {name: "broken", proves: "e"},
		{name: "shorter", proves: "half an hour"},
	}
	for name, r := range map[string]record{
		"passed":  {Commit: now, Proves: "b", Passed: true, Took: 61 * time.Second, At: at, Figures: []string{"1 | 2", "3"}},
		"failed":  {Commit: "fedcba9876543210", Took: time.Hour, At: at, Figures: []string{"exit status 1"}},
		"changed": {Passed: true, At: at},
		"shorter": {Commit: now, Proves: "half an hour, but with TRESTLE_SOAK=1m|s", Passed: true, At: at},
	} {
		if err := b.write(stage{name: name}, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(b.file(stage{name: "broken"}), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	b.table(t.Context(), all, &got)
	const want = `| stage | proves | result | took | at |
|---|---|---|---:|---|
| new | a | not run |  |  |
| passed | b | passed; 1 / 2; 3 | 1m1s | this commit |
| failed | not written down | FAILED; exit status 1 | 1h0m0s | fedcba9876 |
| changed | not written down | passed | 0s | changed files |
| broken | e | not run |  |  |
| shorter | half an hour, but with TRESTLE_SOAK=1m/s | passed | 0s | this commit |
`
	if got.String() != want {
		t.Errorf("the table is\n%s\nwant\n%s", got.String(), want)
	}
}
