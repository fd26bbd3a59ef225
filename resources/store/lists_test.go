package store_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/storetest"
)

// alike is how many rows each list has in this file. All have equal values in the columns of
// the order: only their ids differ.
const alike = 7

// A shelfList is one of the store's lists, as a caller requests it.
type shelfList struct {
	path string
	as   string // anonymous if empty
	key  string // the member that identifies a row
	size int    // of a page without a limit
	down bool   // ids go down
}

// lists are all of the store's, each by its endpoint.
var lists = map[string][]shelfList{
	"GET /api/categories": {{path: "/api/categories?", key: "slug", size: 100}},
	"GET /api/products": {
		{path: "/api/products?", key: "id", size: 20},
		{path: "/api/products?sort=name_asc&inStock=true", key: "id", size: 20},
		{path: "/api/products?sort=price_asc&minPaise=1&maxPaise=9000", key: "id", size: 20},
		{path: "/api/products?sort=price_desc", key: "id", size: 20, down: true},
		{path: "/api/products?sort=newest", key: "id", size: 20, down: true},
		{path: "/api/products?q=mango", key: "id", size: 20},
		{path: "/api/products?q=mangoo&sort=relevance", key: "id", size: 20}, // misspelt
		{path: "/api/products?q=mango&sort=price_desc", key: "id", size: 20, down: true},
	},
	"GET /api/orders": {{path: "/api/orders?", as: "ada", key: "id", size: 20, down: true}},
	"GET /api/admin/orders": {
		{path: "/api/admin/orders?", as: "staff", key: "id", size: 20, down: true}, {path: "/api/admin/orders?status=placed", as: "staff", key: "id", size: 20, down: true},
		{path: "/api/admin/orders?status=placed&sort=oldest", as: "staff", key: "id", size: 20},
	},
	"GET /api/admin/variants": {{path: "/api/admin/variants?", as: "staff", key: "id", size: 20}, {path: "/api/admin/variants?maxStock=9", as: "staff", key: "id", size: 20}},
}

// stocked puts as many rows into each list.
func (s *site) stocked() {
	s.T.Helper()
	for i := range alike {
		p := s.CreateProduct("Mango", fields{
			"category": fields{"slug": fmt.Sprintf("shelf-%d", i), "name": "Shelf"}, "variants": []fields{storetest.VariantBody(fmt.Sprint("M", i), fields{"stock": 9})},
		})
		s.OrderOne("ada", catalogue.Variant{ID: p.Variants[0].ID})
	}
	s.Exec("UPDATE products SET created_at = ?", s.Now().UTC())
	s.Exec("UPDATE orders SET placed_at = ?", s.Now().UTC())
}

// TestEveryListIsPaged: by page and limit, in the envelope, whatever the list.
func TestEveryListIsPaged(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		s.stocked()
		for _, r := range s.API.Routes() {
			if endpoint := r.Method + " " + r.Path; r.Name == "list" && ofStore(r.ViewSet) && lists[endpoint] == nil {
				t.Errorf("%s is a list that this test does not know", endpoint)
			}
		}
		for endpoint, some := range lists {
			l := some[0]
			t.Run(endpoint, func(t *testing.T) {
				s := s.on(t)
				if whole := s.page(l, ""); whole.Page != 1 || whole.Limit != l.size || whole.Total != alike || whole.TotalPages != 1 || whole.HasNext || len(whole.Items) != alike {
					t.Errorf("without parameters: %+v", whole)
				}
				for query, want := range map[string]storetest.Listed[json.RawMessage]{ // without items
					"page=2&limit=3":      {Page: 2, Limit: 3, Total: alike, TotalPages: 3, HasNext: true},
					"page=3&limit=3":      {Page: 3, Limit: 3, Total: alike, TotalPages: 3},
					"page=4&limit=3":      {Page: 4, Limit: 3, Total: alike, TotalPages: 3},
					"page=1&limit=7":      {Page: 1, Limit: 7, Total: alike, TotalPages: 1},
					"page=&limit=":        {Page: 1, Limit: l.size, Total: alike, TotalPages: 1},
					"limit=100":           {Page: 1, Limit: 100, Total: alike, TotalPages: 1},
					"limit=101":           {Page: 1, Limit: 100, Total: alike, TotalPages: 1},
					"page=99999999999999": {Page: 99999999999999, Limit: l.size, Total: alike, TotalPages: 1},
				} {
					got := s.page(l, query)
					rows := max(0, min(got.Limit, alike-(min(got.Page, 9)-1)*got.Limit))
					if len(got.Items) != rows {
						t.Errorf("?%s has %d rows; want %d", query, len(got.Items), rows)
					}
					got.Items = nil
					if fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("?%s is %+v; want %+v", query, got, want)
					}
				}
				s.ask(l, "page=9").Expect(200).Contains(`"items":[]`)
				for _, parameter := range []string{"page", "limit"} {
					for _, value := range []string{"0", "-1", "1.5", "1e1", "%2B1", "two", "9223372036854775808"} {
						s.ask(l, parameter+"="+value).Expect(400).Code("invalid_parameter").Fault(parameter, "invalid_parameter")
					}
					s.ask(l, parameter+"=1&"+parameter+"=1").Expect(400).Fault(parameter, "invalid_parameter")
				}
			})
		}
	})
}

func (s *site) ask(l shelfList, query string) *frameworktest.Response {
	s.T.Helper()
	client := s.Client
	if l.as != "" {
		client = s.ClientOf(l.as)
	}
	return client.Get(strings.TrimSuffix(l.path+"&"+query, "&"))
}

func (s *site) page(l shelfList, query string) storetest.Listed[json.RawMessage] {
	s.T.Helper()
	return storetest.ListOf[json.RawMessage](s.ask(l, query))
}

// TestPagesAreDisjointAndComplete: however many rows are alike in what a list is
// ordered by, its pages joined are the list, row by row, in the order of ids.
func TestPagesAreDisjointAndComplete(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		s.stocked()
		for _, some := range lists {
			for _, l := range some {
				t.Run(l.path, func(t *testing.T) {
					s := s.on(t)
					whole := keysOf(t, l, s.page(l, "").Items)
					sorted := slices.Clone(whole)
					if slices.Sort(sorted); l.down {
						slices.Reverse(sorted)
					}
					if len(whole) != alike || len(slices.Compact(slices.Clone(sorted))) != alike || !slices.Equal(whole, sorted) {
						t.Fatalf("the list is %q; want %d ids in order", whole, alike)
					}
					for limit := 1; limit <= alike+1; limit++ {
						var joined []string
						for page, more := 1, true; more; page++ {
							got := s.page(l, fmt.Sprintf("page=%d&limit=%d", page, limit))
							if want := (alike + limit - 1) / limit; got.TotalPages != want || got.Total != alike || got.HasNext != (page < want) {
								t.Fatalf("page %d of %d rows: %+v", page, limit, got)
							}
							joined, more = append(joined, keysOf(t, l, got.Items)...), got.HasNext
						}
						if !slices.Equal(joined, whole) {
							t.Errorf("pages of %d rows have\n%q; want\n%q", limit, joined, whole)
						}
					}
				})
			}
		}
	})
}

// keysOf returns the keys of rows, in their order.
func keysOf(tb testing.TB, l shelfList, items []json.RawMessage) (keys []string) {
	tb.Helper()
	for _, item := range items {
		keys = append(keys, string(bytes.Trim(storetest.MemberAt(tb, item, l.key), `"`)))
	}
	return keys
}
