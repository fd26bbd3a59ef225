package order_test

import (
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/mail"
	"trestle.example/resources"
	"trestle.example/resources/store/cart"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
	"trestle.example/resources/store/order"
)

// An order shows all of what was bought, where it goes and when, and reads the
// same wherever it is read.
func TestWhatAnOrderShows(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Name: "Toor Dal", Price: 9_000, MRP: 10_000, Stock: 5}, storetest.Good{Name: "Salt", Price: 2_000, Stock: 5})
		s.AddToCart("ada", v[0], 3)
		s.AddToCart("ada", v[1], 2)
		slot := s.CartOf("ada").Checkout.DeliverySlots[4]
		placed := s.ClientOf("ada").Post("/api/orders", fields{
			"deliveryAddress": storetest.AddressBody(), "deliverySlotId": slot.ID, "expectedTotalPaise": 31_000, "notes": "Ring twice.",
		}).Expect(201).Lacks("Ring twice")
		var body map[string]any
		placed.JSON(&body)
		for _, c := range []struct {
			path    []any
			members string
		}{
			{nil, "canCancel cancelledAt deliveryAddress deliveryFeePaise deliverySlot id itemCount items number placedAt savingsPaise status statusHistory subtotalPaise totalPaise"},
			{[]any{"items", 0}, "brand id imageUrl label lineTotalPaise mrpPaise name quantity sku slug unit unitPricePaise variantId"},
			{[]any{"deliverySlot"}, "endsAt id startsAt"},
			{[]any{"deliveryAddress"}, "city landmark line1 line2 name phone pincode state"},
			{[]any{"statusHistory", 0}, "at status"},
		} {
			if got := storetest.Members(storetest.At(body, c.path...).(map[string]any)); got != c.members {
				t.Errorf("%v has the members %q; want %q", c.path, got, c.members)
			}
		}
		for _, c := range []struct {
			want any
			path []any
		}{
			{"placed", []any{"status"}},
			{true, []any{"canCancel"}},
			{nil, []any{"cancelledAt"}},
			{5.0, []any{"itemCount"}},
			{31_000.0, []any{"subtotalPaise"}},
			{3_000.0, []any{"savingsPaise"}},
			{0.0, []any{"deliveryFeePaise"}},
			{31_000.0, []any{"totalPaise"}},
			{"Toor Dal", []any{"items", 0, "name"}},
			{"good-" + v[0].ProductID.String(), []any{"items", 0, "slug"}},
			{v[0].ID.String(), []any{"items", 0, "variantId"}},
			{v[0].SKU, []any{"items", 0, "sku"}},
			{"500 g", []any{"items", 0, "label"}},
			{"g", []any{"items", 0, "unit"}},
			{9_000.0, []any{"items", 0, "unitPricePaise"}},
			{10_000.0, []any{"items", 0, "mrpPaise"}},
			{3.0, []any{"items", 0, "quantity"}},
			{27_000.0, []any{"items", 0, "lineTotalPaise"}},
			{nil, []any{"items", 0, "brand"}},
			{nil, []any{"items", 1, "mrpPaise"}},
			{"Salt", []any{"items", 1, "name"}},
			{slot.ID.String(), []any{"deliverySlot", "id"}},
			{slot.StartsAt.Format(time.RFC3339), []any{"deliverySlot", "startsAt"}},
			{slot.EndsAt.Format(time.RFC3339), []any{"deliverySlot", "endsAt"}},
			{"+919876543210", []any{"deliveryAddress", "phone"}},
			{nil, []any{"deliveryAddress", "line2"}},
			{"560001", []any{"deliveryAddress", "pincode"}},
			{"placed", []any{"statusHistory", 0, "status"}},
			{body["placedAt"], []any{"statusHistory", 0, "at"}},
		} {
			if got := storetest.At(body, c.path...); got != c.want {
				t.Errorf("%v is %v; want %v", c.path, got, c.want)
			}
		}
		if read := s.ClientOf("ada").Get("/api/orders/" + storetest.IDOf(placed)).Expect(200); read.Body() != placed.Body() {
			t.Errorf("read:\n%s\nplaced:\n%s", read.Body(), placed.Body())
		}
		if list := s.ClientOf("ada").Get("/api/orders").Expect(200); list.Body() != `{"items":[`+placed.Body()+`],"page":1,"limit":20,"total":1,"totalPages":1,"hasNext":false}` {
			t.Errorf("listed:\n%s\nplaced:\n%s", list.Body(), placed.Body())
		}
		cart := s.CartOf("ada")
		if len(cart.Items) != 0 || cart.Version != 3 || cart.Checkout.LastAddress == nil || cart.Checkout.LastAddress.Phone != "+919876543210" {
			t.Errorf("the cart afterwards: %+v", cart)
		}
		if s.StockOf(v[0]) != 2 || s.StockOf(v[1]) != 3 {
			t.Errorf("stocks %d and %d", s.StockOf(v[0]), s.StockOf(v[1]))
		}
		s.Audit()
	})
}

func TestWhatIsNoOrder(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		s.AddToCart("ada", s.Shelve(storetest.Good{Stock: 9})[0], 2)
		const orders, at = "/api/orders", "/deliveryAddress/"
		long := strings.Repeat("x", 501)
		frameworktest.Run(t, s.ClientOf("ada"), []frameworktest.Scenario{
			{Name: "no body", Method: "POST", Path: orders, Status: 400, Code: "invalid_json"},
			{Name: "no address, and none before", Method: "POST", Path: orders, Body: fields{}, Status: 400, Code: "validation_failed", Faults: map[string]string{"/deliveryAddress": "required"}},
			{Name: "an address of null, and none before", Method: "POST", Path: orders, Body: fields{"deliveryAddress": nil}, Status: 400, Faults: map[string]string{"/deliveryAddress": "required"}},
			{Name: "an empty address", Method: "POST", Path: orders, Body: fields{"deliveryAddress": fields{}}, Status: 400, Faults: map[string]string{
				at + "name": "required", at + "phone": "required", at + "line1": "required", at + "city": "required", at + "state": "required", at + "pincode": "required",
			}},
			{Name: "an address that is text", Method: "POST", Path: orders, Body: fields{"deliveryAddress": "here"}, Status: 400, Faults: map[string]string{"/deliveryAddress": "type"}},
			{Name: "a name of blanks", Method: "POST", Path: orders, Body: storetest.AddressWith("name", "  "), Status: 400, Faults: map[string]string{at + "name": "required"}},
			{Name: "a name too long", Method: "POST", Path: orders, Body: storetest.AddressWith("name", long[:121]), Status: 400, Faults: map[string]string{at + "name": "max"}},
			{Name: "lines too long", Method: "POST", Path: orders, Body: storetest.AddressWith("line2", long[:201]), Status: 400, Faults: map[string]string{at + "line2": "max"}},
			{Name: "everything too long", Method: "POST", Path: orders, Status: 400, Body: fields{"deliveryAddress": fields{
				"name": long, "phone": "+91" + long, "line1": long[:201], "line2": long[:201], "landmark": long[:201], "city": long[:101], "state": long[:101], "pincode": long,
			}}, Faults: map[string]string{
				at + "name": "max", at + "phone": "format", at + "line1": "max", at + "line2": "max", at + "landmark": "max", at + "city": "max", at + "state": "max", at + "pincode": "format",
			}},
			{Name: "nine digits", Method: "POST", Path: orders, Body: storetest.AddressWith("phone", "987654321"), Status: 400, Faults: map[string]string{at + "phone": "format"}},
			{Name: "eleven digits without a country", Method: "POST", Path: orders, Body: storetest.AddressWith("phone", "09876543210"), Status: 400, Faults: map[string]string{at + "phone": "format"}},
			{Name: "a country that begins with 0", Method: "POST", Path: orders, Body: storetest.AddressWith("phone", "+09876543210"), Status: 400, Faults: map[string]string{at + "phone": "format"}},
			{Name: "sixteen digits", Method: "POST", Path: orders, Body: storetest.AddressWith("phone", "+1234567890123456"), Status: 400, Faults: map[string]string{at + "phone": "format"}},
			{Name: "digits that are not ASCII", Method: "POST", Path: orders, Body: storetest.AddressWith("phone", "९८७६५४३२१०"), Status: 400, Faults: map[string]string{at + "phone": "format"}},
			{Name: "a phone that is a number", Method: "POST", Path: orders, Body: storetest.AddressWith("phone", 9876543210), Status: 400, Faults: map[string]string{at + "phone": "type"}},
			{Name: "a pincode that begins with 0", Method: "POST", Path: orders, Body: storetest.AddressWith("pincode", "060001"), Status: 400, Faults: map[string]string{at + "pincode": "format"}},
			{Name: "five digits", Method: "POST", Path: orders, Body: storetest.AddressWith("pincode", "56000"), Status: 400, Faults: map[string]string{at + "pincode": "format"}},
			{Name: "a line after the pincode", Method: "POST", Path: orders, Body: storetest.AddressWith("pincode", "560001\n1"), Status: 400, Faults: map[string]string{at + "pincode": "format"}},
			{Name: "a slot that is no id", Method: "POST", Path: orders, Body: fields{"deliveryAddress": storetest.AddressBody(), "deliverySlotId": "soon"}, Status: 400, Faults: map[string]string{"/deliverySlotId": "format"}},
			{Name: "a slot that is not there", Method: "POST", Path: orders, Body: fields{"deliveryAddress": storetest.AddressBody(), "deliverySlotId": rows.NewID()}, Status: 409, Code: "slot_unavailable"},
			{Name: "less than nothing", Method: "POST", Path: orders, Body: fields{"deliveryAddress": storetest.AddressBody(), "expectedTotalPaise": -1}, Status: 400, Faults: map[string]string{"/expectedTotalPaise": "min"}},
			{Name: "a total with a fraction", Method: "POST", Path: orders, Body: fields{"deliveryAddress": storetest.AddressBody(), "expectedTotalPaise": 9000.5}, Status: 400, Faults: map[string]string{"/expectedTotalPaise": "integer"}},
			{Name: "nothing, which is a value", Method: "POST", Path: orders, Body: fields{"deliveryAddress": storetest.AddressBody(), "expectedTotalPaise": 0}, Status: 409, Code: "cart_changed",
				Contains: []string{`"totalPaise":9000`, `"quantity":2,"unitPricePaise":4500,"lineTotalPaise":9000`}},
			{Name: "a novel", Method: "POST", Path: orders, Body: fields{"deliveryAddress": storetest.AddressBody(), "notes": long}, Status: 400, Faults: map[string]string{"/notes": "max"}},
			{Name: "everything at once", Method: "POST", Path: orders, Body: fields{"deliveryAddress": storetest.AddressWith("phone", "1")["deliveryAddress"], "notes": long, "deliverySlotId": 1}, Status: 400,
				Faults: map[string]string{at + "phone": "format", "/notes": "max", "/deliverySlotId": "type"}},
			{Name: "anonymously", Method: "POST", Path: orders, Headers: map[string]string{"Authorization": ""}, Body: fields{"deliveryAddress": storetest.AddressBody()}, Status: 401, Code: "authentication_required"},
			{Name: "of an empty cart", Method: "POST", Path: orders, As: s.PersonOf("bob").Token, Body: fields{"deliveryAddress": storetest.AddressBody()}, Status: 409, Code: "cart_empty"},
			{Name: "of an empty cart, without an address", Method: "POST", Path: orders, As: s.PersonOf("bob").Token, Body: fields{}, Status: 400, Code: "validation_failed"},
			{Name: "for somebody else", Method: "POST", Path: orders, Body: fields{"deliveryAddress": storetest.AddressBody(), "userId": rows.NewID(), "totalPaise": 1, "status": "delivered"}, Status: 201,
				Contains: []string{`"totalPaise":9000`, `"status":"placed"`}, Answers: map[string]string{"Trestle-Ignored": "/status, /totalPaise, /userId"}},
			{Name: "of the cart again", Method: "POST", Path: orders, Body: fields{}, Status: 409, Code: "cart_empty"},
		})
		s.Audit()
	})
}

// An address may leave its optional members out, or say null or nothing, and
// is remembered for the next order.
func TestAddresses(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 90})[0]
		full := maps.Clone(storetest.AddressBody())
		full["line2"], full["landmark"] = " Flat 3 ", "Opposite the lake"
		blank := maps.Clone(storetest.AddressBody())
		blank["line2"], blank["landmark"] = "", nil
		for _, c := range []struct {
			name     string
			address  any
			contains []string
		}{
			{"all of it", full, []string{`"line2":"Flat 3"`, `"landmark":"Opposite the lake"`}},
			{"none: it is the last one's", nil, []string{`"line2":"Flat 3"`, `"landmark":"Opposite the lake"`}},
			{"blank and null", blank, []string{`"line2":null`, `"landmark":null`}},
			{"none, again", nil, []string{`"line2":null`, `"landmark":null`, `"phone":"+919876543210"`}},
			{"a phone of another country", storetest.AddressWith("phone", "+4915112345678")["deliveryAddress"], []string{`"phone":"+4915112345678"`}},
			{"a phone with its country", storetest.AddressWith("phone", "+919876543210")["deliveryAddress"], []string{`"phone":"+919876543210"`}},
			{"another alphabet", storetest.AddressWith("city", "बेंगलुरु")["deliveryAddress"], []string{"बेंगलुरु"}},
		} {
			s.DeliverAll()
			s.AddToCart("ada", v, 1)
			s.ClientOf("ada").Post("/api/orders", fields{"deliveryAddress": c.address}).Expect(201).Contains(c.contains...)
			s.ClientOf("ada").Get("/api/cart").Contains(c.contains...)
		}
		s.AddToCart("bob", v, 1)
		s.ClientOf("bob").Post("/api/orders", fields{}).Expect(400).Fault("/deliveryAddress", "required")
	})
}

// TestAllOrNothing: if one line is not available, nothing changes: no stock, cart,
// slot, address or key. The error names all such lines.
func TestAllOrNothing(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 5}, storetest.Good{Stock: 5}, storetest.Good{Stock: 5}, storetest.Good{Stock: 5})
		for _, one := range v {
			s.AddToCart("ada", one, 3)
		}
		before := s.CartOf("ada")
		s.Exec("UPDATE variants SET stock = 2 WHERE id = ?", v[1].ID)
		s.Exec("UPDATE variants SET stock = 0, in_stock = (1 = 0) WHERE id = ?", v[2].ID)
		ada := s.ClientOf("ada").With("Idempotency-Key", "k")
		body := fields{"deliveryAddress": storetest.AddressBody()}
		problem := func(i int, status string, available int) string {
			return fmt.Sprintf(`{"itemId":"%s","variantId":"%s","status":"%s","availableQuantity":%d}`, before.Items[i].ID, v[i].ID, status, available)
		}
		ada.Post("/api/orders", body).Expect(409).Code("insufficient_stock").
			Contains(`"details":{"lines":[` + problem(1, "insufficient_stock", 2) + `,` + problem(2, "out_of_stock", 0) + `]}`)
		s.Exec("UPDATE products SET published = (1 = 0) WHERE id = ?", v[3].ProductID)
		ada.Post("/api/orders", body).Expect(409).Code("item_unavailable").
			Contains(problem(1, "insufficient_stock", 2), problem(2, "out_of_stock", 0), problem(3, "unavailable", 0))

		after := s.CartOf("ada")
		if len(after.Items) != 4 || after.Version != before.Version || after.Checkout.LastAddress != nil {
			t.Errorf("the cart changed: %+v", after)
		}
		if s.StockOf(v[0]) != 5 || s.StockOf(v[1]) != 2 {
			t.Errorf("stocks %d and %d; want 5 and 2", s.StockOf(v[0]), s.StockOf(v[1]))
		}
		s.Exec("UPDATE variants SET stock = 5, in_stock = (1 = 1)")
		s.Exec("UPDATE products SET published = (1 = 1)")
		ada.Post("/api/orders", body).Expect(201).Header("Idempotent-Replayed", "")
		s.Audit()
	})
}

// TestTheCurrentPriceIsCharged: the current price counts; a wrong expected total
// is rejected with the current one.
func TestTheCurrentPriceIsCharged(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 9, Price: 1_000, MRP: 2_000})[0]
		s.AddToCart("ada", v, 3)
		s.Reprice(v, 1_500).Expect(200)
		item := s.CartOf("ada").Items[0].ID
		order := func(expected any) *frameworktest.Response {
			return s.ClientOf("ada").Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody(), "expectedTotalPaise": expected})
		}
		order(3_000).Expect(409).Code("cart_changed").Contains(fmt.Sprintf(
			`"details":{"totalPaise":4500,"lines":[{"itemId":"%s","variantId":"%s","quantity":3,"unitPricePaise":1500,"lineTotalPaise":4500}]}`, item, v.ID))
		order(nil).Expect(201).Contains(`"totalPaise":4500`, `"savingsPaise":1500`)
	})
}

// TestWhatCannotBeHadIsToldFirst: unavailable lines are reported before a wrong total: they
// may be the reason for the difference.
func TestWhatCannotBeHadIsToldFirst(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 9, Price: 1_000}, storetest.Good{Stock: 9})
		s.AddToCart("ada", v[0], 3)
		s.AddToCart("ada", v[1], 1)
		order := func() *frameworktest.Response {
			return s.ClientOf("ada").Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody(), "expectedTotalPaise": 1})
		}
		order().Expect(409).Code("cart_changed")
		s.Exec("UPDATE variants SET stock = 2 WHERE id = ?", v[0].ID)
		order().Expect(409).Code("insufficient_stock")
		s.Exec("UPDATE products SET published = (1 = 0) WHERE id = ?", v[1].ProductID)
		order().Expect(409).Code("item_unavailable")
	})
}

// The largest cart there can be is an order like any other.
func TestTheLargestOrder(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		goods := make([]storetest.Good, 100)
		for i := range goods {
			goods[i] = storetest.Good{Stock: 50, Price: 10_000_000, MRP: 10_000_000}
		}
		s.FillCarts([]string{"ada"}, 50, s.Shelve(goods...)...)
		s.PlaceOrder("ada").Expect(201).Contains(`"itemCount":5000`, `"totalPaise":50000000000`, `"savingsPaise":0`)
		s.Audit()
	})
}

// What was ordered stays as it was, whatever becomes of the product.
func TestAnOrderDoesNotChangeWithItsProducts(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 9, MRP: 9_000})[0]
		s.AddToCart("ada", v, 2)
		placed := s.PlaceOrder("ada").Expect(201)
		path := "/api/orders/" + storetest.IDOf(placed)
		for _, change := range []string{
			"UPDATE products SET name = 'Another', slug = 'another', brand = 'B', image_url = 'https://images.example/x.png'",
			"UPDATE variants SET price_paise = 1, mrp_paise = 2, label = '1 kg', unit = 'kg', sku = 'X'",
			"UPDATE products SET published = (1 = 0)",
			"UPDATE variants SET archived = (1 = 1)",
		} {
			s.Exec(change)
			if now := s.ClientOf("ada").Get(path).Expect(200); now.Body() != placed.Body() {
				t.Errorf("after %s:\n%s\nwas:\n%s", change, now.Body(), placed.Body())
			}
		}
	})
}

// Two orders never have one number: another is drawn until it is free.
func TestNumbersAreDrawnUntilOneIsFree(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		drawn := []string{"AAAAAAAA", "AAAAAAAA", "AAAAAAAA", "BBBBBBBB"}
		s = s.drawing(func() (next string) {
			next, drawn = drawn[0], drawn[1:]
			return next
		})
		v := s.Shelve(storetest.Good{Stock: 9})[0]
		for _, want := range []string{"AAAAAAAA", "BBBBBBBB"} {
			s.AddToCart("ada", v, 1)
			s.PlaceOrder("ada").Expect(201).Contains(`"number":"` + want + `"`)
		}
		s.Audit()
	})
}

// An order is made of the time it is placed, and the earliest slot with room,
// unless it says another.
func TestTheEarliestSlot(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 90})[0]
		slots := s.CartOf("ada").Checkout.DeliverySlots
		place := func(slot any) order.OrderView {
			var placed order.OrderView
			s.AddToCart("ada", v, 1)
			s.ClientOf("ada").Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody(), "deliverySlotId": slot}).Expect(201).JSON(&placed)
			return placed
		}
		if got := place(nil).DeliverySlot; got.ID != slots[0].ID || !got.StartsAt.Equal(slots[0].StartsAt) || !got.EndsAt.Equal(slots[0].EndsAt) {
			t.Errorf("an order without a slot goes into %+v; want %+v", got, slots[0])
		}
		if got := place(slots[17].ID).DeliverySlot; got.ID != slots[17].ID {
			t.Errorf("an order goes into %+v; want %+v", got, slots[17])
		}
		s.TurnClock(slots[0].CutoffAt.Sub(s.Now()))
		if now := s.CartOf("ada").Checkout.DeliverySlots; now[0].ID != slots[1].ID {
			t.Errorf("after its cut-off a slot is not open: %+v", now[0])
		}
		if got := place(nil).DeliverySlot; got.ID != slots[1].ID {
			t.Errorf("an order goes into %+v, whose cut-off is over", got)
		}
		s.AddToCart("ada", v, 1)
		s.ClientOf("ada").Post("/api/orders", fields{"deliverySlotId": slots[0].ID}).Expect(409).Code("slot_unavailable")
		s.Audit()
	})
}

// drawing is the site with another way to draw the numbers of orders.
func (s *site) drawing(number func() string) *site {
	s.T.Helper()
	identity, err := resources.Identity(auth.Config{Mailer: mail.Log{To: slog.New(slog.DiscardHandler)}, Log: slog.New(slog.DiscardHandler)})
	s.Must(err)
	orders := order.Orders
	orders.Verbs.Create = framework.Does(func(c *framework.Call, in order.PlaceOrderInput) (order.OrderView, error) {
		return order.PlaceNumbered(c, in, number)
	})
	api := framework.New(s.Config(identity))
	api.Register(cart.Carts, cart.CartItems, orders)
	other := *s.Site
	other.API, other.Client = api, s.Serve("", api)
	return &site{&other}
}
