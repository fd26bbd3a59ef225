package quota_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

const writers = 16

// together runs a function for each of the writers at once, and waits for all of them.
func together(fn func(i int)) {
	var group sync.WaitGroup
	begin := make(chan struct{})
	for i := range writers {
		group.Go(func() {
			<-begin
			fn(i)
		})
	}
	close(begin)
	group.Wait()
}

// TestConcurrentWriters: of 16 requests at once, as many succeed as there is room for, in each way to add rows, and never more.
func TestConcurrentWriters(t *testing.T) {
	owner, nothing := apitest.ID("ann"), func() []any { return nil }
	for name, test := range map[string]struct {
		prepare func() []any // makes rows that are there before
		send    func(ann, mod *frameworktest.Client, i int) *frameworktest.Response
		model   any
		limit   int64
		fits    int // requests
	}{
		"creates": {nothing, func(ann, _ *frameworktest.Client, i int) *frameworktest.Response {
			return ann.Post("/api/plots/", plot(strconv.Itoa(i)))
		}, (*Plot)(nil), 3, 3},
		"creates by staff, through another viewset": {nothing, func(_, mod *frameworktest.Client, i int) *frameworktest.Response {
			return mod.Post("/api/staff/plots/", of("ann", strconv.Itoa(i)))
		}, (*Plot)(nil), 3, 3},
		"creates by both": {nothing, func(ann, mod *frameworktest.Client, i int) *frameworktest.Response {
			if i%2 == 0 {
				return ann.Post("/api/plots/", plot(strconv.Itoa(i)))
			}
			return mod.Post("/api/staff/plots/", of("ann", strconv.Itoa(i)))
		}, (*Plot)(nil), 3, 3},
		"creates of two rows": {nothing, func(ann, _ *frameworktest.Client, i int) *frameworktest.Response {
			return ann.Post("/api/plots/bulk/", []fields{plot(fmt.Sprint("a", i)), plot(fmt.Sprint("b", i))})
		}, (*Plot)(nil), 3, 1},
		"upserts": {nothing, func(ann, _ *frameworktest.Client, i int) *frameworktest.Response {
			return ann.Put("/api/plots/bulk/", []fields{plot(strconv.Itoa(i))})
		}, (*Plot)(nil), 3, 3},
		"functions that store two rows": {func() []any { return []any{&Plot{OwnerID: owner, Name: "x"}} }, func(ann, _ *frameworktest.Client, i int) *frameworktest.Response {
			return ann.Post("/api/plots/1/split/", plot(strconv.Itoa(i)))
		}, (*Plot)(nil), 3, 1},
		"lists of rows in bodies": {nothing, func(ann, _ *frameworktest.Client, i int) *frameworktest.Response {
			return ann.Post("/api/trays/", fields{"name": "t", "seeds": []fields{plot("a"), plot("b"), plot("c")}})
		}, (*Seed)(nil), 4, 1},
		"rows below others": {func() []any { return []any{&Plot{OwnerID: owner, Name: "x"}, &Plot{OwnerID: owner, Name: "y"}} }, func(ann, _ *frameworktest.Client, i int) *frameworktest.Response {
			return ann.Post(fmt.Sprintf("/api/plots/%d/beds/", 1+i%2), plot("b"))
		}, (*Bed)(nil), 2, 2},
		"restores": {plots(owner, writers, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), func(ann, _ *frameworktest.Client, i int) *frameworktest.Response {
			return ann.Post(fmt.Sprintf("/api/plots/%d/restore/", 1+i), nil)
		}, (*Plot)(nil), 3, 3},
		"rows that get the owner": {plots(apitest.ID("bob"), writers, time.Time{}), func(_, mod *frameworktest.Client, i int) *frameworktest.Response {
			return mod.Patch(fmt.Sprintf("/api/staff/plots/%d/", 1+i), fields{"owner": owner})
		}, (*Plot)(nil), 3, 3},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
				apitest.Insert(t, db, test.prepare()...)
				ann, mod := as("ann").On(t), as("mod").On(t)
				var mu sync.Mutex
				answered := map[int]int{}
				together(func(i int) {
					status := test.send(ann, mod, i).Status()
					mu.Lock()
					defer mu.Unlock()
					answered[status/100]++
					if status >= 400 && status != http.StatusConflict {
						t.Errorf("a request is answered %d", status)
					}
				})
				if n := countOf(t, db, test.model, "ann"); n > test.limit || answered[2] != test.fits || answered[2]+answered[4] != writers {
					t.Errorf("ann has %d rows of at most %d, after the answers %v; want %d successes", n, test.limit, answered, test.fits)
				}
			})
		})
	}
}

// plots makes a number of plots of an owner, deleted at a time unless it is zero.
func plots(owner uuid.UUID, n int, deleted time.Time) func() []any {
	return func() (rows []any) {
		for i := range n {
			rows = append(rows, &Plot{OwnerID: owner, Name: strconv.Itoa(i), DeletedAt: deleted})
		}
		return rows
	}
}

// TestConcurrentOwners: requests for rows of two owners in opposite orders end, and neither owner has too many rows.
func TestConcurrentOwners(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		mod := as("mod").On(t)
		together(func(i int) {
			first, second := "ann", "bob"
			if i%2 == 1 {
				first, second = second, first
			}
			name := strconv.Itoa(i)
			if status := mod.Post("/api/staff/plots/bulk/", []fields{of(first, name), of(second, name)}).Status(); status != 200 && status != 409 {
				t.Errorf("a request is answered %d", status)
			}
		})
		for _, owner := range []string{"ann", "bob"} {
			if n := countOf(t, db, (*Plot)(nil), owner); n != 3 {
				t.Errorf("%s has %d plots; want 3", owner, n)
			}
		}
	})
}

// TestRandomRequests: after each of random requests of two callers and of staff, no owner has too many plots, and a request is
// answered quota_exceeded exactly if it would have made one have too many.
func TestRandomRequests(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	t.Logf("SEED=%d", seed)
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		r := rand.New(rand.NewPCG(seed, 0))
		for step := range 300 {
			owner := []string{"ann", "bob"}[r.IntN(2)]
			before := countOf(t, db, (*Plot)(nil), owner)
			id, added := 1+r.IntN(20), int64(0)
			var what string
			var got *frameworktest.Response
			switch r.IntN(6) {
			case 0:
				what, added, got = "a create", 1, as(owner).Post("/api/plots/", plot(strconv.Itoa(step)))
			case 1:
				what, added, got = "a create by staff", 1, as("mod").Post("/api/staff/plots/", of(owner, strconv.Itoa(step)))
			case 2:
				what, added, got = "a create of two", 2, as(owner).Post("/api/plots/bulk/", []fields{plot(fmt.Sprint("a", step)), plot(fmt.Sprint("b", step))})
			case 3:
				what, got = "a change", as(owner).Patch(fmt.Sprintf("/api/plots/%d/", id), plot(strconv.Itoa(step)))
			case 4:
				what, got = "a delete", as(owner).Delete(fmt.Sprintf("/api/plots/%d/", id))
			default:
				what, added, got = "a restore", 1, as(owner).Post(fmt.Sprintf("/api/plots/%d/restore/", id), nil)
			}
			after := countOf(t, db, (*Plot)(nil), owner)
			full := before+added > 3 && got.Status() != 404 && !(what == "a restore" && got.Status() == 204 && after == before)
			if after > 3 || full != (got.Status() == 409) || full && after != before {
				t.Fatalf("SEED=%d, step %d: %s of %s, who had %d plots and has %d, is answered %d", seed, step, what, owner, before, after, got.Status())
			}
		}
	})
}

// TestConcurrentToggles: of 16 stars at once, one is set.
func TestConcurrentToggles(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		apitest.Insert(t, db, plots(apitest.ID("ann"), writers, time.Time{})()...)
		ann := as("ann").On(t)
		together(func(i int) {
			if status := ann.Put(fmt.Sprintf("/api/plots/%d/star/", 1+i), nil).Status(); status != 204 && status != 409 {
				t.Errorf("a request is answered %d", status)
			}
		})
		if n := apitest.Count(t, db, "stars"); n != 1 {
			t.Errorf("there are %d stars; want 1", n)
		}
	})
}
