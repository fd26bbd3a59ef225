package prove_test

import (
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
)

// A lot belongs to a user. It is deleted softly.
type lot struct {
	bun.BaseModel `bun:"table:lots"`

	ID        uuid.UUID `bun:",pk"`
	OwnerID   uuid.UUID
	Code      string
	Name      string
	Price     int64
	DeletedAt time.Time `bun:",soft_delete,nullzero"`
}

func (l *lot) owner() *uuid.UUID { return &l.OwnerID }

// A bid is one for a lot. It is deleted softly too.
type bid struct {
	bun.BaseModel `bun:"table:bids"`

	ID        uuid.UUID `bun:",pk"`
	LotID     uuid.UUID
	Text      string
	Amount    int64
	DeletedAt time.Time `bun:",soft_delete,nullzero"`
	Lot       *lot      `bun:"rel:belongs-to,join:lot_id=id"`
}

// A sale is for all to see, but for its contact and its reserve. The lot of a sale is its owner's.
type sale struct {
	bun.BaseModel `bun:"table:sales"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	LotID   *uuid.UUID
	Title   string
	Contact string
	Reserve int64
	Lot     *lot `bun:"rel:belongs-to,join:lot_id=id"`
}

func (s *sale) owner() *uuid.UUID { return &s.OwnerID }

var estateSchema = sqldb.Migrations{Namespace: "estate", FS: fstest.MapFS{
	"1_estate.tx.up.sql": {Data: []byte(`
CREATE TABLE lots ({{id}}, owner_id {{uuid}} NOT NULL, code {{text}} NOT NULL, name {{text}} NOT NULL, price {{bigint}} NOT NULL, deleted_at {{timestamp}});
CREATE UNIQUE INDEX lots_code ON lots (code) WHERE deleted_at IS NULL;
CREATE TABLE bids ({{id}}, lot_id {{uuid}} NOT NULL REFERENCES lots (id), text {{text}} NOT NULL, amount {{bigint}} NOT NULL, deleted_at {{timestamp}});
CREATE TABLE sales ({{id}}, owner_id {{uuid}} NOT NULL, lot_id {{uuid}} REFERENCES lots (id), title {{text}} NOT NULL, contact {{text}} NOT NULL, reserve {{bigint}} NOT NULL);
`)},
	"1_estate.tx.down.sql": {Data: []byte("DROP TABLE sales;\nDROP TABLE bids;\nDROP TABLE lots;\n")},
}}

type lotInput struct {
	Code  string `json:"code"  validate:"required,line,max=60"`
	Name  string `json:"name"  validate:"required,max=60"`
	Price int64  `json:"price" validate:"min=1,max=1000"`
}

type lotView struct {
	ID uuid.UUID `json:"id"`
	lotInput
}

type bidInput struct {
	Text   string `json:"text"   validate:"required,max=60"`
	Amount int64  `json:"amount" validate:"min=1,max=1000"`
}

type bidView struct {
	ID uuid.UUID `json:"id"`
	bidInput
}

type saleInput struct {
	LotID   *uuid.UUID `json:"lot"     ref:"lots"`
	Title   string     `json:"title"   validate:"required,max=60"`
	Contact string     `json:"contact" validate:"required,max=60"`
	Reserve int64      `json:"reserve" validate:"min=1,max=1000"`
}

type saleView struct {
	ID      uuid.UUID `json:"id"`
	Title   string    `json:"title"`
	Contact string    `json:"contact"`
	Reserve int64     `json:"reserve"`
}

// estate is a program with a quota, soft deletion, histories, versions, requests for several rows, totals, expressions and fields that only
// some callers see.
func estate() []framework.Resource {
	signedIn := framework.Authenticated()
	soft := framework.SoftDelete{Restore: signedIn, Deleted: signedIn}
	private := framework.Holds("sales.private")
	return []framework.Resource{
		framework.ViewSet[lot]{
			Name: "lots", Verbs: framework.CRUD[lotInput, lotView](), Scope: framework.Own((*lot).owner), Permission: signedIn,
			Quota: framework.Quota{Rows: 30}, SoftDelete: soft, History: framework.History{Permission: signedIn}, Versions: framework.Versions{Hash: true},
			Bulk:    framework.Bulk{Patch: true, Upsert: "code", Each: true},
			Uniques: []framework.Unique{{Fields: []string{"code"}, Code: "code_taken", Detail: "Another lot has this code."}},
			Totals:  framework.Totals{By: []string{"name"}, Sum: []string{"price"}},
			Filters: []framework.Filter{filter.Exact("name")}, Export: []framework.Media{framework.NDJSON},
		},
		framework.ViewSet[bid]{
			Name: "bids", Parent: framework.Child("lot", "lots"), Verbs: framework.CRUD[bidInput, bidView](), Scope: framework.Public(), Permission: signedIn,
			SoftDelete: soft, Totals: framework.Totals{By: []string{"text"}, Sum: []string{"amount"}}, Filters: []framework.Filter{filter.Exact("text")},
		},
		framework.ViewSet[sale]{
			Name: "sales", Verbs: framework.CRUD[saleInput, saleView](), Scope: framework.Public(), Writers: framework.Own((*sale).owner), Permission: signedIn,
			Fields:           []framework.FieldRule{framework.Sees("contact", private), framework.Sees("reserve", private)},
			Relations:        framework.Relations{"lot": "lots"},
			Filters:          []framework.Filter{filter.Exact("contact"), filter.Min("min_reserve", "reserve"), filter.Exact("lot_name", "lot.name")},
			FilterExpression: framework.FilterExpression{Fields: []string{"title", "reserve", "lot.name"}},
			Totals:           framework.Totals{By: []string{"title", "lot.name"}, Sum: []string{"reserve"}},
			Ordering:         framework.Ordering{Allowed: []string{"title", "reserve"}, Default: "title"},
			Export:           []framework.Media{framework.CSV},
		},
	}
}

// shadowed is an estate whose sales show the code of their lot under the name of a field that few see.
func shadowed() []framework.Resource {
	type view struct {
		ID      uuid.UUID `json:"id"`
		Title   string    `json:"title"`
		Contact *string   `json:"contact" from:"lot.code"`
	}
	all := estate()
	sales := all[2].(framework.ViewSet[sale]) //nolint:forcetypeassert // it is one
	sales.Verbs, sales.Filters = framework.CRUD[saleInput, view](), nil
	all[2] = sales
	return all
}

// A dossier belongs to a team, whose members see it and restore it.
type dossier struct {
	bun.BaseModel `bun:"table:dossiers"`

	ID        uuid.UUID `bun:",pk"`
	TeamID    uuid.UUID
	Title     string
	DeletedAt *time.Time `bun:",soft_delete"`
}

var dossierSchema = sqldb.Migrations{Namespace: "dossiers", FS: fstest.MapFS{
	"1_dossiers.tx.up.sql":   {Data: []byte(`CREATE TABLE dossiers ({{id}}, team_id {{uuid}} NOT NULL REFERENCES teams (id), title {{text}} NOT NULL, deleted_at {{timestamp}});`)},
	"1_dossiers.tx.down.sql": {Data: []byte("DROP TABLE dossiers;\n")},
}}

// dossiers are a program of tenants with soft deletion.
func dossiers() []framework.Resource {
	signedIn := framework.Authenticated()
	return append(tenants(), framework.ViewSet[dossier]{
		Name: "dossiers", Verbs: framework.CRUD[paperInput, paperView](), Scope: framework.Where(ofTeams), Permission: signedIn,
		SoftDelete: framework.SoftDelete{Restore: signedIn, Deleted: signedIn}, History: framework.History{Permission: signedIn},
		Ordering: framework.Ordering{Default: "title"}, Export: []framework.Media{framework.CSV},
	})
}
