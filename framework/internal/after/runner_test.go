package after_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"trestle.example/framework/internal/after"
)

type name struct{}

// TestClose: the end of a server waits for functions as long as it has time, then ends their
// context. A function that has not begun by then does not run, and the log says so.
func TestClose(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name   string
		limit  context.Context
		closed error
		ran    string
		logged string
	}{
		{"there is time", t.Context(), nil, "first of ada, second of ada", ""},
		{"there is none", over, context.Canceled, "first of ada, ended", "functions=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			var ran []string
			r := after.NewRunner(slog.New(slog.NewTextHandler(&log, nil)))
			begun, finish := make(chan bool), make(chan bool)
			request, answered := context.WithCancel(context.WithValue(t.Context(), name{}, "ada"))
			r.Start(request, "7", func(ctx context.Context) error {
				close(begun)
				ran = append(ran, "first of "+ctx.Value(name{}).(string))
				select {
				case <-finish:
				case <-ctx.Done():
					ran = append(ran, "ended")
				}
				return nil
			}, func(ctx context.Context) error {
				ran = append(ran, "second of "+ctx.Value(name{}).(string))
				return nil
			})
			answered()
			<-begun
			if c.closed == nil {
				close(finish)
			}
			if err := r.Close(c.limit); !errors.Is(err, c.closed) {
				t.Errorf("Close returned %v, want %v", err, c.closed)
			}
			if err := r.Close(t.Context()); err != nil { // waits for the function whose context ended
				t.Error(err)
			}
			if got := strings.Join(ran, ", "); got != c.ran {
				t.Errorf("ran %q, want %q", got, c.ran)
			}
			if !strings.Contains(log.String(), c.logged) || (c.logged == "") != (log.Len() == 0) {
				t.Errorf("the log is %q, want %q", log.String(), c.logged)
			}
		})
	}
}

// TestStartAfterClose: nothing runs any more.
func TestStartAfterClose(t *testing.T) {
	var log bytes.Buffer
	r := after.NewRunner(slog.New(slog.NewTextHandler(&log, nil)))
	r.Start(t.Context(), "6")
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Start(t.Context(), "7", func(context.Context) error { t.Error("it ran"); return nil })
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := log.String(); !strings.Contains(got, "did not run") || !strings.Contains(got, "id=7") || strings.Contains(got, "id=6") {
		t.Errorf("the log is %q", got)
	}
}
