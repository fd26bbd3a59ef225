package prove_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A Depot is deleted softly. Its id may be chosen by the client.
type Depot struct {
	bun.BaseModel `bun:"table:depots"`

	ID        uuid.UUID `bun:",pk"`
	OwnerID   uuid.UUID
	Code      uuid.UUID
	DeletedAt time.Time `bun:",soft_delete,nullzero"`
}

func (d *Depot) owner() *uuid.UUID { return &d.OwnerID }

// A Bale is in a depot.
type Bale struct {
	bun.BaseModel `bun:"table:bales"`

	ID      uuid.UUID `bun:",pk"`
	DepotID uuid.UUID
	Name    string
	Depot   *Depot `bun:"rel:belongs-to,join:depot_id=id"`
}

// A Notice names a depot to all callers.
type Notice struct {
	bun.BaseModel `bun:"table:notices"`

	ID      uuid.UUID `bun:",pk"`
	DepotID uuid.UUID
	Depot   *Depot `bun:"rel:belongs-to,join:depot_id=id"`
}

type depotInput struct {
	ID   uuid.UUID `json:"id"`
	Code uuid.UUID `json:"code"`
}

type depotView struct {
	ID   uuid.UUID `json:"id"`
	Code uuid.UUID `json:"code"`
}

type baleInput struct {
	DepotID uuid.UUID `json:"depot" validate:"required" ref:"depots"`
	Name    string    `json:"name" validate:"required,max=60"`
}

type baleView struct {
	ID uuid.UUID `json:"id"`
	baleInput
}

type noticeInput struct {
	DepotID uuid.UUID `json:"depot" validate:"required" ref:"depots"`
}

type noticeView struct {
	ID uuid.UUID `json:"id"`
	noticeInput
}

type depotKey struct {
	Key uuid.UUID `json:"key" validate:"required"`
}

var depotSchema = sqldb.Migrations{Namespace: "depots", FS: fstest.MapFS{
	"1_depots.tx.up.sql": {Data: []byte(`
CREATE TABLE depots ({{id}}, owner_id {{uuid}} NOT NULL, code {{uuid}} NOT NULL UNIQUE, deleted_at {{timestamp}});
CREATE TABLE bales ({{id}}, depot_id {{uuid}} NOT NULL REFERENCES depots (id), name {{text}} NOT NULL);
CREATE TABLE notices ({{id}}, depot_id {{uuid}} NOT NULL REFERENCES depots (id));
`)},
	"1_depots.tx.down.sql": {Data: []byte("DROP TABLE notices;\nDROP TABLE bales;\nDROP TABLE depots;\n")},
}}

// depots is a program whose functions take keys of depots. If all is true, two of them reach depots of all callers.
func depots(all bool) []framework.Resource {
	counts := 0
	own := func(c *framework.Call, q bun.QueryBuilder, column string) {
		if !all {
			q.Where("? IN (?)", bun.Ident(column), c.DB.NewSelect().Table("depots").Column("id").Where("owner_id = ?", c.Caller.ID))
		}
	}
	open := func(c *framework.Call, in depotInput) (depotView, error) {
		taken, err := c.DB.NewSelect().Table("depots").Where("id = ?", in.ID).Exists(c)
		if err != nil || taken {
			return depotView{}, framework.Conflict(framework.CodeConflict, "The id is taken.")
		}
		return depotView(in), framework.Insert(c, &Depot{ID: in.ID, Code: in.Code})
	}
	join := func(c *framework.Call, _ *Depot, in depotKey) (depotView, error) {
		return framework.FindOne[depotView](c, "depots", in.Key)
	}
	redeem := func(*framework.Call, depotKey) (framework.None, error) {
		counts++
		return framework.None{}, framework.Conflict(framework.CodeConflict, fmt.Sprintf("The key is not valid. This was request %d.", counts))
	}
	notices := func(c *framework.Call, in depotKey) (sizeView, error) {
		n, err := c.DB.NewSelect().Table("notices").Where("depot_id = ?", in.Key).Count(c)
		return sizeView{n}, err
	}
	restore := func(c *framework.Call, in depotKey) (framework.None, error) {
		q := c.DB.NewUpdate().Table("depots").Set("deleted_at = NULL").Where("id = ?", in.Key).Where("deleted_at IS NOT NULL")
		own(c, q.QueryBuilder(), "id")
		_, err := q.Exec(c)
		return framework.None{}, err
	}
	weigh := func(c *framework.Call, in depotKey) (sizeView, error) {
		q := c.DB.NewSelect().Table("bales").Where("depot_id = ?", in.Key)
		own(c, q.QueryBuilder(), "depot_id")
		n, err := q.Count(c)
		return sizeView{n}, err
	}
	signedIn, byID := framework.Authenticated(), framework.Ordering{Default: "id"}
	return []framework.Resource{
		framework.ViewSet[Depot]{
			Name: "depots", Scope: framework.Own((*Depot).owner), Permission: signedIn, Ordering: byID,
			Verbs:   framework.Verbs{List: framework.Shows[depotView](), Create: framework.Does(open), Delete: framework.Deletes()},
			Actions: []framework.Action[Depot]{framework.Post("join", join)},
			Collection: []framework.CollectionAction{
				framework.OnCollection(http.MethodGet, "size", weigh), framework.OnCollection(http.MethodPost, "redeem", redeem),
				framework.OnCollection(http.MethodPost, "restore", restore),
			},
		},
		framework.ViewSet[Bale]{
			Name: "bales", Scope: framework.Via("depot_id", "depots"), Verbs: framework.CRUD[baleInput, baleView](), Permission: signedIn, Ordering: byID,
		},
		framework.ViewSet[Notice]{
			Name: "notices", Scope: framework.Public(), Permission: signedIn, Ordering: byID,
			Verbs:      framework.Verbs{List: framework.Shows[noticeView](), Create: framework.Accepts[noticeInput, noticeView]()},
			Collection: []framework.CollectionAction{framework.OnCollection(http.MethodGet, "size", notices)},
		},
	}
}

// TestKeysOfDepots: clients may choose the key of a new row, name their own rows, and ask for public rows by the
// key of a row of others; answers may count requests. Functions must not reach rows of others that are deleted
// softly, nor rows below those of others.
func TestKeysOfDepots(t *testing.T) {
	t.Parallel()
	onDatabases(t, depotSchema, func(t *testing.T, db *sqldb.DB) {
		report := prove(t, db, nil, depots(false)...)
		for _, f := range append(report.Findings, report.Unexercised...) {
			t.Errorf("%s", f)
		}
	})
	onDatabases(t, depotSchema, func(t *testing.T, db *sqldb.DB) {
		report := prove(t, db, nil, depots(true)...)
		finds(t, report, "POST /api/depots/restore/", "it changes a row of depots that is not theirs")
		finds(t, report, "GET /api/depots/size/", "with the key of another's row of depots at the parameter key")
	})
}

type depotLabel struct {
	Code uuid.UUID `json:"code"`
}

type baleLabel struct {
	Name string `json:"name" validate:"required,max=60"`
}

type baleCard struct {
	ID uuid.UUID `json:"id"`
	baleLabel
}

// yards serves depots with bales below them, and counts the bales of a depot: of one of the caller, or of any.
func yards(all bool) []framework.Resource {
	weigh := func(c *framework.Call, in depotKey) (sizeView, error) {
		q := c.DB.NewSelect().Table("bales").Where("depot_id = ?", in.Key)
		if !all {
			q.Where("depot_id IN (?)", c.DB.NewSelect().Table("depots").Column("id").Where("owner_id = ?", c.Caller.ID))
		}
		n, err := q.Count(c)
		return sizeView{n}, err
	}
	signedIn, byID := framework.Authenticated(), framework.Ordering{Default: "id"}
	return []framework.Resource{
		framework.ViewSet[Depot]{
			Name: "depots", Scope: framework.Own((*Depot).owner), Permission: signedIn, Ordering: byID,
			Verbs:      framework.Verbs{List: framework.Shows[depotView](), Create: framework.Accepts[depotLabel, depotView]()},
			Collection: []framework.CollectionAction{framework.OnCollection(http.MethodPost, "size", weigh)},
		},
		framework.ViewSet[Bale]{
			Name: "bales", Parent: framework.Child("depot", "depots"), Scope: framework.Public(), Permission: signedIn, Ordering: byID,
			Verbs: framework.CRUD[baleLabel, baleCard](),
		},
	}
}

// TestKeysOfRowsWithRowsBelow: only the key of a depot that has bales shows that the function counts those of others,
// and the newest depots have none.
func TestKeysOfRowsWithRowsBelow(t *testing.T) {
	t.Parallel()
	onDatabases(t, depotSchema, func(t *testing.T, db *sqldb.DB) {
		report := prove(t, db, nil, yards(false)...)
		for _, f := range append(report.Findings, report.Unexercised...) {
			t.Errorf("%s", f)
		}
	})
	onDatabases(t, depotSchema, func(t *testing.T, db *sqldb.DB) {
		finds(t, prove(t, db, nil, yards(true)...), "POST /api/depots/size/", "with the key of another's row of depots at /key")
	})
}
