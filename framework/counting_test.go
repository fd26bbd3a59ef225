package framework_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// TestCounting: the ways to find a total, and when none is needed.
func TestCounting(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		var resources []framework.Resource
		for name, counting := range map[string]framework.Counting{
			"exact": framework.ExactCount(), "capped": framework.CappedCount(5), "estimated": framework.EstimatedCount(), "none": framework.NoCount(),
		} {
			v := notes()
			v.Name, v.Pagination = name, page.Number{Size: 3, Count: counting}
			resources = append(resources, v)
		}
		n := frameworktest.CountStatements(db)
		ada := serve(t, config(db), resources...).as("ada")
		for i := range 8 {
			ada.post("/api/exact/", fields{"room": strconv.Itoa(i)}).is(201)
		}
		if db.Kind() == sqldb.PostgreSQL {
			if _, err := db.Exec("ANALYZE notes"); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			name, path string
			says       []string
			statements int
		}{
			{"exact", "exact/", []string{`"count":8,"next":"http`}, 2},
			{"exact, on a middle page", "exact/?page=2", []string{`"count":8,"next":"http`}, 2},
			{"exact, on the last page, which tells", "exact/?page=3", []string{`"count":8,"next":null`}, 1},
			{"exact, past the end", "exact/?page=4", []string{`"code":"not_found"`}, 2},
			{"capped, where there are more", "capped/", []string{`"count":5,"count_is":"at_least"`}, 2},
			{"capped, on the last page, which tells", "capped/?page=3", []string{`"count":8,"count_is":"exact"`}, 1},
			{"estimated, on the last page, which tells", "estimated/?page=3", []string{`"count":8,"count_is":"exact"`}, 1},
			{"none", "none/", []string{`"count":null,"next":"http`}, 1},
			{"none, on the last page", "none/?page=3", []string{`"count":null,"next":null`}, 1},
			{"none, past the end", "none/?page=4", []string{`"code":"not_found"`}, 1},
		} {
			t.Run(c.name, func(t *testing.T) {
				forgetCounts(t, db)
				statements(t, n, c.statements, func() { ada.in(t).get("/api/" + c.path).says(c.says...) })
			})
		}
		t.Run("estimated", func(t *testing.T) {
			forgetCounts(t, db)
			said := n.During(func() {
				a := ada.in(t).get("/api/estimated/").is(200)
				if db.Kind() == sqldb.PostgreSQL {
					a.says(`"count":8,"count_is":"estimate"`)
					return
				}
				a.says(`"count":8,"count_is":"exact"`)
			})
			if explained := strings.HasPrefix(said[1], "EXPLAIN"); explained != (db.Kind() == sqldb.PostgreSQL) {
				t.Errorf("counted by %s", said[1])
			}
		})
		t.Run("an empty list needs no count", func(t *testing.T) {
			if _, err := db.Exec("DELETE FROM notes"); err != nil {
				t.Fatal(err)
			}
			statements(t, n, 1, func() {
				ada.in(t).get("/api/exact/").is(200).says(`"count":0,"next":null,"previous":null,"results":[]`)
			})
		})
	})
}

// TestEstimateOfAQuestion: the planner estimates the query with its values.
func TestEstimateOfAQuestion(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Pagination = page.Number{Size: 1, Count: framework.EstimatedCount()}
		ada := serve(t, config(db), countries(), authors(), v).as("ada")
		for i := range 3 {
			ada.post("/api/books/", fields{"title": fmt.Sprint("canary ", i), "pages": i}).is(201)
		}
		n := frameworktest.CountStatements(db)
		for _, sql := range n.During(func() { ada.get("/api/books/?search=canary&min_pages=1").is(200).says(`"count_is":"`) }) {
			if strings.Contains(sql, "canary") {
				t.Errorf("a value stands in the text of %s", sql)
			}
		}
	})
}
