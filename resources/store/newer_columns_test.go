package store_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"trestle.example/resources/store"
)

// storeTables are all that the store has.
var storeTables = append(slices.Clone(catalogueTables), "carts", "cart_items", "delivery_slots", "orders", "order_items")

// TestNewerColumns: this program serves on while a newer one is rolled out,
// whose migration added columns to every table.
func TestNewerColumns(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		s.everything()
		for _, table := range storeTables {
			s.exec("ALTER TABLE " + table + " ADD COLUMN newer text")
			s.exec("UPDATE " + table + " SET newer = 'x'")
		}
		s.everything()
		s.audit()
		s.auditCatalogue()
	})
}

// everything asks each resource of the store for each thing it does.
func (s *site) everything() {
	s.t.Helper()
	own := newID().String()
	p := s.offer("Tea", fields{"category": fields{"slug": "drinks-" + own, "name": "Drinks"}, "variants": many(own, 2)})
	v := p.Variants[0]
	s.setStock(v, 9).Expect(200)
	s.patch(p, fields{"name": "Chai", "variants": []fields{{"id": v.ID, "sku": "C-" + own}, variant("D-"+own, nil)}}).Expect(200)
	for _, path := range []string{"/api/products", "/api/products?q=chai&sort=relevance", "/api/products/" + p.Slug, "/api/categories"} {
		s.Get(path).Expect(200)
	}
	ada := s.as("ada")
	var orders []uuid.UUID
	for range 2 {
		s.puts("ada", store.Variant{ID: v.ID}, 2).Expect(201)
		ada.Patch("/api/cart/items/"+s.cart("ada").Items[0].ID.String(), fields{"quantity": 1}).Expect(200)
		orders = append(orders, uuid.MustParse(idOf(s.placesInTurn("ada").Expect(201))))
	}
	s.puts("ada", store.Variant{ID: v.ID}, 2).Expect(201)
	ada.Delete("/api/cart/items/" + s.cart("ada").Items[0].ID.String()).Expect(200)
	ada.Delete("/api/cart").Expect(200)
	ada.Get("/api/orders").Expect(200)
	ada.Get("/api/orders/" + orders[0].String()).Expect(200)
	ada.Post("/api/orders/"+orders[0].String()+"/cancel", nil).Expect(200)
	for _, action := range way {
		s.step(orders[1].String(), action).Expect(200)
	}
	s.as("staff").Get("/api/admin/orders?status=delivered").Expect(200)
}
