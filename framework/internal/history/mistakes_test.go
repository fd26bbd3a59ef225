package history_test

import (
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestMistakes: each declaration that cannot work is reported at start.
func TestMistakes(t *testing.T) {
	type nameView struct {
		Name string `json:"name"`
	}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		for _, test := range []struct {
			name, want string
			resources  []framework.Resource
		}{
			{"a field that is left out and does not exist", `patients: history: no field "phones" in Patient; did you mean "phone"?`, []framework.Resource{framework.ViewSet[Patient]{
				Name: "patients", Verbs: framework.CRUD[deskInput, deskView](), Scope: framework.Public(), History: framework.History{Permission: audits, Except: []string{"phones"}},
			}}},
			{"fields that are left out, without a permission", `patients: history: Except has no effect without a Permission`, []framework.Resource{framework.ViewSet[Patient]{
				Name: "patients", Verbs: framework.CRUD[deskInput, deskView](), Scope: framework.Public(), History: framework.History{Except: []string{"phone"}},
			}}},
			{"two histories of one table", `desk: history: patients records the changes of these rows already; leave History out here`, []framework.Resource{
				framework.ViewSet[Patient]{Name: "patients", Verbs: framework.CRUD[deskInput, deskView](), Scope: framework.Public(), History: framework.History{Permission: audits}},
				framework.ViewSet[Patient]{Name: "desk", Verbs: framework.CRUD[deskInput, deskView](), Scope: framework.Public(), History: framework.History{Permission: audits}},
			}},
			{"no path of a row", `patients: history: no verb is about one row, so no row has a path; declare Retrieve, or leave History out`, []framework.Resource{framework.ViewSet[Patient]{
				Name: "patients", Verbs: framework.Verbs{List: framework.Shows[nameView]()}, Scope: framework.Public(), History: framework.History{Permission: audits},
			}}},
			{"an action of this name", `patients: history: it is declared twice for GET`, []framework.Resource{framework.ViewSet[Patient]{
				Name: "patients", Verbs: framework.CRUD[deskInput, deskView](), Scope: framework.Public(), History: framework.History{Permission: audits},
				Actions: []framework.Action[Patient]{framework.Get[Patient, framework.None, framework.None]("history", func(*framework.Call, *Patient, framework.None) (framework.None, error) {
					return framework.None{}, nil
				})},
			}}},
		} {
			t.Run(test.name, func(t *testing.T) { apitest.Mistake(t, apitest.Config(db), test.want, test.resources...) })
		}
	})
}

// TestTheTableIsChecked: a database without the table of the entries is noticed before the first change.
func TestTheTableIsChecked(t *testing.T) {
	apitest.Databases(t, surgery, func(t *testing.T, db *sqldb.DB) {
		api := framework.New(apitest.Config(db))
		api.Register(framework.ViewSet[Patient]{
			Name: "patients", Verbs: framework.CRUD[deskInput, deskView](), Scope: framework.Public(), History: framework.History{Permission: audits},
		})
		if err := api.Check(); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{0, 1} {
			missing, err := api.MissingColumns(t.Context())
			if err != nil || len(missing) != want || want == 1 && missing[0].Table != "row_history" {
				t.Errorf("it misses %v, %v; want %d", missing, err, want)
			}
			if _, err := db.ExecContext(t.Context(), "DROP TABLE IF EXISTS row_history"); err != nil {
				t.Fatal(err)
			}
		}
	})
}
