package store_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store"
)

// A good is a product with one variant, as a test puts it on the shelf. What is
// left out is usual: 4500 paise, no list price, published.
type good struct {
	name        string
	price, mrp  int64
	stock       int64
	unpublished bool
	archived    bool
}

// shelve stores goods past the API and returns their variants. Each stock is
// there by a movement, as staff would set it.
func (s *site) shelve(goods ...good) []store.Variant {
	s.t.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	shelf := store.Category{ID: newID(), Slug: "shelf-" + newID().String(), Name: "Shelf"}
	var products []store.Product
	var variants []store.Variant
	var movements []store.StockMovement
	for i, g := range goods {
		name := cmp.Or(g.name, fmt.Sprintf("Good %d", i))
		v := store.Variant{
			ID: newID(), ProductID: newID(), Label: "500 g", Unit: "g", PricePaise: cmp.Or(g.price, 4500),
			Stock: g.stock, InStock: g.stock > 0, Archived: g.archived, CreatedAt: now, UpdatedAt: now,
		}
		v.SKU = "SKU-" + v.ID.String()
		v.SKUFolded = strings.ToLower(v.SKU)
		if g.mrp > 0 {
			v.MRPPaise = &g.mrp
		}
		variants = append(variants, v)
		products = append(products, store.Product{
			ID: v.ProductID, Slug: "good-" + v.ProductID.String(), Name: name, CategoryID: shelf.ID, Published: !g.unpublished,
			Version: 1, CheapestVariantID: v.ID, PricePaise: v.PricePaise, InStock: v.InStock, CreatedAt: now, UpdatedAt: now,
		})
		movements = append(movements, store.StockMovement{
			ID: newID(), VariantID: v.ID, Kind: store.StockSet, Delta: g.stock, StockAfter: g.stock, RequestID: newID(), CreatedAt: now,
		})
	}
	for _, rows := range []any{&shelf, &products, &variants, &movements} {
		s.insert(rows)
	}
	return variants
}

// sibling adds another variant to a variant's product, dearer and sold out.
func (s *site) sibling(v store.Variant) store.Variant {
	s.t.Helper()
	v.ID, v.Stock, v.InStock, v.PricePaise, v.Position = newID(), 0, false, v.PricePaise+1, v.Position+1
	v.SKU = "SKU-" + v.ID.String()
	v.SKUFolded = strings.ToLower(v.SKU)
	s.insert(&v)
	return v
}

// insert stores rows past the API.
func (s *site) insert(rows any) {
	s.t.Helper()
	_, err := s.db.NewInsert().Model(rows).Exec(context.Background())
	s.must(err)
}

// exec runs a statement past the API.
func (s *site) exec(query string, args ...any) {
	s.t.Helper()
	_, err := s.db.NewRaw(query, args...).Exec(context.Background())
	s.must(err)
}

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// address is a body that places an order and is right in everything.
func address() fields {
	return fields{
		"name": "Asha Rao", "phone": "9876543210", "line1": "12 Lake Road", "city": "Bengaluru", "state": "Karnataka", "pincode": "560001",
	}
}

// puts adds to a user's cart.
func (s *site) puts(name string, v store.Variant, quantity int64) *frameworktest.Response {
	s.t.Helper()
	return s.as(name).Post("/api/cart/items", fields{"variantId": v.ID, "quantity": quantity})
}

// places orders a user's cart.
func (s *site) places(name string) *frameworktest.Response {
	s.t.Helper()
	return s.as(name).Post("/api/orders", fields{"deliveryAddress": address()})
}

// deliver brings all orders to their buyers, past the API, so that they may
// have others.
func (s *site) deliver() {
	s.t.Helper()
	s.exec("UPDATE orders SET status = 'delivered', delivered_at = placed_at WHERE status <> 'cancelled'")
}

// shop runs a test on both databases, each with a site of its own, on whose
// clock it is noon in India: 18 slots are open, the next begins at four.
func shop(t *testing.T, test func(t *testing.T, s *site)) {
	t.Helper()
	both(t, func(t *testing.T, s *site) {
		today := s.now().Truncate(24 * time.Hour)
		noon := today.Add(6*time.Hour + 30*time.Minute)
		s.wait(noon.Add(24 * time.Hour).Sub(s.now()))
		test(t, s)
	})
}

// with is the usual body with another address member; nil removes it.
func with(name string, value any) fields {
	a := address()
	a[name] = value
	if value == nil {
		delete(a, name)
	}
	return fields{"deliveryAddress": a}
}
