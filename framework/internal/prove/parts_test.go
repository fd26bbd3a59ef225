package prove_test

import (
	"net/http"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A Parcel is its sender's, with what is packed in it.
type Parcel struct {
	bun.BaseModel `bun:"table:parcels"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	To      string

	Packed []*Packed `bun:"rel:has-many,join:id=parcel_id"`
}

func (p *Parcel) owner() *uuid.UUID { return &p.OwnerID }

// A Packed is a ware in a parcel. No viewset serves it.
type Packed struct {
	bun.BaseModel `bun:"table:packed"`

	ID       uuid.UUID `bun:",pk"`
	ParcelID uuid.UUID
	WareID   uuid.UUID
	Message  string

	Parcel *Parcel `bun:"rel:belongs-to,join:parcel_id=id"`
}

// A Ware is for all to see.
type Ware struct {
	bun.BaseModel `bun:"table:wares"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

var parcelSchema = sqldb.Migrations{Namespace: "parcels", FS: fstest.MapFS{
	"1_parcels.tx.up.sql": {Data: []byte(`CREATE TABLE wares ({{id}}, name {{text}} NOT NULL);
CREATE TABLE parcels ({{id}}, owner_id {{uuid}} NOT NULL, "to" {{text}} NOT NULL);
CREATE TABLE packed ({{id}}, parcel_id {{uuid}} NOT NULL REFERENCES parcels (id) ON DELETE CASCADE, ware_id {{uuid}} NOT NULL REFERENCES wares (id), message {{text}} NOT NULL);`)},
	"1_parcels.tx.down.sql": {Data: []byte(``)},
}}

// parcels serves parcels to their senders. A leak is the name of a function that reads those of all.
func parcels(leak string) []framework.Resource {
	type packedInput struct {
		WareID  uuid.UUID `json:"ware"    validate:"required"         ref:"wares"`
		Message string    `json:"message" validate:"required,max=100"`
	}
	type input struct {
		To     string        `json:"to"     validate:"required,max=100"`
		Packed []packedInput `json:"packed" validate:"min=1"            to:"packed"`
	}
	type packedView struct {
		WareID  uuid.UUID `json:"ware"`
		Message string    `json:"message"`
	}
	type view struct {
		ID     uuid.UUID    `json:"id"`
		To     string       `json:"to"`
		Packed []packedView `json:"packed" from:"packed"`
	}
	type wareInput struct {
		Name string `json:"name" validate:"required,max=100"`
	}
	type wareView struct {
		ID uuid.UUID `json:"id"`
		wareInput
	}
	type text struct {
		Text string `json:"text"`
	}
	type key struct {
		Key uuid.UUID `json:"key" validate:"required"`
	}
	own := func(c *framework.Call, q *bun.SelectQuery, name string) *bun.SelectQuery {
		if leak == name {
			return q
		}
		return q.Where("parcel_id IN (?)", c.DB.NewSelect().Table("parcels").Column("id").Where("owner_id = ?", c.Caller.ID))
	}
	message := framework.OnCollection(http.MethodGet, "message", func(c *framework.Call, _ framework.None) (text, error) {
		var one Packed
		_ = own(c, c.DB.NewSelect().Model(&one), "message").OrderExpr("id DESC").Limit(1).Scan(c) // there may be none
		return text{one.Message}, nil
	})
	weigh := framework.OnCollection(http.MethodPost, "weigh", func(c *framework.Call, in key) (text, error) {
		n, err := own(c, c.DB.NewSelect().Table("packed"), "weigh").Where("parcel_id = ?", in.Key).Count(c)
		if err == nil && n == 0 {
			return text{}, framework.Conflict(framework.CodeConflict, "The parcel is empty.")
		}
		return text{"heavy"}, err
	})
	return []framework.Resource{
		framework.ViewSet[Parcel]{
			Name: "parcels", Verbs: framework.CRUD[input, view](), Scope: framework.Own((*Parcel).owner), Permission: framework.Authenticated(),
			Relations: framework.Relations{"packed": framework.OfRow}, Collection: []framework.CollectionAction{message, weigh},
		},
		framework.ViewSet[Ware]{Name: "wares", Verbs: framework.CRUD[wareInput, wareView](), Scope: framework.Public(), Permission: framework.OrReadOnly(framework.Staff())},
	}
}

// TestPartsOfPrivateRows: a row without a viewset is a part of the row whose viewset lists it, and not of the public row to which it
// refers too.
func TestPartsOfPrivateRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ leak, endpoint, finding string }{
		{"", "", ""},
		{"message", "GET /api/parcels/message/", "the answer changed after another caller's request"},
		{"weigh", "POST /api/parcels/weigh/", "with the key of another's row"},
	} {
		t.Run(c.leak, func(t *testing.T) {
			onDatabases(t, parcelSchema, func(t *testing.T, db *sqldb.DB) {
				report := prove(t, db, nil, parcels(c.leak)...)
				if c.leak != "" {
					finds(t, report, c.endpoint, c.finding)
				} else if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
					t.Errorf("the findings are %v; want none", found)
				}
			})
		})
	}
}

// TestRowsBelowThoseOfWriters: the 403 of a caller without a row of their own to add others below is no finding.
func TestRowsBelowThoseOfWriters(t *testing.T) {
	t.Parallel()
	type input struct {
		To string `json:"to" validate:"required,max=100"`
	}
	type view struct {
		ID uuid.UUID `json:"id"`
		input
	}
	type packedInput struct {
		WareID  uuid.UUID `json:"ware"    validate:"required"         ref:"wares"`
		Message string    `json:"message" validate:"required,max=100"`
	}
	type packedView struct {
		ID uuid.UUID `json:"id"`
		packedInput
	}
	onDatabases(t, parcelSchema, func(t *testing.T, db *sqldb.DB) {
		report := prove(t, db, nil,
			framework.ViewSet[Parcel]{
				Name: "parcels", Verbs: framework.CRUD[input, view](), Scope: framework.Public(), Writers: framework.Own((*Parcel).owner),
				Permission: framework.OrReadOnly(framework.Holds("parcels.send")),
			},
			framework.ViewSet[Packed]{
				Name: "packed", Parent: framework.Child("parcel", "parcels").ByWriters(), Verbs: framework.CRUD[packedInput, packedView](), Scope: framework.Public(),
				Permission: framework.OrReadOnly(framework.Authenticated()),
			},
			parcels("")[1],
		)
		for _, f := range slices.Concat(report.Findings, report.Unexercised) {
			t.Errorf("%s", f)
		}
	})
}
