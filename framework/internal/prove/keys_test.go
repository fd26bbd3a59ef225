package prove_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A keyInput names a box without a tag that says its viewset.
type keyInput struct {
	BoxID uuid.UUID `json:"box"`
}

// A keysInput names boxes.
type keysInput struct {
	Boxes []uuid.UUID `json:"boxes" validate:"max=5"`
}

type sizeView struct {
	Size int64 `json:"size"`
}

// pickers serves functions that find boxes by keys: those of the caller, or those of all callers.
func pickers(all bool) framework.Resource {
	reach := func(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
		if all {
			return q
		}
		return q.Where("owner_id = ?", c.Caller.ID)
	}
	exists := func(c *framework.Call, key uuid.UUID) error {
		q := c.DB.NewSelect().Table("boxes").Where("id = ?", key)
		reach(c, q.QueryBuilder())
		if found, err := q.Exists(c); err != nil || !found {
			return framework.NotFound()
		}
		return nil
	}
	measure := func(c *framework.Call, in keyInput) (sizeView, error) { return sizeView{1}, exists(c, in.BoxID) }
	weigh := func(c *framework.Call, _ *Box, in keyInput) (sizeView, error) {
		if in.BoxID == uuid.Nil {
			return sizeView{}, nil
		}
		return sizeView{2}, exists(c, in.BoxID)
	}
	seal := func(c *framework.Call, in keysInput) (framework.None, error) {
		q := c.DB.NewUpdate().Table("boxes").Set("label = label || '!'").Where("id IN (?)", bun.List(append(in.Boxes, uuid.Nil)))
		reach(c, q.QueryBuilder())
		_, err := q.Exec(c)
		return framework.None{}, err
	}
	swap := func(c *framework.Call, b *Box, in keyInput) (framework.None, error) {
		if err := exists(c, in.BoxID); err != nil {
			return framework.None{}, err
		}
		_, err := c.DB.NewDelete().Model(b).WherePK().Exec(c) // a second request is answered otherwise
		return framework.None{}, err
	}
	actions := []framework.Action[Box]{framework.Get("weight", weigh)}
	if all {
		actions = append(actions, framework.Post("swap", swap))
	}
	return framework.ViewSet[Box]{
		Name: "pickers", Scope: framework.Own((*Box).owner), Permission: framework.Authenticated(),
		Actions: actions,
		Collection: []framework.CollectionAction{
			framework.OnCollection(http.MethodGet, "size", measure), framework.OnCollection(http.MethodPost, "measure", measure),
			framework.OnCollection(http.MethodPost, "seal", seal),
		},
	}
}

// TestKeysWithoutATag: a function that finds rows by keys of its input must find those of the caller alone.
func TestKeysWithoutATag(t *testing.T) {
	t.Parallel()
	none := sqldb.Migrations{Namespace: "none", FS: fstest.MapFS{}}
	onDatabases(t, none, func(t *testing.T, db *sqldb.DB) {
		report := proof(t, db, nil, pickers(false))
		for _, f := range append(report.Findings, report.Unexercised...) {
			t.Errorf("%s", f)
		}
	})
	onDatabases(t, none, func(t *testing.T, db *sqldb.DB) {
		report := proof(t, db, nil, pickers(true))
		finds(t, report, "GET /api/pickers/size/", "with the key of another's row of boxes at the parameter box")
		finds(t, report, "GET /api/pickers/{id}/weight/", "with the key of another's row of boxes at the parameter box")
		finds(t, report, "POST /api/pickers/measure/", "with the key of another's row of boxes at /box")
		finds(t, report, "POST /api/pickers/{id}/swap/", "with the key of another's row of boxes at /box")
		finds(t, report, "POST /api/pickers/seal/", "it changes a row of boxes that is not theirs")
	})
}

// TestFindingsOfOneKind: a leak that many requests show is one finding for each caller.
func TestFindingsOfOneKind(t *testing.T) {
	t.Parallel()
	onDatabases(t, sqldb.Migrations{Namespace: "none", FS: fstest.MapFS{}}, func(t *testing.T, db *sqldb.DB) {
		report, by := proof(t, db, nil, exporter()), map[string]int{}
		for _, f := range report.Findings {
			if by[f.Caller]++; by[f.Caller] > 1 || f.Path != "/api/exporter/export/" {
				t.Errorf("a further finding is %s", f)
			}
		}
		if first := report.Findings[0]; first.Further == 0 || !strings.Contains(first.String(), "Further findings of this kind") {
			t.Errorf("the first finding counts no others: %s", first)
		}
	})
}

// TestNewRowsBelowRows: a caller who sees the rows above of others and changes their own makes one first, also if
// the function then rejects each request.
func TestNewRowsBelowRows(t *testing.T) {
	t.Parallel()
	full := func(*framework.Call, *Item, itemInput) error {
		return framework.Conflict(framework.CodeConflict, "The box is full.")
	}
	all := shared()
	items := all[1].(framework.ViewSet[Item])
	items.Verbs = framework.Verbs{List: framework.Shows[itemView](), Create: framework.Fills[itemView](full)}
	all[1] = items
	onDatabases(t, sqldb.Migrations{Namespace: "none", FS: fstest.MapFS{}}, func(t *testing.T, db *sqldb.DB) {
		for _, f := range proof(t, db, nil, all...).Findings {
			t.Errorf("%s", f)
		}
	})
}
