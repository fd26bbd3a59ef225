package share

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"trestle.example/framework/internal/fair"
)

// TestRoundsWait: rounds of members that wait for a slot, in fake time. A goroutine that
// is left at the end of a test fails it.
func TestRoundsWait(t *testing.T) {
	const timeout = time.Second
	type answer struct {
		err  error
		took time.Duration
		over atomic.Bool
	}
	type setup struct {
		*testing.T
		s      *Group[*int64]
		slots  *fair.Queue
		runs   atomic.Int64
		runErr error
		length time.Duration // of a run
		panics bool
	}
	request := func(ctx context.Context, name string) context.Context {
		return fair.With(ctx, fair.Client{Caller: name, Address: name})
	}
	ask := func(x *setup, ctx context.Context) *answer {
		a := &answer{}
		go func() {
			began := time.Now()
			_, a.err = x.s.Do(ctx, Key{}, "", func(ctx context.Context, _ []string) (*int64, error) {
				if x.runs.Add(1); x.panics {
					panic("of a read")
				}
				select {
				case <-time.After(x.length):
					return new(int64), x.runErr
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			})
			a.took = time.Since(began)
			a.over.Store(true)
		}()
		synctest.Wait()
		return a
	}
	sleep := func(d time.Duration) {
		<-time.After(d)
		synctest.Wait()
	}
	check := func(x *setup, what string, a *answer, err error, took time.Duration) {
		x.Helper()
		if !a.over.Load() || !errors.Is(a.err, err) || a.took != took {
			x.Errorf("%s: over %v, %v after %s; want %v after %s", what, a.over.Load(), a.err, a.took, err, took)
		}
	}
	for name, test := range map[string]func(x *setup){
		"a member whose time is over leaves the others their answer": func(x *setup) {
			holder := x.slots.Enter(fair.Client{})
			first := request(x.Context(), "ada")
			fair.Waited(first, timeout*3/4)
			ada, ben := ask(x, first), ask(x, request(x.Context(), "ben"))
			sleep(timeout / 2)
			check(x, "the first member", ada, fair.ErrOverloaded, timeout/4)
			holder.End()
			sleep(x.length)
			check(x, "the second member", ben, nil, timeout/2+x.length)
			if n := x.runs.Load(); n != 1 {
				x.Errorf("%d run; want one", n)
			}
		},
		"a member whose context ends leaves the others their answer": func(x *setup) {
			holder := x.slots.Enter(fair.Client{})
			ctx, cancel := context.WithCancel(x.Context())
			ada, ben := ask(x, request(ctx, "ada")), ask(x, request(x.Context(), "ben"))
			cancel()
			synctest.Wait()
			check(x, "the first member", ada, context.Canceled, 0)
			holder.End()
			sleep(x.length)
			check(x, "the second member", ben, nil, x.length)
		},
		"a round that all members left waits for no slot": func(x *setup) {
			holder := x.slots.Enter(fair.Client{})
			ctx, cancel := context.WithCancel(x.Context())
			ada, ben := ask(x, request(ctx, "ada")), ask(x, request(x.Context(), "ben"))
			cancel()
			sleep(timeout)
			check(x, "the first member", ada, context.Canceled, 0)
			check(x, "the second member", ben, fair.ErrOverloaded, timeout)
			if s := x.slots.Stats(); s.Waiting != 0 {
				x.Errorf("%+v; want that none waits", s)
			}
			holder.End()
			if n := x.runs.Load(); n != 0 {
				x.Errorf("%d run; want none", n)
			}
		},
		"a round that all members leave as it begins ends its execution": func(x *setup) {
			holder := x.slots.Enter(fair.Client{})
			ctx, cancel := context.WithCancel(x.Context())
			ada := ask(x, request(ctx, "ada"))
			holder.End()
			cancel()
			synctest.Wait()
			check(x, "the member", ada, context.Canceled, 0)
		},
		"the last member that leaves ends the execution": func(x *setup) {
			holder := x.slots.Enter(fair.Client{})
			ctx, cancel := context.WithCancel(x.Context())
			ada, ben := ask(x, request(ctx, "ada")), ask(x, request(ctx, "ben"))
			holder.End()
			synctest.Wait()
			if s := x.slots.Stats(); s.Used != 1 {
				x.Errorf("%+v; want one that runs", s)
			}
			cancel()
			synctest.Wait()
			check(x, "the first member", ada, context.Canceled, 0)
			check(x, "the second member", ben, context.Canceled, 0)
		},
		"a round waits for the slots of the members that are left": func(x *setup) {
			greedy := x.slots.Enter(fair.Client{Caller: "greedy", Address: "greedy"}) // which may hold one slot
			defer greedy.End()
			program := ask(x, x.Context())
			ctx, cancel := context.WithCancel(x.Context())
			polite, gone := ask(x, request(x.Context(), "polite")), ask(x, request(ctx, "greedy"))
			cancel()
			sleep(x.length)
			check(x, "the execution before", program, nil, x.length)
			check(x, "the member that leaves", gone, context.Canceled, 0)
			sleep(x.length)
			check(x, "the member that is left", polite, nil, 2*x.length)
		},
		"a round that is shed": func(x *setup) {
			x.slots = fair.New(fair.Options{Slots: 1, Timeout: timeout, Depth: 2})
			x.s.slots = x.slots
			holder := x.slots.Enter(fair.Client{})
			waits := x.slots.Enter(fair.Client{Caller: "greedy", Address: "greedy"})
			round := []*answer{ask(x, request(x.Context(), "greedy")), ask(x, request(x.Context(), "greedy"))}
			sleep(1)
			polite := x.slots.Enter(fair.Client{Caller: "polite", Address: "polite"})
			synctest.Wait()
			for _, a := range round {
				check(x, "a member", a, fair.ErrOverloaded, 1)
			}
			for _, turn := range []*fair.Turn{holder, waits, polite} {
				turn.End()
			}
		},
		"a round is not shed for one of its clients": func(x *setup) {
			x.slots = fair.New(fair.Options{Slots: 1, Timeout: timeout, Depth: 3})
			x.s.slots = x.slots
			holder := x.slots.Enter(fair.Client{})
			waits := x.slots.Enter(fair.Client{Caller: "greedy", Address: "greedy"})
			polite, greedy := ask(x, request(x.Context(), "polite")), ask(x, request(x.Context(), "greedy"))
			other := x.slots.Enter(fair.Client{Caller: "other", Address: "other"})
			for _, turn := range []*fair.Turn{waits, other, holder} {
				turn.End()
			}
			sleep(x.length)
			check(x, "the polite member", polite, nil, x.length)
			check(x, "the greedy member", greedy, nil, x.length)
		},
		"a read that comes when the queue is full shares a round that waits": func(x *setup) {
			x.slots = fair.New(fair.Options{Slots: 1, Timeout: timeout, Depth: 1})
			x.s.slots = x.slots
			holder := x.slots.Enter(fair.Client{})
			ada, ben := ask(x, request(x.Context(), "ada")), ask(x, request(x.Context(), "ben"))
			holder.End()
			sleep(x.length)
			check(x, "the first member", ada, nil, x.length)
			check(x, "the second member", ben, nil, x.length)
		},
		"a panic of a round": func(x *setup) {
			holder := x.slots.Enter(fair.Client{})
			x.panics = true
			recovered := make(chan any, 1)
			go func() {
				defer func() { recovered <- recover() }()
				_, _ = x.s.Do(request(x.Context(), "ada"), Key{}, "", func(context.Context, []string) (*int64, error) { panic("of a read") })
			}()
			synctest.Wait()
			holder.End()
			if <-recovered == nil {
				x.Error("the member that runs by itself then does not panic")
			}
		},
		"only the time until the execution counts as waiting": func(x *setup) {
			holder := x.slots.Enter(fair.Client{})
			ctx := request(x.Context(), "ada")
			ada := ask(x, ctx)
			sleep(timeout / 4)
			holder.End()
			sleep(x.length)
			check(x, "the member", ada, nil, timeout/4+x.length)
			if left, _ := x.slots.Left(ctx); left != timeout*3/4 {
				x.Errorf("%s is left; want %s", left, timeout*3/4)
			}
		},
		"members run by themselves when the execution fails": func(x *setup) {
			holder := x.slots.Enter(fair.Client{})
			x.runErr = errors.New("of the statement")
			ada, ben := ask(x, request(x.Context(), "ada")), ask(x, request(x.Context(), "ben"))
			holder.End()
			sleep(2 * x.length)
			check(x, "the first member", ada, x.runErr, 2*x.length)
			check(x, "the second member", ben, x.runErr, 2*x.length)
			if n := x.runs.Load(); n != 3 {
				x.Errorf("%d run; want the round and each member", n)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := &setup{T: t, slots: fair.New(fair.Options{Slots: 1, Timeout: timeout, Depth: 100}), length: 10 * time.Millisecond}
				if strings.Contains(name, "members that are left") {
					x.slots = fair.New(fair.Options{Slots: 2, Timeout: timeout, Depth: 100})
				}
				x.s = &Group[*int64]{slots: x.slots}
				test(x)
				synctest.Wait()
				if s := x.slots.Stats(); s.Waiting != 0 || s.Used != 0 && !strings.Contains(name, "members that are left") {
					t.Errorf("%+v; want no slot held and no turn that waits", s)
				}
				x.s.forgets(t)
			})
		})
	}
}
