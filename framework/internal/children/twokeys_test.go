package children_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// The key of a supply is its machine and its product. A client chooses the product.

type supplyInput struct {
	ProductID uuid.UUID `json:"product" validate:"required" ref:"products"`
	Amount    int64     `json:"amount"  validate:"min=1" default:"1"`
}

type suppliesInput struct {
	Name     string        `json:"name"     validate:"required"`
	Supplies []supplyInput `json:"supplies" to:"supplies,position=place"`
}

type suppliesView struct {
	ID       int64        `json:"id"`
	Name     string       `json:"name"`
	Supplies []supplyView `json:"supplies" from:"supplies,order=place"`
}

type supplyView struct {
	ProductID uuid.UUID `json:"product"`
	Amount    int64     `json:"amount"`
}

func supplied() framework.ViewSet[Machine] {
	v := machines()
	v.Verbs = framework.CRUD[suppliesInput, suppliesView]()
	v.Relations = framework.Relations{"supplies": framework.OfRow}
	return v
}

// suppliesOf is what the database has of the supplies of both machines.
func suppliesOf(tb testing.TB, db *sqldb.DB) string {
	tb.Helper()
	var all []Supply
	if err := db.NewSelect().Model(&all).Relation("Product").Order("machine_id", "place").Scan(context.Background()); err != nil {
		tb.Fatal(err)
	}
	var words []string
	for _, s := range all {
		words = append(words, fmt.Sprintf("%d.%d.%s=%d", s.MachineID, s.Place, s.Product.Name, s.Amount))
	}
	return strings.Join(words, " ")
}

// TestKeysOfTwoColumns: a list sets rows whose key is the foreign key and a column that the client
// chooses. Rows of machine 2 with the same product stay as they are.
func TestKeysOfTwoColumns(t *testing.T) {
	const stored, second = "1.1.steel=1 2.1.steel=2 2.2.brass=3", " 2.1.steel=2 2.2.brass=3"
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), append(others()[1:2], supplied())...)
		for _, test := range []struct{ name, caller, body, want string }{
			{"PATCH without the list", "ada", `{"name":"New"}`, stored},
			{"a row is changed, by its product", "ada", `{"supplies":[{"product":"{steel}","amount":5}]}`, "1.1.steel=5" + second},
			{"a row that does not change", "ada", `{"supplies":[{"product":"{steel}","amount":1}]}`, stored},
			{"an absent field of an item has its default", "ada", `{"supplies":[{"product":"{steel}"}]}`, stored},
			{"a row is created, and one is changed", "ada", `{"supplies":[{"product":"{brass}","amount":7},{"product":"{steel}","amount":9}]}`, "1.1.brass=7 1.2.steel=9" + second},
			{"a row is created in place of another", "ada", `{"supplies":[{"product":"{brass}"}]}`, "1.1.brass=1" + second},
			{"all rows are deleted", "ada", `{"supplies":[]}`, "2.1.steel=2 2.2.brass=3"},
			{"a product twice", "ada", `{"supplies":[{"product":"{brass}"},{"product":"{steel}"},{"product":"{brass}"}]}`, "400 /supplies/2/product unique"},
			{"an item without the product", "ada", `{"supplies":[{"amount":1}]}`, "400 /supplies/0/product required"},
			{"a product that does not exist", "ada", `{"supplies":[{"product":"{steel}"},{"product":"{none}"}]}`, "400 /supplies/1/product invalid_reference"},
			{"a product that the caller may not see", "ada", `{"supplies":[{"product":"{alloy}"}]}`, "400 /supplies/0/product invalid_reference"},
			{"the same for staff, who see it", "staff", `{"supplies":[{"product":"{alloy}"}]}`, "1.1.alloy=1" + second},
			{"a product that is none", "ada", `{"supplies":[{"product":"x"}]}`, "400 /supplies/0/product format"},
			{"a rule of an item", "ada", `{"supplies":[{"product":"{steel}","amount":0}]}`, "400 /supplies/0/amount min"},
			{"a check of the table", "ada", `{"supplies":[{"product":"{brass}"},{"product":"{steel}","amount":1001}]}`, "409 conflict"},
			{"by another caller", "bob", `{"supplies":[]}`, "403 not_yours"},
			{"without credentials", "", `{"supplies":[]}`, "401 authentication_required"},
		} {
			t.Run(test.name, func(t *testing.T) {
				furnish(t, db)
				got := outcome(t, apitest.As(c.On(t), test.caller).Do("PATCH", "/api/machines/1/", filledIn(test.body)))
				if now := suppliesOf(t, db); got == "" {
					got = now
				} else if now != stored {
					t.Errorf("the rejected request changed the supplies: %s", now)
				}
				if got != test.want {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
			})
		}
	})
}

// TestCreateWithKeysOfTwoColumns: a new parent, the answer, and PUT, which sets all rows.
func TestCreateWithKeysOfTwoColumns(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), append(others()[1:2], supplied())...)
		furnish(t, db)
		ada := apitest.As(c, "ada")
		body := filledIn(`{"name":"Press","supplies":[{"product":"{brass}","amount":4},{"product":"{steel}"}]}`)
		var made suppliesView
		ada.Do("POST", "/api/machines/", body).Expect(201).Contains(filledIn(`"supplies":[{"product":"{brass}","amount":4},{"product":"{steel}","amount":1}]`)).JSON(&made)
		path := fmt.Sprintf("/api/machines/%d/", made.ID)
		ada.Do("PUT", path, filledIn(`{"name":"Press","supplies":[{"product":"{steel}","amount":2}]}`)).Expect(200).Contains(filledIn(`"supplies":[{"product":"{steel}","amount":2}]`))
		ada.Do("PUT", path, `{"name":"Press"}`).Expect(200).Contains(`"supplies":[]`)
		if got, want := suppliesOf(t, db), "1.1.steel=1 2.1.steel=2 2.2.brass=3"; got != want {
			t.Errorf("the rows of other machines are %s; want %s", got, want)
		}
	})
}

// TestZeroKeysOfTwoColumns: a chosen key with the zero value is stored as it is, and an item without a
// key has a fault of its own, which is no fault of the item with the zero value.
func TestZeroKeysOfTwoColumns(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), append(others()[1:2], supplied())...)
		furnish(t, db)
		apitest.Insert(t, db, &Product{Name: "air"})
		ada := apitest.As(c, "ada")
		const air = `{"product":"00000000-0000-0000-0000-000000000000"}`
		for range 2 {
			ada.Do("PATCH", "/api/machines/1/", `{"supplies":[`+air+`]}`).Expect(200)
			if got, want := suppliesOf(t, db), "1.1.air=1 2.1.steel=2 2.2.brass=3"; got != want {
				t.Errorf("the rows are %s; want %s", got, want)
			}
		}
		got := outcome(t, ada.Do("PATCH", "/api/machines/1/", `{"supplies":[{"amount":1},`+air+`]}`))
		if want := "400 /supplies/0/product required"; got != want {
			t.Errorf("got %s; want %s", got, want)
		}
	})
}

// TestStatementsOfKeysOfTwoColumns: the number of statements does not depend on the number of rows.
func TestStatementsOfKeysOfTwoColumns(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		n := frameworktest.CountStatements(db)
		_, c := apitest.Serve(t, config(db), append(others()[1:2], supplied())...)
		furnish(t, db)
		var all []string
		for i := range 40 {
			id := apitest.ID(fmt.Sprint("product ", i))
			apitest.Insert(t, db, &Product{ID: id, Name: fmt.Sprint("product ", i)})
			all = append(all, fmt.Sprintf(`{"product":%q}`, id))
		}
		count := func(items []string) int {
			return len(n.During(func() {
				apitest.As(c, "ada").Do("PATCH", "/api/machines/1/", `{"supplies":[`+strings.Join(items, ",")+`]}`).Expect(200)
			}))
		}
		count(all[:2])
		few, many := count(all[2:4]), count(all[4:])
		if few != many {
			t.Errorf("%d statements for 2 rows, and %d for 36", few, many)
		}
	})
}

// TestRecorderOfKeysOfTwoColumns: each row is recorded, and a changed row with its own values before the
// change, not with those of machine 2.
func TestRecorderOfKeysOfTwoColumns(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		var recorded []string
		settings := config(db)
		settings.Observers = []framework.Observer{frameworktest.RecordChanges(func(_ *framework.Call, change frameworktest.Change) error {
			amount := func(row any) int64 {
				if supply, ok := row.(*Supply); ok && supply != nil {
					return supply.Amount
				}
				return 0
			}
			recorded = append(recorded, fmt.Sprintf("%s %s %d to %d", change.Verb, change.ViewSet, amount(change.Before), amount(change.After)))
			return nil
		})}
		_, c := apitest.Serve(t, settings, append(others()[1:2], supplied())...)
		furnish(t, db)
		ada := apitest.As(c, "ada")
		ada.Do("PATCH", "/api/machines/1/", filledIn(`{"supplies":[{"product":"{brass}","amount":7},{"product":"{steel}","amount":9}]}`)).Expect(200)
		ada.Do("PATCH", "/api/machines/1/", filledIn(`{"supplies":[{"product":"{brass}","amount":7}]}`)).Expect(200)
		want := "update machines 0 to 0, update machines.supplies 1 to 9, create machines.supplies 0 to 7, update machines 0 to 0, delete machines.supplies 9 to 0"
		if got := strings.Join(recorded, ", "); got != want {
			t.Errorf("recorded %s\nwant %s", got, want)
		}
		if got, want := suppliesOf(t, db), "1.1.brass=7 2.1.steel=2 2.2.brass=3"; got != want {
			t.Errorf("the rows are %s; want %s", got, want)
		}
	})
}

// A Shelf has a code, to which its places refer.
type Shelf struct {
	bun.BaseModel `bun:"table:shelves"`

	ID     int64 `bun:",pk"`
	Code   string
	Places []*Place `bun:"rel:has-many,join:code=shelf"`
}

type Place struct {
	bun.BaseModel `bun:"table:places"`

	Shelf  string `bun:",pk"`
	Number int64  `bun:",pk"`
	Text   string
}

var store = sqldb.Migrations{Namespace: "store", FS: fstest.MapFS{
	"1_store.tx.up.sql": {Data: []byte(`
CREATE TABLE shelves (id {{bigint}} PRIMARY KEY, code {{text}} NOT NULL UNIQUE);
CREATE TABLE places (shelf {{text}} NOT NULL REFERENCES shelves (code) ON UPDATE CASCADE, number {{bigint}} NOT NULL, text {{text}} NOT NULL, PRIMARY KEY (shelf, number));`)},
	"1_store.tx.down.sql": {Data: []byte(``)},
}}

// TestKeysThatFollowTheParent: a request changes the column that the rows refer to, and the rows.
func TestKeysThatFollowTheParent(t *testing.T) {
	type place struct {
		Number int64  `json:"number" validate:"required"`
		Text   string `json:"text"`
	}
	type input struct {
		Code   string  `json:"code"`
		Places []place `json:"places" to:"places"`
	}
	type view struct {
		Code   string  `json:"code"`
		Places []place `json:"places" from:"places,order=number"`
	}
	apitest.Databases(t, store, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Shelf]{
			Name: "shelves", Scope: framework.Public(), Verbs: framework.Verbs{Patch: framework.Accepts[input, view]()}, Relations: framework.Relations{"places": framework.OfRow},
		})
		apitest.Insert(t, db, &Shelf{ID: 1, Code: "a"}, &Shelf{ID: 2, Code: "z"},
			&Place{Shelf: "a", Number: 1, Text: "one"}, &Place{Shelf: "a", Number: 2, Text: "two"}, &Place{Shelf: "z", Number: 1, Text: "other"})
		for _, body := range []string{
			`{"code":"b","places":[{"number":1,"text":"new"},{"number":3,"text":"three"}]}`,
			`{"code":"c","places":[{"number":1,"text":"I"},{"number":3,"text":"III"}]}`,
			`{"code":"d","places":[]}`,
		} {
			c.Do("PATCH", "/api/shelves/1/", body).Expect(200).Contains(body)
		}
		if n := apitest.Count(t, db, "places"); n != 1 {
			t.Errorf("%d places are stored; want that of shelf 2", n)
		}
	})
}
