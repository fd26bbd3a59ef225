package store_test

import (
	"testing"

	"trestle.example/resources/store"
)

// TestAProductHasAtMostAHundredVariants, whatever the number of requests they
// come by. Those that are archived count, and the product can be changed still.
func TestAProductHasAtMostAHundredVariants(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		full := s.offer("Full", fields{"variants": many("full", 100)})
		s.patch(full, fields{"variants": many("one-more", 1)}).Expect(409).Code("variant_limit").Contains(`"details":{"limit":100,"variants":100}`)
		s.patch(full, fields{"variants": []fields{{"id": full.Variants[0].ID, "archived": true}}}).Expect(200)
		s.patch(full, fields{"variants": many("instead", 1)}).Expect(409).Code("variant_limit")
		s.patch(full, fields{"name": "Fuller", "variants": []fields{{"id": full.Variants[0].ID, "archived": false}}}).Expect(200)
		s.as("staff").Post(newProduct, product("Over", fields{"variants": many("over", 101)})).Expect(400).Fault("/variants", "max")

		some := s.offer("Some", fields{"variants": many("some", 60)})
		s.patch(some, fields{"variants": many("more", 41)}).Expect(409).Contains(`"details":{"limit":100,"variants":60}`)
		some = s.admin(s.patch(some, fields{"variants": many("more", 40)}).Expect(200))
		if len(some.Variants) != 100 {
			t.Errorf("%d variants", len(some.Variants))
		}
		s.exec("UPDATE variants SET product_id = ?, position = position + 1000 WHERE product_id = ? AND sku LIKE 'more-%'", full.ID, some.ID)
		if n := len(s.admin(s.patch(full, fields{"name": "Past it"}).Expect(200)).Variants); n != 140 {
			t.Errorf("a product that is past the limit has %d variants", n)
		}
		s.patch(full, fields{"variants": many("past", 1)}).Expect(409).Contains(`"details":{"limit":100,"variants":140}`)
	})
}

// TestAProductWithoutAVariantOnSale, which only a program past the API can make,
// is nobody's fault but its own: customers do not find it, and staff mend it.
func TestAProductWithoutAVariantOnSale(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		p := s.offer("Bare", fields{"variants": []fields{variant("B1", fields{"stock": 1}), variant("B2", fields{"pricePaise": 9})}})
		id := s.ordered("ada", store.Variant{ID: p.Variants[0].ID}) // which sells it out
		s.exec("UPDATE variants SET archived = (1 = 1)")
		s.Get("/api/products/bare").Expect(404).Code("not_found")
		s.Get("/api/products").Expect(200)
		s.Get("/api/products?q=bare").Expect(200)
		s.as("ada").Post("/api/orders/"+id+"/cancel", nil).Expect(200) // which puts it back
		s.setStock(p.Variants[1], 1).Expect(200)
		s.patch(p, fields{"name": "Barer"}).Expect(409).Code("last_variant")
		s.patch(p, fields{"variants": []fields{{"id": p.Variants[0].ID, "archived": false}}}).Expect(200)
		s.Get("/api/products/bare").Expect(200).Contains("B1").Lacks("B2")
		s.audit()
		s.auditCatalogue()
	})
}
