package bulk_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestConcurrentUpserts checks that requests which create the same rows at once all succeed, and store them once.
func TestConcurrentUpserts(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				body := some("s", 5)
				if i%2 == 1 {
					slices.Reverse(body)
				}
				by.ada.Put(path, body).Expect(200)
			})
		}
		wg.Wait()
		if n := apitest.Count(t, db, "products"); n != 5 {
			t.Errorf("%d products are stored; want 5", n)
		}
	})
}

// TestConcurrentUpsertsOfSomeRows checks that upserts of the caller's own rows all succeed, whichever rows other
// requests create at the same time, and that each answer has the rows of its items. Each other request spells the keys in another case.
func TestConcurrentUpsertsOfSomeRows(t *testing.T) {
	seed := rand.Uint64()
	if text := os.Getenv("TRESTLE_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	t.Logf("TRESTLE_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	test := func(by clients, spell func(name string, request int) string) {
		for round := range 20 {
			var wg sync.WaitGroup
			for request := range 6 {
				body := items{}
				for _, i := range r.Perm(10)[:2+r.IntN(6)] {
					body = append(body, fields{"name": spell(fmt.Sprint("k", round, "x", i), request), "color": fmt.Sprint("c", request)})
				}
				wg.Go(func() {
					var rows items
					by.ada.Put("/api/labels/bulk/", body).Expect(200).JSON(&rows)
					if !slices.EqualFunc(rows, body, func(row, item fields) bool {
						return row["color"] == item["color"] && strings.EqualFold(fmt.Sprint(row["name"]), fmt.Sprint(item["name"]))
					}) {
						t.Errorf("the answer to %v is %v", body, rows)
					}
				})
			}
			wg.Wait()
		}
	}
	both(t, func(_ *testing.T, _ *sqldb.DB, by clients) { test(by, func(name string, _ int) string { return name }) })
	apitest.Databases(t, folded, func(t *testing.T, db *sqldb.DB) {
		test(serveFolded(t, db, true), func(name string, request int) string {
			if request%2 == 1 {
				return strings.ToUpper(name)
			}
			return name
		})
	})
}

// TestRowsOfAnotherRequest checks that a row of the caller which another request creates or deletes at the same time is one
// that exists or one that does not, and never one of another caller.
func TestRowsOfAnotherRequest(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, _ clients) {
		_, c := apitest.Serve(t, apitest.Config(db), framework.ViewSet[Label]{
			Name: "labels", Verbs: framework.CRUD[labelInput, labelInput](), Scope: framework.Public(), Writers: framework.Own((*Label).owner),
			Bulk: framework.Bulk{Create: true, Patch: true, Upsert: "name", Delete: true}, Reserved: []string{"bulk"}, Permission: framework.Authenticated(),
		})
		ada := apitest.As(c, "ada")
		const at = "/api/labels/bulk/"
		for round := range 40 {
			body := items{}
			for i := range 5 {
				body = append(body, fields{"name": fmt.Sprint("r", round, "x", i), "color": "c"})
			}
			var wg sync.WaitGroup
			wg.Go(func() { ada.Put(at, body).Expect(200) })
			for range 2 {
				wg.Go(func() { existsOrNot(t, ada.Patch(at, body)) })
				wg.Go(func() { existsOrNot(t, ada.Delete(at+fmt.Sprintf("?name=r%dx0,r%dx1", round, round))) })
			}
			wg.Wait()
		}
	})
}

// existsOrNot checks that an answer is about rows that exist, or about rows that do not.
func existsOrNot(t *testing.T, r *frameworktest.Response) {
	t.Helper()
	if s := r.Status(); s != 200 && s != 204 && s != 400 {
		t.Errorf("the answer is %d %s", s, r.Body())
	}
}
