package store_test

import (
	"encoding/json"
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
