package catalogue_test

import (
	"testing"

	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/storetest"
)

// TestAProductHasAtMostAHundredVariants, in any number of requests.
// Archived ones count, and the product can still be changed.
func TestAProductHasAtMostAHundredVariants(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		full := s.CreateProduct("Full", fields{"variants": storetest.VariantBodies("full", 100)})
		s.PatchProduct(full, fields{"variants": storetest.VariantBodies("one-more", 1)}).Expect(409).Code("variant_limit").Contains(`"details":{"limit":100,"variants":100}`)
		s.PatchProduct(full, fields{"variants": []fields{{"id": full.Variants[0].ID, "archived": true}}}).Expect(200)
		s.PatchProduct(full, fields{"variants": storetest.VariantBodies("instead", 1)}).Expect(409).Code("variant_limit")
		s.PatchProduct(full, fields{"name": "Fuller", "variants": []fields{{"id": full.Variants[0].ID, "archived": false}}}).Expect(200)
		s.ClientOf("staff").Post(storetest.ProductsPath, storetest.ProductBody("Over", fields{"variants": storetest.VariantBodies("over", 101)})).Expect(400).Fault("/variants", "max")

		some := s.CreateProduct("Some", fields{"variants": storetest.VariantBodies("some", 60)})
		s.PatchProduct(some, fields{"variants": storetest.VariantBodies("more", 41)}).Expect(409).Contains(`"details":{"limit":100,"variants":60}`)
		some = s.ProductOf(s.PatchProduct(some, fields{"variants": storetest.VariantBodies("more", 40)}).Expect(200))
		if len(some.Variants) != 100 {
			t.Errorf("%d variants", len(some.Variants))
		}
		s.Exec("UPDATE variants SET product_id = ?, position = position + 1000 WHERE product_id = ? AND sku LIKE 'more-%'", full.ID, some.ID)
		if n := len(s.ProductOf(s.PatchProduct(full, fields{"name": "Past it"}).Expect(200)).Variants); n != 140 {
			t.Errorf("a product that is past the limit has %d variants", n)
		}
		s.PatchProduct(full, fields{"variants": storetest.VariantBodies("past", 1)}).Expect(409).Contains(`"details":{"limit":100,"variants":140}`)
	})
}

// TestAProductWithoutAVariantOnSale: only a program without the API can make such a product.
// Customers do not find it, and staff can repair it.
func TestAProductWithoutAVariantOnSale(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		p := s.CreateProduct("Bare", fields{"variants": []fields{storetest.VariantBody("B1", fields{"stock": 1}), storetest.VariantBody("B2", fields{"pricePaise": 9})}})
		id := s.OrderOne("ada", catalogue.Variant{ID: p.Variants[0].ID}) // which sells it out
		s.Exec("UPDATE variants SET archived = (1 = 1)")
		s.Get("/api/products/bare").Expect(404).Code("not_found")
		s.Get("/api/products").Expect(200)
		s.Get("/api/products?q=bare").Expect(200)
		s.ClientOf("ada").Post("/api/orders/"+id+"/cancel", nil).Expect(200) // which puts it back
		s.SetStock(p.Variants[1], 1).Expect(200)
		s.PatchProduct(p, fields{"name": "Barer"}).Expect(409).Code("last_variant")
		s.PatchProduct(p, fields{"variants": []fields{{"id": p.Variants[0].ID, "archived": false}}}).Expect(200)
		s.Get("/api/products/bare").Expect(200).Contains("B1").Lacks("B2")
		s.Audit()
		s.AuditCatalogue()
	})
}
