package mail

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestAMessageIsChecked(t *testing.T) {
	for _, c := range []struct {
		name string
		m    Message
		ok   bool
	}{
		{"a message", Message{"asha@example.com", "Hello", "Text\n"}, true},
		{"letters of any script", Message{"ашa@example.com", "Привет", "नमस्ते"}, true},
		{"no recipient", Message{"", "Hello", "Text"}, false},
		{"two recipients", Message{"a@example.com, b@example.com", "Hello", "Text"}, false},
		{"a recipient with a name", Message{"Asha <a@example.com>", "Hello", "Text"}, false},
		{"a recipient with a header", Message{"a@example.com\r\nBcc: b@example.com", "Hello", "Text"}, false},
		{"a subject with a header", Message{"a@example.com", "Hello\r\nBcc: b@example.com", "Text"}, false},
		{"no subject", Message{"a@example.com", "", "Text"}, false},
		{"a long subject", Message{"a@example.com", strings.Repeat("é", 201), "Text"}, false},
		{"no text", Message{"a@example.com", "Hello", ""}, false},
		{"a long text", Message{"a@example.com", "Hello", strings.Repeat("x", 1<<16+1)}, false},
		{"a text that is not UTF-8", Message{"a@example.com", "Hello", "\xff"}, false},
	} {
		if err := c.m.Check(); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrPermanent) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestLogWritesAMessage(t *testing.T) {
	var text bytes.Buffer
	l := Log{slog.New(slog.NewJSONHandler(&text, nil))}
	if err := l.Send(t.Context(), Message{"asha@example.com", "Hello", "https://shop.example.org/#abc"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"asha@example.com", "Hello", "https://shop.example.org/#abc"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the log lacks %s: %s", want, &text)
		}
	}
	if err := l.Send(t.Context(), Message{}); !errors.Is(err, ErrPermanent) {
		t.Errorf("an empty message: %v", err)
	}
}

// reported collects the errors of an outbox. Read it after Wait.
type reported []error

func (r *reported) add(err error) { *r = append(*r, err) }

func noPause(int) time.Duration { return 0 }

func wait(t *testing.T, b *Outbox) {
	t.Helper()
	if err := b.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAnOutboxTriesThreeTimes(t *testing.T) {
	for _, c := range []struct {
		name     string
		errors   []error // of the attempts
		runs     int
		reported int
	}{
		{"sent", []error{nil}, 1, 0},
		{"sent at the second attempt", []error{errors.New("busy"), nil}, 2, 0},
		{"never sent", []error{errors.New("1"), errors.New("2"), errors.New("3")}, 3, 1},
		{"rejected for good", []error{ErrPermanent}, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got reported
			runs := 0
			b := NewOutbox(OutboxOptions{Pause: noPause, Report: got.add})
			b.Put(func(context.Context) error { runs++; return c.errors[runs-1] })
			wait(t, b)
			if runs != c.runs || len(got) != c.reported {
				t.Errorf("%d runs, reported %v", runs, got)
			}
		})
	}
}

// TestAFailedJobDelaysNoOther: in the pause of a job that failed, the other jobs run. The outbox is
// not idle before the job has run again.
func TestAFailedJobDelaysNoOther(t *testing.T) {
	var order []string
	paused, release := make(chan struct{}), make(chan time.Duration)
	b := NewOutbox(OutboxOptions{Pause: func(int) time.Duration { close(paused); return <-release }})
	b.Put(func(context.Context) error {
		order = append(order, "first")
		if len(order) == 1 {
			return errors.New("busy")
		}
		return nil
	})
	<-paused
	sent := make(chan struct{})
	b.Put(func(context.Context) error { order = append(order, "second"); close(sent); return nil })
	<-sent
	if err := b.Wait(ended(t)); err == nil {
		t.Error("the outbox is idle, although a job pauses")
	}
	release <- 0
	wait(t, b)
	if got := strings.Join(order, " "); got != "first second first" {
		t.Errorf("the jobs ran in the order %s", got)
	}
}

// TestAPauseEndsWithTheOutbox: Close drops a job that pauses, and reports it.
func TestAPauseEndsWithTheOutbox(t *testing.T) {
	reports, paused := make(chan error, 1), make(chan struct{})
	b := NewOutbox(OutboxOptions{Pause: func(int) time.Duration { close(paused); return time.Hour }, Report: func(err error) { reports <- err }})
	b.Put(func(context.Context) error { return errors.New("busy") })
	<-paused
	if err := b.Close(ended(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("Close: %v", err)
	}
	if err := <-reports; !strings.Contains(err.Error(), "1 messages were not sent") {
		t.Errorf("reported: %v", err)
	}
	wait(t, b)
}

// ended is a context that has ended.
func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestAnOutboxKeepsTheOrderAndSurvivesAPanic(t *testing.T) {
	var got reported
	var order []int
	b := NewOutbox(OutboxOptions{Pause: noPause, Report: got.add})
	for i := range 5 {
		b.Put(func(context.Context) error {
			if i == 2 {
				panic("no mail today")
			}
			order = append(order, i)
			return nil
		})
	}
	wait(t, b)
	if len(order) != 4 || order[0] != 0 || order[3] != 4 || len(got) != 1 || !strings.Contains(got[0].Error(), "no mail today") {
		t.Errorf("order %v, reported %v", order, got)
	}
}

func TestAFullOutboxRejects(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	b := NewOutbox(OutboxOptions{Depth: 1})
	b.Put(func(context.Context) error { close(started); <-release; return nil })
	<-started
	if !b.Put(func(context.Context) error { return nil }) {
		t.Error("the first that waits was rejected")
	}
	if b.Put(func(context.Context) error { return nil }) {
		t.Error("a second one may wait")
	}
	close(release)
	wait(t, b)
}

// TestAClosedOutbox: Close ends the job that runs, drops those that wait, and reports them.
func TestAClosedOutbox(t *testing.T) {
	reports := make(chan error, 2)
	started := make(chan struct{})
	b := NewOutbox(OutboxOptions{Report: func(err error) { reports <- err }})
	b.Put(func(ctx context.Context) error { close(started); <-ctx.Done(); return ctx.Err() })
	<-started
	b.Put(func(context.Context) error { t.Error("a dropped job ran"); return nil })
	if err := b.Close(ended(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("Close: %v", err)
	}
	if err := <-reports; !errors.Is(err, context.Canceled) {
		t.Errorf("the job that ran: %v", err)
	}
	if err := <-reports; !strings.Contains(err.Error(), "1 messages were not sent") {
		t.Errorf("the job that waited: %v", err)
	}
	if b.Put(func(context.Context) error { return nil }) {
		t.Error("a closed outbox takes a job")
	}
}
