package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
	"trestle.example/resources/store/order"
)

// However large carts and orders are, the statements are as many.
func TestStatementsOfTheCartAndOrders(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		counter := frameworktest.CountStatements(s.DB)
		v := s.Shelve(make([]storetest.Good, 100)...)
		s.Exec("UPDATE variants SET stock = 50, in_stock = (1 = 1)")
		s.Exec("UPDATE products SET in_stock = (1 = 1)")
		for _, lines := range []int{1, 20, 100} {
			name := fmt.Sprintf("ada%d", lines)
			s.FillCarts([]string{name}, 1, v[:lines]...)
			item := "/api/cart/items/" + s.CartOf(name).Items[0].ID.String()
			for _, c := range []struct {
				method, path string
				body         any
				key          string
				status, most int
			}{
				{"GET", "/api/cart", nil, "", 200, 3},
				{"PATCH", item, fields{"quantity": 2}, "", 200, 6},
				{"DELETE", "/api/cart/items/" + rows.NewID().String(), nil, "", 404, 2},
				{"POST", "/api/cart/items", fields{"variantId": v[0].ID}, "", 201, 5},
				{"POST", "/api/cart/items", fields{"variantId": v[0].ID}, "add", 201, 7},
				{"POST", "/api/orders", fields{"deliveryAddress": storetest.AddressBody()}, "place", 201, 11},
				{"POST", "/api/orders", fields{"deliveryAddress": storetest.AddressBody()}, "place", 201, 3},
				{"POST", "/api/orders", fields{"deliveryAddress": storetest.AddressBody()}, "", 409, 3},
				{"GET", "/api/orders", nil, "", 200, 3},
				{"DELETE", "/api/cart", nil, "", 200, 4},
			} {
				client := s.ClientOf(name)
				if c.key != "" {
					client = client.With("Idempotency-Key", c.key)
				}
				ran := counter.During(func() { client.Do(c.method, c.path, c.body).Expect(c.status) })
				if len(ran) != c.most {
					t.Errorf("%d lines: %s %s: %d statements; want %d:\n%s", lines, c.method, c.path, len(ran), c.most, strings.Join(ran, "\n"))
				}
			}
		}
	})
}

// An order that sells something out, without a slot of its own choice, is the
// dearest there is; and a list of more orders than a page has counts them.
func TestStatementsAtMost(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		counter := frameworktest.CountStatements(s.DB)
		goods := make([]storetest.Good, 20)
		for i := range goods {
			goods[i].Stock = 1
		}
		s.FillCarts([]string{"ada"}, 1, s.Shelve(goods...)...)
		var placed *frameworktest.Response
		ran := counter.During(func() {
			placed = s.ClientOf("ada").With("Idempotency-Key", "k").Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody()}).Expect(201)
		})
		slot := slices.IndexFunc(ran, func(text string) bool { return strings.Contains(text, "INSERT INTO delivery_slots") })
		for at, text := range ran {
			if needs := strings.Contains(text, "INSERT INTO") || strings.Contains(text, "idempotency"); at > slot && !needs {
				t.Errorf("while the slot is locked runs %s", text)
			}
		}
		if len(ran) > 12 {
			t.Errorf("placing an order of 20 lines takes %d statements; want 12:\n%s", len(ran), strings.Join(ran, "\n"))
		}
		path := "/api/orders/" + storetest.IDOf(placed)
		s.PersonOf("staff")
		for range 3 {
			s.OrderOne("ada", s.Shelve(storetest.Good{Stock: 1})[0])
		}
		for _, c := range []struct {
			as, method, path string
			most             int
		}{
			{"ada", "GET", path, 3},
			{"ada", "GET", "/api/orders?limit=2", 4},
			{"staff", "GET", "/api/admin/orders?limit=2&status=placed", 4},
			{"staff", "GET", "/api/admin/variants?maxStock=99", 3},
			{"staff", "POST", "/api/admin/orders/" + storetest.IDOf(placed) + "/confirm", 4},
			{"ada", "POST", path + "/cancel", 9},
		} {
			ran := counter.During(func() { s.ClientOf(c.as).Do(c.method, c.path, nil).Expect(200) })
			if len(ran) > c.most {
				t.Errorf("%s %s: %d statements; want %d:\n%s", c.method, c.path, len(ran), c.most, strings.Join(ran, "\n"))
			}
		}
	})
}

// The statements of carts and orders of nearly as many lines are the same to
// prepare.
func TestTextsOfStatements(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		counter := frameworktest.CountStatements(s.DB)
		v := s.Shelve(slices.Repeat([]storetest.Good{{Stock: 90}}, 8)...)
		texts := map[string]int{}
		for lines := 5; lines <= 8; lines++ {
			s.FillCarts([]string{"ada"}, 1, v[:lines]...)
			for _, text := range counter.During(func() { s.PlaceOrderInTurn("ada").Expect(201) }) {
				texts[text]++
			}
		}
		for text, n := range texts {
			if n%4 != 0 {
				t.Errorf("%d of 4 orders run %s", n, text)
			}
		}
		s.Audit()
	})
}

// A slot whose row was given more room takes more orders than the template says.
func TestARowOfASlotCounts(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 90})[0]
		slot := s.CartOf("ada").Checkout.DeliverySlots[0]
		s.Store(&delivery.DeliverySlot{ID: slot.ID, StartsAt: slot.StartsAt, EndsAt: slot.EndsAt, CutoffAt: slot.CutoffAt, Capacity: 1})
		for _, want := range []bool{true, false} {
			s.AddToCart("ada", v, 1)
			var placed order.OrderView
			s.PlaceOrder("ada").Expect(201).JSON(&placed)
			if got := placed.DeliverySlot.ID == slot.ID; got != want {
				t.Errorf("the order is in the first slot: %v; want %v", got, want)
			}
		}
		n, err := s.DB.NewSelect().Model((*delivery.DeliverySlot)(nil)).Count(context.Background())
		if n != 2 || err != nil {
			t.Errorf("%d slots have rows (%v)", n, err)
		}
		s.Audit()
	})
}
