package store_test

import (
	"testing"

	"trestle.example/resources/store/internal/storetest"
)

// Location leads to what was created: where GET is offered by GET, else by the
// method that is.
func TestLocationOfWhatIsCreated(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Name: "Toor Dal", Price: 9_000, Stock: 5})
		ada := s.ClientOf("ada")
		add := fields{"variantId": v[0].ID, "quantity": 1}
		item := ada.With("Idempotency-Key", "k").Post("/api/cart/items", add).Expect(201).Headers().Get("Location")
		ada.With("Idempotency-Key", "k").Post("/api/cart/items", add).Expect(201).Header("Location", item)
		ada.Post("/api/cart/items", add).Expect(201).Header("Location", item) // the same line
		if want := s.URL() + "/api/cart/items/" + s.CartOf("ada").Items[0].ID.String(); item != want {
			t.Errorf("the item is at %q; want %q", item, want)
		}
		ada.Patch(item, fields{"quantity": 3}).Expect(200).Contains(`"totalQuantity":3`)
		ada.Post("/api/cart/items", fields{"variantId": v[0].ID, "quantity": 50}).Expect(409).Header("Location", "")

		placed := ada.Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody()}).Expect(201)
		ada.Get(placed.Headers().Get("Location")).Expect(200).Contains(placed.Body())

		product := s.ClientOf("staff").Post(storetest.ProductsPath, fields{
			"name": "Curd", "category": fields{"slug": "dairy", "name": "Dairy"},
			"variants": []fields{{"sku": "c1", "label": "400 g", "unit": "g", "pricePaise": 3500}},
		}).Expect(201)
		s.ClientOf("staff").Patch(product.Headers().Get("Location"), fields{"version": 1, "brand": "Annam"}).Expect(200).Contains(`"brand":"Annam"`)
	})
}

// TestLocationOfAnAccount: the address of an account is that of the user who signed in.
func TestLocationOfAnAccount(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		made := s.Post("/api/auth/register", fields{"email": "new@store.example", "password": "four unrelated words"}).Expect(201)
		made.Header("Location", s.URL()+"/api/auth/me")
		var body struct{ Token string }
		made.JSON(&body)
		s.As(body.Token).Get(made.Headers().Get("Location")).Expect(200).Contains("new@store.example")
	})
}
