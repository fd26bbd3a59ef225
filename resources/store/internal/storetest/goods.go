package storetest

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/rows"
)

// A Good is a product with one variant. The defaults are 4500 paise, no list price, and
// published.
type Good struct {
	Name        string
	Price, MRP  int64
	Stock       int64
	Unpublished bool
	Archived    bool
}

// Shelve stores goods past the API and returns their variants. Each stock has a
// movement, as if staff had set it.
func (s *Site) Shelve(goods ...Good) []catalogue.Variant {
	s.T.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	shelf := catalogue.Category{ID: rows.NewID(), Slug: "shelf-" + rows.NewID().String(), Name: "Shelf"}
	var products []catalogue.Product
	var variants []catalogue.Variant
	var movements []catalogue.StockMovement
	for i, g := range goods {
		name := cmp.Or(g.Name, fmt.Sprintf("Good %d", i))
		v := catalogue.Variant{
			ID: rows.NewID(), ProductID: rows.NewID(), Label: "500 g", Unit: "g", PricePaise: cmp.Or(g.Price, 4500),
			Stock: g.Stock, InStock: g.Stock > 0, Archived: g.Archived, CreatedAt: now, UpdatedAt: now,
		}
		v.SKU = "SKU-" + v.ID.String()
		v.SKUFolded = strings.ToLower(v.SKU)
		if g.MRP > 0 {
			v.MRPPaise = &g.MRP
		}
		variants = append(variants, v)
		products = append(products, catalogue.Product{
			ID: v.ProductID, Slug: "good-" + v.ProductID.String(), Name: name, CategoryID: shelf.ID, Published: !g.Unpublished,
			Version: 1, CheapestVariantID: v.ID, PricePaise: v.PricePaise, InStock: v.InStock, CreatedAt: now, UpdatedAt: now,
		})
		movements = append(movements, catalogue.StockMovement{
			ID: rows.NewID(), VariantID: v.ID, Kind: catalogue.StockSet, Delta: g.Stock, StockAfter: g.Stock, RequestID: rows.NewID(), CreatedAt: now,
		})
	}
	for _, stored := range []any{&shelf, &products, &variants, &movements} {
		s.Store(stored)
	}
	return variants
}

// Sibling adds another variant to a variant's product, dearer and sold out.
func (s *Site) Sibling(v catalogue.Variant) catalogue.Variant {
	s.T.Helper()
	v.ID, v.Stock, v.InStock, v.PricePaise, v.Position = rows.NewID(), 0, false, v.PricePaise+1, v.Position+1
	v.SKU = "SKU-" + v.ID.String()
	v.SKUFolded = strings.ToLower(v.SKU)
	s.Store(&v)
	return v
}

// Store stores rows past the API: a pointer to a model, or to a slice of them.
func (s *Site) Store(models any) {
	s.T.Helper()
	_, err := s.DB.NewInsert().Model(models).Exec(context.Background())
	s.Must(err)
}

// Exec runs a statement past the API.
func (s *Site) Exec(query string, args ...any) {
	s.T.Helper()
	_, err := s.DB.NewRaw(query, args...).Exec(context.Background())
	s.Must(err)
}

// AddressBody is a valid address.
func AddressBody() Fields {
	return Fields{
		"name": "Asha Rao", "phone": "9876543210", "line1": "12 Lake Road", "city": "Bengaluru", "state": "Karnataka", "pincode": "560001",
	}
}

// AddToCart adds to a user's cart.
func (s *Site) AddToCart(name string, v catalogue.Variant, quantity int64) *frameworktest.Response {
	s.T.Helper()
	return s.ClientOf(name).Post("/api/cart/items", Fields{"variantId": v.ID, "quantity": quantity})
}

// PlaceOrder orders a user's cart.
func (s *Site) PlaceOrder(name string) *frameworktest.Response {
	s.T.Helper()
	return s.ClientOf(name).Post("/api/orders", Fields{"deliveryAddress": AddressBody()})
}

// DeliverAll marks all orders as delivered, past the API, so that their buyers may place
// others.
func (s *Site) DeliverAll() {
	s.T.Helper()
	s.Exec("UPDATE orders SET status = 'delivered', delivered_at = placed_at WHERE status <> 'cancelled'")
}

// Shop runs a test on both databases, each with a site of its own, on whose
// clock it is noon in India: 18 slots are open, the next begins at four.
func Shop(t *testing.T, test func(t *testing.T, s *Site)) {
	t.Helper()
	Both(t, func(t *testing.T, s *Site) {
		today := s.Now().Truncate(24 * time.Hour)
		noon := today.Add(6*time.Hour + 30*time.Minute)
		s.TurnClock(noon.Add(24 * time.Hour).Sub(s.Now()))
		test(t, s)
	})
}

// AddressWith is the body of an order whose address has another value of a member, or
// lacks it if the value is nil.
func AddressWith(name string, value any) Fields {
	a := AddressBody()
	a[name] = value
	if value == nil {
		delete(a, name)
	}
	return Fields{"deliveryAddress": a}
}
