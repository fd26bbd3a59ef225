package order_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/internal/proving"
	"trestle.example/resources/store/internal/storetest"
	"trestle.example/resources/store/order"
)

// TestOneKeyIsOneOrder: a client sends the same order a hundred times at once, all with
// one key. It places one order, and every answer is the same.
func TestOneKeyIsOneOrder(t *testing.T) {
	const repeats = 100
	race(t, 3, 100, func(s *site) func(*site, int) {
		s.Crowd(2)
		return func(s *site, round int) {
			v := s.Shelve(storetest.Good{Stock: 10})[0]
			s.FillCarts([]string{"buyer0", "buyer1"}, 2, v)
			key := fmt.Sprintf("key-%d", round)
			post := func(name string, body any) *frameworktest.Response {
				return s.ClientOf(name).With("Idempotency-Key", key).Post("/api/orders", body)
			}
			answers := storetest.Together(repeats, func(int) *frameworktest.Response {
				return post("buyer0", fields{"deliveryAddress": storetest.AddressBody()})
			})
			storetest.CheckTally(s.T, answers, map[string]int{"201": repeats})
			replayed := 0
			for _, r := range answers {
				if r.Body() != answers[0].Body() {
					s.T.Fatalf("two answers to one order:\n%s\n%s", r.Body(), answers[0].Body())
				}
				if r.Headers().Get("Idempotent-Replayed") == "true" {
					replayed++
				}
			}
			if replayed != repeats-1 {
				s.T.Errorf("%d answers say that they are repeated; want %d", replayed, repeats-1)
			}
			post("buyer0", fields{"deliveryAddress": storetest.AddressBody(), "notes": "Ring twice."}).Expect(422).Code("idempotency_key_reused")
			if other := post("buyer1", fields{"deliveryAddress": storetest.AddressBody()}).Expect(201); storetest.IDOf(other) == storetest.IDOf(answers[0]) {
				s.T.Error("another buyer's key led to somebody else's order")
			}
			if left := s.StockOf(v); left != 6 {
				s.T.Errorf("%d of 10 are left after two orders of 2", left)
			}
		}
	})
}

// Fifty clicks without a key are one order: the others find the cart empty.
func TestClicksWithoutAKey(t *testing.T) {
	race(t, 3, 100, func(s *site) func(*site, int) {
		return func(s *site, _ int) {
			s.FillCarts([]string{"ada"}, 1, s.Shelve(storetest.Good{Stock: 100})[0])
			answers := storetest.Together(50, func(int) *frameworktest.Response { return s.PlaceOrder("ada") })
			storetest.CheckTally(s.T, answers, map[string]int{"201": 1, "409 cart_empty": 49})
		}
	})
}

// TestCancelledOnce: an order that is cancelled many times at once returns its items once.
func TestCancelledOnce(t *testing.T) {
	race(t, 3, 100, func(s *site) func(*site, int) {
		return func(s *site, _ int) {
			v := s.Shelve(storetest.Good{Stock: 7})[0]
			s.FillCarts([]string{"ada"}, 7, v)
			path := "/api/orders/" + storetest.IDOf(s.PlaceOrder("ada").Expect(201)) + "/cancel"
			answers := storetest.Together(50, func(int) *frameworktest.Response { return s.ClientOf("ada").Post(path, nil) })
			storetest.CheckTally(s.T, answers, map[string]int{"200": 1, "409 order_not_cancellable": 49})
			if back := s.StockOf(v); back != 7 {
				s.T.Errorf("stock %d after the cancellation of all 7", back)
			}
		}
	})
}

// TestCancelAgainstPack: if a buyer cancels and staff pack at the same moment, one succeeds;
// the items are returned if it is the buyer.
func TestCancelAgainstPack(t *testing.T) {
	won := map[string]int{}
	race(t, 10, 100, func(s *site) func(*site, int) {
		s.PersonOf("staff")
		return func(s *site, round int) {
			v := s.Shelve(storetest.Good{Stock: 3})[0]
			s.FillCarts([]string{"ada"}, 3, v)
			id := storetest.IDOf(s.PlaceOrder("ada").Expect(201))
			s.ClientOf("staff").Post("/api/admin/orders/"+id+"/confirm", nil).Expect(200)
			answers := storetest.Together(2, func(i int) *frameworktest.Response {
				if i == round%2 {
					return s.ClientOf("ada").Post("/api/orders/"+id+"/cancel", nil)
				}
				return s.ClientOf("staff").Post("/api/admin/orders/"+id+"/pack", nil)
			})
			counts := storetest.Tally(answers)
			switch stock := s.StockOf(v); {
			case counts["200"] == 1 && counts["409 illegal_transition"] == 1 && stock == 3:
				won["cancel"]++
			case counts["200"] == 1 && counts["409 order_not_cancellable"] == 1 && stock == 0:
				won["pack"]++
			default:
				s.T.Errorf("answers %v, stock %d", counts, stock)
			}
		}
	})
	t.Logf("who was first: %v", won)
	if proving.On() && len(won) < 2 {
		t.Errorf("in so many rounds only one was ever first: %v", won)
	}
}

// TestAddsAddUp: concurrent additions add up, in any order, until the cart is full.
func TestAddsAddUp(t *testing.T) {
	race(t, 2, 50, func(s *site) func(*site, int) {
		return func(s *site, round int) {
			v := s.Shelve(storetest.Good{Stock: 60})[0]
			name := fmt.Sprintf("ada%d", round)
			s.PersonOf(name)
			answers := storetest.Together(50, func(int) *frameworktest.Response { return s.AddToCart(name, v, 1) })
			storetest.CheckTally(s.T, answers, map[string]int{"201": 50})
			cart := s.CartOf(name)
			if len(cart.Items) != 1 || cart.Items[0].Quantity != 50 || cart.Version != 50 {
				s.T.Errorf("after 50 adds of one: %+v", cart)
			}
			s.AddToCart(name, v, 1).Expect(409).Code("quantity_limit")
		}
	})
}

// What is added while an order is placed is in the order or in the cart, never
// in both and never in neither: of each variant as many as were put there.
func TestAddAgainstPlace(t *testing.T) {
	ordered := map[int64]int{}
	race(t, 10, 100, func(s *site) func(*site, int) {
		return func(s *site, round int) {
			v := s.Shelve(storetest.Good{Stock: 50}, storetest.Good{Stock: 50})
			s.FillCarts([]string{"ada"}, 1, v...)
			const requests = 9
			answers := storetest.Together(requests, func(i int) *frameworktest.Response {
				if i == round%requests {
					return s.PlaceOrder("ada")
				}
				return s.AddToCart("ada", v[i%2], 1)
			})
			storetest.CheckTally(s.T, answers, map[string]int{"201": requests})
			var order order.OrderView
			answers[round%requests].JSON(&order)
			units := map[string]int64{}
			for _, item := range order.Items {
				units[item.VariantID.String()] += item.Quantity
			}
			for _, item := range s.CartOf("ada").Items {
				units[item.Variant.ID.String()] += item.Quantity
			}
			want := map[string]int64{v[0].ID.String(): 1 + 5, v[1].ID.String(): 1 + 4}
			want[v[round%requests%2].ID.String()]-- // the request that placed the order
			if !maps.Equal(units, want) {
				s.T.Errorf("in the order and the cart are %v; want %v", units, want)
			}
			ordered[order.ItemCount]++
		}
	})
	t.Logf("units in the order: %v", ordered)
}

// TestPriceChangeAgainstPlace: while staff change prices, a buyer pays the expected total or
// gets an error.
func TestPriceChangeAgainstPlace(t *testing.T) {
	seen := map[string]int{}
	race(t, 10, 100, func(s *site) func(*site, int) {
		s.PersonOf("staff")
		return func(s *site, round int) {
			v := s.Shelve(storetest.Good{Stock: 50, Price: 1_000}, storetest.Good{Stock: 50, Price: 300})
			s.FillCarts([]string{"ada"}, 2, v...)
			answers := storetest.Together(3, func(i int) *frameworktest.Response {
				if i == round%3 {
					return s.ClientOf("ada").Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody(), "expectedTotalPaise": 2_600})
				}
				return s.Reprice(v[i%2], v[i%2].PricePaise+100)
			})
			var told struct {
				TotalPaise int64
				Details    struct{ TotalPaise int64 }
			}
			placed := answers[round%3]
			switch placed.JSON(&told); {
			case placed.Status() == http.StatusCreated && told.TotalPaise == 2_600:
				seen["charged"]++
			default:
				placed.Expect(409).Code("cart_changed")
				if total := told.Details.TotalPaise; total != 2_800 && total != 3_000 {
					s.T.Errorf("the total that is told is %d; it was never that", total)
				}
				seen["told"]++
			}
			for i, r := range answers {
				if i != round%3 {
					r.Expect(200)
				}
			}
		}
	})
	t.Logf("the buyer was: %v", seen)
}

// TestSlotsFillUp: a slot takes as many orders as fit. Then an order that names it is
// rejected, and an order without a slot gets the next one.
func TestSlotsFillUp(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		const buyers, capacity = 60, 40
		names := s.Crowd(buyers)
		variants := s.Shelve(storetest.Good{Stock: 1_000}, storetest.Good{Stock: 1_000}, storetest.Good{Stock: 1_000})
		slots := s.CartOf("anybody").Checkout.DeliverySlots
		last := slots[len(slots)-1]
		fill := func() {
			for i := range variants {
				s.FillCarts(names[i*buyers/3:(i+1)*buyers/3], 1, variants[i])
			}
		}
		fill()
		answers := storetest.Together(buyers, func(i int) *frameworktest.Response {
			return s.ClientOf(names[i]).Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody(), "deliverySlotId": last.ID})
		})
		storetest.CheckTally(t, answers, map[string]int{"201": capacity, "409 slot_unavailable": buyers - capacity})
		s.Audit()

		fill()
		answers = storetest.Together(buyers, func(i int) *frameworktest.Response { return s.PlaceOrder(names[i]) })
		storetest.CheckTally(t, answers, map[string]int{"201": buyers})
		s.Audit()
		for _, slot := range s.CartOf("anybody").Checkout.DeliverySlots {
			if full := slot.ID == last.ID || slot.ID == slots[0].ID; slot.Available == full {
				t.Errorf("slot %s is shown as available: %v", slot.StartsAt, slot.Available)
			}
		}

		first := answers[0]
		for _, r := range answers {
			if r.Status() == http.StatusCreated && slotOf(r) == slots[0].ID.String() {
				first = r
			}
		}
		for i, name := range names {
			if answers[i] == first {
				s.ClientOf(name).Post("/api/orders/"+storetest.IDOf(first)+"/cancel", nil).Expect(200)
			}
		}
		if !s.CartOf("anybody").Checkout.DeliverySlots[0].Available {
			t.Error("a cancelled order gives its place in the slot back")
		}
		s.Audit()
	})
}

func slotOf(r *frameworktest.Response) string {
	var order order.OrderView
	r.JSON(&order)
	return order.DeliverySlot.ID.String()
}
