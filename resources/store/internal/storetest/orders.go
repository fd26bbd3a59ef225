package storetest

import (
	"context"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/order"
)

// PlaceOrderInTurn orders a user's cart, each time for the next open slot: a slot takes
// few orders of one user.
func (s *Site) PlaceOrderInTurn(name string) *frameworktest.Response {
	s.T.Helper()
	before, err := s.DB.NewSelect().Model((*order.Order)(nil)).Count(context.Background())
	s.Must(err)
	open := delivery.OpenSlots(s.Now())
	return s.ClientOf(name).Post("/api/orders", Fields{"deliveryAddress": AddressBody(), "deliverySlotId": open[before%int64(len(open))].ID})
}

// TakeStep takes an action with an order, as staff.
func (s *Site) TakeStep(id, action string) *frameworktest.Response {
	s.T.Helper()
	return s.ClientOf("staff").Post("/api/admin/orders/"+id+"/"+action, nil)
}

// OrderOne places an order of a user for one unit of a variant, takes actions with it as
// staff, and returns its id.
func (s *Site) OrderOne(name string, v catalogue.Variant, actions ...string) string {
	s.T.Helper()
	s.AddToCart(name, v, 1).Expect(201)
	id := IDOf(s.PlaceOrderInTurn(name).Expect(201))
	for _, action := range actions {
		s.TakeStep(id, action).Expect(200)
	}
	return id
}

// OrderActions are the actions of staff with an order, in their order.
var OrderActions = []string{"confirm", "pack", "dispatch", "deliver"}

// Reprice changes a price as staff do.
func (s *Site) Reprice(v catalogue.Variant, price int64) *frameworktest.Response {
	s.T.Helper()
	return s.ClientOf("staff").Patch("/api/admin/products/"+v.ProductID.String(), Fields{"variants": []Fields{{"id": v.ID, "pricePaise": price}}})
}

// StockOf is a variant's stock as it is stored.
func (s *Site) StockOf(v catalogue.Variant) int64 {
	s.T.Helper()
	now := catalogue.Variant{ID: v.ID}
	s.Must(s.DB.NewSelect().Model(&now).WherePK().Scan(context.Background()))
	return now.Stock
}
