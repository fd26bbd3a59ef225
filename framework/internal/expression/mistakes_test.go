package expression_test

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
		fields := func(names ...string) func(*framework.ViewSet[Article]) {
			return func(v *framework.ViewSet[Article]) { v.FilterExpression.Fields = names }
		}
		for _, test := range []struct {
			name   string
			change func(*framework.ViewSet[Article])
			want   string
		}{
			{"an unknown field", fields("titel"), `articles: filter expression: no field "titel" in Article; did you mean "title"?`},
			{"an unknown field of a related row", fields("writer.citty"), `articles: filter expression: no field "citty" in Writer; did you mean "city"?`},
			{"a relation that is not listed", func(v *framework.ViewSet[Article]) { delete(v.Relations, "tags") }, `articles: filter expression: the relation "tags" is not listed; add "tags": "tags" to Relations of articles`},
			{"a relation", fields("tags"), `articles: filter expression: "tags" is a relation of Article; name a column of the related row, such as "tags.id"`},
			{"a function", fields("count(comments)"), `articles: filter expression: "count(comments)" is a function of related rows, and expressions have no functions; show it in a view under a name, and list that name`},
			{"a field twice", fields("title", "title"), `articles: filter expression: Fields has "title" twice`},
			{"a length below 0", func(v *framework.ViewSet[Article]) { v.FilterExpression.MaxLength = -1 }, `articles: filter expression: MaxLength is -1; it must be from 1 to 8000, or left out for the default, 1000`},
			{"a depth below 0", func(v *framework.ViewSet[Article]) { v.FilterExpression.MaxDepth = -1 }, `articles: filter expression: MaxDepth is -1; it must be from 1 to 50, or left out for the default, 5`},
			{"a number of comparisons below 0", func(v *framework.ViewSet[Article]) { v.FilterExpression.MaxComparisons = -7 }, `articles: filter expression: MaxComparisons is -7; it must be from 1 to 200, or left out for the default, 20`},
			{"a number of subqueries below 0", func(v *framework.ViewSet[Article]) { v.FilterExpression.MaxRelated = -1 }, `articles: filter expression: MaxRelated is -1; it must be from 1 to 100, or left out for the default, 3`},
			{"a huge length", func(v *framework.ViewSet[Article]) { v.FilterExpression.MaxLength = 8001 }, `articles: filter expression: MaxLength is 8001; it must be from 1 to 8000`},
			{"a huge depth", func(v *framework.ViewSet[Article]) { v.FilterExpression.MaxDepth = 51 }, `articles: filter expression: MaxDepth is 51; it must be from 1 to 50`},
			{"a huge number of comparisons", func(v *framework.ViewSet[Article]) { v.FilterExpression.MaxComparisons = 1 << 40 }, `articles: filter expression: MaxComparisons is 1099511627776; it must be from 1 to 200`},
			{"a huge number of subqueries", func(v *framework.ViewSet[Article]) { v.FilterExpression.MaxRelated = 101 }, `articles: filter expression: MaxRelated is 101; it must be from 1 to 100`},
			{"a parameter without fields", func(v *framework.ViewSet[Article]) {
				v.FilterExpression.Fields, v.FilterExpression.Param = nil, "where"
			}, `articles: filter expression: Fields is empty; list the fields that clients may use, or leave FilterExpression out`},
			{"limits without fields", func(v *framework.ViewSet[Article]) { v.FilterExpression.Fields, v.FilterExpression.MaxLength = nil, 5 }, `articles: filter expression: Fields is empty`},
			{"the parameter of a filter", func(v *framework.ViewSet[Article]) { v.Filters = []framework.Filter{filter.Exact("filter", "title")} }, `articles: filter expression: parameter "filter" is read by filter "title" already`},
			{"no list", func(v *framework.ViewSet[Article]) { v.Verbs.List = framework.Verb{} }, `articles: filter expression: no list can be filtered; declare the verb List or an action of framework.Lists, or leave FilterExpression out`},
			{"a word of the language", func(v *framework.ViewSet[Article]) {
				v.Expressions["not"], v.FilterExpression.Fields = framework.SQL[int64]("1"), []string{"not"}
			}, `articles: filter expression: no expression can have the name "not", because NOT is a word of the language`},
		} {
			t.Run(test.name, func(t *testing.T) { apitest.Mistake(t, apitest.Config(db), test.want, with(test.change)...) })
		}
	})
}

// TestDocument: the OpenAPI document describes the parameter, and lists its fields for programs.
func TestDocument(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api, _ := apitest.Serve(t, apitest.Config(db), with(func(v *framework.ViewSet[Article]) {
			v.FilterExpression = framework.FilterExpression{Fields: []string{"status", "price", "tags.name"}, MaxLength: 300, MaxDepth: 2, MaxComparisons: 4, MaxRelated: 1}
		})...)
		text, err := api.Document("json")
		if err != nil {
			t.Fatal(err)
		}
		plain := strings.Join(strings.Fields(string(text)), "")
		for _, want := range []string{
			`"x-filterFields":[{"name":"status","ordered":false,"schema":{"enum":["draft","booked","done"],"type":"string"},"several":false},` +
				`{"name":"price","ordered":true,"schema":{"format":"int64","type":"integer"},"several":false},{"name":"tags.name","ordered":false,"schema":{"type":"string"},"several":true}]`,
			`"maxLength":300`, `Atmost4comparisons,1ofthemaboutseveralrelatedrows,andparentheses2deep.Thefieldsarestatus(\"draft\"or\"booked\"or\"done\"),price(number,ordered),tags.name(text).`,
		} {
			if !strings.Contains(plain, want) {
				t.Errorf("the document lacks %s", want)
			}
		}
		if at := strings.Index(plain, "x-filterFields"); at >= 0 {
			t.Log(plain[at:min(len(plain), at+500)])
		}
	})
}

// TestLimitsOfADeclaration: the limits that a viewset declares.
func TestLimitsOfADeclaration(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), with(func(v *framework.ViewSet[Article]) {
			v.FilterExpression.MaxLength, v.FilterExpression.MaxDepth, v.FilterExpression.MaxComparisons, v.FilterExpression.MaxRelated = 40, 1, 2, 1
		})...)
		for text, want := range map[string]string{
			`(price = 1 OR tags.name = "a")`:              "",
			`title = "` + strings.Repeat("x", 40) + `"`:   "at most 40 characters",
			`((price = 1))`:                               "1 deep at most",
			`price = 1 OR price = 2 OR price = 3`:         "at most 2 comparisons",
			`tags.name = "a" OR comments.score = 1`:       "at most 1 parts about several related rows",
			`comments(score = 1) OR tags.name = "a"`:      "at most 1 parts about several related rows",
			`comments(score = 1 OR writer.name = "a")`:    "",
			`replies = 1 OR comments.score = 1`:           "at most 1 parts about several related rows",
			`writer.name = "a" OR writer.city = "b"`:      "",
			`writer(articles.title = "a") OR replies = 1`: "at most 40 characters",
			`writer.articles.title="a" OR replies=1`:      "at most 1 parts about several related rows",
		} {
			if r := list(c, text); want == "" {
				r.Expect(200)
			} else {
				r.Expect(400).Contains(want)
			}
		}
	})
}

// TestGreatestLimits: both databases answer expressions that use the greatest limits.
func TestGreatestLimits(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), with(func(v *framework.ViewSet[Article]) {
			e := &v.FilterExpression
			e.MaxLength, e.MaxDepth, e.MaxComparisons, e.MaxRelated = 8000, 50, 200, 100
		})...)
		few(t, db)
		repeat := strings.Repeat
		for name, text := range map[string]string{
			"comparisons":              "price=1" + repeat(" OR price=1", 199),
			"comparisons with AND":     "price=1" + repeat(" AND price=1", 199),
			"parentheses":              repeat("(", 50) + "price=1" + repeat(")", 50),
			"opposites in parentheses": repeat("NOT (", 50) + "price=1" + repeat(")", 50),
			"parentheses with others":  repeat("(price=1 OR (price=2 AND ", 25) + "price=1" + repeat("))", 25),
			"subqueries":               "tags.name=1" + repeat(" OR tags.name=1", 99),
			"a long text":              `title="` + repeat("x", 7900) + `"`,
		} {
			t.Run(name, func(t *testing.T) {
				if r := list(c.On(t), strings.ReplaceAll(text, "name=1", `name="a"`)); r.Status() != 200 {
					t.Errorf("the answer is %d: %.300s", r.Status(), r.Body())
				}
			})
		}
	})
}
