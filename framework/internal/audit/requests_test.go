package audit_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestEachReadHasAnEntry: an answer that shows patients has one entry with the patients that it shows, and no others.
func TestEachReadHasAnEntry(t *testing.T) {
	type request struct {
		name, caller, method, path string
		body                       any
		status                     int
		route, keys                string // of the entry; "" for none
	}
	const none = "" // an entry without rows
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		as("ada").With("Content-Type", "text/plain").Put("/api/patients/1/photo/", "a photo").Expect(200)
		for _, r := range []request{
			{"an object", "ada", "GET", "/api/patients/1/", nil, 200, "patients.retrieve", "1"},
			{"the headers of an object", "ada", "HEAD", "/api/patients/1/", nil, 200, "patients.retrieve", "1"},
			{"chosen members of an object", "ada", "GET", "/api/patients/1/?fields=name", nil, 200, "patients.retrieve", "1"},
			{"the first page of a list, which reads one row more", "ada", "GET", "/api/patients/", nil, 200, "patients.list", "1 2"},
			{"the last page", "ada", "GET", "/api/patients/?page=2", nil, 200, "patients.list", "3"},
			{"a filtered list", "ada", "GET", "/api/patients/?name=P2", nil, 200, "patients.list", "2"},
			{"a list without rows, which tells that there are none", "ada", "GET", "/api/patients/?name=P9", nil, 200, "patients.list", none},
			{"an export", "ada", "GET", "/api/patients/?format=csv", nil, 200, "patients.list", "1 2 3"},
			{"totals", "ada", "GET", "/api/patients/totals/?group=name", nil, 200, "patients.totals", none},
			{"totals of another viewset by a value of patients", "ada", "GET", "/api/visits/totals/?group=patient.name", nil, 200, "visits.totals", none},
			{"totals by a value of the doctors of patients", "ada", "GET", "/api/visits/totals/?group=patient.doctor.name", nil, 200, "visits.totals", none},
			{"the greatest value of patients", "ada", "GET", "/api/visits/totals/?max=patient.doctor_id", nil, 200, "visits.totals", none},
			{"totals that have no value of patients", "ada", "GET", "/api/visits/totals/?group=reason", nil, 200, "", ""},
			{"totals by what is no field", "ada", "GET", "/api/visits/totals/?group=patient.nam", nil, 400, "", ""},
			{"a function on a row", "ada", "GET", "/api/patients/2/card/", nil, 200, "patients.card", "2"},
			{"a stream of rows that a function finds", "ada", "GET", "/api/patients/names/", nil, 200, "patients.names", "1 2 3"},
			{"a file", "ada", "GET", "/api/patients/1/photo/", nil, 200, "patients.photo", "1"},
			{"a history", "ada", "GET", "/api/patients/1/history/", nil, 200, "patients.history", "1"},
			{"a patch that changes nothing, and shows the row", "ada", "PATCH", "/api/patients/1/", fields{}, 200, "patients.patch", "1"},
			{"a patch", "ada", "PATCH", "/api/patients/2/", fields{"name": "P2"}, 200, "patients.patch", "2"},
			{"a put", "ada", "PUT", "/api/patients/3/", fields{"name": "P3"}, 200, "patients.update", "3"},
			{"a create", "ada", "POST", "/api/patients/", fields{"name": "P6"}, 201, "patients.create", "6"},
			{"creates of several rows", "ada", "POST", "/api/patients/bulk/", []fields{{"name": "P7"}, {"name": "P8"}}, 200, "patients.create", "7 8"},
			{"changes of several rows, of which one is rejected", "ada", "PATCH", "/api/patients/bulk/each/", []fields{{"id": 7, "name": "P7"}, {"id": 4, "name": "X"}}, 200, "patients.patch", "7"},
			{"another viewset of the table, and a related row", "ada", "GET", "/api/cards/2/", nil, 200, "cards.retrieve", "1 2"},
			{"a list with related rows", "ada", "GET", "/api/cards/", nil, 200, "cards.list", "1 2 3 6 7 8"},
			{"a view that shows related rows only if they are requested", "ada", "GET", "/api/doctors/1/", nil, 200, "doctors.retrieve", "1"},
			{"a list of related rows", "ada", "GET", "/api/doctors/1/?expand=treats", nil, 200, "doctors.retrieve", "1 2"},
			{"a list of a column of related rows", "ada", "GET", "/api/doctors/1/?fields=names", nil, 200, "doctors.retrieve", "1 2"},
			{"rows below a row, which is not shown", "ada", "GET", "/api/patients/1/notes/", nil, 200, "patients.notes.list", "patients/{}/notes:1"},
			{"a row below a row", "ada", "GET", "/api/patients/1/notes/1/", nil, 200, "patients.notes.retrieve", "patients/{}/notes:1"},
			{"who read a row below a row", "ada", "GET", "/api/patients/1/notes/1/reads/", nil, 200, "", ""},
			{"a row below a row of another caller", "ada", "GET", "/api/patients/4/notes/2/", nil, 404, "", ""},
			{"who read a row below a row of another caller", "ada", "GET", "/api/patients/4/notes/2/reads/", nil, 404, "", ""},
			{"a row of another table that shows a patient", "ada", "GET", "/api/visits/1/", nil, 200, "visits.retrieve", "1"},
			{"a row that shows no patient of this caller", "ada", "GET", "/api/visits/2/", nil, 200, "", ""},
			{"a row without a patient", "ada", "GET", "/api/visits/3/", nil, 200, "", ""},
			{"a list with names of patients", "ada", "GET", "/api/visits/", nil, 200, "visits.list", "1"},
			{"the same for another caller", "bob", "GET", "/api/visits/", nil, 200, "visits.list", "4"},
			{"a row that a function finds", "ada", "GET", "/api/visits/first/", nil, 200, "visits.first", "1"},
			{"rows that show no patients", "ada", "GET", "/api/reasons/", nil, 200, "", ""},
			{"a create that shows no patient", "ada", "POST", "/api/visits/", fields{"patient": 1, "reason": "eye"}, 201, "", ""},
			{"a patch that shows a patient", "ada", "PATCH", "/api/visits/1/", fields{"reason": "ear"}, 200, "visits.patch", "1"},
			{"related rows, which show the patient again", "ada", "GET", "/api/patients/1/visits/", nil, 200, "patients.visits", "1"},
			{"a function without an answer", "ada", "POST", "/api/patients/1/greet/", nil, 204, "", ""},
			{"a function without an answer that finds rows", "ada", "GET", "/api/patients/any/", nil, 204, "", ""},
			{"a function without a body whose header shows a row", "ada", "POST", "/api/patients/call/", nil, 204, "patients.call", "1"},
			{"a function on a row without a body whose header shows the row", "ada", "POST", "/api/patients/2/call/", nil, 204, "patients.call", "2"},
			{"a function that creates a row", "ada", "POST", "/api/patients/enrol/", fields{"name": "P9"}, 201, "patients.enrol", "9"},
			{"a function of another viewset that creates a row", "ada", "POST", "/api/visits/enrol/", fields{"name": "P10"}, 201, "visits.enrol", "10"},
			{"a delete", "ada", "DELETE", "/api/patients/8/", nil, 204, "", ""},
			{"a deleted row", "staff", "GET", "/api/patients/8/?deleted=true", nil, 200, "patients.retrieve", "8"},
			{"who read a row", "ada", "GET", "/api/patients/1/reads/", nil, 200, "", ""},
			{"a row of another caller", "bob", "GET", "/api/patients/1/", nil, 404, "", ""},
			{"a visitor", "", "GET", "/api/patients/1/", nil, 401, "", ""},
			{"a wrong parameter", "ada", "GET", "/api/patients/?page=x", nil, 404, "", ""},
			{"a method that is not offered", "ada", "DELETE", "/api/patients/", nil, 405, "", ""},
		} {
			t.Run(r.name, func(t *testing.T) {
				before := len(entries(t, db))
				got := as(r.caller).On(t).Do(r.method, r.path, r.body).Expect(r.status)
				all := entries(t, db)[before:]
				switch {
				case r.route == "" && len(all) == 0:
					return
				case r.route == "":
					t.Fatalf("there is an entry: %v", all[0])
				case len(all) != 1:
					t.Fatalf("there are %d entries: %v", len(all), all)
				}
				want := []string{}
				for key := range strings.FieldsSeq(r.keys) {
					viewset, below, ok := strings.Cut(key, ":")
					if !ok {
						viewset, below = "patients", key
					}
					want = append(want, viewset+" "+below)
				}
				e := all[0]
				got.Header("X-Request-Id", e.Request.String())
				if e.Route != r.route || e.Method != r.method || *e.Path != r.path || e.Caller != apitest.ID(r.caller).String() || !slices.Equal(e.ViewSetKeys, want) {
					t.Errorf("the entry is %+v with the path %s, want %s %s with %v", e, *e.Path, r.route, r.path, want)
				}
			})
		}
	})
}

// TestRepeatedRequests: the entry of the first request with an Idempotency-Key names the row that the answers to repeated requests show,
// also if the first client preferred no body.
func TestRepeatedRequests(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		keyed := as("ada").With("Idempotency-Key", "k1")
		minimal := keyed.With("Prefer", "return=minimal")
		for i, c := range []*frameworktest.Client{minimal, keyed, minimal} {
			got := c.Post("/api/patients/", fields{"name": "P6"}).Expect(201)
			if shown := strings.Contains(got.Body(), "P6"); shown != (i == 1) {
				t.Fatalf("answer %d is %q", i, got.Body())
			}
		}
		var named [][]string
		for _, e := range entries(t, db) {
			named = append(named, e.ViewSetKeys)
		}
		if len(named) != 3 || !slices.Equal(named[0], []string{"patients 6"}) || len(named[1]) > 0 || len(named[2]) > 0 {
			t.Errorf("the entries name %v; want the row in the first one alone", named)
		}
		as("ada").With("Prefer", "return=minimal").Post("/api/patients/", fields{"name": "P7"}).Expect(201)
		if n := len(entries(t, db)); n != 3 {
			t.Errorf("an answer that shows nothing, now or later, has an entry: there are %d", n)
		}
	})
}

// TestStoredAnswersAreRecorded: an answer is stored for an Idempotency-Key only with the entry that names its rows, so a repeated request
// shows no row without one, also if the first request ends without an answer.
func TestStoredAnswersAreRecorded(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		run := func(statement string) {
			if _, err := db.NewRaw(statement).Exec(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		keyed := as("ada").With("Idempotency-Key", "k1")
		for _, c := range []struct {
			method, path string
			body         fields
			status       int
		}{
			{"POST", "/api/patients/", fields{"name": "P6"}, 201}, {"PATCH", "/api/patients/2/", fields{"name": "P9"}, 200},
			{"PATCH", "/api/visits/1/", fields{"reason": "ear"}, 200}, // which shows a patient with the same key
		} {
			run("ALTER TABLE row_read_keys RENAME TO elsewhere")
			keyed.Do(c.method, c.path, c.body).Expect(500).Lacks("P1", "P6", "P9")
			run("ALTER TABLE elsewhere RENAME TO row_read_keys")
			before := len(entries(t, db))
			var shown struct{ ID int64 }
			keyed.Do(c.method, c.path, c.body).Expect(c.status).JSON(&shown)
			want := fmt.Sprintf("[patients %d]", shown.ID)
			if all := entries(t, db)[before:]; len(all) != 1 || fmt.Sprint(all[0].ViewSetKeys) != want {
				t.Errorf("%s %s has the entries %v, want one that names %s", c.method, c.path, all, want)
			}
		}
		if n := apitest.Count(t, db, "patients"); n != 6 {
			t.Errorf("there are %d patients, want 6: the failed create stores none", n)
		}
	})
}

type fields = map[string]any

// TestWhoSeesTheReads: the reads of a row have the scope of the row and a permission of their own, and are in pages.
func TestWhoSeesTheReads(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, as func(string) *frameworktest.Client) {
		for i := range 3 {
			as("ada").Get(fmt.Sprintf("/api/patients/?page=1&page_size=%d", i+1)).Expect(200)
		}
		as("staff").Get("/api/patients/1/").Expect(200)
		as("bob").Get("/api/patients/4/").Expect(200)
		for _, test := range []struct {
			name, caller, path string
			status             int
		}{
			{"the owner, who holds the permission", "ada", "/api/patients/1/reads/", 200},
			{"staff, who see every patient", "staff", "/api/patients/4/reads/", 200},
			{"an owner without the permission", "bob", "/api/patients/4/reads/", 403},
			{"another caller with the permission", "carl", "/api/patients/1/reads/", 404},
			{"a visitor", "", "/api/patients/1/reads/", 401},
			{"a row that does not exist", "ada", "/api/patients/99/reads/", 404},
			{"a page after what is no id", "ada", "/api/patients/1/reads/?before=x", 400},
			{"a page of no entries", "ada", "/api/patients/1/reads/?page_size=0", 400},
			{"a write", "ada", "/api/patients/1/reads/", 405},
		} {
			t.Run(test.name, func(t *testing.T) {
				method := http.MethodGet
				if test.status == 405 {
					method = http.MethodDelete
				}
				got := as(test.caller).On(t).Do(method, test.path, nil).Expect(test.status)
				if test.status != 200 {
					got.Lacks("patients.list", "patients.retrieve", apitest.ID("staff").String())
				}
			})
		}
		var page struct {
			Next    *string
			Results []struct{ ID, Caller, Action, Method, Path string }
		}
		var seen []string
		for next := "/api/patients/1/reads/?page_size=3"; next != ""; {
			page.Next = nil
			as("ada").Get(next).Expect(200).JSON(&page)
			for _, e := range page.Results {
				seen = append(seen, e.Action+" "+e.Method+" "+e.Path)
			}
			if next = ""; page.Next != nil {
				next = (*page.Next)[strings.Index(*page.Next, "/api/"):]
			}
		}
		want := []string{
			"patients.retrieve GET /api/patients/1/", "patients.list GET /api/patients/?page=1&page_size=3",
			"patients.list GET /api/patients/?page=1&page_size=2", "patients.list GET /api/patients/?page=1&page_size=1",
		}
		if !slices.Equal(seen, want) {
			t.Errorf("the reads are %q, want %q", seen, want)
		}
	})
}

// TestWhatTheyNeed: the 403 of the reads and of the history names each permission that the caller needs, and says nothing about being
// signed in, because the caller is.
func TestWhatTheyNeed(t *testing.T) {
	held, either := framework.Holds("zz.audit"), framework.Any(framework.Holds("zz.audit"), framework.Holds("zz.see"))
	apitest.Databases(t, schema, func(t *testing.T, db *sqldb.DB) {
		config := apitest.Config(db)
		config.Authentication = []framework.Authenticator{names}
		for _, test := range []struct {
			name          string
			reading, rows framework.Permission
			want          string
		}{
			{"one permission", held, framework.Authenticated(), `it needs the permission \"zz.audit\".`},
			{"one permission of identified callers", framework.All(held, framework.Authenticated()), framework.Authenticated(), `it needs the permission \"zz.audit\".`},
			{"one permission beside those of the model", framework.All(held, framework.Authenticated()), framework.PerModel("patients"), `it needs the permission \"zz.audit\".`},
			{"one permission and one of the model", held, framework.HoldsModel("patients"), `it needs the permissions \"zz.audit\" and \"patients.view\".`},
			{"one of two permissions", either, framework.Authenticated(), `it needs the permission \"zz.audit\" or \"zz.see\".`},
			{"one of two permissions and one of the model", either, framework.HoldsModel("patients"), `it needs the permissions \"zz.audit\" or \"zz.see\", and \"patients.view\".`},
			{"staff with a permission", held, framework.Staff(), `it is for staff with the permission \"zz.audit\".`},
			{"staff with a permission, twice", framework.All(held, framework.Staff()), framework.Staff(), `it is for staff with the permission \"zz.audit\".`},
			{"staff alone", framework.Staff(), framework.Authenticated(), `; it is for staff.`},
		} {
			t.Run(test.name, func(t *testing.T) {
				_, c := apitest.Serve(t, config, framework.ViewSet[Patient]{
					Name: "people", Scope: framework.Public(), Permission: test.rows, Verbs: framework.ReadOnly[patientView](),
					Audit: framework.Reads{Permission: test.reading}, History: framework.History{Permission: test.reading},
				})
				for _, path := range []string{"reads", "history"} {
					apitest.As(c, "bob").On(t).Get("/api/people/1/"+path+"/").Expect(403).Contains(test.want, `"code":"forbidden"`)
				}
			})
		}
	})
}

// TestWhatIsNotStored: an entry has the parameters that the endpoint knows, and no others: they may be secrets, as the signature of a
// URL is.
func TestWhatIsNotStored(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		var photo struct{ URL string }
		as("ada").With("Content-Type", "text/plain").Put("/api/patients/1/photo/", "a photo").Expect(200).JSON(&photo)
		_, at, _ := strings.Cut(photo.URL, "/api/")
		as("").Get("/api/" + at).Expect(200)
		as("ada").Get("/api/patients/?token=secret&name=P1").Expect(200)
		var paths []string
		for _, e := range entries(t, db)[1:] {
			paths = append(paths, fmt.Sprintf("%v %v %s", e.Caller == "", e.ViewSetKeys, *e.Path))
		}
		if want := []string{"true [patients 1] /api/patients/1/photo/", "false [patients 1] /api/patients/?name=P1"}; !slices.Equal(paths, want) {
			t.Errorf("the entries are %q, want %q", paths, want)
		}
	})
}

// TestNoReadWithoutAnEntry: if the entry cannot be stored, the answer is an error and shows nothing, and a stream ends before the rows
// that are not recorded.
func TestNoReadWithoutAnEntry(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		run := func(statement string) {
			if _, err := db.NewRaw(statement).Exec(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		run("ALTER TABLE row_read_keys RENAME TO elsewhere")
		for _, path := range []string{"/api/patients/1/", "/api/patients/", "/api/patients/?format=ndjson", "/api/patients/names/", "/api/patients/1/card/", "/api/visits/1/", "/api/cards/1/"} {
			as("ada").Get(path).Expect(500).Lacks("P1", "P2", "P3")
		}
		as("ada").Patch("/api/patients/1/", fields{}).Expect(500).Lacks("P1")
		as("ada").Get("/api/reasons/").Expect(200)
		run("ALTER TABLE elsewhere RENAME TO row_read_keys")
		as("ada").Get("/api/patients/1/").Expect(200)
	})
}

// TestErrorsShowNoRow: an error has no entry, so it lacks the headers that the function has set from the row.
func TestErrorsShowNoRow(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		for _, test := range []struct {
			name, path    string
			table, column string // renamed before the request
			key           string
			status        int
		}{
			{"the function returns an error", "reject", "", "", "", 404},
			{"the function panics", "panic", "", "", "", 500},
			{"the entry cannot be stored", "call", "row_read_keys", "viewset", "", 500},
			{"the entry cannot be stored with the answer", "call", "row_read_keys", "viewset", "k1", 500},
			{"the answer cannot be stored after the entry", "call", "idempotency_keys", "version", "k1", 500},
			{"no error", "call", "", "", "k1", 204},
		} {
			t.Run(test.name, func(t *testing.T) {
				rename := func(from, to string) {
					if test.table == "" {
						return
					}
					if _, err := db.NewRaw("ALTER TABLE " + test.table + " RENAME COLUMN " + from + " TO " + to).Exec(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
				before := len(entries(t, db))
				client := as("ada").On(t)
				if test.key != "" {
					client = client.With("Idempotency-Key", test.key)
				}
				rename(test.column, "elsewhere")
				got := client.Post("/api/patients/1/"+test.path+"/", nil).Expect(test.status)
				rename("elsewhere", test.column)
				want, stored := "", 0
				if test.status == 204 {
					want, stored = "P1", 1
				}
				got.Header("X-Called", want)
				if n := len(entries(t, db)) - before; n != stored {
					t.Errorf("there are %d entries, want %d", n, stored)
				}
			})
		}
	})
}

// TestPreconditionsShowNothing: a write with If-Match that sets related rows is compared with what a read shows. Its entry names the rows of its
// own answer.
func TestPreconditionsShowNothing(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		tag := as("ada").Get("/api/teams/1/").Expect(200).Headers().Get("ETag")
		before := len(entries(t, db))
		change := fields{"visits": []fields{{"reason": "eye"}}}
		as("ada").With("If-Match", tag).Patch("/api/teams/1/", change).Expect(200)
		as("ada").With("If-Match", tag).Patch("/api/teams/1/", change).Expect(412)
		all := entries(t, db)[before:]
		if len(all) != 1 || !slices.Equal(all[0].ViewSetKeys, []string{"patients 1"}) {
			t.Errorf("the entries are %v, want one that names patient 1", all)
		}
	})
}

// TestEntriesStay: no statement changes or deletes an entry. Only the paths can be removed.
func TestEntriesStay(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		as("ada").Get("/api/patients/?name=P1").Expect(200)
		as("ada").Get("/api/patients/2/").Expect(200)
		statements := []string{
			"DELETE FROM row_reads", "DELETE FROM row_read_keys", "UPDATE row_reads SET caller = 'x'", "UPDATE row_reads SET path = '/'",
			"UPDATE row_reads SET path = NULL, method = 'PUT'", "UPDATE row_read_keys SET row_key = '9'",
		}
		if db.Kind() == sqldb.SQLite {
			statements = append(statements, "REPLACE INTO row_reads SELECT request, at, 'x', route, method, path FROM row_reads")
		} else {
			statements = append(statements, "TRUNCATE row_reads, row_read_keys", "TRUNCATE row_read_keys")
		}
		for _, statement := range statements {
			if _, err := db.NewRaw(statement).Exec(context.Background()); err == nil {
				t.Errorf("%s succeeds", statement)
			}
		}
		if n, err := framework.ForgetHistory(context.Background(), db, "patients", "1"); err != nil || n != 1 {
			t.Errorf("%d entries are forgotten: %v", n, err)
		}
		as("ada").Get("/api/patients/1/reads/").Expect(200).Contains(`"action":"patients.list"`, `"path":null`)
		as("ada").Get("/api/patients/2/reads/").Expect(200).Contains(`"path":"/api/patients/2/"`)
	})
}

// TestReadsAtTheSameTime: entries that are stored together name the rows of their own requests.
func TestReadsAtTheSameTime(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		const callers, each = 16, 20
		var all sync.WaitGroup
		for caller := range callers {
			all.Go(func() {
				for i := range each {
					as("staff").Get(fmt.Sprintf("/api/patients/%d/", 1+(caller+i)%5)).Expect(200)
				}
			})
		}
		all.Wait()
		read := entries(t, db)
		if len(read) != callers*each {
			t.Errorf("there are %d entries, want %d", len(read), callers*each)
		}
		for _, e := range read {
			if want := "[patients " + strings.Trim(strings.TrimPrefix(*e.Path, "/api/patients/"), "/") + "]"; fmt.Sprint(e.ViewSetKeys) != want {
				t.Errorf("the entry of %s names %s, want %s", *e.Path, e.ViewSetKeys, want)
			}
		}
	})
}
