package prove_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestTheProofSignsNoCallerOut: a function that always fails is tried again after other creates. The endpoints
// of package auth are not among them, because such a caller gets 401 everywhere afterwards.
func TestTheProofSignsNoCallerOut(t *testing.T) {
	t.Parallel()
	onDatabases(t, schema, func(t *testing.T, db *sqldb.DB) {
		gone := map[uuid.UUID]bool{}
		check := func(c *framework.Call) {
			if gone[framework.IDOf[uuid.UUID](c)] {
				t.Errorf("the caller %v sends a request after signing out", c.Caller.ID)
			}
		}
		logout := func(c *framework.Call, _ framework.None) (framework.None, error) {
			gone[framework.IDOf[uuid.UUID](c)] = true
			return framework.None{}, nil
		}
		fail := func(c *framework.Call, _ framework.None) (framework.None, error) {
			check(c)
			return framework.None{}, framework.NotFound()
		}
		boxes := framework.ViewSet[Box]{
			Name: "boxes", Verbs: framework.CRUD[boxInput, boxView](), Scope: framework.Own((*Box).owner), Permission: framework.Authenticated(),
			Collection: []framework.CollectionAction{framework.OnCollection(http.MethodPost, "fail", fail)},
		}
		boxes.Verbs.Create = framework.Fills[boxView](func(c *framework.Call, _ *Box, _ boxInput) error { check(c); return nil })
		account := framework.ViewSet[Thing]{
			Name: "auth", Scope: framework.Via("box_id", "boxes"), Permission: framework.Authenticated(),
			Collection: []framework.CollectionAction{framework.OnCollection(http.MethodPost, "logout", logout)},
		}
		prove(t, db, nil, account, boxes)
	})
}

// TestAKeyInAParameter: a function gets the key of another's row in a parameter that has any name.
func TestAKeyInAParameter(t *testing.T) {
	t.Parallel()
	onDatabases(t, schema, func(t *testing.T, db *sqldb.DB) {
		type input struct {
			Wanted uuid.UUID `json:"wanted" validate:"required"`
		}
		find := func(c *framework.Call, in input) (boxInput, error) {
			var one Box
			if err := c.DB.NewSelect().Model(&one).Where("id = ?", in.Wanted).Scan(c); err != nil {
				return boxInput{}, framework.NotFound()
			}
			return boxInput{one.Label}, nil
		}
		boxes := framework.ViewSet[Box]{
			Name: "boxes", Verbs: framework.CRUD[boxInput, boxView](), Scope: framework.Own((*Box).owner), Permission: framework.Authenticated(),
			Collection: []framework.CollectionAction{framework.OnCollection(http.MethodGet, "find", find)},
		}
		report := prove(t, db, nil, boxes)
		if len(report.Findings) == 0 || report.Findings[0].Path != "/api/boxes/find/" {
			t.Errorf("the findings are %v", report.Findings)
		}
	})
}
