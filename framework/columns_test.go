package framework_test

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
)

// cents is a type of one's own: an exact amount, kept as a whole number.
type cents int64

func (c cents) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%d.%02d", c/100, c%100), nil }

func (c *cents) UnmarshalJSON(text []byte) error { return c.UnmarshalText(text) }

func (c *cents) UnmarshalText(text []byte) error {
	whole, part, _ := strings.Cut(string(text), ".")
	n, err := strconv.ParseInt(whole+(part + "00")[:2], 10, 64)
	if err != nil || len(part) > 2 || n < 0 {
		return framework.ValueError("must be an amount with at most two places, such as 12.50")
	}
	*c = cents(n)
	return nil
}

// point is a type that a column keeps as text.
type point struct{ X, Y int64 } //nolint:recvcheck // a Valuer is a value, a Scanner a pointer

func (p point) Value() (driver.Value, error) { return fmt.Sprintf("%d;%d", p.X, p.Y), nil }

func (p *point) Scan(src any) error {
	_, err := fmt.Sscanf(fmt.Sprintf("%s", src), "%d;%d", &p.X, &p.Y)
	return err
}

func (p point) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d/%d", p.X, p.Y), nil }

func (p *point) UnmarshalText(text []byte) error {
	if _, err := fmt.Sscanf(string(text), "%d/%d", &p.X, &p.Y); err != nil {
		return framework.ValueError("must be two whole numbers, such as 3/4")
	}
	return nil
}

// Thing has a column of every kind.
type Thing struct {
	bun.BaseModel `bun:"table:things"`

	ID      uuid.UUID `bun:",pk"`
	Flag    bool
	Small   int16
	Big     int64
	Count   uint32
	Ratio   float64
	Text    string
	Maybe   *string
	Unset   string `bun:",nullzero"`
	When    time.Time
	Later   *time.Time
	Price   cents
	Cost    *cents
	Place   point
	Where   *point
	Bytes   []byte
	Extra   json.RawMessage `bun:"type:jsonb"`
	Labels  []string        `bun:"type:jsonb"`
	Numbers map[string]int  `bun:"type:jsonb"`
	Nested  inner           `bun:"type:jsonb"`
	GoneAt  time.Time       `bun:",soft_delete,nullzero"`
}

type inner struct {
	A int64    `json:"a"`
	B []string `json:"b"`
}

// thingFields are all that a client writes of a thing.
type thingFields struct {
	Flag    bool            `json:"flag"`
	Small   int16           `json:"small"`
	Big     int64           `json:"big"`
	Count   uint32          `json:"count"`
	Ratio   float64         `json:"ratio"`
	Text    string          `json:"text" trim:"-"`
	Maybe   *string         `json:"maybe"`
	Unset   string          `json:"unset"`
	When    time.Time       `json:"when"`
	Later   *time.Time      `json:"later"`
	Price   cents           `json:"price"`
	Cost    *cents          `json:"cost"`
	Place   point           `json:"place"`
	Where   *point          `json:"where"`
	Bytes   []byte          `json:"bytes"`
	Extra   json.RawMessage `json:"extra"`
	Labels  []string        `json:"labels"`
	Numbers map[string]int  `json:"numbers"`
	Nested  inner           `json:"nested"`
}

type thingView struct {
	ID uuid.UUID `json:"id"`
	thingFields
}

const thingsTable = `CREATE TABLE things (id %s PRIMARY KEY, flag boolean NOT NULL, small %[2]s NOT NULL, big %[2]s NOT NULL, count %[2]s NOT NULL, ratio %[3]s NOT NULL,
	"text" text NOT NULL, maybe text, unset text, "when" %[4]s NOT NULL, later %[4]s, price %[2]s NOT NULL, cost %[2]s, place text NOT NULL, "where" text,
	bytes %[5]s, extra %[6]s, labels %[6]s, numbers %[6]s, nested %[6]s, gone_at %[4]s)`

func thingsIn(t *testing.T, db *sqldb.DB) {
	t.Helper()
	types := []any{"text", "integer", "real", "timestamp", "blob", "text"}
	if db.Kind() == sqldb.PostgreSQL {
		types = []any{"uuid", "bigint", "double precision", "timestamptz", "bytea", "jsonb"}
	}
	if _, err := db.DB.DB.ExecContext(context.Background(), fmt.Sprintf(strings.Replace(thingsTable, "%s", "%[1]s", 1), types...)); err != nil {
		t.Fatal(err)
	}
}

// TestColumns: a column of every kind is written and read back alike, by every
// verb, on both databases.
func TestColumns(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		thingsIn(t, db)
		ada := serve(t, config(db), framework.ViewSet[Thing]{
			Name: "things", Verbs: framework.CRUD[thingFields, thingView](), Scope: framework.Public(),
			Ordering: framework.Ordering{Allowed: []string{"price", "unset"}},
			Filters:  []framework.Filter{filter.Exact("price"), filter.Exact("place"), filter.Min("min_when", "when"), filter.IsNull("no_unset", "unset"), filter.Exact("flag")},
		}).as("ada")
		full := `"flag":true,"small":-7,"big":9223372036854775807,"count":4294967295,"ratio":0.1,"text":" 'q' \"d\" ? ?0 $1 \\ é 😀 ","maybe":"","unset":"x","when":"2026-01-31T09:00:00.123456Z","later":"0001-01-02T00:00:00Z",` +
			`"price":12.50,"cost":0.00,"place":"3/4","where":"-1/0","bytes":"AP8=","extra":{"k":[1,null,"v"]},"labels":["a","b ?"],"numbers":{"one":1},"nested":{"a":1,"b":["x"]}`
		made := ada.post("/api/things/", "{"+full+"}").is(201)
		id := made.id()
		path := "/api/things/" + id + "/"
		sameFields := func(a *answer, want string) {
			t.Helper()
			var got, wanted map[string]any
			a.json(&got)
			if err := json.Unmarshal([]byte("{"+want+"}"), &wanted); err != nil {
				t.Fatal(err)
			}
			delete(got, "id")
			if fmt.Sprint(got) != fmt.Sprint(wanted) {
				t.Errorf("%s\ngot  %v\nwant %v", a.asked, got, wanted)
			}
		}
		sameFields(made, full)
		sameFields(ada.get(path).is(200), full)
		sameFields(ada.put(path, "{"+full+"}").is(200), full)
		sameFields(ada.patch(path, "{"+full+"}").is(200), full)
		sameFields(ada.patch(path, `{"id":"`+missing+`","price":12.5}`).is(200), full)
		made.says(`"price":12.50`, `"big":9223372036854775807`)
		for _, query := range []string{"price=12.5", "place=3/4", "min_when=2026-01-31T09:00:00Z", "no_unset=false", "flag=1", "price=12.50&ordering=-price"} {
			if n := *ada.get("/api/things/?" + query).list().Count; n != 1 {
				t.Errorf("%s finds %d", query, n)
			}
		}
		zero := `"flag":false,"small":0,"big":0,"count":0,"ratio":0,"text":"","maybe":null,"unset":"","when":"0001-01-01T00:00:00Z","later":null,"price":0.00,"cost":null,"place":"0/0","where":null,` +
			`"bytes":null,"extra":null,"labels":[],"numbers":{},"nested":{"a":0,"b":[]}`
		replaced := ada.put(path, "{}").is(200)
		sameFields(replaced, zero)
		again := ada.get(path).is(200)
		if again.body != replaced.body {
			t.Errorf("PUT answers %s, GET %s", replaced.body, again.body)
		}
		if n := *ada.get("/api/things/?no_unset=true").list().Count; n != 1 {
			t.Error("an empty text in a column tagged nullzero is null")
		}

		ada.delete(path).is(204)
		ada.get(path).refuses(404, "not_found")
		ada.patch(path, fields{"flag": true}).refuses(404, "not_found")
		ada.delete(path).refuses(404, "not_found")
		if n := *ada.get("/api/things/").list().Count; n != 0 {
			t.Errorf("a row that was deleted softly is listed")
		}
		var kept int
		if err := db.DB.DB.QueryRow("SELECT count(*) FROM things WHERE gone_at IS NOT NULL").Scan(&kept); err != nil || kept != 1 {
			t.Errorf("a row that was deleted softly is kept: %d %v", kept, err)
		}
	})
}
