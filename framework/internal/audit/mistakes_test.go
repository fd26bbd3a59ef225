package audit_test

import (
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestMistakes: declarations that record nothing, or not everything, are reported at start.
func TestMistakes(t *testing.T) {
	apitest.Databases(t, schema, func(t *testing.T, db *sqldb.DB) {
		config := apitest.Config(db)
		config.Authentication = []framework.Authenticator{names}
		plain := framework.ViewSet[Patient]{
			Name: "people", Scope: framework.Public(), Permission: framework.Anyone(), Verbs: framework.Verbs{List: framework.Shows[patientView](), Retrieve: framework.Shows[patientView]()},
		}
		with := func(change func(*framework.ViewSet[Patient])) framework.ViewSet[Patient] {
			v := plain
			change(&v)
			return v
		}
		audited := func(v *framework.ViewSet[Patient]) { v.Audit.Permission = audits }
		cached := framework.ViewSet[Visit]{
			Name: "visits", Scope: framework.Public(), Permission: framework.Anyone(), Relations: framework.Relations{"patient": "people"},
			Verbs: framework.Verbs{Retrieve: framework.Shows[visitView]()}, Cache: framework.Cache{For: time.Minute},
		}
		for _, test := range []struct {
			name, want string
			resources  []framework.Resource
		}{
			{"two viewsets of a table", `others: audit: people records the reads of these rows already; leave Audit out here`, []framework.Resource{
				with(audited), with(func(v *framework.ViewSet[Patient]) { v.Name = "others"; audited(v) }),
			}},
			{"no path of a row", `people: audit: no verb is about one row, so no row has a path; declare Retrieve, or leave Audit out`, []framework.Resource{
				with(func(v *framework.ViewSet[Patient]) { v.Verbs.Retrieve = framework.Verbs{}.Retrieve; audited(v) }),
			}},
			{"answers that caches show again", `people: cache: caches show the rows of people without a request that is recorded; leave out Cache here, or Audit there`, []framework.Resource{
				with(func(v *framework.ViewSet[Patient]) { v.Cache.For = time.Minute; audited(v) }),
			}},
			{"answers of another viewset that caches show again", `visits: cache: caches show the rows of people without a request that is recorded; leave out Cache here, or Audit there`, []framework.Resource{
				with(audited), cached,
			}},
			{"an action with the path of the reads", `people: audit: it is declared twice for GET`, []framework.Resource{
				with(func(v *framework.ViewSet[Patient]) {
					v.Actions = []framework.Action[Patient]{framework.Get("reads", func(*framework.Call, *Patient, framework.None) (patientName, error) { return patientName{}, nil })}
					audited(v)
				}),
			}},
		} {
			t.Run(test.name, func(t *testing.T) { apitest.Mistake(t, config, test.want, test.resources...) })
		}
	})
}
