package export_test

import (
	"encoding/csv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A Customer has orders.
type Customer struct {
	bun.BaseModel `bun:"table:customers"`

	ID   int64 `bun:",pk"`
	Name string
	City *string
}

// An Order belongs to a user.
type Order struct {
	bun.BaseModel `bun:"table:orders"`

	ID         uuid.UUID `bun:",pk"`
	OwnerID    uuid.UUID
	CustomerID *int64
	Number     int64
	Note       string
	Weight     *float64
	Margin     int64
	PlacedAt   time.Time

	Customer *Customer `bun:"rel:belongs-to,join:customer_id=id"`
	Lines    []*Line   `bun:"rel:has-many,join:id=order_id"`
}

func (o *Order) owner() *uuid.UUID { return &o.OwnerID }

// A Line is a part of an order.
type Line struct {
	bun.BaseModel `bun:"table:lines"`

	ID      int64 `bun:",pk"`
	OrderID uuid.UUID
	Text    string

	Order *Order `bun:"rel:belongs-to,join:order_id=id"`
}

var shop = sqldb.Migrations{Namespace: "shop", FS: fstest.MapFS{
	"1_shop.tx.up.sql": {Data: []byte(`
CREATE TABLE customers (id {{bigint}} PRIMARY KEY, name {{text}} NOT NULL, city {{text}});
CREATE TABLE orders ({{id}}, owner_id {{uuid}} NOT NULL, customer_id {{bigint}} REFERENCES customers (id), number {{bigint}} NOT NULL, note {{text}} NOT NULL,
	weight {{if postgres}}double precision{{else}}REAL{{end}}, margin {{bigint}} NOT NULL DEFAULT 0, placed_at {{timestamp}} NOT NULL);
CREATE INDEX orders_number ON orders (number, id);
CREATE TABLE lines (id {{bigint}} PRIMARY KEY, order_id {{uuid}} NOT NULL REFERENCES orders (id), text {{text}} NOT NULL);`)},
	"1_shop.tx.down.sql": {Data: []byte("DROP TABLE lines;\nDROP TABLE orders;\nDROP TABLE customers;\n")},
}}

type customerView struct {
	Name string  `json:"name"`
	City *string `json:"city"`
}

type lineView struct {
	ID   int64  `json:"id"`
	Text string `json:"text"`
}

type orderView struct {
	ID       uuid.UUID     `json:"id"`
	Number   int64         `json:"number"`
	Note     string        `json:"note"`
	Weight   *float64      `json:"weight"`
	Margin   int64         `json:"margin"`
	Customer *customerView `json:"customer"`
	Lines    []lineView    `json:"lines" from:"lines,order=id"`
	PlacedAt time.Time     `json:"placed_at"`
}

// header is the header row of orders, for callers who see the margin.
const header = "id,number,note,weight,margin,customer.name,customer.city,lines,placed_at"

var both = []framework.Media{framework.CSV, framework.NDJSON}

// orders have a member that only some callers see.
func orders() framework.ViewSet[Order] {
	return framework.ViewSet[Order]{
		Name: "orders", Verbs: framework.Verbs{List: framework.Shows[orderView](), Retrieve: framework.Shows[orderView]()},
		Scope: framework.Own((*Order).owner), Permission: framework.Authenticated(), Fields: []framework.FieldRule{framework.Sees("margin", framework.Holds("see.margin"))},
		Relations: framework.Relations{"lines": framework.OfRow, "customer": framework.OfRow}, Filters: []framework.Filter{filter.Min("from", "number")},
		Search:   framework.Search{Fields: []string{"note"}},
		Ordering: framework.Ordering{Allowed: []string{"number", "note", "weight", "customer.name"}, Default: "number"}, Pagination: page.Number{Size: 2},
		Export: both,
	}
}

// lines are below an order.
func lines() framework.ViewSet[Line] {
	return framework.ViewSet[Line]{
		Name: "lines", Parent: framework.Child("order", "orders"), Verbs: framework.Verbs{List: framework.Shows[lineView]()},
		Scope: framework.Public(), Permission: framework.Authenticated(), Ordering: framework.Ordering{Default: "-id"}, Export: both,
	}
}

func config(db *sqldb.DB) framework.Config {
	c := apitest.Config(db)
	c.Authentication = []framework.Authenticator{apitest.Names{"ann": {"see.margin"}}}
	return c
}

var placed = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// order is an order of a caller. Its number is in its id.
func order(owner string, number int64, note string) *Order {
	return &Order{ID: uuid.UUID{14: byte(number >> 8), 15: byte(number)}, OwnerID: apitest.ID(owner), Number: number, Note: note, Margin: -number, PlacedAt: placed}
}

// fill stores five orders of Ann, whose texts and values are of many kinds, and one of Bob.
func fill(t *testing.T, db *sqldb.DB) {
	t.Helper()
	weight, city, one := -2.5, "=Rome", int64(1)
	apitest.Insert(t, db, &Customer{ID: 1, Name: "Zoé, \"Z\"", City: &city})
	for i, note := range []string{"plain", "=1+1", "-5", "two\nlines", "@x"} {
		o := order("ann", int64(i+1), note)
		if i == 0 {
			o.CustomerID, o.Weight = &one, &weight
		}
		apitest.Insert(t, db, o)
	}
	apitest.Insert(t, db, order("bob", 9, "of Bob"),
		&Line{ID: 1, OrderID: order("", 1, "").ID, Text: "=a"}, &Line{ID: 2, OrderID: order("", 1, "").ID, Text: "b"}, &Line{ID: 3, OrderID: order("", 9, "").ID, Text: "of Bob"})
}

func serve(t *testing.T, db *sqldb.DB, more ...framework.Resource) *frameworktest.Client {
	t.Helper()
	_, c := apitest.Serve(t, config(db), append([]framework.Resource{orders(), lines()}, more...)...)
	return c
}

// table reads CSV.
func table(t *testing.T, r *frameworktest.Response) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(r.Body())).ReadAll()
	if err != nil {
		t.Fatalf("%v in\n%s", err, r.Body())
	}
	return rows
}

// column lists the cells of a column, without the header.
func column(t *testing.T, r *frameworktest.Response, name string) (cells []string) {
	t.Helper()
	rows := table(t, r)
	for i, cell := range rows[0] {
		if cell != name {
			continue
		}
		for _, row := range rows[1:] {
			cells = append(cells, row[i])
		}
		return cells
	}
	t.Fatalf("there is no column %q in %q", name, rows[0])
	return nil
}

// filled runs a test on each database, with the rows of fill.
func filled(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	apitest.Databases(t, shop, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		test(t, db)
	})
}

// served serves resources with some changes of the configuration.
func served(t *testing.T, db *sqldb.DB, change func(*framework.Config), all ...framework.Resource) *frameworktest.Client {
	t.Helper()
	c := config(db)
	if change != nil {
		change(&c)
	}
	_, client := apitest.Serve(t, c, all...)
	return client
}
