package framework_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

// What GET showed may be sent back to a strict resource, and the reference says
// so of PUT and PATCH alone.
func TestWhatWasShownIsSentBack(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := countries()
		v.Strict = framework.Strict
		c, said := promised(t, config(db), v)
		ada := c.as("ada")
		at := "/api/countries/" + ada.post("/api/countries/", fields{"name": "Peru"}).is(201).id() + "/"
		whole := ada.get(at).is(200).body
		ada.put(at, whole).is(200)
		ada.patch(at, whole).is(200)
		ada.put(at, fields{"name": "Chile", "id": missing}).refuses(400, "unknown_field")
		ada.patch(at, fields{"name": "Chile", "other": 1}).refuses(400, "unknown_field")
		ada.post("/api/countries/", whole).refuses(400, "unknown_field")
		const id = `{"format":"uuid","readOnly":true,"type":"string"}`
		for schema, want := range map[string]string{"CountryInput": "", "ReplacedCountryInput": id, "PatchedCountryInput": id} {
			if got := said.property(schema, "id"); got != want {
				t.Errorf("%s has the id %s; want %s", schema, got, want)
			}
			said.says("false", "components", "schemas", schema, "additionalProperties")
		}
		said.says(`["name"]`, "components", "schemas", "ReplacedCountryInput", "required")
	})
}

// TestStatusesThatFollow: the document lists the errors and headers of the framework
// itself.
func TestStatusesThatFollow(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		south := countries()
		south.Scope = framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
			return q.Where("?TableAlias.name < ?", sqldb.Param("M"))
		})
		south.Verbs.Create = south.Verbs.Create.Answers(202)
		c, said := promised(t, config(db), south)
		made := c.as("ada").post("/api/countries/", fields{"name": "Chile"}).is(202)
		if made.header.Get("Location") == "" {
			made.failf("want a Location")
		}
		c.as("ada").post("/api/countries/", fields{"name": "Peru"}).refuses(403, "forbidden")
		c.as("ada").put("/api/countries/"+made.id()+"/", fields{"name": "Peru"}).refuses(403, "forbidden")
		const list, one = "/api/countries/", "/api/countries/{id}/"
		for _, operation := range [][]string{{list, "post"}, {one, "put"}, {one, "patch"}} {
			if said.at("paths", operation[0], operation[1], "responses", "403") == "" {
				t.Errorf("%v does not tell of 403", operation)
			}
		}
		if said.at("paths", list, "get", "responses", "403") != "" {
			t.Error("a list tells of 403, which cannot be")
		}
		if said.at("paths", list, "post", "responses", "202", "headers", "Location") == "" {
			t.Error("the status 202 has no Location")
		}
	})
}

// TestAStrangerOwnsNothing: a stranger that the permission allows may not create a row
// without an owner, and the document says so.
func TestAStrangerOwnsNothing(t *testing.T) {
	own := books()
	own.Permission = framework.Anyone()
	c, said := promised(t, config(sqlite(t)), countries(), authors(), own, chapters())
	c.post("/api/books/", fields{"title": "Emma"}).refuses(401, "authentication_required").head("WWW-Authenticate", `Name realm="library"`)
	said.says(`{"$ref":"#/components/responses/AuthenticationRequiredOrInvalidToken"}`, "paths", "/api/books/", "post", "responses", "401")
	said.says(`{"$ref":"#/components/responses/InvalidToken"}`, "paths", "/api/books/{id}/", "put", "responses", "401")
}

// An API without schemes has no challenge to make.
func TestAStrangerWhereNobodyIsKnown(t *testing.T) {
	c := config(sqlite(t))
	c.Authentication, c.Permission = nil, framework.Anyone()
	api, said := promised(t, c, countries(), authors(), books(), chapters())
	api.post("/api/books/", fields{"title": "Emma"}).refuses(401, "authentication_required").head("WWW-Authenticate", "")
	if got := said.at("paths", "/api/books/", "post", "responses", "401"); got == "" {
		t.Error("it does not tell of 401")
	}
}

// The headers of a throttle are those that it says it sends.
func TestHeadersOfThrottles(t *testing.T) {
	counted := throttle.Scoped(new(throttle.Memory), "mine", throttle.Rate{Limit: 1, Per: time.Hour})
	plain, told := countries(), authors()
	plain.Throttles = []framework.Throttle{&turnstile{free: 1}}
	told.Throttles = []framework.Throttle{counted}
	c, said := promised(t, config(sqlite(t)), plain, told)
	for _, path := range []string{"/api/countries/", "/api/authors/"} {
		c.as("ada").get(path).is(200)
		c.as("ada").get(path).refuses(429, "rate_limited")
		for _, status := range []string{"200", "429"} {
			names := said.at("paths", path, "get", "responses", status, "headers", "RateLimit") + said.at("components", "responses", "RateLimited", "headers", "RateLimit")
			if has := names != ""; has != (path == "/api/authors/") {
				t.Errorf("%s, %s: it tells of RateLimit: %t", path, status, has)
			}
		}
	}
}

// A filter takes a type in the form that the type reads.
func TestFiltersReadTheTypesOwnForm(t *testing.T) {
	type priced struct {
		bun.BaseModel `bun:"table:notes"`

		ID   int64 `bun:",pk,autoincrement"`
		Room hundredths
		Text grade
	}
	type pricedView struct {
		Room hundredths `json:"price"`
		Text grade      `json:"grade"`
	}
	v := framework.ViewSet[priced]{
		Name: "notes", Scope: framework.Public(), Verbs: framework.Verbs{List: framework.Shows[pricedView]()},
		Filters: []framework.Filter{filter.Exact("price"), filter.Min("from", "price"), filter.Exact("grade"), filter.In("grades", "grade")},
	}
	db := sqlite(t)
	if _, err := db.NewInsert().Model(&priced{Room: 1000, Text: 2}).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, said := promised(t, config(db), v)
	for query, found := range map[string]int64{"price=10.00": 1, "price=10": 1, "price=1000": 0, "grade=high": 1, "grade=low": 0, "grades=low,high": 1} {
		if l := c.as("ada").get("/api/notes/?" + query).list(); *l.Count != found {
			t.Errorf("%s finds %d rows; want %d", query, *l.Count, found)
		}
	}
	for _, query := range []string{"price=x", "grade=2", "grade=middle", "from=x"} {
		c.as("ada").get("/api/notes/?"+query).refuses(400, "invalid_parameter")
	}
	for name, want := range map[string]string{
		"price": `{"minimum":0,"type":"number"}`, "from": `{"minimum":0,"type":"number"}`, "grade": `{"enum":["low","high"],"type":"string"}`,
	} {
		said.says(want, "paths", "/api/notes/", "get", "parameters", name, "schema")
	}
}

// A key is described as it is read.
func TestIdempotencyKeysAsTheyAreRead(t *testing.T) {
	v := countries()
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "once", func(*framework.Call, framework.None) (CountryView, error) { return CountryView{}, nil }).Idempotent(),
	}
	db := sqlite(t)
	if err := db.Migrate(t.Context(), nil, framework.Migrations()); err != nil {
		t.Fatal(err)
	}
	c, said := promised(t, config(db), v)
	const most = 255
	for _, one := range []struct {
		key    string
		status int
	}{
		{"a", 200},
		{strings.Repeat("k", most), 200},
		{strings.Repeat("k", most) + "k", 400},
		{`"` + strings.Repeat("k", most) + `"`, 200},
		{`"` + strings.Repeat(`\"`, most) + `"`, 200},
		{`"` + strings.Repeat(`\"`, most) + `x"`, 400},
		{`k"`, 200},
		{`"`, 400},
		{`""`, 400},
		{`"a"b"`, 400},
		{`"a\b"`, 400},
		{`a b`, 400},
	} {
		c.as("ada").with("Idempotency-Key", one.key).post("/api/countries/once/", "{}").is(one.status)
		if matches := matchesPattern(t, said, one.key); matches != (one.status == http.StatusOK) {
			t.Errorf("%.20q matches the pattern: %t", one.key, matches)
		}
	}
}

func matchesPattern(t *testing.T, said promise, key string) bool {
	t.Helper()
	var pattern string
	told := said.at("paths", "/api/countries/once/", "post", "parameters", "Idempotency-Key", "schema", "pattern")
	if err := json.Unmarshal([]byte(told), &pattern); err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(pattern).MatchString(key)
}
