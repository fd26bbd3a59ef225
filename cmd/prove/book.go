package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A book has what each stage found, in a file of each.
type book struct {
	folder string
	// commit returns the commit that the files have, or "" if they have changes.
	commit func(context.Context) string
}

// A record is what a stage found.
type record struct {
	Commit  string        `json:"commit"`
	Command []string      `json:"command"`
	Proves  string        `json:"proves"` // what was to be proved when it ran
	Passed  bool          `json:"passed"`
	Took    time.Duration `json:"tookNanoseconds"`
	At      time.Time     `json:"at"`
	Figures []string      `json:"figures"`
}

// standsFor reports whether it says that a stage has passed at a commit, as it
// would be run now.
func (r record) standsFor(s stage, commit string) bool {
	return !s.always && r.Passed && commit != "" && r.Commit == commit && slices.Equal(r.Command, s.command)
}

func openBook(folder string) (*book, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("making a folder for what the stages find: %w", err)
	}
	return &book{folder, commit}, nil
}

// commit is that of the files, "" if they have been changed since or there is
// none.
func commit(ctx context.Context) string {
	changed, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--untracked-files=all").Output()
	if err != nil || len(changed) > 0 {
		return ""
	}
	name, err := exec.CommandContext(ctx, "git", "rev-parse", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}

// prove runs stages, and reports whether all have passed.
func (b *book) prove(ctx context.Context, all []stage, again bool, progress io.Writer) bool {
	passed := true
	for _, s := range all {
		if ctx.Err() != nil {
			return false
		}
		if !again && b.read(s).standsFor(s, b.commit(ctx)) {
			fmt.Fprintf(progress, "== %s passed before, at this commit\n", s.name)
			continue
		}
		fmt.Fprintf(progress, "== %s: %s\n", s.name, s.proves)
		r := b.run(ctx, s, progress)
		if ctx.Err() != nil { // it was stopped, which says nothing of it
			return false
		}
		passed = passed && r.Passed
		if err := b.write(s, r); err != nil {
			fmt.Fprintln(progress, "prove:", err)
			return false
		}
	}
	return passed
}

var figure = regexp.MustCompile(`\bFIGURE (.+)`)

// run runs one stage; what it prints goes to a file and to progress.
func (b *book) run(ctx context.Context, s stage, progress io.Writer) record {
	began, before := time.Now(), b.commit(ctx)
	output, err := b.output(ctx, s, progress)
	r := record{Command: s.command, Proves: s.proves, Passed: err == nil, Took: time.Since(began), At: began.UTC()}
	if before == b.commit(ctx) { // else it was of no one commit
		r.Commit = before
	}
	if err != nil {
		r.Figures = append(r.Figures, err.Error())
	}
	for _, match := range figure.FindAllStringSubmatch(output, -1) {
		r.Figures = append(r.Figures, strings.TrimSpace(match[1]))
	}
	return r
}

// output runs the command of a stage, and returns what it printed. A stage that
// did not do what it is for has failed, whatever its command says.
func (b *book) output(ctx context.Context, s stage, progress io.Writer) (string, error) {
	// The record of before goes: it is not of what is in the log from here on.
	if err := os.Remove(b.file(s)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	log, err := os.Create(filepath.Join(b.folder, s.name+".log"))
	if err != nil {
		return "", err
	}
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
	cmd.Stdout = io.MultiWriter(&output, log, progress)
	cmd.Stderr = cmd.Stdout
	endAll(cmd)
	cmd.WaitDelay = time.Minute
	err = errors.Join(cmd.Run(), log.Close())
	if err == nil && !strings.Contains(output.String(), s.sees) {
		err = fmt.Errorf("it proved nothing: its output does not say %q", s.sees)
	}
	return output.String(), err
}

func (b *book) file(s stage) string { return filepath.Join(b.folder, s.name+".json") }

// read is what is known of a stage, the zero record if that is nothing.
func (b *book) read(s stage) (r record) {
	text, err := os.ReadFile(b.file(s))
	if err != nil || json.Unmarshal(text, &r) != nil {
		return record{}
	}
	return r
}

func (b *book) write(s stage, r record) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(b.file(s), append(text, '\n'), 0o644)
}

// table prints what is known of stages: of those that have run, what was to be
// proved then.
func (b *book) table(ctx context.Context, all []stage, w io.Writer) {
	now := b.commit(ctx)
	fmt.Fprintln(w, "| stage | proves | result | took | at |\n|---|---|---|---:|---|")
	for _, s := range all {
		r := b.read(s)
		proves, took := s.proves, ""
		if !r.At.IsZero() {
			proves, took = cmp.Or(r.Proves, "not written down"), r.Took.Round(time.Second).String()
		}
		result := cell(append([]string{r.result()}, r.Figures...)...)
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", s.name, cell(proves), result, took, r.place(now))
	}
}

// cell is what stands in a place of the table.
func cell(parts ...string) string { return strings.ReplaceAll(strings.Join(parts, "; "), "|", "/") }

// result says in a word or two what became of a stage.
func (r record) result() string {
	switch {
	case r.At.IsZero():
		return "not run"
	case r.Passed:
		return "passed"
	}
	return "FAILED"
}

// place says at which commit a stage was run.
func (r record) place(now string) string {
	switch {
	case r.At.IsZero():
		return ""
	case r.Commit == "":
		return "changed files"
	case r.Commit == now:
		return "this commit"
	}
	return r.Commit[:min(len(r.Commit), 10)]
}
