package catalogue_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
)

// movements are those of a variant, the oldest first.
func (s *site) movements(v catalogue.AdminVariant) (all []catalogue.StockMovement) {
	s.T.Helper()
	s.Must(s.DB.NewSelect().Model(&all).Where("variant_id = ?", v.ID).OrderExpr("id").Scan(context.Background()))
	return all
}

// TestTheCardOfEqualVariants: of variants in stock with the same price,
// the card shows the first by position, not by id.
func TestTheCardOfEqualVariants(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		p := s.CreateProduct("Curd", fields{"variants": storetest.VariantBodies("C", 3)})
		s.Exec("UPDATE variants SET position = 2 - position") // against the order of their ids
		for _, c := range []struct {
			set   int // the variant
			stock int64
			card  int
		}{{0, 5, 0}, {1, 5, 1}, {2, 5, 2}, {2, 0, 1}, {1, 0, 0}, {0, 0, 2}} {
			s.SetStock(p.Variants[c.set], c.stock).Expect(200)
			if got := s.ListProducts("").Items[0].CheapestVariant.ID; got != p.Variants[c.card].ID {
				t.Errorf("with %d of %s the card shows %s; want %s", c.stock, p.Variants[c.set].SKU, got, p.Variants[c.card].SKU)
			}
			s.Audit()
		}
	})
}

// TestSettingStock: the answer, the movement, and what customers see of it.
func TestSettingStock(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		p := s.CreateProduct("Curd", fields{"variants": []fields{storetest.VariantBody("c1", fields{"pricePaise": 100, "stock": 3}), storetest.VariantBody("c2", fields{"pricePaise": 50})}})
		v, cheaper := p.Variants[0], p.Variants[1]
		for _, c := range []struct {
			name   string
			body   fields
			stock  int64
			deltas []int64 // of all movements so far
			shown  string  // the variant on the card
		}{
			{"more", fields{"stock": 10, "reason": " Delivery "}, 10, []int64{3, 7}, "c1"},
			{"fewer", fields{"stock": 4, "reason": nil}, 4, []int64{3, 7, -6}, "c1"},
			{"as many as there are: no movement", fields{"stock": 4, "reason": "Counted"}, 4, []int64{3, 7, -6}, "c1"},
			{"as expected", fields{"stock": 6, "expectedStock": 4}, 6, []int64{3, 7, -6, 2}, "c1"},
			{"expected to be as many already", fields{"stock": 6, "expectedStock": 6}, 6, []int64{3, 7, -6, 2}, "c1"},
			{"no expectation", fields{"stock": 7, "expectedStock": nil}, 7, []int64{3, 7, -6, 2, 1}, "c1"},
			{"none left: the card shows the cheapest", fields{"stock": 0}, 0, []int64{3, 7, -6, 2, 1, -7}, "c2"},
			{"zero as expected", fields{"stock": 1, "expectedStock": 0}, 1, []int64{3, 7, -6, 2, 1, -7, 1}, "c1"},
			{"as many as there can be", fields{"stock": 1_000_000}, 1_000_000, []int64{3, 7, -6, 2, 1, -7, 1, 999_999}, "c1"},
		} {
			t.Run(c.name, func(t *testing.T) {
				s := s.on(t)
				r := s.ClientOf("staff").Patch(storetest.StockPath(v), c.body).Expect(200)
				want := fmt.Sprintf(`{"id":%q,"sku":"c1","stock":%d,"inStock":%v}`, v.ID, c.stock, c.stock > 0)
				if got := strings.TrimSpace(r.Body()); got != want {
					t.Errorf("the answer is %s; want %s", got, want)
				}
				var deltas []int64
				for _, m := range s.movements(v) {
					deltas = append(deltas, m.Delta)
				}
				if fmt.Sprint(deltas) != fmt.Sprint(c.deltas) {
					t.Errorf("the movements are %d; want %d", deltas, c.deltas)
				}
				if got := s.ListProducts("").Items[0].CheapestVariant; got.SKU != c.shown || got.InStock != (c.stock > 0) {
					t.Errorf("the card shows %+v", got)
				}
				s.Audit()
				s.AuditCatalogue()
			})
		}
		t.Run("the movement says who, why and by which request", func(t *testing.T) {
			s := s.on(t)
			r := s.ClientOf("staff").Patch(storetest.StockPath(cheaper), fields{"stock": 2, "reason": " Found some "}).Expect(200)
			m := s.movements(cheaper)[0]
			if m.Kind != catalogue.StockSet || m.Delta != 2 || m.StockAfter != 2 || m.OrderID != nil || m.Reason != "Found some" ||
				m.Actor != s.PersonOf("staff").ID || m.RequestID != uuid.MustParse(r.Headers().Get("X-Request-Id")) {
				t.Errorf("the movement is %+v", m)
			}
		})
		t.Run("the version of the product is that of its texts and prices", func(t *testing.T) {
			if got := s.on(t).ProductOf(s.on(t).PatchProduct(p, fields{}).Expect(200)).Version; got != 1 {
				t.Errorf("the version is %d after stocks were set", got)
			}
		})
		t.Run("what is archived can be counted", func(t *testing.T) {
			s := s.on(t)
			s.PatchProduct(p, fields{"variants": []fields{{"id": v.ID, "archived": true}}}).Expect(200)
			s.SetStock(v, 9).Expect(200)
			s.Get("/api/products/curd").Expect(200).Lacks(`"c1"`)
			s.AuditCatalogue()
		})
	})
}

// TestSettingStockRefused: every error leaves everything as it was.
func TestSettingStockRefused(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		v := s.CreateProduct("Curd", fields{"variants": []fields{storetest.VariantBody("c1", fields{"stock": 3})}}).Variants[0]
		before := s.CatalogueContents()
		const invalid, unknown = "validation_failed", "unknown_field"
		var scenarios []frameworktest.Scenario
		for name, c := range map[string]struct {
			body   any
			status int
			code   string
			faults map[string]string
		}{
			"no body":                          {nil, 400, "invalid_json", nil},
			"no stock":                         {fields{"reason": "x"}, 400, invalid, map[string]string{"/stock": "required"}},
			"a stock that is null":             {fields{"stock": nil}, 400, invalid, map[string]string{"/stock": "null"}},
			"a stock below 0":                  {fields{"stock": -1}, 400, invalid, map[string]string{"/stock": "min"}},
			"a stock that is too high":         {fields{"stock": 1_000_001}, 400, invalid, map[string]string{"/stock": "max"}},
			"a stock with a fraction":          {fields{"stock": storetest.Raw("3.0")}, 400, invalid, map[string]string{"/stock": "integer"}},
			"a stock that is a text":           {fields{"stock": "3"}, 400, invalid, map[string]string{"/stock": "type"}},
			"a reason that is too long":        {fields{"stock": 1, "reason": strings.Repeat("x", 501)}, 400, invalid, map[string]string{"/reason": "max"}},
			"an expectation below 0":           {fields{"stock": 1, "expectedStock": -1}, 400, invalid, map[string]string{"/expectedStock": "min"}},
			"everything at once":               {fields{"stock": "x", "reason": 1, "expectedStock": 0.5}, 400, invalid, map[string]string{"/stock": "type", "/reason": "type", "/expectedStock": "integer"}},
			"a misspelt stock":                 {fields{"stok": 1, "stock": 1}, 400, unknown, map[string]string{"/stok": unknown}},
			"a price":                          {fields{"stock": 1, "pricePaise": 1}, 400, unknown, map[string]string{"/pricePaise": unknown}},
			"another stock than expected":      {fields{"stock": 1, "expectedStock": 2}, 409, "stock_changed", nil},
			"none expected":                    {fields{"stock": 1, "expectedStock": 0}, 409, "stock_changed", nil},
			"the same, but another expected":   {fields{"stock": 3, "expectedStock": 4}, 409, "stock_changed", nil},
			"an expectation beyond any number": {fields{"stock": 1, "expectedStock": storetest.Raw("99999999999999999999")}, 400, invalid, map[string]string{"/expectedStock": "range"}},
		} {
			scenarios = append(scenarios, frameworktest.Scenario{Name: name, Method: http.MethodPatch, Path: storetest.StockPath(v), Body: c.body, Status: c.status, Code: c.code, Faults: c.faults})
		}
		set := fields{"stock": 1}
		frameworktest.Run(t, s.ClientOf("staff"), append(scenarios,
			frameworktest.Scenario{Name: "the stock is told", Method: http.MethodPatch, Path: storetest.StockPath(v), Body: fields{"stock": 1, "expectedStock": 2}, Status: 409, Contains: []string{`"details":{"currentStock":3}`}},
			frameworktest.Scenario{Name: "a variant that is not there", Method: http.MethodPatch, Path: "/api/admin/variants/" + rows.NewID().String() + "/stock", Body: set, Status: 404, Code: "not_found"},
			frameworktest.Scenario{Name: "an id that is none", Method: http.MethodPatch, Path: "/api/admin/variants/c1/stock", Body: set, Status: 404, Code: "not_found"},
			frameworktest.Scenario{Name: "anonymous", Method: http.MethodPatch, Path: storetest.StockPath(v), Headers: map[string]string{"Authorization": ""}, Body: set, Status: 401},
			frameworktest.Scenario{Name: "a customer", Method: http.MethodPatch, Path: storetest.StockPath(v), As: s.PersonOf("ada").Token, Body: set, Status: 403},
			frameworktest.Scenario{Name: "another method", Method: http.MethodPut, Path: storetest.StockPath(v), Body: set, Status: 405},
			frameworktest.Scenario{Name: "reading it", Path: storetest.StockPath(v), Status: 405},
			frameworktest.Scenario{Name: "the variant itself", Path: "/api/admin/variants/" + v.ID.String(), Status: 404},
			frameworktest.Scenario{Name: "all variants", Path: "/api/admin/variants", Status: 200, Contains: []string{`"sku":"c1"`, `"stock":3`, `"product":"Curd"`}},
			frameworktest.Scenario{Name: "those that run low", Path: "/api/admin/variants?maxStock=3&archived=false", Status: 200, Contains: []string{`"total":1`}},
			frameworktest.Scenario{Name: "those that ran out", Path: "/api/admin/variants?maxStock=2", Status: 200, Contains: []string{`"total":0`}},
			frameworktest.Scenario{Name: "a stock in words", Path: "/api/admin/variants?maxStock=few", Status: 400, Code: "invalid_parameter"},
			frameworktest.Scenario{Name: "the stocks for a customer", Path: "/api/admin/variants", As: s.PersonOf("ada").Token, Status: 403},
		))
		if after := s.CatalogueContents(); after != before {
			t.Errorf("a refusal changed something; before:\n%s\nafter:\n%s", before, after)
		}
	})
}
