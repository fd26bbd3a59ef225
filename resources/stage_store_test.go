package resources_test

import (
	"strconv"
	"time"

	"trestle.example/resources/store/cart"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/order"
)

// Values that only staff may read: the number in stock, and the buyers' notes for the
// delivery.
const (
	exactStock = 731_946
	ringTwice  = "ring-twice-at-the-green-door"
)

// shop puts up what the store's requests are about: a product that is sold, one
// of it in the owner's cart, and an order of the owner's in each state on the
// way.
func (s *stage) shop() {
	s.t.Helper()
	now := s.owner.CreatedAt
	s.scan.Hide(s.t, "an exact stock", strconv.Itoa(exactStock), "/api/admin")
	s.scan.Hide(s.t, "an order's notes", ringTwice, "/api/admin")
	shelf := catalogue.Category{ID: newID(), Slug: mark, Name: "C " + mark, ProductCount: 1}
	variant := catalogue.Variant{
		ID: newID(), ProductID: newID(), SKU: mark, SKUFolded: mark, Label: "1 kg " + mark, Unit: "kg", PricePaise: 100, Stock: exactStock, InStock: true,
		CreatedAt: now, UpdatedAt: now,
	}
	product := catalogue.Product{
		ID: variant.ProductID, Slug: mark, Name: "P " + mark, CategoryID: shelf.ID, Published: true, Version: 1,
		CheapestVariantID: variant.ID, PricePaise: 100, InStock: true, CreatedAt: now, UpdatedAt: now,
	}
	basket := cart.Cart{UserID: s.owner.ID, Version: 1, UpdatedAt: now}
	line := cart.CartItem{
		ID: newID(), UserID: s.owner.ID, VariantID: variant.ID, Quantity: 1, CreatedAt: now, SeenPricePaise: 100,
		Seen: cart.Seen{Slug: mark, Name: product.Name, SKU: mark, Label: variant.Label, Unit: variant.Unit},
	}
	slot := delivery.DeliverySlot{ID: newID(), StartsAt: now.Add(time.Hour), EndsAt: now.Add(2 * time.Hour), CutoffAt: now, Capacity: 9, Booked: 4}
	for _, row := range []any{&shelf, &product, &variant, &basket, &line, &slot} {
		s.store(row)
	}
	s.orders = map[order.Status]string{}
	for _, status := range []order.Status{order.Placed, order.Confirmed, order.Packed, order.OutForDelivery} {
		placed := order.Order{
			ID: newID(), UserID: s.owner.ID, Number: newID().String(), Status: status, PlacedAt: now, ItemCount: 1,
			SubtotalPaise: 100, TotalPaise: 100, SlotID: slot.ID, SlotStartsAt: slot.StartsAt, SlotEndsAt: slot.EndsAt,
			Address: addressOf(mark), Notes: ringTwice,
		}
		item := order.OrderItem{
			ID: newID(), OrderID: placed.ID, VariantID: variant.ID, ProductID: product.ID, Slug: mark, Name: product.Name,
			SKU: mark, Label: variant.Label, Unit: "kg", UnitPricePaise: 100, Quantity: 1, LineTotalPaise: 100,
		}
		s.store(&placed)
		s.store(&item)
		s.orders[status] = placed.ID.String()
	}
}

func addressOf(name string) delivery.Address {
	return delivery.Address{Name: name, Phone: "+919876543210", Line1: "1 Lake Road", City: "Pune", State: "Maharashtra", Pincode: "411001"}
}
