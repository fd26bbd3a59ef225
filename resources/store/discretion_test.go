package store_test

import (
	"maps"
	"net/url"
	"strconv"
	"testing"

	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
)

// TestWhatIsKept: only staff can read the number in stock, notes, and what is not
// published. No answer and no error to a buyer contains them: the scan of all answers
// searches for them.
func TestWhatIsKept(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		const stock, staff = 731_946, "/api/admin"
		p := s.CreateProduct("Atta", fields{"variants": []fields{storetest.VariantBody("A1", fields{"stock": stock})}})
		v, hidden := p.Variants[0], s.CreateProduct("Honeycomb", fields{"published": false, "variants": []fields{storetest.VariantBody("HONEYCOMB-1", fields{"stock": stock})}})
		for sold := range 51 {
			s.Scan.Hide(t, "an exact stock", strconv.Itoa(stock-sold), staff)
		}
		for what, text := range map[string]string{
			"why a stock was set": "recounted-by-hemalatha", "why an order was cancelled": "married-somebody-else",
		} {
			s.Scan.Hide(t, what, text)
		}
		s.Scan.Hide(t, "notes", "beware-of-the-parrot", staff)
		s.Scan.Hide(t, "an unpublished product", hidden.ID.String()+" "+hidden.Variants[0].ID.String()+" Honeycomb honeycomb HONEYCOMB-1", staff)

		s.ClientOf("staff").Patch(storetest.StockPath(v), fields{"stock": stock - 1, "reason": "recounted-by-hemalatha"}).Expect(200)
		s.SetStock(v, stock).Expect(200)
		s.ClientOf("staff").Patch(storetest.StockPath(v), fields{"stock": 1, "expectedStock": 1}).Expect(409).Contains("731946")
		buyer := s.ClientOf("ada")
		for _, path := range []string{
			"/api/", "/api/categories", "/api/products", "/api/products?q=atta", "/api/products?q=aata", "/api/products?sort=price_asc&inStock=true", "/api/products?limit=x",
			"/api/products?q=h", "/api/products?q=hone&category=staples", "/api/products/atta", "/api/products/" + url.PathEscape("no such"), "/api/cart", "/api/orders", "/api/errors/insufficient_stock",
			"/api/admin/orders", "/api/admin/nothing", "/api/nothing",
		} {
			s.Get(path)
			buyer.Get(path)
			buyer.Do("OPTIONS", path, nil)
		}
		add := func(id any, quantity int) {
			buyer.Post("/api/cart/items", fields{"variantId": id, "quantity": quantity})
		}
		add(hidden.Variants[0].ID, 1)
		add(v.ID, 51)
		add(v.ID, 50)
		add(v.ID, 1)
		item := "/api/cart/items/" + s.CartOf("ada").Items[0].ID.String()
		buyer.Patch(item, fields{"quantity": 51}).Expect(400)
		buyer.Patch(item, fields{"quantity": 50}).Expect(200)
		order := func(more fields) fields {
			body := fields{"deliveryAddress": storetest.AddressBody(), "notes": "beware-of-the-parrot"}
			maps.Copy(body, more)
			return body
		}
		buyer.Post("/api/orders", order(fields{"expectedTotalPaise": 1})).Expect(409)
		buyer.Post("/api/orders", order(fields{"deliverySlotId": rows.NewID()})).Expect(409)
		buyer.Post("/api/orders", order(fields{"deliveryAddress": fields{}})).Expect(400)
		path := "/api/orders/" + storetest.IDOf(buyer.Post("/api/orders", order(nil)).Expect(201))
		buyer.Get(path).Expect(200)
		buyer.Get("/api/orders").Expect(200)
		s.ClientOf("staff").Get("/api/admin/orders").Expect(200).Contains("beware-of-the-parrot")
		buyer.Post(path+"/cancel", fields{"reason": "married-somebody-else"}).Expect(200)
		buyer.Post(path+"/cancel", fields{"reason": "married-somebody-else"}).Expect(409)
		buyer.Get("/api/orders").Expect(200)
		s.Audit()
	})
}
