package order_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
	"trestle.example/resources/store/internal/storetest"
)

// 200 buyers want one of 50 units each: exactly 50 get one, and the others keep
// their carts.
func TestNothingIsOversold(t *testing.T) {
	race(t, 3, 100, func(s *site) func(*site, int) {
		buyers := s.Crowd(200)
		return func(s *site, _ int) {
			v := s.Shelve(storetest.Good{Stock: 50})[0]
			s.FillCarts(buyers, 1, v)
			answers := storetest.Together(len(buyers), func(i int) *frameworktest.Response { return s.PlaceOrder(buyers[i]) })
			storetest.CheckTally(s.T, answers, map[string]int{"201": 50, "409 insufficient_stock": 150})
			for i, r := range answers {
				if kept := len(s.CartOf(buyers[i]).Items) == 1; i < 20 && kept != (r.Status() == http.StatusConflict) {
					s.T.Errorf("answered %d, and the cart still has its item: %v", r.Status(), kept)
				}
			}
		}
	})
}

// Carts that hold the same in opposite orders do not wait for each other in a
// circle, nor for cancellations of the same.
func TestOppositeOrdersDoNotMeetInACircle(t *testing.T) {
	race(t, 4, 20, func(s *site) func(*site, int) {
		var goods []storetest.Good
		for range 8 {
			goods = append(goods, storetest.Good{Stock: 10_000})
		}
		variants := s.Shelve(goods...)
		backward := slices.Clone(variants)
		slices.Reverse(backward)
		buyers := s.Crowd(50)
		return func(s *site, _ int) {
			s.FillCarts(buyers[:25], 1, variants...)
			s.FillCarts(buyers[25:], 1, backward...)
			answers := storetest.Together(len(buyers), func(i int) *frameworktest.Response {
				placed := s.PlaceOrder(buyers[i])
				if i%2 == 0 && placed.Status() == http.StatusCreated {
					return s.ClientOf(buyers[i]).Post("/api/orders/"+storetest.IDOf(placed)+"/cancel", nil)
				}
				return placed
			})
			storetest.CheckTally(s.T, answers, map[string]int{"201": 25, "200": 25})
		}
	})
}

// Carts with different variants of the same products do not deadlock either: transactions
// lock the products in the order of their ids, and then the variants of each.
func TestVariantsOfOneProductDoNotMeetInACircle(t *testing.T) {
	race(t, 6, 60, func(s *site) func(*site, int) {
		buyers := s.Crowd(12)
		v := s.Shelve(storetest.Good{Stock: 10_000}, storetest.Good{Stock: 10_000}) // the ids of variants and of products rise
		later := s.Sibling(v[0])
		s.ClientOf("staff").Patch("/api/admin/variants/"+later.ID.String()+"/stock", fields{"stock": 10_000}).Expect(200)
		return func(s *site, _ int) {
			s.FillCarts(buyers[:6], 1, v[0], v[1])
			s.FillCarts(buyers[6:], 1, v[1], later)
			answers := storetest.Together(len(buyers), func(i int) *frameworktest.Response { return s.PlaceOrder(buyers[i]) })
			storetest.CheckTally(s.T, answers, map[string]int{"201": len(buyers)})
		}
	})
}

// Buyers order and cancel while staff set the stocks that they order from. What
// comes of it is audited: whatever was put on the shelf is there, or in an order
// that was not cancelled.
func TestStocksAddUp(t *testing.T) {
	race(t, 1, 12, func(s *site) func(*site, int) {
		buyers := s.Crowd(24)
		s.PersonOf("staff")
		return func(s *site, _ int) {
			v := s.Shelve(storetest.Good{Stock: 30}, storetest.Good{Stock: 30}, storetest.Good{Stock: 30})
			total := map[string]int{}
			var mu sync.Mutex
			hear := func(what string, r *frameworktest.Response) *frameworktest.Response {
				mu.Lock()
				defer mu.Unlock()
				for kind, n := range storetest.Tally([]*frameworktest.Response{r}) {
					total[what+" "+kind] += n
				}
				return r
			}
			storetest.Together(len(buyers)+3, func(i int) (last *frameworktest.Response) {
				for n := range 4 {
					if i >= len(buyers) {
						of := v[i-len(buyers)]
						last = hear("set", s.ClientOf("staff").Patch("/api/admin/variants/"+of.ID.String()+"/stock", fields{"stock": 10 + 5*n}))
						continue
					}
					hear("add", s.AddToCart(buyers[i], v[(i+n)%3], 1+int64(n)))
					last = hear("place", s.PlaceOrder(buyers[i]))
					if last.Status() == http.StatusCreated && (i+n)%2 == 0 {
						last = hear("cancel", s.ClientOf(buyers[i]).Post("/api/orders/"+storetest.IDOf(last)+"/cancel", nil))
					}
				}
				return last
			})
			s.T.Logf("%v", total)
			for kind := range total {
				if !slices.Contains([]string{
					"set 200", "add 201", "add 409 insufficient_stock", "place 201", "place 409 insufficient_stock", "place 409 cart_empty", "cancel 200",
				}, kind) {
					s.T.Errorf("some are answered %s", kind)
				}
			}
			if total["place 201"] == 0 || total["cancel 200"] == 0 || total["set 200"] != 12 {
				s.T.Errorf("too little happened: %v", total)
			}
		}
	})
}

// The first orders of an unused slot come all at once, each
// for another item, so that only the slot is shared.
func TestAFreshSlotIsBookedByManyAtOnce(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		const many = 30
		variants := s.Shelve(slices.Repeat([]storetest.Good{{Stock: 1_000}}, many)...)
		buyers := s.Crowd(many)
		for _, slot := range s.CartOf("anybody").Checkout.DeliverySlots[:proving.Rounds(6, 18)] {
			for i, buyer := range buyers {
				s.FillCarts([]string{buyer}, 1, variants[i])
			}
			answers := storetest.Together(many, func(i int) *frameworktest.Response {
				return s.ClientOf(buyers[i]).Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody(), "deliverySlotId": slot.ID})
			})
			storetest.CheckTally(t, answers, map[string]int{"201": many})
		}
		s.Audit()
	})
}

// An order that is being placed holds what it takes, but who puts the same into
// a cart does not wait for it.
func TestAddingDoesNotWaitForAnOrder(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		if s.DB.Kind() != sqldb.PostgreSQL {
			t.Skip("SQLite has one writer at a time, whatever is locked")
		}
		v := s.Shelve(storetest.Good{Stock: 9})[0]
		s.AddToCart("ada", v, 1)
		s.PersonOf("bob")
		added := false
		during := s.drawing(func() string {
			s.AddToCart("bob", v, 1).Expect(201)
			_, err := s.DB.NewRaw("SELECT 1 FROM variants WHERE id = ? FOR NO KEY UPDATE NOWAIT", v.ID).Exec(context.Background())
			if fault, _ := sqldb.Classify(err); fault.Kind != sqldb.Locked {
				t.Errorf("the order does not hold the variant: %v", err)
			}
			added = true
			return "AAAAAAAA"
		})
		during.PlaceOrder("ada").Expect(201)
		if !added || s.CartOf("bob").TotalQuantity != 1 {
			t.Error("nothing was added while the order was placed")
		}
		s.Audit()
	})
}
