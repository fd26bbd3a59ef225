package store_test

import (
	"context"
	"fmt"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store"
)

// atLimit is what an order is refused with.
func atLimit(limit int, per string) string {
	return fmt.Sprintf(`"details":{"limit":%d,"per":%q}`, limit, per)
}

// A user has at most three orders in a slot that are on their way. Another slot
// takes more of them, and others' orders count for others.
func TestOrdersOfAUserInASlot(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.shelve(good{stock: 90})[0]
		slots := s.cart("ada").Checkout.DeliverySlots
		place := func(name string, slot store.SlotView) *frameworktest.Response {
			s.puts(name, v, 1)
			return s.as(name).Post("/api/orders", fields{"deliveryAddress": address(), "deliverySlotId": slot.ID})
		}
		var ids []string
		for range 3 {
			ids = append(ids, idOf(place("ada", slots[0]).Expect(201)))
		}
		before := s.cart("ada").Version + 1 // with what is put in next
		key := s.as("ada").With("Idempotency-Key", "k")
		place("ada", slots[0]).Expect(409).Code("order_limit").Contains(atLimit(3, "slot"))
		key.Post("/api/orders", fields{"deliveryAddress": address()}).Expect(409).Code("order_limit").Contains(atLimit(3, "slot"))
		if cart := s.cart("ada"); cart.TotalQuantity != 1 || cart.Version != before || s.stock(v) != 87 {
			t.Errorf("what was refused changed the cart, %+v, or the stock, %d", cart, s.stock(v))
		}
		s.audit() // nor is it booked

		place("bob", slots[0]).Expect(201)
		place("ada", slots[1]).Expect(201)
		for _, action := range way[:3] {
			s.step(ids[0], action).Expect(200)
			place("ada", slots[0]).Expect(409).Code("order_limit").Contains(atLimit(3, "slot"))
		}
		s.step(ids[0], "deliver").Expect(200)
		place("ada", slots[0]).Expect(201) // since one was delivered
		place("ada", slots[0]).Expect(409).Code("order_limit")
		s.as("ada").Post("/api/orders/"+ids[1]+"/cancel", nil).Expect(200)
		key.Post("/api/orders", fields{"deliveryAddress": address()}).Expect(201).Header("Idempotent-Replayed", "") // since one was cancelled
		place("ada", slots[0]).Expect(409).Code("order_limit")
		s.audit()
	})
}

// A user has at most twenty orders in all that are on their way.
func TestOrdersOfAUser(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.shelve(good{stock: 90})[0]
		var last string
		for range 20 {
			last = s.ordered("ada", v)
		}
		for _, slot := range s.cart("ada").Checkout.DeliverySlots[:3] { // full of ada's or not
			s.puts("ada", v, 1)
			s.as("ada").Post("/api/orders", fields{"deliverySlotId": slot.ID}).Expect(409).Code("order_limit").Contains(atLimit(20, "user"))
		}
		s.ordered("bob", v)
		s.as("ada").Post("/api/orders/"+last+"/cancel", nil).Expect(200)
		s.placesInTurn("ada").Expect(201)
		s.puts("ada", v, 1)
		s.placesInTurn("ada").Expect(409).Code("order_limit").Contains(atLimit(20, "user"))
		s.deliver()
		s.placesInTurn("ada").Expect(201)
		s.audit()
	})
}

// Requests that come at once get no more than those that come one by one: each
// waits for the cart. Every round of adding and ordering ends with an order or a
// refusal, so after four there are three orders.
func TestOrdersOfAUserAtOnce(t *testing.T) {
	race(t, 3, 50, func(s *site) func(*site, int) {
		return func(s *site, _ int) {
			v := s.shelve(good{stock: 100})[0]
			slot := s.cart("ada").Checkout.DeliverySlots[3].ID
			together(10, func(int) (last *frameworktest.Response) {
				for range 4 {
					s.puts("ada", v, 1).Expect(201)
					last = s.as("ada").Post("/api/orders", fields{"deliveryAddress": address(), "deliverySlotId": slot})
				}
				return last
			})
			placed, err := s.db.NewSelect().Model((*store.Order)(nil)).Where("status = 'placed'").Count(context.Background())
			if s.must(err); placed != 3 {
				s.t.Errorf("%d orders in one slot; want 3", placed)
			}
			s.as("ada").Delete("/api/cart")
		}
	})
}
