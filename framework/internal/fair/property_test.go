package fair

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// A move is one step of a random game.
type move struct {
	What    string
	Clients []Client
	At      int // which turn
	Length  time.Duration
}

func moves() *rapid.Generator[move] {
	client := rapid.Custom(func(t *rapid.T) Client {
		if rapid.IntRange(0, 9).Draw(t, "program") == 9 {
			return Client{}
		}
		c := Client{
			Caller:   rapid.SampledFrom([]string{"", "", "a", "b", "c"}).Draw(t, "caller"),
			Address:  rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "address"),
			Resource: rapid.SampledFrom([]string{"", "cities", "patients"}).Draw(t, "resource"),
		}
		c.Anonymous = c.Caller == "" && rapid.Bool().Draw(t, "anonymous")
		return c
	})
	return rapid.Custom(func(t *rapid.T) move {
		return move{
			What:    rapid.SampledFrom([]string{"enter", "enter", "enter", "join", "end", "end", "leave", "leave and end", "sleep"}).Draw(t, "what"),
			Clients: rapid.SliceOfN(client, 1, 3).Draw(t, "clients"),
			At:      rapid.IntRange(0, 20).Draw(t, "at"),
			Length:  time.Duration(rapid.IntRange(0, 2000).Draw(t, "ms")) * time.Millisecond,
		}
	})
}

// A player is a turn of a game, with the goroutine that waits for it.
type player struct {
	turn    *Turn
	clients map[Client]int // in which move each joined
	cancel  context.CancelFunc
	over    atomic.Bool // the wait
	err     error
}

func (p *player) waits() bool { return !p.over.Load() }
func (p *player) holds() bool { return p.over.Load() && p.err == nil }

// A game is random clients at a queue, and what is known of them beside the queue.
type game struct {
	q       *Queue
	players []*player // whose turns wait or hold a slot
	moves   int
	failure string // the first
}

func (g *game) failf(format string, args ...any) {
	if g.failure == "" {
		g.failure = fmt.Sprintf("move %d: ", g.moves) + fmt.Sprintf(format, args...)
	}
}

func (g *game) play(m move) {
	g.moves++
	switch m.What {
	case "enter":
		g.enter(m.Clients)
	case "join":
		if p := g.pick(m.At, (*player).waits); p != nil {
			p.turn.Join(m.Clients[0])
			p.add(m.Clients[0], g.moves)
		}
	case "end":
		g.end(g.pick(m.At, (*player).holds), m.Length)
	case "leave":
		if p := g.pick(m.At, (*player).waits); p != nil {
			p.cancel()
		}
	case "leave and end": // the turn that leaves may have come already
		if p := g.pick(m.At, (*player).waits); p != nil {
			p.cancel()
		}
		g.end(g.pick(m.At, (*player).holds), 0)
	case "sleep":
		pass(m.Length)
	}
}

func (g *game) pick(at int, which func(*player) bool) *player {
	some := slices.DeleteFunc(slices.Clone(g.players), func(p *player) bool { return !which(p) })
	if len(some) == 0 {
		return nil
	}
	return some[at%len(some)]
}

func (g *game) enter(clients []Client) {
	p := &player{clients: map[Client]int{}}
	for _, c := range clients {
		p.add(c, g.moves)
	}
	ctx, cancel := context.WithCancel(With(context.Background(), clients[0]))
	p.cancel = cancel
	p.turn = g.q.Enter(clients...)
	go func() {
		p.err = p.turn.Wait(ctx)
		p.over.Store(true)
	}()
	g.players = append(g.players, p)
}

func (p *player) add(c Client, at int) {
	if _, known := p.clients[c]; !known {
		p.clients[c] = at
	}
}

func (g *game) end(p *player, fine time.Duration) {
	if p == nil {
		return
	}
	p.turn.EndFined(fine)
	p.turn.End()
	p.cancel()
	g.players = slices.DeleteFunc(g.players, func(other *player) bool { return other == p })
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

// check compares the queue with what is known of the turns; before are those that
// waited before the move.
func (g *game) check(before []*player) {
	synctest.Wait()
	for _, p := range slices.Clone(g.players) {
		if p.over.Load() && p.err != nil {
			if !errors.Is(p.err, context.Canceled) && !errors.Is(p.err, ErrOverloaded) {
				g.failf("a wait ends with %v", p.err)
			}
			g.end(p, 0)
		}
	}
	slots, used, held := g.q.options.Slots, 0, map[string]int{}
	for _, p := range g.players {
		if !p.holds() {
			continue
		}
		used++
		by := p.turn.by.client
		for name, most := range capsOf(by, slots) {
			if held[name]++; held[name] > most {
				g.failf("%s holds %d slots; want at most %d", name, held[name], most)
			}
		}
		if _, known := p.clients[by]; !known {
			g.failf("a turn of %v came by %v", p.clients, by)
		}
	}
	waiting := g.waiting()
	if s := g.q.Stats(); used > slots || s.Used != used || s.Waiting > g.q.options.Depth || s.Waiting < len(waiting) {
		g.failf("the queue says %+v of %d slots; %d are held and %d turns wait", s, slots, used, len(waiting))
	}
	for _, p := range waiting {
		for _, l := range p.turn.lines {
			caps := capsOf(l.client, slots)
			if used < slots && !slices.ContainsFunc(slices.Collect(maps.Keys(caps)), func(name string) bool { return held[name] >= caps[name] }) {
				g.failf("a turn of %v waits although a slot is free", l.client)
			}
		}
	}
	for _, p := range before {
		if p.holds() {
			g.inOrder(p, waiting)
		}
	}
}

// inOrder checks that no turn of a client waits that joined before one that came by it.
func (g *game) inOrder(p *player, waiting []*player) {
	c := p.turn.by.client
	for _, other := range waiting {
		waits := slices.ContainsFunc(other.turn.lines, func(l *line) bool { return l.client == c })
		if waits && other.clients[c] < p.clients[c] {
			g.failf("of %v the turn of move %d comes before that of move %d", c, p.clients[c], other.clients[c])
		}
	}
}

func (g *game) waiting() []*player {
	return slices.DeleteFunc(slices.Clone(g.players), func(p *player) bool { return p.over.Load() })
}

// over ends all turns and checks that nothing is left.
func (g *game) over() {
	for len(g.players) > 0 {
		for _, p := range slices.Clone(g.players) {
			if p.cancel(); p.holds() {
				g.end(p, 0)
			}
		}
		g.check(nil)
	}
	if s := g.q.Stats(); s.Used != 0 || s.Waiting != 0 || len(g.q.lines) != 0 {
		g.failf("%+v and %d lines are left", s, len(g.q.lines))
	}
	for range 20 {
		pass(time.Second)
		g.q.Enter(Client{}).End()
	}
	if n := len(g.q.accounts); n > 4 {
		g.failf("%d accounts are left after 20 half-lives", n)
	}
}

// TestProperties plays random games.
func TestProperties(t *testing.T) {
	property := func(rt *rapid.T) {
		o := Options{Slots: rapid.IntRange(1, 6).Draw(rt, "slots"), Timeout: time.Hour, Depth: rapid.IntRange(0, 12).Draw(rt, "depth")}
		script := rapid.SliceOfN(moves(), 1, 60).Draw(rt, "moves")
		g := &game{}
		synctest.Test(t, func(*testing.T) {
			g.q = New(o)
			for _, m := range script {
				before := g.waiting()
				g.play(m)
				g.check(before)
			}
			g.over()
		})
		if g.failure != "" {
			rt.Fatal(g.failure)
		}
	}
	for range 10 {
		rapid.Check(t, property)
	}
}
