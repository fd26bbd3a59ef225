package relation_test

import (
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A Zone has a code, to which its sites refer.
type Zone struct {
	bun.BaseModel `bun:"table:zones"`

	ID    int64 `bun:",pk"`
	Code  string
	Sites []*Site `bun:"rel:has-many,join:code=zone_code"`
}

type Site struct {
	bun.BaseModel `bun:"table:sites"`

	ID       int64 `bun:",pk"`
	ZoneCode string
}

var zoned = sqldb.Migrations{Namespace: "zoned", FS: fstest.MapFS{
	"1_zoned.tx.up.sql": {Data: []byte(`
{{if postgres}}CREATE EXTENSION IF NOT EXISTS citext;{{end}}
CREATE TABLE zones (id {{bigint}} PRIMARY KEY, code {{if postgres}}citext{{else}}TEXT COLLATE NOCASE{{end}} NOT NULL UNIQUE);
CREATE TABLE sites (id {{bigint}} PRIMARY KEY, zone_code {{if postgres}}citext{{else}}TEXT COLLATE NOCASE{{end}} NOT NULL REFERENCES zones (code));`)},
	"1_zoned.tx.down.sql": {Data: []byte(``)},
}}

// TestKeysInAnotherCase: if a column ignores case, a list shows the related rows that a function counts,
// also those whose key differs in case.
func TestKeysInAnotherCase(t *testing.T) {
	type site struct {
		ID int64 `json:"id"`
	}
	type view struct {
		ID    int64   `json:"id"`
		All   int64   `json:"all" from:"count(sites)"`
		Sites []site  `json:"sites" from:"sites"`
		First []int64 `json:"first" from:"sites.id,limit=2"`
	}
	type computed struct {
		Sites int `json:"sites"`
	}
	count := func(_ *framework.Call, z *Zone) (computed, error) { return computed{len(z.Sites)}, nil }
	apitest.Databases(t, zoned, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Zone]{
			Name: "zones", Scope: framework.Public(), Relations: framework.Relations{"sites": framework.OfRow},
			Verbs: framework.Verbs{List: framework.Shows[view](), Retrieve: framework.Computes(count, "sites")},
		})
		apitest.Insert(t, db, &Zone{ID: 1, Code: "north"}, &Zone{ID: 2, Code: "South"},
			&Site{ID: 1, ZoneCode: "North"}, &Site{ID: 2, ZoneCode: "north"}, &Site{ID: 3, ZoneCode: "NORTH"}, &Site{ID: 4, ZoneCode: "south"})
		c.Get("/api/zones/").Expect(200).Contains(
			`{"id":1,"all":3,"sites":[{"id":1},{"id":2},{"id":3}],"first":[1,2]}`, `{"id":2,"all":1,"sites":[{"id":4}],"first":[4]}`)
		c.Get("/api/zones/1/").Expect(200).Contains(`{"sites":3}`)
	})
}
