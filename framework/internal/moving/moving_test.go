package moving_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"trestle.example/framework/internal/moving"
)

type word struct{}

func with(ctx context.Context, text string) context.Context {
	return context.WithValue(ctx, word{}, text)
}

// TestReplace: the context and those derived from it have the values, the deadline and the end of
// the context that replaced it.
func TestReplace(t *testing.T) {
	limited, cancel := context.WithTimeout(with(t.Context(), "before"), time.Hour)
	defer cancel()
	var at context.Context = moving.New(limited)
	derived := context.WithValue(at, "other", 1) //nolint:revive,staticcheck // any key will do
	if _, ok := derived.Deadline(); !ok || derived.Value(word{}) != "before" {
		t.Fatal("the context is not the one that it began as")
	}

	ending, end := context.WithCancelCause(with(t.Context(), "after"))
	moving.Replace(&at, ending)
	if _, ok := derived.Deadline(); ok || derived.Value(word{}) != "after" {
		t.Error("the context was not replaced")
	}
	if moving.Now(at) != ending {
		t.Error("Now is not the context that replaced the first")
	}
	cause := errors.New("a cause")
	end(cause)
	<-derived.Done()
	if !errors.Is(derived.Err(), context.Canceled) || !errors.Is(context.Cause(derived), cause) {
		t.Errorf("it ended with %v, by %v", derived.Err(), context.Cause(derived))
	}
}

// TestReplacePlain: a context of another type is replaced at its place.
func TestReplacePlain(t *testing.T) {
	at := with(t.Context(), "before")
	moving.Replace(&at, with(t.Context(), "after"))
	if at.Value(word{}) != "after" || moving.Now(at) != at {
		t.Error("the place has not the new context")
	}
}

// TestReplaceWhileRead: goroutines may read a context that is replaced; the race detector shows it.
func TestReplaceWhileRead(t *testing.T) {
	var at context.Context = moving.New(t.Context())
	read := at
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 1000 {
				_, _ = read.Deadline()
				if read.Done() == nil || read.Err() != nil {
					t.Error("the context ended")
				}
				read.Value(word{})
			}
		})
	}
	for range 1000 {
		moving.Replace(&at, with(t.Context(), "again"))
	}
	readers.Wait()
}
