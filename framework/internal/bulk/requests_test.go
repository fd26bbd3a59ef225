package bulk_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

const path = "/api/products/bulk/"

// some are products with SKUs from a letter on.
func some(prefix string, n int) items {
	all := make(items, n)
	for i := range all {
		all[i] = fields{"sku": fmt.Sprint(prefix, i), "name": fmt.Sprint("Product ", i), "price": i}
	}
	return all
}

// idsIn are the ids of rows in an answer, in order.
func idsIn(t *testing.T, r *frameworktest.Response) (ids []string) {
	t.Helper()
	var rows []struct {
		ID string `json:"id"`
	}
	r.JSON(&rows)
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids
}

// TestCreate checks that a list in the body of POST creates all rows or none.
func TestCreate(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		made := by.ada.Post(path, some("a", 3)).Expect(200).Contains(`"sku":"a0"`, `"sku":"a2"`)
		ids := idsIn(t, made)
		by.visitor.Get("/api/products/" + ids[1] + "/").Expect(200).Contains(`"sku":"a1"`)
		by.ada.Post(path, items{}).Expect(200).Contains("[]")
		for _, c := range []struct {
			name   string
			body   any
			status int
			code   string
			at     []string
		}{
			{"no list", fields{"sku": "b"}, 400, "validation_failed", nil},
			{"no JSON", "[{", 400, "invalid_json", nil},
			{"an item that is no object", []any{1, fields{"sku": "b", "name": "B"}, "x", nil}, 400, "validation_failed", []string{"/0", "/2", "/3"}},
			{"faults in several items", items{{"sku": "b", "name": "B"}, {"sku": "c"}, {"sku": "d", "name": "D", "price": "much"}}, 400, "validation_failed", []string{"/1/name", "/2/price"}},
			{"references to nothing", items{{"sku": "b", "name": "B", "category": 1}, {"sku": "c", "name": "C", "category": 99}, {"sku": "d", "name": "D", "category": 98}}, 400, "validation_failed", []string{"/1/category", "/2/category"}},
			{"faults and references to nothing", items{{"sku": "b", "name": "B", "category": 99}, {"sku": "c", "name": "", "category": 98}}, 400, "validation_failed", []string{"/0/category", "/1/category", "/1/name"}},
			{"a taken value", items{{"sku": "b", "name": "B"}, {"sku": "a1", "name": "A"}}, 409, "sku_taken", []string{"/1/sku"}},
			{"a value twice", items{{"sku": "b", "name": "B"}, {"sku": "b", "name": "B"}}, 409, "sku_taken", []string{"/1/sku"}},
			{"a broken check", items{{"sku": "b", "name": "B"}, {"sku": "c", "name": "C", "price": -1}}, 409, "price_negative", []string{"/1/price"}},
			{"too many", some("z", 1_001), 400, "validation_failed", nil},
		} {
			t.Run(c.name, func(t *testing.T) {
				r := by.ada.Post(path, c.body).Expect(c.status).Code(c.code)
				for _, at := range c.at {
					r.Contains(fmt.Sprintf(`"pointer":%q`, at))
				}
				if n := countOf(r, `"pointer"`); n != len(c.at) {
					t.Errorf("the answer has %d faults; want %d: %s", n, len(c.at), r.Body())
				}
			})
		}
		by.visitor.Post(path, some("v", 1)).Expect(401)
		by.ada.Post(path, items{{"sku": "i", "name": "I", "nmae": "x", "zzz": 1, "id": 1}}).Expect(200).Header("Trestle-Ignored", "/0/nmae; did you mean /0/name?, /0/zzz, /0/id")
		if n := apitest.Count(t, db, "products"); n != 4 {
			t.Errorf("%d products are stored; want 4", n)
		}
	})
}

// TestPatch checks that PATCH changes the rows with the keys of the items, and only those of the caller.
func TestPatch(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		ids := idsIn(t, by.ada.Post(path, some("a", 3)).Expect(200))
		theirs := idsIn(t, by.bob.Post(path, some("b", 1)).Expect(200))
		changed := by.ada.Patch(path, items{{"id": ids[2], "name": "Two"}, {"id": ids[0], "price": 7, "category": 2}}).Expect(200)
		if got := idsIn(t, changed); fmt.Sprint(got) != fmt.Sprint([]string{ids[2], ids[0]}) {
			t.Errorf("the rows are %v; want the order of the items", got)
		}
		changed.Contains(`"name":"Two"`, `"price":7`, `"category":2`)
		by.ada.Get("/api/products/"+ids[0]+"/").Expect(200).Contains(`"name":"Product 0"`, `"price":7`)
		for _, c := range []struct {
			name   string
			body   any
			status int
			code   string
			at     []string
		}{
			{"no key", items{{"name": "X"}}, 400, "validation_failed", []string{"/0/id"}},
			{"keys of no rows", items{{"id": ids[0], "name": "X"}, {"id": "00000000-0000-7000-8000-000000000000"}, {"id": "x"}, {"id": 4}}, 400, "validation_failed", []string{"/1/id", "/2/id", "/3/id"}},
			{"a key of no row", items{{"id": ids[0], "name": "X"}, {"id": "00000000-0000-7000-8000-000000000000"}}, 400, "validation_failed", []string{"/1/id"}},
			{"a key twice", items{{"id": ids[0], "name": "X"}, {"id": ids[0], "name": "Y"}}, 400, "validation_failed", []string{"/1/id"}},
			{"another caller's row", items{{"id": ids[0], "name": "X"}, {"id": theirs[0], "name": "X"}}, 403, "not_yours", []string{"/1/id"}},
			{"a taken value", items{{"id": ids[0], "sku": "free"}, {"id": ids[1], "sku": "b0"}}, 409, "sku_taken", []string{"/1/sku"}},
			{"faults", items{{"id": ids[0], "name": ""}, {"id": ids[1], "category": 99}}, 400, "validation_failed", []string{"/0/name", "/1/category"}},
			{"a reference to nothing", items{{"id": ids[0], "name": "X"}, {"id": ids[1], "category": 99}}, 400, "validation_failed", []string{"/1/category"}},
			{"a broken check", items{{"id": ids[0], "name": "X"}, {"id": ids[1], "price": -1}}, 409, "price_negative", []string{"/1/price"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				r := by.ada.Patch(path, c.body).Expect(c.status).Code(c.code)
				for _, at := range c.at {
					r.Contains(fmt.Sprintf(`"pointer":%q`, at))
				}
				if n := countOf(r, `"pointer"`); n != len(c.at) {
					t.Errorf("the answer has %d faults; want %d: %s", n, len(c.at), r.Body())
				}
			})
		}
		by.ada.Get("/api/products/"+ids[0]+"/").Expect(200).Contains(`"name":"Product 0"`, `"sku":"a0"`)
		by.visitor.Patch(path, items{{"id": ids[0], "name": "X"}}).Expect(401)
		by.ada.With("If-Match", `"1.x"`).Patch(path, items{{"id": ids[0], "name": "X"}}).Expect(412).Code("precondition_unsupported")
	})
}

// TestUpsert checks that PUT replaces the rows with the natural keys of the items, and creates the others.
func TestUpsert(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		ids := idsIn(t, by.ada.Post(path, items{{"sku": "a", "name": "A", "price": 1, "category": 1}, {"sku": "b", "name": "B", "price": 2}}).Expect(200))
		by.bob.Post(path, some("theirs", 1)).Expect(200)
		put := by.ada.Put(path, items{{"sku": "c", "name": "C"}, {"sku": "a", "name": "A2"}}).Expect(200).Contains(`"name":"A2"`, `"name":"C"`)
		if got := idsIn(t, put); len(got) != 2 || got[1] != ids[0] {
			t.Errorf("the rows are %v; want the second to be %s", got, ids[0])
		}
		by.ada.Get("/api/products/"+ids[0]+"/").Expect(200).Contains(`"price":0`, `"category":null`)
		by.ada.Put(path, items{{"sku": "d", "name": "D"}, {"sku": "d", "name": "D"}}).Expect(400).Contains(`"pointer":"/1/sku"`)
		by.ada.Put(path, items{{"sku": "z", "name": "D"}, {"sku": "y", "name": "D", "price": -1}, {"sku": "x", "name": "D", "price": -1}}).Expect(409).Contains(`"pointer":"/1/price"`)
		by.ada.Put(path, items{{"sku": "d", "name": "D"}, {"name": "D"}}).Expect(400).Contains(`"pointer":"/1/sku"`)
		by.ada.Put(path, items{{"sku": "d", "name": "D"}, {"sku": "theirs0", "name": "Mine"}}).Expect(403).Code("not_yours")
		if n := apitest.Count(t, db, "products"); n != 4 {
			t.Errorf("%d products are stored; want 4", n)
		}

		by.ada.Put("/api/labels/bulk/", items{{"name": "hot", "color": "red"}, {"name": "new", "color": "blue"}}).Expect(200)
		by.ada.Put("/api/labels/bulk/", items{{"name": "new", "color": "pink"}, {"name": "old", "color": "gray"}}).Expect(200).Contains("pink", "gray")
		by.bob.Put("/api/labels/bulk/", items{{"name": "mine", "color": "red"}, {"name": "new", "color": "red"}}).Expect(409).Contains(`"pointer":"/1/name"`)
		by.ada.Patch("/api/labels/bulk/", items{{"name": "old", "color": "white"}}).Expect(200).Contains("white")
		by.bob.Patch("/api/labels/bulk/", items{{"name": "old", "color": "x"}}).Expect(400).Contains(`"pointer":"/0/name"`)
		by.ada.Get("/api/labels/").Expect(200).Contains(`"count":3`, "pink", "white", "red")
		by.bob.Get("/api/labels/").Expect(200).Contains(`"count":0`)
	})
}

// TestDelete checks that DELETE deletes the rows with some keys, or none of them.
func TestDelete(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		ids := idsIn(t, by.ada.Post(path, some("a", 4)).Expect(200))
		theirs := idsIn(t, by.bob.Post(path, some("b", 1)).Expect(200))
		by.ada.Delete(path).Expect(400).Code("invalid_parameter")
		by.ada.Delete(path + "?id=" + ids[0] + ",00000000-0000-7000-8000-000000000000").Expect(400).Contains("00000000-0000-7000-8000-000000000000 refers to nothing that you may use").Lacks(ids[0])
		by.ada.Delete(path + "?id=" + ids[0] + ",x").Expect(400).Contains("x is not a key of such a row")
		by.ada.Delete(path + "?id=" + ids[0] + "," + theirs[0]).Expect(403).Code("not_yours").Contains(theirs[0] + " is the key of a row that is not yours to change").Lacks(ids[0])
		by.visitor.Delete(path + "?id=" + ids[0]).Expect(401)
		by.ada.Delete(path + "?id=" + strings.Join(append(make([]string, 100), ids...), "x,")).Expect(400)
		if n := apitest.Count(t, db, "products"); n != 5 {
			t.Errorf("%d products are stored; want 5", n)
		}
		by.ada.Delete(path + "?id=" + ids[0] + "," + ids[2] + "," + ids[0]).Expect(204)
		by.ada.Get("/api/products/").Expect(200).Contains(`"count":3`, `"a1"`, `"a3"`).Lacks(`"a0"`, `"a2"`)
	})
}

// TestBelowAParent checks the requests for several rows of a nested viewset.
func TestBelowAParent(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		at := "/api/categories/1/notes/bulk/"
		made := by.ada.Post(at, items{{"text": "one"}, {"text": "two"}}).Expect(200).Contains(`"name":"tea"`)
		var rows []struct {
			ID int64 `json:"id"`
		}
		made.JSON(&rows)
		by.ada.Patch(at, items{{"id": rows[1].ID, "text": "zwei"}}).Expect(200).Contains("zwei", "tea")
		by.ada.Patch("/api/categories/2/notes/bulk/", items{{"id": rows[1].ID, "text": "x"}}).Expect(400).Contains(`"pointer":"/0/id"`)
		by.ada.Delete(fmt.Sprintf("/api/categories/2/notes/bulk/?id=%d", rows[0].ID)).Expect(400)
		by.ada.Post("/api/categories/9/notes/bulk/", items{{"text": "x"}}).Expect(404)
		by.ada.Delete(fmt.Sprintf("%s?id=%d", at, rows[0].ID)).Expect(204)
		by.ada.Get("/api/categories/1/notes/").Expect(200).Contains(`"count":1`, "zwei")
	})
}

// TestRetries checks that a repeated Idempotency-Key creates the rows once.
func TestRetries(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		once := by.ada.With("Idempotency-Key", "k")
		first := once.Post(path, some("a", 3)).Expect(200)
		if again := once.Post(path, some("a", 3)).Expect(200).Header("Idempotent-Replayed", "true"); again.Body() != first.Body() {
			t.Errorf("the answers differ: %s and %s", first.Body(), again.Body())
		}
		once.Post(path, some("b", 3)).Expect(422)
		by.ada.With("Idempotency-Key", "l").Post(path, items{{"sku": "x", "name": "X"}, {"sku": "a0", "name": "X"}}).Expect(409).Contains(`"pointer":"/1/sku"`)
		if n := apitest.Count(t, db, "products"); n != 3 {
			t.Errorf("%d products are stored; want 3", n)
		}
	})
}

// TestStatements checks that the number of statements does not depend on the number of items. SQLite has more of
// them, because its driver is slow with many values.
func TestStatements(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		statements := 0
		db.Observe(func(context.Context, sqldb.Event) { statements++ })
		count := func(request func()) int {
			statements = 0
			request()
			return statements
		}
		body := func(prefix string, n int) items {
			all := some(prefix, n)
			for i := range all {
				all[i]["category"] = 1 + i%2
			}
			return all
		}
		few := count(func() { by.ada.Post(path, body("a", 2)).Expect(200) })
		var made *frameworktest.Response
		if many := less(db, few, count(func() { made = by.ada.Post(path, body("b", 500)).Expect(200) })); many != few {
			t.Errorf("500 items cost %d statements, and 2 cost %d", many, few)
		}
		changes := func(n int) items {
			all := items{}
			for _, id := range idsIn(t, made)[:n] {
				all = append(all, fields{"id": id, "name": "changed", "category": 2})
			}
			return all
		}
		few = count(func() { by.ada.Patch(path, changes(2)).Expect(200) })
		if many := less(db, few, count(func() { by.ada.Patch(path, changes(500)).Expect(200) })); many != few {
			t.Errorf("500 changes cost %d statements, and 2 cost %d", many, few)
		}
		again := func(prefix string, n int) items {
			all := body(prefix, n)
			for _, item := range all {
				item["name"] = "again"
			}
			return all
		}
		few = count(func() { by.ada.Put(path, again("a", 2)).Expect(200) })
		if many := less(db, few, count(func() { by.ada.Put(path, again("b", 500)).Expect(200) })); many != few {
			t.Errorf("500 replacements cost %d statements, and 2 cost %d", many, few)
		}
		if mixed := less(db, few, count(func() { by.ada.Put(path, append(body("b", 500), body("c", 500)...)).Expect(200) })); mixed > few+4 {
			t.Errorf("500 replacements and 500 new rows cost %d statements, and 2 replacements cost %d", mixed, few)
		}
		want := map[sqldb.Kind]int{sqldb.SQLite: few, sqldb.PostgreSQL: few + 1} // an UPDATE changes at most 512 rows
		if many := less(db, few, count(func() { by.ada.Put(path, append(again("b", 500), again("c", 500)...)).Expect(200) })); many != want[db.Kind()] {
			t.Errorf("1,000 replacements cost %d statements; want %d", many, want[db.Kind()])
		}
		few = count(func() { by.ada.Delete(path + "?id=" + strings.Join(idsIn(t, made)[:2], ",")).Expect(204) })
		if many := less(db, few, count(func() { by.ada.Delete(path + "?id=" + strings.Join(idsIn(t, made)[2:102], ",")).Expect(204) })); many != few {
			t.Errorf("100 deletes cost %d statements, and 2 cost %d", many, few)
		}
	})
}

// less is the number of statements without the further ones of SQLite, which are few.
func less(db *sqldb.DB, few, many int) int {
	if db.Kind() == sqldb.SQLite && many < few+20 {
		return few
	}
	return many
}

// countOf is the number of times that an answer has a text.
func countOf(r *frameworktest.Response, text string) int { return strings.Count(r.Body(), text) }
