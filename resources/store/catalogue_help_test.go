package store_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store"
)

// A listed answer is the envelope of a list.
type listed[T any] struct {
	Items      []T
	Page       int
	Limit      int
	Total      int
	TotalPages int
	HasNext    bool
}

func listOf[T any](r *frameworktest.Response) (l listed[T]) {
	r.Expect(200).JSON(&l)
	return l
}

// products asks for a list of products, anonymously.
func (s *site) products(query string) listed[store.ProductSummary] {
	s.t.Helper()
	return listOf[store.ProductSummary](s.Get("/api/products?" + query))
}

// namesOf are what a list shows, in its order.
func namesOf(l listed[store.ProductSummary]) string {
	list := make([]string, len(l.Items))
	for i, item := range l.Items {
		list[i] = item.Name
	}
	return strings.Join(list, "; ")
}

// A variant is one of a body, right in everything: it costs 4500 paise.
func variant(sku string, more fields) fields {
	v := fields{"sku": sku, "label": "500 g", "unit": "g", "pricePaise": 4500}
	maps.Copy(v, more)
	return v
}

// product is a body that makes one, right in everything, with one variant.
func product(name string, more fields) fields {
	p := fields{
		"name": name, "category": fields{"slug": "staples", "name": "Staples"},
		"variants": []fields{variant("SKU-"+newID().String(), nil)},
	}
	maps.Copy(p, more)
	return p
}

// offer makes a product through the API.
func (s *site) offer(name string, more fields) store.AdminProduct {
	s.t.Helper()
	return s.admin(s.as("staff").Post("/api/admin/products", product(name, more)).Expect(201))
}

func (s *site) admin(r *frameworktest.Response) (p store.AdminProduct) {
	s.t.Helper()
	r.JSON(&p)
	return p
}

// patch changes a product.
func (s *site) patch(p store.AdminProduct, change any) *frameworktest.Response {
	s.t.Helper()
	return s.as("staff").Patch(adminPath(p), change)
}

func adminPath(p store.AdminProduct) string { return "/api/admin/products/" + p.ID.String() }

// setStock sets a variant's.
func (s *site) setStock(v store.AdminVariant, stock int64) *frameworktest.Response {
	s.t.Helper()
	return s.as("staff").Patch(stockPath(v), fields{"stock": stock})
}

func stockPath(v store.AdminVariant) string { return "/api/admin/variants/" + v.ID.String() + "/stock" }

// query writes parameters: name, value, name, value.
func query(pairs ...string) string {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Add(pairs[i], pairs[i+1])
	}
	return v.Encode()
}

// membersOf are the names in a JSON object, in alphabetical order.
func membersOf(tb testing.TB, object json.RawMessage) string {
	tb.Helper()
	o := map[string]json.RawMessage{}
	if err := json.Unmarshal(object, &o); err != nil {
		tb.Fatalf("this is no object: %v: %s", err, object)
	}
	return strings.Join(slices.Sorted(maps.Keys(o)), " ")
}

// memberAt is a value in a JSON object, at a path of names.
func memberAt(tb testing.TB, object json.RawMessage, path ...string) json.RawMessage {
	tb.Helper()
	for _, name := range path {
		o := map[string]json.RawMessage{}
		if err := json.Unmarshal(object, &o); err != nil {
			tb.Fatalf("%s: this is no object: %v: %s", name, err, object)
		}
		object = o[name]
	}
	return object
}

// tea is what the tables of changes start from: two variants on sale, one with
// a list price and in stock, and one that is archived. Its codes begin with its
// name.
func (s *site) tea(name string) store.AdminProduct {
	s.t.Helper()
	p := s.offer(name, fields{
		"brand": "Tata", "description": "Leaves", "imageUrl": "https://img.example/tea.png", "category": fields{"slug": "drinks", "name": "Drinks"},
		"variants": []fields{
			variant(name+"-A", fields{"pricePaise": 4500, "mrpPaise": 5000, "stock": 5}),
			variant(name+"-B", fields{"pricePaise": 9000}),
			variant(name+"-C", fields{"pricePaise": 100}),
		},
	})
	return s.admin(s.patch(p, fields{"variants": []fields{{"id": p.Variants[2].ID, "archived": true}}}).Expect(200))
}

// many are n variants of a body, whose codes begin alike.
func many(code string, n int) []fields {
	list := make([]fields, n)
	for i := range list {
		list[i] = variant(fmt.Sprintf("%s-%d", code, i), nil)
	}
	return list
}

const newProduct = "/api/admin/products"

// stall puts up the shop that the tables of this file are about, in the order
// of the names but for Ghee, and returns it by name.
func (s *site) stall() map[string]store.AdminProduct {
	s.t.Helper()
	shop := map[string]store.AdminProduct{}
	staples, dairy := fields{"slug": "staples", "name": "Staples"}, fields{"slug": "dairy", "name": "Dairy"}
	put := func(name string, shelf fields, more fields, variants ...fields) {
		body := fields{"category": shelf, "variants": variants}
		maps.Copy(body, more)
		shop[name] = s.offer(name, body)
	}
	costs := func(sku string, price, stock int64) fields {
		return variant(sku, fields{"pricePaise": price, "stock": stock})
	}

	put("Ghee", dairy, fields{"description": "Of a cow"}, costs("G1", 60000, 0), costs("G0", 100, 5))
	s.patch(shop["Ghee"], fields{"variants": []fields{{"id": shop["Ghee"].Variants[1].ID, "archived": true}}}).Expect(200)
	put("Atta", staples, fields{"brand": "Aashirvaad", "description": "Stone ground", "imageUrl": "https://img.example/atta.png"},
		costs("A1", 4500, 5), variant("A2", fields{"label": "1 kg", "unit": "kg", "pricePaise": 8000, "mrpPaise": 9000, "stock": 5}))
	put("Basmati Rice", staples, fields{"brand": "India Gate"}, costs("B1", 12000, 0))
	put("Curd", dairy, nil, costs("C1", 2000, 0), costs("C2", 3000, 2))
	put("Dal", staples, nil, costs("D1", 4500, 1))
	put("Eggs", dairy, nil, costs("E1", 600, 3))
	put("Hidden Honey", staples, fields{"published": false}, costs("H1", 4500, 9))
	return shop
}
