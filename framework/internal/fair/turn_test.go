package fair

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// TestDepth: which turn is shed when one too many waits.
func TestDepth(t *testing.T) {
	for name, c := range map[string]struct {
		waiting string // clients, in the order of arrival
		last    string
		used    string // clients that used a slot before, the last the most
		shed    int    // of waiting and last, by index
	}{
		"the newest of the client of which most wait":    {"aaab", "c", "", 2},
		"also for a client that waits already":           {"aaab", "b", "", 2},
		"the new turn, if most are of its client":        {"aaab", "a", "", 4},
		"the new turn, if all are equal":                 {"abcd", "e", "", 4},
		"the new turn, if its client would be equal":     {"aabb", "b", "", 4},
		"of equal clients the one that used most":        {"aabb", "c", "ba", 1},
		"of single turns the one that used most":         {"abcd", "e", "dcb", 1},
		"the new turn, if its client used most":          {"abcd", "e", "abcde", 4},
		"the client of which most wait, if it used less": {"aabc", "d", "bc", 1},
	} {
		in(t, name, func(t *testing.T) {
			q := New(Options{Slots: 1, Depth: 4, HalfLife: long})
			for i, client := range c.used {
				uses(t, q, caller(string(client)), time.Duration(i+1)*time.Second, 0)
			}
			holder := q.Enter(Client{})
			var turns []*Turn
			for _, client := range c.waiting {
				turns = append(turns, q.Enter(caller(string(client))))
			}
			if s := q.Stats(); s.Waiting != 4 || s.Shed != 0 {
				t.Fatalf("%+v; want 4 that wait", s)
			}
			last := caller(c.last)
			if sheds, want := q.Sheds(last), c.shed == len(turns); sheds != want {
				t.Errorf("it says that it would shed the new turn: %v; want %v", sheds, want)
			}
			turns = append(turns, q.Enter(last))
			for i, turn := range turns {
				if shed(turn) != (i == c.shed) {
					t.Errorf("turn %d is shed: %v", i, shed(turn))
				}
			}
			if err := turns[c.shed].Wait(t.Context()); !errors.Is(err, ErrOverloaded) {
				t.Errorf("its error is %v", err)
			}
			if s := q.Stats(); s.Waiting != 4 || s.Shed != 1 {
				t.Errorf("%+v; want 4 that wait and one that was shed", s)
			}
			holder.End()
			for range turns {
				for _, turn := range turns {
					if came(turn) {
						turn.End()
					}
				}
			}
			q.isIdle(t)
		})
	}
	t.Run("the newest of a caller may be at another address", func(t *testing.T) {
		q := New(Options{Slots: 1, Depth: 4})
		holder := q.Enter(Client{})
		var turns []*Turn
		for _, address := range []string{"x", "y", "x", "y"} {
			turns = append(turns, q.Enter(Client{Caller: "ada", Address: address}))
		}
		last := q.Enter(caller("ben"))
		for i, turn := range append(turns, last) {
			if shed(turn) != (i == 3) {
				t.Errorf("turn %d is shed: %v", i, shed(turn))
			}
			defer turn.End()
		}
		holder.End()
	})
	t.Run("no turn may wait", func(t *testing.T) {
		q := New(Options{Slots: 1})
		if q.Sheds(caller("ada")) {
			t.Error("it says that it would shed a turn although a slot is free")
		}
		holder := q.Enter(Client{})
		if !q.Sheds(caller("ada")) {
			t.Error("it does not say that it would shed a turn")
		}
		if turn := q.Enter(caller("ada")); !shed(turn) || turn.Waits() {
			t.Error("a turn waits")
		}
		holder.End()
		q.isIdle(t)
	})
}

// TestSharedTurns: a turn of several clients.
func TestSharedTurns(t *testing.T) {
	ada, ben, cleo := caller("ada"), caller("ben"), caller("cleo")
	in(t, "comes at once if one of its clients may hold a slot", func(t *testing.T) {
		q := New(Options{Slots: 2, Depth: 100})
		defer q.Enter(ada).End()
		waits := q.Enter(ada)
		turn := q.Enter(ada, ben)
		if !came(turn) || came(waits) {
			t.Error("it does not come by the second client")
		}
		turn.End()
		waits.End()
	})
	in(t, "comes as soon as a client joins that may hold a slot", func(t *testing.T) {
		q := New(Options{Slots: 2, Depth: 100})
		holder := q.Enter(ada)
		turn := q.Enter(ada)
		if turn.Join(ben); !came(turn) {
			t.Error("it does not come by the client that joined")
		}
		if q.Enter(cleo); q.Stats().Waiting != 1 {
			t.Error("the turn is counted more than once")
		}
		turn.End()
		if holder.End(); q.Stats().Used != 1 {
			t.Error("the slot of a shared turn is not free again")
		}
	})
	in(t, "comes by the client that used least and is charged to that alone", func(t *testing.T) {
		q := New(Options{Slots: 1, Depth: 100, HalfLife: long})
		uses(t, q, ada, 3*time.Second, 0)
		uses(t, q, cleo, time.Second, 0)
		holder := q.Enter(Client{})
		between, turn := q.Enter(cleo), q.Enter(ada)
		turn.Join(ben)
		if holder.End(); !came(turn) || came(between) {
			t.Error("it does not come when it is the turn of one of its clients")
		}
		pass(2 * time.Second)
		byAda, byBen := q.Enter(ada), q.Enter(ben)
		if turn.End(); !came(between) {
			t.Error("the turn of the client that used less does not come")
		}
		if between.End(); !came(byBen) {
			t.Error("a client is not charged for a turn that came by it, or another is")
		}
		if byBen.End(); !came(byAda) {
			t.Error("the last turn does not come")
		}
		byAda.End()
		q.isIdle(t)
	})
	in(t, "a client joins twice and once too late", func(t *testing.T) {
		q := New(Options{Slots: 1, Depth: 100})
		holder := q.Enter(Client{})
		turn := q.Enter(ada, ada)
		turn.Join(ada)
		if n := q.Stats().Waiting; n != 1 {
			t.Errorf("%d wait; want 1", n)
		}
		holder.End()
		if turn.Join(ben); q.Stats().Waiting != 0 {
			t.Error("a client joins a turn that has come")
		}
		turn.End()
		turn.Join(ben)
		q.isIdle(t)
	})
	in(t, "is shed for the client of which most wait, and goes on for the others", func(t *testing.T) {
		q := New(Options{Slots: 1, Depth: 4})
		holder := q.Enter(Client{})
		greedy := []*Turn{q.Enter(ada), q.Enter(ada)}
		shared := q.Enter(ben)
		shared.Join(ada)
		last := q.Enter(cleo)
		for i, turn := range append(greedy, shared, last) {
			if shed(turn) {
				t.Errorf("turn %d is shed; want that only the greedy client leaves the shared turn", i)
			}
		}
		if n := q.Stats().Waiting; n != 4 {
			t.Errorf("%d wait; want 4", n)
		}
		for range 4 {
			holder.End()
			for _, turn := range append(greedy, shared, last) {
				if came(turn) {
					holder = turn
				}
			}
		}
		holder.End()
		q.isIdle(t)
	})
	in(t, "moves to a client that joins if it is the turn to shed", func(t *testing.T) {
		q := New(Options{Slots: 1, Depth: 2})
		holder := q.Enter(Client{})
		first, turn := q.Enter(ada), q.Enter(ada, ben)
		if s := q.Stats(); s.Waiting != 2 || s.Shed != 0 || shed(turn) {
			t.Errorf("%+v; want 2 that wait", s)
		}
		for range 2 { // it has left the line of the first client
			holder.End()
			for _, t := range []*Turn{first, turn} {
				if came(t) {
					holder = t
				}
			}
		}
		if turn.by.client != ben {
			t.Errorf("it came by %v; want %v", turn.by.client, ben)
		}
		holder.End()
		q.isIdle(t)
	})
	in(t, "a client that would be shed shares a turn without a place of its own", func(t *testing.T) {
		q := New(Options{Slots: 1, Depth: 3})
		holder := q.Enter(Client{})
		turns := []*Turn{q.Enter(ada), q.Enter(ada), q.Enter(ben)}
		turns[2].Join(ada)
		if n := q.Stats(); n.Waiting != 3 || n.Shed != 0 || shed(turns[2]) {
			t.Errorf("%+v; want 3 that wait", n)
		}
		for _, turn := range append(turns, holder) {
			turn.End()
		}
		q.isIdle(t)
	})
	in(t, "is not shed for its first client if another may wait", func(t *testing.T) {
		q := New(Options{Slots: 1, Depth: 3})
		holder := q.Enter(Client{})
		greedy := []*Turn{q.Enter(ada), q.Enter(ada), q.Enter(ada)}
		turn := q.Enter(ada, ben)
		if shed(turn) || !shed(greedy[2]) {
			t.Error("the turn is shed; want the newest turn of the client with the most waits")
		}
		if s := q.Stats(); s.Waiting != 3 || s.Shed != 1 {
			t.Errorf("%+v; want 3 that wait and one that was shed", s)
		}
		for _, t := range append(greedy, turn, holder) {
			t.End()
		}
		q.isIdle(t)
	})
	in(t, "takes a free slot by its second client if no turn may wait", func(t *testing.T) {
		q := New(Options{Slots: 2})
		holder := q.Enter(ada)
		turn := q.Enter(ada, ben)
		if !came(turn) {
			t.Error("the turn is shed for the client that may hold no more slots")
		}
		turn.End()
		holder.End()
		q.isIdle(t)
	})
	in(t, "leaves every line when it ends", func(t *testing.T) {
		q := New(Options{Slots: 1, Depth: 100})
		holder := q.Enter(Client{})
		turn, other := q.Enter(ada, ben, cleo), q.Enter(ben)
		turn.End()
		if holder.End(); !came(other) || came(turn) {
			t.Error("a turn that is over gets a slot")
		}
		other.End()
		q.isIdle(t)
	})
}

func TestEnd(t *testing.T) {
	in(t, "does something once", func(t *testing.T) {
		q := New(Options{Slots: 2, Depth: 100})
		turn, other := q.Enter(caller("ada")), q.Enter(caller("ben"))
		turn.End()
		turn.End()
		turn.EndFined(time.Hour)
		if s := q.Stats(); s.Used != 1 {
			t.Errorf("%d slots are held; want 1", s.Used)
		}
		other.End()
		var none *Turn
		none.End()
		none.EndFined(time.Second)
		q.isIdle(t)
	})
	in(t, "of a turn that was shed changes nothing", func(t *testing.T) {
		q := New(Options{Slots: 1, Depth: 1})
		holder, waits := q.Enter(Client{}), q.Enter(caller("ada"))
		q.Enter(caller("ben")).End()
		if s := q.Stats(); s.Used != 1 || s.Waiting != 1 {
			t.Errorf("%+v", s)
		}
		waits.End()
		holder.End()
		q.isIdle(t)
	})
}

// TestAccountsAreForgotten: an attacker with many addresses does not fill the memory.
func TestAccountsAreForgotten(t *testing.T) {
	const clients, few = 10_000, 20
	for name, try := range map[string]func(q *Queue, c Client){
		"that had a slot": func(q *Queue, c Client) {
			turn := q.Enter(c)
			pass(time.Millisecond)
			turn.End()
		},
		"that had a slot and were fined": func(q *Queue, c Client) {
			turn := q.Enter(c)
			pass(time.Millisecond)
			turn.EndFined(time.Second)
		},
	} {
		in(t, name, func(t *testing.T) {
			q := New(Options{Slots: 4, Depth: 1})
			for i := range clients {
				try(q, Client{Anonymous: true, Address: strconv.Itoa(i), Resource: "cities"})
			}
			for range 20 {
				pass(time.Second)
				q.Enter(Client{}).End()
			}
			if n := len(q.accounts); n > few {
				t.Errorf("%d accounts are left after 20 half-lives; want at most %d", n, few)
			}
		})
	}
	for name, try := range map[string]func(q *Queue, c Client){
		"that were shed":       func(q *Queue, c Client) { q.Enter(c) },
		"that would be shed":   func(q *Queue, c Client) { q.Sheds(c) },
		"that left":            func(q *Queue, c Client) { q.Enter(c).End() },
		"that left as a group": func(q *Queue, c Client) { q.Enter(c, caller("other")).End() },
	} {
		in(t, name+" before they had a slot", func(t *testing.T) {
			q := New(Options{Slots: 1, Depth: 1})
			holder := q.Enter(Client{})
			defer holder.End()
			if name == "that were shed" || name == "that would be shed" {
				defer q.Enter(caller("first")).End()
			}
			for i := range clients {
				try(q, Client{Anonymous: true, Address: strconv.Itoa(i), Resource: "cities"})
			}
			if n := len(q.accounts); n > few {
				t.Errorf("%d accounts are left; want at most %d", n, few)
			}
		})
	}
}

// TestManyGoroutines is for the race detector.
func TestManyGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Slots: 4, Timeout: 20 * time.Millisecond, Depth: 30})
		for i := range 100 {
			go func() {
				for n := range 50 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+(i+n)%40)*time.Millisecond)
					ctx = With(ctx, Client{Caller: strconv.Itoa(i % 7), Address: strconv.Itoa(i % 5), Resource: strconv.Itoa(i % 3)})
					if turn, err := q.Acquire(ctx); err == nil {
						if !q.Holds(ctx) {
							t.Error("a request does not hold its slot")
						}
						pass(time.Duration((i*n)%4) * time.Millisecond)
						turn.End()
						if q.Holds(ctx) {
							t.Error("a request holds a slot after its end")
						}
					}
					cancel()
				}
			}()
		}
		pass(time.Hour)
		q.isIdle(t)
	})
}

// BenchmarkAcquire is an uncontended Acquire and End.
func BenchmarkAcquire(b *testing.B) {
	q := New(Options{Slots: 16, Timeout: time.Second, Depth: 4096})
	ctx := With(b.Context(), Client{Caller: "ada", Address: "192.0.2.1", Resource: "cities"})
	b.ReportAllocs()
	for b.Loop() {
		turn, err := q.Acquire(ctx)
		if err != nil {
			b.Fatal(err)
		}
		turn.End()
	}
}

// BenchmarkBusy is a turn that waits and ends while other clients wait.
func BenchmarkBusy(b *testing.B) {
	for _, clients := range []int{1, 1000, 4000} {
		b.Run(fmt.Sprint(clients, " clients"), func(b *testing.B) {
			q := New(Options{Slots: 1, Timeout: time.Hour, Depth: 4096})
			held := q.Enter(Client{})
			turns := map[*Turn]bool{}
			var order []*Turn
			client := func(i int) Client {
				return Client{Caller: strconv.Itoa(i), Address: strconv.Itoa(i), Resource: "cities"}
			}
			names := make([]Client, clients)
			for i := range clients {
				names[i] = client(i)
				order = append(order, q.Enter(names[i]))
			}
			_ = turns
			b.ReportAllocs()
			at := 0
			for b.Loop() {
				held.End()
				held = order[at%clients]
				if !came(held) { // the order of clients with equal use is that of arrival
					for i, turn := range order {
						if came(turn) {
							held, at = turn, i
						}
					}
				}
				order[at%clients] = q.Enter(names[at%clients])
				at++
			}
		})
	}
}
