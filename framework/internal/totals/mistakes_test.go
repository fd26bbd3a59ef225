package totals_test

import (
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestMistakes: each wrong declaration is reported at start.
func TestMistakes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		by := func(names ...string) func(*framework.ViewSet[Visit]) {
			return func(v *framework.ViewSet[Visit]) { v.Totals.By = names }
		}
		sum := func(names ...string) func(*framework.ViewSet[Visit]) {
			return func(v *framework.ViewSet[Visit]) { v.Totals.Sum = names }
		}
		least := func(names ...string) func(*framework.ViewSet[Visit]) {
			return func(v *framework.ViewSet[Visit]) { v.Totals.Min = names }
		}
		only := func(d framework.Totals) func(*framework.ViewSet[Visit]) {
			return func(v *framework.ViewSet[Visit]) { v.Totals = d }
		}
		for _, test := range []struct {
			name   string
			change func(*framework.ViewSet[Visit])
			want   string
		}{
			{"an unknown field", by("statsu"), `visits: totals: By: no field "statsu" in Visit; did you mean "status"?`},
			{"an unknown field of a related row", sum("patient.agee"), `visits: totals: Sum: no field "agee" in Patient; did you mean "age"?`},
			{"a relation that is not listed", func(v *framework.ViewSet[Visit]) { delete(v.Relations, "patient") }, `the relation "patient" is not listed; add "patient": "patients" to Relations of visits`},
			{"a relation", by("patient"), `visits: totals: By: "patient" is a relation of Visit; name a column of the related row, such as "patient.id"`},
			{"a field of several related rows", by("remarks.stars"), `visits: totals: By: "remarks.stars" leads to several rows, so a row would count several times; name a column of the row, or of a to-one relation`},
			{"a function", sum("sum(remarks.stars)"), `visits: totals: Sum: "sum(remarks.stars)" is a function of related rows; show it in a view under a name, and list that name`},
			{"a field twice", by("status", "seen", "status"), `visits: totals: By: "status" is there twice`},
			{"a sum of text", sum("note"), `visits: totals: Sum: field "note" is string; name a field of numbers`},
			{"a sum of times", sum("starts_at"), `visits: totals: Sum: field "starts_at" is time.Time; name a field of numbers`},
			{"a sum of words", sum("status"), `visits: totals: Sum: field "status" is one of a list of values, and not a quantity`},
			{"the least of text", least("note"), `visits: totals: Min: field "note" is string, which the databases order in different ways; name a field of numbers, times, dates or decimals`},
			{"the least of ids", least("part"), `visits: totals: Min: field "part" is uuid.UUID, which the databases order in different ways`},
			{"the least of booleans", least("seen"), `visits: totals: Min: field "seen" is bool, which the databases order in different ways`},
			{"groups below 0", func(v *framework.ViewSet[Visit]) { v.Totals.MaxGroups = -1 }, `visits: totals: MaxGroups is less than 0; leave it out for the default, 1000`},
			{"settings of groups without groups", only(framework.Totals{Sum: []string{"points"}, MaxGroups: 5}), `visits: totals: Param and MaxGroups are about groups, and By is empty; list the fields that clients may group by, or leave both out`},
			{"a parameter without a field", only(framework.Totals{Param: "by"}), `visits: totals: no field is listed; list fields in By, Sum, Min or Max, or leave Totals out`},
			{"a permission without a field", only(framework.Totals{Permission: framework.Staff()}), `visits: totals: no field is listed`},
			{"the parameter of a filter", func(v *framework.ViewSet[Visit]) {
				v.Filters = []framework.Filter{filter.Exact("group", "status")}
			}, `visits: filter "status": parameter "group" is read by totals already`},
			{"a parameter of the totals", func(v *framework.ViewSet[Visit]) { v.Totals.Param = "sum" }, `visits: totals: parameter "sum" is read by totals already`},
			{"a parameter of no name", func(v *framework.ViewSet[Visit]) { v.Totals.Param = " " }, `visits: totals: the parameter " " is no name of a query parameter; use letters, digits, - and _, such as "page_size"`},
			{"a parameter that has to be encoded", func(v *framework.ViewSet[Visit]) { v.Totals.Param = "a b&" }, `visits: totals: the parameter "a b&" is no name of a query parameter`},
			{"the parameter of a page", func(v *framework.ViewSet[Visit]) { v.Totals.Param = "page" }, `visits: totals: parameter "page" is read by the verb List already, and totals would read it as group; give one of them another name`},
			{"the parameter of the order", func(v *framework.ViewSet[Visit]) {
				v.Ordering, v.Totals.Param = framework.Ordering{Allowed: []string{"points"}}, "ordering"
			}, `visits: totals: parameter "ordering" is read by the verb List already`},
			{"the parameter of the search", func(v *framework.ViewSet[Visit]) { v.Totals.Param = "search" }, `visits: search: parameter "search" is read by totals already`},
			{"the parameter of deleted rows", func(v *framework.ViewSet[Visit]) { v.Totals.Param = "deleted" }, `visits: soft delete: parameter "deleted" is read by totals already`},
			{"a wrong parameter of the search", func(v *framework.ViewSet[Visit]) { v.Search.Param = "q?" }, `visits: search: the parameter "q?" is no name of a query parameter`},
			{"a wrong parameter of the expression", func(v *framework.ViewSet[Visit]) { v.FilterExpression.Param = "q=" }, `visits: filter expression: the parameter "q=" is no name of a query parameter`},
			{"a wrong parameter of a filter", func(v *framework.ViewSet[Visit]) {
				v.Filters = []framework.Filter{filter.Exact("a,b", "status")}
			}, `visits: filter "status": the parameter "a,b" is no name of a query parameter`},
			{"no list", func(v *framework.ViewSet[Visit]) { v.Verbs.List = framework.Verb{} }, `visits: totals: the totals are those of the verb List, and there is none; declare it, or leave Totals out`},
			{"an action of this name", func(v *framework.ViewSet[Visit]) {
				v.Collection = []framework.CollectionAction{framework.Lists[visitView]("totals")}
			}, `visits: totals: it is declared twice for GET`},
		} {
			t.Run(test.name, func(t *testing.T) { apitest.Mistake(t, apitest.Config(db), test.want, with(test.change)...) })
		}
	})
}

// TestDocument: the OpenAPI document has the parameters, the names that they take, and the members of the answer with the types of the fields.
func TestDocument(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api, _ := apitest.Serve(t, apitest.Config(db), with(func(v *framework.ViewSet[Visit]) {
			v.Totals = framework.Totals{By: []string{"status", "patient.city"}, Sum: []string{"fee", "paid", "minutes"}, Max: []string{"day"}, Param: "by", MaxGroups: 7}
		})...)
		text, err := api.Document("json")
		if err != nil {
			t.Fatal(err)
		}
		plain := strings.Join(strings.Fields(string(text)), "")
		for _, want := range []string{
			`"operationId":"getVisitsTotals"`, `"operationId":"getVisitRemarksTotals"`, `Morethan7groupsareanerror400.`,
			`{"name":"by","in":"query",`, `"schema":{"items":{"enum":["status","patient.city"],"type":"string"},"type":"array"},"style":"form","explode":false}`,
			`"VisitTotals":{"properties":{"totals":{"description":"Arowforeachgroup,intheorderoftheirvalueswithnulllast;onerowwithoutgroups.","items":{"$ref":"#/components/schemas/VisitTotalsRow"},"type":"array"}},"required":["totals"],"type":"object"}`,
			`"VisitTotalsGroup":{"properties":{"status":{"enum":["draft","booked","done"],"type":"string"},"patient.city":{"type":["string","null"]}},"type":"object"}`,
			`"VisitTotalsMax":{"properties":{"day":{"examples":["2026-01-31"],"format":"date","type":["string","null"]}},"type":"object"}`,
			`"paid":{"description":"Atmosttwodecimalplaces.","examples":[250.00],"type":"number"},"minutes":{"format":"int64","type":"integer"}`, // no bounds
			`"count":{"description":"Thenumberofrows.","format":"int64","minimum":0,"type":"integer"}},"required":["count"],"type":"object"}`,
		} {
			if !strings.Contains(plain, want) {
				t.Errorf("the document lacks %s", want)
			}
		}
		if strings.Contains(plain, "VisitTotalsMin") {
			t.Error("the document has a member that nothing declares")
		}
	})
}
