package history_test

import (
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// heard is a test that keeps its errors.
type heard struct {
	testing.TB

	errors []string
}

func (h *heard) Errorf(_ string, values ...any) { h.errors = append(h.errors, values[2].(string)) }

// TestStatementsOfFunctions: in a test, a statement of a function that writes to a recorded table is an error, whether it runs
// in the transaction or beside it. Other statements are not.
func TestStatementsOfFunctions(t *testing.T) {
	apitest.Databases(t, surgery, func(t *testing.T, db *sqldb.DB) {
		statements := map[string]func(c *framework.Call, p *Patient) error{
			"raw": func(c *framework.Call, p *Patient) error {
				_, err := c.DB.NewRaw("UPDATE patients SET age = 5 WHERE id = ?", p.ID).Exec(c)
				return err
			},
			"built": func(c *framework.Call, p *Patient) error {
				_, err := c.DB.NewUpdate().Model(p).Set("age = 6").WherePK().Exec(c)
				return err
			},
			"deleted": func(c *framework.Call, p *Patient) error {
				_, err := c.DB.NewDelete().Model((*Patient)(nil)).Where("name = 'none'").Exec(c)
				return err
			},
			"with a schema": func(c *framework.Call, p *Patient) error {
				schema := map[sqldb.Kind]string{sqldb.PostgreSQL: "public", sqldb.SQLite: "main"}[db.Kind()]
				_, err := c.DB.NewRaw("/* a comment */ UPDATE "+schema+".patients SET age = 5 WHERE id = ?", p.ID).Exec(c)
				return err
			},
			"a text": func(c *framework.Call, _ *Patient) error {
				_, err := c.DB.NewRaw("INSERT INTO notes_of_patients VALUES (?) /* update patients */", "it's time to update patients").Exec(c)
				return err
			},
			"saved": func(c *framework.Call, p *Patient) error { p.Name += "!"; return framework.Save(c, p) },
			"read": func(c *framework.Call, p *Patient) error {
				return c.DB.NewSelect().Model(p).WherePK().Scan(c)
			},
			"other": func(c *framework.Call, p *Patient) error {
				_, err := c.DB.NewRaw("UPDATE notes_of_patients SET text = '' WHERE 1 = 0").Exec(c)
				return err
			},
		}
		if _, err := db.ExecContext(t.Context(), "CREATE TABLE notes_of_patients (text text)"); err != nil {
			t.Fatal(err)
		}
		v := framework.ViewSet[Patient]{Name: "patients", Verbs: framework.CRUD[deskInput, deskView](), Scope: framework.Public(), History: framework.History{Permission: audits}}
		for name, run := range statements {
			v.Actions = append(v.Actions, framework.Post(strings.ReplaceAll(name, " ", "-"), func(c *framework.Call, p *Patient, _ framework.None) (framework.None, error) {
				return framework.None{}, run(c, p)
			}))
		}
		api := framework.New(apitest.Config(db))
		api.Register(v)
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		errors := &heard{TB: t}
		c := frameworktest.New(t, frameworktest.RequireHistory(errors, api, db, handler))
		var made struct{ ID string }
		c.Post("/api/patients/", fields{"name": "Asha"}).Expect(201).JSON(&made)
		apitest.Insert(t, db, &Patient{ID: apitest.ID("x"), Name: "a row of the test"})
		for name := range statements {
			errors.errors = nil
			c.Post("/api/patients/"+made.ID+"/"+strings.ReplaceAll(name, " ", "-")+"/", nil).Expect(204)
			wrong := name == "raw" || name == "built" || name == "deleted" || name == "with a schema"
			if wrong != (len(errors.errors) == 1) || wrong && !strings.Contains(errors.errors[0], "patients") {
				t.Errorf("%s: the errors are %q", name, errors.errors)
			}
		}
	})
}
