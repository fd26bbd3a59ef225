package fieldrule_test

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// The records of these tests are the patients of the ward with everything that relations offer at
// once: a wrapped body, names in camel case, a star of each caller, visits below them, answers of
// functions that are kept by their Idempotency-Key, and files of CSV.

type Record struct {
	bun.BaseModel `bun:"table:patients,alias:record"`

	ID         int64 `bun:",pk,autoincrement"`
	Name       string
	Phone      string
	Age        int64
	Status     string
	Secret     *string
	GuardianID *int64

	Guardian *Record   `bun:"rel:belongs-to,join:guardian_id=id"`
	Wards    []*Record `bun:"rel:has-many,join:id=guardian_id"`
	Visits   []*Stay   `bun:"rel:has-many,join:id=patient_id"`
	Stars    []*Star   `bun:"rel:has-many,join:id=patient_id"`
	Labels   []*Label  `bun:"m2m:patient_labels,join:Record=Label"`
}

type Stay struct {
	bun.BaseModel `bun:"table:visits,alias:stay"`

	ID        int64 `bun:",pk,autoincrement"`
	PatientID int64
	Fee       int64
	Note      string

	Record *Record `bun:"rel:belongs-to,join:patient_id=id"`
}

type Star struct {
	bun.BaseModel `bun:"table:stars"`

	ID        int64 `bun:",pk,autoincrement"`
	PatientID int64
	CallerID  uuid.UUID `bun:"type:uuid"`
}

type Label struct {
	bun.BaseModel `bun:"table:labels"`

	ID    int64 `bun:",pk,autoincrement"`
	Name  string
	Price int64
}

type RecordLabel struct {
	bun.BaseModel `bun:"table:patient_labels"`

	RecordID int64   `bun:",pk"`
	Record   *Record `bun:"rel:belongs-to,join:record_id=id"`
	LabelID  int64   `bun:",pk"`
	Label    *Label  `bun:"rel:belongs-to,join:label_id=id"`
}

var office = sqldb.Migrations{Namespace: "office", FS: fstest.MapFS{
	"1_office.tx.up.sql": {Data: []byte(`
CREATE TABLE stars (id {{if sqlite}}INTEGER PRIMARY KEY{{else}}bigserial PRIMARY KEY{{end}}, patient_id {{bigint}} NOT NULL, caller_id {{uuid}} NOT NULL, UNIQUE (patient_id, caller_id));
CREATE TABLE labels (id {{if sqlite}}INTEGER PRIMARY KEY{{else}}bigserial PRIMARY KEY{{end}}, name {{text}} NOT NULL UNIQUE, price {{bigint}} NOT NULL);
CREATE TABLE patient_labels (record_id {{bigint}} NOT NULL, label_id {{bigint}} NOT NULL, PRIMARY KEY (record_id, label_id));`)},
	"1_office.tx.down.sql": {Data: []byte(``)},
}}

type (
	recordInput struct {
		Name   string      `json:"name" validate:"required"`
		Phone  string      `json:"phone"`
		Age    int64       `json:"age"`
		Status string      `json:"status" default:"new"`
		Secret *string     `json:"secret"`
		Visits []noteInput `json:"visits" to:"visits"`
		Labels []string    `json:"labels" to:"labels.name"`
	}
	noteInput struct {
		ID   *int64 `json:"id"`
		Note string `json:"note" validate:"required"`
	}
	recordView struct {
		ID             int64       `json:"id"`
		Name           string      `json:"name"`
		Phone          string      `json:"phone"`
		Age            int64       `json:"age"`
		Status         string      `json:"status"`
		Secret         *string     `json:"secret"`
		Guardian       *contact    `json:"guardian"`
		GuardianPhone  *string     `from:"guardian.phone"`
		GuardianFees   []int64     `from:"guardian.visits.fee"`
		GuardianPrices []int64     `from:"guardian.labels.price"`
		Fees           []int64     `json:"fees"           from:"visits.fee"`
		Prices         []int64     `json:"prices"         from:"labels.price"`
		Labels         []string    `json:"labels"         from:"labels.name"`
		MaxFee         *int64      `from:"max(visits.fee)"`
		Visits         []visitPart `json:"visits"         from:"visits,order=id"`
		Starred        bool        `json:"starred"        from:"exists(stars)"`
	}
	stayView struct {
		ID            int64    `json:"id"`
		Note          string   `json:"note"`
		Fee           int64    `json:"fee"`
		Record        *contact `json:"record"`
		PatientPhone  *string  `from:"record.phone"`
		MinAge        *int64   `from:"min(record.wards.age)"`
		PatientPrices []int64  `from:"record.labels.price"`
	}
	stayInput struct {
		Note string `json:"note" validate:"required"`
		Fee  int64  `json:"fee"`
	}
	labelNames struct {
		ID    int64  `json:"id"`
		Name  string `json:"name"`
		Price int64  `json:"price"`
	}
	spelled struct {
		ID    int64  `json:"id"`
		Name  string `json:"name"`
		Phone string `json:"phone"`
	}
)

// MarshalJSON has another name for the phone.
func (s spelled) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"id": s.ID, "name": s.Name, "tel": s.Phone})
}

func records() framework.ViewSet[Record] {
	show := func(c *framework.Call, r *Record, _ framework.None) (recordView, error) {
		return framework.FindOne[recordView](c, "records", r.ID)
	}
	byHand := func(_ *framework.Call, r *Record, _ framework.None) (recordView, error) {
		return recordView{ID: r.ID, Name: r.Name, Phone: r.Phone, Age: r.Age, Secret: r.Secret, Fees: []int64{77}, MaxFee: new(int64(77)), Visits: []visitPart{{"hip", 77}}, GuardianPhone: new("+111")}, nil
	}
	return framework.ViewSet[Record]{
		Name: "records", Scope: framework.Public(), Verbs: framework.CRUD[recordInput, recordView](), Wrap: "record", WrapList: "records",
		Relations: framework.Relations{"guardian": "records", "wards": "records", "visits": "records/{}/stays", "stars": framework.OfRow, "labels": "labels"},
		Models:    []any{(*RecordLabel)(nil)},
		Fields: []framework.FieldRule{
			framework.Sees("phone", contacts), framework.Sees("age", contacts), framework.Sees("secret", contacts),
			framework.Writes("secret", manages), framework.Writes("status", manages),
		},
		Filters:  []framework.Filter{filter.Exact("name"), filter.Exact("phone"), filter.In("phones", "phone"), filter.Exact("maxFee"), filter.Exact("by_guardian_phone", "guardian.phone"), filter.Exact("price", "labels.price")},
		Ordering: framework.Ordering{Allowed: []string{"name", "guardian.phone", "maxFee"}, Default: "id"},
		Actions: []framework.Action[Record]{
			framework.Toggle[Record, recordView]("star", "stars", "caller_id"),
			framework.Post("show", show).Idempotent(), framework.Post("hand", byHand).Idempotent(),
			framework.Related[Record, stayView]("related", "records/{}/stays", "patient_id"),
		},
		Collection: []framework.CollectionAction{
			framework.Lists[recordView]("old").Filter(filter.Min("min_age", "age")).Order(framework.Ordering{Allowed: []string{"phone"}, Default: "name"}),
			framework.Lists[rowView]("rows"),
			framework.OnCollection(http.MethodGet, "export", func(c *framework.Call, _ framework.None) (iter.Seq2[rowView, error], error) {
				return framework.Each[rowView](c, "records", nil), nil
			}).As(framework.CSV),
		},
	}
}

func stays() framework.ViewSet[Stay] {
	return framework.ViewSet[Stay]{
		Name: "stays", Parent: framework.Child("record", "records"), Relations: framework.Relations{"record": "records"}, Scope: framework.Public(), Verbs: framework.CRUD[stayInput, stayView](),
		Fields:   []framework.FieldRule{framework.Sees("fee", framework.Holds("visits.fees")), framework.Writes("fee", framework.Holds("visits.fees"))},
		Filters:  []framework.Filter{filter.Min("min_fee", "fee"), filter.Exact("phone", "record.phone")},
		Ordering: framework.Ordering{Allowed: []string{"fee", "record.age"}, Default: "id"},
	}
}

func tags() framework.ViewSet[Label] {
	return framework.ViewSet[Label]{
		Name: "labels", Scope: framework.Public(), Verbs: framework.ReadOnly[labelNames](), Fields: []framework.FieldRule{framework.Sees("price", framework.Holds("visits.fees"))},
	}
}

func spellings() framework.ViewSet[Patient] {
	return framework.ViewSet[Patient]{
		Name: "spellings", Scope: framework.Public(), Verbs: framework.CRUD[labelInput, spelled](), Fields: []framework.FieldRule{framework.Sees("phone", contacts)},
	}
}

func desks() []framework.Resource {
	return []framework.Resource{records(), stays(), tags(), spellings()}
}

func camel(db *sqldb.DB) framework.Config {
	c := config(db)
	c.Case = framework.CamelCase
	return c
}

// atDesk runs a test on the records of both databases, with names in camel case.
func atDesk(t *testing.T, test func(t *testing.T, db *sqldb.DB, c *frameworktest.Client)) {
	t.Helper()
	both(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(context.Background(), nil, office, framework.Migrations()); err != nil {
			t.Fatal(err)
		}
		for _, row := range []any{&Label{Name: "red", Price: 991}, &RecordLabel{RecordID: 1, LabelID: 1}, &RecordLabel{RecordID: 2, LabelID: 1}} {
			if _, err := db.NewInsert().Model(row).Exec(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		_, c := apitest.Serve(t, camel(db), desks()...)
		test(t, db, c)
	})
}

var hiddenAtDesk = []string{"+111", "+222", `"age"`, "70", "alpha", "77", "55", "991", `"phone"`, `"secret"`, "uardianPhone", `"fee"`, "ees\"", "rices", "maxFee", "minAge", "patientPhone", "tel\":\"+"}

// TestEveryAnswerHides sends each way to read or answer a row as a caller who sees everything, and as
// callers who see nothing of the fields with rules.
func TestEveryAnswerHides(t *testing.T) {
	atDesk(t, func(t *testing.T, _ *sqldb.DB, c *frameworktest.Client) {
		for _, test := range []struct {
			name, method, path string
			body               any
			status             int
			has                string
			signedIn           bool
		}{
			{"a row in its member", "GET", "records/2/", nil, 200, `{"record":{"id":2,"name":"Bea","phone":"+222","age":20,"status":"new","secret":null,"guardian":{"name":"Ada","phone":"+111"},"guardianPhone":"+111","guardianFees":[77],"guardianPrices":[991],"fees":[55],"prices":[991],"labels":["red"],"maxFee":55,"visits":[{"note":"eye","fee":55}]`, false},
			{"a list in its member", "GET", "records/", nil, 200, `"guardianFees":[77]`, false},
			{"a list of Lists", "GET", "records/old/", nil, 200, `"guardianPhone":"+111"`, false},
			{"a toggle", "PUT", "records/2/star/", nil, 200, `"guardianFees":[77]`, true},
			{"a toggle, back", "DELETE", "records/2/star/", nil, 200, `"guardianPhone":"+111"`, true},
			{"a PATCH without a member", "PATCH", "records/2/", map[string]any{"record": map[string]any{}}, 200, `"phone":"+222"`, false},
			{"a PATCH of a list", "PATCH", "records/2/", map[string]any{"record": map[string]any{"labels": []string{"red"}}}, 200, `"prices":[991]`, false},
			{"a PATCH of a list of rows", "PATCH", "records/2/", map[string]any{"record": map[string]any{"visits": []map[string]any{{"id": 2, "note": "eye"}}}}, 200, `"fees":[55]`, false},
			{"a function that finds", "POST", "records/2/show/", nil, 200, `"maxFee":55`, false},
			{"a function that fills a view", "POST", "records/2/hand/", nil, 200, `"guardianPhone":"+111"`, false},
			{"related rows of a nested viewset", "GET", "records/2/related/", nil, 200, `"fee":55,"record":{"name":"Bea","phone":"+222"},"patientPhone":"+222","minAge":null,"patientPrices":[991]`, false},
			{"a nested list", "GET", "records/2/stays/", nil, 200, `"patientPhone":"+222"`, false},
			{"a nested row", "GET", "records/1/stays/1/", nil, 200, `"minAge":20`, false},
			{"a nested PATCH", "PATCH", "records/2/stays/2/", map[string]any{"note": "eye"}, 200, `"patientPrices":[991]`, false},
			{"a nested PUT keeps the fee", "PUT", "records/2/stays/2/", map[string]any{"note": "eye"}, 200, `"patientPhone":"+222"`, false},
			{"a file of CSV", "GET", "records/export/", nil, 200, "'+222", false},
			{"a type with its own JSON", "GET", "spellings/2/", nil, 200, `"tel":"+222"`, false},
			{"a list of a type with its own JSON", "GET", "spellings/", nil, 200, `"tel":"+222"`, false},
			{"a PATCH of a type with its own JSON", "PATCH", "spellings/2/", map[string]any{"name": "Bea"}, 200, `"tel":"+222"`, false},
			{"a PUT of a type with its own JSON", "PUT", "spellings/2/", map[string]any{"name": "Bea"}, 200, `"tel":"+222"`, false},
			{"a POST of a type with its own JSON", "POST", "spellings/", map[string]any{"name": "Cid"}, 201, `"tel":""`, false},
			{"the headers of a row", "HEAD", "records/2/", nil, 200, "", false},
		} {
			t.Run(test.name, func(t *testing.T) {
				for _, caller := range []string{"ann", ""} {
					if caller == "" && test.signedIn {
						apitest.As(c.On(t), caller).Do(test.method, "/api/"+test.path, test.body).Expect(401)
						continue
					}
					apitest.As(c.On(t), caller).Do(test.method, "/api/"+test.path, test.body).Expect(test.status).Lacks(hiddenAtDesk...)
				}
				if !strings.Contains(test.name, "PUT") {
					apitest.As(c.On(t), "all").Do(test.method, "/api/"+test.path, test.body).Expect(test.status).Contains(test.has)
				} else {
					apitest.As(c.On(t), "all").Get("/api/" + test.path).Expect(200).Contains(test.has)
				}
			})
		}
	})
}

// TestEveryParameterIsGuarded uses hidden fields in every list.
func TestEveryParameterIsGuarded(t *testing.T) {
	atDesk(t, func(t *testing.T, _ *sqldb.DB, c *frameworktest.Client) {
		for _, path := range []string{
			"records/?phone=%2B111", "records/?phones=%2B111,x", "records/?maxFee=55", "records/?max_fee=55", "records/?byGuardianPhone=%2B111", "records/?price=991",
			"records/?ordering=guardian.phone", "records/?ordering=-maxFee", "records/?ordering=name,-maxFee", "records/?ordering=%20-maxFee", "records/?name=Ada&phone=",
			"records/old/?minAge=30", "records/old/?ordering=phone", "records/old/?ordering=-phone", "records/old/?phone=%2B111",
			"records/2/stays/?minFee=1", "records/2/stays/?ordering=fee", "records/2/stays/?ordering=-record.age", "records/2/stays/?phone=%2B222", "records/2/stays/?phone=x",
			"records/2/related/?ordering=fee",
		} {
			t.Run(path, func(t *testing.T) {
				r := apitest.As(c.On(t), "ann").Get("/api/" + path)
				if r.Status() == 200 && r.Headers().Get("Trestle-Ignored") == "" && !strings.HasSuffix(path, "phone=") {
					t.Errorf("it is answered: %s", r.Body())
				}
			})
		}
	})
}

// TestRepeatedWithOtherPermissions repeats a request with an Idempotency-Key when the caller has lost,
// or gained, the permission.
func TestRepeatedWithOtherPermissions(t *testing.T) {
	atDesk(t, func(t *testing.T, _ *sqldb.DB, c *frameworktest.Client) {
		defer func(before []string) { held["all"] = before }(held["all"])
		for _, path := range []string{"show", "hand"} {
			send := func(key string) *frameworktest.Response {
				return apitest.As(c, "all").With("Idempotency-Key", key+path).Post("/api/records/2/"+path+"/", nil).Expect(200)
			}
			all := held["all"]
			send("lost").Contains("+111")
			held["all"] = nil
			send("lost").Lacks(hiddenAtDesk...)
			send("gained").Lacks(hiddenAtDesk...)
			held["all"] = all
			send("lost").Contains(`"guardianPhone":"+111"`)
			send("gained").Contains(`"id":2`)
		}
	})
}

// TestReadOnlyInItsMember compares what a caller sends back in the member of the row.
func TestReadOnlyInItsMember(t *testing.T) {
	atDesk(t, func(t *testing.T, _ *sqldb.DB, c *frameworktest.Client) {
		ann := apitest.As(c, "ann")
		answers := map[string]bool{}
		for _, phone := range []string{"+111", "x"} {
			r := ann.Patch("/api/records/2/", map[string]any{"record": map[string]any{"guardianPhone": phone, "maxFee": 55}}).Expect(200).Lacks(hiddenAtDesk...)
			answers[r.Headers().Get("Trestle-Ignored")] = true
		}
		if len(answers) != 1 {
			t.Errorf("the answers differ: %v", answers)
		}
	})
}

// TestWritesInItsMember rejects with the pointers of the client's body.
func TestWritesInItsMember(t *testing.T) {
	atDesk(t, func(t *testing.T, _ *sqldb.DB, c *frameworktest.Client) {
		apitest.As(c, "ann").Patch("/api/records/2/", map[string]any{"record": map[string]any{"secret": nil, "status": "old", "visits": []any{}}}).Expect(403).
			Fault("/record/secret", "forbidden").Fault("/record/status", "forbidden")
		apitest.As(c, "").Put("/api/records/2/stays/2/", map[string]any{"note": "x", "fee": 55}).Expect(401)
		apitest.As(c, "ann").Put("/api/records/2/stays/2/", map[string]any{"note": "x", "fee": 55}).Expect(403).Fault("/fee", "forbidden")
		apitest.As(c, "ann").Post("/api/records/2/stays/", map[string]any{"note": "x", "fee": 5}).Expect(403).Fault("/fee", "forbidden")
		apitest.As(c, "ann").Post("/api/records/2/stays/", map[string]any{"note": "x"}).Expect(201).Lacks(`"fee"`)
		apitest.As(c, "all").Get("/api/records/2/").Expect(200).Contains(`"note":"eye","fee":55`, `"status":"new"`)
	})
}

// TestListsOfFieldsWithRules are mistakes: a list in a body would write, or reveal, for every caller.
func TestListsOfFieldsWithRules(t *testing.T) {
	type item struct {
		ID  *int64 `json:"id"`
		Fee int64  `json:"fee"`
	}
	type rowsIn struct {
		Visits []item `json:"visits" to:"visits"`
	}
	type placeIn struct {
		Visits []noteInput `json:"visits" to:"visits,position=fee"`
	}
	type keysIn struct {
		Prices []int64 `json:"prices" to:"labels.price"`
	}
	type namesIn struct {
		Labels []string `json:"labels" to:"labels.name,create"`
	}
	writes := framework.Writes("name", manages)
	for _, test := range []struct {
		name   string
		change func(r *framework.ViewSet[Record], l *framework.ViewSet[Label])
		want   string
	}{
		{"a member of an item", func(r *framework.ViewSet[Record], _ *framework.ViewSet[Label]) {
			r.Verbs.Update = framework.Accepts[rowsIn, recordView]()
		}, `"fee" has a rule in Fields of records/{}/stays`},
		{"a position", func(r *framework.ViewSet[Record], _ *framework.ViewSet[Label]) {
			r.Verbs.Update = framework.Accepts[placeIn, recordView]()
		}, `"fee" has a rule in Fields of records/{}/stays`},
		{"keys that only some callers see", func(r *framework.ViewSet[Record], _ *framework.ViewSet[Label]) {
			r.Verbs.Update = framework.Accepts[keysIn, recordView]()
		}, `"price" has a rule in Fields of labels`},
		{"created rows that only some callers write", func(r *framework.ViewSet[Record], l *framework.ViewSet[Label]) {
			type in struct {
				Name string `json:"name" default:""`
			}
			r.Verbs.Update, l.Fields, l.Verbs.Create = framework.Accepts[namesIn, recordView](), append(l.Fields, writes), framework.Accepts[in, labelNames]()
		}, `"name" has a rule in Fields of labels`},
		{"links by a key that only some callers see", func(r *framework.ViewSet[Record], _ *framework.ViewSet[Label]) {
			r.Actions = append(r.Actions, framework.Links[Record]("labels.price"))
		}, `"price" has a rule in Fields of labels`},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, db *sqldb.DB) {
				r, l := records(), tags()
				test.change(&r, &l)
				apitest.Mistake(t, camel(db), test.want, r, stays(), l)
			})
		})
	}
}
