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

// A book runs stages. Its folder has two files for each stage: the record, NAME.json, and the
// output, NAME.log.
type book struct {
	folder string
	// commit is the function commit, except in tests.
	commit func(context.Context) string
}

// A record is what a stage found.
type record struct {
	Commit  string        `json:"commit"`
	Command []string      `json:"command"`
	Proves  string        `json:"proves"` // what the stage was to prove when it ran
	Passed  bool          `json:"passed"`
	Took    time.Duration `json:"tookNanoseconds"`
	At      time.Time     `json:"at"`
	Figures []string      `json:"figures"`
}

// standsFor reports whether the record says that a stage has passed at a commit with its
// present command. It returns false if the stage must always run, or if commit is "".
func (r record) standsFor(s stage, commit string) bool {
	return !s.always && r.Passed && commit != "" && r.Commit == commit && slices.Equal(r.Command, s.command)
}

func openBook(folder string) (*book, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("making a folder for what the stages find: %w", err)
	}
	return &book{folder, commit}, nil
}

// commit returns the commit of the files. It returns "" if files were changed or added since,
// or if git returns an error.
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

// prove runs stages, and reports whether all have passed. Unless again is true, it skips each
// stage for which [record.standsFor] returns true. It returns false at once if ctx ends or a
// record cannot be written.
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
		if ctx.Err() != nil { // it was stopped, so there is no result
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

// run runs one stage. The output goes to a file and to progress.
func (b *book) run(ctx context.Context, s stage, progress io.Writer) record {
	began, before := time.Now(), b.commit(ctx)
	output, err := b.output(ctx, s, progress)
	r := record{Command: s.command, Proves: s.proves, Passed: err == nil, Took: time.Since(began), At: began.UTC()}
	if before == b.commit(ctx) { // else the commit or the files changed during the run
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

// output runs the command of a stage, and returns what it printed. It removes the record of the
// run before, and writes the log. It returns an error if a file cannot be changed, if the command
// fails, or if the output lacks the text that proves that the stage did its work.
func (b *book) output(ctx context.Context, s stage, progress io.Writer) (string, error) {
	// The old record is removed, because the log is overwritten and would not match it.
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

// read returns the record of a stage, or the zero record if there is none that can be read.
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

// table prints the records of stages. For a stage that has run, it prints what the stage was to
// prove at that time.
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

// cell returns the text of a cell of the table: the parts, with / for each |.
func cell(parts ...string) string { return strings.ReplaceAll(strings.Join(parts, "; "), "|", "/") }

// result returns the result of a stage in one or two words.
func (r record) result() string {
	switch {
	case r.At.IsZero():
		return "not run"
	case r.Passed:
		return "passed"
	}
	return "FAILED"
}

// place returns a text for the commit at which a stage was run, or "" if it was not run.
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
