package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"trestle.example/framework/program"
	"trestle.example/internal/testserver/pty"
)

// A typist types an answer whenever a question appears.
type typist struct {
	bytes.Buffer

	keyboard io.Writer
	answers  []string
	question string // the end of one
}

func (y *typist) Write(text []byte) (int, error) {
	n, err := y.Buffer.Write(text)
	if strings.HasSuffix(string(text), y.question) && len(y.answers) > 0 {
		_, err = io.WriteString(y.keyboard, y.answers[0]+"\n")
		y.answers = y.answers[1:]
	}
	return n, err
}

func TestThePasswordIsAskedForTwiceAndNotShown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answers []string
		code    int
		says    string
	}{
		"alike":     {[]string{"correct horse", "correct horse"}, exitOK, "Created the superuser"},
		"different": {[]string{"correct horse", "correct house"}, exitFailure, "the two passwords differ"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, sqliteURL(t))
			r.ok("migrate up")
			keyboard, screen := pty.Open(t)
			stderr := &typist{keyboard: keyboard, answers: test.answers, question: ": "}
			var stdout bytes.Buffer
			code := program.Run(context.Background(), trestle(), []string{"createsuperuser", "--email", "a@example.com"}, r.env, screen, &stdout, stderr)
			result{code, stdout.String(), stderr.String()}.is(t, test.code, "Password: \r\nPassword again: \r\n", test.says)
			screen.Close()
			if shown, _ := io.ReadAll(keyboard); bytes.Contains(shown, []byte("horse")) {
				t.Errorf("the terminal shows what is typed: %q", shown)
			}
		})
	}
}

func TestUndoingAsksAtATerminal(t *testing.T) {
	t.Parallel()
	for answer, says := range map[string]string{"yes": "Undid application/", "Y": "Undid application/", "n": "Nothing was changed", "": "Nothing was changed"} {
		t.Run("answered "+answer, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, sqliteURL(t))
			r.ok("migrate up")
			keyboard, screen := pty.Open(t)
			stderr := &typist{keyboard: keyboard, answers: []string{answer}, question: "[y/N] "}
			code := program.Run(context.Background(), trestle(), []string{"migrate", "down"}, r.env, screen, io.Discard, stderr)
			result{code: code, stderr: stderr.String()}.is(t, exitOK, "and lose its data?", says)
		})
	}
}

func TestReindexShowsItsProgressAtATerminal(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.ok("seed --patients 3 --appointments 3 --products 3")
		keyboard, screen := pty.Open(t)
		code := program.Run(t.Context(), trestle(), []string{"reindex"}, r.env, strings.NewReader(""), io.Discard, screen)
		screen.Close()
		shown, _ := io.ReadAll(keyboard)
		if code != exitOK || !bytes.Contains(shown, []byte("\rReindexing patients [##############################] 100%")) {
			t.Errorf("exit code %d, it shows %q; want the bar", code, shown)
		}
	})
}

func TestAnInterruptEndsAQuestion(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(keyboard io.Writer, signal func()){
		"a signal":       func(_ io.Writer, signal func()) { signal() },
		"Ctrl-C, typed":  func(keyboard io.Writer, _ func()) { _, _ = io.WriteString(keyboard, "\x03") },
		"the end, typed": func(keyboard io.Writer, _ func()) { _, _ = io.WriteString(keyboard, "\x04") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, sqliteURL(t))
			r.ok("migrate up")
			keyboard, screen := pty.Open(t)
			before, err := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS)
			if err != nil {
				t.Fatal(err)
			}
			ctx, signal := context.WithCancel(t.Context())
			defer signal()
			stderr := &interrupter{question: "Password: ", interrupt: func() { end(keyboard, signal) }}
			code := program.Run(ctx, trestle(), []string{"createsuperuser", "--email", "a@example.com"}, r.env, screen, io.Discard, stderr)
			result{code: code, stderr: stderr.text()}.is(t, exitFailure, "interrupted")
			after, err := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS)
			if err != nil || *after != *before {
				t.Errorf("the terminal is left in another state, %v", err)
			}
		})
	}
}

// An interrupter interrupts a prompt. The program may still be writing it then.
type interrupter struct {
	bytes.Buffer

	mu        sync.Mutex
	question  string
	interrupt func()
}

func (i *interrupter) Write(text []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if strings.HasSuffix(string(text), i.question) {
		i.interrupt()
	}
	return i.Buffer.Write(text)
}

func (i *interrupter) text() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.String()
}
