package quota_test

import (
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// play sends the requests of a table as their callers, one after another, on each database.
func play(t *testing.T, steps []frameworktest.Scenario) {
	t.Helper()
	for i := range steps {
		if name := steps[i].As; name != "" {
			steps[i].As, steps[i].Headers = "", map[string]string{"Authorization": "Name " + name}
		}
	}
	both(t, func(t *testing.T, _ *sqldb.DB, as func(string) *frameworktest.Client) {
		frameworktest.Run(t, as(""), steps)
	})
}

func plot(name string) fields { return fields{"name": name} }

func of(owner, name string) fields { return fields{"owner": apitest.ID(owner), "name": name} }

const exceeded = "quota_exceeded"

// TestOwnRows: a caller has at most three plots, by whichever request they are stored.
func TestOwnRows(t *testing.T) {
	play(t, []frameworktest.Scenario{
		{Name: "the first", As: "ann", Method: "POST", Path: "/api/plots/", Body: plot("a"), Status: 201},
		{Name: "two more would fit, and three do not", As: "ann", Method: "POST", Path: "/api/plots/bulk/", Body: []fields{plot("b"), plot("c"), plot("d")}, Status: 409, Code: exceeded, Contains: []string{"You own 1 of at most 3 plots, and this request adds 3.", `"details":{"limit":3,"count":1}`}},
		{Name: "so none is stored", As: "ann", Path: "/api/plots/", Status: 200, Contains: []string{`"count":1`}},
		{Name: "two more", As: "ann", Method: "POST", Path: "/api/plots/bulk/", Body: []fields{plot("b"), plot("c")}, Status: 200},
		{Name: "a fourth", As: "ann", Method: "POST", Path: "/api/plots/", Body: plot("d"), Status: 409, Code: exceeded, Contains: []string{"You own 3 of at most 3 plots, and this request adds 1."}, Answers: map[string]string{"Location": ""}},
		{Name: "faults of the body come first", As: "ann", Method: "POST", Path: "/api/plots/", Body: plot(""), Status: 400, Code: "validation_failed"},
		{Name: "a change of a row adds none", As: "ann", Method: "PATCH", Path: "/api/plots/1/", Body: plot("aa"), Status: 200},
		{Name: "nor does a replacement", As: "ann", Method: "PUT", Path: "/api/plots/1/", Body: plot("a"), Status: 200},
		{Name: "nor one of several by their names", As: "ann", Method: "PUT", Path: "/api/plots/bulk/", Body: []fields{plot("a"), plot("b")}, Status: 200},
		{Name: "of which a new one is too many", As: "ann", Method: "PUT", Path: "/api/plots/bulk/", Body: []fields{plot("a"), plot("d")}, Status: 409, Code: exceeded},
		{Name: "each by itself", As: "ann", Method: "PUT", Path: "/api/plots/bulk/each/", Body: []fields{plot("d"), plot("a")}, Status: 200, Contains: []string{`"status":409`, `"status":200`, exceeded}},
		{Name: "a function that stores rows", As: "ann", Method: "POST", Path: "/api/plots/1/split/", Body: plot("e"), Status: 409, Code: exceeded},
		{Name: "another caller has a quota of his own", As: "bob", Method: "POST", Path: "/api/plots/", Body: plot("a"), Status: 201},
		{Name: "which the rows of others do not fill", As: "bob", Method: "POST", Path: "/api/plots/bulk/each/", Body: []fields{plot("b"), plot("c"), plot("d"), plot("e")}, Status: 200, Contains: []string{`"status":201`, "You own 3 of at most 3 plots"}},
		{Name: "and in which there was room for two", As: "bob", Path: "/api/plots/", Status: 200, Contains: []string{`"count":3`}},
		{Name: "a deleted row makes room", As: "ann", Method: "DELETE", Path: "/api/plots/1/", Status: 204},
		{Name: "for one", As: "ann", Method: "POST", Path: "/api/plots/", Body: plot("d"), Status: 201},
		{Name: "so it cannot be restored", As: "ann", Method: "POST", Path: "/api/plots/1/restore/", Status: 409, Code: exceeded, Contains: []string{"You own 3 of at most 3 plots"}},
		{Name: "until another is deleted", As: "ann", Method: "DELETE", Path: "/api/plots/2/", Status: 204},
		{Name: "then it can", As: "ann", Method: "POST", Path: "/api/plots/1/restore/", Status: 204},
		{Name: "once", As: "ann", Method: "POST", Path: "/api/plots/1/restore/", Status: 204},
		{Name: "an anonymous caller learns nothing", Method: "POST", Path: "/api/plots/", Body: plot("x"), Status: 401, Lacks: []string{exceeded}},
	})
}

// TestRowsOfOthers: the quota is that of the owner of a row, whichever caller stores it. Only the owner learns the number of rows.
func TestRowsOfOthers(t *testing.T) {
	play(t, []frameworktest.Scenario{
		{Name: "staff store a plot of a user", As: "mod", Method: "POST", Path: "/api/staff/plots/", Body: of("ann", "a"), Status: 201},
		{Name: "and several of two users", As: "mod", Method: "POST", Path: "/api/staff/plots/bulk/", Body: []fields{of("ann", "b"), of("bob", "a"), of("ann", "c"), of("bob", "b")}, Status: 200},
		{Name: "a fourth of one of them", As: "mod", Method: "POST", Path: "/api/staff/plots/", Body: of("ann", "d"), Status: 409, Code: exceeded, Contains: []string{"A user owns at most 3 plots, and this request would exceed that.", `"details":{"limit":3}`}, Lacks: []string{"count", "You own"}},
		{Name: "several, of which one is too many", As: "mod", Method: "POST", Path: "/api/staff/plots/bulk/", Body: []fields{of("cat", "a"), of("ann", "d")}, Status: 409, Code: exceeded},
		{Name: "so none is stored", As: "cat", Path: "/api/plots/", Status: 200, Contains: []string{`"count":0`}},
		{Name: "the rows of others are none of staff", As: "mod", Method: "POST", Path: "/api/plots/", Body: plot("m"), Status: 201},
		{Name: "a plot goes to another user", As: "mod", Method: "PATCH", Path: "/api/staff/plots/1/", Body: fields{"owner": apitest.ID("bob"), "name": "z"}, Status: 200},
		{Name: "who has three then", As: "mod", Method: "PATCH", Path: "/api/staff/plots/2/", Body: fields{"owner": apitest.ID("bob"), "name": "y"}, Status: 409, Code: exceeded},
		{Name: "also by a PUT", As: "mod", Method: "PUT", Path: "/api/staff/plots/2/", Body: of("bob", "y"), Status: 409, Code: exceeded},
		{Name: "a row that stays with its owner can change", As: "mod", Method: "PUT", Path: "/api/staff/plots/1/", Body: of("bob", "w"), Status: 200},
		{Name: "two at once, and there is room for one", As: "mod", Method: "PATCH", Path: "/api/staff/plots/bulk/", Body: []fields{{"id": 1, "owner": apitest.ID("ann"), "name": "v"}, {"id": 3, "owner": apitest.ID("ann"), "name": "u"}}, Status: 409, Code: exceeded},
		{Name: "nothing of it is done", As: "bob", Path: "/api/plots/1/", Status: 200, Contains: []string{`"name":"w"`}},
		{Name: "one of them", As: "mod", Method: "PATCH", Path: "/api/staff/plots/bulk/", Body: []fields{{"id": 1, "owner": apitest.ID("ann")}, {"id": 2, "name": "t"}}, Status: 200},
		{Name: "staff split a plot of a user", As: "mod", Method: "POST", Path: "/api/plots/2/split/", Body: plot("s"), Status: 409, Code: exceeded, Lacks: []string{"count"}},
	})
}

// TestRelatedRows: rows below others, rows that a body lists, and rows of a toggle.
func TestRelatedRows(t *testing.T) {
	play(t, []frameworktest.Scenario{
		{Name: "a plot", As: "ann", Method: "POST", Path: "/api/plots/", Body: plot("a"), Status: 201},
		{Name: "another one", As: "ann", Method: "POST", Path: "/api/plots/", Body: plot("b"), Status: 201},
		{Name: "a bed", As: "ann", Method: "POST", Path: "/api/plots/1/beds/", Body: plot("x"), Status: 201},
		{Name: "two beds below another plot are too many", As: "ann", Method: "POST", Path: "/api/plots/2/beds/bulk/", Body: []fields{plot("y"), plot("z")}, Status: 409, Code: exceeded, Contains: []string{"You own 1 of at most 2 beds, and this request adds 2."}},
		{Name: "one is not", As: "ann", Method: "POST", Path: "/api/plots/2/beds/bulk/", Body: []fields{plot("y")}, Status: 200},
		{Name: "a third", As: "ann", Method: "POST", Path: "/api/plots/2/beds/", Body: plot("z"), Status: 409, Code: exceeded},
		{Name: "another user's plot is not found first", As: "bob", Method: "POST", Path: "/api/plots/1/beds/", Body: plot("z"), Status: 404, Lacks: []string{exceeded}},

		{Name: "a tray with seeds", As: "ann", Method: "POST", Path: "/api/trays/", Body: fields{"name": "t", "seeds": []fields{plot("a"), plot("b"), plot("c")}}, Status: 201},
		{Name: "another one with two is one too many", As: "ann", Method: "POST", Path: "/api/trays/", Body: fields{"name": "u", "seeds": []fields{plot("d"), plot("e")}}, Status: 409, Code: exceeded, Contains: []string{"You own 3 of at most 4 seeds, and this request adds 2."}},
		{Name: "so the tray is not stored", As: "ann", Path: "/api/trays/", Status: 200, Contains: []string{`"count":1`}},
		{Name: "the whole list of the first one", As: "ann", Method: "PATCH", Path: "/api/trays/1/", Body: fields{"seeds": []fields{{"id": 1, "name": "a"}, plot("f"), plot("g"), plot("h")}}, Status: 200},
		{Name: "with one more", As: "ann", Method: "PATCH", Path: "/api/trays/1/", Body: fields{"seeds": []fields{plot("1"), plot("2"), plot("3"), plot("4"), plot("5")}}, Status: 409, Code: exceeded},
		{Name: "a change of a seed adds none", As: "ann", Method: "PATCH", Path: "/api/seeds/1/", Body: plot("z"), Status: 200},

		{Name: "a star", As: "ann", Method: "PUT", Path: "/api/plots/1/star/", Status: 204},
		{Name: "again", As: "ann", Method: "PUT", Path: "/api/plots/1/star/", Status: 204},
		{Name: "a star of another plot", As: "ann", Method: "PUT", Path: "/api/plots/2/star/", Status: 409, Code: exceeded, Contains: []string{"You own 1 of at most 1 stars, and this request adds 1."}},
		{Name: "the first is taken away", As: "ann", Method: "DELETE", Path: "/api/plots/1/star/", Status: 204},
		{Name: "then it can be set", As: "ann", Method: "PUT", Path: "/api/plots/2/star/", Status: 204},

		{Name: "a post that every caller reads", As: "ann", Method: "POST", Path: "/api/posts/", Body: plot("a"), Status: 201},
		{Name: "another one", As: "ann", Method: "POST", Path: "/api/posts/", Body: plot("b"), Status: 201},
		{Name: "a third", As: "ann", Method: "POST", Path: "/api/posts/", Body: plot("c"), Status: 409, Code: exceeded},
		{Name: "of another user", As: "bob", Method: "POST", Path: "/api/posts/", Body: plot("c"), Status: 201},
	})
}

// TestLoweredLimit: rows beyond the limit stay and can be changed, and no row is added until there is room.
func TestLoweredLimit(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		ann, owner := as("ann"), apitest.ID("ann")
		apitest.Insert(t, db, &Tray{OwnerID: owner, Name: "t"})
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			apitest.Insert(t, db, &Plot{OwnerID: owner, Name: name}, &Seed{TrayID: 1, OwnerID: &owner, Name: name})
		}
		apitest.Insert(t, db, &Seed{TrayID: 1, Name: "of no owner"})
		ann.Post("/api/plots/", plot("x")).Expect(409).Contains("You own 5 of at most 3 plots")
		ann.Patch("/api/plots/1/", plot("y")).Expect(200)
		as("mod").Put("/api/staff/plots/1/", of("ann", "z")).Expect(200)
		ann.Patch("/api/seeds/1/", plot("y")).Expect(200)
		ann.Patch("/api/trays/1/", fields{"seeds": []fields{{"id": 1, "name": "q"}, {"id": 2, "name": "r"}, {"id": 3, "name": "s"}, {"id": 4, "name": "t"}}}).Expect(200)
		ann.Put("/api/plots/bulk/", []fields{plot("b"), plot("c")}).Expect(200)
		for _, id := range []string{"1", "2"} {
			ann.Delete("/api/plots/" + id + "/").Expect(204)
			ann.Post("/api/plots/"+id+"/restore/", nil).Expect(409).Code(exceeded)
			ann.Post("/api/plots/", plot("x")).Expect(409).Code(exceeded)
		}
		ann.Delete("/api/plots/3/").Expect(204)
		ann.Post("/api/plots/", plot("x")).Expect(201)
	})
}

// TestRepeatedCreate: a request with an Idempotency-Key that was done is answered as before, also if there is no room for another row.
func TestRepeatedCreate(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, as func(string) *frameworktest.Client) {
		ann := as("ann")
		ann.Post("/api/posts/", plot("a")).Expect(201)
		keyed := ann.With("Idempotency-Key", "k")
		keyed.Post("/api/posts/", plot("b")).Expect(201)
		keyed.Post("/api/posts/", plot("b")).Expect(201).Header("Idempotent-Replayed", "true")
		other := ann.With("Idempotency-Key", "l")
		other.Post("/api/posts/", plot("c")).Expect(409).Code(exceeded)
		ann.Delete("/api/posts/1/").Expect(204)
		other.Post("/api/posts/", plot("c")).Expect(201).Header("Idempotent-Replayed", "") // an error is not stored
	})
}

// TestDocument: the operations that may add a row of an owner state how many an owner has, and list the error.
func TestDocument(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, as func(string) *frameworktest.Client) {
		var document struct {
			Paths map[string]map[string]struct {
				ID          string `json:"operationId"`
				Description string
				Responses   map[string]any
			}
		}
		as("ann").Get("/api/openapi.json").Expect(200).JSON(&document)
		got := map[string]bool{}
		for _, methods := range document.Paths {
			for _, o := range methods {
				got[o.ID] = strings.Contains(o.Description, "A user owns at most ")
			}
		}
		for id, want := range map[string]bool{
			"createPlot": true, "listPlots": false, "getPlot": false, "updatePlot": false, "replacePlot": false, "deletePlot": false, "restorePlot": true,
			"bulkCreatePlots": true, "bulkReplacePlots": true, "splitPlot": true, "putPlotStar": false, "deletePlotStar": false,
			"createStaffPlot": true, "updateStaffPlot": true, "replaceStaffPlot": true, "bulkChangeStaffPlots": true, "createPlotBed": true, "createPost": true, "updatePost": false,
		} {
			if is, known := got[id]; !known || is != want {
				t.Errorf("%s states the limit: %t (it exists: %t); want %t", id, is, known, want)
			}
		}
	})
}
