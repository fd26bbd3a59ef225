package storetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/rows"
)

// A Listed answer is the envelope of a list.
type Listed[T any] struct {
	Items      []T
	Page       int
	Limit      int
	Total      int
	TotalPages int
	HasNext    bool
}

// ListOf is the list in an answer.
func ListOf[T any](r *frameworktest.Response) (l Listed[T]) {
	r.Expect(200).JSON(&l)
	return l
}

// ListProducts requests a list of products, anonymously.
func (s *Site) ListProducts(query string) Listed[catalogue.ProductSummary] {
	s.T.Helper()
	return ListOf[catalogue.ProductSummary](s.Get("/api/products?" + query))
}

// NamesOf is the names of a list's products, in their order.
func NamesOf(l Listed[catalogue.ProductSummary]) string {
	list := make([]string, len(l.Items))
	for i, item := range l.Items {
		list[i] = item.Name
	}
	return strings.Join(list, "; ")
}

// VariantBody is a valid variant of a product's body: it costs 4500 paise.
func VariantBody(sku string, more Fields) Fields {
	v := Fields{"sku": sku, "label": "500 g", "unit": "g", "pricePaise": 4500}
	maps.Copy(v, more)
	return v
}

// ProductBody is a valid body of a new product with one variant.
func ProductBody(name string, more Fields) Fields {
	p := Fields{
		"name": name, "category": Fields{"slug": "staples", "name": "Staples"},
		"variants": []Fields{VariantBody("SKU-"+rows.NewID().String(), nil)},
	}
	maps.Copy(p, more)
	return p
}

// CreateProduct makes a product through the API.
func (s *Site) CreateProduct(name string, more Fields) catalogue.AdminProduct {
	s.T.Helper()
	return s.ProductOf(s.ClientOf("staff").Post("/api/admin/products", ProductBody(name, more)).Expect(201))
}

// ProductOf is the product in an answer to staff.
func (s *Site) ProductOf(r *frameworktest.Response) (p catalogue.AdminProduct) {
	s.T.Helper()
	r.JSON(&p)
	return p
}

// PatchProduct changes a product, as staff.
func (s *Site) PatchProduct(p catalogue.AdminProduct, change any) *frameworktest.Response {
	s.T.Helper()
	return s.ClientOf("staff").Patch(AdminPath(p), change)
}

// AdminPath is the address of a product for staff.
func AdminPath(p catalogue.AdminProduct) string { return "/api/admin/products/" + p.ID.String() }

// SetStock sets a variant's stock, as staff.
func (s *Site) SetStock(v catalogue.AdminVariant, stock int64) *frameworktest.Response {
	s.T.Helper()
	return s.ClientOf("staff").Patch(StockPath(v), Fields{"stock": stock})
}

// StockPath is the address of a variant's stock.
func StockPath(v catalogue.AdminVariant) string {
	return "/api/admin/variants/" + v.ID.String() + "/stock"
}

// QueryOf is a query string of pairs: name, value, name, value.
func QueryOf(pairs ...string) string {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Add(pairs[i], pairs[i+1])
	}
	return v.Encode()
}

// MembersOf are the names in a JSON object, in alphabetical order.
func MembersOf(tb testing.TB, object json.RawMessage) string {
	tb.Helper()
	o := map[string]json.RawMessage{}
	if err := json.Unmarshal(object, &o); err != nil {
		tb.Fatalf("this is no object: %v: %s", err, object)
	}
	return strings.Join(slices.Sorted(maps.Keys(o)), " ")
}

// MemberAt is a value in a JSON object, at a path of names.
func MemberAt(tb testing.TB, object json.RawMessage, path ...string) json.RawMessage {
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

// CreateTea creates the product with which tables of changes start: two variants on
// sale, one with a list price and in stock, and one archived. The codes of the variants
// begin with its name.
func (s *Site) CreateTea(name string) catalogue.AdminProduct {
	s.T.Helper()
	p := s.CreateProduct(name, Fields{
		"brand": "Tata", "description": "Leaves", "imageUrl": "https://img.example/tea.png", "category": Fields{"slug": "drinks", "name": "Drinks"},
		"variants": []Fields{
			VariantBody(name+"-A", Fields{"pricePaise": 4500, "mrpPaise": 5000, "stock": 5}),
			VariantBody(name+"-B", Fields{"pricePaise": 9000}),
			VariantBody(name+"-C", Fields{"pricePaise": 100}),
		},
	})
	return s.ProductOf(s.PatchProduct(p, Fields{"variants": []Fields{{"id": p.Variants[2].ID, "archived": true}}}).Expect(200))
}

// VariantBodies are n variants of a body. Their codes have the prefix code.
func VariantBodies(code string, n int) []Fields {
	list := make([]Fields, n)
	for i := range list {
		list[i] = VariantBody(fmt.Sprintf("%s-%d", code, i), nil)
	}
	return list
}

// ProductsPath is the address of the products for staff.
const ProductsPath = "/api/admin/products"

// CreateStall creates the products of the tables about lists, in the order of their names
// except for Ghee, and returns them by name.
func (s *Site) CreateStall() map[string]catalogue.AdminProduct {
	s.T.Helper()
	shop := map[string]catalogue.AdminProduct{}
	staples, dairy := Fields{"slug": "staples", "name": "Staples"}, Fields{"slug": "dairy", "name": "Dairy"}
	put := func(name string, shelf Fields, more Fields, variants ...Fields) {
		body := Fields{"category": shelf, "variants": variants}
		maps.Copy(body, more)
		shop[name] = s.CreateProduct(name, body)
	}
	costs := func(sku string, price, stock int64) Fields {
		return VariantBody(sku, Fields{"pricePaise": price, "stock": stock})
	}

	put("Ghee", dairy, Fields{"description": "Of a cow"}, costs("G1", 60000, 0), costs("G0", 100, 5))
	s.PatchProduct(shop["Ghee"], Fields{"variants": []Fields{{"id": shop["Ghee"].Variants[1].ID, "archived": true}}}).Expect(200)
	put("Atta", staples, Fields{"brand": "Aashirvaad", "description": "Stone ground", "imageUrl": "https://img.example/atta.png"},
		costs("A1", 4500, 5), VariantBody("A2", Fields{"label": "1 kg", "unit": "kg", "pricePaise": 8000, "mrpPaise": 9000, "stock": 5}))
	put("Basmati Rice", staples, Fields{"brand": "India Gate"}, costs("B1", 12000, 0))
	put("Curd", dairy, nil, costs("C1", 2000, 0), costs("C2", 3000, 2))
	put("Dal", staples, nil, costs("D1", 4500, 1))
	put("Eggs", dairy, nil, costs("E1", 600, 3))
	put("Hidden Honey", staples, Fields{"published": false}, costs("H1", 4500, 9))
	return shop
}
