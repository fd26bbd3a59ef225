package storetest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
	"trestle.example/resources/store/cart"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/internal/rows"
)

// Race runs a test on both databases, as many rounds as [proving.Rounds] returns, with one site.
// After each round it audits the site and delivers all orders. No statement may fail by a
// deadlock: the order of locks leaves none to retry.
func Race(t *testing.T, usual, proved int, prepare func(s *Site) func(s *Site, round int)) {
	t.Helper()
	Shop(t, func(t *testing.T, s *Site) {
		s.DB.Observe(func(_ context.Context, e sqldb.Event) {
			if fault, _ := sqldb.Classify(e.Err); fault.Kind == sqldb.Retry || fault.Kind == sqldb.Unique {
				t.Errorf("a statement failed: %v\n%s", e.Err, e.SQL)
			}
		})
		s.WidenSlots(1_000_000)
		run := prepare(s)
		for round := range proving.Rounds(usual, proved) {
			run(s, round)
			s.Audit()
			s.DeliverAll()
			if t.Failed() {
				t.Fatalf("in round %d", round)
			}
		}
	})
}

// Crowd creates n users, and returns their names.
func (s *Site) Crowd(n int) []string {
	s.T.Helper()
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("buyer%d", i)
		s.PersonOf(names[i])
	}
	return names
}

// FillCarts sets the lines of users' carts, past the API: in each cart the variants in
// their order.
func (s *Site) FillCarts(names []string, quantity int64, variants ...catalogue.Variant) {
	s.T.Helper()
	now := s.Now().UTC().Truncate(time.Microsecond)
	var items []cart.CartItem
	for _, name := range names {
		id := s.PersonOf(name).ID
		s.Exec("INSERT INTO carts (user_id, version, updated_at) VALUES (?, 1, ?) ON CONFLICT (user_id) DO NOTHING", id, now)
		for _, v := range variants {
			items = append(items, cart.CartItem{
				ID: rows.NewID(), UserID: id, VariantID: v.ID, Quantity: quantity, SeenPricePaise: v.PricePaise, CreatedAt: now,
				Seen: cart.Seen{SKU: v.SKU, Label: v.Label, Unit: v.Unit, MRPPaise: v.MRPPaise},
			})
		}
	}
	s.Exec("DELETE FROM cart_items WHERE user_id IN (?)", sqldb.List(s.ids(names)))
	s.Store(&items)
}

func (s *Site) ids(names []string) []uuid.UUID {
	ids := make([]uuid.UUID, len(names))
	for i, name := range names {
		ids[i] = s.PersonOf(name).ID
	}
	return ids
}

// WidenSlots sets the capacity of every open slot.
func (s *Site) WidenSlots(capacity int64) {
	s.T.Helper()
	var slots []delivery.DeliverySlot
	for _, slot := range s.CartOf("anybody").Checkout.DeliverySlots {
		slots = append(slots, delivery.DeliverySlot{ID: slot.ID, StartsAt: slot.StartsAt, EndsAt: slot.EndsAt, CutoffAt: slot.CutoffAt, Capacity: capacity})
	}
	s.Store(&slots)
}

// CartOf is a user's cart as it is read.
func (s *Site) CartOf(name string) (view cart.CartView) {
	s.T.Helper()
	s.ClientOf(name).Get("/api/cart").Expect(http.StatusOK).JSON(&view)
	return view
}

// Together runs fn n times, all at once, and returns the answers.
func Together(n int, fn func(i int) *frameworktest.Response) []*frameworktest.Response {
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

// Tally counts answers by status, those of errors by status and code.
func Tally(answers []*frameworktest.Response) map[string]int {
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

// CheckTally checks how many answers there are of each kind.
func CheckTally(tb testing.TB, answers []*frameworktest.Response, want map[string]int) {
	tb.Helper()
	if got := Tally(answers); !maps.Equal(got, want) {
		tb.Errorf("answers %v; want %v", got, want)
	}
}
