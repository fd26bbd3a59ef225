package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/auth"
	"trestle.example/framework/mail"
	"trestle.example/resources"
)

// A load is a crowd of buyers and a clerk, who all want the same few things, and registrars, who write
// many patients.
type load struct {
	*shop

	ctx     context.Context
	giveUp  context.CancelFunc // ends the load after its report
	prices  map[string]int64   // by variant
	shelf   []string           // the variants
	narrow  string             // a slot for few orders
	buyers  []*buyer
	clerk   *clerk
	desk    []*registrar
	reader  *follower
	era     atomic.Pointer[era]
	writes  atomic.Int64  // acknowledged
	worked  time.Duration // in total
	resting atomic.Bool
	goal    atomic.Pointer[goal]
	counts  tally
}

// An era ends when what was struck is back.
type era struct{ over chan struct{} }

func newEra() *era { return &era{make(chan struct{})} }

// A goal is a number of orders that are still to be acknowledged.
type goal struct {
	left    atomic.Int64
	reached chan struct{}
	deadly  bool // the blow falls then
}

func newLoad(t *testing.T, seed uint64) *load {
	t.Helper()
	l := &load{shop: openShop(t, rand.New(rand.NewPCG(seed, 0))), prices: map[string]int64{}, counts: tally{n: map[string]int{}}}
	l.era.Store(newEra())
	l.ctx, l.giveUp = context.WithCancel(t.Context())
	identity, err := resources.Identity(auth.Config{Mailer: mail.Log{To: slog.New(slog.DiscardHandler)}, Log: slog.New(slog.DiscardHandler)})
	l.must(err)
	enrol := func(name string, i uint64, staff bool) *client {
		user, token := l.enrol(identity.Users, name, staff)
		return &client{load: l, user: user, dice: rand.New(rand.NewPCG(seed, i)), visitor: visit(t, l.base, nil, "Authorization", "Token "+token)}
	}
	l.clerk = &clerk{client: enrol("staff", 1, true)}
	for i := range buyersAtOnce {
		l.buyers = append(l.buyers, newBuyer(enrol(fmt.Sprint("buyer", i), uint64(2+i), false)))
	}
	for i := range registrarsAtOnce {
		l.desk = append(l.desk, &registrar{
			client: enrol(fmt.Sprint("registrar", i), uint64(2+buyersAtOnce+i), false), phones: map[string]string{}, changes: map[string]int{},
		})
	}
	l.reader = &follower{load: l, last: map[string]string{}, read: map[uuid.UUID]bool{}}
	l.stockShelf()
	l.openSlots()
	return l
}

// enrol stores a user without a password, which takes long to hash, and makes a
// token.
func (l *load) enrol(users *auth.Users, name string, staff bool) (uuid.UUID, string) {
	l.t.Helper()
	user := struct {
		auth.User `bun:",extend"`

		PasswordHash string
	}{User: auth.User{ID: uuid.Must(uuid.NewV7()), Email: name + "@shop.example", IsActive: true, IsStaff: staff}}
	_, err := l.db.NewInsert().Model(&user).Exec(l.ctx)
	l.must(err)
	token, _, err := users.IssueToken(l.ctx, l.db.Session(), user.User, "crash", 24*time.Hour)
	l.must(err)
	return user.ID, token.Reveal()
}

// stockShelf makes three products of two variants each, with a small stock.
func (l *load) stockShelf() {
	l.t.Helper()
	for i, name := range []string{"Atta", "Dahi", "Palak"} {
		body := fmt.Sprintf(`{"name": %q, "category": {"slug": "shelf", "name": "Shelf"}, "variants": [
			{"sku": "%[1]s-1", "label": "500 g", "unit": "g", "pricePaise": %d, "stock": 12},
			{"sku": "%[1]s-2", "label": "1 kg", "unit": "kg", "pricePaise": %d, "stock": 8}]}`, name, 1000+i, 1900+i)
		var product struct {
			Variants []struct {
				ID         string
				PricePaise int64
			}
		}
		got := l.clerk.visitor.send(l.t, "POST /api/admin/products", body).is(l.t, http.StatusCreated)
		l.must(json.Unmarshal([]byte(got.body), &product))
		for _, v := range product.Variants {
			l.prices[v.ID] = v.PricePaise
			l.shelf = append(l.shelf, v.ID)
		}
	}
}

// openSlots makes the first open slot narrow and the others wide.
func (l *load) openSlots() {
	l.t.Helper()
	var cart struct {
		Checkout struct {
			DeliverySlots []struct {
				ID                         string
				StartsAt, EndsAt, CutoffAt time.Time
			}
		}
	}
	got := l.clerk.visitor.send(l.t, "GET /api/cart", "").is(l.t, http.StatusOK)
	l.must(json.Unmarshal([]byte(got.body), &cart))
	for i, slot := range cart.Checkout.DeliverySlots {
		capacity := 10_000
		if i == 0 {
			capacity, l.narrow = 40, slot.ID
		}
		_, err := l.db.NewRaw("INSERT INTO delivery_slots (id, starts_at, ends_at, cutoff_at, capacity, booked) VALUES (?, ?, ?, ?, ?, 0)",
			slot.ID, slot.StartsAt, slot.EndsAt, slot.CutoffAt, capacity).Exec(l.ctx)
		l.must(err)
	}
}

func (l *load) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// work lets all clients work until the test calls rest, which returns when each has the
// answer that it waits for.
func (l *load) work() (rest func()) {
	l.resting.Store(false)
	var all sync.WaitGroup
	for _, b := range l.buyers {
		all.Go(func() { l.repeat(b.step) })
	}
	all.Go(func() { l.repeat(l.clerk.step) })
	for _, r := range l.desk {
		all.Go(func() { l.repeat(r.step) })
	}
	all.Go(func() { l.repeat(l.reader.step) })
	return func() {
		l.resting.Store(true)
		all.Wait()
	}
}

func (l *load) repeat(step func() bool) {
	for !l.resting.Load() && step() {
	}
}

// mark sets a goal.
func (l *load) mark(deadly bool) *goal {
	g := &goal{reached: make(chan struct{}), deadly: deadly}
	g.left.Store(ordersPerHalf)
	l.goal.Store(g)
	return g
}

// count counts an order, and reports whether the goal is reached by it.
func (g *goal) count() bool {
	if g.left.Add(-1) != 0 {
		return false
	}
	close(g.reached)
	return true
}

// await returns when a goal is reached.
func (l *load) await(g *goal) {
	l.t.Helper()
	life := l.life.Load()
	select {
	case <-g.reached:
	case <-l.ctx.Done():
		l.t.FailNow()
	case <-life.ended:
		l.t.Fatalf("the server ended by itself: %s", life.said())
	case <-time.After(waitLimit):
		l.t.Fatalf("after %s %d orders are still to come: %s", waitLimit, g.left.Load(), l.counts.String())
	}
}

// wrong reports a fault. After it all clients stop.
func (l *load) wrong(format string, args ...any) bool {
	l.t.Helper()
	l.t.Errorf(format, args...)
	l.giveUp()
	return false
}

// A tally counts what happened, by its name.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[what]++
}

// of is how often something happened whose name begins so.
func (c *tally) of(prefix string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for what, times := range c.n {
		if strings.HasPrefix(what, prefix) {
			n += times
		}
	}
	return n
}

func (c *tally) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(c.n)) {
		fmt.Fprintf(&b, "\n%6d %s", c.n[what], what)
	}
	return b.String()
}
