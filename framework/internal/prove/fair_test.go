package prove_test

import (
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// A stall belongs to a user. It is deleted softly, and its wares stay then.
type stall struct {
	bun.BaseModel `bun:"table:stalls"`

	ID        uuid.UUID `bun:",pk"`
	OwnerID   uuid.UUID
	Code      string
	Name      string
	Price     int64
	DeletedAt time.Time `bun:",soft_delete,nullzero"`
}

func (s *stall) owner() *uuid.UUID { return &s.OwnerID }

// A ware is one of a stall.
type ware struct {
	bun.BaseModel `bun:"table:wares"`

	ID        uuid.UUID `bun:",pk"`
	StallID   uuid.UUID
	Text      string
	Amount    int64
	DeletedAt time.Time `bun:",soft_delete,nullzero"`
	Stall     *stall    `bun:"rel:belongs-to,join:stall_id=id"`
}

// A poster is for all to see, but for its contact and its reserve. Few set its rank.
type poster struct {
	bun.BaseModel `bun:"table:posters"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	StallID *uuid.UUID
	Title   string
	Contact string
	Reserve int64
	Rank    int64
	Stall   *stall `bun:"rel:belongs-to,join:stall_id=id"`
}

func (p *poster) owner() *uuid.UUID { return &p.OwnerID }

// A folio belongs to a team, and has leaves.
type folio struct {
	bun.BaseModel `bun:"table:folios"`

	ID        uuid.UUID `bun:",pk"`
	TeamID    uuid.UUID
	Title     string
	Pages     int64
	DeletedAt *time.Time `bun:",soft_delete"`
}

type folioLeaf struct {
	bun.BaseModel `bun:"table:leaves"`

	ID      uuid.UUID `bun:",pk"`
	FolioID uuid.UUID
	Text    string
	Folio   *folio `bun:"rel:belongs-to,join:folio_id=id"`
}

var fairSchema = sqldb.Migrations{Namespace: "fair", FS: fstest.MapFS{
	"1_fair.tx.up.sql": {Data: []byte(`
CREATE TABLE stalls ({{id}}, owner_id {{uuid}} NOT NULL, code {{text}} NOT NULL, name {{text}} NOT NULL, price {{bigint}} NOT NULL, deleted_at {{timestamp}});
CREATE UNIQUE INDEX stalls_code ON stalls (code) WHERE deleted_at IS NULL;
CREATE TABLE wares ({{id}}, stall_id {{uuid}} NOT NULL REFERENCES stalls (id) ON DELETE CASCADE, text {{text}} NOT NULL, amount {{bigint}} NOT NULL, deleted_at {{timestamp}});
CREATE TABLE posters ({{id}}, owner_id {{uuid}} NOT NULL, stall_id {{uuid}} REFERENCES stalls (id) ON DELETE SET NULL, title {{text}} NOT NULL, contact {{text}} NOT NULL, reserve {{bigint}} NOT NULL, rank {{bigint}} NOT NULL);
CREATE TABLE folios ({{id}}, team_id {{uuid}} NOT NULL REFERENCES teams (id), title {{text}} NOT NULL, pages {{bigint}} NOT NULL, deleted_at {{timestamp}});
CREATE TABLE leaves ({{id}}, folio_id {{uuid}} NOT NULL REFERENCES folios (id) ON DELETE CASCADE, text {{text}} NOT NULL);
`)},
	"1_fair.tx.down.sql": {Data: []byte("DROP TABLE leaves;\nDROP TABLE folios;\nDROP TABLE posters;\nDROP TABLE wares;\nDROP TABLE stalls;\n")},
}}

type posterText struct {
	StallID *uuid.UUID `json:"stall_id" ref:"stalls"`
	Title   string     `json:"title"    validate:"required,max=60"`
}

type posterPart struct {
	ID    uuid.UUID `json:"id"`
	Title string    `json:"title"`
}

// fair is a program with requests for several rows in a quota, recorded reads, and rows below rows that are deleted softly.
func fair() []framework.Resource {
	signedIn := framework.Authenticated()
	soft := framework.SoftDelete{Restore: signedIn, Deleted: signedIn}
	return []framework.Resource{
		framework.ViewSet[stall]{
			Name: "stalls", Verbs: framework.CRUD[lotInput, lotView](), Scope: framework.Own((*stall).owner), Permission: signedIn,
			Quota: framework.Quota{Rows: 300}, SoftDelete: soft, Audit: framework.Reads{Permission: signedIn}, Versions: framework.Versions{Hash: true},
			Bulk:    framework.Bulk{Create: true, Patch: true, Upsert: "code"},
			Uniques: []framework.Unique{{Fields: []string{"code"}, Code: "code_taken", Detail: "Another stall has this code."}},
			Totals:  framework.Totals{Sum: []string{"price"}}, Filters: []framework.Filter{filter.Exact("name"), filter.Exact("price")},
			Ordering: framework.Ordering{Default: "name"}, Pagination: page.Number{Size: 50},
		},
		framework.ViewSet[ware]{
			Name: "wares", Parent: framework.Child("stall", "stalls"), Verbs: framework.CRUD[bidInput, bidView](), Scope: framework.Public(), Permission: signedIn,
			SoftDelete: soft,
		},
		framework.ViewSet[poster]{
			Name: "posters", Verbs: framework.CRUD[posterText, posterPart](), Scope: framework.Public(), Writers: framework.Own((*poster).owner), Permission: signedIn,
		},
	}
}

// hoarding is a program with public rows, whose fields few see and write.
func hoarding() []framework.Resource {
	type input struct {
		Title   string `json:"title"   validate:"required,max=60"`
		Contact string `json:"contact" validate:"required,max=60"`
		Reserve int64  `json:"reserve" validate:"min=1,max=1000"`
		Rank    int64  `json:"rank"    validate:"max=1000"`
	}
	type view struct {
		ID uuid.UUID `json:"id"`
		input
	}
	private := framework.Holds("posters.private")
	return []framework.Resource{framework.ViewSet[poster]{
		Name: "posters", Verbs: framework.CRUD[input, view](), Scope: framework.Public(), Writers: framework.Own((*poster).owner), Permission: framework.Authenticated(),
		Fields:           []framework.FieldRule{framework.Sees("contact", private), framework.Sees("reserve", private), framework.Writes("rank", private)},
		FilterExpression: framework.FilterExpression{Fields: []string{"title", "reserve"}}, Totals: framework.Totals{Sum: []string{"rank", "reserve"}},
		Ordering: framework.Ordering{Allowed: []string{"title", "reserve"}, Default: "title"}, Versions: framework.Versions{Hash: true},
		Select: framework.Select{Fields: true},
	}}
}

// guild is a program whose posters show stalls, with a price that few see.
func guild() []framework.Resource {
	type view struct {
		ID    uuid.UUID `json:"id"`
		Title string    `json:"title"`
		Stall *struct {
			Name  string `json:"name"`
			Price int64  `json:"price"`
		} `json:"stall" from:"stall"`
		Cost *int64 `json:"cost" from:"stall.price"`
	}
	signedIn := framework.Authenticated()
	return []framework.Resource{
		framework.ViewSet[stall]{
			Name: "stalls", Verbs: framework.CRUD[lotInput, lotView](), Scope: framework.Public(), Writers: framework.Own((*stall).owner), Permission: signedIn,
			Fields: []framework.FieldRule{framework.Sees("price", framework.Holds("stalls.private"))}, Ordering: framework.Ordering{Default: "name"},
		},
		framework.ViewSet[poster]{
			Name: "posters", Verbs: framework.CRUD[posterText, view](), Scope: framework.Public(), Writers: framework.Own((*poster).owner), Permission: signedIn,
			Relations: framework.Relations{"stall": "stalls"}, Ordering: framework.Ordering{Default: "title"},
		},
	}
}

// bureau is a program of tenants, whose folios are deleted softly.
func bureau() []framework.Resource {
	type input struct {
		TeamID uuid.UUID `json:"team"  validate:"required"       ref:"teams"`
		Title  string    `json:"title" validate:"required,max=60"`
		Pages  int64     `json:"pages" validate:"min=1,max=1000"`
	}
	type view struct {
		ID uuid.UUID `json:"id"`
		input
	}
	signedIn := framework.Authenticated()
	return append(tenants(), framework.ViewSet[folio]{
		Name: "folios", Verbs: framework.CRUD[input, view](), Scope: framework.Where(ofTeams), Permission: signedIn,
		SoftDelete: framework.SoftDelete{Restore: signedIn, Deleted: signedIn}, Totals: framework.Totals{Sum: []string{"pages"}}, Bulk: framework.Bulk{Delete: true},
		Ordering: framework.Ordering{Allowed: []string{"title"}, Default: "title"}, Pagination: page.Cursor{Size: 20},
	}, framework.ViewSet[folioLeaf]{
		Name: "leaves", Parent: framework.Child("folio", "folios"), Verbs: framework.CRUD[textInput, textView](), Scope: framework.Public(), Permission: signedIn,
		Ordering: framework.Ordering{Default: "text"},
	})
}

// archive is a bureau whose members see the folios that are deleted too.
func archive() []framework.Resource {
	all := bureau()
	folios := all[3].(framework.ViewSet[folio]) //nolint:forcetypeassert // it is one
	folios.Scope = framework.Where(func(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
		return ofTeams(c, q.WhereAllWithDeleted())
	})
	folios.SoftDelete.Restore = nil
	all[3] = folios
	return all
}
