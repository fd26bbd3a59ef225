package prove_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/calendar"
	"trestle.example/framework/decimal"
	"trestle.example/framework/sqldb"
)

// An Offer has a price that only some callers write, and one of each day and size for each seller.
type Offer struct {
	bun.BaseModel `bun:"table:offers"`

	ID       uuid.UUID `bun:",pk"`
	SellerID uuid.UUID
	Title    string
	Price    decimal.Of[decimal.Scale2]
	Day      calendar.Date
	Size     string
}

func (o *Offer) seller() *uuid.UUID { return &o.SellerID }

type offerInput struct {
	Title string                     `json:"title" validate:"required,max=100"`
	Price decimal.Of[decimal.Scale2] `json:"price" validate:"min=0.00,max=99999.00"`
	Day   calendar.Date              `json:"day" validate:"required"`
	Size  string                     `json:"size" validate:"required,oneof=small middle large"`
}

type offerView struct {
	ID uuid.UUID `json:"id"`
	offerInput
}

var offerSchema = sqldb.Migrations{Namespace: "offers", FS: fstest.MapFS{
	"1_offers.tx.up.sql": {Data: []byte(`CREATE TABLE offers ({{id}}, seller_id {{uuid}} NOT NULL, title {{text}} NOT NULL,
		price {{bigint}} NOT NULL, day {{if postgres}}date{{else}}text{{end}} NOT NULL, size {{text}} NOT NULL, UNIQUE (day, size));
		{{if postgres}}{{else}}CREATE VIRTUAL TABLE words USING fts5(text);
		CREATE TRIGGER spoken AFTER INSERT ON offers BEGIN INSERT INTO words(text) VALUES (new.title); END;{{end}}`)},
	"1_offers.tx.down.sql": {Data: []byte(`DROP TABLE offers`)},
}}

func offers() framework.ViewSet[Offer] {
	return framework.ViewSet[Offer]{
		Name: "offers", Verbs: framework.CRUD[offerInput, offerView](), Scope: framework.Public(), Permission: framework.Authenticated(),
		Writers: framework.Own((*Offer).seller).Unless(framework.Holds("offers.manage")),
		Fields:  []framework.FieldRule{framework.Writes("price", framework.Holds("offers.price"))},
	}
}

// TestOrdinaryOffers has no false alarm: an amount that is written as it is stored, values of a list and days that
// must be new, and tables that the database keeps for itself.
func TestOrdinaryOffers(t *testing.T) {
	t.Parallel()
	onDatabases(t, offerSchema, func(t *testing.T, db *sqldb.DB) {
		write, read := offers(), offers()
		write.Bulk = framework.Bulk{Create: true, Patch: true, Delete: true}
		read.Name, read.Permission = "read", framework.Anyone() // an anonymous caller creates none
		report := prove(t, db, nil, write, read)
		if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
			t.Errorf("the findings are %v; want none", found)
		}
	})
}

// pricing is a server that does not check who may write a price: a PATCH of several rows writes that of the caller's offer.
func pricing(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return func(_ *guests, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPatch || r.URL.Path != "/api/offers/bulk/" {
				next.ServeHTTP(w, r)
				return
			}
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			var items []struct {
				ID    uuid.UUID
				Price *decimal.Of[decimal.Scale2]
			}
			caller, signedIn := strings.CutPrefix(r.Header.Get("Authorization"), scheme)
			if json.Unmarshal(body, &items) == nil && len(items) == 1 && items[0].Price != nil && signedIn {
				result, err := db.NewUpdate().Model((*Offer)(nil)).Set("price = ?", items[0].Price).Where("id = ? AND seller_id = ?", items[0].ID, caller).Exec(r.Context())
				if err == nil {
					if n, _ := result.RowsAffected(); n == 1 {
						_, _ = io.WriteString(w, "[]")
						return
					}
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// TestTalkativeOffers: a function that compares a text with those of all rows must not answer with what another
// caller's row has.
func TestTalkativeOffers(t *testing.T) {
	t.Parallel()
	onDatabases(t, offerSchema, func(t *testing.T, db *sqldb.DB) {
		v := offers()
		v.Scope, v.Writers, v.Fields = framework.Own((*Offer).seller), framework.Scope{}, nil
		v.Verbs.Create = framework.Fills[offerView](func(c *framework.Call, o *Offer, in offerInput) error {
			o.Title, o.Price, o.Day, o.Size = in.Title, in.Price, in.Day, in.Size
			var other Offer
			err := db.Session().IDB().NewSelect().Model(&other).Where("title = ?", in.Title).Limit(1).Scan(c)
			if err == nil {
				return framework.Refuse(http.StatusConflict, "conflict", "The offer "+other.ID.String()+" has this title.")
			}
			return nil
		})
		report := prove(t, db, nil, v)
		wantFinding(t, report, "POST /api/offers/", "the answer has")
	})
}

// TestFailingLists: a list that fails with some parameters is a finding, and so is a request for several rows that writes a field
// which the caller may not write.
func TestFailingLists(t *testing.T) {
	t.Parallel()
	onDatabases(t, offerSchema, func(t *testing.T, db *sqldb.DB) {
		v := offers()
		v.Scope, v.Writers, v.Bulk = framework.Own((*Offer).seller), framework.Scope{}, framework.Bulk{Patch: true}
		v.Ordering = framework.Ordering{Allowed: []string{"title"}}
		report := prove(t, db, func(g *guests, next http.Handler) http.Handler {
			next = pricing(db)(g, next)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet && r.URL.Query().Get("ordering") == "-title" {
					http.Error(w, errors.ErrUnsupported.Error(), http.StatusInternalServerError)
					return
				}
				next.ServeHTTP(w, r)
			})
		}, v)
		wantFinding(t, report, "GET /api/offers/", "it is answered 500")
		wantFinding(t, report, "PATCH /api/offers/bulk/", "it writes price, which needs")
	})
}

// TestUnsharedRows names the viewsets whose rows only their makers saw.
func TestUnsharedRows(t *testing.T) {
	t.Parallel()
	onDatabases(t, offerSchema, func(t *testing.T, db *sqldb.DB) {
		for _, shared := range []bool{true, false} {
			v := offers()
			v.Writers, v.Fields = framework.Scope{}, nil
			v.Verbs.Create = framework.Fills[offerView](func(c *framework.Call, o *Offer, in offerInput) error {
				o.SellerID, o.Title, o.Price, o.Day, o.Size = c.Caller.ID.(uuid.UUID), in.Title, in.Price, in.Day, in.Size
				return nil
			})
			v.Scope = framework.Where(func(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
				if shared {
					return q.Where("?TableAlias.title <> ''")
				}
				return q.Where("?TableAlias.seller_id = ?", c.Caller.ID)
			})
			want := []string{"offers"}
			if shared {
				want = nil
			}
			if got := prove(t, db, nil, v).Unshared; !slices.Equal(got, want) {
				t.Errorf("rows that all see: %t; unshared are %q, want %q", shared, got, want)
			}
		}
	})
}
