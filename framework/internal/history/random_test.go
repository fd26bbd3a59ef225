package history_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A world is what the tables should have, and the entries that the history should have: of each row in their order.
type world struct {
	t       *testing.T
	r       *rand.Rand
	db      *sqldb.DB
	clients map[string]*frameworktest.Client
	rows    map[string]*person
	entries map[string][]string // by the viewset and the key of the row
	who     string              // the caller of the request
	done    int                 // requests that changed something
}

// A person is a patient with visits, by their keys, and the keys of the stars, by callers.
type person struct {
	owner  string
	fields fields // name, phone, pin, age and fee
	visits map[int64]string
	stars  map[string]int64
}

// recorded are the fields of patients that have values in the history.
var recorded = []string{"age", "name", "phone"}

// note adds an entry about a row. A new row has no state before, and a deleted one no state after. Two equal states have no entry.
func (w *world) note(viewset, path, key, action string, before, after fields, names ...string) {
	what := map[bool]map[bool]string{true: {false: "created"}, false: {true: "deleted", false: "updated"}}[before == nil][after == nil]
	changes := map[string]map[string]any{}
	for _, name := range names {
		change := map[string]any{}
		if before != nil {
			change["from"] = before[name]
		}
		if after != nil {
			change["to"] = after[name]
		}
		if before == nil || after == nil || before[name] != after[name] {
			changes[name] = change
		}
	}
	if before != nil && after != nil && maps.Equal(before, after) {
		return
	}
	text, err := json.Marshal(changes)
	if err != nil {
		w.t.Fatal(err)
	}
	row := viewset + " " + key
	w.entries[row] = append(w.entries[row], fmt.Sprintf("%s.%s by %s, %s: %s", path, what, w.who, action, text))
}

// change gives a patient some fields.
func (w *world) change(id, action string, set fields) {
	p := w.rows[id]
	after := maps.Clone(p.fields)
	maps.Copy(after, set)
	w.note("patients", "patients", id, action, p.fields, after, recorded...)
	p.fields = after
}

// enter adds a patient of the caller.
func (w *world) enter(id, action string, set fields) {
	all := fields{"name": nil, "phone": "", "pin": "", "age": nil, "fee": 0}
	maps.Copy(all, set)
	w.rows[id] = &person{w.who, all, map[int64]string{}, map[string]int64{}}
	w.note("patients", "patients", id, action, nil, all, recorded...)
}

// leave removes a patient.
func (w *world) leave(id, action string) {
	w.note("patients", "patients", id, action, w.rows[id].fields, nil, recorded...)
	delete(w.rows, id)
}

// visit adds a visit of a patient, changes its reason, or removes it if the reason is empty.
func (w *world) visit(id string, visit int64, action, reason string) {
	var before, after fields
	if was, known := w.rows[id].visits[visit]; known {
		before = fields{"reason": was}
	}
	delete(w.rows[id].visits, visit)
	if reason != "" {
		after = fields{"reason": reason}
		w.rows[id].visits[visit] = reason
	}
	w.note("patients/{}/visits", "patients.visits", strconv.FormatInt(visit, 10), action, before, after, "reason")
}

// visitsAre gives a patient the visits of an answer.
func (w *world) visitsAre(id, action string, now []visitView) {
	kept := map[int64]bool{}
	for _, v := range now {
		kept[v.ID] = true
		w.visit(id, v.ID, action, v.Reason)
	}
	for old := range maps.Clone(w.rows[id].visits) {
		if !kept[old] {
			w.visit(id, old, action, "")
		}
	}
}

// some returns a random patient, "" without one: most often one of the caller.
func (w *world) some() string {
	ids := slices.Sorted(maps.Keys(w.rows))
	if w.r.IntN(8) > 0 {
		ids = slices.DeleteFunc(ids, func(id string) bool { return w.rows[id].owner != w.who })
	}
	if len(ids) == 0 {
		return ""
	}
	return ids[w.r.IntN(len(ids))]
}

// random returns random values of some fields, and each of them that must be there.
func (w *world) random(must string, may ...string) fields {
	set := fields{}
	for _, name := range append(strings.Fields(must), may...) {
		if slices.Contains(may, name) && w.r.IntN(2) == 0 {
			continue
		}
		switch name {
		case "name":
			set[name] = fmt.Sprint("n", w.r.IntN(20))
		case "age":
			set[name] = w.r.IntN(3)
		case "fee":
			set[name] = w.r.IntN(3)
		default:
			set[name] = strconv.Itoa(w.r.IntN(3))
		}
	}
	return set
}

// visits returns random items for the visits of a patient: some of its own and new ones.
func (w *world) visits(id string) []fields {
	items := []fields{}
	if p := w.rows[id]; p != nil {
		for _, visit := range slices.Sorted(maps.Keys(p.visits)) {
			switch w.r.IntN(3) {
			case 0:
				items = append(items, fields{"id": visit, "reason": p.visits[visit]})
			case 1:
				items = append(items, fields{"id": visit, "reason": fmt.Sprint("r", w.r.IntN(9))})
			}
		}
	}
	for range w.r.IntN(2) {
		items = append(items, fields{"reason": fmt.Sprint("r", w.r.IntN(9))})
	}
	return items
}

// send sends a request, which may have an Idempotency-Key, and reports whether it was done.
func (w *world) send(method, path string, body, answer any) bool {
	c := w.clients[w.who]
	if w.r.IntN(4) == 0 && method == http.MethodPost {
		c = c.With("Idempotency-Key", fmt.Sprint("key ", w.r.Uint64()))
	}
	got := c.Do(method, path, body)
	switch {
	case got.Status() >= 500:
		w.t.Fatalf("%s %s %v is answered %d %s", method, path, body, got.Status(), got.Body())
	case got.Status() >= 300:
		return false
	case answer != nil:
		got.JSON(answer)
	}
	w.done++
	return true
}

type shown struct {
	ID     string
	Visits []visitView
}

// acts are the requests of the test, each with a patient of the caller or of another one.
var acts = map[string]func(w *world, id string){
	"create": func(w *world, _ string) {
		body, got := w.random("name phone", "pin", "age", "fee"), shown{}
		given := maps.Clone(body)
		given["visits"] = w.visits("")
		if w.send(http.MethodPost, "/api/patients/", given, &got) {
			w.enter(got.ID, "patients.create", body)
			w.visitsAre(got.ID, "patients.create", got.Visits)
		}
	},
	"patch": func(w *world, id string) {
		body, got := w.random("", "name", "phone", "pin", "age", "fee"), shown{}
		given := maps.Clone(body)
		if w.r.IntN(3) == 0 {
			given["visits"] = w.visits(id)
		}
		if w.send(http.MethodPatch, "/api/patients/"+id+"/", given, &got) {
			w.change(id, "patients.patch", body)
			w.visitsAre(id, "patients.patch", got.Visits)
		}
	},
	"put": func(w *world, id string) {
		body, got := w.random("name phone pin age fee"), shown{}
		given := maps.Clone(body)
		given["visits"] = w.visits(id)
		if w.send(http.MethodPut, "/api/patients/"+id+"/", given, &got) {
			w.change(id, "patients.update", body)
			w.visitsAre(id, "patients.update", got.Visits)
		}
	},
	"delete": func(w *world, id string) {
		if w.send(http.MethodDelete, "/api/patients/"+id+"/", nil, nil) {
			w.leave(id, "patients.delete")
		}
	},
	"create at the desk": func(w *world, _ string) {
		body, got := w.random("name", "phone", "fee"), shown{}
		if w.send(http.MethodPost, "/api/desk/", body, &got) {
			w.enter(got.ID, "desk.create", body)
		}
	},
	"patch at the desk": func(w *world, id string) {
		body := w.random("", "name", "phone", "fee")
		if w.send(http.MethodPatch, "/api/desk/"+id+"/", body, nil) {
			w.change(id, "desk.patch", body)
		}
	},
	"put at the desk": func(w *world, id string) {
		body := w.random("name phone fee")
		if w.send(http.MethodPut, "/api/desk/"+id+"/", body, nil) {
			w.change(id, "desk.update", body)
		}
	},
	"several": func(w *world, _ string) { w.several(false) },
	"each":    func(w *world, _ string) { w.several(true) },
	"delete several": func(w *world, id string) {
		ids := slices.Compact(slices.Sorted(slices.Values([]string{id, w.some()})))
		if w.send(http.MethodDelete, "/api/desk/bulk/?id="+strings.Join(ids, ","), nil, nil) {
			for _, one := range ids {
				w.leave(one, "desk.delete")
			}
		}
	},
	"star": func(w *world, id string) {
		if !w.send(http.MethodPut, "/api/patients/"+id+"/star/", nil, nil) || w.rows[id].stars[w.who] != 0 {
			return
		}
		var star int64
		err := w.db.NewRaw("SELECT id FROM stars WHERE patient_id = ? AND user_id = ?", id, apitest.ID(w.who)).Scan(context.Background(), &star)
		if err != nil {
			w.t.Fatal(err)
		}
		w.rows[id].stars[w.who] = star
		w.note("stars", "stars", strconv.FormatInt(star, 10), "patients.star", nil, fields{"patient": id}, "patient")
	},
	"unstar": func(w *world, id string) {
		if star := w.rows[id].stars[w.who]; w.send(http.MethodDelete, "/api/patients/"+id+"/star/", nil, nil) && star != 0 {
			w.note("stars", "stars", strconv.FormatInt(star, 10), "patients.star", fields{"patient": id}, nil, "patient")
			delete(w.rows[id].stars, w.who)
		}
	},
	"save": func(w *world, id string) {
		if w.send(http.MethodPost, "/api/patients/"+id+"/birthday/", nil, nil) {
			age, _ := w.rows[id].fields["age"].(int)
			w.change(id, "patients.birthday", fields{"age": age + 1})
		}
	},
	"insert": func(w *world, id string) {
		var got struct{ ID string }
		if w.send(http.MethodPost, "/api/patients/"+id+"/twin/", nil, &got) {
			w.enter(got.ID, "patients.twin", fields{"name": fmt.Sprint(w.rows[id].fields["name"], " twin")})
		}
	},
	"remove": func(w *world, id string) {
		if w.send(http.MethodPost, "/api/patients/"+id+"/leave/", nil, nil) {
			w.leave(id, "patients.leave")
		}
	},
	"visit": func(w *world, id string) {
		var got visitView
		if w.send(http.MethodPost, "/api/patients/"+id+"/visits/", fields{"reason": "new"}, &got) {
			w.visit(id, got.ID, "patients.visits.create", "new")
		}
	},
	"change a visit": func(w *world, id string) {
		for visit := range w.rows[id].visits {
			at, reason := fmt.Sprintf("/api/patients/%s/visits/%d/", id, visit), fmt.Sprint("r", w.r.IntN(3))
			switch w.r.IntN(3) {
			case 0:
				if w.send(http.MethodPatch, at, fields{"reason": reason}, nil) {
					w.visit(id, visit, "patients.visits.patch", reason)
				}
			case 1:
				if w.send(http.MethodPut, at, fields{"reason": reason}, nil) {
					w.visit(id, visit, "patients.visits.update", reason)
				}
			default:
				if w.send(http.MethodDelete, at, nil, nil) {
					w.visit(id, visit, "patients.visits.delete", "")
				}
			}
			return
		}
	},
}

// several sends a request for several rows, whose items are done all or each.
func (w *world) several(each bool) {
	method := []string{http.MethodPost, http.MethodPatch, http.MethodPut}[w.r.IntN(3)]
	var items []fields
	for range 1 + w.r.IntN(4) {
		item := w.random("name", "phone", "fee")
		if method == http.MethodPatch {
			item = w.random("", "name", "phone", "fee")
			item["id"] = w.some()
		}
		items = append(items, item)
	}
	if !each {
		var got []shown
		if w.send(method, "/api/desk/bulk/", items, &got) {
			for i, one := range got {
				w.item(method, one.ID, items[i])
			}
		}
		return
	}
	var results []struct {
		Status int
		Row    shown
	}
	if !w.send(method, "/api/desk/bulk/each/", items, &results) {
		return
	}
	for i, one := range results {
		if one.Status < 300 {
			w.item(method, one.Row.ID, items[i])
		}
	}
}

// item does one item of a request for several rows.
func (w *world) item(method, id string, item fields) {
	delete(item, "id")
	switch {
	case method == http.MethodPatch:
		w.change(id, "desk.patch", item)
	case w.rows[id] == nil:
		w.enter(id, "desk.create", item)
	default:
		whole := fields{"phone": "", "fee": 0}
		maps.Copy(whole, item)
		w.change(id, "desk.update", whole)
	}
}

// compare compares the history with the entries that it should have.
func (w *world) compare() {
	w.t.Helper()
	got := map[string][]string{}
	for _, e := range apitest.History(w.t, w.db) {
		who := *e.Caller
		for name := range names {
			if apitest.ID(name).String() == who {
				who = name
			}
		}
		text, err := json.Marshal(e.Changes)
		if err != nil {
			w.t.Fatal(err)
		}
		row := e.ViewSet + " " + e.Key
		got[row] = append(got[row], fmt.Sprintf("%s by %s, %s: %s", e.Type, who, e.Action, text))
	}
	n := 0
	for row, want := range w.entries {
		n += len(want)
		if !slices.Equal(got[row], want) {
			w.t.Errorf("the history of %s is\n\t%s\nwant\n\t%s", row, strings.Join(got[row], "\n\t"), strings.Join(want, "\n\t"))
		}
		delete(got, row)
	}
	for row, extra := range got {
		w.t.Errorf("%s has a history, and should have none: %s", row, extra)
	}
	w.t.Logf("%d requests were done, with %d entries", w.done, n)
}

// TestRandomOperations checks that random requests of two callers leave exactly the entries that a model has: of each row in
// the order of its changes, with the values before and after each.
func TestRandomOperations(t *testing.T) {
	seed := rand.Uint64()
	if text := os.Getenv("TRESTLE_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	t.Logf("TRESTLE_SEED=%d", seed)
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		w := &world{
			t: t, r: rand.New(rand.NewPCG(seed, 0)), db: db, rows: map[string]*person{}, entries: map[string][]string{},
			clients: map[string]*frameworktest.Client{"ada": as("ada"), "bob": as("bob")},
		}
		kinds, ran := slices.Sorted(maps.Keys(acts)), map[string]bool{}
		for range 600 {
			w.who = []string{"ada", "bob"}[w.r.IntN(2)]
			act, id, before := kinds[w.r.IntN(len(kinds))], w.some(), w.done
			if id == "" {
				act = "create"
			}
			acts[act](w, id)
			ran[act] = ran[act] || w.done > before
		}
		for _, act := range kinds {
			if !ran[act] {
				t.Errorf("no request of the kind %q was done", act)
			}
		}
		w.compare()
	})
}
