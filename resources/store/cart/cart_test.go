package cart_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/cart"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
)

// TestAnEmptyCart: reading a cart does not create one.
func TestAnEmptyCart(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		var body map[string]any
		s.ClientOf("ada").Get("/api/cart").Expect(200).JSON(&body)
		checkout := body["checkout"].(map[string]any)
		delete(body, "checkout")
		want := map[string]any{
			"version": 0.0, "items": []any{}, "totalQuantity": 0.0, "subtotalPaise": 0.0, "savingsPaise": 0.0,
			"deliveryFeePaise": 0.0, "totalPaise": 0.0, "canOrder": false,
		}
		if fmt.Sprint(body) != fmt.Sprint(want) {
			t.Errorf("an empty cart is %v; want %v", body, want)
		}
		if len(checkout["deliverySlots"].([]any)) != 18 || checkout["lastAddress"] != nil {
			t.Errorf("its checkout: %v", checkout)
		}
		if n, err := s.DB.NewSelect().Model((*cart.Cart)(nil)).Count(context.Background()); n != 0 || err != nil {
			t.Errorf("%d carts were made by looking (%v)", n, err)
		}
	})
}

// A cart has all that its screen shows, and nothing else.
func TestWhatACartShows(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Name: "Toor Dal", Price: 9_000, MRP: 10_000, Stock: 5}, storetest.Good{Name: "Salt", Price: 2_000, Stock: 5})
		s.AddToCart("ada", v[0], 3)
		var body map[string]any
		s.AddToCart("ada", v[1], 2).Expect(201).JSON(&body)
		for _, c := range []struct {
			path    []any
			members string
		}{
			{nil, "canOrder checkout deliveryFeePaise items savingsPaise subtotalPaise totalPaise totalQuantity version"},
			{[]any{"items", 0}, "id lineTotalPaise previousPricePaise product quantity status unitPricePaise variant"},
			{[]any{"items", 0, "product"}, "brand id imageUrl name slug"},
			{[]any{"items", 0, "variant"}, "id inStock label mrpPaise pricePaise sku unit"},
			{[]any{"checkout"}, "deliverySlots lastAddress"},
			{[]any{"checkout", "deliverySlots", 0}, "available cutoffAt endsAt id startsAt"},
		} {
			if got := storetest.Members(storetest.At(body, c.path...).(map[string]any)); got != c.members {
				t.Errorf("%v has the members %q; want %q", c.path, got, c.members)
			}
		}
		for _, c := range []struct {
			want any
			path []any
		}{
			{2.0, []any{"version"}},
			{5.0, []any{"totalQuantity"}},
			{31_000.0, []any{"subtotalPaise"}},
			{3_000.0, []any{"savingsPaise"}},
			{0.0, []any{"deliveryFeePaise"}},
			{31_000.0, []any{"totalPaise"}},
			{true, []any{"canOrder"}},
			{3.0, []any{"items", 0, "quantity"}},
			{9_000.0, []any{"items", 0, "unitPricePaise"}},
			{nil, []any{"items", 0, "previousPricePaise"}},
			{27_000.0, []any{"items", 0, "lineTotalPaise"}},
			{"ok", []any{"items", 0, "status"}},
			{"Toor Dal", []any{"items", 0, "product", "name"}},
			{v[0].ProductID.String(), []any{"items", 0, "product", "id"}},
			{nil, []any{"items", 0, "product", "brand"}},
			{v[0].ID.String(), []any{"items", 0, "variant", "id"}},
			{v[0].SKU, []any{"items", 0, "variant", "sku"}},
			{"g", []any{"items", 0, "variant", "unit"}},
			{9_000.0, []any{"items", 0, "variant", "pricePaise"}},
			{10_000.0, []any{"items", 0, "variant", "mrpPaise"}},
			{true, []any{"items", 0, "variant", "inStock"}},
			{nil, []any{"items", 1, "variant", "mrpPaise"}},
			{"Salt", []any{"items", 1, "product", "name"}},
		} {
			if got := storetest.At(body, c.path...); got != c.want {
				t.Errorf("%v is %v; want %v", c.path, got, c.want)
			}
		}
		if read := s.ClientOf("ada").Get("/api/cart").Expect(200); read.Body() != s.ClientOf("ada").Get("/api/cart/").Body() {
			t.Error("either form of the path answers alike")
		}
	})
}

func TestAdding(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 60}, storetest.Good{Stock: 3}, storetest.Good{}, storetest.Good{Stock: 9, Unpublished: true}, storetest.Good{Stock: 9, Archived: true})
		const items = "/api/cart/items"
		frameworktest.Run(t, s.ClientOf("ada"), []frameworktest.Scenario{
			{Name: "nothing", Method: "POST", Path: items, Body: fields{}, Status: 400, Code: "validation_failed", Faults: map[string]string{"/variantId": "required"}},
			{Name: "no body", Method: "POST", Path: items, Status: 400, Code: "invalid_json"},
			{Name: "what is no id", Method: "POST", Path: items, Body: fields{"variantId": "x", "quantity": 51}, Status: 400, Faults: map[string]string{"/variantId": "format", "/quantity": "max"}},
			{Name: "no id", Method: "POST", Path: items, Body: fields{"variantId": nil}, Status: 400, Faults: map[string]string{"/variantId": "null"}},
			{Name: "none", Method: "POST", Path: items, Body: fields{"variantId": v[0].ID, "quantity": 0}, Status: 400, Faults: map[string]string{"/quantity": "min"}},
			{Name: "fewer than none", Method: "POST", Path: items, Body: fields{"variantId": v[0].ID, "quantity": -1}, Status: 400, Faults: map[string]string{"/quantity": "min"}},
			{Name: "a quantity that is text", Method: "POST", Path: items, Body: fields{"variantId": v[0].ID, "quantity": "2"}, Status: 400, Faults: map[string]string{"/quantity": "type"}},
			{Name: "half of one", Method: "POST", Path: items, Body: fields{"variantId": v[0].ID, "quantity": 1.5}, Status: 400, Faults: map[string]string{"/quantity": "integer"}},
			{Name: "a quantity that is null", Method: "POST", Path: items, Body: fields{"variantId": v[0].ID, "quantity": nil}, Status: 400, Faults: map[string]string{"/quantity": "null"}},
			{Name: "what does not exist", Method: "POST", Path: items, Body: fields{"variantId": rows.NewID()}, Status: 404, Code: "variant_not_found"},
			{Name: "what is not published", Method: "POST", Path: items, Body: fields{"variantId": v[3].ID}, Status: 404, Code: "variant_not_found"},
			{Name: "what is archived", Method: "POST", Path: items, Body: fields{"variantId": v[4].ID}, Status: 404, Code: "variant_not_found"},
			{Name: "more than there is", Method: "POST", Path: items, Body: fields{"variantId": v[1].ID, "quantity": 4}, Status: 409, Code: "insufficient_stock",
				Contains: []string{`"details":{"availableQuantity":3,"lines":[{"variantId":"` + v[1].ID.String() + `","status":"insufficient_stock","availableQuantity":3}]}`}},
			{Name: "of what is sold out", Method: "POST", Path: items, Body: fields{"variantId": v[2].ID}, Status: 409, Code: "insufficient_stock",
				Contains: []string{`"availableQuantity":0`, `"status":"out_of_stock"`}},
			{Name: "anonymously", Method: "POST", Path: items, Headers: map[string]string{"Authorization": ""}, Body: fields{"variantId": v[0].ID}, Status: 401, Code: "authentication_required"},
			{Name: "a price of one's own", Method: "POST", Path: items, Body: fields{"variantId": v[0].ID, "pricePaise": 1}, Status: 201,
				Contains: []string{`"quantity":1`, `"unitPricePaise":4500`}, Answers: map[string]string{"Trestle-Ignored": "/pricePaise"}},
			{Name: "more of the same", Method: "POST", Path: items, Body: fields{"variantId": v[0].ID, "quantity": 49}, Status: 201, Contains: []string{`"quantity":50`}},
			{Name: "more than a cart takes", Method: "POST", Path: items, Body: fields{"variantId": v[0].ID}, Status: 409, Code: "quantity_limit", Contains: []string{`"details":{"limit":50}`}},
			{Name: "two", Method: "POST", Path: items, Body: fields{"variantId": v[1].ID, "quantity": 2}, Status: 201},
			{Name: "two more, of which there is one", Method: "POST", Path: items, Body: fields{"variantId": v[1].ID, "quantity": 2}, Status: 409, Code: "insufficient_stock",
				Contains: []string{`"availableQuantity":3`, `"itemId":`}},
			{Name: "all lines", Path: items, Status: 405, Answers: map[string]string{"Allow": "POST, OPTIONS"}},
		})
		cart := s.CartOf("ada")
		if len(cart.Items) != 2 || cart.Items[0].Quantity != 50 || cart.Items[1].Quantity != 2 || cart.Version != 3 {
			t.Errorf("what was refused changed nothing: %+v", cart)
		}
	})
}

// A request to add that comes twice with one key adds once.
func TestAddingWithAKey(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 9})[0]
		ada := s.ClientOf("ada").With("Idempotency-Key", "k1")
		first := ada.Post("/api/cart/items", fields{"variantId": v.ID, "quantity": 2}).Expect(201)
		again := ada.Post("/api/cart/items", fields{"variantId": v.ID, "quantity": 2}).Expect(201).Header("Idempotent-Replayed", "true")
		if first.Body() != again.Body() || s.CartOf("ada").TotalQuantity != 2 {
			t.Errorf("added twice: %d in the cart", s.CartOf("ada").TotalQuantity)
		}
		ada.Post("/api/cart/items", fields{"variantId": v.ID, "quantity": 3}).Expect(422).Code("idempotency_key_reused")
	})
}

func TestACartHasAtMostAHundredLines(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(slices.Repeat([]storetest.Good{{Stock: 9}}, 101)...)
		s.FillCarts([]string{"ada"}, 1, v[:99]...)
		s.AddToCart("ada", v[99], 1).Expect(201)
		s.AddToCart("ada", v[100], 1).Expect(409).Code("quantity_limit").Contains(`"details":{"limit":100}`)
		s.AddToCart("ada", v[99], 1).Expect(201)
		if n := len(s.CartOf("ada").Items); n != 100 {
			t.Errorf("%d lines", n)
		}
	})
}

func TestChangingAndRemoving(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 10}, storetest.Good{Stock: 10})
		s.AddToCart("ada", v[0], 4)
		s.AddToCart("ada", v[1], 1)
		s.AddToCart("bob", v[0], 1)
		cart, bobs := s.CartOf("ada"), s.CartOf("bob")
		item, other := "/api/cart/items/"+cart.Items[0].ID.String(), "/api/cart/items/"+cart.Items[1].ID.String()
		s.Exec("UPDATE variants SET stock = 2 WHERE id = ?", v[0].ID)
		frameworktest.Run(t, s.ClientOf("ada"), []frameworktest.Scenario{
			{Name: "none is no change but a removal", Method: "PATCH", Path: item, Body: fields{"quantity": 0}, Status: 400, Faults: map[string]string{"/quantity": "min"}},
			{Name: "more than a cart takes", Method: "PATCH", Path: item, Body: fields{"quantity": 51}, Status: 400, Faults: map[string]string{"/quantity": "max"}},
			{Name: "null", Method: "PATCH", Path: item, Body: fields{"quantity": nil}, Status: 400, Faults: map[string]string{"/quantity": "null"}},
			{Name: "more than there is", Method: "PATCH", Path: item, Body: fields{"quantity": 5}, Status: 409, Code: "insufficient_stock", Contains: []string{`"availableQuantity":2`}},
			{Name: "fewer, but still more than there is", Method: "PATCH", Path: item, Body: fields{"quantity": 3}, Status: 200,
				Contains: []string{`"quantity":3`, `"status":"insufficient_stock","availableQuantity":2`, `"canOrder":false`}},
			{Name: "as many as there are", Method: "PATCH", Path: item, Body: fields{"quantity": 2}, Status: 200, Contains: []string{`"quantity":2`, `"canOrder":true`}, Lacks: []string{"availableQuantity"}},
			{Name: "another variant in its place", Method: "PATCH", Path: item, Body: fields{"variantId": v[1].ID}, Status: 200, Contains: []string{v[0].ID.String()}, Answers: map[string]string{"Trestle-Ignored": "/variantId"}},
			{Name: "another's item", Method: "PATCH", Path: "/api/cart/items/" + bobs.Items[0].ID.String(), Body: fields{"quantity": 2}, Status: 404, Code: "not_found"},
			{Name: "removing another's item", Method: "DELETE", Path: "/api/cart/items/" + bobs.Items[0].ID.String(), Status: 404, Code: "not_found"},
			{Name: "an item that is not there", Method: "PATCH", Path: "/api/cart/items/" + rows.NewID().String(), Body: fields{"quantity": 2}, Status: 404},
			{Name: "what is no id", Method: "DELETE", Path: "/api/cart/items/x", Status: 404},
			{Name: "replacing", Method: "PUT", Path: item, Body: fields{"quantity": 1}, Status: 405, Answers: map[string]string{"Allow": "PATCH, DELETE, OPTIONS"}},
			{Name: "removing anonymously", Method: "DELETE", Path: item, Headers: map[string]string{"Authorization": ""}, Status: 401},
			{Name: "removing", Method: "DELETE", Path: item, Status: 200, Contains: []string{v[1].ID.String()}, Lacks: []string{v[0].ID.String()}},
			{Name: "removing again", Method: "DELETE", Path: item, Status: 404},
			{Name: "changing what was removed", Method: "PATCH", Path: item, Body: fields{"quantity": 1}, Status: 404},
			{Name: "emptying", Method: "DELETE", Path: "/api/cart", Status: 200, Contains: []string{`"items":[]`, `"totalPaise":0`, `"canOrder":false`}},
			{Name: "emptying again", Method: "DELETE", Path: "/api/cart", Status: 200, Contains: []string{`"items":[]`}},
			{Name: "what went with the emptying", Method: "DELETE", Path: other, Status: 404},
			{Name: "making a cart", Method: "POST", Path: "/api/cart", Status: 405, Answers: map[string]string{"Allow": "GET, HEAD, DELETE, OPTIONS"}},
			{Name: "reading anonymously", Path: "/api/cart", Headers: map[string]string{"Authorization": ""}, Status: 401, Code: "authentication_required"},
		})
		if now := s.CartOf("bob"); now.Version != bobs.Version || now.TotalQuantity != 1 {
			t.Errorf("another's cart changed: %+v", now)
		}
	})
}

// A change that names no quantity changes nothing, not even what another request
// wrote since the line was found.
func TestChangingNothing(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Price: 1_000, Stock: 9})[0]
		s.AddToCart("ada", v, 2).Expect(201)
		s.Reprice(v, 1_100).Expect(200)
		before := s.CartOf("ada")
		item := "/api/cart/items/" + before.Items[0].ID.String()
		r := s.ClientOf("ada").Patch(item, fields{}).Expect(200).Contains(`"quantity":2`, `"previousPricePaise":1000`)
		if now := s.ClientOf("ada").Get("/api/cart"); now.Body() != r.Body() || s.CartOf("ada").Version != before.Version {
			t.Errorf("the answer is\n%s, the cart\n%s; its version was %d", r.Body(), now.Body(), before.Version)
		}
		var once sync.Once
		s.DB.Observe(func(_ context.Context, e sqldb.Event) {
			if strings.HasPrefix(e.SQL, "SELECT") && strings.Contains(e.SQL, `FROM "cart_items"`) { // the line was found
				once.Do(func() { s.Exec("UPDATE cart_items SET quantity = 7") })
			}
		})
		s.ClientOf("ada").Patch(item, fields{}).Expect(200).Contains(`"quantity":7`)
		if n := s.CartOf("ada").TotalQuantity; n != 7 {
			t.Errorf("%d are in the cart; another request made it 7", n)
		}
	})
}

// Staff and superusers have carts of their own, and only those.
func TestACartIsOnesOwnForStaffToo(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		s.AddToCart("ada", s.Shelve(storetest.Good{Stock: 9})[0], 2)
		item := "/api/cart/items/" + s.CartOf("ada").Items[0].ID.String()
		for _, name := range []string{"bob", "staff", "root"} {
			if n := len(s.CartOf(name).Items); n != 0 {
				t.Errorf("%s sees %d items of another", name, n)
			}
			s.ClientOf(name).Patch(item, fields{"quantity": 1}).Expect(404)
			s.ClientOf(name).Delete(item).Expect(404)
			s.ClientOf(name).Delete("/api/cart").Expect(200)
		}
		if cart := s.CartOf("ada"); cart.TotalQuantity != 2 || cart.Version != 1 {
			t.Errorf("somebody else wrote to it: %+v", cart)
		}
	})
}

// Lines are never dropped: what changed since is marked, and the totals count
// it.
func TestWhatHappensToLines(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		for i, c := range []struct {
			name      string
			change    string // of the variant, or its product
			status    cart.LineStatus
			available int64 // -1 for none shown
			previous  int64 // 0 for none
			price     int64
		}{
			{"nothing", "", cart.LineOK, -1, 0, 4_500},
			{"dearer", "UPDATE variants SET price_paise = 5000 WHERE id = ?", cart.LineOK, -1, 4_500, 5_000},
			{"cheaper", "UPDATE variants SET price_paise = 1 WHERE id = ?", cart.LineOK, -1, 4_500, 1},
			{"as many as asked", "UPDATE variants SET stock = 3 WHERE id = ?", cart.LineOK, -1, 0, 4_500},
			{"less in stock", "UPDATE variants SET stock = 2 WHERE id = ?", cart.LineInsufficientStock, 2, 0, 4_500},
			{"sold out", "UPDATE variants SET stock = 0, in_stock = (1 = 0) WHERE id = ?", cart.LineOutOfStock, 0, 0, 4_500},
			{"archived", "UPDATE variants SET archived = (1 = 1) WHERE id = ?", cart.LineUnavailable, 0, 0, 4_500},
			{"unpublished", "UPDATE products SET published = (1 = 0) WHERE cheapest_variant_id = ?", cart.LineUnavailable, 0, 0, 4_500},
			{"archived and dearer", "UPDATE variants SET archived = (1 = 1), price_paise = 5000 WHERE id = ?", cart.LineUnavailable, 0, 0, 4_500},
		} {
			t.Run(c.name, func(t *testing.T) {
				s, name := s.on(t), fmt.Sprintf("ada%d", i)
				v := s.Shelve(storetest.Good{Stock: 9}, storetest.Good{Stock: 9, Price: 100})
				s.AddToCart(name, v[0], 3)
				s.AddToCart(name, v[1], 1)
				if c.change != "" {
					s.Exec(c.change, v[0].ID)
				}
				shown := s.CartOf(name)
				line := shown.Items[0]
				if line.Status != c.status || line.UnitPricePaise != c.price || line.LineTotalPaise != 3*c.price {
					t.Errorf("the line: %+v", line)
				}
				if got := orElse(line.AvailableQuantity, -1); got != c.available {
					t.Errorf("available %d; want %d", got, c.available)
				}
				if got := orElse(line.PreviousPricePaise, 0); got != c.previous {
					t.Errorf("previous price %d; want %d", got, c.previous)
				}
				if shown.SubtotalPaise != 3*c.price+100 || shown.TotalQuantity != 4 || shown.CanOrder != (c.status == cart.LineOK) {
					t.Errorf("the cart: %+v", shown)
				}
				item := "/api/cart/items/" + line.ID.String()
				if c.status == cart.LineUnavailable {
					s.ClientOf(name).Patch(item, fields{"quantity": 4}).Expect(409).Code("item_unavailable").Contains(`"availableQuantity":0`)
					s.AddToCart(name, v[0], 1).Expect(404).Code("variant_not_found")
				}
				var changed cart.CartView
				s.ClientOf(name).Patch(item, fields{"quantity": 1}).Expect(200).JSON(&changed)
				if now := changed.Items[0]; now.Quantity != 1 || now.UnitPricePaise != c.price || now.PreviousPricePaise != nil {
					t.Errorf("after it was written the line is %+v", now)
				}
			})
		}
	})
}

func orElse(n *int64, other int64) int64 {
	if n == nil {
		return other
	}
	return *n
}
