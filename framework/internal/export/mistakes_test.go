package export_test

import (
	"encoding/json"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

type ownJSON struct{ Number int64 }

func (ownJSON) MarshalJSON() ([]byte, error) { return []byte(`{}`), nil }

type twice struct {
	Number   int64           `json:"customer.name"`
	Customer json.RawMessage `json:"-"`
	Inner    struct {
		Name string `json:"name"`
	} `json:"customer"`
}

// TestMistakes: a declaration that cannot work is a sentence at start.
func TestMistakes(t *testing.T) {
	filled(t, func(t *testing.T, db *sqldb.DB) {
		for _, one := range []struct {
			want   string
			change func(*framework.ViewSet[Order])
		}{
			{`orders: export: csv is declared twice`, func(v *framework.ViewSet[Order]) { v.Export = []framework.Media{framework.CSV, framework.ExactCSV} }},
			{`orders: export: ndjson is declared twice`, func(v *framework.ViewSet[Order]) { v.Export = []framework.Media{framework.NDJSON, framework.NDJSON} }},
			{`did you mean "text/csv"?`, func(v *framework.ViewSet[Order]) { v.Export = []framework.Media{"text/cvs"} }},
			{`a list is exported as one of text/csv, text/csv; formulas=exact, application/x-ndjson, not as "text/event-stream"`, func(v *framework.ViewSet[Order]) { v.Export = []framework.Media{framework.EventStream} }},
			{`orders: export: no list can be exported; declare the verb List or an action of framework.Lists, or leave Export out`, func(v *framework.ViewSet[Order]) { v.Verbs.List = framework.Verb{} }},
			{`parameter "format" is read by filter`, func(v *framework.ViewSet[Order]) { v.Filters = []framework.Filter{filter.Min("format", "number")} }},
			{`a row of CSV is a struct; export_test.ownJSON is not one, or writes its own JSON; leave CSV out`, func(v *framework.ViewSet[Order]) {
				v.Verbs.List = framework.Computes(func(*framework.Call, *Order) (ownJSON, error) { return ownJSON{}, nil })
			}},
			{`export_test.twice has two columns "customer.name" in CSV; rename a member, or leave CSV out`, func(v *framework.ViewSet[Order]) {
				v.Verbs.List = framework.Computes(func(*framework.Call, *Order) (twice, error) { return twice{}, nil })
			}},
		} {
			v := orders()
			one.change(&v)
			apitest.Mistake(t, config(db), one.want, v, lines())
		}
	})
}
