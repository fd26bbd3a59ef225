package history_test

import (
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

// idOf creates a patient, and returns its id.
func idOf(c *frameworktest.Client, body fields) string {
	var made struct{ ID string }
	c.Post("/api/patients/", body).Expect(201).JSON(&made)
	return made.ID
}

// historyOf lists the entries of a history, the oldest first: each is its type, the name of its caller, and its changes.
func historyOf(t *testing.T, c *frameworktest.Client, path string) (all []string) {
	t.Helper()
	var page struct {
		Results []struct {
			Type, Action string
			Caller       string
			Changes      json.RawMessage
		}
	}
	c.Get(path).Expect(200).JSON(&page)
	for _, e := range slices.Backward(page.Results) {
		who := e.Caller
		for name := range names {
			if apitest.ID(name).String() == e.Caller {
				who = name
			}
		}
		all = append(all, fmt.Sprintf("%s by %s, %s: %s", e.Type, who, e.Action, e.Changes))
	}
	return all
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the history is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestEachChangeHasAnEntry: each change by a verb, by another viewset of the table, and by a function has one entry with the
// fields that changed. Secrets, the time of the change, and fields of Except have no values.
func TestEachChangeHasAnEntry(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, as func(string) *frameworktest.Client) {
		ada := as("ada")
		id := idOf(ada, fields{"name": "Asha", "phone": "1", "pin": "4711", "fee": 5})
		path := "/api/patients/" + id + "/"
		ada.Patch(path, fields{"phone": "2", "fee": 6}).Expect(200)
		ada.Patch(path, fields{"phone": "2"}).Expect(200) // changes nothing
		ada.Patch(path, fields{}).Expect(200)
		ada.Patch(path, fields{"phone": ""}).Expect(200)
		ada.Patch(path, fields{"pin": "0815"}).Expect(200)
		ada.Patch(path, fields{"name": strings.Repeat("x", 51)}).Expect(400)
		ada.Put(path, fields{"name": "Asha B", "phone": "3", "pin": "0815", "age": 40, "fee": 6, "visits": []fields{}}).Expect(200)
		ada.Patch("/api/desk/"+id+"/", fields{"phone": "4"}).Expect(200)
		ada.Post(path+"birthday/", nil).Expect(204)
		as("staff").Patch(path, fields{"age": nil}).Expect(200)
		as("bob").Patch(path, fields{"phone": "9"}).Expect(404)
		expect(t, historyOf(t, ada, path+"history/"),
			`patients.created by ada, patients.create: {"age":{"to":null},"name":{"to":"Asha"},"phone":{"to":"1"}}`,
			`patients.updated by ada, patients.patch: {"phone":{"from":"1","to":"2"}}`,
			`patients.updated by ada, patients.patch: {"phone":{"from":"2","to":""}}`,
			`patients.updated by ada, patients.patch: {}`,
			`patients.updated by ada, patients.update: {"age":{"from":null,"to":40},"name":{"from":"Asha","to":"Asha B"},"phone":{"from":"","to":"3"}}`,
			`patients.updated by ada, desk.patch: {"phone":{"from":"3","to":"4"}}`,
			`patients.updated by ada, patients.birthday: {"age":{"from":40,"to":41}}`,
			`patients.updated by staff, patients.patch: {"age":{"from":41,"to":null}}`,
		)
	})
}

// TestOtherWrites: changes of several rows, of lists in inputs, by toggles, and removals have an entry for each row.
func TestOtherWrites(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		ada := as("ada")
		id := idOf(ada, fields{"name": "Asha", "visits": []fields{{"reason": "hip"}, {"reason": "eye"}}})
		path := "/api/patients/" + id + "/"
		ada.Patch(path, fields{"visits": []fields{{"id": 1, "reason": "knee"}, {"reason": "ear"}}}).Expect(200)
		expect(t, historyOf(t, ada, path+"visits/1/history/"),
			`patients.visits.created by ada, patients.create: {"reason":{"to":"hip"}}`,
			`patients.visits.updated by ada, patients.patch: {"reason":{"from":"hip","to":"knee"}}`)
		expect(t, events(t, db, "patients/{}/visits", "2"), `created {"reason":{"to":"eye"}}`, `deleted {"reason":{"from":"eye"}}`)
		expect(t, events(t, db, "patients/{}/visits", "3"), `created {"reason":{"to":"ear"}}`)
		ada.Put(path+"star/", nil).Expect(204)
		ada.Put(path+"star/", nil).Expect(204)
		ada.Delete(path + "star/").Expect(204)
		ada.Delete(path + "star/").Expect(204)
		expect(t, events(t, db, "stars", "1"), `created {"patient":{"to":"`+id+`"}}`, `deleted {"patient":{"from":"`+id+`"}}`)
		ada.Delete(path).Expect(409)
		ada.Post(path+"leave/", nil).Expect(409)
		ada.Delete(path + "visits/1/").Expect(204)
		ada.Delete(path + "visits/3/").Expect(204)
		ada.Post(path+"leave/", nil).Expect(204)
		expect(t, events(t, db, "patients", id), `created {"age":{"to":null},"name":{"to":"Asha"},"phone":{"to":""}}`, `deleted {"age":{"from":null},"name":{"from":"Asha"},"phone":{"from":""}}`)
		ada.Get(path + "history/").Expect(404)

		var made []struct{ ID string }
		bulk := "/api/desk/bulk/"
		ada.Post(bulk, []fields{{"name": "Bea"}, {"name": "Cid"}}).Expect(200).JSON(&made)
		ada.Post(bulk, []fields{{"name": "Dot"}, {"name": "Bea"}}).Expect(409)
		ada.Patch(bulk, []fields{{"id": made[0].ID, "name": "Bea B"}, {"id": made[1].ID, "name": "Cid"}}).Expect(200)
		ada.Put(bulk, []fields{{"name": "Cid", "phone": "7"}, {"name": "Eva"}}).Expect(200)
		ada.Delete(bulk + "?id=" + made[0].ID + "," + made[1].ID).Expect(204)
		expect(t, events(t, db, "patients", made[0].ID),
			`created {"age":{"to":null},"name":{"to":"Bea"},"phone":{"to":""}}`, `updated {"name":{"from":"Bea","to":"Bea B"}}`, `deleted {"age":{"from":null},"name":{"from":"Bea B"},"phone":{"from":""}}`)
		expect(t, events(t, db, "patients", made[1].ID),
			`created {"age":{"to":null},"name":{"to":"Cid"},"phone":{"to":""}}`, `updated {"phone":{"from":"","to":"7"}}`, `deleted {"age":{"from":null},"name":{"from":"Cid"},"phone":{"from":"7"}}`)
		if n := apitest.Count(t, db, "row_history"); n != 5+2+2+2+6+1 {
			t.Errorf("the history has %d entries", n)
		}
	})
}

// events lists the entries of a row, the oldest first, as a program that follows all entries gets them.
func events(t *testing.T, db *sqldb.DB, viewset, key string) (all []string) {
	t.Helper()
	for _, e := range apitest.History(t, db) {
		if e.ViewSet == viewset && e.Key == key {
			text, err := json.Marshal(e.Changes)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, e.Type[strings.LastIndex(e.Type, ".")+1:]+" "+string(text))
		}
	}
	return all
}

func follow(t *testing.T, db *sqldb.DB, most int) []framework.HistoryEvent {
	t.Helper()
	all, _, err := framework.FollowHistory(t.Context(), db, "", most)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWhoReads: a history has the scope of its row and a permission of its own.
func TestWhoReads(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, as func(string) *frameworktest.Client) {
		id := idOf(as("ada"), fields{"name": "Asha", "phone": "555-1"})
		bobs := idOf(as("bob"), fields{"name": "Bea", "phone": "555-2"})
		eves := idOf(as("eve"), fields{"name": "Eva", "phone": "555-3"})
		const nobodys = "00000000-0000-7000-8000-000000000000"
		for _, test := range []struct {
			name, caller, path string
			status             int
		}{
			{"the owner, who holds the permission", "ada", id, 200},
			{"staff, who see every patient", "staff", id, 200},
			{"another caller with the permission", "bob", id, 404},
			{"an owner without the permission", "eve", eves, 403},
			{"a visitor", "", id, 401},
			{"a row that does not exist", "ada", nobodys, 404},
			{"a key that is none", "ada", "x", 404},
			{"a page after an entry of another row", "ada", id, 400},
			{"a page after what is no id", "ada", id, 400},
			{"a page of no entries", "ada", id, 400},
		} {
			t.Run(test.name, func(t *testing.T) {
				query := ""
				switch test.name {
				case "a page after an entry of another row":
					var page struct{ Results []struct{ ID string } }
					as("bob").Get("/api/patients/" + bobs + "/history/").Expect(200).JSON(&page)
					query = "?before=" + page.Results[0].ID
				case "a page after what is no id":
					query = "?before=x"
				case "a page of no entries":
					query = "?page_size=0"
				}
				got := as(test.caller).On(t).Get("/api/patients/" + test.path + "/history/" + query).Expect(test.status)
				if test.status != 200 {
					got.Lacks("555-", "Asha", "Bea", "Eva")
				}
			})
		}
		as("ada").Get("/api/patients/" + id + "/history/").Expect(200).Contains("555-1")
		as("bob").Get("/api/patients/"+bobs+"/history/").Expect(200).Contains(`"name":{"to":"Bea"}`).Lacks("555-2", `"phone"`)
		as("ada").Post("/api/patients/"+id+"/history/", fields{}).Expect(405)
	})
}

// TestPages: the pages of a history have every entry once, the newest first, while further changes are made.
func TestPages(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, as func(string) *frameworktest.Client) {
		ada := as("ada")
		id := idOf(ada, fields{"name": "Asha", "age": 0})
		row := "/api/patients/" + id + "/"
		for age := 1; age < 50; age++ {
			ada.Patch(row, fields{"age": age}).Expect(200)
		}
		path, want := row+"history/?page_size=7", 49
		for pages := 0; path != ""; pages++ {
			var page struct {
				Next    string
				Results []struct{ Changes map[string]struct{ To any } }
			}
			ada.Get(path).Expect(200).JSON(&page)
			for _, e := range page.Results {
				if got := e.Changes["age"].To; got != float64(want) {
					t.Fatalf("on page %d comes the age %v; want %d", pages, got, want)
				}
				want--
			}
			ada.Patch(row, fields{"age": 1000 + pages}).Expect(200)
			path = ""
			if _, query, more := strings.Cut(page.Next, "?"); more {
				path = row + "history/?" + query
			}
		}
		if want != -1 {
			t.Errorf("the pages end before %d", want)
		}
		if n := len(historyOf(t, ada, row+"history/")); n != 20 {
			t.Errorf("a page without a size has %d entries", n)
		}
		if n := len(historyOf(t, ada, row+"history/?page_size=1000")); n != 58 {
			t.Errorf("a large page has %d entries", n)
		}
	})
}

// TestEntriesStay: no statement changes or deletes an entry, but for one that removes its values.
func TestEntriesStay(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		ada := as("ada")
		id := idOf(ada, fields{"name": "Asha"})
		other := idOf(ada, fields{"name": "Bea"})
		statements := []string{
			"DELETE FROM row_history", "UPDATE row_history SET caller = 'x'", "UPDATE row_history SET changes = '{}'", "UPDATE row_history SET changes = NULL, caller = ''",
			"UPDATE row_history SET safe_at = safe_at + 1",
		}
		if db.Kind() == sqldb.PostgreSQL {
			statements = append(statements, "TRUNCATE row_history")
		} else {
			statements = append(statements, "REPLACE INTO row_history SELECT seq, safe_at, id, viewset, row_key, change, at, 'forged', request, route, changes FROM row_history")
		}
		for _, statement := range statements {
			if _, err := db.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "entries of row_history cannot be") {
				t.Errorf("%s: got %v", statement, err)
			}
		}
		for _, want := range []int64{1, 0} {
			if n, err := framework.ForgetHistory(t.Context(), db, "patients", id); n != want || err != nil {
				t.Errorf("%d entries are forgotten, %v; want %d", n, err, want)
			}
		}
		expect(t, historyOf(t, ada, "/api/patients/"+id+"/history/"), `patients.created by ada, patients.create: {}`)
		ada.Get("/api/patients/" + id + "/history/").Expect(200).Contains(`"forgotten":true`)
		ada.Get("/api/patients/"+other+"/history/").Expect(200).Contains(`"forgotten":false`, `"Bea"`)
	})
}
