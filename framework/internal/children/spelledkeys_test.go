package children_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A Play has prices in areas of the house.
type Play struct {
	bun.BaseModel `bun:"table:plays"`

	ID     int64    `bun:",pk"`
	Areas  []*Area  `bun:"rel:has-many,join:id=play_id"`
	Boards []*Board `bun:"rel:has-many,join:id=play_id"`
}

// An Area has a name whose case the database ignores.
type Area struct {
	bun.BaseModel `bun:"table:areas"`

	PlayID int64  `bun:",pk"`
	Name   string `bun:",pk"`
	Seats  int64
	Keeper string
}

// A Board has a code of the type char, which PostgreSQL fills with spaces.
type Board struct {
	bun.BaseModel `bun:"table:boards"`

	PlayID int64  `bun:",pk"`
	Name   string `bun:",pk"`
	Seats  int64
	Keeper string
}

var plays = sqldb.Migrations{Namespace: "plays", FS: fstest.MapFS{
	"1_plays.tx.up.sql": {Data: []byte(`
{{if postgres}}CREATE EXTENSION IF NOT EXISTS citext;{{end}}
CREATE TABLE plays (id {{bigint}} PRIMARY KEY);
CREATE TABLE areas (play_id {{bigint}} NOT NULL REFERENCES plays (id), name {{if postgres}}citext{{else}}TEXT COLLATE NOCASE{{end}} NOT NULL, seats {{bigint}} NOT NULL, keeper {{text}} NOT NULL, PRIMARY KEY (play_id, name));
CREATE TABLE boards (play_id {{bigint}} NOT NULL REFERENCES plays (id), name {{if postgres}}char(5){{else}}TEXT{{end}} NOT NULL, seats {{bigint}} NOT NULL, keeper {{text}} NOT NULL, PRIMARY KEY (play_id, name));`)},
	"1_plays.tx.down.sql": {Data: []byte(``)},
}}

// TestKeysInAnotherSpelling: an item changes the row whose key the database compares as equal, and keeps
// the columns that the item lacks.
func TestKeysInAnotherSpelling(t *testing.T) {
	type item struct {
		Name  string `json:"name" validate:"required" trim:"-"`
		Seats int64  `json:"seats"`
	}
	type input struct {
		Areas  []item `json:"areas"  to:"areas"`
		Boards []item `json:"boards" to:"boards"`
	}
	type shown struct {
		Name   string `json:"name"`
		Keeper string `json:"keeper"`
		Seats  int64  `json:"seats"`
	}
	type view struct {
		Areas  []shown `json:"areas"  from:"areas,order=name"`
		Boards []shown `json:"boards" from:"boards,order=seats"`
	}
	apitest.Databases(t, plays, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Play]{
			Name: "plays", Scope: framework.Public(), Verbs: framework.Verbs{Patch: framework.Accepts[input, view]()},
			Relations: framework.Relations{"areas": framework.OfRow, "boards": framework.OfRow},
		})
		apitest.Insert(t, db, &Play{ID: 1}, &Play{ID: 2}, &Area{PlayID: 1, Name: "Box", Keeper: "ann"}, &Area{PlayID: 1, Name: "Pit", Keeper: "ben"}, &Area{PlayID: 2, Name: "BOX", Keeper: "eve"},
			&Board{PlayID: 1, Name: "ab", Keeper: "ann"}, &Board{PlayID: 1, Name: "c", Keeper: "ben"})
		patch := func(body string) string {
			r := c.Do("PATCH", "/api/plays/1/", body)
			if r.Status() != 200 {
				return outcome(t, r)
			}
			return strings.NewReplacer(`"`, "", " ", "").Replace(r.Body())
		}
		for _, test := range []struct{ body, want string }{
			{`{"areas":[{"name":"pit","seats":2},{"name":"BOX","seats":1}]}`, "{name:BOX,keeper:ann,seats:1},{name:pit,keeper:ben,seats:2}"},
			{`{"areas":[{"name":"box","seats":3},{"name":"gods","seats":4}]}`, "{name:box,keeper:ann,seats:3},{name:gods,keeper:,seats:4}"},
			{`{"areas":[{"name":"box"},{"name":"Box"}]}`, "400 /areas/1/name unique"},
			{`{"areas":[{"name":"Gods"},{"name":"GODS"}]}`, "400 /areas/1/name unique"},
			{`{"areas":[{"name":"box "},{"name":"BOX","seats":5}]}`, "{name:BOX,keeper:ann,seats:5},{name:box,keeper:,seats:0}"},
			{`{"areas":[{"name":"Box"},{"name":"Box "}]}`, "{name:Box,keeper:ann,seats:0},{name:Box,keeper:,seats:0}"},
			{`{"areas":[{"name":"bOX "},{"name":"gods"},{"name":"bOX"}]}`, "{name:bOX,keeper:ann"},
			{`{"areas":[{"name":"bOX"}]}`, "{name:bOX,keeper:ann"},
			{`{"boards":[{"name":"ab","seats":1},{"name":"c","seats":2},{"name":"AB","seats":3}]}`, "{name:ab,keeper:ann,seats:1},{name:c,keeper:ben,seats:2},{name:AB,keeper:,seats:3}"},
			{`{"boards":[{"name":"ab","seats":4}]}`, "{name:ab,keeper:ann,seats:4}"},
		} {
			if got := patch(test.body); !strings.Contains(got, test.want) {
				t.Errorf("%s: got %s; want %s", test.body, got, test.want)
			}
		}
		if n := apitest.Count(t, db, "areas"); n != 2 {
			t.Errorf("%d areas are stored; want 2", n)
		}
	})
}
