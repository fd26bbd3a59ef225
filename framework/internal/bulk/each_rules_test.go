package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/files"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

const eachEntries = "/api/entries/bulk/each/"

// outcomes are the entries of the tests of functions, whose codes say what the function of a new entry does.
func outcomes(later func(code string)) framework.ViewSet[Entry] {
	insert := func(c *framework.Call, e *Entry, code string) error {
		_, err := c.DB.NewInsert().Model(&Entry{OwnerID: e.OwnerID, Code: code}).Exec(c)
		return err
	}
	fill := func(c *framework.Call, e *Entry, in entryInput) error {
		if err := insert(c, e, "beside "+in.Code); err != nil {
			return err
		}
		c.AfterCommit(func(c *framework.Call) error {
			if c.Has("text") {
				later(in.Code + " with a text")
			} else {
				later(in.Code)
			}
			return nil
		})
		c.Header().Set("X-Last", in.Code)
		switch in.Code {
		case "refused":
			return framework.Conflict("full", "The album is full.")
		case "invalid":
			return framework.Invalid(framework.Fault{Pointer: "/text", Code: "required", Detail: "is required"})
		case "broken":
			return insert(c, e, "beside broken")
		case "ignored": // which PostgreSQL does not accept: it rejects each later statement of the transaction
			_ = insert(c, e, "beside ignored")
		case "failed":
			return errors.New("no such table")
		case "closed":
			return framework.Refuse(500, "closed", "The album is closed.")
		case "panics":
			panic("the function breaks")
		}
		return nil
	}
	then := func(_ *framework.Call, _ *Entry, in entryInput) error {
		if in.Code == "late" {
			return framework.Conflict("full", "The album is full.")
		}
		return nil
	}
	v := entries()
	sent := framework.Header{Name: "X-Last", Doc: "The last code."}
	v.Verbs.Create = framework.FillsThen[entryView](fill, then).Refuses("full", "closed").Sends(sent)
	v.Verbs.Patch = framework.Fills[entryView](fill).Refuses("full", "closed").Sends(sent)
	v.Bulk = framework.Bulk{Create: true, Patch: true, Each: true}
	return v
}

// TestEachOfFunctions checks that nothing stays of what functions did for a rejected item: no row, no header, and no
// function after the commit. An error of the server undoes the whole request.
func TestEachOfFunctions(t *testing.T) {
	apitest.Databases(t, album, func(t *testing.T, db *sqldb.DB) {
		var mu sync.Mutex
		var ran []string
		c := apitest.Config(db)
		c.Codes = []framework.CodeInfo{{Code: "full", Status: 409, Title: "The album is full", Text: "It has no room."}, {Code: "closed", Status: 500, Title: "The album is closed", Text: "It opens later."}}
		api, client := apitest.Serve(t, c, outcomes(func(code string) {
			mu.Lock()
			defer mu.Unlock()
			ran = append(ran, code)
		}))
		ada := apitest.As(client, "ada")
		stored := func() string {
			var codes []string
			if err := db.NewSelect().Table("entries").Column("code").Order("code").Scan(t.Context(), &codes); err != nil {
				t.Fatal(err)
			}
			return strings.Join(codes, ", ")
		}
		for _, code := range []string{"failed", "closed", "panics"} {
			ada.Post(eachEntries, items{{"code": "a"}, {"code": code}, {"code": "b"}}).Expect(500)
		}
		if got := stored(); got != "" {
			t.Errorf("the entries are %q; want none after an error of the server", got)
		}
		if db.Kind() == sqldb.PostgreSQL {
			ada.Post(eachEntries, items{{"code": "a"}, {"code": "ignored"}}).Expect(500)
		}
		made := ada.Post(eachEntries, items{{"code": "a"}, {"code": "refused"}, {"code": "invalid"}, {"code": "broken"}, {"code": "late"}, {"code": "b", "text": "x"}, {"code": "late"}}).Header("X-Last", "b")
		expect(t, made, "201", "409 full", "400 validation_failed /2/text", "409 code_taken /3/code", "409 full", "201", "409 full")
		if got, want := stored(), "a, b, beside a, beside b"; got != want {
			t.Errorf("the entries are %q; want %q", got, want)
		}
		all := expect(t, ada.Post(eachEntries, items{{"code": "c"}, {"code": "d"}}), "201", "201")
		first, second := idOf(t, all[0]), idOf(t, all[1])
		expect(t, ada.Patch(eachEntries, items{{"id": first, "code": "refused"}, {"id": second, "code": "e"}, {"id": first, "code": "b"}}), "409 full", "200", "409 code_taken /2/code")
		if got, want := stored(), "a, b, beside a, beside b, beside c, beside d, beside e, c, e"; got != want {
			t.Errorf("the entries are %q; want %q", got, want)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		api.Run(over, func(err error) { t.Error(err) })
		if want := []string{"a", "b with a text", "c", "d", "e"}; !slices.Equal(slices.Sorted(slices.Values(ran)), want) {
			t.Errorf("after the commits ran %v; want %v", ran, want)
		}
	})
}

// idOf is the id of the row of a result that is a number.
func idOf(t *testing.T, one result) int64 {
	t.Helper()
	var id int64
	if _, err := fmt.Sscanf(string(one.Row), `{"id":%d`, &id); err != nil {
		t.Fatalf("%s has no id: %v", one.Row, err)
	}
	return id
}

// TestEachRights checks that each item has the rights and the rules of its verb.
func TestEachRights(t *testing.T) {
	apitest.Databases(t, album, func(t *testing.T, db *sqldb.DB) {
		v := entries()
		v.Strict, v.Bulk.Each, v.Permission = framework.Strict, true, framework.PerModel("entries")
		v.Fields = []framework.FieldRule{framework.Writes("text", framework.Holds("texts.change"))}
		v.Scope = framework.Own((*Entry).owner)
		c := apitest.Config(db)
		rights := []string{"entries.view", "entries.add", "entries.change", "entries.delete"}
		c.Authentication = []framework.Authenticator{apitest.Names{
			"ada": rights, "writer": append(slices.Clone(rights), "texts.change"), "changer": {"entries.view", "entries.change"},
		}}
		_, client := apitest.Serve(t, c, v)
		ada, changer := apitest.As(client, "ada"), apitest.As(client, "changer")
		expect(t, ada.Post(eachEntries, items{{"code": "a"}, {"code": "b", "text": "x"}, {"code": "c", "txet": "x"}, {"code": "d", "version": 7}}),
			"201", "403 forbidden /1/text", "400 unknown_field /2/txet", "400 unknown_field /3/version")
		expect(t, apitest.As(client, "writer").Post(eachEntries, items{{"code": "a", "text": "x"}}), "201")
		expect(t, ada.Put(eachEntries, items{{"code": "a", "text": "x"}, {"code": "a"}, {"code": "e", "text": "x"}, {"code": "e"}}), "403 forbidden /0/text", "200", "403 forbidden /2/text", "201")
		changer.Post(eachEntries, items{{"code": "a"}}).Expect(403)
		all := expect(t, changer.Put(eachEntries, items{{"code": "new"}, {"code": ""}}), "403 forbidden", "400 validation_failed /1/code")
		if got := all[0]; got.Row != nil {
			t.Errorf("the result is %+v; want no row", got)
		}
		changer.Delete(eachEntries + "?id=1").Expect(403)
	})
}

// TestEachBelowAParent checks the items of a nested viewset. A parent that does not exist is an error of the request.
func TestEachBelowAParent(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		const at, other = "/api/categories/1/notes/bulk/each/", "/api/categories/2/notes/bulk/each/"
		all := expect(t, by.ada.Post(at, items{{"text": "one"}, {}, {"text": "two"}}), "201", "400 validation_failed /1/text", "201")
		one, two := idOf(t, all[0]), idOf(t, all[2])
		if !strings.Contains(string(all[0].Row), `"name":"tea"`) {
			t.Errorf("the row is %s; want it in the category tea", all[0].Row)
		}
		expect(t, by.ada.Patch(at, items{{"id": two, "text": "zwei"}, {"id": 99, "text": "x"}}), "200", "404 not_found")
		expect(t, by.ada.Patch(other, items{{"id": two, "text": "x"}}), "404 not_found")
		expect(t, by.ada.Delete(fmt.Sprintf("%s?id=%d", other, one)), "404 not_found")
		by.ada.Post("/api/categories/9/notes/bulk/each/", items{{"text": "x"}}).Expect(404)
		by.ada.Patch("/api/categories/9/notes/bulk/each/", items{{"id": two, "text": "x"}}).Expect(404)
		expect(t, by.ada.Delete(fmt.Sprintf("%s?id=%d", at, one)), "204")
		by.ada.Get("/api/categories/1/notes/").Expect(200).Contains(`"count":1`, "zwei")
	})
}

// TestEachRetries checks that a repeated Idempotency-Key gets the results of the first request, errors included.
func TestEachRetries(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		once, body := by.ada.With("Idempotency-Key", "k"), items{{"sku": "a", "name": "A"}, {"sku": "b"}}
		first := once.Post(eachPath, body)
		expect(t, first, "201", "400 validation_failed /1/name")
		if again := once.Post(eachPath, body).Expect(200).Header("Idempotent-Replayed", "true"); again.Body() != first.Body() {
			t.Errorf("the answers differ: %s and %s", first.Body(), again.Body())
		}
		once.Post(eachPath, items{{"sku": "c", "name": "C"}}).Expect(422)
		expect(t, by.ada.Post(eachPath, body), "409 sku_taken /0/sku", "400 validation_failed /1/name")
		if n := apitest.Count(t, db, "products"); n != 1 {
			t.Errorf("%d products are stored; want 1", n)
		}
	})
}

// TestEachAtOnce checks that PUTs of the same new rows at once, in opposite orders, all succeed and store the rows once, and
// that a row that one of several POSTs creates is taken for the others.
func TestEachAtOnce(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		statuses := map[int]int{}
		send := func(method func(string, any) *frameworktest.Response, prefix string, i int) {
			body := some(prefix, 5)
			if prefix == "s" && i%2 == 1 {
				slices.Reverse(body)
			}
			wg.Go(func() {
				var all []result
				method(eachPath, body).Expect(200).JSON(&all)
				mu.Lock()
				defer mu.Unlock()
				for _, one := range all {
					statuses[one.Status]++
				}
			})
		}
		for i := range 6 {
			send(by.ada.Put, "s", i)
			send(by.bob.Post, "t", i)
		}
		wg.Wait()
		if statuses[201] != 10 || statuses[200] != 25 || statuses[409] != 25 {
			t.Errorf("the statuses are %v; want 10 rows created, 25 replaced, and 25 taken", statuses)
		}
		if n := apitest.Count(t, db, "products"); n != 10 {
			t.Errorf("%d products are stored; want 10", n)
		}
	})
}

// TestEachIsStated checks the status and the member of the answer that settings choose.
func TestEachIsStated(t *testing.T) {
	apitest.Databases(t, album, func(t *testing.T, db *sqldb.DB) {
		v := entries()
		v.Bulk.Each, v.Wrap, v.WrapList = true, "entry", "entries"
		c := apitest.Config(db)
		c.Statuses = map[string]int{"validation_failed": 422}
		_, client := apitest.Serve(t, c, v)
		apitest.As(client, "ada").Post(eachEntries, items{{"code": "a"}, {}}).Expect(200).
			Contains(`{"entries":[{"status":201,"row":{"id":1,"code":"a"`, `{"status":422,"problem":`, `"status":422,"detail"`).Lacks(`"entry"`)
	})
}

// TestEachOptions checks the answer to OPTIONS at the path.
func TestEachOptions(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		by.ada.Do("OPTIONS", eachPath, nil).Expect(200).Contains(`"name":"products/bulk/each"`, `"POST"`, `"PUT"`, `"PATCH"`, `"DELETE"`, `"maxItems":100`)
	})
}

// TestEachKeysInOtherCases checks keys that differ in case where the column takes them for one.
func TestEachKeysInOtherCases(t *testing.T) {
	apitest.Databases(t, folded, func(t *testing.T, db *sqldb.DB) {
		_, client := apitest.Serve(t, apitest.Config(db), framework.ViewSet[Label]{
			Name: "labels", Verbs: framework.CRUD[labelInput, labelInput](), Scope: framework.Own((*Label).owner),
			Bulk: framework.Bulk{Create: true, Patch: true, Upsert: "name", Delete: true, Each: true}, Reserved: []string{"bulk"}, Permission: framework.Authenticated(),
		})
		ada := apitest.As(client, "ada")
		const at = "/api/labels/bulk/each/"
		expect(t, ada.Put(at, items{{"name": "Hot", "color": "red"}, {"name": "HOT", "color": "blue"}}), "201", "200")
		expect(t, ada.Post(at, items{{"name": "hot", "color": "red"}, {"name": "new", "color": "red"}}), "409 not_unique /0/name", "201")
		expect(t, ada.Patch(at, items{{"name": "hot", "color": "pink"}, {"name": "NEW", "color": "gray"}, {"name": "old", "color": "x"}}), "200", "200", "404 not_found")
		ada.Get("/api/labels/").Expect(200).Contains(`"count":2`, `"name":"Hot","color":"pink"`, `"name":"new","color":"gray"`)
		expect(t, ada.Delete(at+"?name=hOt,new,NEW"), "204", "204", "404 not_found")
	})
}

// A Page has a photo, and lines refer to it.
type Page struct {
	bun.BaseModel `bun:"table:pages"`

	ID    int64 `bun:",pk,autoincrement"`
	Title string
	Photo files.File `bun:"type:text"`
}

type Line struct {
	bun.BaseModel `bun:"table:lines"`

	ID     int64 `bun:",pk,autoincrement"`
	PageID int64
}

type pageInput struct {
	Title string `json:"title" validate:"required,line,max=20"`
}

type pageView struct {
	ID int64 `json:"id"`
	pageInput
}

var pages = sqldb.Migrations{Namespace: "pages", FS: fstest.MapFS{
	"1_pages.tx.up.sql": {Data: []byte(`
CREATE TABLE pages (id {{if postgres}}bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY{{else}}INTEGER PRIMARY KEY AUTOINCREMENT{{end}}, title {{text}} NOT NULL, photo {{text}});
CREATE TABLE lines (id {{if postgres}}bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY{{else}}INTEGER PRIMARY KEY AUTOINCREMENT{{end}}, page_id {{bigint}} NOT NULL REFERENCES pages (id));`)},
	"1_pages.tx.down.sql": {Data: []byte(``)},
}}

// TestEachFiles checks that the files of rows are deleted after the commit, and stay if the request fails.
func TestEachFiles(t *testing.T) {
	apitest.Databases(t, album, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(t.Context(), nil, pages); err != nil {
			t.Fatal(err)
		}
		storage, err := files.OpenDisk(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		api, client := apitest.Serve(t, apitest.Config(db), framework.ViewSet[Page]{
			Name: "pages", Verbs: framework.CRUD[pageInput, pageView](), Scope: framework.Public(), Bulk: framework.Bulk{Create: true, Delete: true, Each: true},
			Files: []framework.FileField[Page]{{Name: "photo", Field: func(p *Page) *files.File { return &p.Photo }, Storage: storage, MaxBytes: 100, Types: []string{"text/plain"}}},
		})
		ada := apitest.As(client, "ada")
		all := expect(t, ada.Post("/api/pages/bulk/each/", items{{"title": "a"}, {"title": "b"}}), "201", "201")
		first, second := idOf(t, all[0]), idOf(t, all[1])
		photo := func(id int64) string { return fmt.Sprintf("/api/pages/%d/photo/", id) }
		for _, id := range []int64{first, second} {
			ada.With("Content-Type", "text/plain").Put(photo(id), "a photo").Expect(200)
		}
		apitest.Insert(t, db, &Line{PageID: second})
		expect(t, ada.Delete(fmt.Sprintf("/api/pages/bulk/each/?id=%d,%d", first, second)), "204", "409 still_referenced")
		ada.Get(photo(second)).Expect(200)
		ada.Get(photo(first)).Expect(404)
		over, cancel := context.WithCancel(t.Context())
		cancel()
		api.Run(over, func(err error) { t.Error(err) })
		if n := apitest.Count(t, db, "pages"); n != 1 {
			t.Errorf("%d pages are stored; want 1", n)
		}
	})
}
