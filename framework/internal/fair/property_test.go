package fair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// A player is a turn of the property test, with the goroutine that waits for it.
type player struct {
	turn    *Turn
	clients []Client // in the order in which they joined
	joined  []int    // when
	cancel  context.CancelFunc
	over    bool
	err     error
}

func (p *player) waits() bool { return !p.over }

func (p *player) holds() bool { return p.over && p.err == nil }

// A game is random clients at a queue, and what is known of them without the queue.
type game struct {
	q       *Queue
	players []*player // that wait or hold a slot
	moves   int
}

// capsOf are the caps that a client is under, by name.
func capsOf(c Client, slots int) map[string]int {
	half, most := (slots+1)/2, (3*slots+3)/4
	caps := map[string]int{}
	if c.Address != "" {
		caps["address "+c.Address] = most
	}
	if c.Resource != "" {
		caps["resource "+c.Resource] = most
	}
	switch {
	case c.Caller != "":
		caps["caller "+c.Caller] = half
	case c.Address != "":
		caps[fmt.Sprint("anonymous ", c.Anonymous, c.Address)] = half
	}
	return caps
}

func drawClient(t *rapid.T) Client {
	c := Client{
		Caller:   rapid.SampledFrom([]string{"", "", "a", "b", "c"}).Draw(t, "caller"),
		Address:  rapid.SampledFrom([]string{"x", "y", "z", "v"}).Draw(t, "address"),
		Resource: rapid.SampledFrom([]string{"", "cities", "patients"}).Draw(t, "resource"),
	}
	if c.Caller == "" {
		c.Anonymous = rapid.Bool().Draw(t, "anonymous")
	}
	if rapid.IntRange(0, 9).Draw(t, "program") == 0 {
		c = Client{}
	}
	return c
}

func (g *game) pick(t *rapid.T, which func(*player) bool) *player {
	var some []*player
	for _, p := range g.players {
		if which(p) {
			some = append(some, p)
		}
	}
	if len(some) == 0 {
		t.Skip("there is none")
	}
	return rapid.SampledFrom(some).Draw(t, "player")
}

func (g *game) enter(t *rapid.T) {
	p := &player{clients: rapid.SliceOfN(rapid.Custom(drawClient), 1, 3).Draw(t, "clients")}
	for range p.clients {
		p.joined = append(p.joined, g.moves)
	}
	ctx, cancel := context.WithCancel(With(context.Background(), p.clients[0]))
	p.cancel = cancel
	p.turn = g.q.Enter(p.clients...)
	go func() {
		p.err = p.turn.Wait(ctx)
		p.over = true
	}()
	g.players = append(g.players, p)
}

func (g *game) join(t *rapid.T) {
	p := g.pick(t, (*player).waits)
	c := drawClient(t)
	p.turn.Join(c)
	p.clients, p.joined = append(p.clients, c), append(p.joined, g.moves)
}

func (g *game) end(t *rapid.T) {
	p := g.pick(t, (*player).holds)
	p.turn.EndFined(time.Duration(rapid.IntRange(0, 3).Draw(t, "fine")) * time.Second)
	p.turn.End()
	g.remove(p)
}

// leave ends the context of a turn, or leaves a turn to end that has come already.
func (g *game) leave(t *rapid.T) {
	p := g.pick(t, (*player).waits)
	if p.cancel(); rapid.Bool().Draw(t, "and a slot comes free") {
		for _, other := range g.players {
			if other.holds() {
				other.turn.End()
				g.remove(other)
				break
			}
		}
	}
}

func (g *game) remove(p *player) {
	p.cancel()
	g.players = slices.DeleteFunc(g.players, func(other *player) bool { return other == p })
}

// check compares the queue with what is known of its turns.
func (g *game) check(t *rapid.T) {
	g.moves++
	waited := map[*player]bool{}
	synctest.Wait()
	held, caps, used := map[string]int{}, map[string]int{}, 0
	for _, p := range slices.Clone(g.players) {
		if p.over && p.err != nil {
			if !errors.Is(p.err, context.Canceled) && !errors.Is(p.err, ErrOverloaded) {
				t.Fatalf("a wait ends with %v", p.err)
			}
			g.remove(p)
			continue
		}
		if p.waits() {
			waited[p] = true
			continue
		}
		used++
		for name, most := range capsOf(p.turn.by.client, g.q.options.Slots) {
			held[name]++
			if caps[name] = most; held[name] > most {
				t.Fatalf("%s holds %d slots; want at most %d", name, held[name], most)
			}
		}
		if !slices.Contains(p.clients, p.turn.by.client) {
			t.Fatalf("a turn of %v came by %v", p.clients, p.turn.by.client)
		}
	}
	if used > g.q.options.Slots {
		t.Fatalf("%d slots are held; want at most %d", used, g.q.options.Slots)
	}
	if s := g.q.Stats(); s.Used != used || s.Waiting > g.q.options.Depth || (s.Waiting > 0) != (len(waited) > 0) {
		t.Fatalf("the queue counts %+v; want %d used, and some waiting: %v", s, used, len(waited) > 0)
	}
	for p := range waited {
		for _, l := range p.turn.lines {
			if used < g.q.options.Slots && !slices.ContainsFunc(slices.Collect(keys(capsOf(l.client, g.q.options.Slots))), func(name string) bool {
				return held[name] >= capsOf(l.client, g.q.options.Slots)[name]
			}) {
				t.Fatalf("a turn of %v waits although a slot is free", l.client)
			}
		}
	}
	if n, most := len(g.q.accounts), 3*(used+g.q.Stats().Waiting)+64; n > most {
		t.Fatalf("%d accounts; want at most %d", n, most)
	}
}

func keys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// inOrder checks that no turn came by a client before an older turn of that client.
func (g *game) inOrder(t *rapid.T, before map[*player]bool) {
	for p := range before {
		if !p.holds() {
			continue
		}
		c := p.turn.by.client
		for other := range before {
			if other.waits() && slices.ContainsFunc(other.turn.lines, func(l *line) bool { return l.client == c }) && other.since(c) < p.since(c) {
				t.Fatalf("of %v a turn that joined in move %d came before that of move %d", c, p.since(c), other.since(c))
			}
		}
	}
}

// since is the move in which a client joined.
func (p *player) since(c Client) int { return p.joined[slices.Index(p.clients, c)] }

// TestProperties plays random games.
func TestProperties(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			g := &game{q: New(Options{
				Slots: rapid.IntRange(1, 6).Draw(t, "slots"), Timeout: time.Hour, Depth: rapid.IntRange(0, 12).Draw(t, "depth"),
			})}
			waiting := map[*player]bool{}
			t.Repeat(map[string]func(*rapid.T){
				"enter": g.enter, "enter again": g.enter, "join": g.join, "end": g.end, "leave": g.leave,
				"time passes": func(t *rapid.T) {
					time.Sleep(time.Duration(rapid.IntRange(1, 1000).Draw(t, "milliseconds")) * time.Millisecond)
				},
				"": func(t *rapid.T) {
					g.check(t)
					g.inOrder(t, waiting)
					clear(waiting)
					for _, p := range g.players {
						if p.waits() {
							waiting[p] = true
						}
					}
				},
			})
			for len(g.players) > 0 {
				for _, p := range slices.Clone(g.players) {
					if p.cancel(); p.holds() {
						p.turn.End()
						g.remove(p)
					}
				}
				g.check(t)
			}
			if s := g.q.Stats(); s.Used != 0 || s.Waiting != 0 || len(g.q.lines) != 0 {
				t.Fatalf("%+v and %d lines are left", s, len(g.q.lines))
			}
			for range 20 {
				time.Sleep(time.Second)
				g.q.Enter(Client{}).End()
			}
			if n := len(g.q.accounts); n > 4 {
				t.Fatalf("%d accounts are left after 20 half-lives", n)
			}
		})
	})
}
