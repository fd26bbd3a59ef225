package relation_test

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// spelledItems has the items of TestSiblings, with labels whose case the database ignores.
var spelledItems = sqldb.Migrations{Namespace: "items", FS: fstest.MapFS{
	"1_items.tx.up.sql": {Data: []byte(`
{{if postgres}}CREATE EXTENSION IF NOT EXISTS citext;{{end}}
CREATE TABLE items (id {{bigint}} PRIMARY KEY, group_id {{bigint}} NOT NULL, label {{if postgres}}citext{{else}}TEXT COLLATE NOCASE{{end}} NOT NULL, deleted_at {{timestamp}});
CREATE TABLE item_notes (id {{bigint}} PRIMARY KEY, item_label {{if postgres}}citext{{else}}TEXT COLLATE NOCASE{{end}} NOT NULL);`)},
	"1_items.tx.down.sql": {Data: []byte(``)},
}}

// TestSiblingsInAnotherCase: if a column ignores case, a row and a list of rows show the same related rows, each once,
// and as many as a function counts. That costs one more statement for each relation.
func TestSiblingsInAnotherCase(t *testing.T) {
	type view struct {
		ID    int64   `json:"id"`
		All   int64   `json:"all"   from:"count(likes)"`
		Likes []int64 `json:"likes" from:"likes.id"`
		First []int64 `json:"first" from:"likes.id,limit=2"`
		Notes []int64 `json:"notes" from:"notes.id,limit=1"`
	}
	apitest.Databases(t, spelledItems, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Item]{
			Name: "items", Scope: framework.Public(), Verbs: framework.ReadOnly[view](), Ordering: framework.Ordering{Default: "id"},
			Relations: framework.Relations{"likes": framework.OfRow, "notes": framework.OfRow},
		})
		apitest.Insert(t, db, &Item{ID: 1, Label: "ab"}, &Item{ID: 2, Label: "AB"}, &Item{ID: 3, Label: "Ab"}, &Item{ID: 4, Label: "AB"}, &Item{ID: 5, Label: "other"},
			&ItemNote{ID: 1, ItemLabel: "aB"}, &ItemNote{ID: 2, ItemLabel: "Ab"})
		for id := 1; id <= 4; id++ {
			row := fmt.Sprintf(`{"id":%d,"all":4,"likes":[1,2,3,4],"first":[1,2],"notes":[1]}`, id)
			c.Get("/api/items/").Expect(200).Contains(row)
			c.Get(fmt.Sprintf("/api/items/%d/", id)).Expect(200).Contains(row)
		}
		c.Get("/api/items/").Expect(200).Contains(`{"id":5,"all":1,"likes":[5],"first":[5],"notes":[]}`)
		statements := frameworktest.CountStatements(db)
		if all := statements.During(func() { c.Get("/api/items/1/").Expect(200) }); len(all) != 7 {
			t.Errorf("%d statements, want 1 and 2 for each of 3 relations", len(all))
		}
		if all := statements.During(func() { c.Get("/api/items/5/").Expect(200) }); len(all) != 4 {
			t.Errorf("%d statements, want 1 and 1 for each of 3 relations", len(all))
		}
	})
}

// An Area has a code that is unique among the areas that are not deleted softly.
type Area struct {
	bun.BaseModel `bun:"table:areas"`

	ID        int64 `bun:",pk"`
	Code      string
	DeletedAt time.Time `bun:",soft_delete,nullzero"`
	Sites     []*Site   `bun:"rel:has-many,join:code=zone_code"`
}

// TestKeysOfDeletedOwners: rows that have the text of a deleted row belong to the one that the database compares as equal.
func TestKeysOfDeletedOwners(t *testing.T) {
	areas := sqldb.Migrations{Namespace: "areas", FS: fstest.MapFS{
		"1_areas.tx.up.sql": {Data: []byte(`
{{if postgres}}CREATE EXTENSION IF NOT EXISTS citext;{{end}}
CREATE TABLE areas (id {{bigint}} PRIMARY KEY, code {{if postgres}}citext{{else}}TEXT COLLATE NOCASE{{end}} NOT NULL, deleted_at {{timestamp}});
CREATE UNIQUE INDEX areas_code ON areas (code) WHERE deleted_at IS NULL;
CREATE TABLE sites (id {{bigint}} PRIMARY KEY, zone_code {{if postgres}}citext{{else}}TEXT COLLATE NOCASE{{end}} NOT NULL);`)},
		"1_areas.tx.down.sql": {Data: []byte(``)},
	}}
	type view struct {
		ID    int64   `json:"id"`
		All   int64   `json:"all" from:"count(sites)"`
		Sites []int64 `json:"sites" from:"sites.id"`
		First []int64 `json:"first" from:"sites.id,limit=1"`
	}
	type computed struct {
		Sites []int64 `json:"sites"`
	}
	list := func(_ *framework.Call, a *Area) (computed, error) {
		ids := []int64{}
		for _, s := range a.Sites {
			ids = append(ids, s.ID)
		}
		return computed{ids}, nil
	}
	apitest.Databases(t, areas, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Area]{
			Name: "areas", Scope: framework.Public(), Relations: framework.Relations{"sites": framework.OfRow}, Ordering: framework.Ordering{Default: "id"},
			Verbs: framework.Verbs{List: framework.Shows[view](), Retrieve: framework.Computes(list, "sites")},
		})
		deleted := time.Now()
		apitest.Insert(t, db, &Area{ID: 1, Code: "North", DeletedAt: deleted}, &Area{ID: 2, Code: "north"}, &Area{ID: 3, Code: "south"},
			&Area{ID: 4, Code: "South", DeletedAt: deleted}, &Area{ID: 5, Code: "SOUTH", DeletedAt: deleted},
			&Site{ID: 1, ZoneCode: "North"}, &Site{ID: 2, ZoneCode: "South"}, &Site{ID: 3, ZoneCode: "SOUTH"})
		c.Get("/api/areas/").Expect(200).Contains(`{"id":2,"all":1,"sites":[1],"first":[1]}`, `{"id":3,"all":2,"sites":[2,3],"first":[2]}`)
		c.Get("/api/areas/2/").Expect(200).Contains(`{"sites":[1]}`)
		c.Get("/api/areas/3/").Expect(200).Contains(`{"sites":[2,3]}`)
	})
}

// TestKeysOfTwoCollations: owners whose texts differ in case alone have their own rows, also if PostgreSQL does not compare
// the two columns.
func TestKeysOfTwoCollations(t *testing.T) {
	collated := sqldb.Migrations{Namespace: "zoned", FS: fstest.MapFS{
		"1_zoned.tx.up.sql": {Data: []byte(`
CREATE TABLE zones (id {{bigint}} PRIMARY KEY, code {{if postgres}}text COLLATE "en-x-icu"{{else}}TEXT{{end}} NOT NULL UNIQUE);
CREATE TABLE sites (id {{bigint}} PRIMARY KEY, zone_code {{text}} NOT NULL);`)},
		"1_zoned.tx.down.sql": {Data: []byte(``)},
	}}
	type view struct {
		ID    int64   `json:"id"`
		Sites []int64 `json:"sites" from:"sites.id"`
	}
	apitest.Databases(t, collated, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Zone]{
			Name: "zones", Scope: framework.Public(), Relations: framework.Relations{"sites": framework.OfRow}, Ordering: framework.Ordering{Default: "id"},
			Verbs: framework.Verbs{List: framework.Shows[view]()},
		})
		apitest.Insert(t, db, &Zone{ID: 1, Code: "north"}, &Zone{ID: 2, Code: "North"}, &Site{ID: 1, ZoneCode: "north"}, &Site{ID: 2, ZoneCode: "North"})
		c.Get("/api/zones/").Expect(200).Contains(`{"id":1,"sites":[1]}`, `{"id":2,"sites":[2]}`)
	})
}

// A Depot has texts that a program reads in lower case.
type Depot struct {
	bun.BaseModel `bun:"table:depots"`

	ID   int64 `bun:",pk"`
	Code lower
	Bays []*Bay `bun:"rel:has-many,join:code=depot_code"`
}

// A Bay has a moment as its key.
type Bay struct {
	bun.BaseModel `bun:"table:bays"`

	At        time.Time `bun:",pk"`
	Number    int64     `bun:",pk"`
	DepotCode lower
}

// lower is a text in lower case. Its column has it after "x-", in any case.
type lower string //nolint:recvcheck // Scan needs a pointer

func (l lower) Value() (driver.Value, error) { return "x-" + string(l), nil }

func (l *lower) Scan(value any) error {
	if text, is := value.([]byte); is {
		value = string(text)
	}
	*l = lower(strings.TrimPrefix(strings.ToLower(fmt.Sprint(value)), "x-"))
	return nil
}

// TestKeysThatAProgramSpells: a list has no more rows than its limit if a type reads several texts as one, and a function
// gets the rows whatever their primary key is.
func TestKeysThatAProgramSpells(t *testing.T) {
	depots := sqldb.Migrations{Namespace: "depots", FS: fstest.MapFS{
		"1_depots.tx.up.sql": {Data: []byte(`
{{if postgres}}CREATE EXTENSION IF NOT EXISTS citext;{{end}}
CREATE TABLE depots (id {{bigint}} PRIMARY KEY, code {{if postgres}}citext{{else}}TEXT COLLATE NOCASE{{end}} NOT NULL);
CREATE TABLE bays (at {{timestamp}} NOT NULL, number {{bigint}} NOT NULL, depot_code {{if postgres}}citext{{else}}TEXT COLLATE NOCASE{{end}} NOT NULL, PRIMARY KEY (at, number));`)},
		"1_depots.tx.down.sql": {Data: []byte(``)},
	}}
	type view struct {
		ID   int64   `json:"id"`
		Bays []int64 `json:"bays" from:"bays.number,order=number,limit=2"`
	}
	type computed struct {
		Bays int `json:"bays"`
	}
	count := func(_ *framework.Call, d *Depot) (computed, error) { return computed{len(d.Bays)}, nil }
	apitest.Databases(t, depots, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Depot]{
			Name: "depots", Scope: framework.Public(), Relations: framework.Relations{"bays": framework.OfRow},
			Verbs: framework.Verbs{List: framework.Shows[view](), Retrieve: framework.Computes(count, "bays")},
		})
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 3600))
		apitest.Insert(t, db, &Depot{ID: 1, Code: "north"}, &Bay{At: at, Number: 1, DepotCode: "North"}, &Bay{At: at, Number: 2, DepotCode: "north"}, &Bay{At: at, Number: 3, DepotCode: "NORTH"})
		c.Get("/api/depots/").Expect(200).Contains(`{"id":1,"bays":[1,2]}`)
		c.Get("/api/depots/1/").Expect(200).Contains(`{"bays":3}`)
	})
}

// TestFunctionsOfRowsWithMoments: a function gets the rows of other spellings whose key has a moment.
func TestFunctionsOfRowsWithMoments(t *testing.T) {
	type Stop struct {
		bun.BaseModel `bun:"table:stops"`

		At       time.Time `bun:",pk"`
		LineCode string
	}
	type Line struct {
		bun.BaseModel `bun:"table:lines"`

		ID    int64 `bun:",pk"`
		Code  string
		Stops []*Stop `bun:"rel:has-many,join:code=line_code"`
	}
	lines := sqldb.Migrations{Namespace: "lines", FS: fstest.MapFS{
		"1_lines.tx.up.sql": {Data: []byte(`
{{if postgres}}CREATE EXTENSION IF NOT EXISTS citext;{{end}}
CREATE TABLE lines (id {{bigint}} PRIMARY KEY, code {{if postgres}}citext{{else}}TEXT COLLATE NOCASE{{end}} NOT NULL);
CREATE TABLE stops (at {{timestamp}} PRIMARY KEY, line_code {{if postgres}}citext{{else}}TEXT COLLATE NOCASE{{end}} NOT NULL);`)},
		"1_lines.tx.down.sql": {Data: []byte(``)},
	}}
	type computed struct {
		Stops int `json:"stops"`
	}
	count := func(_ *framework.Call, l *Line) (computed, error) { return computed{len(l.Stops)}, nil }
	apitest.Databases(t, lines, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Line]{
			Name: "lines", Scope: framework.Public(), Relations: framework.Relations{"stops": framework.OfRow},
			Verbs: framework.Verbs{Retrieve: framework.Computes(count, "stops")},
		})
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 3600))
		apitest.Insert(t, db, &Line{ID: 1, Code: "north"}, &Stop{At: at, LineCode: "north"}, &Stop{At: at.Add(time.Hour), LineCode: "North"})
		c.Get("/api/lines/1/").Expect(200).Contains(`{"stops":2}`)
	})
}

// A Mark has a code, which its column has after "x-".
type Mark struct {
	bun.BaseModel `bun:"table:marks"`

	ID   int64 `bun:",pk"`
	Code prefixed
	Bits []*Bit `bun:"rel:has-many,join:code=mark_code"`
}

type Bit struct {
	bun.BaseModel `bun:"table:bits"`

	Key      bitKey `bun:",pk"`
	MarkCode prefixed
}

type prefixed string //nolint:recvcheck // Scan needs a pointer

func (p prefixed) Value() (driver.Value, error) { return "x-" + string(p), nil }

func (p *prefixed) Scan(value any) error {
	if text, is := value.([]byte); is {
		value = string(text)
	}
	*p = prefixed(strings.TrimPrefix(fmt.Sprint(value), "x-"))
	return nil
}

// A bitKey has a pointer, which is another one in each value.
type bitKey struct{ text *string } //nolint:recvcheck // Scan needs a pointer

func (k bitKey) Value() (driver.Value, error) { return *k.text, nil }

func (k *bitKey) Scan(value any) error {
	if text, is := value.([]byte); is {
		value = string(text)
	}
	text := fmt.Sprint(value)
	k.text = &text
	return nil
}

// TestKeysThatAreStoredOtherwise: texts of owners are compared as they are stored. On PostgreSQL, the column of the related
// rows has a domain whose check the text of an owner breaks.
func TestKeysThatAreStoredOtherwise(t *testing.T) {
	marks := sqldb.Migrations{Namespace: "marks", FS: fstest.MapFS{
		"1_marks.tx.up.sql": {Data: []byte(`
{{if postgres}}CREATE EXTENSION IF NOT EXISTS citext; CREATE DOMAIN west AS citext CHECK (value::text <> 'x-east');{{end}}
CREATE TABLE marks (id {{bigint}} PRIMARY KEY, code {{if postgres}}citext{{else}}TEXT COLLATE NOCASE{{end}} NOT NULL);
CREATE TABLE bits (key {{text}} PRIMARY KEY, mark_code {{if postgres}}west{{else}}TEXT COLLATE NOCASE{{end}} NOT NULL);`)},
		"1_marks.tx.down.sql": {Data: []byte(``)},
	}}
	type view struct {
		ID   int64      `json:"id"`
		Bits []prefixed `json:"bits" from:"bits.mark_code"`
	}
	type computed struct {
		Bits int `json:"bits"`
	}
	count := func(_ *framework.Call, m *Mark) (computed, error) { return computed{len(m.Bits)}, nil }
	apitest.Databases(t, marks, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Mark]{
			Name: "marks", Scope: framework.Public(), Relations: framework.Relations{"bits": framework.OfRow}, Ordering: framework.Ordering{Default: "id"},
			Verbs: framework.Verbs{List: framework.Shows[view](), Retrieve: framework.Computes(count, "bits")},
		})
		one, two := "1", "2"
		apitest.Insert(t, db, &Mark{ID: 1, Code: "ab"}, &Mark{ID: 2, Code: "east"}, &Bit{Key: bitKey{&one}, MarkCode: "AB"}, &Bit{Key: bitKey{&two}, MarkCode: "ab"})
		c.Get("/api/marks/").Expect(200).Contains(`{"id":1,"bits":["AB","ab"]}`, `{"id":2,"bits":[]}`)
		c.Get("/api/marks/1/").Expect(200).Contains(`{"bits":2}`)
	})
}

// A Blob has a code of bytes, which a program keeps as a text.
type Blob struct {
	bun.BaseModel `bun:"table:blobs"`

	ID    int64 `bun:",pk"`
	Code  octets
	Parts []*BlobPart `bun:"rel:has-many,join:code=blob_code"`
}

type BlobPart struct {
	bun.BaseModel `bun:"table:blob_parts"`

	ID       int64 `bun:",pk"`
	BlobCode octets
}

type octets string //nolint:recvcheck // Scan needs a pointer

func (o octets) Value() (driver.Value, error) { return []byte(o), nil }

func (o *octets) Scan(value any) error {
	*o = octets(fmt.Sprintf("%s", value))
	return nil
}

// TestKeysOfBytes: keys that are stored as bytes have one spelling.
func TestKeysOfBytes(t *testing.T) {
	blobs := sqldb.Migrations{Namespace: "blobs", FS: fstest.MapFS{
		"1_blobs.tx.up.sql": {Data: []byte(`CREATE TABLE blobs (id {{bigint}} PRIMARY KEY, code {{if postgres}}bytea{{else}}BLOB{{end}} NOT NULL);
CREATE TABLE blob_parts (id {{bigint}} PRIMARY KEY, blob_code {{if postgres}}bytea{{else}}BLOB{{end}} NOT NULL);`)},
		"1_blobs.tx.down.sql": {Data: []byte(``)},
	}}
	type view struct {
		ID    int64   `json:"id"`
		Parts []int64 `json:"parts" from:"parts.id"`
	}
	apitest.Databases(t, blobs, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Blob]{
			Name: "blobs", Scope: framework.Public(), Relations: framework.Relations{"parts": framework.OfRow}, Ordering: framework.Ordering{Default: "id"},
			Verbs: framework.Verbs{List: framework.Shows[view]()},
		})
		apitest.Insert(t, db, &Blob{ID: 1, Code: "ab"}, &Blob{ID: 2, Code: "AB"}, &Blob{ID: 3, Code: `x\x`},
			&BlobPart{ID: 1, BlobCode: "ab"}, &BlobPart{ID: 2, BlobCode: "AB"}, &BlobPart{ID: 3, BlobCode: `x\x`})
		c.Get("/api/blobs/").Expect(200).Contains(`{"id":1,"parts":[1]}`, `{"id":2,"parts":[2]}`, `{"id":3,"parts":[3]}`)
	})
}
