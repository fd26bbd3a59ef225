package expression_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// idsOf returns the number of rows and their keys: "2: 1 3".
func idsOf(r *frameworktest.Response) string {
	var body struct {
		Count   int64
		Results []struct{ ID int64 }
	}
	if err := json.Unmarshal([]byte(r.Expect(http.StatusOK).Body()), &body); err != nil {
		return err.Error()
	}
	var ids []string
	for _, row := range body.Results {
		ids = append(ids, strconv.FormatInt(row.ID, 10))
	}
	return fmt.Sprintf("%d: %s", body.Count, strings.Join(ids, " "))
}

// TestExpressions: the rows for which an expression is true, for a visitor and for staff.
func TestExpressions(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), resources()...)
		few(t, db)
		for _, test := range []struct{ text, want, staff string }{
			{`status = "booked"`, "2: 1 3", ""},
			{`status != "booked"`, "1: 2", ""},
			{`status = "booked" AND (fee >= 500 OR NOT writer.city = "Pune")`, "2: 1 3", "1: 1"},
			{`title = "one"`, "1: 3", ""}, // as filter.Exact compares
			{`note = "a \"note\""`, "1: 1", ""},
			{`note = ""`, "1: 3", ""},
			{`note = null`, "1: 2", ""},
			{`note != null`, "2: 1 3", ""},
			{`note != ""`, "2: 1 2", ""},
			{`NOT note = ""`, "2: 1 2", ""},
			{`NOT note != ""`, "1: 3", ""},
			{`NOT (note = "" OR note = null)`, "1: 1", ""},
			{`title = null`, "0: ", ""},
			{`title = "' OR 1=1 --"`, "0: ", ""},
			{`title = "\" OR title != \""`, "0: ", ""},
			{`price >= 0`, "2: 1 3", ""},
			{`price = -7`, "1: 2", ""},
			{`price != -7 AND price != 0`, "1: 1", ""},
			{`rating > 1.5`, "1: 2", ""},
			{`rating <= 2`, "2: 1 2", ""},
			{`NOT rating > 1.5`, "2: 1 3", ""},
			{`NOT (NOT rating > 1.5)`, "1: 2", ""},
			{`rating > 1.5 OR rating <= 1.5`, "2: 1 2", ""},
			{`fee >= 500`, "1: 1", ""},
			{`fee < "500.00" AND fee > -0.01`, "1: 2", ""},
			{`public = true`, "1: 1", ""},
			{`NOT public = true`, "2: 2 3", ""},
			{`posted_at > "2026-01-31T13:00:00+01:00"`, "1: 2", ""},
			{`posted_at = "2026-01-31T12:00:00Z"`, "1: 1", ""},
			{`day >= "2026-01-31"`, "1: 1", ""},
			{`NOT day >= "2026-01-31"`, "2: 2 3", ""},
			{`key = "` + apitest.ID("2").String() + `"`, "1: 2", ""},
			{`double = 1000`, "1: 1", ""},
			{`replies >= 2`, "2: 1 2", ""},
			{`replies = 1`, "0: ", "1: 3"},
			{`writer.name = "eve"`, "0: ", "1: 3"},
			{`NOT writer.name = "eve"`, "3: 1 2 3", "2: 1 2"},
			{`writer.name != "eve"`, "3: 1 2 3", "2: 1 2"},
			{`writer.city = null`, "2: 2 3", "1: 2"},
			{`writer.city != null`, "1: 1", "2: 1 3"},
			{`writer(city = null)`, "1: 2", ""},
			{`writer(name != "ann")`, "1: 2", "2: 2 3"},
			{`writer.articles.title = "One"`, "1: 1", ""},
			{`writer(articles(title = "One" AND NOT title = "Two"))`, "1: 1", ""},
			{`tags.name = "sql"`, "2: 1 2", ""},
			{`NOT tags.name = "go"`, "2: 2 3", ""},
			{`tags.name = "go" AND tags.name = "sql"`, "1: 1", ""},
			{`tags(name = "go" AND name = "sql")`, "0: ", ""},
			{`tags(name != "sql")`, "2: 1 2", ""},
			{`tags(name = null)`, "1: 2", ""},
			{`NOT tags(name != null)`, "1: 3", ""},
			{`comments.score > 3`, "2: 1 2", "3: 1 2 3"},
			{`comments.writer.name = "ann" AND comments.score > 3`, "2: 1 2", "3: 1 2 3"},
			{`comments(writer.name = "ann" AND score > 3)`, "1: 2", "2: 2 3"},
			{`comments(writer(name = "ann") AND NOT score > 3)`, "1: 1", ""},
			{`comments.writer(name = "eve")`, "0: ", "1: 2"},
			{`comments(writer.city = null)`, "2: 1 2", "1: 1"},
			{`comments(NOT writer.city = "Pune" AND score = null)`, "1: 2", "0: "},
			{`NOT comments(id != null)`, "1: 3", "0: "},
			{`NOT (comments(score = null) OR tags.name = "go")`, "1: 3", ""},
		} {
			t.Run(test.text, func(t *testing.T) {
				if got := idsOf(list(c.On(t), test.text)); got != test.want {
					t.Errorf("a visitor has %s; want %s", got, test.want)
				}
				want := test.staff
				if want == "" {
					want = test.want
				}
				if got := idsOf(list(apitest.As(c.On(t), "staff"), test.text)); got != want {
					t.Errorf("staff has %s; want %s", got, want)
				}
			})
		}
	})
}

// TestWrongExpressions: the fault of each expression, with its place.
func TestWrongExpressions(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), resources()...)
		for _, test := range []struct{ name, text, want string }{
			{"grammar", `status = "booked" AND fee > 1 OR price = 1`, `AND beside OR needs parentheses; write (status = "booked" AND fee > 1) OR price = 1, or status = "booked" AND (fee > 1 OR price = 1) (character 31: …booked" AND fee > 1 ^OR price = 1)`},
			{"an unknown field", `public = true AND titel = "x"`, `no field "titel" for expressions; did you mean "title"? (character 19: public = true AND ^titel = "x")`},
			{"a field that is not listed", `id = 1`, `no field "id" for expressions`},
			{"a field of a relation that is not listed", `writer.hidden = true`, `no field "writer.hidden" for expressions`},
			{"a field of a related row outside of it", `comments(title = "x")`, `no field "title" for expressions`},
			{"an unknown field of a related row", `comments(scores = 1)`, `no field "scores" for expressions; did you mean "score"? (character 10: comments(^scores = 1))`},
			{"a relation", `tags = "go"`, `"tags" is a relation; compare a field of it, such as "tags.name"`},
			{"a function", `lower(title = "x")`, `no relation "lower" for parentheses, and there are no functions`},
			{"an unknown relation", `coments(score = 1)`, `no relation "coments" for parentheses, and there are no functions; did you mean "comments"?`},
			{"a value that is not allowed", `status = "boked"`, `"status" must be one of draft, booked, done; did you mean booked? (character 10: status = ^"boked")`},
			{"a text for a number", `price = "5"`, `"price" must be a number without quotes (character 9: price = ^"5")`},
			{"a fraction for a whole number", `price = 1.5`, `"price" must be a whole number`},
			{"a number beyond range", `price = 9223372036854775808`, `"price" must be at most 9223372036854775807`},
			{"a number for a text", `title = 5`, `"title" must be a text in double quotes`},
			{"a text for a boolean", `public = "true"`, `"public" must be true or false without quotes`},
			{"a boolean for a number", `price = true`, `"price" must be a number without quotes`},
			{"a day for a time", `posted_at > "2026-01-31"`, `"posted_at" must be a time as RFC 3339 has it`},
			{"a number for a time", `posted_at > 5`, `"posted_at" must be a time in double quotes`},
			{"a time beyond the years", `posted_at > "0001-01-01T00:00:00+01:00"`, `"posted_at" must be a time from the year 1 to the year 9999`},
			{"a wrong day", `day = "2026-02-30"`, `"day" must be`},
			{"a wrong id", `key = "5"`, `"key" must be an id, a UUID`},
			{"too many places", `fee = 1.001`, `"fee" must`},
			{"an order of text", `title > "a"`, `"title" has no order; use = or != (character 1: ^title > "a")`},
			{"an order of an enum", `status > "draft"`, `"status" has no order`},
			{"an order of a UUID", `key > "` + apitest.ID("1").String() + `"`, `"key" has no order`},
			{"an order of null", `price > null`, `null has no order; use = or !=`},
			{"not equal of several rows", `tags.name != "go"`, `"tags.name" may have several values; write tags(name != "go") if one row is meant, or NOT tags(name = "go") if all are`},
			{"null of several rows", `comments.writer.city = null`, `"comments.writer.city" may have several values; write comments.writer(city = null) if one row is meant, or NOT comments.writer(city != null) if all are`},
			{"too many parts about several rows", `tags.name = "a" OR comments(score = 1) OR replies = 1 OR comments.score = 2`, `there can be at most 3 parts about several related rows (character 58: `},
			{"too long", `title = "` + strings.Repeat("x", 1000) + `"`, `must have at most 1000 characters`},
		} {
			t.Run(test.name, func(t *testing.T) {
				said, err := json.Marshal(test.want)
				if err != nil {
					t.Fatal(err)
				}
				r := list(c.On(t), test.text).Expect(http.StatusBadRequest).Code("invalid_parameter").Fault("filter", "invalid_parameter")
				var body struct{ Errors []struct{ Detail string } }
				r.JSON(&body)
				if len(body.Errors) != 1 || !strings.Contains(body.Errors[0].Detail, test.want) {
					t.Errorf("the faults are %q; want %s", body.Errors, said)
				}
			})
		}
		list(c, `titel = "x" AND price = "5" OR x = 1`).Expect(http.StatusBadRequest).Contains("AND beside OR").Lacks("titel\\\" for")
		list(c, `titel = "x" AND (price = "5" OR nope(x = 1))`).Expect(http.StatusBadRequest).Contains("no field", "without quotes", "no relation")
		c.Get("/api/articles/?filter=titel+%3D+1&ordering=&page=x").Expect(http.StatusBadRequest).Contains("no field")
	})
}

// TestHiddenFields: a caller who does not see a field cannot use it, also if the expression has mistakes.
func TestHiddenFields(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), resources()...)
		few(t, db)
		staff, ada := apitest.As(c, "staff"), apitest.As(c, "ada")
		for _, text := range []string{`writer.salary = 10`, `NOT writer.salary = 10`, `writer(salary > 5)`, `title = "One" OR writer.salary > 15`, `writer.salary = "x"`, `writer.salary > 5 AND titel = 1`} {
			c.Get("/api/articles/?" + url.Values{"filter": {text}}.Encode()).Expect(http.StatusUnauthorized)
			list(ada, text).Expect(http.StatusForbidden).Code("forbidden").Fault("filter", "forbidden").Contains(`needs a permission to see \"salary\"`)
		}
		for text, want := range map[string]string{`writer.salary = 10`: "1: 1", `NOT writer.salary = 10`: "2: 2 3"} {
			if got := idsOf(list(staff, text)); got != want {
				t.Errorf("%s: staff has %s; want %s", text, got, want)
			}
		}
		list(ada, `title = "One"`).Expect(http.StatusOK)
	})
}

// TestOtherLists: an expression narrows each kind of list, its count, its pages and its exports, by no statement more.
func TestOtherLists(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		config := apitest.Config(db)
		config.CursorKeys = [][]byte{[]byte(strings.Repeat("k", 32))}
		v := articles()
		v.FilterExpression.Param = "where"
		v.Export = []framework.Media{framework.CSV, framework.NDJSON}
		v.Collection = []framework.CollectionAction{
			framework.Lists[articleView]("public").Where("public"),
			framework.Lists[articleView]("walked").Paginate(page.Cursor{Size: 1}).Filter(),
		}
		n := frameworktest.CountStatements(db)
		_, c := apitest.Serve(t, config, v, writers(), tags(), comments())
		few(t, db)
		where := func(path, text string) string {
			return "/api/articles/" + path + "?" + url.Values{"where": {text}}.Encode()
		}
		if got := idsOf(c.Get(where("public/", `price > -10`))); got != "1: 1" {
			t.Errorf("an action of Lists has %s", got)
		}
		if got := c.Get(where("", `status = "booked"`) + "&format=ndjson").Expect(http.StatusOK).Body(); strings.Count(got, "\n") != 2 {
			t.Errorf("the export is %s", got)
		}
		first := c.Get(where("walked/", `status = "booked"`)).Expect(http.StatusOK).Contains(`"id":1,`)
		var links struct{ Next *string }
		first.JSON(&links)
		if links.Next == nil {
			t.Fatal("there is no next page")
		}
		next, err := url.Parse(*links.Next)
		if err != nil {
			t.Fatal(err)
		}
		c.Get(next.RequestURI()).Expect(http.StatusOK).Contains(`"id":3,`)
		other := next.Query()
		other.Set("where", `status = "draft"`)
		c.Get("/api/articles/walked/?" + other.Encode()).Expect(http.StatusBadRequest) // the cursor is of another query
		c.Get("/api/articles/?filter=x").Expect(http.StatusOK).Header("Trestle-Ignored", "filter")
		plain := n.During(func() { c.Get("/api/articles/").Expect(http.StatusOK) })
		for _, text := range []string{`status = "booked"`, `NOT (title = "One" OR public = true)`, `tags.name = "sql" AND NOT comments(score > 3 AND writer.name = "ann")`} {
			if read := n.During(func() { c.Get(where("", text)).Expect(http.StatusOK) }); len(read) > len(plain)+1 {
				t.Errorf("%s reads by %d statements:\n%s", text, len(read), strings.Join(read, "\n"))
			}
		}
	})
}

// TestNestedLists: an expression narrows the rows below another row, and no others.
func TestNestedLists(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		remarks := framework.ViewSet[Comment]{
			Name: "remarks", Parent: framework.Child("article", "articles"), Verbs: framework.ReadOnly[commentView](), Scope: framework.Public(),
			Relations: framework.Relations{"writer": "writers"}, FilterExpression: framework.FilterExpression{Fields: []string{"score", "writer.name"}},
		}
		_, c := apitest.Serve(t, apitest.Config(db), append(resources(), remarks)...)
		few(t, db)
		for _, test := range []struct{ article, text, want string }{
			{"1", `score > 3 OR score = null`, "1: 2"},
			{"2", `score > 3 OR score = null`, "2: 3 4"},
			{"2", `NOT writer.name = "ann"`, "1: 4"},
			{"3", `score != 1`, "1: 5"},
		} {
			if got := idsOf(c.Get("/api/articles/" + test.article + "/remarks/?" + url.Values{"filter": {test.text}}.Encode())); got != test.want {
				t.Errorf("%s below %s lists %s; want %s", test.text, test.article, got, test.want)
			}
		}
		c.Get("/api/articles/9/remarks/?filter=score+=+1").Expect(http.StatusNotFound)
	})
}

// TestValuesAreParameters: no value of an expression is in the text of a statement.
func TestValuesAreParameters(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		n := frameworktest.CountStatements(db)
		_, c := apitest.Serve(t, apitest.Config(db), resources()...)
		few(t, db)
		read := n.During(func() {
			list(c, `title = "secret word" OR price = 424242 OR rating = 42.4242 OR fee = 4242.42 OR comments(writer.name = "secret name" AND score = 434343)`).Expect(http.StatusOK)
		})
		for _, value := range []string{"secret", "4242", "4343"} {
			if text := strings.Join(read, "\n"); strings.Contains(text, value) {
				t.Errorf("%s is in\n%s", value, text)
			}
		}
	})
}
