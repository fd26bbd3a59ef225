package relation_test

import (
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/calendar"
	"trestle.example/framework/decimal"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

type (
	wide    struct{} // in units
	exact12 struct{} // numeric
	exact3  struct{} // numeric, with other places
)

func (wide) Format() decimal.Format    { return decimal.Format{Digits: 18, Places: 2} }
func (exact12) Format() decimal.Format { return decimal.Format{Digits: 12, Places: 2, Numeric: true} }
func (exact3) Format() decimal.Format  { return decimal.Format{Digits: 12, Places: 3, Numeric: true} }

// TestSumsWithMoreDigits: a sum may have more digits than each number, so a decimal with the same
// places and more digits can show it, filter by it and order by it.
func TestSumsWithMoreDigits(t *testing.T) {
	type totals struct {
		ID    int64               `json:"id"`
		Price decimal.Of[wide]    `json:"price" from:"sum(lines.price)"`
		Exact decimal.Of[exact12] `json:"exact" from:"sum(lines.exact)"`
	}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(t.Context(), nil, ledger); err != nil {
			t.Fatal(err)
		}
		v := bills()
		v.Verbs, v.Ordering = framework.ReadOnly[totals](), framework.Ordering{Allowed: []string{"price", "exact"}}
		v.Filters = []framework.Filter{filter.Range("price"), filter.Min("min_exact", "exact")}
		_, c := apitest.Serve(t, config(db), v)
		const most, mostExact = 999_999_999_999_999, 99_999_999_99
		apitest.Insert(t, db, &Bill{ID: 1}, &Bill{ID: 2},
			&Line{ID: 1, BillID: 1, Price: most, Exact: mostExact}, &Line{ID: 2, BillID: 1, Price: most, Exact: mostExact},
			&Line{ID: 3, BillID: 2, Price: most, Exact: mostExact})
		c.Get("/api/bills/1/").Expect(200).Contains(`{"id":1,"price":19999999999999.98,"exact":199999999.98}`)
		for query, want := range map[string]string{
			"ordering=-price": "2: 1 2", "ordering=exact": "2: 2 1", "price_min=19999999999999.98": "1: 1", "price_min=19999999999999.99": "0: ",
			"price_max=9999999999999.99": "1: 2", "min_exact=199999999.98": "1: 1", "min_exact=199999999.99": "0: ",
		} {
			if got := idsOf(c.Get("/api/bills/?" + query)); got != want {
				t.Errorf("%s lists %s; want %s", query, got, want)
			}
		}
	})
}

// TestTypesOfSums: types that do not show a sum exactly are mistakes.
func TestTypesOfSums(t *testing.T) {
	type wrong struct {
		Units   decimal.Of[wide]    `json:"units"   from:"sum(lines.exact)"`
		Numeric decimal.Of[exact12] `json:"numeric" from:"sum(lines.price)"`
		Places  decimal.Of[exact3]  `json:"places"  from:"sum(lines.exact)"`
		Plain   int64               `json:"plain"   from:"sum(lines.price)"`
		Long    decimal.Of[wide]    `json:"long"    from:"sum(lines.long)"`
		Pieces  calendar.Duration   `json:"pieces"  from:"sum(lines.pieces)"`
		Most    *decimal.Of[wide]   `json:"most"    from:"max(lines.price)"`
	}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		v := bills()
		v.Verbs, v.Filters, v.Ordering = framework.ReadOnly[wrong](), nil, framework.Ordering{}
		api := framework.New(config(db))
		api.Register(v)
		err := api.Check()
		if err == nil {
			t.Fatal("no mistake is reported")
		}
		for _, field := range []string{"Units", "Numeric", "Places", "Plain", "Long", "Pieces", "Most"} {
			if !strings.Contains(err.Error(), "wrong."+field+": ") {
				t.Errorf("no mistake about %s in\n%v", field, err)
			}
		}
	})
}

// TestSumsBeyondIntegers: a sum of stored values that no integer holds is an error of the server. A
// request without a body is not answered that its body is not valid.
func TestSumsBeyondIntegers(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		c := billed(t, db)
		apitest.Insert(t, db, &Line{ID: 3, BillID: 2, Long: 1 << 62}, &Line{ID: 4, BillID: 2, Long: 1 << 62})
		for _, path := range []string{"/api/bills/", "/api/bills/2/", "/api/bills/?min_long=PT2M", "/api/bills/found/"} {
			c.Get(path).Expect(500).Code("internal")
		}
		c.Get("/api/bills/1/").Expect(200)
	})
}
