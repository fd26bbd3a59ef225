package totals_test

import (
	"net/http"
	"net/url"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/calendar"
	"trestle.example/framework/decimal"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// The clinic of the tests. Visits belong to callers and are deleted softly; staff have all of them. Only staff see hidden patients, and
// the secrets of patients.

type Patient struct {
	bun.BaseModel `bun:"table:patients"`

	ID     int64 `bun:",pk"`
	Name   string
	City   *string
	Age    *int64
	Secret string
	Hidden bool
}

type Visit struct {
	bun.BaseModel `bun:"table:visits"`

	ID        int64 `bun:",pk"`
	OwnerID   uuid.UUID
	Status    Status
	Fee       decimal.Of[Small]
	Paid      decimal.Of[Exact]
	Minutes   int32
	Points    int64
	Rating    *float64
	Day       *calendar.Date
	StartsAt  time.Time
	Seen      bool
	Note      *string
	Part      *uuid.UUID
	PatientID *int64
	DeletedAt time.Time `bun:",soft_delete,nullzero"`

	Patient *Patient  `bun:"rel:belongs-to,join:patient_id=id"`
	Remarks []*Remark `bun:"rel:has-many,join:id=visit_id"`
}

func (v *Visit) owner() *uuid.UUID { return &v.OwnerID }

type Remark struct {
	bun.BaseModel `bun:"table:remarks"`

	ID      int64 `bun:",pk"`
	VisitID int64
	Stars   *int64
	Visit   *Visit `bun:"rel:belongs-to,join:visit_id=id"`
}

// A Status is that of a visit.
type Status string

func (Status) Enum() []any { return []any{Status("draft"), Status("booked"), Status("done")} }

// Small is the scale of fees: a sum has more digits than each of them.
type Small struct{}

func (Small) Format() decimal.Format { return decimal.Format{Digits: 5, Places: 2, Text: true} }

// Exact is the scale of a numeric column.
type Exact struct{}

func (Exact) Format() decimal.Format { return decimal.Format{Digits: 14, Places: 2, Numeric: true} }

var clinic = sqldb.Migrations{Namespace: "clinic", FS: fstest.MapFS{
	"1_clinic.tx.up.sql": {Data: []byte(`
CREATE TABLE patients (id {{bigint}} PRIMARY KEY, name {{text}} NOT NULL, city {{text}}, age {{bigint}}, secret {{text}} NOT NULL, hidden {{bool}} NOT NULL);
CREATE TABLE visits (id {{bigint}} PRIMARY KEY, owner_id {{uuid}} NOT NULL, status {{text}} NOT NULL, fee {{bigint}} NOT NULL, paid numeric NOT NULL,
	minutes integer NOT NULL, points {{bigint}} NOT NULL, rating {{if sqlite}}REAL{{else}}double precision{{end}}, day {{if sqlite}}TEXT{{else}}date{{end}},
	starts_at {{timestamp}} NOT NULL, seen {{bool}} NOT NULL, note {{text}}, part {{uuid}}, patient_id {{bigint}}, deleted_at {{timestamp}});
CREATE TABLE remarks (id {{bigint}} PRIMARY KEY, visit_id {{bigint}} NOT NULL, stars {{bigint}});`)},
	"1_clinic.tx.down.sql": {Data: []byte(``)},
}}

type (
	visitView struct {
		ID        int64             `json:"id"`
		Status    Status            `json:"status"`
		Fee       decimal.Of[Small] `json:"fee"`
		Paid      decimal.Of[Exact] `json:"paid"`
		Minutes   int32             `json:"minutes"`
		Points    int64             `json:"points"`
		Rating    *float64          `json:"rating"`
		Day       *calendar.Date    `json:"day"`
		StartsAt  time.Time         `json:"starts_at"`
		Seen      bool              `json:"seen"`
		Note      *string           `json:"note"`
		Part      *uuid.UUID        `json:"part"`
		PatientID *int64            `json:"patient_id"`
		Replies   int64             `json:"replies" from:"count(remarks)"`
	}
	patientView struct {
		ID     int64   `json:"id"`
		Name   string  `json:"name"`
		City   *string `json:"city"`
		Age    *int64  `json:"age"`
		Secret string  `json:"secret"`
	}
	remarkView struct {
		ID    int64  `json:"id"`
		Stars *int64 `json:"stars"`
	}
)

func visits() framework.ViewSet[Visit] {
	return framework.ViewSet[Visit]{
		Name: "visits", Verbs: framework.ReadOnly[visitView](), Scope: framework.Own((*Visit).owner).Unless(framework.Staff()),
		Relations: framework.Relations{"patient": "patients", "remarks": "visits/{}/remarks"},
		Expressions: map[string]framework.Expression{
			"length": framework.SQL[string]("CASE WHEN ?TableAlias.minutes < ? THEN ? ELSE ? END", 30, "short", "long"),
			"date":   framework.SQL[calendar.Date]("date(?TableAlias.starts_at)"),
		},
		Filters:          []framework.Filter{filter.Exact("status"), filter.Min("min_points", "points"), filter.Exact("city", "patient.city")},
		FilterExpression: framework.FilterExpression{Fields: []string{"status", "points", "patient.city"}, Param: "where"},
		Search:           framework.Search{Fields: []string{"note"}},
		SoftDelete:       framework.SoftDelete{Deleted: framework.Staff()},
		Totals: framework.Totals{
			By: []string{
				"status", "fee", "paid", "points", "rating", "day", "starts_at", "seen", "note", "part", "replies", "length", "date",
				"patient.name", "patient.city", "patient.age", "patient.secret",
			},
			Sum: []string{"fee", "paid", "minutes", "points", "rating", "replies", "patient.age"},
			Min: []string{"fee", "paid", "points", "rating", "day", "starts_at", "patient.age"},
			Max: []string{"fee", "paid", "points", "rating", "day", "starts_at", "replies"},
		},
	}
}

func patients() framework.ViewSet[Patient] {
	return framework.ViewSet[Patient]{
		Name: "patients", Verbs: framework.ReadOnly[patientView](), Scope: framework.Where(visible).Unless(framework.Staff()),
		Fields: []framework.FieldRule{framework.Sees("secret", framework.Staff())},
	}
}

func visible(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	return q.Where("NOT ?TableAlias.hidden")
}

func remarks() framework.ViewSet[Remark] {
	return framework.ViewSet[Remark]{
		Name: "remarks", Parent: framework.Child("visit", "visits"), Verbs: framework.ReadOnly[remarkView](), Scope: framework.Public(),
		Totals: framework.Totals{By: []string{"stars"}, Sum: []string{"stars"}},
	}
}

// with is the clinic with a change of its visits.
func with(change func(v *framework.ViewSet[Visit])) []framework.Resource {
	v := visits()
	change(&v)
	return []framework.Resource{v, patients(), remarks()}
}

func resources() []framework.Resource { return with(func(*framework.ViewSet[Visit]) {}) }

func both(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	apitest.Databases(t, clinic, test)
}

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func dayOf(t *testing.T, text string) *calendar.Date {
	t.Helper()
	var day calendar.Date
	if err := day.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return &day
}

// few stores the visits of ada and of ben.
func few(t *testing.T, db *sqldb.DB) {
	t.Helper()
	ada, ben, part := apitest.ID("ada"), apitest.ID("ben"), apitest.ID("part")
	apitest.Insert(t, db,
		&Patient{ID: 1, Name: "ann", City: new("Pune"), Age: new(int64(30)), Secret: "s1"}, &Patient{ID: 2, Name: "bob", Age: new(int64(50)), Secret: "s2"},
		&Patient{ID: 3, Name: "eve", City: new("Goa"), Secret: "s3", Hidden: true},
		&Visit{ID: 1, OwnerID: ada, Status: "booked", Fee: 50000, Paid: 110, Minutes: 20, Points: 5, Rating: new(1.5), Day: dayOf(t, "2026-01-31"), StartsAt: noon, Seen: true, Note: new("a note"), Part: &part, PatientID: new(int64(1))},
		&Visit{ID: 2, OwnerID: ada, Status: "booked", Fee: 99999, Paid: 220, Minutes: 45, Points: -7, StartsAt: noon.Add(time.Hour), PatientID: new(int64(2))},
		&Visit{ID: 3, OwnerID: ada, Status: "draft", Fee: -1, Paid: 0, Minutes: 30, Points: 2, Rating: new(2.0), Day: dayOf(t, "2026-01-30"), StartsAt: noon.Add(-time.Hour), Note: new("another note"), PatientID: new(int64(3))},
		&Visit{ID: 4, OwnerID: ada, Status: "done", Fee: 1, Paid: 5, Minutes: 1, Points: 100, StartsAt: noon, DeletedAt: noon},
		&Visit{ID: 5, OwnerID: ben, Status: "done", Fee: 77777, Paid: 123456789012, Minutes: 7, Points: 1000, Rating: new(9.5), StartsAt: noon.Add(24 * time.Hour), PatientID: new(int64(1))},
		&Remark{ID: 1, VisitID: 1, Stars: new(int64(3))}, &Remark{ID: 2, VisitID: 1, Stars: new(int64(3))}, &Remark{ID: 3, VisitID: 1}, &Remark{ID: 4, VisitID: 5, Stars: new(int64(5))},
	)
}

// totals requests totals of visits.
func totals(c *frameworktest.Client, query string) *frameworktest.Response {
	values, err := url.ParseQuery(query)
	if err != nil {
		panic(err)
	}
	return c.Get("/api/visits/totals/?" + values.Encode())
}

// rowsOf is the list of rows of an answer, as JSON.
func rowsOf(r *frameworktest.Response) string {
	const before, after = `{"totals":`, `}`
	body := r.Expect(http.StatusOK).Body()
	return body[min(len(before), len(body)) : len(body)-len(after)]
}
