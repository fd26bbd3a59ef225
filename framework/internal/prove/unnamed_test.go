package prove_test

import (
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestAPermissionOfAnotherViewset: a permission that has nothing to do with an endpoint opens rows that the endpoint shows by a relation.
// The scope of these rows has a permission of its own, whose holder may see them.
func TestAPermissionOfAnotherViewset(t *testing.T) {
	t.Parallel()
	servers := func() []framework.Resource {
		gardens, labels := planted()[0].(framework.ViewSet[Garden]), planted()[1].(framework.ViewSet[Label]) //nolint:forcetypeassert // they are
		gardens.Scope, gardens.Writers = framework.Public(), gardens.Scope
		labels.Scope = labels.Scope.Unless(framework.Holds("labels.all"))
		counted := framework.ViewSet[Plant]{Name: "counts", Verbs: framework.ReadOnly[plantView](), Scope: framework.Public(), Permission: framework.Holds("plants.count")}
		weighed := framework.ViewSet[Plant]{Name: "weights", Verbs: framework.ReadOnly[plantView](), Scope: framework.Public(), Permission: framework.Holds("plants.weigh")}
		return []framework.Resource{gardens, labels, counted, weighed}
	}
	// opens serves the requests of a holder of a permission that a method and the beginning of a path choose as those of a superuser.
	opens := func(method, path string) func(*guests, http.Handler) http.Handler {
		return func(g *guests, next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				caller, _ := g.Authenticate(nil, r)
				if caller != nil && !caller.Superuser && caller.Permissions["plants.count"] && r.Method == method && strings.HasPrefix(r.URL.Path, path) {
					r.Header.Set("Authorization", g.superuser())
				}
				next.ServeHTTP(w, r)
			})
		}
	}
	for _, test := range []struct {
		name   string
		change func(*guests, http.Handler) http.Handler
		where  string // "" for no finding
	}{
		{"no fault", nil, ""},
		{"rows of a relation", opens(http.MethodGet, "/api/gardens/"), "GET /api/gardens/{id}/"},
	} {
		t.Run(test.name, func(t *testing.T) {
			onDatabases(t, gardens, func(t *testing.T, db *sqldb.DB) {
				report := prove(t, db, test.change, servers()...)
				if test.where == "" && len(report.Findings)+len(report.Unexercised) > 0 {
					t.Errorf("the findings are %v, and %v; want none", report.Findings, report.Unexercised)
				}
				if test.where != "" {
					finds(t, report, test.where, "not theirs")
				}
			})
		})
	}
}
