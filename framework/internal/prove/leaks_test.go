package prove_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// remembers answers 200 to a GET of a card that was deleted.
func remembers(_ *guests, next http.Handler) http.Handler {
	deleted := map[string]bool{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := &captured{ResponseWriter: w}
		next.ServeHTTP(to, r)
		switch {
		case one("DELETE", "/api/cards/")(r) && to.code == http.StatusNoContent:
			deleted[r.URL.Path] = true
		case r.Method == http.MethodGet && deleted[r.URL.Path]:
			to.code = http.StatusOK
		}
		w.WriteHeader(to.code)
		_, _ = w.Write([]byte(to.text))
	})
}

// countsDeleted adds how many cards were deleted to the answer of their list.
func countsDeleted(_ *guests, next http.Handler) http.Handler {
	gone := ""
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := &captured{ResponseWriter: w}
		next.ServeHTTP(to, r)
		switch {
		case one("DELETE", "/api/cards/")(r) && to.code == http.StatusNoContent:
			gone += "."
		case at("GET", "/api/cards/")(r):
			to.text += gone
		}
		w.WriteHeader(to.code)
		_, _ = w.Write([]byte(to.text))
	})
}

// A pinInput is what callers write of a box that all callers change.
type pinInput struct {
	Label string `json:"label" validate:"max=60"`
}

type pinView struct {
	pinInput
}

const pin = "boxes.pin"

// pins are boxes that all callers change, with a label that only holders of a permission write.
func pins() framework.Resource {
	return framework.ViewSet[Box]{
		Name: "pins", Verbs: framework.CRUD[pinInput, pinView](), Scope: framework.Public(), Permission: framework.Authenticated(),
		Ordering: framework.Ordering{Default: "id"}, Fields: []framework.FieldRule{framework.Writes("label", framework.Holds(pin))},
	}
}

// resets removes the label at a PUT without one, as a holder of the permission.
func resets(g *guests, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if one("PUT", "/api/pins/")(r) {
			body, _ := io.ReadAll(r.Body)
			text := string(body)
			if text == "{}" {
				text = `{"label":""}`
				for token, caller := range g.known {
					if caller.Permissions[pin] {
						r.Header.Set("Authorization", token)
					}
				}
			}
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
		}
		next.ServeHTTP(w, r)
	})
}

// parts gives each shared box an item, and removes the items of all boxes at a PUT of one.
func parts(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return func(_ *guests, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			to := &captured{ResponseWriter: w}
			next.ServeHTTP(to, r)
			var made struct{ ID uuid.UUID }
			switch {
			case r.Method == http.MethodPost && to.code == http.StatusCreated && json.Unmarshal([]byte(to.text), &made) == nil:
				_, _ = db.Session().IDB().NewInsert().Model(&Item{ID: uuid.New(), BoxID: made.ID, Name: "part"}).Exec(r.Context())
			case r.Method == http.MethodPut && to.code == http.StatusOK:
				_, _ = db.Session().IDB().NewDelete().Table("items").Where("1 = 1").Exec(r.Context())
			}
			w.WriteHeader(to.code)
			_, _ = w.Write([]byte(to.text))
		})
	}
}

// TestPartsOfRows: a write must not change a row that no viewset serves and that refers to a row which
// the caller may not change.
func TestPartsOfRows(t *testing.T) {
	t.Parallel()
	onDatabases(t, schema, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(t.Context(), nil, further); err != nil {
			t.Fatal(err)
		}
		report := prove(t, db, parts(db), shared()[0])
		for _, f := range report.Findings {
			if f.Method == http.MethodPut && strings.Contains(f.What, "it changes a row of items") {
				return
			}
		}
		t.Errorf("no finding is a changed item; there are %v", report.Findings)
	})
}

// spending serves a function that deletes the cards of all callers, the cards, and a function that deletes
// those of the caller, so that few are left.
func spending() []framework.Resource {
	remove := func(name, condition string) framework.Resource {
		run := func(c *framework.Call, _ framework.None) (framework.None, error) {
			_, err := c.DB.NewDelete().Table("cards").Where(condition, c.Caller.ID).Exec(c)
			return framework.None{}, err
		}
		return framework.ViewSet[Card]{
			Name: name, Scope: framework.Own((*Card).owner), Permission: framework.Authenticated(),
			Collection: []framework.CollectionAction{framework.OnCollection(http.MethodPost, "remove", run)},
		}
	}
	return []framework.Resource{remove("all", "owner_id IS NOT NULL OR owner_id = ?"), cards(), remove("mine", "owner_id = ?")}
}

// inventory shows the things of all callers to staff.
func inventory() framework.Resource {
	return framework.ViewSet[Thing]{
		Name: "inventory", Verbs: framework.Verbs{List: framework.Shows[thingView]()}, Scope: framework.Public(), Permission: framework.Staff(),
		Ordering: framework.Ordering{Default: "name"},
	}
}
