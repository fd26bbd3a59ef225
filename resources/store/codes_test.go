package store_test

import (
	"fmt"
	"html"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
)

// A failure is the error of a code: its faults, if it names any, and its
// details, if it has any.
type failure struct {
	faults  bool
	details string
	get     func(s *site) *frameworktest.Response
}

var linesShape = list(object{"itemId": "id", "variantId": "id", "status": "string", "availableQuantity": "integer"}.String())

// refusalsByCode has each code of the store, and how to come by it.
func refusalsByCode() map[string]failure {
	return map[string]failure{
		"sku_taken": {faults: true, get: func(s *site) *frameworktest.Response {
			return s.ClientOf("staff").Post(storetest.ProductsPath, storetest.ProductBody("X", fields{"variants": []fields{storetest.VariantBody("A1", nil)}}))
		}},
		"slug_taken": {faults: true, get: func(s *site) *frameworktest.Response {
			return s.ClientOf("staff").Post(storetest.ProductsPath, storetest.ProductBody("X", fields{"slug": "atta"}))
		}},
		"last_variant": {get: func(s *site) *frameworktest.Response {
			p := s.CreateProduct("Last", nil)
			return s.PatchProduct(p, fields{"variants": []fields{{"id": p.Variants[0].ID, "archived": true}}})
		}},
		"variant_limit": {details: object{"limit": "integer", "variants": "integer"}.String(), get: func(s *site) *frameworktest.Response {
			return s.PatchProduct(s.CreateProduct("Many", nil), fields{"variants": storetest.VariantBodies("many", 100)})
		}},
		"version_conflict": {details: object{"currentVersion": "integer"}.String(), get: func(s *site) *frameworktest.Response {
			return s.PatchProduct(s.CreateProduct("Old", nil), fields{"version": 7})
		}},
		"stock_changed": {details: object{"currentStock": "integer"}.String(), get: func(s *site) *frameworktest.Response {
			return s.ClientOf("staff").Patch(storetest.StockPath(s.CreateProduct("Sold", nil).Variants[0]), fields{"stock": 1, "expectedStock": 7})
		}},
		"variant_not_found": {get: func(s *site) *frameworktest.Response {
			return s.ClientOf("ada").Post("/api/cart/items", fields{"variantId": rows.NewID()})
		}},
		"quantity_limit": {details: object{"limit": "integer"}.String(), get: func(s *site) *frameworktest.Response {
			v := s.Shelve(storetest.Good{Stock: 90})[0]
			s.FillCarts([]string{"bob"}, 50, v)
			return s.AddToCart("bob", v, 1)
		}},
		"insufficient_stock": {details: object{"availableQuantity": "integer", "lines": linesShape}.String(), get: func(s *site) *frameworktest.Response {
			v := s.Shelve(storetest.Good{Stock: 3})[0]
			s.AddToCart("cleo", v, 1).Expect(201)
			return s.AddToCart("cleo", v, 3)
		}},
		"item_unavailable": {details: object{"lines": linesShape}.String(), get: func(s *site) *frameworktest.Response {
			s.FillCarts([]string{"devi"}, 1, s.Shelve(storetest.Good{Stock: 9, Unpublished: true})...)
			return s.PlaceOrder("devi")
		}},
		"cart_empty": {get: func(s *site) *frameworktest.Response { return s.PlaceOrder("esha") }},
		"cart_changed": {
			details: object{"totalPaise": "integer", "lines": list(object{
				"itemId": "id", "variantId": "id", "quantity": "integer", "unitPricePaise": "integer", "lineTotalPaise": "integer",
			}.String())}.String(),
			get: func(s *site) *frameworktest.Response {
				s.AddToCart("farah", s.Shelve(storetest.Good{Stock: 9})[0], 2)
				return s.ClientOf("farah").Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody(), "expectedTotalPaise": 1})
			},
		},
		"slot_unavailable": {get: func(s *site) *frameworktest.Response {
			s.AddToCart("gita", s.Shelve(storetest.Good{Stock: 9})[0], 2)
			return s.ClientOf("gita").Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody(), "deliverySlotId": rows.NewID()})
		}},
		"order_limit": {details: object{"limit": "integer", "per": "string"}.String(), get: func(s *site) *frameworktest.Response {
			v := s.Shelve(storetest.Good{Stock: 9})[0]
			for range 4 {
				s.AddToCart("hema", v, 1)
				s.PlaceOrder("hema")
			}
			return s.PlaceOrder("hema")
		}},
		"order_not_cancellable": {details: object{"status": "string", "cancellableFrom": list("string")}.String(), get: func(s *site) *frameworktest.Response {
			return s.ClientOf("ada").Post("/api/orders/"+s.OrderOne("ada", s.Shelve(storetest.Good{Stock: 1})[0], storetest.OrderActions...)+"/cancel", nil)
		}},
		"illegal_transition": {details: object{"status": "string", "allowed": list("string")}.String(), get: func(s *site) *frameworktest.Response {
			return s.TakeStep(s.OrderOne("ada", s.Shelve(storetest.Good{Stock: 1})[0]), "deliver")
		}},
	}
}

// TestCodes: each code of the store is met, with its status, its details and
// nothing besides, and leads to a page that explains it.
func TestCodes(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		s.CreateProduct("Atta", fields{"variants": []fields{storetest.VariantBody("A1", nil)}})
		all := refusalsByCode()
		if len(all) != len(store.Codes()) {
			t.Errorf("this test has %d codes; the store %d", len(all), len(store.Codes()))
		}
		for _, code := range store.Codes() {
			t.Run(code.Code, func(t *testing.T) {
				s, c := s.on(t), all[code.Code]
				if c.get == nil {
					t.Fatal("this test does not have it")
				}
				want := object{"type": "string", "title": "string", "status": "integer", "detail": "string", "code": "string", "instance": "string", "errors": list("")}
				if c.faults {
					want["errors"] = list(object{"pointer": "string", "code": "string", "detail": "string"}.String())
				}
				if c.details != "" {
					want["details"] = c.details
				}
				r := c.get(s).Expect(code.Status).Code(code.Code).Header("Content-Type", "application/problem+json").Contains(
					fmt.Sprintf(`"title":%q,"status":%d`, code.Title, code.Status), fmt.Sprintf(`"type":"/api/errors/%s"`, code.Code))
				r.Contains(fmt.Sprintf(`"instance":"urn:uuid:%s"`, r.Headers().Get("X-Request-Id")))
				got := &sketch{}
				got.draw(t, r.Body())
				if got.String() != want.String() {
					t.Errorf("the failure is\n%s; want\n%s", got, want)
				}
				s.Get("/api/errors/"+code.Code).Expect(200).Contains(html.EscapeString(code.Title), "<code>"+code.Code+"</code>")
			})
		}
	})
}
