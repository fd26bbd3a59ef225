package catalogue_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/storetest"
)

// TestProductList: what each parameter leaves, and in which order.
func TestProductList(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		s.CreateStall()
		const all = "Atta; Basmati Rice; Curd; Dal; Eggs; Ghee"
		for _, c := range []struct{ name, query, want string }{
			{"nothing asked: by name, and nothing unpublished", "", all},
			{"a category", "category=dairy", "Curd; Eggs; Ghee"},
			{"a category that is not there", "category=toys", ""},
			{"a category by its name", "category=Dairy", ""},
			{"an empty category is none", "category=", all},
			{"a lower bound, included", "minPaise=4500", "Atta; Basmati Rice; Dal; Ghee"},
			{"an upper bound, included", "maxPaise=4500", "Atta; Curd; Dal; Eggs"},
			{"both bounds alike", "minPaise=4500&maxPaise=4500", "Atta; Dal"},
			{"one above", "minPaise=4501&maxPaise=12000", "Basmati Rice"},
			{"one below", "minPaise=601&maxPaise=4499", "Curd"},
			{"zero is a lower bound", "minPaise=0", all},
			{"zero is an upper bound", "maxPaise=0", ""},
			{"a bound below zero", "minPaise=-1", all},
			{"the largest bound", "maxPaise=9223372036854775807", all},
			{"a bound is on what the card shows, not on what is out of stock", "maxPaise=2999", "Eggs"},
			{"a bound is not on a dearer variant", "minPaise=8000&maxPaise=8000", ""},
			{"a bound is not on what is archived", "maxPaise=100", ""},
			{"empty bounds are none", "minPaise=&maxPaise=", all},
			{"in stock", "inStock=true", "Atta; Curd; Dal; Eggs"},
			{"in stock, written otherwise", "inStock=1", "Atta; Curd; Dal; Eggs"},
			{"in stock in capitals", "inStock=TRUE", "Atta; Curd; Dal; Eggs"},
			{"inStock=false is no filter", "inStock=false", all},
			{"inStock=0 is no filter", "inStock=0", all},
			{"cheapest first, ties by id", "sort=price_asc", "Eggs; Curd; Atta; Dal; Basmati Rice; Ghee"},
			{"dearest first, ties by id", "sort=price_desc", "Ghee; Basmati Rice; Dal; Atta; Curd; Eggs"},
			{"by name", "sort=name_asc", all},
			{"newest first", "sort=newest", "Eggs; Dal; Curd; Basmati Rice; Atta; Ghee"},
			{"relevance without a search is the usual order", "sort=relevance", all},
			{"no order is the usual one", "sort=", all},
			{"everything at once", "category=staples&minPaise=4500&maxPaise=5000&inStock=true&sort=price_desc", "Dal; Atta"},
			{"a page", "limit=2&page=2", "Curd; Dal"},
			{"a page past the end", "page=9", ""},
			{"a search", "q=rice", "Basmati Rice"},
			{"a search for a brand", "q=aash", "Atta"},
			{"a search for a code", "q=c2", "Curd"},
			{"a search for a code of what is archived", "q=g0", ""},
			{"a search for a category", "q=dairy", "Curd; Eggs; Ghee"},
			{"a search in a description", "q=cow", "Ghee"},
			{"a search for what is not published", "q=honey", ""},
			{"a misspelt search for what is not published", "q=honney", ""},
			{"a misspelt search", "q=basmtti", "Basmati Rice"},
			{"a search in another order", "q=staples&sort=price_desc", "Basmati Rice; Dal; Atta"},
			{"a search with filters", "q=dairy&inStock=true&maxPaise=700", "Eggs"},
			{"a blank search is none", "q=+++", all},
			{"a search of signs", "q=%25", ""},
			{"a parameter that is not known", "colour=red", all},
		} {
			t.Run(c.name, func(t *testing.T) {
				if got := storetest.NamesOf(s.on(t).ListProducts(c.query)); got != c.want {
					t.Errorf("?%s lists %s; want %s", c.query, got, c.want)
				}
			})
		}
		t.Run("staff see what everybody sees", func(t *testing.T) {
			if got := storetest.NamesOf(storetest.ListOf[catalogue.ProductSummary](s.on(t).ClientOf("staff").Get("/api/products"))); got != all {
				t.Errorf("staff are shown %s", got)
			}
		})
	})
}

// TestSearchOrder: a word counts most in a name, then in a brand, then in a
// code or a category, least in a description; the whole name before all; equals
// in the usual order.
func TestSearchOrder(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		s.CreateProduct("Told", fields{"description": "with mango"})
		s.CreateProduct("Shelved", fields{"category": fields{"slug": "mangoes", "name": "Mango"}})
		s.CreateProduct("Coded", fields{"variants": []fields{storetest.VariantBody("MANGO-1", nil)}})
		s.CreateProduct("Branded", fields{"brand": "Mango & Sons"})
		s.CreateProduct("Juice of Mango", nil)
		s.CreateProduct("Another Mango", nil)
		s.CreateProduct("mango", fields{"description": "a mango"})
		s.CreateProduct("Mangosteen", nil)
		for search, want := range map[string]string{
			"mango":            "mango; Another Mango; Juice of Mango; Branded; Mangosteen; Coded; Shelved; Told",
			"MANGO mango":      "Another Mango; Juice of Mango; mango; Branded; Mangosteen; Coded; Shelved; Told",
			"mang":             "Another Mango; Juice of Mango; Mangosteen; mango; Branded; Coded; Shelved; Told",
			"juice mango":      "Juice of Mango",
			"mangoo":           "mango; Another Mango; Juice of Mango; Branded; Mangosteen; Coded; Shelved; Told",
			"mango pineapples": "",
		} {
			if got := storetest.NamesOf(s.ListProducts(storetest.QueryOf("q", search))); got != want {
				t.Errorf("%q finds %s; want %s", search, got, want)
			}
			if got := storetest.NamesOf(s.ListProducts(storetest.QueryOf("q", search, "sort", "relevance"))); got != want {
				t.Errorf("%q by relevance finds %s; want %s", search, got, want)
			}
		}
		if got := storetest.NamesOf(s.ListProducts("q=mango&sort=name_asc&limit=3")); got != "Another Mango; Branded; Coded" {
			t.Errorf("by name it finds %s", got)
		}
	})
}

func TestProductListRefuses(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		const invalid = "invalid_parameter"
		var scenarios []frameworktest.Scenario
		for name, c := range map[string]struct {
			query string
			at    []string
		}{
			"bounds the wrong way round":     {"minPaise=5&maxPaise=4", []string{"minPaise", "maxPaise"}},
			"a bound that is no number":      {"minPaise=cheap", []string{"minPaise"}},
			"a bound with a fraction":        {"maxPaise=45.0", []string{"maxPaise"}},
			"a bound with an exponent":       {"maxPaise=1e3", []string{"maxPaise"}},
			"a bound too large for a number": {"maxPaise=9223372036854775808", []string{"maxPaise"}},
			"both bounds wrong":              {"minPaise=a&maxPaise=b", []string{"minPaise", "maxPaise"}},
			"a bound given twice":            {"minPaise=1&minPaise=2", []string{"minPaise"}},
			"stock that is no boolean":       {"inStock=yes", []string{"inStock"}},
			"an order that is not known":     {"sort=price", []string{"sort"}},
			"an order in another case":       {"sort=PRICE_ASC", []string{"sort"}},
			"an order of columns":            {"sort=-name", []string{"sort"}},
			"two orders":                     {"sort=name_asc,newest", []string{"sort"}},
			"page 0":                         {"page=0", []string{"page"}},
			"a page below 0":                 {"page=-1", []string{"page"}},
			"a page that is no number":       {"page=last", []string{"page"}},
			"a page with a fraction":         {"page=1.5", []string{"page"}},
			"limit 0":                        {"limit=0", []string{"limit"}},
			"a limit that is no number":      {"limit=all", []string{"limit"}},
			"a search that is too long":      {"q=" + strings.Repeat("a", 101), []string{"q"}},
			"everything at once":             {"minPaise=a&inStock=b&sort=c&page=d&limit=e", []string{"minPaise", "inStock", "sort", "page", "limit"}},
		} {
			faults := map[string]string{}
			for _, parameter := range c.at {
				faults[parameter] = invalid
			}
			scenarios = append(scenarios, frameworktest.Scenario{Name: name, Path: "/api/products?" + c.query, Status: 400, Code: invalid, Faults: faults})
		}
		frameworktest.Run(t, s.Client, append(scenarios,
			frameworktest.Scenario{Name: "the nearest order is told", Path: "/api/products?sort=price_as", Status: 400, Contains: []string{"did you mean price_asc?"}},
			frameworktest.Scenario{Name: "a misspelt parameter is told", Path: "/api/products?minPase=5", Status: 200, Answers: map[string]string{"Trestle-Ignored": "minPase; did you mean minPaise?"}},
			frameworktest.Scenario{Name: "a parameter that is not known, twice", Path: "/api/products?colour=red&colour=blue", Status: 200, Answers: map[string]string{"Trestle-Ignored": "colour"}},
			frameworktest.Scenario{Name: "a search of 100 characters", Path: "/api/products?q=" + strings.Repeat("a", 100), Status: 200},
			frameworktest.Scenario{Name: "a bad credential is not anonymous", Path: "/api/products", As: "nonsense", Status: 401},
			frameworktest.Scenario{Name: "a list cannot be written to", Method: http.MethodPost, Path: "/api/products", Body: fields{}, Status: 405},
			frameworktest.Scenario{Name: "categories cannot be written to", Method: http.MethodPost, Path: "/api/categories", Body: fields{}, Status: 405},
			frameworktest.Scenario{Name: "a product cannot be changed here", Method: http.MethodPatch, Path: "/api/products/atta", Body: fields{}, Status: 405},
			frameworktest.Scenario{Name: "a product cannot be deleted", Method: http.MethodDelete, Path: "/api/products/atta", Status: 405},
			frameworktest.Scenario{Name: "one category has no page", Path: "/api/categories/staples", Status: 404},
		))
	})
}

// TestProductShapes: every member that the document has, and no other.
func TestProductShapes(t *testing.T) {
	const variantMembers = "id inStock label mrpPaise pricePaise sku unit"
	both(t, func(t *testing.T, s *site) {
		shop := s.CreateStall()
		var list struct{ Items []json.RawMessage }
		s.Get("/api/products?q=atta").Expect(200).JSON(&list)
		item := list.Items[0]
		detail := json.RawMessage(s.Get("/api/products/atta").Expect(200).Body())
		var variants []json.RawMessage
		s.Must(json.Unmarshal(storetest.MemberAt(t, detail, "variants"), &variants))
		for _, c := range []struct {
			name   string
			object json.RawMessage
			want   string
		}{
			{"the envelope", json.RawMessage(s.Get("/api/products").Body()), "hasNext items limit page total totalPages"},
			{"a product in a list", item, "brand category cheapestVariant id imageUrl name slug"},
			{"its category", storetest.MemberAt(t, item, "category"), "name slug"},
			{"its cheapest variant", storetest.MemberAt(t, item, "cheapestVariant"), variantMembers},
			{"one product", detail, "brand category cheapestVariant description id imageUrl name slug variants"},
			{"its variants", variants[1], variantMembers},
		} {
			if got := storetest.MembersOf(t, c.object); got != c.want {
				t.Errorf("%s has the members %s; want %s", c.name, got, c.want)
			}
		}
		a := shop["Atta"]
		want := fmt.Sprintf(`{"id":%q,"slug":"atta","name":"Atta","brand":"Aashirvaad","imageUrl":"https://img.example/atta.png",`+
			`"category":{"slug":"staples","name":"Staples"},"cheapestVariant":%[2]s,"description":"Stone ground","variants":[%[2]s,%[3]s]}`,
			a.ID, fmt.Sprintf(`{"id":%q,"sku":"A1","label":"500 g","unit":"g","pricePaise":4500,"mrpPaise":null,"inStock":true}`, a.Variants[0].ID),
			fmt.Sprintf(`{"id":%q,"sku":"A2","label":"1 kg","unit":"kg","pricePaise":8000,"mrpPaise":9000,"inStock":true}`, a.Variants[1].ID))
		if strings.TrimSpace(string(detail)) != want {
			t.Errorf("one product is\n%s; want\n%s", detail, want)
		}
		for path, null := range map[string]string{"/api/products/curd": `"description":null`, "/api/products?category=dairy": `"brand":null,"imageUrl":null`} {
			s.Get(path).Expect(200).Contains(null)
		}
	})
}

// TestOneProduct: which products have a page, and which variants it shows.
func TestOneProduct(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		shop := s.CreateStall()
		ghee, curd := shop["Ghee"], shop["Curd"]
		frameworktest.Run(t, s.Client, []frameworktest.Scenario{
			{Name: "a product", Path: "/api/products/basmati-rice", Status: 200, Contains: []string{`"name":"Basmati Rice"`}},
			{Name: "with a last slash too", Path: "/api/products/basmati-rice/", Status: 200},
			{Name: "HEAD", Method: http.MethodHead, Path: "/api/products/basmati-rice", Status: 200},
			{Name: "in another case", Path: "/api/products/Basmati-Rice", Status: 404, Code: "not_found"},
			{Name: "one that is not there", Path: "/api/products/nothing", Status: 404, Code: "not_found"},
			{Name: "one that is not published", Path: "/api/products/hidden-honey", Status: 404, Code: "not_found"},
			{Name: "one that is not published, for staff", Path: "/api/products/hidden-honey", As: s.PersonOf("staff").Token, Status: 404},
			{Name: "by id", Path: "/api/products/" + ghee.ID.String(), Status: 404},
			{Name: "what is archived is not shown", Path: "/api/products/ghee", Status: 200, Contains: []string{`"pricePaise":60000`}, Lacks: []string{"G0"}},
			{Name: "the cheapest is one in stock", Path: "/api/products/curd", Status: 200, Contains: []string{
				fmt.Sprintf(`"cheapestVariant":{"id":%q,"sku":"C2"`, curd.Variants[1].ID), `"variants":[{"id":` + fmt.Sprintf("%q", curd.Variants[0].ID),
			}},
		})
		s.PatchProduct(shop["Atta"], fields{"published": false}).Expect(200)
		s.Get("/api/products/atta").Expect(404)
		if got := storetest.NamesOf(s.ListProducts("q=atta")); got != "" {
			t.Errorf("what was unpublished is found: %s", got)
		}
		s.PatchProduct(shop["Atta"], fields{"published": true}).Expect(200)
		s.Get("/api/products/atta").Expect(200)
	})
}

// TestProductPages: the envelope has the page, the page size that was used, and
// the true total.
func TestProductPages(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		s.CreateStall()
		for _, c := range []struct {
			query string
			want  storetest.Listed[catalogue.ProductSummary] // without items
			rows  int
		}{
			{"", storetest.Listed[catalogue.ProductSummary]{Page: 1, Limit: 20, Total: 6, TotalPages: 1}, 6},
			{"limit=4", storetest.Listed[catalogue.ProductSummary]{Page: 1, Limit: 4, Total: 6, TotalPages: 2, HasNext: true}, 4},
			{"limit=4&page=2", storetest.Listed[catalogue.ProductSummary]{Page: 2, Limit: 4, Total: 6, TotalPages: 2}, 2},
			{"limit=3&page=2", storetest.Listed[catalogue.ProductSummary]{Page: 2, Limit: 3, Total: 6, TotalPages: 2}, 3},
			{"limit=3&page=3", storetest.Listed[catalogue.ProductSummary]{Page: 3, Limit: 3, Total: 6, TotalPages: 2}, 0},
			{"limit=100", storetest.Listed[catalogue.ProductSummary]{Page: 1, Limit: 100, Total: 6, TotalPages: 1}, 6},
			{"limit=101", storetest.Listed[catalogue.ProductSummary]{Page: 1, Limit: 100, Total: 6, TotalPages: 1}, 6},
			{"limit=9223372036854775807&page=9223372036854775807", storetest.Listed[catalogue.ProductSummary]{Page: 9223372036854775807, Limit: 100, Total: 6, TotalPages: 1}, 0},
			{"category=toys", storetest.Listed[catalogue.ProductSummary]{Page: 1, Limit: 20}, 0},
		} {
			got := s.ListProducts(c.query)
			rows := len(got.Items)
			got.Items = nil
			if fmt.Sprint(got) != fmt.Sprint(c.want) || rows != c.rows {
				t.Errorf("?%s: %d rows, %+v; want %d, %+v", c.query, rows, got, c.rows, c.want)
			}
		}
		s.Get("/api/products?category=toys").Contains(`"items":[]`)
	})
}

// TestCategories: by name, then id, each with how many of its products are
// published. A category without published products is not listed.
func TestCategories(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		if got := s.Get("/api/categories").Expect(200).Body(); !strings.Contains(got, `"items":[],"page":1,"limit":100,"total":0,"totalPages":0,"hasNext":false`) {
			t.Errorf("an empty store answers %s", got)
		}
		s.CreateStall()
		ladle := s.CreateProduct("Ladle", fields{"category": fields{"slug": "kitchen-2", "name": "Kitchen"}, "published": false})
		s.CreateProduct("Spoon", fields{"category": fields{"slug": "kitchen-1", "name": "Kitchen"}})
		s.Exec("UPDATE categories SET image_url = 'https://img.example/dairy.png' WHERE slug = 'dairy'")
		body := s.Get("/api/categories").Expect(200).Body()
		want := `{"items":[{"slug":"dairy","name":"Dairy","imageUrl":"https://img.example/dairy.png","productCount":3},` +
			`{"slug":"kitchen-1","name":"Kitchen","imageUrl":null,"productCount":1},` +
			`{"slug":"staples","name":"Staples","imageUrl":null,"productCount":3}],"page":1,"limit":100,"total":3,"totalPages":1,"hasNext":false}`
		if strings.TrimSpace(body) != want {
			t.Errorf("categories are\n%s; want\n%s", body, want)
		}
		page := storetest.ListOf[catalogue.CategoryView](s.Get("/api/categories?limit=2&page=2"))
		if len(page.Items) != 1 || page.Items[0].Slug != "staples" || page.Total != 3 || page.HasNext {
			t.Errorf("the second page is %+v", page)
		}
		s.PatchProduct(ladle, fields{"published": true}).Expect(200)
		s.Get("/api/categories").Expect(200).Contains("kitchen-2")
		s.PatchProduct(ladle, fields{"category": fields{"slug": "kitchen-1"}}).Expect(200) // which empties the other
		s.Get("/api/categories").Expect(200).Lacks("kitchen-2").Contains(`"slug":"kitchen-1","name":"Kitchen","imageUrl":null,"productCount":2`)
		s.Get("/api/categories?limit=0").Expect(400)
		s.Get("/api/categories?sort=name").Expect(200).Header("Trestle-Ignored", "sort")
	})
}

// TestCatalogueStatements: however many products there are, a list is as few
// statements, that which identifies the caller among them.
func TestCatalogueStatements(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		counter := frameworktest.CountStatements(s.DB)
		s.CreateStall()
		customer := s.ClientOf("ada")
		for _, c := range []struct {
			path string
			want int
		}{
			{"/api/products", 2},
			{"/api/products?limit=2", 3},
			{"/api/products?limit=2&page=2&category=staples&minPaise=1&inStock=true&sort=newest", 3},
			{"/api/products?limit=2&page=2&q=staples&sort=price_asc", 3},
			{"/api/products/atta", 3},
			{"/api/products/nothing", 2},
			{"/api/categories", 2},
			{"/api/categories?limit=1", 3},
		} {
			if ran := counter.During(func() { customer.Get(c.path) }); len(ran) != c.want {
				t.Errorf("%s takes %d statements; want %d:\n%s", c.path, len(ran), c.want, strings.Join(ran, "\n"))
			}
		}
	})
}
