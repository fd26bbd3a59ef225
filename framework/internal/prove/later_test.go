package prove_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A Banner belongs to a user. An action hangs it up, for all to see.
type Banner struct {
	bun.BaseModel `bun:"table:banners"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	Text    string
	HungAt  *time.Time
}

func (b *Banner) owner() *uuid.UUID { return &b.OwnerID }

type bannerView struct {
	ID uuid.UUID `json:"id"`
	textInput
}

var banners = sqldb.Migrations{Namespace: "banners", FS: fstest.MapFS{
	"1_banners.tx.up.sql":   {Data: []byte("CREATE TABLE banners ({{id}}, owner_id {{uuid}} NOT NULL, text {{text}} NOT NULL, hung_at {{timestamp}});\n")},
	"1_banners.tx.down.sql": {Data: []byte("DROP TABLE banners;\n")},
}}

// TestRowsOfALaterAction: the rows of a viewset come from an action of a viewset after it.
func TestRowsOfALaterAction(t *testing.T) {
	t.Parallel()
	hang := func(c *framework.Call, one *Banner, _ framework.None) (framework.None, error) {
		one.HungAt = &c.Now
		return framework.None{}, framework.Save(c, one)
	}
	isHung := func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
		return q.Where("?TableAlias.hung_at IS NOT NULL")
	}
	signedIn := framework.Authenticated()
	onDatabases(t, banners, func(t *testing.T, db *sqldb.DB) {
		report := prove(t, db, nil,
			framework.ViewSet[Banner]{Name: "hung", Verbs: framework.ReadOnly[bannerView](), Scope: framework.Where(isHung), Permission: signedIn},
			framework.ViewSet[Banner]{
				Name: "offers", Verbs: framework.CRUD[textInput, bannerView](), Scope: framework.Own((*Banner).owner), Permission: signedIn,
				Actions: []framework.Action[Banner]{framework.Post("hang", hang)},
			},
		)
		for _, f := range append(report.Findings, report.Unexercised...) {
			t.Errorf("%s", f)
		}
	})
}
