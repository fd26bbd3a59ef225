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

// TestNumericColumns: functions of a numeric column are exact, and are compared as numbers, not as
// text. The names of their members have the case of the API.
func TestNumericColumns(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		schema := sqldb.Migrations{Namespace: "foreign", FS: fstest.MapFS{
			"1_all.tx.up.sql": {Data: []byte(foreignSchema)}, "1_all.tx.down.sql": {Data: []byte("-- none")},
		}}
		if err := db.Migrate(t.Context(), nil, schema); err != nil {
			t.Fatal(err)
		}
		api := framework.New(framework.Config{
			DB: db, Case: framework.SnakeCase, Pagination: page.Number{Size: 20}, Log: slog.New(slog.DiscardHandler),
		})
		api.Register(foreignResources()...)
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		client := frameworktest.New(t, handler)
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
