package fieldrule_test

import (
	"iter"
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// The ward of the tests: patients, some with a guardian, and their visits.

type Patient struct {
	bun.BaseModel `bun:"table:patients"`

	ID         int64 `bun:",pk,autoincrement"`
	Name       string
	Phone      string
	Age        int64
	Status     string
	Secret     *string
	GuardianID *int64

	Guardian *Patient `bun:"rel:belongs-to,join:guardian_id=id"`
	Visits   []*Visit `bun:"rel:has-many,join:id=patient_id"`
}

type Visit struct {
	bun.BaseModel `bun:"table:visits"`

	ID        int64 `bun:",pk,autoincrement"`
	PatientID int64
	Fee       int64
	Note      string

	Patient *Patient `bun:"rel:belongs-to,join:patient_id=id"`
}

var ward = sqldb.Migrations{Namespace: "ward", FS: fstest.MapFS{
	"1_ward.tx.up.sql": {Data: []byte(`
CREATE TABLE patients (id {{if sqlite}}INTEGER PRIMARY KEY{{else}}bigserial PRIMARY KEY{{end}}, name {{text}} NOT NULL, phone {{text}} NOT NULL, age {{bigint}} NOT NULL, status {{text}} NOT NULL, secret {{text}}, guardian_id {{bigint}});
CREATE TABLE visits (id {{if sqlite}}INTEGER PRIMARY KEY{{else}}bigserial PRIMARY KEY{{end}}, patient_id {{bigint}} NOT NULL, fee {{bigint}} NOT NULL, note {{text}} NOT NULL);`)},
	"1_ward.tx.down.sql": {Data: []byte(``)},
}}

type (
	patientInput struct {
		Name   string  `json:"name"   validate:"required"`
		Phone  string  `json:"phone"`
		Age    int64   `json:"age"`
		Status string  `json:"status" default:"new"`
		Secret *string `json:"secret"`
	}
	patientView struct {
		ID int64 `json:"id"`
		patientInput
		Guardian *string     `json:"guardian_name" from:"guardian.name"`
		Fees     int64       `json:"fees"          from:"sum(visits.fee)"`
		Visits   []visitPart `json:"visits"        from:"visits,order=-id"`
	}
	visitPart struct {
		Note string `json:"note"`
		Fee  int64  `json:"fee"`
	}
	rowView struct {
		ID    int64  `json:"id"`
		Name  string `json:"name"`
		Phone string `json:"phone"`
	}
	visitView struct {
		ID      int64    `json:"id"`
		Note    string   `json:"note"`
		Fee     int64    `json:"fee"`
		Patient *contact `json:"patient"`
		Phone   *string  `json:"phone"   from:"patient.phone"`
		Ages    *int64   `json:"ages"    from:"max(patient.visits.fee)"`
	}
	contact struct {
		Name  string `json:"name"`
		Phone string `json:"phone"`
	}
	chart struct {
		Patient patientView            `json:"patient"`
		Rows    []rowView              `json:"rows"`
		ByName  map[string]patientView `json:"by_name"`
		Length  int                    `json:"length"`
	}
	labelInput struct {
		Name string `json:"name"`
	}
	labelView struct {
		ID int64 `json:"id"`
		labelInput
		Phone string `json:"phone"`
	}
	computed struct {
		ID    int64  `json:"id"`
		Phone string `json:"phone"`
	}
)

var (
	contacts = framework.Holds("patients.contact")
	manages  = framework.Holds("patients.manage")
)

// patients have a phone, an age, a guardian and a secret that only holders of patients.contact see.
// Holders of patients.manage write the status and the secret.
func patients() framework.ViewSet[Patient] {
	return framework.ViewSet[Patient]{
		Name: "patients", Scope: framework.Public(), Verbs: framework.CRUD[patientInput, patientView](), Strict: framework.Strict,
		Relations: framework.Relations{"guardian": "patients", "visits": "visits"},
		Fields: []framework.FieldRule{
			framework.Sees("phone", contacts), framework.Sees("age", contacts), framework.Sees("guardian_id", contacts),
			framework.Sees("secret", contacts), framework.Writes("secret", manages), framework.Writes("status", manages),
		},
		Filters: []framework.Filter{
			filter.Exact("name"), filter.Exact("phone"), filter.Min("min_age", "age"), filter.Exact("guardian", "guardian.name"), filter.Min("min_fees", "sum(visits.fee)"),
			filter.Not(filter.Exact("not_phone", "phone")), filter.Together("visits", filter.Exact("note"), filter.Min("min_fee", "fee")),
		},
		Search:   framework.Search{Fields: []string{"name", "phone"}},
		Ordering: framework.Ordering{Allowed: []string{"name", "phone", "guardian.name", "fees"}, Default: "id"},
		Actions: []framework.Action[Patient]{
			framework.Get("chart", func(c *framework.Call, p *Patient, _ framework.None) (chart, error) {
				one, err := framework.FindOne[patientView](c, "patients", p.ID)
				if err != nil {
					return chart{}, err
				}
				rows, err := framework.Find[rowView](c, "patients", nil)
				return chart{one, rows, map[string]patientView{one.Name: one}, len(one.Phone)}, err
			}),
		},
		Collection: []framework.CollectionAction{
			framework.Lists[rowView]("rows"),
			framework.OnCollection(http.MethodGet, "export", func(c *framework.Call, _ framework.None) (iter.Seq2[rowView, error], error) {
				return framework.Each[rowView](c, "patients", nil), nil
			}).As(framework.NDJSON, framework.CSV),
		},
	}
}

func visits() framework.ViewSet[Visit] {
	return framework.ViewSet[Visit]{
		Name: "visits", Scope: framework.Public(), Verbs: framework.ReadOnly[visitView](), Relations: framework.Relations{"patient": "patients"},
		Fields:   []framework.FieldRule{framework.Sees("fee", framework.Holds("visits.fees"))},
		Filters:  []framework.Filter{filter.Exact("phone", "patient.phone"), filter.Exact("name", "patient.name")},
		Ordering: framework.Ordering{Allowed: []string{"patient.phone", "fee", "patient.name"}},
	}
}

// cards computes what it shows.
func cards() framework.ViewSet[Patient] {
	compute := func(_ *framework.Call, p *Patient) (computed, error) { return computed{p.ID, p.Phone}, nil }
	return framework.ViewSet[Patient]{
		Name: "cards", Scope: framework.Public(), Verbs: framework.Verbs{List: framework.Computes(compute), Retrieve: framework.Computes(compute)},
		Fields: []framework.FieldRule{framework.Sees("phone", contacts)},
	}
}

// labels have a flat view, whose phone no input has.
func labels() framework.ViewSet[Patient] {
	type embeds struct {
		labelView
		More string `json:"more"`
	}
	return framework.ViewSet[Patient]{
		Name: "labels", Scope: framework.Public(), Verbs: framework.CRUD[labelInput, labelView](), Strict: framework.Strict,
		Fields: []framework.FieldRule{framework.Sees("phone", contacts)},
		Actions: []framework.Action[Patient]{framework.Get("more", func(c *framework.Call, p *Patient, _ framework.None) (embeds, error) {
			one, err := framework.FindOne[labelView](c, "labels", p.ID)
			return embeds{one, "more"}, err
		})},
	}
}

// desk shows the views of patients without rules.
func desk() framework.ViewSet[Patient] {
	return framework.ViewSet[Patient]{Name: "desk", Scope: framework.Public(), Verbs: framework.ReadOnly[rowView](), Permission: manages}
}

func resources() []framework.Resource {
	return []framework.Resource{patients(), visits(), cards(), labels(), desk()}
}

// held are the permissions of the callers.
var held = apitest.Names{
	"ann": nil, "hal": {"patients.contact"}, "max": {"patients.manage"}, "fay": {"visits.fees"}, "all": {"patients.contact", "patients.manage", "visits.fees"},
}

func config(db *sqldb.DB) framework.Config {
	c := apitest.Config(db)
	c.Authentication = []framework.Authenticator{held}
	return c
}

// both runs a test on a fresh ward in both databases: Ada, the guardian of Bea, and their visits.
func both(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	apitest.Databases(t, ward, func(t *testing.T, db *sqldb.DB) {
		apitest.Insert(t, db,
			&Patient{Name: "Ada", Phone: "+111", Age: 70, Status: "old", Secret: new("alpha")},
			&Patient{Name: "Bea", Phone: "+222", Age: 20, Status: "new", GuardianID: new(int64(1))},
			&Visit{PatientID: 1, Fee: 77, Note: "hip"}, &Visit{PatientID: 2, Fee: 55, Note: "eye"})
		test(t, db)
	})
}
