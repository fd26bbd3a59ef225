package cart_test

import (
	"fmt"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/cart"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/storetest"
)

// What is no longer sold shows in carts what the customer saw when they last
// wrote the line, and nothing of what staff make of it meanwhile.
func TestALineThatIsNoLongerSold(t *testing.T) {
	for _, c := range []struct {
		name string
		hide func(p catalogue.AdminProduct) fields
		show func(p catalogue.AdminProduct) fields
	}{
		{"unpublished", func(catalogue.AdminProduct) fields { return fields{"published": false} }, func(catalogue.AdminProduct) fields { return fields{"published": true} }},
		{"archived", func(p catalogue.AdminProduct) fields {
			return fields{"variants": []fields{{"id": p.Variants[0].ID, "archived": true}}}
		}, func(p catalogue.AdminProduct) fields {
			return fields{"variants": []fields{{"id": p.Variants[0].ID, "archived": false}}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			shop(t, func(t *testing.T, s *site) {
				p := s.CreateProduct("Old Name", fields{
					"slug": "old-slug", "brand": "Old Brand", "imageUrl": "https://old.example/a.png",
					"variants": []fields{
						storetest.VariantBody("OLD-SKU", fields{"label": "1 old bag", "unit": "kg", "pricePaise": 1_000, "mrpPaise": 1_500, "stock": 9}),
						storetest.VariantBody("OTHER", fields{"stock": 9}),
					},
				})
				s.AddToCart("ada", catalogue.Variant{ID: p.Variants[0].ID}, 2).Expect(201)
				sold := s.CartOf("ada").Items[0]
				item := "/api/cart/items/" + sold.ID.String()

				s.PatchProduct(p, c.hide(p)).Expect(200)
				s.PatchProduct(p, fields{
					"name": "New Name", "slug": "new-slug", "brand": "New Brand", "imageUrl": "https://new.example/b.png", "category": fields{"slug": "new-shelf", "name": "New Shelf"},
					"variants": []fields{{"id": p.Variants[0].ID, "sku": "NEW-SKU", "label": "2 new bags", "unit": "piece", "pricePaise": 7_777_777, "mrpPaise": 8_888_888}},
				}).Expect(200)
				s.SetStock(p.Variants[0], 3).Expect(200)

				want := sold
				want.Status, want.Variant.InStock, want.AvailableQuantity = cart.LineUnavailable, false, new(int64)
				same := func(r *frameworktest.Response, status int, quantity int64) {
					t.Helper()
					var cart cart.CartView
					r.Expect(status).Lacks("ew Name", "new", "New", "NEW", "piece", "7777777", "8888888").JSON(&cart)
					want.Quantity, want.LineTotalPaise = quantity, 1_000*quantity
					if got := fmt.Sprint(shown(cart.Items[0])); got != fmt.Sprint(shown(want)) {
						t.Errorf("the line shows\n%s; want\n%s", got, fmt.Sprint(shown(want)))
					}
					if cart.SubtotalPaise != 1_000*quantity || cart.SavingsPaise != 500*quantity || cart.CanOrder {
						t.Errorf("the cart: %+v", cart)
					}
				}
				same(s.ClientOf("ada").Get("/api/cart"), 200, 2)
				same(s.ClientOf("ada").Patch(item, fields{"quantity": 1}), 200, 1)
				s.ClientOf("ada").Patch(item, fields{"quantity": 5}).Expect(409).Code("item_unavailable").Lacks("new", "New", "NEW")
				s.AddToCart("ada", catalogue.Variant{ID: p.Variants[0].ID}, 1).Expect(404).Lacks("New")
				s.PlaceOrder("ada").Expect(409).Code("item_unavailable").Lacks("new", "New", "NEW")
				s.ClientOf("ada").Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody(), "expectedTotalPaise": 1}).Expect(409).Lacks("7777777")
				same(s.ClientOf("ada").Get("/api/cart"), 200, 1)

				s.PatchProduct(p, c.show(p)).Expect(200)
				s.ClientOf("ada").Get("/api/cart").Expect(200).Contains("New Name", "2 new bags", `"previousPricePaise":1000`, `"unitPricePaise":7777777`, `"status":"ok"`)
				s.ClientOf("ada").Patch(item, fields{"quantity": 2}).Expect(200).Contains(`"previousPricePaise":null`)
				s.PatchProduct(p, c.hide(p)).Expect(200)
				s.PatchProduct(p, fields{"name": "Third Name"}).Expect(200)
				s.ClientOf("ada").Get("/api/cart").Expect(200).Contains("New Name", "2 new bags", `"unitPricePaise":7777777`).Lacks("Third Name")
			})
		})
	}
}

// shown is a line with what its pointers point to.
func shown(l cart.CartItemView) string {
	text := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	l2 := l
	l2.Product.Brand, l2.Product.ImageURL, l2.Variant.MRPPaise, l2.PreviousPricePaise, l2.AvailableQuantity = nil, nil, nil, nil, nil
	return strings.Join([]string{
		fmt.Sprintf("%+v", l2), text(l.Product.Brand), text(l.Product.ImageURL),
		fmt.Sprint(orElse(l.Variant.MRPPaise, -1), orElse(l.PreviousPricePaise, -1), orElse(l.AvailableQuantity, -1)),
	}, " ")
}
