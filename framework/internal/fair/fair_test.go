package fair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestOrder: which of two turns gets the only slot.
func TestOrder(t *testing.T) {
	ada, ben := caller("ada"), caller("ben")
	for name, c := range map[string]struct {
		before        func(t *testing.T, q *Queue)
		first, second Client // in the order of their arrival
		want          Client // of the next slot
	}{
		"equal clients are served in the order of arrival": {func(*testing.T, *Queue) {}, ada, ben, ada},
		"the client that used less is first": {func(t *testing.T, q *Queue) {
			uses(t, q, ada, 2*time.Second, 0)
			uses(t, q, ben, time.Second, 0)
		}, ada, ben, ben},
		"use is charged to the address of a caller": {func(t *testing.T, q *Queue) {
			uses(t, q, Client{Caller: "ada", Address: "x"}, time.Second, 0)
		}, anonymous("x"), anonymous("y"), anonymous("y")},
		"requests of unknown callers rank by their address": {func(t *testing.T, q *Queue) {
			uses(t, q, anonymous("x"), time.Second, 0)
		}, unknown("x"), unknown("y"), unknown("y")},
		"a caller does not rank by the address": {func(t *testing.T, q *Queue) {
			uses(t, q, anonymous("x"), time.Second, 0)
		}, Client{Caller: "ada", Address: "x"}, ben, Client{Caller: "ada", Address: "x"}},
		"a caller has the same rank at another address": {func(t *testing.T, q *Queue) {
			uses(t, q, ada, time.Second, 0)
		}, Client{Caller: "ada", Address: "y"}, ben, ben},
		"a resource has no rank": {func(t *testing.T, q *Queue) {
			uses(t, q, Client{Caller: "eve", Address: "z", Resource: "cities"}, time.Second, 0)
		}, Client{Caller: "ada", Address: "x", Resource: "cities"}, ben, Client{Caller: "ada", Address: "x", Resource: "cities"}},
		"use is forgotten": {func(t *testing.T, q *Queue) {
			uses(t, q, ada, time.Second, 0)
			time.Sleep(3 * long)
			uses(t, q, ben, time.Second/4, 0)
		}, ada, ben, ada},
		"half of it in each half-life": {func(t *testing.T, q *Queue) {
			uses(t, q, ada, time.Second, 0)
			time.Sleep(long)
			uses(t, q, ben, time.Second/4, 0)
		}, ada, ben, ben},
		"a fine counts as use": {func(t *testing.T, q *Queue) {
			uses(t, q, ada, time.Second, 2*time.Second)
			uses(t, q, ben, 2*time.Second, 0)
		}, ada, ben, ben},
		"a fine is charged to the address": {func(t *testing.T, q *Queue) {
			uses(t, q, anonymous("x"), time.Millisecond, time.Second)
		}, unknown("x"), unknown("y"), unknown("y")},
		"a fine is forgotten": {func(t *testing.T, q *Queue) {
			uses(t, q, ada, time.Millisecond, time.Second)
			time.Sleep(3 * long)
			uses(t, q, ben, time.Second/4, 0)
		}, ada, ben, ada},
	} {
		in(t, name, func(t *testing.T) {
			q := New(Options{Slots: 1, Depth: 2, HalfLife: long})
			c.before(t, q)
			holder := q.Enter(Client{})
			turns := map[Client]*Turn{c.first: q.Enter(c.first), c.second: q.Enter(c.second)}
			time.Sleep(time.Second)
			holder.End()
			if !came(turns[c.want]) {
				t.Errorf("the other client is first; want %v", c.want)
			}
			for range 2 { // the other turn comes when the first is over
				for _, turn := range turns {
					turn.End()
				}
			}
			q.isIdle(t)
		})
	}
}

// TestOneClientIsServedInOrder: also across its resources and addresses.
func TestOneClientIsServedInOrder(t *testing.T) {
	in(t, "a caller", func(t *testing.T) {
		q := New(Options{Slots: 1, Depth: 100})
		holder := q.Enter(Client{})
		var turns []*Turn
		for i := range 20 {
			turns = append(turns, q.Enter(Client{Caller: "ada", Address: fmt.Sprint(i % 3), Resource: fmt.Sprint(i % 5)}))
		}
		holder.End()
		for i, turn := range turns {
			if !came(turn) {
				t.Fatalf("turn %d does not come after the turns that arrived before it", i)
			}
			time.Sleep(time.Millisecond)
			turn.End()
		}
		q.isIdle(t)
	})
}

// TestAClientThatComesBack has no advantage from the time in which it did nothing.
func TestAClientThatComesBack(t *testing.T) {
	busy, back := caller("busy"), caller("back")
	in(t, "starts at the use of the others", func(t *testing.T) {
		q := New(Options{Slots: 1, Depth: 100, HalfLife: long})
		var waiting []*Turn
		for range 20 {
			waiting = append(waiting, q.Enter(busy))
		}
		serve := func() {
			time.Sleep(time.Second)
			waiting[0].End()
			waiting = waiting[1:]
		}
		for range 10 {
			serve()
		}
		turn, again := q.Enter(back), q.Enter(back)
		if serve(); !came(turn) {
			t.Error("a client that comes back waits for more than one turn of another")
		}
		time.Sleep(2 * time.Second)
		if turn.End(); came(again) || !came(waiting[0]) {
			t.Error("a client that comes back is served twice in a row")
		}
		again.End()
		for len(waiting) > 0 {
			serve()
		}
		q.isIdle(t)
	})
	in(t, "keeps its own use if that is more", func(t *testing.T) {
		q := New(Options{Slots: 1, Depth: 100, HalfLife: long})
		uses(t, q, back, time.Minute, 0)
		holder := q.Enter(busy)
		turn, next := q.Enter(back), q.Enter(busy)
		time.Sleep(time.Second)
		if holder.End(); !came(next) {
			t.Error("a client that comes back is before one that used less")
		}
		next.End()
		turn.End()
		q.isIdle(t)
	})
	in(t, "inherits no fine", func(t *testing.T) {
		q := New(Options{Slots: 1, Depth: 100, HalfLife: long})
		uses(t, q, busy, time.Second, time.Hour)
		holder := q.Enter(busy) // with its fine it is the client that was served last
		fined, other, turn := q.Enter(busy), q.Enter(caller("other")), q.Enter(back)
		holder.End()
		for what, turn := range []*Turn{other, turn, fined} {
			if !came(turn) {
				t.Errorf("turn %d does not come before a client with a fine", what)
			}
			time.Sleep(time.Minute)
			turn.End()
		}
		q.isIdle(t)
	})
}

// TestCaps: how many slots requests hold that have something in common.
func TestCaps(t *testing.T) {
	for name, c := range map[string]struct {
		client func(i int) Client
		most   map[int]int // of how many slots
	}{
		"one caller": {
			func(i int) Client {
				return Client{Caller: "ada", Address: fmt.Sprint("address ", i), Resource: fmt.Sprint("resource ", i)}
			},
			map[int]int{1: 1, 2: 1, 3: 2, 8: 4, 16: 8},
		},
		"anonymous requests of one address": {
			func(i int) Client {
				return Client{Anonymous: true, Address: "x", Resource: fmt.Sprint("resource ", i)}
			},
			map[int]int{1: 1, 2: 1, 8: 4},
		},
		"requests of one address whose caller is not known": {
			func(int) Client { return unknown("x") },
			map[int]int{1: 1, 2: 1, 8: 4},
		},
		"callers of one address": {
			func(i int) Client { return Client{Caller: fmt.Sprint("caller ", i), Address: "x"} },
			map[int]int{1: 1, 2: 2, 4: 3, 8: 6, 16: 12},
		},
		"one address, anonymous or not": {
			func(i int) Client {
				return []Client{unknown("x"), anonymous("x"), {Caller: fmt.Sprint("caller ", i), Address: "x"}}[i%3]
			},
			map[int]int{8: 6},
		},
		"one resource": {
			func(i int) Client { c := caller(fmt.Sprint(i)); c.Resource = "cities"; return c },
			map[int]int{1: 1, 2: 2, 8: 6},
		},
		"the program": {func(int) Client { return Client{} }, map[int]int{1: 1, 8: 8}},
		"different clients": {
			func(i int) Client { return caller(fmt.Sprint(i)) },
			map[int]int{1: 1, 8: 8},
		},
	} {
		for slots, most := range c.most {
			in(t, fmt.Sprintf("%s, of %d slots", name, slots), func(t *testing.T) {
				q := New(Options{Slots: slots, Depth: 100})
				var turns []*Turn
				for i := range 3 * slots {
					turns = append(turns, q.Enter(c.client(i)))
				}
				if held := q.Stats().Used; held != most {
					t.Errorf("%d slots are held; want %d", held, most)
				}
				for range slots - most {
					other := q.Enter(Client{})
					defer other.End()
					if !came(other) {
						t.Error("the program does not get a slot that the others may not hold")
					}
				}
				for len(turns) > 0 {
					at := slices.IndexFunc(turns, came)
					if at < 0 {
						t.Fatalf("%d turns wait and none comes", len(turns))
					}
					turns[at].End()
					turns = slices.Delete(turns, at, at+1)
					if held := q.Stats().Used - (slots - most); held > most {
						t.Fatalf("%d slots are held; want %d at most", held, most)
					}
				}
			})
		}
	}
}

// TestACapPassesTheSlotOn: a turn that may not hold a slot does not keep it from a
// later turn that may.
func TestACapPassesTheSlotOn(t *testing.T) {
	q := New(Options{Slots: 2, Depth: 100})
	ada, ben := q.Enter(caller("ada")), q.Enter(caller("ben"))
	second, late := q.Enter(caller("ada")), q.Enter(caller("cleo"))
	if ben.End(); came(second) || !came(late) {
		t.Error("the slot does not go to the client that may hold it")
	}
	if ada.End(); !came(second) {
		t.Error("the turn does not come when the client holds less")
	}
	second.End()
	late.End()
	q.isIdle(t)
}

// TestANewClientBesideACappedResource: the clients of a busy resource wait for its cap,
// while a client with much use goes on elsewhere. A new client of the resource starts
// beside those that wait for it too.
func TestANewClientBesideACappedResource(t *testing.T) {
	in(t, "", func(t *testing.T) {
		q := New(Options{Slots: 4, Timeout: time.Second, Depth: 1000})
		ctx, stop := context.WithCancel(t.Context())
		work := func(c Client, d time.Duration) {
			for ctx.Err() == nil {
				if turn, err := q.Acquire(With(ctx, c)); err == nil {
					time.Sleep(d)
					turn.End()
				}
			}
		}
		for i := range 30 {
			go work(Client{Caller: fmt.Sprint("busy ", i%6), Address: fmt.Sprint(i % 6), Resource: "busy"}, 10*time.Millisecond)
		}
		for range 2 {
			go work(Client{Caller: "heavy", Address: "h", Resource: "other"}, 7*time.Millisecond)
		}
		time.Sleep(10 * time.Second)
		for i := range 30 {
			began := time.Now()
			turn, err := q.Acquire(With(ctx, Client{Caller: fmt.Sprint("new ", i), Address: fmt.Sprint("new ", i), Resource: "busy"}))
			if waited := time.Since(began); err != nil || waited > 100*time.Millisecond {
				t.Errorf("new client %d waits %s: %v; want at most 100 ms", i, waited, err)
			}
			turn.End()
			time.Sleep(37 * time.Millisecond)
		}
		stop()
		time.Sleep(time.Second)
		q.isIdle(t)
	})
}

// TestManyGreedyWaiters: a client with hundreds of waiting turns does not make another
// wait for more than two of them.
func TestManyGreedyWaiters(t *testing.T) {
	for name, c := range map[string]struct {
		slots  int
		greedy Client
	}{
		"of a caller, at one slot":       {1, caller("greedy")},
		"of an address, at one slot":     {1, anonymous("greedy")},
		"of a caller, at 16 slots":       {16, caller("greedy")},
		"of the program, at all slots":   {16, Client{}},
		"of the program, at three slots": {3, Client{}},
	} {
		in(t, name, func(t *testing.T) {
			q := New(Options{Slots: c.slots, Depth: 4096})
			var greedy []*Turn
			for range 512 {
				greedy = append(greedy, q.Enter(c.greedy))
			}
			next := func(i int) { // the oldest greedy turn ends and asks again
				time.Sleep(time.Duration(i%3) * time.Millisecond)
				greedy[0].End()
				greedy = append(greedy[1:], q.Enter(c.greedy))
			}
			for i := range 1000 {
				next(i)
			}
			for i := range 500 {
				polite, waited := q.Enter(caller("polite")), 0
				for ; !came(polite); waited++ {
					next(waited + 1)
				}
				if waited > 2 {
					t.Fatalf("turn %d of the polite client waits for %d of the greedy one; want at most 2", i, waited)
				}
				time.Sleep(time.Duration(i%2) * time.Millisecond)
				polite.End()
				next(i)
			}
			for _, turn := range greedy {
				turn.End()
			}
			q.isIdle(t)
		})
	}
}

// TestManyMisusingAddresses: clients with fines do not hold up a client without.
func TestManyMisusingAddresses(t *testing.T) {
	in(t, "110 addresses", func(t *testing.T) {
		const work = 57 * time.Millisecond
		q := New(Options{Slots: 2, Timeout: 5 * time.Second, Depth: 64, HalfLife: time.Minute})
		ctx, stop := context.WithCancel(t.Context())
		for i := range 110 {
			go func() {
				time.Sleep(time.Duration(i*9) * time.Millisecond)
				for ctx.Err() == nil {
					go func() {
						if turn, err := q.Acquire(With(ctx, anonymous(fmt.Sprint("bad ", i)))); err == nil {
							time.Sleep(work)
							turn.EndFined(time.Second)
						}
					}()
					time.Sleep(time.Second)
				}
			}()
		}
		time.Sleep(5 * time.Second) // each of them has its first fine
		for range 30 {
			time.Sleep(time.Second)
			began := time.Now()
			turn, err := q.Acquire(With(ctx, anonymous("good")))
			if waited := time.Since(began); err != nil || waited > work {
				t.Fatalf("the good client waits %s: %v; want at most %s, for the slot that is next", waited, err, work)
			}
			time.Sleep(work)
			turn.End()
		}
		stop()
		time.Sleep(10 * time.Second)
		q.isIdle(t)
	})
}

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
		time.Sleep(2 * time.Second)
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
			time.Sleep(time.Millisecond)
			turn.End()
		},
		"that had a slot and were fined": func(q *Queue, c Client) {
			turn := q.Enter(c)
			time.Sleep(time.Millisecond)
			turn.EndFined(time.Second)
		},
	} {
		in(t, name, func(t *testing.T) {
			q := New(Options{Slots: 4, Depth: 1})
			for i := range clients {
				try(q, Client{Anonymous: true, Address: fmt.Sprint(i), Resource: "cities"})
			}
			for range 20 {
				time.Sleep(time.Second)
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
				try(q, Client{Anonymous: true, Address: fmt.Sprint(i), Resource: "cities"})
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
					ctx = With(ctx, Client{Caller: fmt.Sprint(i % 7), Address: fmt.Sprint(i % 5), Resource: fmt.Sprint(i % 3)})
					if turn, err := q.Acquire(ctx); err == nil {
						if !q.Holds(ctx) {
							t.Error("a request does not hold its slot")
						}
						time.Sleep(time.Duration((i*n)%4) * time.Millisecond)
						turn.End()
						if q.Holds(ctx) {
							t.Error("a request holds a slot after its end")
						}
					}
					cancel()
				}
			}()
		}
		time.Sleep(time.Hour)
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
				return Client{Caller: fmt.Sprint(i), Address: fmt.Sprint(i), Resource: "cities"}
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
