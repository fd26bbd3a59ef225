package store_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/storetest"
)

// What the members of a kind of answer are: these and no other, always there
// unless a ? says that some have it not.
var (
	variantShape  = object{"id": "id", "sku": "string", "label": "string", "unit": "string", "pricePaise": "integer", "mrpPaise": "integer|null", "inStock": "boolean"}
	categoryShape = object{"slug": "string", "name": "string", "imageUrl": "null|string", "productCount": "integer"}
	summaryShape  = object{
		"id": "id", "slug": "string", "name": "string", "brand": "null|string", "imageUrl": "null|string",
		"category": object{"slug": "string", "name": "string"}.String(), "cheapestVariant": variantShape.String(),
	}
	detailShape = summaryShape.with(object{"description": "null|string", "variants": list(variantShape.String())})

	slotShape    = object{"id": "id", "startsAt": "time", "endsAt": "time"}
	addressShape = object{
		"name": "string", "phone": "string", "line1": "string", "line2": "null|string", "landmark": "null|string",
		"city": "string", "state": "string", "pincode": "string",
	}
	cartItemShape = object{
		"id": "id", "quantity": "integer", "variant": variantShape.String(), "unitPricePaise": "integer", "previousPricePaise": "integer|null",
		"lineTotalPaise": "integer", "status": "string", "availableQuantity?": "integer",
		"product": object{"id": "id", "slug": "string", "name": "string", "brand": "null|string", "imageUrl": "null|string"}.String(),
	}
	cartShape = object{
		"version": "integer", "items": list(cartItemShape.String()), "totalQuantity": "integer", "subtotalPaise": "integer", "savingsPaise": "integer",
		"deliveryFeePaise": "integer", "totalPaise": "integer", "canOrder": "boolean",
		"checkout": object{
			"deliverySlots": list(slotShape.with(object{"cutoffAt": "time", "available": "boolean"}).String()),
			"lastAddress":   either("null", addressShape.String()),
		}.String(),
	}
	orderItemShape = object{
		"id": "id", "variantId": "id", "slug": "string", "name": "string", "brand": "null|string", "imageUrl": "null|string", "sku": "string",
		"label": "string", "unit": "string", "unitPricePaise": "integer", "mrpPaise": "integer|null", "quantity": "integer", "lineTotalPaise": "integer",
	}
	orderShape = object{
		"id": "id", "number": "string", "status": "string", "canCancel": "boolean", "placedAt": "time", "cancelledAt": "null|time",
		"items": list(orderItemShape.String()), "itemCount": "integer", "subtotalPaise": "integer", "savingsPaise": "integer",
		"deliveryFeePaise": "integer", "totalPaise": "integer", "deliverySlot": slotShape.String(), "deliveryAddress": addressShape.String(),
		"statusHistory": list(object{"status": "string", "at": "time"}.String()),
	}

	adminProductShape = detailShape.with(object{
		"published": "boolean", "version": "integer", "variants": list(variantShape.with(object{"stock": "integer", "archived": "boolean"}).String()),
	})
	stockShape      = object{"id": "id", "sku": "string", "stock": "integer", "inStock": "boolean"}
	adminOrderShape = orderShape.with(object{"notes": "string"})
	stepShape       = adminOrderShape.with(object{"cancelledAt": "null"}) // what was cancelled takes no step
	userShape       = object{"id": "id", "email": "string", "name": "string", "role": "string", "createdAt": "time"}
)

// paged is a list in its envelope.
func paged(element object) object {
	return object{"items": list(element.String()), "page": "integer", "limit": "integer", "total": "integer", "totalPages": "integer", "hasNext": "boolean"}
}

// shapes are what each endpoint of the document answers with.
var shapes = map[string]object{
	"GET /api/categories":                  paged(categoryShape),
	"GET /api/products":                    paged(summaryShape),
	"GET /api/products/{slug}":             detailShape,
	"GET /api/cart":                        cartShape,
	"DELETE /api/cart":                     cartShape,
	"POST /api/cart/items":                 cartShape,
	"PATCH /api/cart/items/{id}":           cartShape,
	"DELETE /api/cart/items/{id}":          cartShape,
	"GET /api/orders":                      paged(orderShape),
	"POST /api/orders":                     orderShape,
	"GET /api/orders/{id}":                 orderShape,
	"POST /api/orders/{id}/cancel":         orderShape,
	"POST /api/admin/products":             adminProductShape,
	"PATCH /api/admin/products/{id}":       adminProductShape,
	"PATCH /api/admin/variants/{id}/stock": stockShape,
	"GET /api/admin/variants":              paged(stockShape.with(object{"product": "string", "label": "string", "archived": "boolean"})),
	"GET /api/admin/orders":                paged(adminOrderShape),
	"POST /api/admin/orders/{id}/confirm":  stepShape,
	"POST /api/admin/orders/{id}/pack":     stepShape,
	"POST /api/admin/orders/{id}/dispatch": stepShape,
	"POST /api/admin/orders/{id}/deliver":  stepShape,
	"POST /api/auth/register":              {"token": "string", "tokenType": "string", "expiresAt": "time", "user": userShape.String()},
	"POST /api/auth/login":                 {"token": "string", "tokenType": "string", "expiresAt": "time", "user": userShape.String()},
	"GET /api/auth/me":                     userShape,
}

// A viewer sketches answers, those of all endpoints of one shape together: one
// of them that has a member more or less has made it doubtful.
type viewer struct {
	*site

	seen     map[string]bool    // endpoints
	sketches map[string]*sketch // by shape
}

// see sketches the answer to a request, whose endpoint is that of a shape.
func (v *viewer) see(endpoint string, r *frameworktest.Response) *frameworktest.Response {
	v.T.Helper()
	status := http.StatusOK
	if endpoint == "POST /api/cart/items" || endpoint == "POST /api/orders" || endpoint == "POST /api/admin/products" || endpoint == "POST /api/auth/register" {
		status = http.StatusCreated
	}
	r.Expect(status)
	shape := shapes[endpoint].String()
	if v.sketches[shape] == nil {
		v.sketches[shape] = &sketch{}
	}
	v.seen[endpoint] = true
	v.sketches[shape].draw(v.T, r.Body())
	return r
}

// TestShapes: every endpoint of the store answers with exactly the members of
// its shape, each of its kind: single resources bare, lists in the envelope, and
// nothing besides.
func TestShapes(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := &viewer{site: s, seen: map[string]bool{}, sketches: map[string]*sketch{}}
		full, bare := v.seeCatalogue()
		v.seeCart(full, bare)
		v.seeOrders(full, bare)
		v.seeUsers()
		for _, r := range s.API.Routes() {
			endpoint := r.Method + " " + r.Path
			if _, wanted := shapes[endpoint]; !wanted && ofStore(r.ViewSet) {
				t.Errorf("%s has no shape in this test", endpoint)
			}
		}
		of := map[string][]string{}
		for endpoint, shape := range shapes {
			of[shape.String()] = append(of[shape.String()], endpoint)
			if !v.seen[endpoint] {
				t.Errorf("%s was not asked", endpoint)
			}
		}
		for shape, sketch := range v.sketches {
			if got := sketch.String(); got != shape {
				t.Errorf("%s: the answers are\n%s; want\n%s", strings.Join(of[shape], ", "), got, shape)
			}
		}
	})
}

// ofStore reports whether a viewset is one of the store.
func ofStore(viewset string) bool {
	return slices.Contains([]string{"categories", "products", "cart", "cart/items", "orders"}, viewset) || strings.HasPrefix(viewset, "admin/")
}

// seeCatalogue makes a product that says everything and one that says as little
// as it may, each with a variant of its kind.
func (v *viewer) seeCatalogue() (full, bare catalogue.AdminProduct) {
	v.T.Helper()
	staff := v.ClientOf("staff")
	full = v.ProductOf(v.see("POST /api/admin/products", staff.Post(storetest.ProductsPath, storetest.ProductBody("Atta", fields{
		"brand": "Aashirvaad", "description": "Stone ground", "imageUrl": "https://img.example/atta.png",
		"variants": []fields{storetest.VariantBody("A1", fields{"mrpPaise": 5000, "stock": 40}), storetest.VariantBody("A2", fields{"pricePaise": 9000})},
	}))))
	bare = v.ProductOf(v.see("POST /api/admin/products", staff.Post(storetest.ProductsPath, storetest.ProductBody("Salt", fields{
		"category": fields{"slug": "spices", "name": "Spices"}, "variants": []fields{storetest.VariantBody("S1", fields{"stock": 40})},
	}))))
	v.see("PATCH /api/admin/products/{id}", v.PatchProduct(full, fields{"variants": []fields{{"id": full.Variants[1].ID, "archived": true}}}))
	v.see("PATCH /api/admin/products/{id}", v.PatchProduct(full, fields{"variants": []fields{{"id": full.Variants[1].ID, "archived": false}}}))
	v.see("PATCH /api/admin/products/{id}", v.PatchProduct(bare, fields{}))
	v.see("PATCH /api/admin/variants/{id}/stock", v.SetStock(full.Variants[0], 39))
	v.Exec("UPDATE categories SET image_url = 'https://img.example/spices.png' WHERE slug = 'spices'")
	v.see("GET /api/categories", v.Get("/api/categories"))
	v.see("GET /api/products", v.Get("/api/products"))
	v.see("GET /api/products/{slug}", v.Get("/api/products/atta"))
	v.see("GET /api/products/{slug}", v.Get("/api/products/salt"))
	return full, bare
}

// seeCart fills a cart: one item costs more since, and one is not available.
func (v *viewer) seeCart(full, bare catalogue.AdminProduct) {
	v.T.Helper()
	ada := v.ClientOf("ada")
	v.see("GET /api/cart", ada.Get("/api/cart"))
	add := func(of catalogue.AdminVariant) {
		v.see("POST /api/cart/items", ada.Post("/api/cart/items", fields{"variantId": of.ID, "quantity": 9}))
	}
	add(full.Variants[0])
	add(bare.Variants[0])
	v.PatchProduct(full, fields{"variants": []fields{{"id": full.Variants[0].ID, "pricePaise": 4600}}}).Expect(200)
	v.SetStock(bare.Variants[0], 8).Expect(200)
	v.see("GET /api/cart", ada.Get("/api/cart")).Contains(`"insufficient_stock"`, `"previousPricePaise":4500`)
	items := v.CartOf("ada").Items
	v.see("PATCH /api/cart/items/{id}", ada.Patch("/api/cart/items/"+items[0].ID.String(), fields{"quantity": 2}))
	v.see("DELETE /api/cart/items/{id}", ada.Delete("/api/cart/items/"+items[1].ID.String()))
	v.see("DELETE /api/cart", ada.Delete("/api/cart"))
	v.SetStock(bare.Variants[0], 40).Expect(200)
}

// seeOrders places orders of both products, and takes them all ways.
func (v *viewer) seeOrders(full, bare catalogue.AdminProduct) {
	v.T.Helper()
	ada := v.ClientOf("ada")
	place := func(body fields) string {
		for _, p := range []catalogue.AdminProduct{full, bare} {
			v.see("POST /api/cart/items", ada.Post("/api/cart/items", fields{"variantId": p.Variants[0].ID}))
		}
		return "/" + storetest.IDOf(v.see("POST /api/orders", ada.Post("/api/orders", body)))
	}
	whole := storetest.AddressWith("line2", "Flat 3")["deliveryAddress"].(fields)
	whole["landmark"] = "The lake"
	sent, cancelled := place(fields{"deliveryAddress": storetest.AddressBody()}), place(fields{"deliveryAddress": whole, "notes": "Ring twice."})
	for _, action := range storetest.OrderActions {
		v.see("POST /api/admin/orders/{id}/"+action, v.TakeStep(sent[1:], action))
	}
	v.TakeStep(cancelled[1:], "confirm").Expect(200)
	v.see("GET /api/cart", ada.Get("/api/cart")) // with the last address
	v.see("GET /api/orders/{id}", ada.Get("/api/orders"+sent))
	v.see("POST /api/orders/{id}/cancel", ada.Post("/api/orders"+cancelled+"/cancel", nil))
	v.see("GET /api/orders", ada.Get("/api/orders"))
	v.see("GET /api/admin/variants", v.ClientOf("staff").Get("/api/admin/variants"))
	v.see("GET /api/admin/orders", v.ClientOf("staff").Get("/api/admin/orders"))
	v.see("POST /api/admin/orders/{id}/confirm", v.TakeStep(place(fields{"deliveryAddress": whole})[1:], "confirm"))
}

// seeUsers signs a user up, in and out, and reads the account.
func (v *viewer) seeUsers() {
	v.T.Helper()
	account := fields{"email": "hema@store.example", "password": "four unrelated words"}
	v.see("POST /api/auth/register", v.Post("/api/auth/register", account))
	var in struct{ Token string }
	v.see("POST /api/auth/login", v.Post("/api/auth/login", account)).Contains(`"tokenType":"Bearer"`).JSON(&in)
	hema := v.With("Authorization", "Bearer "+in.Token)
	v.see("GET /api/auth/me", hema.Get("/api/auth/me")).Contains(`"role":"customer"`)
	v.see("GET /api/auth/me", v.ClientOf("staff").Get("/api/auth/me")).Contains(`"role":"admin"`)
	v.ClientOf("root").Get("/api/auth/me").Expect(200).Contains(`"role":"customer"`)
	if body := hema.Post("/api/auth/logout", nil).Expect(204).Body(); body != "" {
		v.T.Errorf("logging out answers with %s", body)
	}
	hema.Get("/api/auth/me").Expect(401)
}
