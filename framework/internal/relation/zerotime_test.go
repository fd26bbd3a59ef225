package relation_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A Zoo that is not deleted has the zero time, and so has a Beast.
type Zoo struct {
	bun.BaseModel `bun:"table:zoos"`

	ID        int64 `bun:",pk"`
	Name      string
	DeletedAt time.Time `bun:",soft_delete"`

	Beasts []*Beast `bun:"rel:has-many,join:id=zoo_id"`
}

type Beast struct {
	bun.BaseModel `bun:"table:beasts"`

	ID        int64 `bun:",pk"`
	ZooID     int64
	Name      string
	DeletedAt time.Time `bun:",soft_delete"`

	Zoo *Zoo `bun:"rel:belongs-to,join:zoo_id=id"`
}

var zoos = sqldb.Migrations{Namespace: "zoos", FS: fstest.MapFS{
	"1_zoos.tx.up.sql": {Data: []byte(`
CREATE TABLE zoos (id {{bigint}} PRIMARY KEY, name {{text}} NOT NULL, deleted_at {{timestamp}} NOT NULL);
CREATE TABLE beasts (id {{bigint}} PRIMARY KEY, zoo_id {{bigint}} NOT NULL, name {{text}} NOT NULL, deleted_at {{timestamp}} NOT NULL);`)},
	"1_zoos.tx.down.sql": {Data: []byte(``)},
}}

// TestZeroTimes: rows whose column of soft deletion cannot be NULL are read like others: alone, by a
// related list, whose order has a value of its own, and over relations.
func TestZeroTimes(t *testing.T) {
	type (
		zooView struct {
			ID int64 `json:"id"`
		}
		zooWide struct {
			ID     int64    `json:"id"`
			Beasts []string `json:"beasts" from:"beasts.name"`
			Number int64    `json:"number" from:"count(beasts)"`
		}
		beastView struct {
			ID    int64 `json:"id"`
			ZooID int64 `json:"zoo_id"`
		}
		beastWide struct {
			Zoo *string `json:"zoo" from:"zoo.name"`
		}
	)
	apitest.Databases(t, zoos, func(t *testing.T, db *sqldb.DB) {
		z := framework.ViewSet[Zoo]{
			Name: "zoos", Scope: framework.Public(), Relations: framework.Relations{"beasts": "beasts"},
			Verbs:   framework.Verbs{List: framework.Shows[zooWide](), Retrieve: framework.Shows[zooView](), Delete: framework.Deletes()},
			Actions: []framework.Action[Zoo]{framework.Related[Zoo, beastView]("inside", "beasts", "zoo_id")},
		}
		b := framework.ViewSet[Beast]{
			Name: "beasts", Scope: framework.Public(), Relations: framework.Relations{"zoo": "zoos"},
			Verbs:       framework.Verbs{List: framework.Shows[beastWide](), Retrieve: framework.Shows[beastView]()},
			Expressions: map[string]framework.Expression{"kind": framework.SQL[string]("coalesce(?TableAlias.name, ?)", "none")},
			Ordering:    framework.Ordering{Default: "kind"},
		}
		_, c := apitest.Serve(t, config(db), z, b)
		apitest.Insert(t, db, &Zoo{ID: 1, Name: "one"}, &Zoo{ID: 2, Name: "two"},
			&Beast{ID: 1, ZooID: 1, Name: "cat"}, &Beast{ID: 2, ZooID: 1, Name: "ape"}, &Beast{ID: 3, ZooID: 2, Name: "dog"})
		c.Get("/api/zoos/1/").Expect(200).Contains(`{"id":1}`)
		c.Get("/api/beasts/1/").Expect(200).Contains(`{"id":1,"zoo_id":1}`)
		c.Get("/api/zoos/1/inside/").Expect(200).Order("id", 2, 1)
		c.Get("/api/zoos/").Expect(200).Contains(`{"id":1,"beasts":["cat","ape"],"number":2},{"id":2,"beasts":["dog"],"number":1}`)
		c.Get("/api/beasts/").Expect(200).Order("zoo", "one", "one", "two")
		c.Delete("/api/zoos/2/").Expect(204)
		c.Get("/api/zoos/2/").Expect(404)
		c.Get("/api/zoos/2/inside/").Expect(404)
		c.Get("/api/beasts/").Expect(200).Contains(`{"zoo":null}`).Lacks("two")
	})
}
