package catalogue_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
)

// TestNewProduct: what a product is that says as little as it may, and one
// that says everything.
func TestNewProduct(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		r := s.ClientOf("staff").Post(storetest.ProductsPath, fields{
			"name": "Curd", "category": fields{"slug": "dairy", "name": "Dairy"},
			"variants": []fields{{"sku": "c1", "label": "400 g", "unit": "g", "pricePaise": 3500}},
		}).Expect(201)
		p := s.ProductOf(r)
		v := fmt.Sprintf(`{"id":%q,"sku":"c1","label":"400 g","unit":"g","pricePaise":3500,"mrpPaise":null,"inStock":false`, p.Variants[0].ID)
		want := fmt.Sprintf(`{"id":%q,"slug":"curd","name":"Curd","brand":null,"imageUrl":null,"category":{"slug":"dairy","name":"Dairy"},`+
			`"cheapestVariant":%s},"description":null,"variants":[%[2]s,"stock":0,"archived":false}],"published":true,"version":1}`, p.ID, v)
		if got := strings.TrimSpace(r.Body()); got != want {
			t.Errorf("the answer is\n%s; want\n%s", got, want)
		}
		if v := p.ID.Version(); v != 7 {
			t.Errorf("the id is a UUIDv%d", v)
		}

		r = s.ClientOf("staff").Post(storetest.ProductsPath, fields{
			"name": " Atta ", "slug": "flour", "brand": " Aashirvaad ", "description": "Stone ground", "imageUrl": "https://img.example/a.png",
			"category": fields{"slug": "staples", "name": " Staples "}, "published": false,
			"variants": []fields{
				{"sku": " A1 ", "label": " 1 kg ", "unit": "kg", "pricePaise": 6000, "mrpPaise": 6500, "stock": 0},
				{"sku": "A5", "label": "5 kg", "unit": "kg", "pricePaise": 28000, "mrpPaise": 28000, "stock": 12},
			},
		}).Expect(201)
		p = s.ProductOf(r)
		dearer := fmt.Sprintf(`{"id":%q,"sku":"A5","label":"5 kg","unit":"kg","pricePaise":28000,"mrpPaise":28000,"inStock":true`, p.Variants[1].ID)
		want = fmt.Sprintf(`{"id":%q,"slug":"flour","name":"Atta","brand":"Aashirvaad","imageUrl":"https://img.example/a.png","category":{"slug":"staples","name":"Staples"},`+
			`"cheapestVariant":%s},"description":"Stone ground","variants":[{"id":%q,"sku":"A1","label":"1 kg","unit":"kg","pricePaise":6000,"mrpPaise":6500,"inStock":false,"stock":0,"archived":false},`+
			`%[2]s,"stock":12,"archived":false}],"published":false,"version":1}`, p.ID, dearer, p.Variants[0].ID)
		if got := strings.TrimSpace(r.Body()); got != want {
			t.Errorf("the answer is\n%s; want\n%s", got, want)
		}
		s.Get("/api/products/flour").Expect(404)
		s.Audit()
		s.AuditCatalogue()
	})
}

// TestNewProductTakes: values at the bounds, and what is optional.
func TestNewProductTakes(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		s.CreateProduct("Dal", nil)
		one := func(more fields) fields {
			return fields{"variants": []fields{storetest.VariantBody("S-"+rows.NewID().String(), more)}}
		}
		for _, c := range []struct {
			name string
			body fields
			want []string
		}{
			{"a slug of its own", fields{"slug": "moong-2"}, []string{`"slug":"moong-2"`}},
			{"a slug that is null", fields{"name": "Null Slug", "slug": nil}, []string{`"slug":"null-slug"`}},
			{"a name that has a product already", fields{"name": "Dal"}, []string{`"slug":"dal-2"`}},
			{"a third of that name", fields{"name": "dal!"}, []string{`"slug":"dal-3"`}},
			{"a name that is another's slug", fields{"name": "Moong 2"}, []string{`"slug":"moong-2-2"`}},
			{"a name without ASCII", fields{"name": "दाल"}, []string{`"slug":"product"`, `"name":"दाल"`}},
			{"another name without ASCII", fields{"name": "चावल"}, []string{`"slug":"product-2"`}},
			{"a name of 200 characters", fields{"name": strings.Repeat("द", 200)}, nil},
			{"everything optional null", fields{"brand": nil, "description": nil, "imageUrl": nil, "slug": nil}, []string{`"brand":null`, `"description":null`, `"imageUrl":null`}},
			{"empty texts are texts", fields{"brand": "", "description": " "}, []string{`"brand":""`, `"description":""`}},
			{"a brand of 120 characters", fields{"brand": strings.Repeat("b", 120)}, nil},
			{"a description of 10000 characters", fields{"description": strings.Repeat("é", 10000)}, nil},
			{"a category that is there", fields{"category": fields{"slug": "staples"}}, []string{`"name":"Staples"`}},
			{"a category that is there under another name", fields{"category": fields{"slug": "staples", "name": "Stables"}}, []string{`"category":{"slug":"staples","name":"Staples"}`}},
			{"a category that is there, its name null", fields{"category": fields{"slug": "staples", "name": nil}}, nil},
			{"a category that is not there", fields{"category": fields{"slug": "dairy", "name": "Dairy"}}, []string{`"category":{"slug":"dairy","name":"Dairy"}`}},
			{"the least price", one(fields{"pricePaise": 1}), []string{`"pricePaise":1,`}},
			{"the greatest price", one(fields{"pricePaise": 10_000_000, "mrpPaise": 10_000_000}), []string{`"pricePaise":10000000,"mrpPaise":10000000`}},
			{"a list price that is the price", one(fields{"pricePaise": 5, "mrpPaise": 5}), []string{`"mrpPaise":5`}},
			{"a list price that is null", one(fields{"mrpPaise": nil}), []string{`"mrpPaise":null`}},
			{"no stock", one(fields{"stock": 0}), []string{`"inStock":false,"stock":0`}},
			{"the greatest stock", one(fields{"stock": 1_000_000}), []string{`"inStock":true,"stock":1000000`}},
			{"a code of 64 characters", one(fields{"sku": strings.Repeat("ß", 64)}), nil},
			{"a label of 80 characters", one(fields{"label": strings.Repeat("l", 80)}), nil},
			{"a hundred variants", fields{"variants": storetest.VariantBodies("MANY", 100)}, nil},
			{"not published", fields{"published": false}, []string{`"published":false`}},
		} {
			t.Run(c.name, func(t *testing.T) {
				s.on(t).ClientOf("staff").Post(storetest.ProductsPath, storetest.ProductBody("Some", c.body)).Expect(201).Contains(c.want...)
			})
		}
		for _, unit := range []catalogue.Unit{catalogue.Gram, catalogue.Kilogram, catalogue.Millilitre, catalogue.Litre, catalogue.Piece, catalogue.Pack, catalogue.Dozen, catalogue.Bunch} {
			s.ClientOf("staff").Post(storetest.ProductsPath, storetest.ProductBody("Some", one(fields{"unit": unit}))).Expect(201).Contains(fmt.Sprintf(`"unit":%q`, unit))
		}
		s.Audit()
		s.AuditCatalogue()
	})
}

// rejectedProducts are bodies of new products that are rejected, by the members that differ from
// a valid body, with the expected faults.
func rejectedProducts() []frameworktest.Scenario {
	long := func(n int) string { return strings.Repeat("x", n) }
	one := func(more fields) fields {
		return fields{"variants": []fields{storetest.VariantBody("OWN", nil), storetest.VariantBody("OTHER", more)}}
	}
	const at = "/variants/1/"
	var list []frameworktest.Scenario
	for name, c := range map[string]struct {
		more   any
		faults map[string]string
	}{
		"no name":                         {fields{"name": nil}, map[string]string{"/name": "null"}},
		"a blank name":                    {fields{"name": "  "}, map[string]string{"/name": "required"}},
		"a name that is too long":         {fields{"name": long(201)}, map[string]string{"/name": "max"}},
		"a name that is no text":          {fields{"name": 7}, map[string]string{"/name": "type"}},
		"a brand that is too long":        {fields{"brand": long(121)}, map[string]string{"/brand": "max"}},
		"a description that is too long":  {fields{"description": long(10001)}, map[string]string{"/description": "max"}},
		"a slug with capitals":            {fields{"slug": "Rice"}, map[string]string{"/slug": "format"}},
		"an empty slug":                   {fields{"slug": ""}, map[string]string{"/slug": "format"}},
		"an image that is not https":      {fields{"imageUrl": "http://img.example/a.png"}, map[string]string{"/imageUrl": "format"}},
		"an image with a user":            {fields{"imageUrl": "https://me@img.example/a.png"}, map[string]string{"/imageUrl": "format"}},
		"an image that is too long":       {fields{"imageUrl": "https://img.example/" + long(2048)}, map[string]string{"/imageUrl": "format"}},
		"an image that is empty":          {fields{"imageUrl": ""}, map[string]string{"/imageUrl": "format"}},
		"a category that is null":         {fields{"category": nil}, map[string]string{"/category": "null"}},
		"a category that is a text":       {fields{"category": "staples"}, map[string]string{"/category": "type"}},
		"a category without a slug":       {fields{"category": fields{"name": "Staples"}}, map[string]string{"/category/slug": "required"}},
		"a category with a bad slug":      {fields{"category": fields{"slug": "Staples"}}, map[string]string{"/category/slug": "format"}},
		"a category that is not there":    {fields{"category": fields{"slug": "toys"}}, map[string]string{"/category/slug": "invalid_reference"}},
		"a category with a blank name":    {fields{"category": fields{"slug": "toys", "name": " "}}, map[string]string{"/category/slug": "invalid_reference"}},
		"a category with a name too long": {fields{"category": fields{"slug": "toys", "name": long(121)}}, map[string]string{"/category/name": "max"}},
		"published that is null":          {fields{"published": nil}, map[string]string{"/published": "null"}},
		"published that is a number":      {fields{"published": 1}, map[string]string{"/published": "type"}},
		"variants that are null":          {fields{"variants": nil}, map[string]string{"/variants": "null"}},
		"no variant":                      {fields{"variants": []fields{}}, map[string]string{"/variants": "required"}},
		"an empty variant":                {fields{"variants": []fields{{}}}, map[string]string{"/variants/0/sku": "required", "/variants/0/label": "required", "/variants/0/unit": "required", "/variants/0/pricePaise": "required"}},
		"a variant that is null":          {fields{"variants": []any{nil}}, map[string]string{"/variants/0": "null"}},
		"too many variants":               {fields{"variants": storetest.VariantBodies("MANY", 101)}, map[string]string{"/variants": "max"}},
		"a blank code":                    {one(fields{"sku": " "}), map[string]string{at + "sku": "required"}},
		"a code that is too long":         {one(fields{"sku": long(65)}), map[string]string{at + "sku": "max"}},
		"a code twice":                    {one(fields{"sku": "OWN"}), map[string]string{at + "sku": "unique"}},
		"a code twice in different cases": {one(fields{"sku": "own"}), map[string]string{at + "sku": "unique"}},
		"a blank label":                   {one(fields{"label": ""}), map[string]string{at + "label": "required"}},
		"a label that is too long":        {one(fields{"label": long(81)}), map[string]string{at + "label": "max"}},
		"a unit that is not known":        {one(fields{"unit": "lb"}), map[string]string{at + "unit": "oneof"}},
		"a unit in capitals":              {one(fields{"unit": "KG"}), map[string]string{at + "unit": "oneof"}},
		"a price of 0":                    {one(fields{"pricePaise": 0}), map[string]string{at + "pricePaise": "min"}},
		"a price below 0":                 {one(fields{"pricePaise": -1}), map[string]string{at + "pricePaise": "min"}},
		"a price that is too high":        {one(fields{"pricePaise": 10_000_001}), map[string]string{at + "pricePaise": "max"}},
		"a price that is null":            {one(fields{"pricePaise": nil}), map[string]string{at + "pricePaise": "null"}},
		"a price that is a text":          {one(fields{"pricePaise": "45"}), map[string]string{at + "pricePaise": "type"}},
		"a price with a fraction":         {one(fields{"pricePaise": storetest.Raw("45.0")}), map[string]string{at + "pricePaise": "integer"}},
		"a price with an exponent":        {one(fields{"pricePaise": storetest.Raw("1e3")}), map[string]string{at + "pricePaise": "integer"}},
		"a price beyond any number":       {one(fields{"pricePaise": storetest.Raw("99999999999999999999")}), map[string]string{at + "pricePaise": "max"}},
		"a list price below the price":    {one(fields{"mrpPaise": 4499}), map[string]string{at + "mrpPaise": "min"}},
		"a list price of 0":               {one(fields{"mrpPaise": 0}), map[string]string{at + "mrpPaise": "min"}},
		"a list price that is too high":   {one(fields{"mrpPaise": 10_000_001}), map[string]string{at + "mrpPaise": "max"}},
		"a list price with a fraction":    {one(fields{"mrpPaise": storetest.Raw("5000.5")}), map[string]string{at + "mrpPaise": "integer"}},
		"a stock below 0":                 {one(fields{"stock": -1}), map[string]string{at + "stock": "min"}},
		"a stock that is too high":        {one(fields{"stock": 1_000_001}), map[string]string{at + "stock": "max"}},
		"a stock that is null":            {one(fields{"stock": nil}), map[string]string{at + "stock": "null"}},
		"a stock with a fraction":         {one(fields{"stock": storetest.Raw("1.0")}), map[string]string{at + "stock": "integer"}},
		"a text with NUL":                 {fields{"name": "a\x00b"}, map[string]string{"/name": "nul"}},
		"everything at once": {
			fields{"name": "", "slug": "-", "imageUrl": "x", "published": 0, "category": fields{}, "variants": []fields{
				{"sku": "", "label": 1, "unit": "lb", "pricePaise": 0, "mrpPaise": 0, "stock": -1}, storetest.VariantBody("B", fields{"mrpPaise": 1}),
			}},
			map[string]string{
				"/name": "required", "/slug": "format", "/imageUrl": "format", "/published": "type", "/category/slug": "required",
				"/variants/0/sku": "required", "/variants/0/label": "type", "/variants/0/unit": "oneof", "/variants/0/pricePaise": "min",
				"/variants/0/mrpPaise": "min", "/variants/0/stock": "min", "/variants/1/mrpPaise": "min",
			},
		},
	} {
		list = append(list, frameworktest.Scenario{
			Name: name, Method: http.MethodPost, Path: storetest.ProductsPath, Body: storetest.ProductBody("Rice", c.more.(fields)), Status: 400, Code: "validation_failed", Faults: c.faults,
		})
	}
	return list
}

// TestNewProductRefused: every error leaves everything as it was.
func TestNewProductRefused(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		s.CreateProduct("Dal", fields{"variants": []fields{storetest.VariantBody("Taken", nil), storetest.VariantBody("Gone", nil)}})
		staff := s.PersonOf("staff").Token
		before := s.CatalogueContents()
		frameworktest.Run(t, s.As(staff), rejectedProducts())
		const unknown = "unknown_field"
		frameworktest.Run(t, s.As(staff), []frameworktest.Scenario{
			{Name: "no body", Method: http.MethodPost, Path: storetest.ProductsPath, Status: 400, Code: "invalid_json"},
			{Name: "an empty body", Method: http.MethodPost, Path: storetest.ProductsPath, Body: fields{}, Status: 400, Code: "validation_failed", Faults: map[string]string{
				"/name": "required", "/category": "required", "/variants": "required",
			}},
			{Name: "a misspelt price", Method: http.MethodPost, Path: storetest.ProductsPath, Status: 400, Code: unknown,
				Body:   storetest.ProductBody("Rice", fields{"variants": []fields{storetest.VariantBody("X", fields{"mrpPase": 4500})}}),
				Faults: map[string]string{"/variants/0/mrpPase": unknown}, Contains: []string{"did you mean", "mrpPaise"}},
			{Name: "a field that is not one", Method: http.MethodPost, Path: storetest.ProductsPath, Body: storetest.ProductBody("Rice", fields{"colour": "white"}), Status: 400, Code: unknown, Faults: map[string]string{"/colour": unknown}},
			{Name: "a field of a category that is not one", Method: http.MethodPost, Path: storetest.ProductsPath, Body: storetest.ProductBody("Rice", fields{"category": fields{"slug": "a", "name": "A", "imageUrl": "x"}}), Status: 400, Code: unknown, Faults: map[string]string{"/category/imageUrl": unknown}},
			{Name: "a parameter that is not one", Method: http.MethodPost, Path: storetest.ProductsPath + "?dryRun=1", Body: storetest.ProductBody("Rice", nil), Status: 400, Code: "invalid_parameter"},
			{Name: "a slug that is taken", Method: http.MethodPost, Path: storetest.ProductsPath, Body: storetest.ProductBody("Rice", fields{"slug": "dal"}), Status: 409, Code: "slug_taken", Faults: map[string]string{"/slug": "not_unique"}},
			{Name: "a code that is taken", Method: http.MethodPost, Path: storetest.ProductsPath, Status: 409, Code: "sku_taken", Body: storetest.ProductBody("Rice", fields{"variants": []fields{storetest.VariantBody("Free", nil), storetest.VariantBody("Taken", nil)}}), Faults: map[string]string{"/variants/1/sku": "not_unique"}, Lacks: []string{"/variants/0"}},
			{Name: "codes that are taken in another case", Method: http.MethodPost, Path: storetest.ProductsPath, Status: 409, Code: "sku_taken", Body: storetest.ProductBody("Rice", fields{"variants": []fields{storetest.VariantBody("GONE", nil), storetest.VariantBody("tAKEN", nil)}}), Faults: map[string]string{"/variants/0/sku": "not_unique", "/variants/1/sku": "not_unique"}},
			{Name: "anonymous", Method: http.MethodPost, Path: storetest.ProductsPath, Headers: map[string]string{"Authorization": ""}, Body: storetest.ProductBody("Rice", nil), Status: 401, Code: "authentication_required"},
			{Name: "a customer", Method: http.MethodPost, Path: storetest.ProductsPath, As: s.PersonOf("ada").Token, Body: storetest.ProductBody("Rice", nil), Status: 403, Code: "forbidden"},
			{Name: "a list of all products", Path: storetest.ProductsPath, Status: 405},
			{Name: "a replacement", Method: http.MethodPut, Path: storetest.ProductsPath + "/" + rows.NewID().String(), Body: fields{}, Status: 405},
			{Name: "a removal", Method: http.MethodDelete, Path: storetest.ProductsPath + "/" + rows.NewID().String(), Status: 405},
			{Name: "the page of the code", Path: "/api/errors/sku_taken", Status: 200},
		})
		if after := s.CatalogueContents(); after != before {
			t.Errorf("a refusal changed something; before:\n%s\nafter:\n%s", before, after)
		}
	})
}

// TestNewProductWithAKey is made once.
func TestNewProductWithAKey(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		staff, body := s.ClientOf("staff").With("Idempotency-Key", "rice-1"), storetest.ProductBody("Rice", nil)
		first := staff.Post(storetest.ProductsPath, body).Expect(201)
		again := staff.Post(storetest.ProductsPath, body).Expect(201).Header("Idempotent-Replayed", "true")
		if again.Body() != first.Body() {
			t.Errorf("the second answer is %s; the first was %s", again.Body(), first.Body())
		}
		other := maps.Clone(body)
		other["name"] = "Wheat"
		staff.Post(storetest.ProductsPath, other).Expect(422).Code("idempotency_key_reused")
		if got := storetest.NamesOf(s.ListProducts("")); got != "Rice" {
			t.Errorf("there are %s", got)
		}
	})
}
