package totals_test

import (
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestContract: random requests for totals, valid and spoilt ones, are answered as the OpenAPI document says.
func TestContract(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api, _ := apitest.Serve(t, apitest.Config(db), resources()...)
		few(t, db)
		document, err := api.Document("json")
		if err != nil {
			t.Fatal(err)
		}
		promised, err := contract.New(document)
		if err != nil {
			t.Fatal(err)
		}
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		as := func(name string) func(string, string) http.Header {
			return func(string, string) http.Header { return http.Header{"Authorization": {"Name " + name}} }
		}
		attack := contract.Attack{
			Contract: promised, URL: frameworktest.New(t, promised.Wrap(t, handler)).URL(), Seed: 7, Requests: 400,
			Only:    func(_, path string) bool { return strings.HasSuffix(path, "/totals/") },
			Callers: map[string]func(string, string) http.Header{"ada": as("ada"), "staff": as("staff")},
			Known:   map[string][]string{"visit_id": {"1", "2", "5"}},
			Unsaid:  map[string][]string{"": {"where: invalid_parameter", "search: invalid_parameter"}},
		}
		tally := attack.Run(t)
		for _, id := range []string{"getVisitsTotals", "getVisitRemarksTotals"} {
			if tally.Statuses[id][http.StatusOK] < 10 {
				t.Errorf("%s succeeded too rarely: %v", id, tally.Statuses[id])
			}
		}
	})
}
