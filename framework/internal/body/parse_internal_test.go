package body

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

const parseWait = 2 * time.Second

// TestParseWaits: a large body waits for at most 2 s, and a panic releases its slot.
func TestParseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &table.Registry{Parsing: fair.New(fair.Options{Slots: 1, Timeout: parseWait, Depth: 16})}
		of := func(caller string) *call.Call {
			return &call.Call{Context: fair.With(t.Context(), fair.Client{Caller: caller, Address: caller})}
		}
		large := make([]byte, table.SmallBody+1)
		ran := func() { t.Error("a body is parsed without a slot") }
		func() {
			defer func() { _ = recover() }()
			_ = Parse(a, of("ada"), large, func() { panic("a type of the program's own") })
		}()
		err := Parse(a, of("ada"), large, func() {
			began := time.Now()
			err := Parse(a, of("ben"), large, ran)
			if e := access.AsError(err); e.Code != problem.CodeOverloaded || !errors.Is(err, ErrParsing) || sqldb.IsOverloaded(err) {
				t.Errorf("a body that waits too long is answered with %v", err)
			}
			if took := time.Since(began); took != parseWait {
				t.Errorf("it waits for %s; want %s", took, parseWait)
			}
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			if err := Parse(a, &call.Call{Context: gone}, large, ran); !errors.Is(err, context.Canceled) {
				t.Errorf("a client that disconnected: %v", err)
			}
			small := false
			if err := Parse(a, of("ben"), large[:table.SmallBody], func() { small = true }); err != nil || !small {
				t.Errorf("a small body: %v", err)
			}
		})
		if err != nil {
			t.Errorf("a large body after a panic: %v", err)
		}
		if s := a.Parsing.Stats(); s.Used != 0 || s.Waiting != 0 {
			t.Errorf("%+v; want no slot held", s)
		}
	})
}
