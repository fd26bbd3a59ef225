package store_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/cart"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/storetest"
	"trestle.example/resources/store/order"
)

// TestOneRequestPerScreen: a client that shops sends one request for each screen
// and each button, and what it sends comes from the answer before.
func TestOneRequestPerScreen(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		s.CreateProduct("Atta", fields{"variants": []fields{storetest.VariantBody("A1", fields{"stock": 9}), storetest.VariantBody("A2", fields{"pricePaise": 9000, "mrpPaise": 9900, "stock": 9})}})
		ada := s.ClientOf("ada")

		shelf := storetest.ListOf[catalogue.ProductSummary](s.Get("/api/products?category=staples"))
		var page catalogue.ProductDetail
		s.Get("/api/products/" + shelf.Items[0].Slug).Expect(200).JSON(&page)
		var shown cart.CartView
		ada.Post("/api/cart/items", fields{"variantId": shelf.Items[0].CheapestVariant.ID}).Expect(201) // from the card
		ada.Post("/api/cart/items", fields{"variantId": page.Variants[1].ID, "quantity": 2}).Expect(201).JSON(&shown)
		if shown.SubtotalPaise != 22_500 || len(shown.Items) != 2 || shown.Items[1].Product.Slug != page.Slug {
			t.Errorf("the cart is %+v", shown)
		}
		ada.Patch("/api/cart/items/"+shown.Items[0].ID.String(), fields{"quantity": 3}).Expect(200).JSON(&shown)
		var placed order.OrderView
		ada.Post("/api/orders", fields{
			"deliveryAddress": storetest.AddressBody(), "deliverySlotId": shown.Checkout.DeliverySlots[2].ID, "expectedTotalPaise": shown.TotalPaise,
		}).Expect(201).JSON(&placed)
		if placed.TotalPaise != 31_500 || placed.DeliverySlot.ID != shown.Checkout.DeliverySlots[2].ID || !placed.CanCancel {
			t.Errorf("the order is %+v", placed)
		}
		history := storetest.ListOf[order.OrderView](ada.Get("/api/orders"))
		if len(history.Items) != 1 || len(history.Items[0].Items) != 2 || history.Items[0].Status != order.Placed {
			t.Errorf("the orders are %+v", history)
		}

		// Once more: of what was ordered, to where it went.
		ada.Post("/api/cart/items", fields{"variantId": placed.Items[0].VariantID}).Expect(201).JSON(&shown)
		ada.Post("/api/orders", fields{"deliveryAddress": shown.Checkout.LastAddress}).Expect(201).JSON(&placed)
		if placed.DeliveryAddress != *shown.Checkout.LastAddress {
			t.Errorf("it goes to %+v; want %+v", placed.DeliveryAddress, shown.Checkout.LastAddress)
		}
		ada.Post("/api/orders/"+placed.ID.String()+"/cancel", nil).Expect(200).Contains(`"status":"cancelled"`)
	})
}

// TestEveryCartWriteAnswersTheCart as it is read afterwards, and increases its
// version; an error leaves both.
func TestEveryCartWriteAnswersTheCart(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 9}, storetest.Good{Stock: 9})
		ada, item := s.ClientOf("ada"), func(i int) string { return "/api/cart/items/" + s.CartOf("ada").Items[i].ID.String() }
		version := int64(0)
		for _, write := range []struct {
			name    string
			send    func() *frameworktest.Response
			refused bool
		}{
			{"the first", func() *frameworktest.Response { return s.AddToCart("ada", v[0], 1) }, false},
			{"another", func() *frameworktest.Response { return s.AddToCart("ada", v[1], 2) }, false},
			{"more of it", func() *frameworktest.Response { return s.AddToCart("ada", v[1], 2) }, false},
			{"more than there is", func() *frameworktest.Response { return s.AddToCart("ada", v[1], 9) }, true},
			{"fewer", func() *frameworktest.Response { return ada.Patch(item(1), fields{"quantity": 1}) }, false},
			{"as many as before", func() *frameworktest.Response { return ada.Patch(item(1), fields{"quantity": 1}) }, false},
			{"too many", func() *frameworktest.Response { return ada.Patch(item(1), fields{"quantity": 10}) }, true},
			{"a total that is not so", func() *frameworktest.Response {
				return ada.Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody(), "expectedTotalPaise": 1})
			}, true},
			{"none of the first", func() *frameworktest.Response { return ada.Delete(item(0)) }, false},
			{"nothing", func() *frameworktest.Response { return ada.Delete("/api/cart") }, false},
			{"nothing, again", func() *frameworktest.Response { return ada.Delete("/api/cart") }, false},
		} {
			answer := write.send()
			read := ada.Get("/api/cart").Expect(200)
			var shown cart.CartView
			read.JSON(&shown)
			if write.refused {
				answer.Expect(409)
			} else if version++; answer.Body() != read.Body() {
				t.Errorf("%s: the answer is\n%s; the cart is\n%s", write.name, answer.Body(), read.Body())
			}
			if shown.Version != version {
				t.Errorf("%s: the version is %d; want %d", write.name, shown.Version, version)
			}
		}
	})
}

// TestEveryStepAnswersTheOrder as lists have it afterwards: that of staff with
// the notes, the buyer's without.
func TestEveryStepAnswersTheOrder(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		s.AddToCart("ada", s.Shelve(storetest.Good{Stock: 9})[0], 2)
		placed := s.ClientOf("ada").Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody(), "notes": "Ring twice."}).Expect(201)
		same := func(answer *frameworktest.Response) {
			t.Helper()
			listed := storetest.ListOf[json.RawMessage](s.ClientOf("staff").Get("/api/admin/orders")).Items[0]
			if string(listed) != answer.Body() {
				t.Errorf("the answer is\n%s; the list has\n%s", answer.Body(), listed)
			}
			mine := strings.Replace(string(listed), `,"notes":"Ring twice."`, "", 1)
			if read := s.ClientOf("ada").Get("/api/orders/" + storetest.IDOf(placed)).Body(); read != mine {
				t.Errorf("the buyer reads\n%s; want\n%s", read, mine)
			}
			if list := storetest.ListOf[json.RawMessage](s.ClientOf("ada").Get("/api/orders")).Items[0]; string(list) != mine {
				t.Errorf("the buyer's list has\n%s; want\n%s", list, mine)
			}
		}
		for _, action := range storetest.OrderActions {
			s.TurnClock(time.Minute)
			same(s.TakeStep(storetest.IDOf(placed), action).Expect(200))
		}
	})
}

// TestAddingAgainSeesThePrice: the price that a line was written at is that of
// the last time its buyer wrote it, however.
func TestAddingAgainSeesThePrice(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Price: 1_000, Stock: 9}, storetest.Good{Stock: 9})
		s.AddToCart("ada", v[0], 1).Expect(201)
		s.Reprice(v[0], 1_100).Expect(200)
		s.AddToCart("ada", v[1], 1).Expect(201).Contains(`"unitPricePaise":1100,"previousPricePaise":1000`)
		s.AddToCart("ada", v[0], 9).Expect(409)
		s.ClientOf("ada").Get("/api/cart").Contains(`"unitPricePaise":1100,"previousPricePaise":1000`)
		s.AddToCart("ada", v[0], 1).Expect(201).Contains(`"unitPricePaise":1100,"previousPricePaise":null`)
		s.Reprice(v[0], 1_000).Expect(200)
		s.ClientOf("ada").Get("/api/cart").Contains(`"unitPricePaise":1000,"previousPricePaise":1100`)
		s.Reprice(v[0], 1_100).Expect(200) // as it was
		s.ClientOf("ada").Get("/api/cart").Contains(`"unitPricePaise":1100,"previousPricePaise":null`)
	})
}
