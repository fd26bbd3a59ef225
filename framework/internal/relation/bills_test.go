package relation_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/calendar"
	"trestle.example/framework/decimal"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// exact is a decimal in a column of the type numeric, as Django has it.
type exact struct{}

func (exact) Format() decimal.Format { return decimal.Format{Digits: 10, Places: 2, Numeric: true} }

// A Bill has lines with a column of each type that a function computes with.
type Bill struct {
	bun.BaseModel `bun:"table:bills"`

	ID    int64 `bun:",pk"`
	Name  []byte
	Lines []*Line  `bun:"rel:has-many,join:id=bill_id"`
	Notes []*Note  `bun:"rel:has-many,join:id=bill_id"`
	Loose []*Loose `bun:"rel:has-many,join:id=bill_id"`
	Named []*Bill  `bun:"rel:has-many,join:name=name"`
	Parts []*Part  `bun:"rel:has-many,join:id=bill_id"`
	Note  *Note    `bun:"rel:has-one,join:id=bill_id"`
}

// A Line is one line of a bill.
type Line struct {
	bun.BaseModel `bun:"table:lines"`

	ID     int64 `bun:",pk"`
	BillID int64
	Price  decimal.Of[decimal.Scale2]
	Exact  decimal.Of[exact]
	Day    calendar.Date
	At     calendar.TimeOfDay
	Long   calendar.Duration
	Weight float64
	Pieces int32
	Image  []byte
}

// A Note that is deleted has a time; another has the zero time, not NULL.
type Note struct {
	bun.BaseModel `bun:"table:notes"`

	ID        int64 `bun:",pk"`
	BillID    int64
	Text      string
	DeletedAt time.Time `bun:",soft_delete"`
}

// A Loose row has no primary key.
type Loose struct {
	bun.BaseModel `bun:"table:loose"`

	BillID int64
}

// A Part has a primary key of two columns.
type Part struct {
	bun.BaseModel `bun:"table:parts"`

	BillID int64 `bun:",pk"`
	Place  int64 `bun:",pk"`
}

var ledger = sqldb.Migrations{Namespace: "ledger", FS: fstest.MapFS{
	"1_ledger.tx.up.sql": {Data: []byte(`
CREATE TABLE bills (id {{bigint}} PRIMARY KEY, name {{if sqlite}}blob{{else}}bytea{{end}});
CREATE TABLE notes (id {{bigint}} PRIMARY KEY, bill_id {{bigint}} NOT NULL, text {{text}} NOT NULL, deleted_at {{timestamp}} NOT NULL);
CREATE TABLE loose (bill_id {{bigint}} NOT NULL);
CREATE TABLE parts (bill_id {{bigint}} NOT NULL, place {{bigint}} NOT NULL, PRIMARY KEY (bill_id, place));
CREATE TABLE lines (id {{bigint}} PRIMARY KEY, bill_id {{bigint}} NOT NULL, price {{bigint}} NOT NULL, exact numeric(10,2) NOT NULL, day date NOT NULL,
	at {{if sqlite}}text{{else}}time{{end}} NOT NULL, long {{bigint}} NOT NULL, weight double precision NOT NULL, pieces integer NOT NULL, image {{if sqlite}}blob{{else}}bytea{{end}});`)},
	"1_ledger.tx.down.sql": {Data: []byte(``)},
}}

type billView struct {
	ID      int64                       `json:"id"`
	Price   decimal.Of[decimal.Scale2]  `json:"price"    from:"sum(lines.price)"`
	Highest *decimal.Of[decimal.Scale2] `json:"highest"  from:"max(lines.price)"`
	Exact   decimal.Of[exact]           `json:"exact"    from:"sum(lines.exact)"`
	Least   *decimal.Of[exact]          `json:"least"    from:"min(lines.exact)"`
	Day     *calendar.Date              `json:"day"      from:"min(lines.day)"`
	At      *calendar.TimeOfDay         `json:"at"       from:"max(lines.at)"`
	Long    calendar.Duration           `json:"long"     from:"sum(lines.long)"`
	Longest *calendar.Duration          `json:"longest"  from:"max(lines.long)"`
	Weight  float64                     `json:"weight"   from:"sum(lines.weight)"`
	Pieces  int64                       `json:"pieces"   from:"sum(lines.pieces)"`
	Most    *int32                      `json:"most"     from:"max(lines.pieces)"`
	Notes   int64                       `json:"notes"    from:"count(notes)"`
	Text    *string                     `json:"text"     from:"note.text"`
	Texts   []string                    `json:"texts"    from:"notes.text"`
	Places  []int64                     `json:"places"   from:"parts.place"`
	First   []int64                     `json:"first"    from:"parts.place,limit=2"`
}

func bills() framework.ViewSet[Bill] {
	return framework.ViewSet[Bill]{
		Name: "bills", Verbs: framework.ReadOnly[billView](), Scope: framework.Public(),
		Relations: framework.Relations{"lines": framework.OfRow, "notes": framework.OfRow, "parts": framework.OfRow, "note": framework.OfRow},
		Filters: []framework.Filter{
			filter.Min("min_price", "price"), filter.Min("min_exact", "exact"), filter.Exact("exact", "least"), filter.Max("first_until", "day"), filter.Min("min_at", "at"),
			filter.Min("min_long", "long"), filter.Min("min_weight", "weight"), filter.Exact("pieces", "pieces"), filter.Exact("note", "note.text"),
		},
		Ordering: framework.Ordering{Allowed: []string{"exact", "day", "at", "note.text"}},
		Collection: []framework.CollectionAction{framework.OnCollection("GET", "found", func(c *framework.Call, _ framework.None) ([]billView, error) {
			return framework.Find[billView](c, "bills", nil)
		})},
	}
}

// billed fills the ledger: a bill with two lines, a note that is deleted and one that is not, and a
// bill with nothing.
func billed(t *testing.T, db *sqldb.DB) *frameworktest.Client {
	t.Helper()
	if err := db.Migrate(t.Context(), nil, ledger); err != nil {
		t.Fatal(err)
	}
	_, c := apitest.Serve(t, config(db), bills())
	day := calendar.NewDate(2026, 1, 31)
	apitest.Insert(t, db, &Bill{ID: 1}, &Bill{ID: 2},
		&Line{ID: 1, BillID: 1, Price: 1010, Exact: 10, Day: day, At: calendar.NewTimeOfDay(9, 30, 0), Long: 90, Weight: 0.5, Pieces: 3},
		&Line{ID: 2, BillID: 1, Price: 25, Exact: 20, Day: day.AddDays(1), At: calendar.NewTimeOfDay(10, 0, 0), Long: 30, Weight: 0.25, Pieces: 4},
		&Note{ID: 1, BillID: 1, Text: "gone", DeletedAt: time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)}, &Note{ID: 2, BillID: 1, Text: "kept"},
		&Part{BillID: 1, Place: 3}, &Part{BillID: 1, Place: 1}, &Part{BillID: 1, Place: 2})
	return c
}

// TestTypesOfFunctions: functions compute with each type exactly. Rows that are deleted softly, with
// a time instead of the zero time, do not count. A primary key of two columns orders a list.
func TestTypesOfFunctions(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		c := billed(t, db)
		c.Get("/api/bills/1/").Expect(200).Contains(`{"id":1,"price":10.35,"highest":10.10,"exact":0.30,"least":0.10,"day":"2026-01-31","at":"10:00:00","long":"PT2M",` +
			`"longest":"PT1M30S","weight":0.75,"pieces":7,"most":4,"notes":1,"text":"kept","texts":["kept"],"places":[1,2,3],"first":[1,2]}`)
		c.Get("/api/bills/2/").Expect(200).Contains(`{"id":2,"price":0.00,"highest":null,"exact":0.00,"least":null,"day":null,"at":null,"long":"PT0S",` +
			`"longest":null,"weight":0,"pieces":0,"most":null,"notes":0,"text":null,"texts":[],"places":[],"first":[]}`)
		for query, want := range map[string]string{
			"min_price=10.35": "1: 1", "min_price=10.36": "0: ", "min_exact=0.30": "1: 1", "min_exact=0.31": "0: ", "min_exact=0": "2: 1 2", "exact=0.10": "1: 1",
			"first_until=2026-01-31": "1: 1", "first_until=2026-01-30": "0: ", "min_at=10:00": "1: 1", "min_at=10:01": "0: ", "min_long=PT2M": "1: 1", "min_long=PT2M1S": "0: ",
			"min_weight=0.75": "1: 1", "pieces=7": "1: 1", "note=kept": "1: 1", "note=gone": "0: ",
			"ordering=exact": "2: 2 1", "ordering=-day": "2: 1 2", "ordering=at": "2: 1 2", "ordering=-note.text": "2: 1 2",
		} {
			if got := idsOf(c.Get("/api/bills/?" + query)); got != want {
				t.Errorf("%s lists %s; want %s", query, got, want)
			}
		}
	})
}

// TestASecondFunctionInAnOrder: an order has at most one function. The next one is reported without
// the suggestion of its own name.
func TestASecondFunctionInAnOrder(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		c := billed(t, db)
		c.Get("/api/bills/?ordering=exact,-day,at").Expect(200).Header("Trestle-Ignored", "ordering=-day, ordering=at")
		c.Get("/api/bills/?ordering=exact,dai").Expect(200).Header("Trestle-Ignored", "ordering=dai; did you mean day?")
		common := config(db)
		common.Strict = framework.Strict
		_, c = apitest.Serve(t, common, bills())
		c.Get("/api/bills/?ordering=exact,-day").Expect(400).Code("invalid_parameter").
			Contains(`cannot have \"-day\" too: an order has at most one function of related rows`).Lacks("did you mean")
	})
}

// TestTypeMistakes: types that a function cannot compute with, and relations that cannot be loaded.
func TestTypeMistakes(t *testing.T) {
	type wrong struct {
		At    calendar.TimeOfDay `json:"at"    from:"sum(lines.at)"`
		Day   calendar.Date      `json:"day"   from:"sum(lines.day)"`
		Image *[]byte            `json:"image" from:"max(lines.image)"`
	}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		v := bills()
		v.Verbs, v.Filters, v.Ordering = framework.ReadOnly[wrong](), nil, framework.Ordering{}
		v.Relations["loose"], v.Relations["named"] = framework.OfRow, "bills"
		api := framework.New(config(db))
		api.Register(v)
		err := api.Check()
		if err == nil {
			t.Fatal("no mistake is reported")
		}
		for _, want := range []string{
			`wrong.At: from "sum(lines.at)": sum of "lines.at", calendar.TimeOfDay, is not supported; take a column of numbers`,
			`wrong.Day: from "sum(lines.day)": sum of "lines.day", calendar.Date, is not supported; take a column of numbers`,
			`wrong.Image: from "max(lines.image)": max of "lines.image", []uint8, is not supported; take a column of text, numbers or times`,
			"bills: relations: \"loose\": Loose has no primary key; tag a column with `bun:\",pk\"`",
			`bills: relations: "named": relations over a column of the type []uint8 are not supported`,
		} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("no mistake %s\nin\n%v", want, err)
			}
		}
	})
}

// A Ledger is a bill under an alias that is so long that PostgreSQL cuts off what would follow it.
type Ledger struct {
	bun.BaseModel `bun:"table:bills,alias:a_bill_of_the_ledger_under_an_alias_of_fifty_eight_letters"`

	ID    int64   `bun:",pk"`
	Note  *Note   `bun:"rel:has-one,join:id=bill_id"`
	Notes []*Note `bun:"rel:has-many,join:id=bill_id"`
}

// TestLongNames: tables that are joined under long names do not take each other's place.
func TestLongNames(t *testing.T) {
	type (
		noteView struct {
			ID int64 `json:"id"`
		}
		view struct {
			ID    int64     `json:"id"`
			Note  *noteView `json:"note"`
			Text  *string   `json:"text"  from:"note.text"`
			Count int64     `json:"count" from:"count(notes)"`
		}
	)
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		billed(t, db)
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Ledger]{
			Name: "ledgers", Verbs: framework.ReadOnly[view](), Scope: framework.Public(),
			Relations: framework.Relations{"note": framework.OfRow, "notes": framework.OfRow}, Ordering: framework.Ordering{Default: "note.text"},
		})
		c.Get("/api/ledgers/").Expect(200).Contains(`[{"id":1,"note":{"id":2},"text":"kept","count":1},{"id":2,"note":null,"text":null,"count":0}]`)
	})
}
