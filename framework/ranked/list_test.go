package ranked_test

import (
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// TestOrderOfASearch: the order is relevance unless another order is requested.
func TestOrderOfASearch(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db, shop...)
		c := serve(t, db, products(index))
		const atta, wheat, noodles = "Atta", "Aashirvaad Whole Wheat Atta", "Multigrain Atta Noodles"
		for _, s := range []struct {
			name, query string
			want        []string
		}{
			{"no order", "q=atta", []string{atta, wheat, noodles}},
			{"relevance", "q=atta&sort=relevance", []string{atta, wheat, noodles}},
			{"an empty order counts as absent", "q=atta&sort=", []string{atta, wheat, noodles}},
			{"by name", "q=atta&sort=name_asc", []string{wheat, atta, noodles}},
			{"by name, descending", "q=atta&sort=name_desc", []string{noodles, atta, wheat}},
			{"by name, of a corrected word", "q=attta&sort=name_desc", []string{noodles, atta, wheat}},
			{"with a filter", "q=atta&kind=flour", []string{atta, wheat}},
			{"with a filter that leaves nothing", "q=atta&kind=oil", nil},
			{"a filter with a corrected word", "q=attta&kind=flour", []string{atta, wheat}},
			{"nothing searched, by relevance", "sort=relevance&kind=flour", []string{wheat, atta}},
			{"an empty search counts as absent", "q=&sort=relevance&kind=flour", []string{wheat, atta}},
			{"a blank search counts as absent", "q=++&kind=flour", []string{wheat, atta}},
		} {
			t.Run(s.name, func(t *testing.T) { finds(t, c, s.query, s.want...) })
		}
	})
}

// TestRefusals: searches and orders that are rejected.
func TestRefusals(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db, shop...)
		invalid := func(param string) map[string]string { return map[string]string{param: "invalid_parameter"} }
		frameworktest.Run(t, serve(t, db, products(index)), []frameworktest.Scenario{
			{Name: "100 characters", Path: "/api/products?q=" + strings.Repeat("%C3%A9", 100), Status: 200, Contains: []string{`"total":0`}},
			{Name: "101 characters", Path: "/api/products?q=" + strings.Repeat("a", 101), Status: 400, Faults: invalid("q"), Contains: []string{"at most 100 characters"}},
			{Name: "the document has the bound", Method: "OPTIONS", Path: "/api/products", Status: 200, Contains: []string{`"maxLength":100`}},
			{Name: "8 words", Path: "/api/products?q=" + strings.Repeat("a+", 8), Status: 200},
			{Name: "9 words", Path: "/api/products?q=" + strings.Repeat("a+", 9), Status: 400, Faults: invalid("q"), Contains: []string{"at most 8 words"}},
			{Name: "8 words and signs", Path: "/api/products?q=" + strings.Repeat("a+", 8) + "%25+-+!", Status: 200},
			{Name: "two searches", Path: "/api/products?q=a&q=b", Status: 400, Faults: invalid("q")},
			{Name: "NUL", Path: "/api/products?q=a%00", Status: 400, Lacks: []string{"items"}},
			{Name: "no UTF-8", Path: "/api/products?q=%ff", Status: 400, Lacks: []string{"items"}},
			{Name: "an unknown order", Path: "/api/products?q=atta&sort=relevence", Status: 400, Faults: invalid("sort"), Contains: []string{"must be one of relevance, name_asc, name_desc; did you mean relevance?"}},
			{Name: "both wrong", Path: "/api/products?q=" + strings.Repeat("a", 101) + "&sort=x", Status: 400, Faults: map[string]string{"q": "invalid_parameter", "sort": "invalid_parameter"}},
		})
	})
}

// TestPagesOfASearch: pages have the order and the total of the search, also with a
// corrected word. A page past the end is empty.
func TestPagesOfASearch(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db, shop...)
		c := serve(t, db, products(index))
		whole := list(t, c, "q=amul")
		for _, text := range []string{"amul", "ammul"} {
			var joined []string
			for _, page := range []string{"1", "2", "3"} {
				a := listedOf(t, c, "q="+text+"&limit=1&page="+page)
				if a.Total != 2 {
					t.Errorf("page %s of %s has the total %d", page, text, a.Total)
				}
				for _, item := range a.Items {
					joined = append(joined, item.Name)
				}
			}
			if !slices.Equal(joined, whole) || len(whole) != 2 {
				t.Errorf("the pages of %s are %q, the whole list is %q", text, joined, whole)
			}
		}
	})
}

// TestDefaultParam: without a name the parameter is search, which framework.Search must
// then not use.
func TestDefaultParam(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db, shop...)
		unnamed := index
		unnamed.Param = ""
		v := products(unnamed)
		finds(t, serve(t, db, v), "search=turm", "Turmeric Powder")
		v.Search = framework.Search{Fields: []string{"name"}, Param: "contains"}
		finds(t, serve(t, db, v), "search=turm&contains=meric", "Turmeric Powder")
		finds(t, serve(t, db, v), "search=turm&contains=atta")
	})
}

// TestOptionsListTheSearch: OPTIONS lists the parameter of the search and the names of
// the orders.
func TestOptionsListTheSearch(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		serve(t, db, products(index)).Do("OPTIONS", "/api/products", nil).Expect(200).
			Contains(`"name":"q"`, `"name":"sort"`, `"enum":["relevance","name_asc","name_desc"]`)
	})
}
