package prove_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
)

type posterView struct {
	ID      uuid.UUID `json:"id"`
	Title   string    `json:"title"`
	Starred bool      `json:"starred" from:"exists(stars,mine)"`
}

// posters are walls that callers star. Each caller sees which ones they have starred.
func posters() []framework.Resource {
	signedIn := framework.Authenticated()
	return []framework.Resource{
		framework.ViewSet[Wall]{
			Name: "posters", Scope: framework.Public(), Permission: signedIn, Relations: framework.Relations{"stars": "stars"},
			Verbs:    framework.Verbs{List: framework.Shows[posterView](), Create: framework.Accepts[titleInput, posterView](), Retrieve: framework.Shows[posterView]()},
			Ordering: framework.Ordering{Default: "title"}, Filters: []framework.Filter{filter.Exact("starred")},
			Actions: []framework.Action[Wall]{framework.Toggle[Wall, posterView]("star", "stars", "user_id")},
		},
		framework.ViewSet[Star]{Name: "stars", Verbs: framework.Verbs{List: framework.Shows[starView]()}, Scope: framework.Public(), Writers: framework.Own((*Star).user), Permission: signedIn},
	}
}

// TestMine: a function with mine does not count the stars of another caller.
func TestMine(t *testing.T) {
	t.Parallel()
	list := at("GET", "/api/posters/")
	for _, c := range []struct {
		name, what string
		change     func(*guests, http.Handler) http.Handler
	}{
		{"no leak", "", nil},
		{"a field shows the stars of another", "starred is true, and the caller has no such row", asOwner(func(r *http.Request) bool { return list(r) && r.URL.RawQuery == "" })},
		{"a filter finds the stars of another", "it has rows for which starred is true", asOwner(func(r *http.Request) bool { return list(r) && r.URL.Query().Has("starred") })},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onDatabases(t, studioSchema, func(t *testing.T, db *sqldb.DB) {
				report := prove(t, db, c.change, posters()...)
				found := slices.Concat(report.Findings, report.Unexercised)
				if c.what == "" && len(found) > 0 || !strings.Contains(fmt.Sprint(found), c.what) {
					t.Errorf("the findings are %q; want %q", found, c.what)
				}
			})
		})
	}
}
