package relation_test

import (
	"log/slog"
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/decimal"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// The tables of these tests are as another program has them: amounts are numeric, and columns that
// several tables have are in a struct that the models embed.

type (
	numericScale struct{}
	numeric      = decimal.Of[numericScale]
)

func (numericScale) Format() decimal.Format {
	return decimal.Format{Digits: 12, Places: 2, Numeric: true}
}

type place struct{ Town *string }

type Basket struct {
	bun.BaseModel `bun:"table:basket"`

	ID    int64         `bun:"basket_id,pk,autoincrement"`
	Items []*BasketItem `bun:"rel:has-many,join:basket_id=basket_id"`
	place
}

type BasketItem struct {
	bun.BaseModel `bun:"table:basket_item"`

	ID       int64 `bun:"item_id,pk,autoincrement"`
	BasketID int64
	Price    numeric

	Basket *Basket `bun:"rel:belongs-to,join:basket_id=basket_id"`
}

type basketView struct {
	ID       int64
	Total    numeric  `from:"sum(items.price)"`
	Cheapest *numeric `from:"min(items.price)"`
	Dearest  *numeric `from:"max(items.price)"`
	ItemsIn  int64    `from:"count(items)"`
}

type basketItemView struct {
	Price numeric
	Town  *string `from:"basket.town"`
}

func foreignResources() []framework.Resource {
	return []framework.Resource{
		framework.ViewSet[Basket]{
			Name: "baskets", Verbs: framework.ReadOnly[basketView](), Scope: framework.Public(), Permission: framework.Anyone(),
			Relations: framework.Relations{"items": "items"},
			Ordering:  framework.Ordering{Allowed: []string{"total", "cheapest", "dearest", "items_in"}},
			Filters: []framework.Filter{
				filter.Range("total"), filter.Range("dearest"), filter.Exact("cheapest"), filter.Min("least_items", "items_in"), filter.In("total_in", "total"),
			},
		},
		framework.ViewSet[BasketItem]{
			Name: "items", Verbs: framework.ReadOnly[basketItemView](), Scope: framework.Public(), Permission: framework.Anyone(),
			Relations: framework.Relations{"basket": "baskets"},
			Filters:   []framework.Filter{filter.Exact("town", "basket.town")},
		},
	}
}

const foreignSchema = `
CREATE TABLE basket (basket_id INTEGER PRIMARY KEY, town VARCHAR(20));
CREATE TABLE basket_item (item_id INTEGER PRIMARY KEY, basket_id INTEGER NOT NULL REFERENCES basket (basket_id), price NUMERIC(12,2) NOT NULL);
INSERT INTO basket (basket_id, town) VALUES (1, 'Oslo'), (2, 'Bern'), (3, NULL), (4, 'Oslo');
INSERT INTO basket_item (item_id, basket_id, price) VALUES
	(1, 1, 0.1), (2, 1, 0.2), (3, 1, 0.01), (4, 2, 10), (5, 2, 2), (6, 4, -0.5), (7, 4, 9999999999.99);`

// foreign serves resources on the tables of the other program.
func foreign(t *testing.T, db *sqldb.DB, resources ...framework.Resource) (*framework.API, *frameworktest.Client) {
	t.Helper()
	schema := sqldb.Migrations{Namespace: "foreign", FS: fstest.MapFS{
		"1_all.tx.up.sql": {Data: []byte(foreignSchema)}, "1_all.tx.down.sql": {Data: []byte("-- none")},
	}}
	if err := db.Migrate(t.Context(), nil, schema); err != nil {
		t.Fatal(err)
	}
	api := framework.New(framework.Config{
		DB: db, Case: framework.SnakeCase, Pagination: page.Number{Size: 20}, Log: slog.New(slog.DiscardHandler),
	})
	api.Register(resources...)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return api, frameworktest.New(t, handler)
}

// TestNumericColumns: functions of a numeric column are exact, and are compared as numbers, not as
// text. The names of their members have the case of the API.
func TestNumericColumns(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		api, client := foreign(t, db, foreignResources()...)
		client.Get("/api/baskets/").Expect(200).Contains(
			`{"id":1,"total":0.31,"cheapest":0.01,"dearest":0.20,"items_in":3}`,
			`{"id":2,"total":12.00,"cheapest":2.00,"dearest":10.00,"items_in":2}`,
			`{"id":3,"total":0.00,"cheapest":null,"dearest":null,"items_in":0}`,
			`{"id":4,"total":9999999999.49,"cheapest":-0.50,"dearest":9999999999.99,"items_in":2}`)
		for query, ids := range map[string][]any{
			"total_min=0.31":                        {1., 2., 4.},
			"total_min=0.32":                        {2., 4.},
			"total_min=0&total_max=12":              {1., 2., 3.},
			"total_in=0.31,9999999999.49":           {1., 4.},
			"dearest_min=9":                         {2., 4.},
			"dearest_max=9":                         {1.},
			"cheapest=-0.5":                         {4.},
			"least_items=3":                         {1.},
			"ordering=total":                        {3., 1., 2., 4.},
			"ordering=-dearest":                     {4., 2., 1., 3.},
			"ordering=cheapest":                     {4., 1., 2., 3.},
			"ordering=-items_in&total_max=12":       {1., 2., 3.},
			"ordering=-total&total_min=9999999999":  {4.},
			"ordering=total&total_max=9999999999.4": {3., 1., 2.},
		} {
			client.Get("/api/baskets/?"+query).Expect(200).Order("id", ids...)
		}

		client.Get("/api/items/?town=Bern").Expect(200).Contains(`"count":2`, `{"price":10.00,"town":"Bern"}`)
		if missing, err := api.MissingColumns(t.Context()); err != nil || len(missing) > 0 {
			t.Errorf("the database lacks %v, %v; the column town is in the struct that Basket embeds", missing, err)
		}
	})
}

// TestNumericExpressions: an expression with a numeric result is exact, and is compared as a number, on
// SQLite too, which computes 0.1 * 3 as 0.30000000000000004. A view shows it: of the row, of a related
// row, and in functions.
func TestNumericExpressions(t *testing.T) {
	type itemView struct {
		ID     int64
		Triple *numeric `from:"triple"`
	}
	type tripledView struct {
		ID      int64
		Items   []itemView
		Triples []*numeric `from:"items.triple,limit=1"`
		Total   numeric    `from:"sum(items.triple)"`
		Dearest *numeric   `from:"max(items.triple)"`
	}
	items := framework.ViewSet[BasketItem]{
		Name: "items", Verbs: framework.ReadOnly[itemView](), Scope: framework.Public(), Permission: framework.Anyone(),
		Expressions: map[string]framework.Expression{"triple": framework.SQL[numeric]("CASE WHEN ?TableAlias.price < 1000 THEN ?TableAlias.price * ? END", 3)},
		Ordering:    framework.Ordering{Allowed: []string{"triple"}},
		Filters:     []framework.Filter{filter.Exact("triple"), filter.RangeAs("from", "to", "triple")},
	}
	baskets := framework.ViewSet[Basket]{
		Name: "baskets", Verbs: framework.ReadOnly[tripledView](), Scope: framework.Public(), Permission: framework.Anyone(),
		Relations: framework.Relations{"items": "items"}, Filters: []framework.Filter{filter.Range("total"), filter.Min("one", "items.triple")},
	}
	hidden := baskets
	hidden.Relations = framework.Relations{"items": "hidden-items"}
	secret := items
	secret.Name, secret.Fields = "hidden-items", []framework.FieldRule{framework.Sees("triple", framework.Staff())}
	hidden.Name = "hidden"
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		_, client := foreign(t, db, baskets, items, hidden, secret)
		client.Get("/api/items/1/").Expect(200).Contains(`{"id":1,"triple":0.30}`)
		client.Get("/api/items/7/").Expect(200).Contains(`{"id":7,"triple":null}`)
		client.Get("/api/baskets/1/").Expect(200).Contains(
			`"items":[{"id":1,"triple":0.30},{"id":2,"triple":0.60},{"id":3,"triple":0.03}],"triples":[0.30],"total":0.93,"dearest":0.60`)
		client.Get("/api/hidden-items/1/").Expect(200).Contains(`{"id":1}`).Lacks("triple")
		client.Get("/api/hidden/1/").Expect(200).Contains(`"items":[{"id":1},`).Lacks("triple\"", "0.60", "0.93")
		for query, ids := range map[string][]any{
			"items/?triple=0.3":       {1.},
			"items/?from=6":           {4., 5.},
			"items/?to=0.03":          {3., 6.},
			"items/?from=0.3&to=6":    {1., 2., 5.},
			"items/?ordering=-triple": {4., 5., 2., 1., 3., 6., 7.},
			"baskets/?total_min=0.93": {1., 2.},
			"baskets/?total_max=0.93": {1., 3., 4.},
			"baskets/?one=6":          {2.},
		} {
			client.Get("/api/"+query).Expect(200).Order("id", ids...)
		}
	})
}
