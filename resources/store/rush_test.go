package store_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store"
)

// rounds is how often a race is run: a few times, as often as a proof takes
// with TRESTLE_PROVE=1, and once with -short.
func rounds(usual, proved int) int {
	switch {
	case os.Getenv(proving) == "1":
		return proved
	case testing.Short():
		return 1
	}
	return usual
}

// race runs a test on both databases and as often as rounds says, each round
// with the same site, and audits the site after each, when everything is
// delivered. No statement may fail by
// a deadlock: the order of locks leaves none to retry.
func race(t *testing.T, usual, proved int, prepare func(s *site) func(s *site, round int)) {
	t.Helper()
	shop(t, func(t *testing.T, s *site) {
		s.db.Observe(func(_ context.Context, e sqldb.Event) {
			if fault, _ := sqldb.Classify(e.Err); fault.Kind == sqldb.Retry || fault.Kind == sqldb.Unique {
				t.Errorf("a statement failed: %v\n%s", e.Err, e.SQL)
			}
		})
		s.widen(1_000_000)
		run := prepare(s)
		for round := range rounds(usual, proved) {
			run(s, round)
			s.audit()
			s.deliver()
			if t.Failed() {
				t.Fatalf("in round %d", round)
			}
		}
	})
}

// crowd is n users, known to the site.
func (s *site) crowd(n int) []string {
	s.t.Helper()
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("buyer%d", i)
		s.person(names[i])
	}
	return names
}

// fill makes the carts of users, past the API, the same in each: the variants
// in their order.
func (s *site) fill(names []string, quantity int64, variants ...store.Variant) {
	s.t.Helper()
	now := s.now().UTC().Truncate(time.Microsecond)
	var items []store.CartItem
	for _, name := range names {
		id := s.person(name).ID
		s.exec("INSERT INTO carts (user_id, version, updated_at) VALUES (?, 1, ?) ON CONFLICT (user_id) DO NOTHING", id, now)
		for _, v := range variants {
			items = append(items, store.CartItem{
				ID: newID(), UserID: id, VariantID: v.ID, Quantity: quantity, SeenPricePaise: v.PricePaise, CreatedAt: now,
				Seen: store.Seen{SKU: v.SKU, Label: v.Label, Unit: v.Unit, MRPPaise: v.MRPPaise},
			})
		}
	}
	s.exec("DELETE FROM cart_items WHERE user_id IN (?)", sqldb.List(s.ids(names)))
	s.insert(&items)
}

func (s *site) ids(names []string) []uuid.UUID {
	ids := make([]uuid.UUID, len(names))
	for i, name := range names {
		ids[i] = s.person(name).ID
	}
	return ids
}

// widen gives every open slot room for so many orders.
func (s *site) widen(capacity int64) {
	s.t.Helper()
	var slots []store.DeliverySlot
	for _, slot := range s.cart("anybody").Checkout.DeliverySlots {
		slots = append(slots, store.DeliverySlot{ID: slot.ID, StartsAt: slot.StartsAt, EndsAt: slot.EndsAt, CutoffAt: slot.CutoffAt, Capacity: capacity})
	}
	s.insert(&slots)
}

// cart is a user's cart as it is read.
func (s *site) cart(name string) (view store.CartView) {
	s.t.Helper()
	s.as(name).Get("/api/cart").Expect(http.StatusOK).JSON(&view)
	return view
}

// together runs fn n times, all at once, and returns the answers.
func together(n int, fn func(i int) *frameworktest.Response) []*frameworktest.Response {
	answers := make([]*frameworktest.Response, n)
	start := make(chan struct{})
	var done sync.WaitGroup
	for i := range n {
		done.Go(func() {
			<-start
			answers[i] = fn(i)
		})
	}
	close(start)
	done.Wait()
	return answers
}

// tally counts answers by their status, and by the code of those that refuse.
func tally(answers []*frameworktest.Response) map[string]int {
	counts := map[string]int{}
	for _, r := range answers {
		var problem struct {
			Code string `json:"code"`
		}
		name := strconv.Itoa(r.Status())
		if r.Status() >= http.StatusBadRequest {
			r.JSON(&problem)
			name += " " + problem.Code
		}
		counts[name]++
	}
	return counts
}

// proving is the variable of the environment that is "1" if this is a proof.
const proving = "TRESTLE_PROVE"

// counted checks how many answers there are of each kind.
func counted(tb testing.TB, answers []*frameworktest.Response, want map[string]int) {
	tb.Helper()
	if got := tally(answers); !maps.Equal(got, want) {
		tb.Errorf("answers %v; want %v", got, want)
	}
}
