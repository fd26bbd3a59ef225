package store_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store"
)

// A buyer whose client sends the same order a hundred times at once, all with
// one key, has placed one order, and every answer tells of it alike.
func TestOneKeyIsOneOrder(t *testing.T) {
	const repeats = 100
	race(t, 3, 100, func(s *site) func(*site, int) {
		s.crowd(2)
		return func(s *site, round int) {
			v := s.shelve(good{stock: 10})[0]
			s.fill([]string{"buyer0", "buyer1"}, 2, v)
			key := fmt.Sprintf("key-%d", round)
			post := func(name string, body any) *frameworktest.Response {
				return s.as(name).With("Idempotency-Key", key).Post("/api/orders", body)
			}
			answers := together(repeats, func(int) *frameworktest.Response { return post("buyer0", fields{"deliveryAddress": address()}) })
			counted(s.t, answers, map[string]int{"201": repeats})
			replayed := 0
			for _, r := range answers {
				if r.Body() != answers[0].Body() {
					s.t.Fatalf("two answers to one order:\n%s\n%s", r.Body(), answers[0].Body())
				}
				if r.Headers().Get("Idempotent-Replayed") == "true" {
					replayed++
				}
			}
			if replayed != repeats-1 {
				s.t.Errorf("%d answers say that they are repeated; want %d", replayed, repeats-1)
			}
			post("buyer0", fields{"deliveryAddress": address(), "notes": "Ring twice."}).Expect(422).Code("idempotency_key_reused")
			if other := post("buyer1", fields{"deliveryAddress": address()}).Expect(201); idOf(other) == idOf(answers[0]) {
				s.t.Error("another buyer's key led to somebody else's order")
			}
			if left := s.stock(v); left != 6 {
				s.t.Errorf("%d of 10 are left after two orders of 2", left)
			}
		}
	})
}

// Fifty clicks without a key are one order: the others find the cart empty.
func TestClicksWithoutAKey(t *testing.T) {
	race(t, 3, 100, func(s *site) func(*site, int) {
		return func(s *site, _ int) {
			s.fill([]string{"ada"}, 1, s.shelve(good{stock: 100})[0])
			answers := together(50, func(int) *frameworktest.Response { return s.places("ada") })
			counted(s.t, answers, map[string]int{"201": 1, "409 cart_empty": 49})
		}
	})
}

// However often an order is cancelled at once, its items come back once.
func TestCancelledOnce(t *testing.T) {
	race(t, 3, 100, func(s *site) func(*site, int) {
		return func(s *site, _ int) {
			v := s.shelve(good{stock: 7})[0]
			s.fill([]string{"ada"}, 7, v)
			path := "/api/orders/" + idOf(s.places("ada").Expect(201)) + "/cancel"
			answers := together(50, func(int) *frameworktest.Response { return s.as("ada").Post(path, nil) })
			counted(s.t, answers, map[string]int{"200": 1, "409 order_not_cancellable": 49})
			if back := s.stock(v); back != 7 {
				s.t.Errorf("stock %d after the cancellation of all 7", back)
			}
		}
	})
}

// Of a buyer who cancels and staff who pack at the same moment, one wins; the
// items come back if it is the buyer.
func TestCancelAgainstPack(t *testing.T) {
	won := map[string]int{}
	race(t, 10, 100, func(s *site) func(*site, int) {
		s.person("staff")
		return func(s *site, round int) {
			v := s.shelve(good{stock: 3})[0]
			s.fill([]string{"ada"}, 3, v)
			id := idOf(s.places("ada").Expect(201))
			s.as("staff").Post("/api/admin/orders/"+id+"/confirm", nil).Expect(200)
			answers := together(2, func(i int) *frameworktest.Response {
				if i == round%2 {
					return s.as("ada").Post("/api/orders/"+id+"/cancel", nil)
				}
				return s.as("staff").Post("/api/admin/orders/"+id+"/pack", nil)
			})
			counts := tally(answers)
			switch stock := s.stock(v); {
			case counts["200"] == 1 && counts["409 illegal_transition"] == 1 && stock == 3:
				won["cancel"]++
			case counts["200"] == 1 && counts["409 order_not_cancellable"] == 1 && stock == 0:
				won["pack"]++
			default:
				s.t.Errorf("answers %v, stock %d", counts, stock)
			}
		}
	})
	t.Logf("who was first: %v", won)
	if os.Getenv(proving) == "1" && len(won) < 2 {
		t.Errorf("in so many rounds only one was ever first: %v", won)
	}
}

// Adds add up, whoever is first, until the cart takes no more.
func TestAddsAddUp(t *testing.T) {
	race(t, 2, 50, func(s *site) func(*site, int) {
		return func(s *site, round int) {
			v := s.shelve(good{stock: 60})[0]
			name := fmt.Sprintf("ada%d", round)
			s.person(name)
			answers := together(50, func(int) *frameworktest.Response { return s.puts(name, v, 1) })
			counted(s.t, answers, map[string]int{"201": 50})
			cart := s.cart(name)
			if len(cart.Items) != 1 || cart.Items[0].Quantity != 50 || cart.Version != 50 {
				s.t.Errorf("after 50 adds of one: %+v", cart)
			}
			s.puts(name, v, 1).Expect(409).Code("quantity_limit")
		}
	})
}

// What is added while an order is placed is in the order or in the cart, never
// in both and never in neither: of each variant as many as were put there.
func TestAddAgainstPlace(t *testing.T) {
	ordered := map[int64]int{}
	race(t, 10, 100, func(s *site) func(*site, int) {
		return func(s *site, round int) {
			v := s.shelve(good{stock: 50}, good{stock: 50})
			s.fill([]string{"ada"}, 1, v...)
			const requests = 9
			answers := together(requests, func(i int) *frameworktest.Response {
				if i == round%requests {
					return s.places("ada")
				}
				return s.puts("ada", v[i%2], 1)
			})
			counted(s.t, answers, map[string]int{"201": requests})
			var order store.OrderView
			answers[round%requests].JSON(&order)
			units := map[string]int64{}
			for _, item := range order.Items {
				units[item.VariantID.String()] += item.Quantity
			}
			for _, item := range s.cart("ada").Items {
				units[item.Variant.ID.String()] += item.Quantity
			}
			want := map[string]int64{v[0].ID.String(): 1 + 5, v[1].ID.String(): 1 + 4}
			want[v[round%requests%2].ID.String()]-- // the request that placed the order
			if !maps.Equal(units, want) {
				s.t.Errorf("in the order and the cart are %v; want %v", units, want)
			}
			ordered[order.ItemCount]++
		}
	})
	t.Logf("units in the order: %v", ordered)
}

// While staff change prices, a buyer pays what was expected or is told.
func TestPriceChangeAgainstPlace(t *testing.T) {
	seen := map[string]int{}
	race(t, 10, 100, func(s *site) func(*site, int) {
		s.person("staff")
		return func(s *site, round int) {
			v := s.shelve(good{stock: 50, price: 1_000}, good{stock: 50, price: 300})
			s.fill([]string{"ada"}, 2, v...)
			answers := together(3, func(i int) *frameworktest.Response {
				if i == round%3 {
					return s.as("ada").Post("/api/orders", fields{"deliveryAddress": address(), "expectedTotalPaise": 2_600})
				}
				return s.reprice(v[i%2], v[i%2].PricePaise+100)
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
					s.t.Errorf("the total that is told is %d; it was never that", total)
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

// A slot takes as many orders as fit. Who names it is refused then, who does
// not gets the next one.
func TestSlotsFillUp(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		const buyers, capacity = 60, 40
		names := s.crowd(buyers)
		variants := s.shelve(good{stock: 1_000}, good{stock: 1_000}, good{stock: 1_000})
		slots := s.cart("anybody").Checkout.DeliverySlots
		last := slots[len(slots)-1]
		fill := func() {
			for i := range variants {
				s.fill(names[i*buyers/3:(i+1)*buyers/3], 1, variants[i])
			}
		}
		fill()
		answers := together(buyers, func(i int) *frameworktest.Response {
			return s.as(names[i]).Post("/api/orders", fields{"deliveryAddress": address(), "deliverySlotId": last.ID})
		})
		counted(t, answers, map[string]int{"201": capacity, "409 slot_unavailable": buyers - capacity})
		s.audit()

		fill()
		answers = together(buyers, func(i int) *frameworktest.Response { return s.places(names[i]) })
		counted(t, answers, map[string]int{"201": buyers})
		s.audit()
		for _, slot := range s.cart("anybody").Checkout.DeliverySlots {
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
				s.as(name).Post("/api/orders/"+idOf(first)+"/cancel", nil).Expect(200)
			}
		}
		if !s.cart("anybody").Checkout.DeliverySlots[0].Available {
			t.Error("a cancelled order gives its place in the slot back")
		}
		s.audit()
	})
}

func slotOf(r *frameworktest.Response) string {
	var order store.OrderView
	r.JSON(&order)
	return order.DeliverySlot.ID.String()
}
