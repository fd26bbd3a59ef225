package store_test

import (
	"fmt"
	"html"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store"
)

// A refusal is what goes with a code: the faults, if it names any, and the
// details, if it has any.
type refusal struct {
	faults  bool
	details string
	get     func(s *site) *frameworktest.Response
}

var linesShape = list(object{"itemId": "id", "variantId": "id", "status": "string", "availableQuantity": "integer"}.String())

// refusalsByCode has each code of the store, and how to come by it.
func refusalsByCode() map[string]refusal {
	return map[string]refusal{
		"sku_taken": {faults: true, get: func(s *site) *frameworktest.Response {
			return s.as("staff").Post(newProduct, product("X", fields{"variants": []fields{variant("A1", nil)}}))
		}},
		"slug_taken": {faults: true, get: func(s *site) *frameworktest.Response {
			return s.as("staff").Post(newProduct, product("X", fields{"slug": "atta"}))
		}},
		"last_variant": {get: func(s *site) *frameworktest.Response {
			p := s.offer("Last", nil)
			return s.patch(p, fields{"variants": []fields{{"id": p.Variants[0].ID, "archived": true}}})
		}},
		"variant_limit": {details: object{"limit": "integer", "variants": "integer"}.String(), get: func(s *site) *frameworktest.Response {
			return s.patch(s.offer("Many", nil), fields{"variants": many("many", 100)})
		}},
		"version_conflict": {details: object{"currentVersion": "integer"}.String(), get: func(s *site) *frameworktest.Response {
			return s.patch(s.offer("Old", nil), fields{"version": 7})
		}},
		"stock_changed": {details: object{"currentStock": "integer"}.String(), get: func(s *site) *frameworktest.Response {
			return s.as("staff").Patch(stockPath(s.offer("Sold", nil).Variants[0]), fields{"stock": 1, "expectedStock": 7})
		}},
		"variant_not_found": {get: func(s *site) *frameworktest.Response {
			return s.as("ada").Post("/api/cart/items", fields{"variantId": newID()})
		}},
		"quantity_limit": {details: object{"limit": "integer"}.String(), get: func(s *site) *frameworktest.Response {
			v := s.shelve(good{stock: 90})[0]
			s.fill([]string{"bob"}, 50, v)
			return s.puts("bob", v, 1)
		}},
		"insufficient_stock": {details: object{"availableQuantity": "integer", "lines": linesShape}.String(), get: func(s *site) *frameworktest.Response {
			v := s.shelve(good{stock: 3})[0]
			s.puts("cleo", v, 1).Expect(201)
			return s.puts("cleo", v, 3)
		}},
		"item_unavailable": {details: object{"lines": linesShape}.String(), get: func(s *site) *frameworktest.Response {
			s.fill([]string{"devi"}, 1, s.shelve(good{stock: 9, unpublished: true})...)
			return s.places("devi")
		}},
		"cart_empty": {get: func(s *site) *frameworktest.Response { return s.places("esha") }},
		"cart_changed": {
			details: object{"totalPaise": "integer", "lines": list(object{
				"itemId": "id", "variantId": "id", "quantity": "integer", "unitPricePaise": "integer", "lineTotalPaise": "integer",
			}.String())}.String(),
			get: func(s *site) *frameworktest.Response {
				s.puts("farah", s.shelve(good{stock: 9})[0], 2)
				return s.as("farah").Post("/api/orders", fields{"deliveryAddress": address(), "expectedTotalPaise": 1})
			},
		},
		"slot_unavailable": {get: func(s *site) *frameworktest.Response {
			s.puts("gita", s.shelve(good{stock: 9})[0], 2)
			return s.as("gita").Post("/api/orders", fields{"deliveryAddress": address(), "deliverySlotId": newID()})
		}},
		"order_limit": {details: object{"limit": "integer", "per": "string"}.String(), get: func(s *site) *frameworktest.Response {
			v := s.shelve(good{stock: 9})[0]
			for range 4 {
				s.puts("hema", v, 1)
				s.places("hema")
			}
			return s.places("hema")
		}},
		"order_not_cancellable": {details: object{"status": "string", "cancellableFrom": list("string")}.String(), get: func(s *site) *frameworktest.Response {
			return s.as("ada").Post("/api/orders/"+s.ordered("ada", s.shelve(good{stock: 1})[0], way...)+"/cancel", nil)
		}},
		"illegal_transition": {details: object{"status": "string", "allowed": list("string")}.String(), get: func(s *site) *frameworktest.Response {
			return s.step(s.ordered("ada", s.shelve(good{stock: 1})[0]), "deliver")
		}},
	}
}

// TestCodes: each code of the store is met, with its status, its details and
// nothing besides, and leads to a page that explains it.
func TestCodes(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		s.offer("Atta", fields{"variants": []fields{variant("A1", nil)}})
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
					t.Errorf("the refusal is\n%s; want\n%s", got, want)
				}
				s.Get("/api/errors/"+code.Code).Expect(200).Contains(html.EscapeString(code.Title), "<code>"+code.Code+"</code>")
			})
		}
	})
}
