package bulk_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

const eachPath = path + "each/"

// A result is what a test reads of the result of one item.
type result struct {
	Status  int
	Row     json.RawMessage
	Problem struct {
		Code   string
		Errors []struct{ Pointer, Code string }
	}
}

// text is a result in a line: its status, and its code and the places of its faults if it is an error.
func (r result) text() string {
	words := []string{strconv.Itoa(r.Status)}
	if r.Problem.Code != "" {
		words = append(words, r.Problem.Code)
	}
	for _, f := range r.Problem.Errors {
		words = append(words, f.Pointer)
	}
	return strings.Join(words, " ")
}

// resultsIn are the results of an answer, in order.
func resultsIn(t *testing.T, r *frameworktest.Response) (all []result) {
	t.Helper()
	r.Expect(http.StatusOK).JSON(&all)
	return all
}

// expect compares the results of an answer with their texts.
func expect(t *testing.T, r *frameworktest.Response, want ...string) []result {
	t.Helper()
	all := resultsIn(t, r)
	got := make([]string, len(all))
	for i, one := range all {
		got[i] = one.text()
		if success := one.Status < 300; success == (one.Problem.Code != "") {
			t.Errorf("result %d is %+v; want a row or an error", i, one)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the results are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return all
}

// rowsIn are the ids of the rows of results, "" for a result without a row.
func rowsIn(t *testing.T, all []result) []string {
	t.Helper()
	ids := make([]string, len(all))
	for i, one := range all {
		var row struct{ ID string }
		if one.Row != nil {
			if err := json.Unmarshal(one.Row, &row); err != nil {
				t.Fatal(err)
			}
		}
		ids[i] = row.ID
	}
	return ids
}

const noRow = "00000000-0000-7000-8000-000000000000"

// TestEachCreate checks that POST creates the rows of the good items, and answers each of the others with its error.
func TestEachCreate(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		made := by.ada.Post(eachPath, []any{
			fields{"sku": "a", "name": "A", "price": 1}, fields{"sku": "b"}, fields{"sku": "a", "name": "again"}, fields{"sku": "c", "name": "C", "price": -1},
			5, fields{"sku": "d", "name": "D", "category": 99}, fields{"sku": "e", "name": "E", "category": 1, "nmae": "x"}, nil, fields{"sku": "f", "name": "", "price": "much"},
			fields{"sku": "g", "name": "G"},
		})
		made.Header("Trestle-Ignored", "/6/nmae; did you mean /6/name?")
		all := expect(t, made, "201", "400 validation_failed /1/name", "409 sku_taken /2/sku", "409 price_negative /3/price",
			"400 validation_failed /4", "400 validation_failed /5/category", "201", "400 validation_failed /7", "400 validation_failed /8/name /8/price", "201")
		for i, id := range rowsIn(t, all) {
			if id != "" {
				by.visitor.Get("/api/products/" + id + "/").Expect(200).Contains(fmt.Sprintf(`"sku":"%c"`, "a12345e78g"[i]))
			}
		}
		expect(t, by.ada.Post(eachPath, items{}))
		expect(t, by.ada.Post(eachPath, items{{}, {}}), "400 validation_failed /0/sku /0/name", "400 validation_failed /1/sku /1/name")
		if n := apitest.Count(t, db, "products"); n != 3 {
			t.Errorf("%d products are stored; want 3", n)
		}
		by.ada.Post(eachPath, fields{"sku": "z", "name": "Z"}).Expect(400).Code("validation_failed")
		by.ada.Post(eachPath, some("z", 101)).Expect(400).Code("validation_failed").Contains("at most 100 items, and has 101")
		by.ada.Post(eachPath, "[{").Expect(400).Code("invalid_json")
		by.visitor.Post(eachPath, some("z", 1)).Expect(401)
		by.ada.With("If-Match", `"1.x"`).Post(eachPath, some("z", 1)).Expect(412)
		if n := apitest.Count(t, db, "products"); n != 3 {
			t.Errorf("%d products are stored; want 3", n)
		}
	})
}

// TestEachPatch checks that PATCH changes the rows of the good items, one after the other.
func TestEachPatch(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		ids := idsIn(t, by.ada.Post(path, some("a", 3)).Expect(200))
		theirs := idsIn(t, by.bob.Post(path, some("b", 1)).Expect(200))
		all := expect(t, by.ada.Patch(eachPath, []any{
			fields{"id": ids[2], "name": "Two"}, fields{"id": noRow, "name": "x"}, fields{"id": theirs[0], "name": "x"}, fields{"id": ids[0], "sku": "a1"},
			fields{"id": ids[0], "sku": "free"}, fields{"id": ids[1], "sku": "a0"}, fields{"name": "x"}, fields{"id": 4, "name": ""}, fields{"id": "x"}, true,
			fields{"id": ids[1], "name": "", "category": 98}, fields{"id": ids[1], "category": 99}, fields{"id": ids[1], "price": -1}, fields{"id": ids[2], "price": 7},
			fields{"id": ids[1]}, fields{"id": noRow, "name": ""},
		}), "200", "404 not_found", "403 not_yours", "409 sku_taken /3/sku", "200", "200", "400 validation_failed /6/id", "400 validation_failed /7/id /7/name",
			"400 validation_failed /8/id", "400 validation_failed /9", "400 validation_failed /10/name /10/category", "400 validation_failed /11/category", "409 price_negative /12/price",
			"200", "200", "404 not_found")
		if got := rowsIn(t, all); got[0] != ids[2] || got[4] != ids[0] || got[5] != ids[1] || got[13] != ids[2] {
			t.Errorf("the rows are %v; want those of the items", got)
		}
		by.ada.Get("/api/products/"+ids[2]+"/").Expect(200).Contains(`"name":"Two"`, `"price":7`)
		by.ada.Get("/api/products/"+ids[1]+"/").Expect(200).Contains(`"sku":"a0"`, `"name":"Product 1"`, `"price":1`)
		by.ada.Get("/api/products/" + theirs[0] + "/").Expect(200).Contains(`"name":"Product 0"`)
		by.visitor.Patch(eachPath, items{{"id": ids[0], "name": "X"}}).Expect(401)
	})
}

// TestEachPut checks that PUT replaces the row with the natural key of each item, or creates one.
func TestEachPut(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		ids := idsIn(t, by.ada.Post(path, items{{"sku": "a", "name": "A", "price": 1, "category": 1}}).Expect(200))
		by.bob.Post(path, some("theirs", 1)).Expect(200)
		all := expect(t, by.ada.Put(eachPath, []any{
			fields{"sku": "c", "name": "C"}, fields{"sku": "a", "name": "A2"}, fields{"sku": "theirs0", "name": "mine"}, fields{"sku": "c", "name": "C2", "price": -1},
			fields{"sku": "c", "name": "C3"}, fields{"name": "x"}, fields{"sku": "d"}, fields{"sku": "e", "name": "E", "category": 99}, "x",
		}), "201", "200", "403 not_yours /2/sku", "409 price_negative /3/price", "200", "400 validation_failed /5/sku", "400 validation_failed /6/name",
			"400 validation_failed /7/category", "400 validation_failed /8")
		if got := rowsIn(t, all); got[1] != ids[0] || got[0] != got[4] {
			t.Errorf("the rows are %v; want the second to be %s, and the first and the fifth to be one", got, ids[0])
		}
		by.ada.Get("/api/products/"+ids[0]+"/").Expect(200).Contains(`"name":"A2"`, `"price":0`, `"category":null`)
		if n := apitest.Count(t, db, "products"); n != 3 {
			t.Errorf("%d products are stored; want 3", n)
		}

		const labels = "/api/labels/bulk/each/"
		expect(t, by.ada.Put(labels, items{{"name": "hot", "color": "red"}, {"name": "hot", "color": "blue"}, {"name": ""}}), "201", "200", "400 validation_failed /2/name /2/color")
		expect(t, by.bob.Put(labels, items{{"name": "mine", "color": "red"}, {"name": "hot", "color": "red"}, {"name": "bulk", "color": "red"}}),
			"201", "409 not_unique /1/name", "400 validation_failed /2/name")
		expect(t, by.bob.Patch(labels, items{{"name": "hot", "color": "x"}, {"name": "mine", "color": "pink"}}), "404 not_found", "200")
		by.ada.Get("/api/labels/").Expect(200).Contains(`"count":1`, "blue")
		by.bob.Get("/api/labels/").Expect(200).Contains(`"count":1`, "pink")
	})
}

// TestEachDelete checks that DELETE deletes the rows that the caller may delete, and answers each of the others.
func TestEachDelete(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		ids := idsIn(t, by.ada.Post(path, some("a", 3)).Expect(200))
		theirs := idsIn(t, by.bob.Post(path, some("b", 1)).Expect(200))
		expect(t, by.ada.Delete(eachPath+"?id="+strings.Join([]string{ids[0], noRow, theirs[0], ids[2], ids[0]}, ",")),
			"204", "404 not_found", "403 not_yours", "204", "404 not_found")
		by.ada.Get("/api/products/").Expect(200).Contains(`"count":2`, `"a1"`, `"b0"`)
		by.ada.Delete(eachPath).Expect(400).Code("invalid_parameter")
		by.ada.Delete(eachPath + "?id=" + ids[1] + ",x").Expect(400).Contains("x is not a key of such a row")
		by.ada.Delete(eachPath + "?id=" + strings.Repeat(noRow+",", 100) + ids[1]).Expect(400).Contains("at most 100 items, and has 101")
		by.visitor.Delete(eachPath + "?id=" + ids[1]).Expect(401)
		by.ada.Post("/api/labels/bulk/", items{{"name": "a,b", "color": "x"}, {"name": "a", "color": "x"}}).Expect(200)
		expect(t, by.ada.Delete("/api/labels/bulk/each/?name=a%2Cb,b"), "204", "404 not_found")
		by.ada.Get("/api/labels/").Expect(200).Contains(`"count":1`, `"name":"a"`)
	})
}
