package filter_test

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A fee is an exact decimal with two places, stored as hundredths.
type fee int64

func (f *fee) UnmarshalText(text []byte) error {
	whole, cents, _ := strings.Cut(string(text), ".")
	n, err := strconv.ParseInt(whole+(cents + "00")[:2], 10, 64)
	if err != nil || len(cents) > 2 {
		return framework.ValueError("must be an amount with at most two places")
	}
	*f = fee(n)
	return nil
}

func (f fee) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%d.%02d", f/100, f%100), nil }

// A grade is a decimal with its own comparison.
type grade struct{ tenths int64 } //nolint:recvcheck // sql.Scanner needs a pointer, driver.Valuer a value

func (g *grade) UnmarshalText(text []byte) error {
	f, err := strconv.ParseFloat(string(text), 32)
	if err != nil || f < 0 || f > 10 {
		return framework.ValueError("must be a grade from 0 to 10")
	}
	g.tenths = int64(f * 10)
	return nil
}

func (g grade) Cmp(other grade) int          { return int(g.tenths - other.tenths) }
func (g grade) Value() (driver.Value, error) { return g.tenths, nil }
func (g *grade) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return fmt.Errorf("a grade cannot be read from %T", v)
	}
	g.tenths = n
	return nil
}

type doctor struct {
	bun.BaseModel `bun:"table:doctors"`

	ID     uuid.UUID `bun:",pk"`
	Name   string
	Hidden bool
}

type appointment struct {
	bun.BaseModel `bun:"table:appointments"`

	ID       int64 `bun:",pk"`
	DoctorID uuid.UUID
	Status   string
	Fee      fee
	Grade    grade
	Weeks    uint8
	Urgent   bool
	Notes    json.RawMessage
	StartsAt *time.Time
	Room     string `bun:",nullzero"`
}

type doctorView struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

type appointmentView struct {
	ID       int64           `json:"id"`
	DoctorID uuid.UUID       `json:"doctor"`
	Status   string          `json:"status"`
	Fee      fee             `json:"fee"`
	Grade    grade           `json:"grade"`
	Weeks    uint8           `json:"weeks"`
	Urgent   bool            `json:"urgent"`
	Notes    json.RawMessage `json:"notes"`
	StartsAt *time.Time      `json:"starts_at"`
	Room     string          `json:"room"`
}

// one is a pagination class with all rows on one page.
type one struct{}

func (one) Params() []framework.Param { return nil }
func (one) Window(framework.Values) (framework.Window, error) {
	return framework.Window{Limit: 100}, nil
}
func (one) Envelope(framework.Page) (framework.Envelope, error) {
	return framework.Envelope{{Value: framework.Items{}}}, nil
}

func clinic(db *sqldb.DB, filters ...framework.Filter) *framework.API {
	api := framework.New(framework.Config{DB: db, Permission: framework.Anyone(), Pagination: one{}})
	api.Register(
		framework.ViewSet[doctor]{
			Name: "doctors", Verbs: framework.Verbs{List: framework.Shows[doctorView]()},
			Scope: framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
				return q.Where("?TableAlias.hidden = ?", sqldb.Param(false))
			}),
		},
		framework.ViewSet[appointment]{
			Name: "appointments", Verbs: framework.Verbs{List: framework.Shows[appointmentView]()},
			Scope: framework.Public(), Filters: filters,
		},
	)
	return api
}

var (
	seen   = uuid.MustParse("01900000-0000-7000-8000-000000000001")
	hidden = uuid.MustParse("01900000-0000-7000-8000-000000000002")
)

// fill creates the tables and two appointments: one with a doctor that every caller may see,
// and one with another doctor.
func fill(t *testing.T, db *sqldb.DB) {
	t.Helper()
	id, at := "text", "timestamp"
	if db.Kind() == sqldb.PostgreSQL {
		id, at = "uuid", "timestamptz"
	}
	for _, statement := range []string{
		"CREATE TABLE doctors (id " + id + " PRIMARY KEY, name text NOT NULL, hidden boolean NOT NULL)",
		"CREATE TABLE appointments (id bigint PRIMARY KEY, doctor_id " + id + " NOT NULL, status text NOT NULL, fee bigint NOT NULL," +
			" grade bigint NOT NULL, weeks bigint NOT NULL, urgent boolean NOT NULL, notes text NOT NULL, starts_at " + at + ", room text)",
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	insert(t, db, &[]doctor{{ID: seen, Name: "Ada"}, {ID: hidden, Name: "Bob", Hidden: true}})
	at1 := time.Date(2026, 1, 31, 23, 59, 59, 999999000, time.UTC)
	insert(t, db, &[]appointment{
		{ID: 1, DoctorID: seen, Status: "booked", Fee: 1250, Grade: grade{75}, Weeks: 3, Urgent: true, Notes: json.RawMessage(`{}`), StartsAt: &at1, Room: "A"},
		{ID: 2, DoctorID: hidden, Status: "completed", Fee: 99, Grade: grade{100}, Weeks: 255, Notes: json.RawMessage(`{}`)},
	})
}

func insert(t *testing.T, db *sqldb.DB, rows any) {
	t.Helper()
	if _, err := db.NewInsert().Model(rows).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestFiltersOfADeclaration: filters work together, on types of the program, and through
// the scopes of other viewsets.
func TestFiltersOfADeclaration(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		handler, err := clinic(db,
			filter.Choice("status", "booked", "completed"), filter.Min("min_fee", "fee"), filter.Max("max_weeks", "weeks"), filter.Range("grade"),
			filter.Reference("doctor", "doctors"), filter.IsNull("unscheduled", "starts_at"), filter.IsNull("roomless", "room"),
			filter.Date("on", "starts_at"), filter.In("fees", "fee"),
		).Handler()
		if err != nil {
			t.Fatal(err)
		}
		only := func(id string) []string { return []string{`[{"id":` + id + `,`} }
		frameworktest.Run(t, frameworktest.New(t, handler), []frameworktest.Scenario{
			{Name: "a decimal minimum", Path: "/api/appointments/?min_fee=12.5", Status: 200, Contains: only("1"), Lacks: []string{`"id":2`}},
			{Name: "a decimal minimum that is met exactly", Path: "/api/appointments/?min_fee=12.51", Status: 200, Lacks: []string{`"id"`}},
			{Name: "a decimal of too many places", Path: "/api/appointments/?min_fee=1.234", Status: 400, Faults: map[string]string{"min_fee": "invalid_parameter"}, Contains: []string{"at most two places"}},
			{Name: "several decimals", Path: "/api/appointments/?fees=0.99,7", Status: 200, Contains: only("2")},
			{Name: "a range of a type that compares itself", Path: "/api/appointments/?grade_min=8", Status: 200, Contains: only("2")},
			{Name: "the wrong way round for a type that compares itself", Path: "/api/appointments/?grade_min=8&grade_max=7", Status: 400, Faults: map[string]string{"grade_min": "invalid_parameter", "grade_max": "invalid_parameter"}},
			{Name: "a number too large for the field", Path: "/api/appointments/?max_weeks=256", Status: 400, Code: "invalid_parameter"},
			{Name: "a number below the field's own", Path: "/api/appointments/?max_weeks=-1", Status: 400, Code: "invalid_parameter"},
			{Name: "a choice that is not offered", Path: "/api/appointments/?status=Booked", Status: 400, Contains: []string{"must be one of booked, completed; did you mean booked?"}},
			{Name: "a choice far from any", Path: "/api/appointments/?status=lost", Status: 400, Contains: []string{`must be one of booked, completed"`}},
			{Name: "a doctor of the caller's", Path: "/api/appointments/?doctor=" + seen.String(), Status: 200, Contains: only("1")},
			{Name: "a doctor outside the caller's scope", Path: "/api/appointments/?doctor=" + hidden.String(), Status: 200, Lacks: []string{`"id"`}},
			{Name: "a doctor who does not exist", Path: "/api/appointments/?doctor=" + uuid.NewString(), Status: 200, Lacks: []string{`"id"`}},
			{Name: "a malformed reference", Path: "/api/appointments/?doctor=ada", Status: 400, Faults: map[string]string{"doctor": "invalid_parameter"}},
			{Name: "no time at all", Path: "/api/appointments/?unscheduled=true", Status: 200, Contains: only("2")},
			{Name: "no room, kept as null", Path: "/api/appointments/?roomless=1", Status: 200, Contains: only("2")},
			{Name: "the last microsecond of a day", Path: "/api/appointments/?on=2026-01-31", Status: 200, Contains: only("1")},
			{Name: "the day after", Path: "/api/appointments/?on=2026-02-01", Status: 200, Lacks: []string{`"id"`}},
			{Name: "filters together", Path: "/api/appointments/?status=booked&min_fee=1&max_weeks=200", Status: 200, Contains: only("1"), Lacks: []string{`"id":2`}},
			{Name: "every fault at once", Path: "/api/appointments/?status=x&min_fee=y&doctor=z", Status: 400, Faults: map[string]string{"status": "invalid_parameter", "min_fee": "invalid_parameter", "doctor": "invalid_parameter"}},
			{Name: "described to clients", Method: "OPTIONS", Path: "/api/appointments/", Status: 200, Contains: []string{`"min_fee"`, `"booked"`}},
		})
	})
}

// TestMistakes: a mistake in a declaration stops the program with a sentence.
func TestMistakes(t *testing.T) {
	db, err := sqldb.Open("sqlite://"+t.TempDir()+"/test.db", sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, test := range map[string]struct {
		filter filter.Backend
		want   string
	}{
		"a misspelt field":                {filter.Exact("statos"), `no field "statos" in appointment; did you mean "status"?`},
		"a field no parameter can hold":   {filter.Exact("notes"), `field "notes" is json.RawMessage, which a query parameter cannot hold`},
		"a list of such a field":          {filter.In("notes", "notes"), `field "notes" is json.RawMessage`},
		"a minimum of a boolean":          {filter.Min("min_urgent", "urgent"), `field "urgent" is bool; filter.Min compares numbers and times`},
		"a maximum of text":               {filter.Max("max_status", "status"), `field "status" is string; filter.Max compares numbers and times`},
		"a flag of a number":              {filter.Flag("weekly", "weeks"), `field "weeks" is uint8; filter.Flag takes a boolean`},
		"a range without a parameter":     {filter.RangeAs("from", "", "weeks"), `parameter has no name`},
		"a range of ids":                  {filter.Range("doctor"), `field "doctor" is uuid.UUID; filter.Range compares numbers and times`},
		"a day of a number":               {filter.Date("on", "fee"), `field "fee" is filter_test.fee; filter.Date takes a time`},
		"null of a field that never is":   {filter.IsNull("no_fee", "fee"), `field "fee" is filter_test.fee, which is never null`},
		"text in a number":                {filter.Contains("weeks"), `field "weeks" is uint8; filter.Contains looks into text`},
		"text in an id":                   {filter.Contains("doctor"), `field "doctor" is uuid.UUID; filter.Contains looks into text`},
		"a choice without values":         {filter.Choice("status"), `filter.Choice("status") has no values`},
		"a choice of the same value":      {filter.Choice("status", "a", "a"), `lists "a" twice`},
		"a choice of another type":        {filter.Choice("weeks", "1", "many"), `filter.Choice("weeks"): the value "many" must be a whole number`},
		"a choice that cannot be made":    {filter.Choice("status", ""), `no client can choose ""`},
		"a reference to an unknown path":  {filter.Reference("doctor", "doctor"), `filter "doctor": no viewset "doctor" is registered; did you mean "doctors"?`},
		"a reference by a misspelt field": {filter.Reference("docter", "doctors"), `no field "docter" in appointment; did you mean "doctor"?`},
		"a function that is missing":      {filter.Func("own", "", nil), `filter.Func("own") has no function`},
		"a parameter without a name":      {filter.Min("", "fee"), `parameter has no name`},
		"one sentence for two parameters": {filter.Range("weeks").Doc("How long it takes."), `its Doc has 1 sentences for 2 parameters; give each its own`},
		"the zero Backend":                {filter.Backend{}, `the zero filter.Backend filters nothing`},
	} {
		t.Run(name, func(t *testing.T) {
			err := clinic(db, test.filter).Check()
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "appointments: filter") {
				t.Errorf("the error is %v; want %s in it", err, test.want)
			}
		})
	}
}

// TestDoc: Doc replaces the description, and does not change the original.
func TestDoc(t *testing.T) {
	db, err := sqldb.Open("sqlite://"+t.TempDir()+"/test.db", sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	plain := filter.Min("plain", "fee")
	_ = plain.Doc("This is not kept.")
	handler, err := clinic(db, plain, filter.Range("weeks").Doc("So long at least.", "So long at most.")).Handler()
	if err != nil {
		t.Fatal(err)
	}
	r := frameworktest.New(t, handler).Do("OPTIONS", "/api/appointments/", nil).Expect(200)
	r.Contains("Only rows whose fee is at least this.").Lacks("This is not kept.")
	for _, told := range []string{`"weeks_min"[^{}]*"So long at least\."`, `"weeks_max"[^{}]*"So long at most\."`} {
		if !regexp.MustCompile(told).MatchString(r.Body()) {
			t.Errorf("%s is not in %s", told, r.Body())
		}
	}
}
