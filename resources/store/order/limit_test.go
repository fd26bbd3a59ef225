package order_test

import (
	"context"
	"fmt"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/internal/storetest"
	"trestle.example/resources/store/order"
)

// atLimit is the error of an order over a limit.
func atLimit(limit int, per string) string {
	return fmt.Sprintf(`"details":{"limit":%d,"per":%q}`, limit, per)
}

// A user has at most three orders in a slot that are on their way. Another slot
// takes more of them, and others' orders count for others.
func TestOrdersOfAUserInASlot(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 90})[0]
		slots := s.CartOf("ada").Checkout.DeliverySlots
		place := func(name string, slot delivery.SlotView) *frameworktest.Response {
			s.AddToCart(name, v, 1)
			return s.ClientOf(name).Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody(), "deliverySlotId": slot.ID})
		}
		var ids []string
		for range 3 {
			ids = append(ids, storetest.IDOf(place("ada", slots[0]).Expect(201)))
		}
		before := s.CartOf("ada").Version + 1 // with what is put in next
		key := s.ClientOf("ada").With("Idempotency-Key", "k")
		place("ada", slots[0]).Expect(409).Code("order_limit").Contains(atLimit(3, "slot"))
		key.Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody()}).Expect(409).Code("order_limit").Contains(atLimit(3, "slot"))
		if cart := s.CartOf("ada"); cart.TotalQuantity != 1 || cart.Version != before || s.StockOf(v) != 87 {
			t.Errorf("what was refused changed the cart, %+v, or the stock, %d", cart, s.StockOf(v))
		}
		s.Audit() // and it is not booked

		place("bob", slots[0]).Expect(201)
		place("ada", slots[1]).Expect(201)
		for _, action := range storetest.OrderActions[:3] {
			s.TakeStep(ids[0], action).Expect(200)
			place("ada", slots[0]).Expect(409).Code("order_limit").Contains(atLimit(3, "slot"))
		}
		s.TakeStep(ids[0], "deliver").Expect(200)
		place("ada", slots[0]).Expect(201) // since one was delivered
		place("ada", slots[0]).Expect(409).Code("order_limit")
		s.ClientOf("ada").Post("/api/orders/"+ids[1]+"/cancel", nil).Expect(200)
		key.Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody()}).Expect(201).Header("Idempotent-Replayed", "") // since one was cancelled
		place("ada", slots[0]).Expect(409).Code("order_limit")
		s.Audit()
	})
}

// A user has at most twenty orders in all that are on their way.
func TestOrdersOfAUser(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 90})[0]
		var last string
		for range 20 {
			last = s.OrderOne("ada", v)
		}
		for _, slot := range s.CartOf("ada").Checkout.DeliverySlots[:3] { // full of ada's or not
			s.AddToCart("ada", v, 1)
			s.ClientOf("ada").Post("/api/orders", fields{"deliverySlotId": slot.ID}).Expect(409).Code("order_limit").Contains(atLimit(20, "user"))
		}
		s.OrderOne("bob", v)
		s.ClientOf("ada").Post("/api/orders/"+last+"/cancel", nil).Expect(200)
		s.PlaceOrderInTurn("ada").Expect(201)
		s.AddToCart("ada", v, 1)
		s.PlaceOrderInTurn("ada").Expect(409).Code("order_limit").Contains(atLimit(20, "user"))
		s.DeliverAll()
		s.PlaceOrderInTurn("ada").Expect(201)
		s.Audit()
	})
}

// Concurrent requests get no more than requests one by one: each
// waits for the cart. Every round of adding and ordering ends with an order or an
// error, so after four there are three orders.
func TestOrdersOfAUserAtOnce(t *testing.T) {
	race(t, 3, 50, func(s *site) func(*site, int) {
		return func(s *site, _ int) {
			v := s.Shelve(storetest.Good{Stock: 100})[0]
			slot := s.CartOf("ada").Checkout.DeliverySlots[3].ID
			storetest.Together(10, func(int) (last *frameworktest.Response) {
				for range 4 {
					s.AddToCart("ada", v, 1).Expect(201)
					last = s.ClientOf("ada").Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody(), "deliverySlotId": slot})
				}
				return last
			})
			placed, err := s.DB.NewSelect().Model((*order.Order)(nil)).Where("status = 'placed'").Count(context.Background())
			if s.Must(err); placed != 3 {
				s.T.Errorf("%d orders in one slot; want 3", placed)
			}
			s.ClientOf("ada").Delete("/api/cart")
		}
	})
}
