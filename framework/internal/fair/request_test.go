package fair

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

func TestNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1":               "192.0.2.1",
		"::ffff:192.0.2.1":        "192.0.2.1",
		"2001:db8:0:12ff::1":      "2001:db8:0:1200::/56",
		"2001:db8:0:1200:a:b:c:d": "2001:db8:0:1200::/56",
		"2001:db8:0:1300::1":      "2001:db8:0:1300::/56",
		"fe80::1%eth0":            "fe80::/56",
	} {
		if got := Network(netip.MustParseAddr(address)); got != want {
			t.Errorf("the network of %s is %s; want %s", address, got, want)
		}
	}
}

// TestTimeout: how long a request waits, in fake time.
func TestTimeout(t *testing.T) {
	const timeout = time.Second
	full := func() (*Queue, *Turn) {
		q := New(Options{Slots: 1, Timeout: timeout, Depth: 100})
		return q, q.Enter(Client{})
	}
	in(t, "a request waits for the timeout", func(t *testing.T) {
		q, holder := full()
		a := ask(With(t.Context(), caller("ada")), q)
		pass(timeout - 1)
		if synctest.Wait(); a.over.Load() {
			t.Error("it ends too early")
		}
		pass(1)
		if synctest.Wait(); !a.over.Load() || !errors.Is(a.err, ErrOverloaded) {
			t.Errorf("it ends with %v; want ErrOverloaded", a.err)
		}
		if n := q.Stats().Shed; n != 1 {
			t.Errorf("%d are counted as shed; want 1", n)
		}
		holder.End()
		q.isIdle(t)
	})
	in(t, "all waits of a request count together", func(t *testing.T) {
		q, holder := full()
		ctx := With(t.Context(), unknown("x"))
		for i, want := range []time.Duration{timeout / 4, timeout / 4} {
			a := ask(ctx, q)
			pass(want)
			holder.End()
			if synctest.Wait(); a.err != nil || !a.over.Load() {
				t.Fatalf("wait %d ends with %v", i, a.err)
			}
			if holder = a.turn; i == 0 {
				a.turn.End()
				holder = q.Enter(Client{})
			}
			ctx = With(ctx, caller("ada")) //nolint:fatcontext // the same request, whose caller is known now
		}
		holder.End()
		holder = q.Enter(Client{})
		a := ask(ctx, q)
		pass(timeout)
		if synctest.Wait(); a.took != timeout/2 || !errors.Is(a.err, ErrOverloaded) {
			t.Errorf("the last wait takes %s and ends with %v; want %s", a.took, a.err, timeout/2)
		}
		holder.End()
		if turn, err := q.Acquire(ctx); err != nil {
			t.Errorf("a request that may wait no longer does not get a free slot: %v", err)
		} else {
			turn.End()
		}
		q.isIdle(t)
	})
	in(t, "waits elsewhere count too", func(t *testing.T) {
		q, holder := full()
		defer holder.End()
		ctx := With(t.Context(), caller("ada"))
		Waited(ctx, timeout*3/4)
		if left, limited := q.Left(ctx); left != timeout/4 || !limited {
			t.Errorf("%s is left, limited: %v", left, limited)
		}
		Waited(ctx, timeout)
		if left, _ := q.Left(ctx); left != 0 {
			t.Errorf("%s is left; want nothing", left)
		}
		if a := ask(ctx, q); !a.over.Load() || !errors.Is(a.err, ErrOverloaded) {
			t.Errorf("it waits though no time is left: %v", a.err)
		}
	})
	in(t, "the program waits as long as its context", func(t *testing.T) {
		q, holder := full()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, limited := q.Left(ctx); limited {
			t.Error("its time is limited")
		}
		Waited(ctx, time.Hour)
		a := ask(ctx, q)
		pass(time.Hour)
		if synctest.Wait(); !errors.Is(a.err, context.DeadlineExceeded) || a.took != time.Hour {
			t.Errorf("it ends with %v after %s", a.err, a.took)
		}
		holder.End()
		q.isIdle(t)
	})
	in(t, "the end of a context is the end of the wait", func(t *testing.T) {
		q, holder := full()
		ctx, cancel := context.WithCancel(With(t.Context(), caller("ada")))
		a := ask(ctx, q)
		cancel()
		if synctest.Wait(); !errors.Is(a.err, context.Canceled) || a.turn != nil {
			t.Errorf("it ends with %v", a.err)
		}
		if a := ask(ctx, q); !errors.Is(a.err, context.Canceled) {
			t.Errorf("a context that has ended waits: %v", a.err)
		}
		if s := q.Stats(); s.Shed != 0 || s.Waiting != 0 {
			t.Errorf("%+v; want none", s)
		}
		holder.End()
		if a := ask(ctx, q); !errors.Is(a.err, context.Canceled) {
			t.Errorf("a context that has ended gets a slot: %v", a.err)
		}
		q.isIdle(t)
	})
	in(t, "work that outlives a request waits as long as it has to", func(t *testing.T) {
		q, holder := full()
		ctx, cancel := context.WithCancel(With(t.Context(), caller("ada")))
		a := ask(Apart(context.WithoutCancel(ctx)), q)
		cancel()
		pass(time.Hour)
		if synctest.Wait(); a.over.Load() {
			t.Errorf("it ends with %v", a.err)
		}
		holder.End()
		synctest.Wait()
		a.turn.End()
		q.isIdle(t)
	})
	in(t, "work that clients share waits as long as a request", func(t *testing.T) {
		q, holder := full()
		ctx := With(t.Context(), caller("ada"))
		Waited(ctx, timeout)
		a := ask(Apart(ctx, caller("ada"), caller("ben")), q)
		pass(2 * timeout)
		if synctest.Wait(); a.took != timeout || !errors.Is(a.err, ErrOverloaded) {
			t.Errorf("it ends with %v after %s", a.err, a.took)
		}
		holder.End()
		q.isIdle(t)
	})
	in(t, "the time with a slot does not count", func(t *testing.T) {
		q := New(Options{Slots: 1, Timeout: timeout, Depth: 100})
		ctx := With(t.Context(), caller("ada"))
		turn, err := q.Acquire(ctx)
		if err != nil {
			t.Fatal(err)
		}
		pass(time.Hour)
		turn.End()
		if left, _ := q.Left(ctx); left != timeout {
			t.Errorf("%s is left; want %s", left, timeout)
		}
	})
}

// TestHolds: which contexts hold a slot.
func TestHolds(t *testing.T) {
	q, other := New(Options{Slots: 2, Depth: 1}), New(Options{Slots: 2, Depth: 1})
	ctx := With(t.Context(), caller("ada"))
	same := With(ctx, caller("ada"))
	holds := func(want bool) {
		t.Helper()
		if q.Holds(ctx) != want || q.Holds(same) != want {
			t.Errorf("the request holds a slot: %v", !want)
		}
		if other.Holds(ctx) {
			t.Error("the request holds a slot of another queue")
		}
		for what, ctx := range map[string]context.Context{
			"another request": With(t.Context(), caller("ada")), "the program": t.Context(),
			"work that outlives the request": Apart(ctx), "work that is shared": Apart(ctx, caller("ada")),
		} {
			if q.Holds(ctx) {
				t.Errorf("%s holds the slot of the request", what)
			}
		}
	}
	holds(false)
	turn, err := q.Acquire(same)
	if err != nil {
		t.Fatal(err)
	}
	holds(true)
	turn.End()
	holds(false)
	turn.End()
	holds(false)
}

func TestClientOf(t *testing.T) {
	ada := caller("ada")
	for what, c := range map[string]struct {
		ctx  context.Context
		want Client
	}{
		"no client":                       {t.Context(), Client{}},
		"a client":                        {With(t.Context(), ada), ada},
		"the client that is known last":   {With(With(t.Context(), unknown("x")), ada), ada},
		"the first of several":            {Apart(t.Context(), ada, caller("ben")), ada},
		"work that outlives its requests": {Apart(With(t.Context(), ada)), Client{}},
	} {
		if got := ClientOf(c.ctx); got != c.want {
			t.Errorf("%s: %v; want %v", what, got, c.want)
		}
	}
	if name := ada.Name(); name != "ada" {
		t.Errorf("a caller is named %s", name)
	}
	if name := anonymous("x").Name(); name != "x" {
		t.Errorf("an anonymous client is named %s", name)
	}
}

// TestBegun: a context of the program records its slots, and waits as long as before.
func TestBegun(t *testing.T) {
	in(t, "", func(t *testing.T) {
		q := New(Options{Slots: 1, Timeout: time.Second, Depth: 10})
		program := Begun(t.Context())
		turn, err := q.Acquire(program)
		if err != nil || !q.Holds(program) {
			t.Errorf("it holds a slot: %v, %v; want that it does", q.Holds(program), err)
		}
		if _, limited := q.Left(program); limited {
			t.Error("the program's wait is limited; want that it is not")
		}
		turn.End()
		request := With(t.Context(), caller("ada"))
		if Begun(request) != request {
			t.Error("the context of a request is another; want the same")
		}
		q.isIdle(t)
	})
}
