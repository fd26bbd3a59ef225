package store_test

import (
	"context"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store"
)

// placesInTurn orders a user's cart, each time for the next of the open slots: a
// slot takes few orders of one user.
func (s *site) placesInTurn(name string) *frameworktest.Response {
	s.t.Helper()
	before, err := s.db.NewSelect().Model((*store.Order)(nil)).Count(context.Background())
	s.must(err)
	open := store.OpenSlots(s.now())
	return s.as(name).Post("/api/orders", fields{"deliveryAddress": address(), "deliverySlotId": open[before%int64(len(open))].ID})
}

// step takes an order one action further as staff.
func (s *site) step(id, action string) *frameworktest.Response {
	s.t.Helper()
	return s.as("staff").Post("/api/admin/orders/"+id+"/"+action, nil)
}

// ordered is a new order of a user for one of a variant, taken through actions
// by staff.
func (s *site) ordered(name string, v store.Variant, actions ...string) string {
	s.t.Helper()
	s.puts(name, v, 1).Expect(201)
	id := idOf(s.placesInTurn(name).Expect(201))
	for _, action := range actions {
		s.step(id, action).Expect(200)
	}
	return id
}

// The way that an order takes; each status is reached by the actions before it.
var way = []string{"confirm", "pack", "dispatch", "deliver"}

// reprice changes a price as staff do.
func (s *site) reprice(v store.Variant, price int64) *frameworktest.Response {
	s.t.Helper()
	return s.as("staff").Patch("/api/admin/products/"+v.ProductID.String(), fields{"variants": []fields{{"id": v.ID, "pricePaise": price}}})
}

// stock is a variant's stock as it is stored.
func (s *site) stock(v store.Variant) int64 {
	s.t.Helper()
	now := store.Variant{ID: v.ID}
	s.must(s.db.NewSelect().Model(&now).WherePK().Scan(context.Background()))
	return now.Stock
}
