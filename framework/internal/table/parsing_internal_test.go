package table

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/fair"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// TestParseWaits: a large body waits for at most 2 s, and a panic releases its slot.
func TestParseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &Registry{parsing: fair.New(fair.Options{Slots: 1, Timeout: parseWait, Depth: parseQueue})}
		of := func(caller string) *call.Call {
			return &call.Call{Context: fair.With(t.Context(), fair.Client{Caller: caller, Address: caller})}
		}
		large := make([]byte, SmallBody+1)
		ran := func() { t.Error("a body is parsed without a slot") }
		func() {
			defer func() { _ = recover() }()
			_ = a.Parse(of("ada"), large, func() { panic("a type of the program's own") })
		}()
		err := a.Parse(of("ada"), large, func() {
			began := time.Now()
			err := a.Parse(of("ben"), large, ran)
			if e := access.AsError(err); e.Code != problem.CodeOverloaded || !errors.Is(err, ErrParsing) || sqldb.IsOverloaded(err) {
				t.Errorf("a body that waits too long is answered with %v", err)
			}
			if took := time.Since(began); took != parseWait {
				t.Errorf("it waits for %s; want %s", took, parseWait)
			}
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			if err := a.Parse(&call.Call{Context: gone}, large, ran); !errors.Is(err, context.Canceled) {
				t.Errorf("a client that disconnected: %v", err)
			}
			small := false
			if err := a.Parse(of("ben"), large[:SmallBody], func() { small = true }); err != nil || !small {
				t.Errorf("a small body: %v", err)
			}
		})
		if err != nil {
			t.Errorf("a large body after a panic: %v", err)
		}
		if s := a.parsing.Stats(); s.Used != 0 || s.Waiting != 0 {
			t.Errorf("%+v; want no slot held", s)
		}
	})
}
