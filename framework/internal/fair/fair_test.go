package fair

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
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
			pass(3 * long)
			uses(t, q, ben, time.Second/4, 0)
		}, ada, ben, ada},
		"half of it in each half-life": {func(t *testing.T, q *Queue) {
			uses(t, q, ada, time.Second, 0)
			pass(long)
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
			pass(3 * long)
			uses(t, q, ben, time.Second/4, 0)
		}, ada, ben, ada},
	} {
		in(t, name, func(t *testing.T) {
			q := New(Options{Slots: 1, Depth: 2, HalfLife: long})
			c.before(t, q)
			holder := q.Enter(Client{})
			turns := map[Client]*Turn{c.first: q.Enter(c.first), c.second: q.Enter(c.second)}
			pass(time.Second)
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
			turns = append(turns, q.Enter(Client{Caller: "ada", Address: strconv.Itoa(i % 3), Resource: strconv.Itoa(i % 5)}))
		}
		holder.End()
		for i, turn := range turns {
			if !came(turn) {
				t.Fatalf("turn %d does not come after the turns that arrived before it", i)
			}
			pass(time.Millisecond)
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
			pass(time.Second)
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
		pass(2 * time.Second)
		if turn.End(); came(again) || !came(waiting[0]) {
			t.Error("a client that comes back is served twice in a row")
		}
		again.End()
		for len(waiting) > 0 {
			serve()
		}
		q.isIdle(t)
	})
	in(t, "does not start at the use of a client that used much", func(t *testing.T) {
		for name, waits := range map[string]bool{"gets a slot": false, "waits for a slot": true} {
			q := New(Options{Slots: 3, Depth: 100, HalfLife: long})
			heavy, light := caller("heavy"), caller("light")
			uses(t, q, heavy, time.Hour, 0)
			low, top := q.Enter(light), q.Enter(heavy)
			if waits {
				other, next := q.Enter(heavy), q.Enter(heavy)
				pass(time.Second)
				other.End()
				next.End()
			}
			uses(t, q, back, time.Second, 0)
			rest := q.Enter(busy)
			again, turn := q.Enter(light), q.Enter(back)
			pass(time.Minute)
			if low.End(); !came(turn) || came(again) {
				t.Errorf("while a client that used much %s: a client that comes back is behind one that used more than it", name)
			}
			for _, turn := range []*Turn{turn, again, rest, top} {
				turn.End()
			}
			q.isIdle(t)
		}
	})
	in(t, "keeps its own use if that is more", func(t *testing.T) {
		q := New(Options{Slots: 1, Depth: 100, HalfLife: long})
		uses(t, q, back, time.Minute, 0)
		holder := q.Enter(busy)
		turn, next := q.Enter(back), q.Enter(busy)
		pass(time.Second)
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
			pass(time.Minute)
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
			func(i int) Client { c := caller(strconv.Itoa(i)); c.Resource = "cities"; return c },
			map[int]int{1: 1, 2: 2, 8: 6},
		},
		"the program": {func(int) Client { return Client{} }, map[int]int{1: 1, 8: 8}},
		"different clients": {
			func(i int) Client { return caller(strconv.Itoa(i)) },
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
					pass(d)
					turn.End()
				}
			}
		}
		for i := range 30 {
			go work(Client{Caller: fmt.Sprint("busy ", i%6), Address: strconv.Itoa(i % 6), Resource: "busy"}, 10*time.Millisecond)
		}
		for range 2 {
			go work(Client{Caller: "heavy", Address: "h", Resource: "other"}, 7*time.Millisecond)
		}
		pass(10 * time.Second)
		for i := range 30 {
			began := time.Now()
			turn, err := q.Acquire(With(ctx, Client{Caller: fmt.Sprint("new ", i), Address: fmt.Sprint("new ", i), Resource: "busy"}))
			if waited := time.Since(began); err != nil || waited > 100*time.Millisecond {
				t.Errorf("new client %d waits %s: %v; want at most 100 ms", i, waited, err)
			}
			turn.End()
			pass(37 * time.Millisecond)
		}
		stop()
		pass(time.Second)
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
			next := func(i int) { // the oldest greedy turn ends and waits again
				pass(time.Duration(i%3) * time.Millisecond)
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
				pass(time.Duration(i%2) * time.Millisecond)
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
				pass(time.Duration(i*9) * time.Millisecond)
				for ctx.Err() == nil {
					go func() {
						if turn, err := q.Acquire(With(ctx, anonymous(fmt.Sprint("bad ", i)))); err == nil {
							pass(work)
							turn.EndFined(time.Second)
						}
					}()
					pass(time.Second)
				}
			}()
		}
		pass(5 * time.Second) // each of them has its first fine
		for range 30 {
			pass(time.Second)
			began := time.Now()
			turn, err := q.Acquire(With(ctx, anonymous("good")))
			if waited := time.Since(began); err != nil || waited > work {
				t.Fatalf("the good client waits %s: %v; want at most %s, for the slot that is next", waited, err, work)
			}
			pass(work)
			turn.End()
		}
		stop()
		pass(10 * time.Second)
		q.isIdle(t)
	})
}
