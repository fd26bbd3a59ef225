package store_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
)

// storeTables are all that the store has.
var storeTables = append(slices.Clone(storetest.CatalogueTables), "carts", "cart_items", "delivery_slots", "orders", "order_items")

// TestNewerColumns: this program serves on while a newer one is rolled out,
// whose migration added columns to every table.
func TestNewerColumns(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		s.everything()
		for _, table := range storeTables {
			s.Exec("ALTER TABLE " + table + " ADD COLUMN newer text")
			s.Exec("UPDATE " + table + " SET newer = 'x'")
		}
		s.everything()
		s.Audit()
		s.AuditCatalogue()
	})
}

// everything sends each request of each resource of the store.
func (s *site) everything() {
	s.T.Helper()
	own := rows.NewID().String()
	p := s.CreateProduct("Tea", fields{"category": fields{"slug": "drinks-" + own, "name": "Drinks"}, "variants": storetest.VariantBodies(own, 2)})
	v := p.Variants[0]
	s.SetStock(v, 9).Expect(200)
	s.PatchProduct(p, fields{"name": "Chai", "variants": []fields{{"id": v.ID, "sku": "C-" + own}, storetest.VariantBody("D-"+own, nil)}}).Expect(200)
	for _, path := range []string{"/api/products", "/api/products?q=chai&sort=relevance", "/api/products/" + p.Slug, "/api/categories"} {
		s.Get(path).Expect(200)
	}
	ada := s.ClientOf("ada")
	var orders []uuid.UUID
	for range 2 {
		s.AddToCart("ada", catalogue.Variant{ID: v.ID}, 2).Expect(201)
		ada.Patch("/api/cart/items/"+s.CartOf("ada").Items[0].ID.String(), fields{"quantity": 1}).Expect(200)
		orders = append(orders, uuid.MustParse(storetest.IDOf(s.PlaceOrderInTurn("ada").Expect(201))))
	}
	s.AddToCart("ada", catalogue.Variant{ID: v.ID}, 2).Expect(201)
	ada.Delete("/api/cart/items/" + s.CartOf("ada").Items[0].ID.String()).Expect(200)
	ada.Delete("/api/cart").Expect(200)
	ada.Get("/api/orders").Expect(200)
	ada.Get("/api/orders/" + orders[0].String()).Expect(200)
	ada.Post("/api/orders/"+orders[0].String()+"/cancel", nil).Expect(200)
	for _, action := range storetest.OrderActions {
		s.TakeStep(orders[1].String(), action).Expect(200)
	}
	s.ClientOf("staff").Get("/api/admin/orders?status=delivered").Expect(200)
}
