package restore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// idOf sends a POST and returns the id of the new row.
func idOf(c *frameworktest.Client, path string, body fields) string {
	var made struct{ ID any }
	c.Post("/api/"+path+"/", body).Expect(201).JSON(&made)
	return fmt.Sprint(made.ID)
}

// TestCursorsOfDeletedRows: a walk by cursors has every deleted row once, and a cursor of one list is rejected by the other.
func TestCursorsOfDeletedRows(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, as func(string) *frameworktest.Client) {
		mod := as("mod")
		folder := idOf(mod, "folders", fields{"name": "a"})
		var want []string
		for i := range 9 {
			id := idOf(mod, "letters", fields{"folder": folder, "text": fmt.Sprint("letter ", i)})
			if i%2 == 0 {
				mod.Delete("/api/letters/" + id + "/").Expect(204)
				want = append(want, id)
			}
		}
		var got []string
		next := "/api/letters/?deleted=true"
		for first := true; next != ""; first = false {
			var page struct {
				Next    *string
				Results []struct{ ID int64 }
			}
			mod.Get(next).Expect(200).JSON(&page)
			for _, row := range page.Results {
				got = append(got, strconv.FormatInt(row.ID, 10))
			}
			if next = ""; page.Next != nil {
				next = *page.Next
			}
			if link, _ := url.Parse(next); first {
				mod.Get("/api/letters/?cursor=" + url.QueryEscape(link.Query().Get("cursor"))).Expect(400)
				as("ada").Get(next).Expect(403)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the pages have %v; want %v", got, want)
		}
	})
}

// TestVersionsOfDeletedRows: DELETE and restore compare If-Match, and a restore is a new version. An Idempotency-Key restores once.
func TestVersionsOfDeletedRows(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, as func(string) *frameworktest.Client) {
		bob := as("bob")
		path := "/api/folders/" + idOf(bob, "folders", fields{"name": "a"}) + "/"
		first := bob.Get(path).Expect(200).Headers().Get("ETag")
		bob.Patch(path, fields{"name": "b"}).Expect(200)
		second := bob.Get(path).Expect(200).Headers().Get("ETag")
		bob.With("If-Match", first).Delete(path).Expect(412)
		bob.With("If-Match", second).Delete(path).Expect(204)
		bob.With("If-Match", first).Post(path+"restore/", nil).Expect(412)
		bob.Get(path).Expect(404)
		deleted := bob.Get(path + "?deleted=true").Expect(200).Headers().Get("ETag")
		bob.With("If-None-Match", deleted).Get(path + "?deleted=true").Expect(304)
		once := bob.With("Idempotency-Key", "one-restore-of-a-1")
		once.With("If-Match", deleted).Post(path+"restore/", nil).Expect(204)
		bob.With("If-Match", second).Patch(path, fields{"name": "c"}).Expect(412)
		bob.Delete(path).Expect(204)
		once.With("If-Match", deleted).Post(path+"restore/", nil).Expect(204).Header("Idempotent-Replayed", "true")
		bob.Get(path).Expect(404) // the answer was stored, and nothing was restored
	})
}

// TestHistoryOfDeletedRows: an entry of a deletion has all values from, and one of a restore has them to, so that a reader of the
// entries knows the row.
func TestHistoryOfDeletedRows(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		ada := as("ada")
		path := "/api/folders/" + idOf(ada, "folders", fields{"name": "a"}) + "/"
		ada.Delete(path).Expect(204)
		ada.Post(path+"restore/", nil).Expect(204)
		ada.Post(path+"restore/", nil).Expect(204)
		var got []string
		for _, e := range apitest.History(t, db) {
			name := e.Changes["name"]
			got = append(got, fmt.Sprintf("%s %s from=%s to=%s", e.Type, e.Action, name.From, name.To))
		}
		want := []string{
			`folders.created folders.create from=null to="a"`, `folders.deleted folders.delete from="a" to=null`, `folders.restored folders.restore from=null to="a"`,
		}
		if !slices.Equal(got, want) {
			t.Errorf("the entries are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestHistoryIsShownWithItsDeletedRow: a caller who may see a deleted row may read its history by the same parameter, and no other caller.
func TestHistoryIsShownWithItsDeletedRow(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, as func(string) *frameworktest.Client) {
		path := map[string]string{}
		for _, name := range []string{"bob", "ada"} {
			path[name] = "/api/folders/" + idOf(as(name), "folders", fields{"name": "of " + name}) + "/"
			as(name).Get(path[name] + "history/?deleted=true").Expect(map[string]int{"bob": 404, "ada": 403}[name])
			as(name).Delete(path[name]).Expect(204)
		}
		for name, c := range map[string]struct {
			caller, path string
			status       int
		}{
			"a deleted row":                         {"bob", path["bob"] + "history/", 404},
			"a deleted row, by the parameter":       {"bob", path["bob"] + "history/?deleted=true", 200},
			"a page of it":                          {"bob", path["bob"] + "history/?deleted=true&page_size=1", 200},
			"a wrong value":                         {"bob", path["bob"] + "history/?deleted=perhaps", 400},
			"one's own without the permission":      {"ada", path["ada"] + "history/?deleted=true", 403},
			"another's, with the permission":        {"bob", path["ada"] + "history/?deleted=true", 404},
			"another's, without a scope":            {"mod", path["ada"] + "history/?deleted=true", 200},
			"another's, by a caller without rights": {"ada", path["bob"] + "history/?deleted=true", 403},
			"an anonymous caller":                   {"", path["bob"] + "history/?deleted=true", 401},
		} {
			t.Run(name, func(t *testing.T) {
				got := as(c.caller).On(t).Get(c.path).Expect(c.status)
				if c.status == 200 {
					got.Contains(`"folders.deleted"`)
				} else {
					got.Lacks(`"of bob"`, `"of ada"`)
				}
			})
		}
		as("bob").Get(path["bob"]+"history/?deleted=true&page_size=1").Contains(`deleted=true`, `before=`)
	})
}

// TestReferencesAtTheSameTime: of a DELETE and a reference to the row at the same time, one is rejected, whichever order they run in.
// The same holds for a DELETE and a restore of a row that refers to it.
func TestReferencesAtTheSameTime(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		ada := as("ada")
		refer := map[string]func(folder, other, letter string) *frameworktest.Response{
			"a new row": func(folder, _, _ string) *frameworktest.Response {
				return ada.Post("/api/letters/", fields{"folder": folder, "text": "x"})
			},
			"several rows": func(folder, _, _ string) *frameworktest.Response {
				return ada.Put("/api/folders/bulk/", []fields{{"name": "in " + folder, "parent": folder}})
			},
			"another row": func(folder, other, _ string) *frameworktest.Response {
				return ada.Patch("/api/folders/"+other+"/", fields{"parent": folder})
			},
			"a restore": func(_, _, letter string) *frameworktest.Response {
				return ada.Post("/api/letters/"+letter+"/restore/", nil)
			},
			"a moved letter": func(folder, other, letter string) *frameworktest.Response {
				return ada.Patch("/api/letters/"+idOf(ada, "letters", fields{"folder": other, "text": "y"})+"/", fields{"folder": folder})
			},
		}
		for name, request := range refer {
			t.Run(name, func(t *testing.T) {
				for i := range 25 {
					folder := idOf(ada, "folders", fields{"name": fmt.Sprint(name, " ", i)})
					other := idOf(ada, "folders", fields{"name": fmt.Sprint("beside ", name, " ", i)})
					letter := idOf(ada, "letters", fields{"folder": folder, "text": "x"})
					ada.Delete("/api/letters/" + letter + "/").Expect(204)
					var referred, deleted int
					var wg sync.WaitGroup
					wg.Go(func() { referred = request(folder, other, letter).Status() })
					wg.Go(func() { deleted = ada.Delete("/api/folders/" + folder + "/").Status() })
					wg.Wait()
					if (referred < 300) == (deleted < 300) || referred >= 500 || deleted >= 500 {
						t.Fatalf("the reference is answered %d, and the DELETE %d; want one of both to be rejected", referred, deleted)
					}
				}
			})
		}
		if n := dangling(t, db); n != 0 {
			t.Errorf("%d rows refer to a deleted one", n)
		}
	})
}

// TestARestoreWaitsForADelete: a restore of a row waits for a transaction that deletes the row to which it refers, and is then rejected. On
// SQLite a transaction is the only writer.
func TestARestoreWaitsForADelete(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		if db.Kind() == sqldb.SQLite {
			t.Skip("a transaction is the only writer")
		}
		ada := as("ada")
		folder := idOf(ada, "folders", fields{"name": "a"})
		path := "/api/letters/" + idOf(ada, "letters", fields{"folder": folder, "text": "x"}) + "/"
		ada.Delete(path).Expect(204)
		done := make(chan int, 1)
		err := db.InTx(t.Context(), func(ctx context.Context, s *sqldb.Session) error {
			for _, statement := range []string{"SELECT 1 FROM folders FOR UPDATE", "UPDATE folders SET deleted_at = now()"} {
				if _, err := s.IDB().NewRaw(statement).Exec(ctx); err != nil {
					return err
				}
			}
			go func() { done <- ada.Post(path+"restore/", nil).Status() }()
			for waiting := 0; waiting == 0 && len(done) == 0; {
				const waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid"
				if err := s.IDB().NewRaw(waits).Scan(ctx, &waiting); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if status := <-done; status != 409 {
			t.Errorf("the restore is answered %d; want 409", status)
		}
	})
}

// dangling counts the rows that are not deleted and refer to a deleted folder, which they need.
func dangling(t *testing.T, db *sqldb.DB) (n int) {
	t.Helper()
	const letters = `SELECT count(*) FROM letters AS l JOIN folders AS f ON f.id = l.folder_id WHERE l.deleted_at IS NULL AND f.deleted_at IS NOT NULL`
	const folders = `SELECT count(*) FROM folders AS l JOIN folders AS f ON f.id = l.parent_id WHERE l.deleted_at IS NULL AND f.deleted_at IS NOT NULL`
	for _, query := range []string{letters, folders} {
		var some int
		if err := db.NewRaw(query).Scan(t.Context(), &some); err != nil {
			t.Fatal(err)
		}
		n += some
	}
	return n
}

// seedOf is the seed of random requests: that of TRESTLE_SEED, or a new one.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("TRESTLE_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	t.Logf("TRESTLE_SEED=%d", seed)
	return seed
}

// TestFilesOfDeletedRows: the content of a file of a deleted row is kept, also by the sweep.
func TestFilesOfDeletedRows(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, as func(string) *frameworktest.Client) {
		ada := as("ada")
		id := idOf(ada, "folders", fields{"name": "a"})
		ada.With("Content-Type", "text/plain").Put("/api/folders/"+id+"/cover/", []byte("a cover")).Expect(200)
		ada.Delete("/api/folders/bulk/?id=" + id).Expect(204)
		ada.Post("/api/folders/"+id+"/restore/", nil).Expect(204)
		ada.Get("/api/folders/" + id + "/cover/").Expect(200).Contains("a cover")
	})
}

// TestIndexes: a unique index that has deleted rows too is reported, with the index that leaves them out. Those that leave them out,
// and the primary key, are not.
func TestIndexes(t *testing.T) {
	apitest.Databases(t, office, func(t *testing.T, db *sqldb.DB) {
		for _, statement := range []string{
			"CREATE UNIQUE INDEX whole ON drawers (text)", "CREATE UNIQUE INDEX part ON drawers (text, code) WHERE owner_id IS NOT NULL",
			`CREATE UNIQUE INDEX other ON drawers (code, text) WHERE text <> '' AND "deleted_at" IS NULL`,
			"CREATE UNIQUE INDEX owned ON folders (owner_id)", "CREATE TABLE guests (folder_owner " + uuidType(db) + " REFERENCES folders (owner_id))",
		} {
			if _, err := db.NewRaw(statement).Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		api, _ := apitest.Serve(t, config(db), resources(disk(t))...)
		wide, err := api.WideUniques(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range wide {
			got = append(got, w.For+": "+w.String()+": "+w.Create)
		}
		part := "(owner_id IS NOT NULL)"
		if db.Kind() == sqldb.PostgreSQL {
			part = "((owner_id IS NOT NULL))"
		}
		want := []string{
			`drawers: the unique index "part" of "drawers" (text, code) has deleted rows too, so their values cannot be used again: CREATE UNIQUE INDEX IF NOT EXISTS "part_present" ON "drawers" ("text", "code") WHERE ` + part + ` AND "deleted_at" IS NULL;`,
			`drawers: the unique index "whole" of "drawers" (text) has deleted rows too, so their values cannot be used again: CREATE UNIQUE INDEX IF NOT EXISTS "whole_present" ON "drawers" ("text") WHERE "deleted_at" IS NULL;`,
		}
		if !slices.Equal(got, want) {
			t.Errorf("the indexes are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for _, n := range api.Indexes() {
			if n.Unique && n.Table == "drawers" && n.Create() != `CREATE UNIQUE INDEX IF NOT EXISTS "drawers_code" ON "drawers" ("code") WHERE "deleted_at" IS NULL;` {
				t.Errorf("the index of the lookup is %s", n.Create())
			}
		}
	})
}

func uuidType(db *sqldb.DB) string {
	if db.Kind() == sqldb.PostgreSQL {
		return "uuid"
	}
	return "text"
}
