package framework_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/calendar"
	"trestle.example/framework/decimal"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
)

type (
	weightScale struct{}
	brokenScale struct{}
)

func (weightScale) Format() decimal.Format {
	return decimal.Format{Digits: 8, Places: 3, Numeric: true, Text: true}
}

func (brokenScale) Format() decimal.Format { return decimal.Format{Digits: 20} }

type (
	lesson struct {
		bun.BaseModel `bun:"table:lessons"`

		ID     uuid.UUID `bun:",pk"`
		Price  decimal.Of[decimal.Scale2]
		Weight decimal.Of[weightScale]
		Day    calendar.Date
		Ends   *calendar.Date
		At     calendar.TimeOfDay
		Length calendar.Duration
		Extra  json.RawMessage `bun:"type:jsonb"`
	}
	lessonInput struct {
		Price  decimal.Of[decimal.Scale2] `json:"price"  validate:"min=0.50,max=999.99" default:"10"`
		Weight decimal.Of[weightScale]    `json:"weight" validate:"gt=-1.5"`
		Day    calendar.Date              `json:"day"    validate:"required,min=2020-01-01,lt=2100-01-01"`
		Ends   *calendar.Date             `json:"ends"`
		At     calendar.TimeOfDay         `json:"at"     validate:"min=08:00,max=18:00" default:"09:00"`
		Length calendar.Duration          `json:"length" validate:"max=PT8H" default:"PT1H"`
		Extra  json.RawMessage            `json:"extra"  validate:"max=40"`
	}
	lessonView struct {
		ID uuid.UUID `json:"id"`
		lessonInput
	}
)

func lessons() framework.ViewSet[lesson] {
	return framework.ViewSet[lesson]{
		Name: "lessons", Verbs: framework.CRUD[lessonInput, lessonView](), Scope: framework.Public(),
		Ordering: framework.Ordering{Allowed: []string{"price", "weight", "day", "ends", "at", "length"}},
		Filters: []framework.Filter{
			filter.Exact("price"), filter.Min("price_min", "price"), filter.Max("price_max", "price"), filter.In("prices", "price"),
			filter.Exact("weight"), filter.Min("weight_min", "weight"), filter.In("weights", "weight"),
			filter.Exact("day"), filter.Range("day"), filter.In("days", "day"), filter.IsNull("open", "ends"),
			filter.Exact("at"), filter.Max("until", "at"), filter.Exact("length"), filter.Range("length"),
		},
	}
}

// lessonsIn creates the table as a program of Trestle does, but the weight as another program does.
func lessonsIn(t *testing.T, db *sqldb.DB) {
	t.Helper()
	key, extra := "text", "text"
	if db.Kind() == sqldb.PostgreSQL {
		key, extra = "uuid", "jsonb"
	}
	const table = `CREATE TABLE lessons (id %s PRIMARY KEY, price bigint NOT NULL, weight numeric(8,3) NOT NULL, day date NOT NULL, ends date,
		at time NOT NULL, length bigint NOT NULL, extra %s)`
	if _, err := db.DB.DB.ExecContext(t.Context(), fmt.Sprintf(table, key, extra)); err != nil {
		t.Fatal(err)
	}
}

// TestTypesAreWritten: what each type accepts and rejects in a body, for every verb that writes.
func TestTypesAreWritten(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		lessonsIn(t, db)
		ada := serve(t, config(db), lessons()).as("ada")
		at := "/api/lessons/" + ada.post("/api/lessons/", `{"day":"2026-01-31"}`).is(201).
			says(`"price":10.00,"weight":"0.000","day":"2026-01-31","ends":null,"at":"09:00:00","length":"PT1H","extra":null`).id() + "/"
		for _, c := range []struct{ name, sent, shown, fault, detail string }{
			{"a price", `"price":99.5`, `"price":99.50`, "", ""},
			{"a price with an exponent", `"price":1e2`, `"price":100.00`, "", ""},
			{"the least price", `"price":0.5`, `"price":0.50`, "", ""},
			{"the largest price", `"price":999.99`, `"price":999.99`, "", ""},
			{"a price below the rule", `"price":0.49`, "", "/price min", "must be at least 0.50"},
			{"a price above the rule", `"price":1000`, "", "/price max", "must be at most 999.99"},
			{"a price above every bound", `"price":1e30`, "", "/price max", "must be at most 999.99"},
			{"a price with three places", `"price":1.005`, "", "/price format", "must be a number with at most two decimal places, such as 250 or 99.50"},
			{"a price as text", `"price":"99.50"`, "", "/price type", "must be a number, not a string"},
			{"a price of null", `"price":null`, "", "/price null", "must not be null"},
			{"a weight as text", `"weight":"12.5"`, `"weight":"12.500"`, "", ""},
			{"a weight as a number", `"weight":12.345`, `"weight":"12.345"`, "", ""},
			{"a weight below zero", `"weight":"-0.001"`, `"weight":"-0.001"`, "", ""},
			{"the largest weight", `"weight":"99999.999"`, `"weight":"99999.999"`, "", ""},
			{"a weight beyond the column", `"weight":"100000"`, "", "/weight range", "must be at most 99999.999"},
			{"a weight that the rule excludes", `"weight":"-1.5"`, "", "/weight gt", "must be more than -1.500"},
			{"a weight with four places", `"weight":"0.0005"`, "", "/weight format", "must be a number with at most three decimal places, such as 250 or 99.500"},
			{"a day", `"day":"2024-02-29"`, `"day":"2024-02-29"`, "", ""},
			{"a day with spaces", `"day":" 2024-02-29 "`, `"day":"2024-02-29"`, "", ""},
			{"a day that does not exist", `"day":"2026-02-29"`, "", "/day format", "must be a date such as 2026-01-31"},
			{"a moment, not a day", `"day":"2026-01-31T00:00:00Z"`, "", "/day format", "must be a date such as 2026-01-31"},
			{"a day as a number", `"day":20260131`, "", "/day type", "must be a string, not a number"},
			{"a blank day", `"day":" "`, "", "/day required", "must not be blank"},
			{"a day before the rule", `"day":"2019-12-31"`, "", "/day min", "must be at least 2020-01-01"},
			{"a day at the excluded bound", `"day":"2100-01-01"`, "", "/day lt", "must be less than 2100-01-01"},
			{"a last day", `"ends":"9999-12-31"`, `"ends":"9999-12-31"`, "", ""},
			{"no last day", `"ends":null`, `"ends":null`, "", ""},
			{"a time without seconds", `"at":"10:15"`, `"at":"10:15:00"`, "", ""},
			{"a time with a fraction", `"at":"10:15:30.5"`, `"at":"10:15:30.500000"`, "", ""},
			{"a time with a zone", `"at":"10:15:00Z"`, "", "/at format", "must be a time of day without a zone, such as 09:30 or 09:30:15"},
			{"a time after the rule", `"at":"18:00:01"`, "", "/at max", "must be at most 18:00:00"},
			{"a length", `"length":"P1D"`, "", "/length max", "must be at most PT8H"},
			{"a length in minutes", `"length":"PT90M"`, `"length":"PT1H30M"`, "", ""},
			{"a length in months", `"length":"P1M"`, "", "/length format", "must be a duration of weeks, or of days, hours, minutes and seconds, such as PT1H30M or P2D"},
			{"a length as a number", `"length":90`, "", "/length type", "must be a string, not a number"},
			{"any JSON", `"extra":{"a":[1,null,"b"]}`, `"extra":{"a":[1,null,"b"]}`, "", ""},
			{"a text as JSON", `"extra":"plain"`, `"extra":"plain"`, "", ""},
			{"long JSON", `"extra":[` + strings.Repeat("1,", 20) + `1]`, "", "/extra max", "must have at most 40 bytes"},
			{"JSON with U+0000", `"extra":{"a":"\u0000"}`, "", "/extra/a nul", "must not contain the character U+0000"},
		} {
			t.Run(c.name, func(t *testing.T) {
				sent := c.sent
				if !strings.HasPrefix(sent, `"day"`) {
					sent += `,"day":"2026-01-31"`
				}
				ada := ada.in(t)
				for _, got := range []*answer{ada.post("/api/lessons/", "{"+sent+"}"), ada.put(at, "{"+sent+"}"), ada.patch(at, "{"+c.sent+"}")} {
					if c.fault == "" {
						got.says(c.shown)
						ada.get("/api/lessons/" + got.id() + "/").is(200).says(c.shown)
						continue
					}
					if got.refuses(400, "validation_failed").says(c.detail); fmt.Sprint(faultsOf(got)) != "["+c.fault+"]" {
						got.failf("the faults are %v; want %s", faultsOf(got), c.fault)
					}
				}
			})
		}
	})
}

// TestTypesAreFilteredAndOrdered: three lessons, a, b and c, are found by their price.
func TestTypesAreFilteredAndOrdered(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		lessonsIn(t, db)
		client := serve(t, config(db), lessons())
		ada := client.as("ada")
		for _, body := range []string{
			`{"price":9.99,"weight":"2","day":"2026-01-31","ends":"2026-02-10","at":"09:00","length":"PT45M"}`,
			`{"price":10,"weight":"10.5","day":"2026-02-01","ends":null,"at":"08:00:00.5","length":"PT1H"}`,
			`{"price":100.01,"weight":"-1.25","day":"2025-12-31","ends":"2026-02-09","at":"17:59:59","length":"PT2H"}`,
		} {
			ada.post("/api/lessons/", body).is(201)
		}
		names := map[string]string{"9.99": "a", "10.00": "b", "100.01": "c"}
		for _, c := range []struct{ name, query, want string }{
			{"by a price", "price=10", "b"},
			{"by a price with other zeros", "price=9.990", "a"},
			{"by the least price", "price_min=10.00&ordering=price", "bc"},
			{"by the largest price", "price_max=9.99", "a"},
			{"by prices", "prices=9.99,100.01&ordering=price", "ac"},
			{"in the order of prices", "ordering=price", "abc"},
			{"in the reverse order of prices", "ordering=-price", "cba"},
			{"by a weight of a numeric column", "weight=10.500", "b"},
			{"by the least weight, as a number and not as text", "weight_min=2&ordering=weight", "ab"},
			{"by weights", "weights=2.000,-1.25&ordering=weight", "ca"},
			{"in the order of weights", "ordering=weight", "cab"},
			{"by a day", "day=2026-01-31", "a"},
			{"by the days from one to another", "day_min=2026-01-01&day_max=2026-01-31", "a"},
			{"by days", "days=2026-02-01,2025-12-31&ordering=day", "cb"},
			{"in the order of days", "ordering=day", "cab"},
			{"in the order of a day that may be absent, which comes last", "ordering=ends", "cab"},
			{"in its reverse order, where it comes last too", "ordering=-ends", "acb"},
			{"without an end", "open=true", "b"},
			{"by a time", "at=09:00", "a"},
			{"by the last time", "until=08:00:00.5", "b"},
			{"in the order of times", "ordering=at", "bac"},
			{"by a length in other words", "length=PT60M", "b"},
			{"by the lengths from one to another", "length_min=PT45M&length_max=PT1H&ordering=length", "ab"},
			{"in the order of lengths", "ordering=-length", "cba"},
		} {
			t.Run(c.name, func(t *testing.T) {
				var got strings.Builder
				var found struct {
					Results []struct{ Price json.Number } `json:"results"`
				}
				ada.in(t).get("/api/lessons/?" + c.query).is(200).json(&found)
				for _, one := range found.Results {
					got.WriteString(names[one.Price.String()])
				}
				if got.String() != c.want {
					t.Errorf("%s finds %q; want %q", c.query, got.String(), c.want)
				}
			})
		}
		for _, c := range []struct{ name, query, detail string }{
			{"a price with three places", "price=1.005", "must be a number with at most two decimal places, such as 250 or 99.50"},
			{"a price that the type does not store", "price_min=1e20", "must be at most 9999999999999.99"},
			{"a word among prices", "prices=1,x", "must be values separated by commas; each must be a number with at most two decimal places"},
			{"a weight with four places", "weight=0.0005", "must be a number with at most three decimal places"},
			{"a day that does not exist", "day=2026-02-30", "must be a date such as 2026-01-31"},
			{"a first day after the last", "day_min=2026-02-01&day_max=2026-01-01", "must not be more than day_max"},
			{"a time with a zone", "at=09:00Z", "must be a time of day without a zone, such as 09:30 or 09:30:15"},
			{"a length in words", "length=1h", "must be a duration of weeks, or of days, hours, minutes and seconds"},
			{"a shortest length above the longest", "length_min=PT2H&length_max=PT1H", "must not be more than length_max"},
		} {
			t.Run(c.name, func(t *testing.T) {
				ada.in(t).get("/api/lessons/?"+c.query).refuses(400, "invalid_parameter").says(c.detail)
			})
		}
	})
}

// TestTypesInTheDocument: the schema of each type in a body, with its rules.
func TestTypesInTheDocument(t *testing.T) {
	schemas := schemasOf(t, config(sqlite(t)), lessons())
	for name, want := range map[string]string{
		"price":  `{"default":10,"description":"At most two decimal places.","examples":[250.00],"maximum":999.99,"minimum":0.50,"type":"number"}`,
		"weight": `{"anyOf":[{"pattern":"^-?[0-9]+(\\.[0-9]{1,3})?$","type":"string"},{"type":"number"}],"description":"Must be more than -1.500.","examples":["250.000"]}`,
		"day":    `{"description":"Must be less than 2100-01-01. Must be at least 2020-01-01.","examples":["2026-01-31"],"format":"date","type":"string"}`,
		"at": `{"default":"09:00","description":"Must be at most 18:00:00. Must be at least 08:00:00.","examples":["09:30:00"],"format":"time-local",` +
			`"pattern":"^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,6})?)?$","type":"string"}`,
		"length": `{"default":"PT1H","description":"Must be at most PT8H.","examples":["PT1H30M"],"format":"duration","pattern":"^P([0-9]+W|[0-9]+D|([0-9]+D)?T([0-9]+H([0-9]+M)?([0-9]+S)?|[0-9]+M([0-9]+S)?|[0-9]+S))$","type":"string"}`,
		"extra":  `{"anyOf":[{"description":"Must have at most 40 bytes."},{"type":"null"}]}`,
	} {
		schemas.has(t, "LessonInput", name, want)
	}
}

type (
	lessonNoBound struct {
		Price decimal.Of[decimal.Scale2] `json:"price" validate:"max=99.999"`
	}
	lessonOneOf struct {
		Price decimal.Of[decimal.Scale2] `json:"price" validate:"oneof=1 2"`
	}
	lessonNoDay struct {
		Day calendar.Date `json:"day" validate:"min=tomorrow"`
	}
	lessonLen struct {
		Length calendar.Duration `json:"length" validate:"len=5"`
	}
	lessonNoTime struct {
		At calendar.TimeOfDay `json:"at" default:"25:00"`
	}
	lessonJSON struct {
		Extra json.RawMessage `json:"extra" validate:"min=2"`
	}
	lessonBroken struct {
		bun.BaseModel `bun:"table:lessons"`

		ID    uuid.UUID `bun:",pk"`
		Price decimal.Of[brokenScale]
	}
	lessonBrokenView struct {
		Price decimal.Of[brokenScale] `json:"price"`
	}
)

// lessonsOf returns the viewset of lessons whose create takes another input.
func lessonsOf[In any]() framework.Resource {
	v := lessons()
	v.Verbs.Create = framework.Accepts[In, lessonView]()
	return v
}

// TestMistakesInTypes: each mistake in the declaration of these types stops the program with one sentence.
func TestMistakesInTypes(t *testing.T) {
	ordered, filtered := lessons(), lessons()
	ordered.Ordering = framework.Ordering{Allowed: []string{"extra"}, Default: "extra"}
	filtered.Filters = []framework.Filter{filter.Exact("extra")}
	for _, c := range []struct {
		name     string
		declared framework.Resource
		want     string
	}{
		{"a bound with too many places", lessonsOf[lessonNoBound](), `lessons: create: lessonNoBound.Price: the bound "99.999" of rule "max" must be a number with at most two decimal places, such as 250 or 99.50`},
		{"a rule that is no bound", lessonsOf[lessonOneOf](), `lessons: create: lessonOneOf.Price: rule "oneof" does not apply to decimal.Of[trestle.example/framework/decimal.Scale2], which takes min, max, gt, gte, lt, lte and eq`},
		{"a bound that is no date", lessonsOf[lessonNoDay](), `lessons: create: lessonNoDay.Day: the bound "tomorrow" of rule "min" must be a date such as 2026-01-31`},
		{"a length of a length", lessonsOf[lessonLen](), `lessons: create: lessonLen.Length: rule "len" does not apply to calendar.Duration, which takes min, max, gt, gte, lt, lte and eq`},
		{"a default that is no time", lessonsOf[lessonNoTime](), `lessons: create: lessonNoTime.At: default "25:00" must be a time of day without a zone, such as 09:30 or 09:30:15`},
		{"a rule of JSON that is no limit", lessonsOf[lessonJSON](), `lessons: create: lessonJSON.Extra: rule "min" does not apply to json.RawMessage; write a Check method instead`},
		{"an order by JSON", ordered, `lessons: ordering, ordering default: field "extra" is json.RawMessage; JSON has no order that both databases share`},
		{"a filter of JSON", filtered, `lessons: filter "extra": field "extra" is json.RawMessage, which a query parameter cannot hold; filter a field of text, numbers, booleans, times or ids, or use filter.Func`},
		{
			"a decimal with twenty digits", framework.ViewSet[lessonBroken]{Name: "lessons", Verbs: framework.ReadOnly[lessonBrokenView](), Scope: framework.Public()},
			`lessons: list, retrieve: lessonBroken.Price, decimal.Of[trestle.example/framework_test.brokenScale]: its format has 20 digits; Digits must be 1 to 18`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := framework.New(config(sqlite(t)))
			api.Register(c.declared)
			expectMistakes(t, api.Check(), []string{c.want})
		})
	}
}
