package relation_test

import (
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A Stage has whole numbers of seats.
type Stage struct {
	bun.BaseModel `bun:"table:stages"`

	ID          int64 `bun:",pk"`
	Sold, Seats int64
}

var stages = sqldb.Migrations{Namespace: "stages", FS: fstest.MapFS{
	"1_stages.tx.up.sql":   {Data: []byte(`CREATE TABLE stages (id {{bigint}} PRIMARY KEY, sold {{bigint}} NOT NULL, seats {{bigint}} NOT NULL);`)},
	"1_stages.tx.down.sql": {Data: []byte(``)},
}}

// TestFractionsOfWholeNumbers: an expression of fractions computes with the fraction 100.0 as a
// fraction, and its result is one, also if its SQL has whole numbers only.
func TestFractionsOfWholeNumbers(t *testing.T) {
	type view struct {
		ID      int64    `json:"id"`
		Percent *float64 `json:"percent" from:"percent"`
		Less    *float64 `json:"less"    from:"less"`
		Sold    *float64 `json:"sold"    from:"sales"`
		Small   *float32 `json:"small"   from:"small"`
	}
	apitest.Databases(t, stages, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Stage]{
			Name: "stages", Scope: framework.Public(), Verbs: framework.Verbs{List: framework.Shows[view]()},
			Expressions: map[string]framework.Expression{
				"percent": framework.SQL[float64]("?TableAlias.sold * ? / nullif(?TableAlias.seats, ?)", 100.0, 0),
				"less":    framework.SQL[float64]("?TableAlias.sold -?", -2.0),
				"sales":   framework.SQL[float64]("?TableAlias.sold"),
				"small":   framework.SQL[float32]("?TableAlias.sold / ?", float32(2)),
			},
			Filters:  []framework.Filter{filter.Exact("percent"), filter.Min("min_sales", "sales"), filter.Exact("small")},
			Ordering: framework.Ordering{Allowed: []string{"percent"}},
		})
		apitest.Insert(t, db, &Stage{ID: 1, Sold: 1, Seats: 8}, &Stage{ID: 2, Sold: 2, Seats: 16}, &Stage{ID: 3, Sold: 3, Seats: 25}, &Stage{ID: 4})
		c.Get("/api/stages/").Expect(200).Contains(`{"id":1,"percent":12.5,"less":3,"sold":1,"small":0.5}`, `{"id":4,"percent":null,"less":2,"sold":0,"small":0}`)
		c.Get("/api/stages/?percent=12.5").Expect(200).Order("id", 1, 2)
		c.Get("/api/stages/?min_sales=1.5").Expect(200).Order("id", 2, 3)
		c.Get("/api/stages/?small=1.5").Expect(200).Order("id", 3)
		c.Get("/api/stages/?ordering=percent").Expect(200).Order("id", 3, 1, 2, 4)
	})
}
