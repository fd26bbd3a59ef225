package fieldrule_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// secrets are the values that only holders see.
var secrets = []string{"+111", "+222", "70", "alpha", "77", "55", `"phone"`, `"age"`, `"secret"`, `"guardian_name"`, `"fee"`, `"fees"`, `"ages"`, `"length":4`}

// TestSees: for each answer, what a caller without permissions and an anonymous one must not see,
// and what the holders see.
func TestSees(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), resources()...)
		for _, test := range []struct {
			name, path, all string
			holder          string // of patients.contact alone
		}{
			{"a row", "patients/1/", `"phone":"+111","age":70,"status":"old","secret":"alpha","guardian_name":null,"fees":77,"visits":[{"note":"hip","fee":77}]`, `"phone":"+111"`},
			{"a list", "patients/", `"phone":"+222","age":20,"status":"new","secret":null,"guardian_name":"Ada","fees":55,"visits":[{"note":"eye","fee":55}]`, `"guardian_name":"Ada","visits":[{"note":"eye"}]`},
			{"an action that lists", "patients/rows/", `{"id":1,"name":"Ada","phone":"+111"}`, `{"id":1,"name":"Ada","phone":"+111"}`},
			{"views in the answer of a function", "patients/1/chart/", `"by_name":{"Ada":{"id":1,"name":"Ada","phone":"+111"`, `"length":4`},
			{"the related row of another viewset", "visits/1/", `"patient":{"name":"Ada","phone":"+111"},"phone":"+111","ages":77`, `"patient":{"name":"Ada","phone":"+111"},"phone":"+111"`},
			{"the list of another viewset", "visits/", `"fee":55,"patient":{"name":"Bea","phone":"+222"},"phone":"+222"`, `"phone":"+222"`},
			{"a computed row", "cards/1/", `{"id":1,"phone":"+111"}`, `{"id":1,"phone":"+111"}`},
			{"a computed list", "cards/", `{"id":2,"phone":"+222"}`, `{"id":2,"phone":"+222"}`},
			{"a flat view", "labels/1/", `{"id":1,"name":"Ada","phone":"+111"}`, `"phone":"+111"`},
			{"a list of flat views", "labels/", `{"id":2,"name":"Bea","phone":"+222"}`, `"phone":"+222"`},
			{"an embedded view", "labels/1/more/", `{"id":1,"name":"Ada","phone":"+111","more":"more"}`, `"phone":"+111"`},
			{"a stream", "patients/export/", `{"id":1,"name":"Ada","phone":"+111"}`, `"phone":"+222"`},
		} {
			t.Run(test.name, func(t *testing.T) {
				c := c.On(t)
				apitest.As(c, "all").Get("/api/" + test.path).Expect(200).Contains(test.all)
				apitest.As(c, "hal").Get("/api/"+test.path).Expect(200).Contains(test.holder).Lacks("77", `"fee"`, `"fees"`, `"ages"`)
				for _, caller := range []string{"", "ann"} {
					apitest.As(c, caller).Get("/api/" + test.path).Expect(200).Lacks(secrets...)
				}
			})
		}
		apitest.As(c, "ann").Get("/api/patients/2/").Expect(200).Contains(`{"id":2,"name":"Bea","status":"new","visits":[{"note":"eye"}]}`)
		apitest.As(c, "ann").Get("/api/visits/2/").Expect(200).Contains(`{"id":2,"note":"eye","patient":{"name":"Bea"}}`)
		apitest.As(c, "fay").Get("/api/visits/2/").Expect(200).Contains(`{"id":2,"note":"eye","fee":55,"patient":{"name":"Bea"},"ages":55}`)
		apitest.As(c, "max").Get("/api/desk/1/").Expect(200).Contains(`{"id":1,"name":"Ada","phone":"+111"}`) // another viewset has its own rules
		csv := c.With("Accept", "text/csv")
		if body := apitest.As(csv, "hal").Get("/api/patients/export/").Expect(200).Body(); body != "id,name,phone\r\n1,Ada,'+111\r\n2,Bea,'+222\r\n" {
			t.Errorf("the holder's CSV is %q", body)
		}
		if body := apitest.As(csv, "ann").Get("/api/patients/export/").Expect(200).Body(); body != "id,name\r\n1,Ada\r\n2,Bea\r\n" {
			t.Errorf("the CSV of another caller is %q", body)
		}
	})
}

// TestParameters: a request that filters, searches or orders by a hidden field is rejected.
func TestParameters(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), resources()...)
		for _, test := range []struct {
			name, path, param, field string
			holder                   string
		}{
			{"a filter", "patients/?phone=%2B111", "phone", "phone", "hal"},
			{"a filter that no row meets", "patients/?phone=x", "phone", "phone", "hal"},
			{"a filter with a value that is none", "patients/?min_age=x", "min_age", "age", ""},
			{"a bound", "patients/?min_age=30", "min_age", "age", "hal"},
			{"an excluding filter", "patients/?not_phone=%2B111", "not_phone", "phone", "hal"},
			{"a filter over a hidden relation", "patients/?guardian=Ada", "guardian", "guardian_id", "hal"},
			{"a function", "patients/?min_fees=60", "min_fees", "fee", "fay"},
			{"a filter together with others", "patients/?min_fee=60&note=hip", "min_fee", "fee", "fay"},
			{"a filter together with a hidden one", "patients/?note=hip", "note", "fee", "fay"},
			{"a search", "patients/?search=111", "search", "phone", "hal"},
			{"an order", "patients/?ordering=phone", "ordering", "phone", "hal"},
			{"an order, descending", "patients/?ordering=-phone", "ordering", "phone", "hal"},
			{"an order behind another", "patients/?ordering=name,-phone", "ordering", "phone", "hal"},
			{"an order over a hidden relation", "patients/?ordering=guardian.name", "ordering", "guardian_id", "hal"},
			{"an order by a function", "patients/?ordering=fees", "ordering", "fee", "fay"},
			{"in an action that lists", "patients/rows/?phone=%2B111", "phone", "phone", "hal"},
			{"a filter over the relation of another viewset", "visits/?phone=%2B111", "phone", "phone", "hal"},
			{"an order over the relation of another viewset", "visits/?ordering=patient.phone", "ordering", "phone", "hal"},
			{"an order of another viewset", "visits/?ordering=-fee", "ordering", "fee", "fay"},
		} {
			t.Run(test.name, func(t *testing.T) {
				c, detail := c.On(t), `needs a permission to see \"`+test.field+`\"`
				apitest.As(c, "ann").Get("/api/"+test.path).Expect(403).Code("forbidden").Fault(test.param, "forbidden").Contains(detail).Lacks("Ada", "Bea")
				apitest.As(c, "").Get("/api/"+test.path).Expect(401).Code("authentication_required").Lacks("Ada", "Bea")
				if test.holder != "" {
					apitest.As(c, test.holder).Get("/api/" + test.path).Expect(200)
				}
			})
		}
		for _, path := range []string{"patients/?name=Ada", "patients/?ordering=name", "visits/?name=Ada", "visits/?ordering=-patient.name", "patients/?phone="} {
			apitest.As(c, "ann").Get("/api/" + path).Expect(200).Contains("Ada").Lacks("+111")
		}
	})
}

// TestWrites: for each body, the status and the stored row after it: phone, age, status, secret.
func TestWrites(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), resources()...)
		const id = 3
		for _, test := range []struct {
			name, caller, method string
			body                 map[string]any
			status               int
			faults               []string
			stored               string
		}{
			{"another status", "ann", "PUT", map[string]any{"name": "C", "status": "old"}, 403, []string{"/status"}, "+3 33 new s"},
			{"another status, by PATCH", "ann", "PATCH", map[string]any{"status": "old"}, 403, []string{"/status"}, "+3 33 new s"},
			{"another status, without credentials", "", "PATCH", map[string]any{"status": "old"}, 401, []string{"/status"}, "+3 33 new s"},
			{"the same status", "ann", "PATCH", map[string]any{"status": "new", "name": "C"}, 200, nil, "+3 33 new s"},
			{"no status, by PUT", "ann", "PUT", map[string]any{"name": "C"}, 200, nil, "+3 33 new s"},
			{"what the caller does not see stays, by PUT", "ann", "PUT", map[string]any{"name": "C", "status": "new"}, 200, nil, "+3 33 new s"},
			{"what the caller does not see may be written", "ann", "PATCH", map[string]any{"phone": "+4"}, 200, nil, "+4 33 new s"},
			{"and by PUT, beside what stays", "ann", "PUT", map[string]any{"name": "C", "age": 44}, 200, nil, "+4 44 new s"},
			{"a secret that is neither seen nor written", "ann", "PATCH", map[string]any{"secret": "x"}, 403, []string{"/secret"}, "+4 44 new s"},
			{"the same secret reveals nothing", "ann", "PATCH", map[string]any{"secret": "s"}, 403, []string{"/secret"}, "+4 44 new s"},
			{"no secret, for a caller who does not see it", "ann", "PATCH", map[string]any{"secret": nil}, 403, []string{"/secret"}, "+4 44 new s"},
			{"several faults at once", "ann", "PUT", map[string]any{"name": "C", "status": "x", "secret": "x"}, 403, []string{"/status", "/secret"}, "+4 44 new s"},
			{"a fault of another kind comes first", "ann", "PUT", map[string]any{"name": "", "status": "x"}, 400, []string{"/name"}, "+4 44 new s"},
			{"the same secret, by a caller who sees it", "hal", "PATCH", map[string]any{"secret": "s"}, 200, nil, "+4 44 new s"},
			{"another secret, by a caller who sees it", "hal", "PATCH", map[string]any{"secret": "x"}, 403, []string{"/secret"}, "+4 44 new s"},
			{"a caller who sees resets by PUT", "hal", "PUT", map[string]any{"name": "C", "phone": "+5"}, 200, nil, "+5 0 new s"},
			{"a holder writes", "max", "PATCH", map[string]any{"status": "old", "secret": "t"}, 200, nil, "+5 0 old t"},
			{"a holder who does not see keeps the secret, by PUT", "max", "PUT", map[string]any{"name": "C", "status": "odd"}, 200, nil, "+5 0 odd t"},
			{"a holder resets by PUT", "all", "PUT", map[string]any{"name": "C"}, 200, nil, " 0 new "},
			{"a read-only member that is hidden is rejected, whatever its value", "ann", "PATCH", map[string]any{"guardian_name": nil}, 400, []string{"/guardian_name"}, " 0 new "},
			{"a read-only member that is seen may be sent back", "all", "PATCH", map[string]any{"guardian_name": nil}, 200, nil, " 0 new "},
		} {
			t.Run(test.name, func(t *testing.T) {
				if test.status == 401 || test.name == "another status" {
					reset(t, db, id)
				}
				r := apitest.As(c.On(t), test.caller).Do(test.method, fmt.Sprintf("/api/patients/%d/", id), test.body).Expect(test.status)
				for _, fault := range test.faults {
					r.Fault(fault, map[int]string{400: codeOf(fault), 401: "forbidden", 403: "forbidden"}[test.status])
				}
				if test.caller == "ann" {
					r.Lacks(`"+3"`, `"+4"`, `"phone"`, `"age"`)
				}
				if got := stored(t, db, id); got != test.stored {
					t.Errorf("stored is %q; want %q", got, test.stored)
				}
			})
		}
	})
}

func codeOf(pointer string) string {
	if pointer == "/guardian_name" {
		return "unknown_field"
	}
	return "required"
}

func reset(tb testing.TB, db *sqldb.DB, id int64) {
	tb.Helper()
	if _, err := db.NewDelete().Table("patients").Where("id = ?", id).Exec(context.Background()); err != nil {
		tb.Fatal(err)
	}
	if _, err := db.NewInsert().Model(&Patient{ID: id, Name: "C", Phone: "+3", Age: 33, Status: "new", Secret: new("s")}).Exec(context.Background()); err != nil {
		tb.Fatal(err)
	}
}

// stored is a row of the database in words.
func stored(tb testing.TB, db *sqldb.DB, id int64) string {
	tb.Helper()
	var p Patient
	if err := db.NewSelect().Model(&p).Where("id = ?", id).Scan(context.Background()); err != nil {
		tb.Fatal(err)
	}
	secret := ""
	if p.Secret != nil {
		secret = *p.Secret
	}
	return fmt.Sprint(p.Phone, " ", p.Age, " ", p.Status, " ", secret)
}

// TestReadOnly: a member that clients cannot write, and that the caller does not see, is rejected
// whether its value is right or not. The answers of a flat view lack it.
func TestReadOnly(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), resources()...)
		ann := apitest.As(c, "ann")
		wrong := ann.Patch("/api/labels/1/", map[string]any{"phone": "x"}).Expect(400).Fault("/phone", "unknown_field").Body()
		right := ann.Patch("/api/labels/1/", map[string]any{"phone": "+111"}).Expect(400).Fault("/phone", "unknown_field").Body()
		if before, _, _ := strings.Cut(wrong, `"instance"`); !strings.HasPrefix(right, before) {
			t.Errorf("the answers differ: %s and %s", wrong, right)
		}
		apitest.As(c, "hal").Patch("/api/labels/1/", map[string]any{"phone": "+111"}).Expect(200).Contains(`"phone":"+111"`)
		ann.Patch("/api/labels/1/", map[string]any{"name": "A"}).Expect(200).Contains(`{"id":1,"name":"A"}`)
		ann.Put("/api/labels/1/", map[string]any{"name": "B"}).Expect(200).Contains(`{"id":1,"name":"B"}`)
		ann.Post("/api/labels/", map[string]any{"name": "C"}).Expect(201).Contains(`"name":"C"}`).Lacks("phone")
	})
}

// TestCreates: a caller without the permission creates rows with the defaults.
func TestCreates(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), resources()...)
		for _, test := range []struct {
			name, caller string
			body         map[string]any
			status       int
			has          string
		}{
			{"without the fields", "ann", map[string]any{"name": "D"}, 201, `"name":"D","status":"new","visits":[]`},
			{"with the default", "ann", map[string]any{"name": "D", "status": "new"}, 201, `"status":"new"`},
			{"with what the caller does not see", "ann", map[string]any{"name": "D", "phone": "+9", "age": 9}, 201, `"name":"D","status":"new","visits":[]`},
			{"with another status", "ann", map[string]any{"name": "D", "status": "old"}, 403, "/status"},
			{"with a secret", "ann", map[string]any{"name": "D", "secret": "x"}, 403, "/secret"},
			{"with a secret, without credentials", "", map[string]any{"name": "D", "secret": "x"}, 401, "authentication_required"},
			{"without credentials", "", map[string]any{"name": "D"}, 201, `"status":"new"`},
			{"by a holder", "all", map[string]any{"name": "D", "status": "old", "secret": "x", "phone": "+9"}, 201, `"phone":"+9","age":0,"status":"old","secret":"x"`},
		} {
			t.Run(test.name, func(t *testing.T) {
				r := apitest.As(c.On(t), test.caller).Post("/api/patients/", test.body).Expect(test.status).Contains(test.has)
				if test.caller != "all" {
					r.Lacks(`"phone"`, "+9", `"age"`)
				}
			})
		}
		var phone string
		if err := db.NewSelect().Table("patients").Column("phone").Where("age = 9").Scan(context.Background(), &phone); err != nil || phone != "+9" {
			t.Errorf("the phone of the new row is %q, error %v", phone, err)
		}
	})
}

// TestStatements: rules add no statements to reads, and to a write those that read the row.
func TestStatements(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		n := frameworktest.CountStatements(db)
		_, c := apitest.Serve(t, config(db), resources()...)
		for _, test := range []struct {
			caller, method, path string
			body                 any
			want                 int
		}{
			{"ann", "GET", "patients/", nil, 2}, {"all", "GET", "patients/", nil, 2}, {"ann", "GET", "patients/1/", nil, 2}, {"ann", "GET", "patients/rows/", nil, 1},
			{"ann", "GET", "patients/?phone=1", nil, 0}, {"ann", "GET", "visits/", nil, 1},
			{"all", "PATCH", "patients/1/", map[string]any{"status": "odd"}, 3}, {"ann", "PATCH", "patients/1/", map[string]any{"name": "A"}, 4},
			{"ann", "PATCH", "patients/1/", map[string]any{"status": "x"}, 1},
		} {
			texts := slices.DeleteFunc(n.During(func() { apitest.As(c, test.caller).Do(test.method, "/api/"+test.path, test.body) }), func(text string) bool {
				return strings.HasPrefix(text, "BEGIN") || strings.HasPrefix(text, "COMMIT") || strings.HasPrefix(text, "ROLLBACK")
			})
			if len(texts) != test.want {
				t.Errorf("%s %s of %s takes %d statements, want %d: %q", test.method, test.path, test.caller, len(texts), test.want, texts)
			}
		}
	})
}

// TestDocument: a member that only some callers see is optional, and is described.
func TestDocument(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api, c := apitest.Serve(t, config(db), resources()...)
		type schema struct {
			Required   []string
			Properties map[string]struct{ Description string }
		}
		var document struct {
			Components struct{ Schemas map[string]schema }
			Paths      map[string]map[string]struct{ Responses map[string]any }
		}
		text, err := api.Document("json")
		if err == nil {
			err = json.Unmarshal(text, &document)
		}
		if err != nil {
			t.Fatal(err)
		}
		shown := document.Components.Schemas["Patient"]
		if !slices.Equal(shown.Required, []string{"id", "name", "status", "visits"}) {
			t.Errorf("required are %q", shown.Required)
		}
		for name, want := range map[string]string{
			"phone": "Only callers with this permission see it: patients.contact.", "fees": "Only callers with this permission see it: visits.fees.",
			"guardian_name": "Only callers with this permission see it: patients.contact.", "name": "",
		} {
			if got := shown.Properties[name].Description; got != want {
				t.Errorf("%s is described as %q; want %q", name, got, want)
			}
		}
		if got := document.Components.Schemas["Contact"]; !slices.Equal(got.Required, []string{"name"}) {
			t.Errorf("required of the related row are %q", got.Required)
		}
		in := document.Components.Schemas["PatientInput"]
		if got := in.Properties["status"].Description; !strings.Contains(got, "Only callers with this permission write it: patients.manage.") {
			t.Errorf("the status of the input is described as %q", got)
		}
		for path, methods := range map[string][]string{"/api/patients/": {"get", "post"}, "/api/patients/{id}/": {"put", "patch"}, "/api/visits/": {"get"}} {
			for _, method := range methods {
				if document.Paths[path][method].Responses["403"] == nil || document.Paths[path][method].Responses["401"] == nil {
					t.Errorf("%s %s lacks 401 or 403", method, path)
				}
			}
		}
		if got := api.Permissions(); !slices.Contains(got, "visits.fees") || !slices.Contains(got, "patients.contact") {
			t.Errorf("the permissions are %q", got)
		}
		c.Do("OPTIONS", "/api/patients/", nil).Expect(200).Contains("Only callers with this permission write it: patients.manage.")
	})
}

// TestMistakes: each wrong rule is reported at start.
func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(v *framework.ViewSet[Patient])
		want   string
	}{
		{"an unknown field", rules(framework.Sees("phnoe", contacts)), `patients: fields: no field "phnoe" in Patient; did you mean "phone"?`},
		{"a field of another viewset", rules(framework.Sees("visits.fee", contacts)), `patients: fields: "visits.fee" is a field of another viewset; give the rule to that viewset`},
		{"the name of a relation", rules(framework.Sees("guardian", contacts)), `patients: fields: "guardian" is a relation of Patient`},
		{"no permission", rules(framework.Sees("name", nil)), `patients: fields: Sees("name") has no permission; name one, such as framework.Holds("patients.contact")`},
		{"a name that is no permission", rules(framework.Sees("name", framework.Holds("Contact"))), `"Contact" is no name of a permission`},
		{"two rules of one kind", rules(framework.Sees("phone", manages)), `patients: fields: "phone" has two rules of Sees; join their permissions by framework.Any or framework.All`},
		{"the primary key", rules(framework.Sees("id", contacts)), `patients: fields: "id" is the key of rows and in their paths, which every caller sees; leave the rule out`},
		{"a computed field", rules(framework.Writes("fees", contacts)), `patients: fields: "fees" is computed, so no caller writes it; leave Writes out`},
		{"a field that no verb writes", rules(framework.Writes("guardian_id", contacts)), `patients: fields: Writes("guardian_id") has no effect, because no verb that accepts an input writes it; leave it out`},
		{"a required field", rules(framework.Writes("name", contacts)), `patientInput.Name is required, but only some callers may write it; make it a pointer, or give it a default`},
		{"a default order by a hidden field", func(v *framework.ViewSet[Patient]) { v.Ordering.Default = "-phone" }, `patients: ordering default: it shows values of "phone", which only some callers see; choose another default`},
		{"a default order over a hidden relation", func(v *framework.ViewSet[Patient]) { v.Ordering.Default = "guardian.name" }, `patients: ordering default: it shows values of "guardian_id", which only some callers see; choose another default`},
		{"the order of a list in a view", func(v *framework.ViewSet[Patient]) {
			type view struct {
				Visits []visitPart `json:"visits" from:"visits,order=-fee"`
			}
			v.Verbs.Retrieve = framework.Shows[view]()
		}, `the order shows values of "fee", which only some callers see; order by another field`},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, db *sqldb.DB) {
				v := patients()
				test.change(&v)
				apitest.Mistake(t, config(db), test.want, v, visits(), cards(), labels(), desk())
			})
		})
	}
}

func rules(more ...framework.FieldRule) func(v *framework.ViewSet[Patient]) {
	return func(v *framework.ViewSet[Patient]) { v.Fields = append(v.Fields, more...) }
}
