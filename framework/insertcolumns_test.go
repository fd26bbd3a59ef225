package framework_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A Grain has columns with the tag notnull and with defaults.
type Grain struct {
	bun.BaseModel `bun:"table:grains"`

	ID    uuid.UUID `bun:",pk"`
	Level int64     `bun:",notnull,default:7"`
	Grade string    `bun:",notnull,nullzero,default:'A'"`
	Open  bool      `bun:",notnull,default:true"`
	Note  *string   `bun:",notnull,default:'x'"`
}

type GrainInput struct {
	Level int64   `json:"level"`
	Grade string  `json:"grade"`
	Open  bool    `json:"open"`
	Note  *string `json:"note"`
}

type GrainView struct {
	ID uuid.UUID `json:"id"`
	GrainInput
}

// TestInsertedColumns: a row has the values of the body, and the default of the database only where
// the value of a nullzero column is zero, or null is the value of a notnull column. The answer and the
// stored row are equal.
func TestInsertedColumns(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(t.Context(), nil, sqldb.Migrations{Namespace: "grains", FS: fstest.MapFS{
			"1_grains.tx.up.sql": {Data: []byte(`CREATE TABLE grains (id {{uuid}} PRIMARY KEY, level {{bigint}} NOT NULL DEFAULT 7,
				grade {{text}} NOT NULL DEFAULT 'A', open {{bool}} NOT NULL DEFAULT true, note {{text}} NOT NULL DEFAULT 'x');`)},
			"1_grains.tx.down.sql": {Data: []byte(``)},
		}}); err != nil {
			t.Fatal(err)
		}
		api := serve(t, config(db), framework.ViewSet[Grain]{
			Name: "grains", Scope: framework.Public(), Permission: framework.Anyone(), Verbs: framework.CRUD[GrainInput, GrainView](),
		})
		for _, c := range []struct {
			name string
			body fields
			want string
		}{
			{"every column has a value", fields{"level": 3, "grade": "B", "open": true, "note": "n"}, `"level":3,"grade":"B","open":true,"note":"n"}`},
			{"zero values of columns that are not nullzero", fields{"level": 0, "grade": "B", "open": false, "note": "n"}, `"level":0,"grade":"B","open":false,"note":"n"}`},
			{"the zero value of a nullzero column", fields{"level": 3, "grade": "", "open": true, "note": "n"}, `"level":3,"grade":"A","open":true,"note":"n"}`},
			{"null for a column that is notnull", fields{"level": 3, "grade": "B", "open": true, "note": nil}, `"level":3,"grade":"B","open":true,"note":"x"}`},
			{"zero values of all kinds", fields{"level": 0, "grade": "", "open": false, "note": ""}, `"level":0,"grade":"A","open":false,"note":""}`},
		} {
			t.Run(c.name, func(t *testing.T) {
				api := api.in(t)
				id := api.post("/api/grains/", c.body).is(201).says(c.want).id()
				api.get("/api/grains/" + id + "/").is(200).says(c.want)
				api.put("/api/grains/"+id+"/", c.body).is(200).says(c.want)
			})
		}
	})
}

// TestInsertWithAKey: Insert stores the key that a function gives a row, also one that the database
// would generate.
func TestInsertWithAKey(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := tickets()
		v.Actions, v.Collection = nil, []framework.CollectionAction{
			framework.OnCollection("POST", "numbered", func(c *framework.Call, in TicketInput) (TicketView, error) {
				holder := framework.IDOf[int64](c)
				k := Ticket{ID: 77, HolderID: &holder, Title: in.Title}
				return TicketView{k.ID, in}, framework.Insert(c, &k)
			}),
		}
		ada := desk(t, db, func(*framework.Config) {}, v).user("Number 7")
		ada.post("/api/tickets/numbered/", fields{"title": "Fax"}).is(200)
		ada.get("/api/tickets/77/").is(200).says("Fax")
	})
}
