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

// A Town has a code. Its column compares texts as equal that differ in more than their case.
type Town struct {
	bun.BaseModel `bun:"table:towns"`

	Code    string    `bun:",pk"`
	Streets []*Street `bun:"rel:has-many,join:code=town_code"`
	Labels  []*Label  `bun:"m2m:town_labels,join:Town=Label"`
}

type Street struct {
	bun.BaseModel `bun:"table:streets"`

	ID       int64 `bun:",pk"`
	TownCode string
}

type Label struct {
	bun.BaseModel `bun:"table:labels"`

	ID int64 `bun:",pk"`
}

type TownLabel struct {
	bun.BaseModel `bun:"table:town_labels"`

	TownCode string `bun:",pk"`
	Town     *Town  `bun:"rel:belongs-to,join:town_code=code"`
	LabelID  int64  `bun:",pk"`
	Label    *Label `bun:"rel:belongs-to,join:label_id=id"`
}

var towns = sqldb.Migrations{Namespace: "towns", FS: fstest.MapFS{
	"1_towns.tx.up.sql": {Data: []byte(`
{{if postgres}}CREATE COLLATION plain (provider = icu, locale = 'und-u-ks-level1', deterministic = false);{{end}}
CREATE TABLE towns (code {{if postgres}}text COLLATE plain{{else}}TEXT COLLATE RTRIM{{end}} PRIMARY KEY);
CREATE TABLE streets (id {{bigint}} PRIMARY KEY, town_code {{if postgres}}text COLLATE plain{{else}}TEXT COLLATE RTRIM{{end}} NOT NULL REFERENCES towns (code));
CREATE TABLE labels (id {{bigint}} PRIMARY KEY);
CREATE TABLE town_labels (town_code {{if postgres}}text COLLATE plain{{else}}TEXT COLLATE RTRIM{{end}} NOT NULL REFERENCES towns (code), label_id {{bigint}} NOT NULL REFERENCES labels (id), PRIMARY KEY (town_code, label_id));`)},
	"1_towns.tx.down.sql": {Data: []byte(``)},
}}

// TestKeysThatOnlyTheDatabaseCompares: lists have the rows that the database finds, whatever the column ignores.
func TestKeysThatOnlyTheDatabaseCompares(t *testing.T) {
	type view struct {
		Code    string  `json:"code"`
		All     int64   `json:"all" from:"count(streets)"`
		Streets []int64 `json:"streets" from:"streets.id"`
		First   []int64 `json:"first" from:"streets.id,limit=1"`
		Labels  []int64 `json:"labels" from:"labels.id"`
	}
	type computed struct {
		Streets int `json:"streets"`
	}
	count := func(_ *framework.Call, town *Town) (computed, error) { return computed{len(town.Streets)}, nil }
	apitest.Databases(t, towns, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Town]{
			Name: "towns", Scope: framework.Public(), Relations: framework.Relations{"streets": framework.OfRow, "labels": framework.OfRow},
			Models: []any{(*TownLabel)(nil)},
			Verbs:  framework.Verbs{List: framework.Shows[view](), Retrieve: framework.Computes(count, "streets")},
		})
		one, two := "Box ", "Box  "
		if db.Kind() == sqldb.PostgreSQL {
			one, two = "box", "B\u00f3x"
		}
		apitest.Insert(t, db, &Town{Code: "Box"}, &Town{Code: "Fox"}, &Label{ID: 1}, &Label{ID: 2},
			&Street{ID: 1, TownCode: one}, &Street{ID: 2, TownCode: two}, &Street{ID: 3, TownCode: "Box"}, &Street{ID: 4, TownCode: "Fox"},
			&TownLabel{TownCode: two, LabelID: 1}, &TownLabel{TownCode: one, LabelID: 2})
		c.Get("/api/towns/").Expect(200).Contains(
			`{"code":"Box","all":3,"streets":[1,2,3],"first":[1],"labels":[1,2]}`, `{"code":"Fox","all":1,"streets":[4],"first":[4],"labels":[]}`)
		c.Get("/api/towns/Box/").Expect(200).Contains(`{"streets":3}`)
	})
}

// TestKeysThatTheDatabaseDistinguishes: SQLite ignores the case of A to Z only, so that these are two keys.
func TestKeysThatTheDatabaseDistinguishes(t *testing.T) {
	type view struct {
		ID    int64   `json:"id"`
		Sites []int64 `json:"sites" from:"sites.id"`
	}
	apitest.Databases(t, zoned, func(t *testing.T, db *sqldb.DB) {
		if db.Kind() != sqldb.SQLite {
			return // citext folds these letters too
		}
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Zone]{
			Name: "zones", Scope: framework.Public(), Relations: framework.Relations{"sites": framework.OfRow},
			Verbs: framework.Verbs{List: framework.Shows[view]()},
		})
		apitest.Insert(t, db, &Zone{ID: 1, Code: "\u00c9B"}, &Zone{ID: 2, Code: "\u00e9b"}, &Site{ID: 1, ZoneCode: "\u00c9b"})
		c.Get("/api/zones/").Expect(200).Contains(`{"id":1,"sites":[1]}`, `{"id":2,"sites":[]}`)
	})
}
