package catalogue_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
)

// TestChanges: what each change makes of a product. What it does not name stays.
func TestChanges(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		s.CreateProduct("Other", fields{"category": fields{"slug": "staples", "name": "Staples"}})
		type variants = []fields
		for i, c := range []struct {
			name   string
			change func(p catalogue.AdminProduct, own string) fields
			want   []string // OWN stands for the product's name
			lacks  []string
			same   bool // nothing changes
		}{
			{name: "nothing", change: func(catalogue.AdminProduct, string) fields { return fields{} }, same: true},
			{name: "the version it has", change: func(catalogue.AdminProduct, string) fields { return fields{"version": 2} }, same: true},
			{name: "values that it has", change: func(p catalogue.AdminProduct, own string) fields {
				return fields{"name": own, "brand": "Tata", "published": true, "category": fields{"slug": "drinks"}, "variants": variants{{"id": p.Variants[0].ID, "mrpPaise": 5000}}}
			}, same: true},
			{name: "no variants", change: func(catalogue.AdminProduct, string) fields { return fields{"variants": variants{}} }, same: true},
			{name: "a variant of which nothing is said", change: func(p catalogue.AdminProduct, _ string) fields {
				return fields{"variants": variants{{"id": p.Variants[0].ID}}}
			}, same: true},
			{name: "the name, and not the slug", change: func(catalogue.AdminProduct, string) fields { return fields{"name": " Chai "} }, want: []string{`"slug":"OWN","name":"Chai"`}},
			{name: "the slug", change: func(_ catalogue.AdminProduct, own string) fields { return fields{"slug": own + "-leaves"} }, want: []string{`"slug":"OWN-leaves","name":"OWN"`}},
			{name: "everything that may be null", change: func(catalogue.AdminProduct, string) fields {
				return fields{"brand": nil, "description": nil, "imageUrl": nil}
			},
				want: []string{`"brand":null,"imageUrl":null`, `"description":null`}},
			{name: "other texts", change: func(catalogue.AdminProduct, string) fields {
				return fields{"brand": "Wagh", "description": "Dust", "imageUrl": "https://img.example/2.png"}
			}, want: []string{`"brand":"Wagh","imageUrl":"https://img.example/2.png"`, `"description":"Dust"`}},
			{name: "a category that is there", change: func(catalogue.AdminProduct, string) fields { return fields{"category": fields{"slug": "staples"}} }, want: []string{`"category":{"slug":"staples","name":"Staples"}`}},
			{name: "a category that is not there", change: func(_ catalogue.AdminProduct, own string) fields {
				return fields{"category": fields{"slug": "new-" + own, "name": "New"}}
			}, want: []string{`"category":{"slug":"new-OWN","name":"New"}`}},
			{name: "off the shelf", change: func(catalogue.AdminProduct, string) fields { return fields{"published": false} }, want: []string{`"published":false`}},
			{name: "a price", change: func(p catalogue.AdminProduct, _ string) fields {
				return fields{"variants": variants{{"id": p.Variants[1].ID, "pricePaise": 1}}}
			}, want: []string{`"sku":"OWN-B","label":"500 g","unit":"g","pricePaise":1,"mrpPaise":null`, `"cheapestVariant":{"id":"A"`}},
			{name: "a price above that of another in stock", change: func(p catalogue.AdminProduct, _ string) fields {
				return fields{"variants": variants{{"id": p.Variants[0].ID, "pricePaise": 10_000_000, "mrpPaise": nil}}}
			}, want: []string{`"pricePaise":10000000,"mrpPaise":null`, `"cheapestVariant":{"id":"A"`}},
			{name: "a price and a list price", change: func(p catalogue.AdminProduct, _ string) fields {
				return fields{"variants": variants{{"id": p.Variants[0].ID, "pricePaise": 7000, "mrpPaise": 7000}}}
			}, want: []string{`"pricePaise":7000,"mrpPaise":7000,"inStock":true,"stock":5`}},
			{name: "no list price", change: func(p catalogue.AdminProduct, _ string) fields {
				return fields{"variants": variants{{"id": p.Variants[0].ID, "mrpPaise": nil}}}
			}, want: []string{`"pricePaise":4500,"mrpPaise":null`}},
			{name: "all of a variant", change: func(p catalogue.AdminProduct, own string) fields {
				return fields{"variants": variants{{"id": p.Variants[1].ID, "sku": own + "-Z", "label": "1 kg", "unit": "kg", "pricePaise": 16000, "mrpPaise": 17000}}}
			}, want: []string{`"sku":"OWN-Z","label":"1 kg","unit":"kg","pricePaise":16000,"mrpPaise":17000,"inStock":false,"stock":0,"archived":false`}},
			{name: "a code in another case", change: func(p catalogue.AdminProduct, own string) fields {
				return fields{"variants": variants{{"id": p.Variants[0].ID, "sku": strings.ToLower(own + "-A")}}}
			}, want: []string{`"sku":"OWN-a"`}},
			{name: "codes exchanged", change: func(p catalogue.AdminProduct, own string) fields {
				return fields{"variants": variants{{"id": p.Variants[0].ID, "sku": own + "-B"}, {"id": p.Variants[1].ID, "sku": own + "-A"}}}
			}, want: []string{`{"id":"A","sku":"OWN-B"`, `{"id":"B","sku":"OWN-A"`}},
			{name: "codes in a ring", change: func(p catalogue.AdminProduct, own string) fields {
				return fields{"variants": variants{{"id": p.Variants[0].ID, "sku": own + "-B"}, {"id": p.Variants[1].ID, "sku": own + "-C"}, {"id": p.Variants[2].ID, "sku": own + "-A"}}}
			}, want: []string{`{"id":"A","sku":"OWN-B"`, `{"id":"B","sku":"OWN-C"`, `{"id":"C","sku":"OWN-A"`}},
			{name: "a code that another variant of the body gives up", change: func(p catalogue.AdminProduct, own string) fields {
				return fields{"variants": variants{storetest.VariantBody(own+"-A", nil), {"id": p.Variants[0].ID, "sku": own + "-Z"}}}
			}, want: []string{`{"id":"A","sku":"OWN-Z"`, `"sku":"OWN-A"`}},
			{name: "one archived", change: func(p catalogue.AdminProduct, _ string) fields {
				return fields{"variants": variants{{"id": p.Variants[0].ID, "archived": true}}}
			}, want: []string{`"cheapestVariant":{"id":"B"`, `"inStock":true,"stock":5,"archived":true`}},
			{name: "one back on sale", change: func(p catalogue.AdminProduct, _ string) fields {
				return fields{"variants": variants{{"id": p.Variants[2].ID, "archived": false}}}
			}, want: []string{`"sku":"OWN-C","label":"500 g","unit":"g","pricePaise":100,"mrpPaise":null,"inStock":false,"stock":0,"archived":false`}, lacks: []string{`"archived":true`}},
			{name: "a new one, without stock, behind the others", change: func(_ catalogue.AdminProduct, own string) fields {
				return fields{"variants": variants{{"sku": own + "-D", "label": "2 kg", "unit": "kg", "pricePaise": 50, "mrpPaise": 60}}}
			}, want: []string{`"sku":"OWN-D","label":"2 kg","unit":"kg","pricePaise":50,"mrpPaise":60,"inStock":false,"stock":0,"archived":false}],"published"`, `"cheapestVariant":{"id":"A"`}},
			{name: "a new one in the place of all", change: func(p catalogue.AdminProduct, own string) fields {
				return fields{"variants": variants{{"id": p.Variants[0].ID, "archived": true}, storetest.VariantBody(own+"-D", nil), {"id": p.Variants[1].ID, "archived": true}}}
			}, want: []string{`"sku":"OWN-D","label":"500 g","unit":"g","pricePaise":4500,"mrpPaise":null,"inStock":false},"description"`}},
			{name: "several at once", change: func(p catalogue.AdminProduct, own string) fields {
				return fields{"name": "Chai", "published": false, "version": 2, "category": fields{"slug": "staples"}, "variants": variants{{"id": p.Variants[0].ID, "label": "Box"}, storetest.VariantBody(own+"-D", nil), storetest.VariantBody(own+"-E", nil)}}
			}, want: []string{`"name":"Chai"`, `"published":false`, `"slug":"staples"`, `"label":"Box"`, "OWN-D", "OWN-E"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				s := s.on(t)
				own := fmt.Sprintf("tea%d", i)
				p := s.CreateTea(own)
				before := s.CatalogueContents()
				r := s.PatchProduct(p, c.change(p, own)).Expect(200)
				fill := strings.NewReplacer("OWN", own, `"id":"A"`, `"id":"`+p.Variants[0].ID.String()+`"`, `"id":"B"`, `"id":"`+p.Variants[1].ID.String()+`"`, `"id":"C"`, `"id":"`+p.Variants[2].ID.String()+`"`)
				for _, text := range c.want {
					r.Contains(fill.Replace(text))
				}
				r.Lacks(c.lacks...)
				version := int64(3)
				if c.same {
					version = 2
					if after := s.CatalogueContents(); after != before {
						t.Errorf("something changed; before:\n%s\nafter:\n%s", before, after)
					}
				}
				if got := s.ProductOf(r).Version; got != version {
					t.Errorf("the version is %d; want %d", got, version)
				}
				if again := s.PatchProduct(p, fields{}).Expect(200).Body(); again != r.Body() {
					t.Errorf("the answer was\n%s, but what is stored is\n%s", r.Body(), again)
				}
				s.Audit()
				s.AuditCatalogue()
			})
		}
	})
}

// TestChangesRefused: every error leaves everything as it was.
func TestChangesRefused(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		other := s.CreateProduct("Other", fields{"variants": []fields{storetest.VariantBody("Taken", nil)}})
		p := s.CreateTea("tea")
		a, b, c := p.Variants[0].ID, p.Variants[1].ID, p.Variants[2].ID
		type variants = []fields
		before := s.CatalogueContents()
		const invalid, unknown = "validation_failed", "unknown_field"
		var scenarios []frameworktest.Scenario
		for name, c := range map[string]struct {
			change any
			status int
			code   string
			faults map[string]string
		}{
			"a name that is null":                       {fields{"name": nil}, 400, invalid, map[string]string{"/name": "null"}},
			"a blank name":                              {fields{"name": " "}, 400, invalid, map[string]string{"/name": "required"}},
			"a slug that is null":                       {fields{"slug": nil}, 400, invalid, map[string]string{"/slug": "null"}},
			"a slug that is none":                       {fields{"slug": "A b"}, 400, invalid, map[string]string{"/slug": "format"}},
			"a slug that is another's":                  {fields{"slug": "other"}, 409, "slug_taken", map[string]string{"/slug": "not_unique"}},
			"an image that is not https":                {fields{"imageUrl": "http://img.example"}, 400, invalid, map[string]string{"/imageUrl": "format"}},
			"published that is null":                    {fields{"published": nil}, 400, invalid, map[string]string{"/published": "null"}},
			"a category that is null":                   {fields{"category": nil}, 400, invalid, map[string]string{"/category": "null"}},
			"a category without a slug":                 {fields{"category": fields{"name": "X"}}, 400, invalid, map[string]string{"/category/slug": "required"}},
			"a category that is not there":              {fields{"category": fields{"slug": "toys"}}, 400, invalid, map[string]string{"/category/slug": "invalid_reference"}},
			"an older version":                          {fields{"version": 1, "name": "X"}, 409, "version_conflict", nil},
			"a version to come":                         {fields{"version": 3, "name": "X"}, 409, "version_conflict", nil},
			"a version that is none":                    {fields{"version": 0}, 400, invalid, map[string]string{"/version": "min"}},
			"a version that is null":                    {fields{"version": nil}, 400, invalid, map[string]string{"/version": "null"}},
			"variants that are null":                    {fields{"variants": nil}, 400, invalid, map[string]string{"/variants": "null"}},
			"too many variants":                         {fields{"variants": storetest.VariantBodies("MANY", 101)}, 400, invalid, map[string]string{"/variants": "max"}},
			"a new variant without anything":            {fields{"variants": variants{{}}}, 400, invalid, map[string]string{"/variants/0/sku": "required", "/variants/0/label": "required", "/variants/0/unit": "required", "/variants/0/pricePaise": "required"}},
			"a variant that is not there":               {fields{"variants": variants{{"id": rows.NewID()}}}, 400, invalid, map[string]string{"/variants/0/id": "invalid_reference"}},
			"another product's variant":                 {fields{"variants": variants{{"id": other.Variants[0].ID, "label": "X"}}}, 400, invalid, map[string]string{"/variants/0/id": "invalid_reference"}},
			"a variant twice":                           {fields{"variants": variants{{"id": a}, {"id": b}, {"id": a}}}, 400, invalid, map[string]string{"/variants/2/id": "unique"}},
			"an id that is none":                        {fields{"variants": variants{{"id": "a"}}}, 400, invalid, map[string]string{"/variants/0/id": "format"}},
			"an id that is null":                        {fields{"variants": variants{{"id": nil}}}, 400, invalid, map[string]string{"/variants/0/id": "null"}},
			"a blank code and label":                    {fields{"variants": variants{{"id": a, "sku": " ", "label": ""}}}, 400, invalid, map[string]string{"/variants/0/sku": "filled", "/variants/0/label": "filled"}},
			"nulls":                                     {fields{"variants": variants{{"id": a, "sku": nil, "label": nil, "unit": nil, "pricePaise": nil, "archived": nil}}}, 400, invalid, map[string]string{"/variants/0/sku": "null", "/variants/0/label": "null", "/variants/0/unit": "null", "/variants/0/pricePaise": "null", "/variants/0/archived": "null"}},
			"values beyond their bounds":                {fields{"variants": variants{{"id": a, "sku": strings.Repeat("x", 65), "label": strings.Repeat("x", 81), "unit": "lb", "pricePaise": 0, "mrpPaise": 10_000_001}}}, 400, invalid, map[string]string{"/variants/0/sku": "max", "/variants/0/label": "max", "/variants/0/unit": "oneof", "/variants/0/pricePaise": "min", "/variants/0/mrpPaise": "max"}},
			"a price with a fraction":                   {fields{"variants": variants{{"id": a, "pricePaise": storetest.Raw("4500.0")}}}, 400, invalid, map[string]string{"/variants/0/pricePaise": "integer"}},
			"a list price below the price":              {fields{"variants": variants{{"id": b}, {"id": a, "pricePaise": 20, "mrpPaise": 19}}}, 400, invalid, map[string]string{"/variants/1/mrpPaise": "min"}},
			"a list price below the price there is":     {fields{"variants": variants{{"id": b}, {"id": a, "mrpPaise": 4499}}}, 400, invalid, map[string]string{"/variants/1/mrpPaise": "min"}},
			"a price above the list price there is":     {fields{"variants": variants{{"id": b}, {"id": a, "pricePaise": 5001}}}, 400, invalid, map[string]string{"/variants/1/pricePaise": "max"}},
			"a stock":                                   {fields{"variants": variants{{"id": a, "stock": 9}}}, 400, unknown, map[string]string{"/variants/0/stock": unknown}},
			"a stock of a new variant":                  {fields{"variants": variants{storetest.VariantBody("N", fields{"stock": 9})}}, 400, unknown, map[string]string{"/variants/0/stock": unknown}},
			"a misspelt price":                          {fields{"variants": variants{{"id": a, "pricePase": 9}}}, 400, unknown, map[string]string{"/variants/0/pricePase": unknown}},
			"a code twice in the body":                  {fields{"variants": variants{{"id": a, "sku": "new"}, {"id": b, "sku": "NEW"}}}, 400, invalid, map[string]string{"/variants/1/sku": "unique"}},
			"another product's code":                    {fields{"variants": variants{{"id": a, "label": "X"}, {"id": b, "sku": "TAKEN"}}}, 409, "sku_taken", map[string]string{"/variants/1/sku": "not_unique"}},
			"another product's code for a new variant":  {fields{"variants": variants{storetest.VariantBody("N", nil), storetest.VariantBody("tAken", nil)}}, 409, "sku_taken", map[string]string{"/variants/1/sku": "not_unique"}},
			"the code of another variant of it":         {fields{"variants": variants{{"id": a, "sku": "tea-b"}}}, 409, "sku_taken", map[string]string{"/variants/0/sku": "not_unique"}},
			"the code of one that the body names too":   {fields{"variants": variants{{"id": b, "label": "X"}, {"id": a, "sku": "tea-b"}}}, 409, "sku_taken", map[string]string{"/variants/1/sku": "not_unique"}},
			"the same, for a new variant":               {fields{"variants": variants{{"id": b}, storetest.VariantBody("TEA-B", nil)}}, 409, "sku_taken", map[string]string{"/variants/1/sku": "not_unique"}},
			"the code of one of it that is archived":    {fields{"variants": variants{storetest.VariantBody("TEA-C", nil)}}, 409, "sku_taken", map[string]string{"/variants/0/sku": "not_unique"}},
			"the last on sale archived":                 {fields{"variants": variants{{"id": a, "archived": true}, {"id": b, "archived": true}}}, 409, "last_variant", nil},
			"the last on sale archived, one taken back": {fields{"variants": variants{{"id": a, "archived": true}, {"id": b, "archived": true}, {"id": c, "archived": true}}}, 409, "last_variant", nil},
			"the last on sale archived, a new one too":  {fields{"variants": variants{{"id": a, "archived": true}, {"id": b, "archived": true}, storetest.VariantBody("N", fields{"archived": true})}}, 409, "last_variant", nil},
			"everything at once": {fields{"category": fields{"slug": "toys"}, "variants": variants{{"id": a, "mrpPaise": 1}, {"id": rows.NewID()}, {"id": b}, {"id": b}}}, 400, invalid, map[string]string{
				"/category/slug": "invalid_reference", "/variants/0/mrpPaise": "min", "/variants/1/id": "invalid_reference", "/variants/3/id": "unique",
			}},
		} {
			scenarios = append(scenarios, frameworktest.Scenario{Name: name, Method: http.MethodPatch, Path: storetest.AdminPath(p), Body: c.change, Status: c.status, Code: c.code, Faults: c.faults})
		}
		change := fields{"name": "X"}
		frameworktest.Run(t, s.ClientOf("staff"), append(scenarios,
			frameworktest.Scenario{Name: "the version is told", Method: http.MethodPatch, Path: storetest.AdminPath(p), Body: fields{"version": 1}, Status: 409, Contains: []string{`"details":{"currentVersion":2}`}},
			frameworktest.Scenario{Name: "a price above the list price names the list price", Method: http.MethodPatch, Path: storetest.AdminPath(p), Body: fields{"variants": variants{{"id": a, "pricePaise": 5001}}}, Status: 400, Contains: []string{"must be at most the list price, 5000"}},
			frameworktest.Scenario{Name: "a list price below the price names the price", Method: http.MethodPatch, Path: storetest.AdminPath(p), Body: fields{"variants": variants{{"id": a, "pricePaise": 5001, "mrpPaise": 5000}}}, Status: 400, Faults: map[string]string{"/variants/0/mrpPaise": "min"}, Contains: []string{"must be at least the price, 5001"}},
			frameworktest.Scenario{Name: "the nearest name is told", Method: http.MethodPatch, Path: storetest.AdminPath(p), Body: fields{"variants": variants{{"id": a, "pricePase": 9}}}, Status: 400, Contains: []string{"did you mean /variants/0/pricePaise?"}},
			frameworktest.Scenario{Name: "a product that is not there", Method: http.MethodPatch, Path: storetest.ProductsPath + "/" + rows.NewID().String(), Body: change, Status: 404, Code: "not_found"},
			frameworktest.Scenario{Name: "an id that is none", Method: http.MethodPatch, Path: storetest.ProductsPath + "/tea", Body: change, Status: 404, Code: "not_found"},
			frameworktest.Scenario{Name: "anonymous", Method: http.MethodPatch, Path: storetest.AdminPath(p), Headers: map[string]string{"Authorization": ""}, Body: change, Status: 401},
			frameworktest.Scenario{Name: "a customer", Method: http.MethodPatch, Path: storetest.AdminPath(p), As: s.PersonOf("ada").Token, Body: change, Status: 403},
		))
		if after := s.CatalogueContents(); after != before {
			t.Errorf("a refusal changed something; before:\n%s\nafter:\n%s", before, after)
		}
	})
}

// TestOnlyWhatDiffersIsWritten: if a body has the present values of a variant, such as
// its list price, the variant is not written.
func TestOnlyWhatDiffersIsWritten(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		counter := frameworktest.CountStatements(s.DB)
		p := s.CreateTea("tea")
		for _, c := range []struct {
			name   string
			list   int64
			writes int
		}{{"as it is", 5000, 0}, {"another", 5001, 1}} {
			change := fields{"brand": c.name, "variants": []fields{{"id": p.Variants[0].ID, "mrpPaise": c.list}, {"id": p.Variants[1].ID, "mrpPaise": nil}}}
			ran := counter.During(func() { s.PatchProduct(p, change).Expect(200) })
			ran = slices.DeleteFunc(ran, func(text string) bool { return !strings.HasPrefix(text, `UPDATE "variants"`) })
			if len(ran) != c.writes {
				t.Errorf("a list price %s: %d variants are written; want %d: %s", c.name, len(ran), c.writes, ran)
			}
		}
	})
}

// TestChangesAreWrittenDown: who changed what, when, and by which request.
func TestChangesAreWrittenDown(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		p := s.CreateProduct("Tea", nil)
		renamed := s.PatchProduct(p, fields{"name": "Chai", "brand": "Tata"}).Expect(200)
		s.PatchProduct(p, fields{"name": "Chai"}).Expect(200)
		s.PatchProduct(p, fields{"name": ""}).Expect(400)
		s.SetStock(p.Variants[0], 5).Expect(200)
		var log []catalogue.ProductChange
		s.Must(s.DB.NewSelect().Model(&log).OrderExpr("id").Scan(context.Background()))
		if len(log) != 2 {
			t.Fatalf("%d changes are written down; want 2: %+v", len(log), log)
		}
		for member, want := range map[string][2]string{"name": {`"Tea"`, `"Chai"`}, "brand": {"null", `"Tata"`}, "version": {"1", "2"}} {
			from, to := storetest.MemberAt(t, []byte(log[1].Change), member, "from"), storetest.MemberAt(t, []byte(log[1].Change), member, "to")
			if string(from) != want[0] || string(to) != want[1] {
				t.Errorf("of %s is written down %s and then %s; want %s", member, from, to, want)
			}
		}
		if got := storetest.MembersOf(t, []byte(log[1].Change)); got != "brand name version" {
			t.Errorf("of a change are written down %s", got)
		}
		if got := storetest.MemberAt(t, []byte(log[0].Change), "name"); storetest.MembersOf(t, got) != "to" {
			t.Errorf("of the name of a new product is written down %s", got)
		}
		if log[1].Actor != s.PersonOf("staff").ID || log[1].ProductID != p.ID || log[1].RequestID != uuid.MustParse(renamed.Headers().Get("X-Request-Id")) {
			t.Errorf("the change is %+v", log[1])
		}
	})
}

// TestWordsFollowChanges: a product is found by what it says now.
func TestWordsFollowChanges(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		p := s.CreateTea("tea")
		finds := func(search string, found bool) {
			t.Helper()
			if got := s.ListProducts(storetest.QueryOf("q", search)).Total; (got == 1) != found {
				t.Errorf("%q finds %d products", search, got)
			}
		}
		for _, word := range []string{"tea", "tata", "leaves", "drinks", "tea-a"} {
			finds(word, true)
		}
		s.PatchProduct(p, fields{
			"name": "Chai", "brand": "Wagh", "description": nil, "category": fields{"slug": "hot", "name": "Hot Beverages"},
			"variants": []fields{{"id": p.Variants[0].ID, "sku": "Zulu"}, {"id": p.Variants[1].ID, "archived": true}, {"id": p.Variants[2].ID, "sku": "Yank", "archived": false}},
		}).Expect(200)
		for word, found := range map[string]bool{
			"chai": true, "wagh": true, "hot bev": true, "zulu": true, "yank": true,
			"tata": false, "leaves": false, "drinks": false, "tea-a": false, "tea-b": false, "tea": false,
		} {
			finds(word, found)
		}
	})
}
