package conditional_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// matching sends the header If-Match.
func matching(c *frameworktest.Client, tag string) *frameworktest.Client {
	return c.With("If-Match", tag)
}

// TestTags: each answer with one row has an ETag, and a client that has the answer gets no body.
func TestTags(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		for _, path := range []string{"/api/orders/", "/api/memos/"} {
			body := fields{"title": "first"}
			made := by.ada.Post(path, body).Expect(201)
			at := made.Headers().Get("Location")
			tag := tagOf(t, made)
			if read := by.ada.Get(at).Expect(200).Header("ETag", tag); read.Body() != made.Body() {
				t.Errorf("POST answered %s, GET %s", made.Body(), read.Body())
			}
			by.ada.Do("HEAD", at, nil).Expect(200).Header("ETag", tag)
			for _, c := range []struct {
				name, header string
				status       int
			}{
				{"the tag", tag, 304},
				{"made weak by a proxy", "W/" + tag, 304},
				{"one of several", `"other", ` + tag, 304},
				{"any", "*", 304},
				{"the version alone", strings.SplitAfter(tag, ".")[0] + `"`, 200},
				{"another", `"other"`, 200},
				{"without quotes", strings.Trim(tag, `"`), 200},
				{"an open quote", tag + `, "x`, 200},
				{"nothing", "", 200},
			} {
				for _, method := range []string{"GET", "HEAD"} {
					r := by.ada.With("If-None-Match", c.header).Do(method, at, nil).Expect(c.status).Header("ETag", tag)
					if c.status == 304 && (r.Body() != "" || r.Headers().Get("Content-Type") != "") {
						t.Errorf("%s: the 304 has a body or its type: %q", c.name, r.Body())
					}
				}
			}
			put := by.ada.Put(at, fields{"title": "second"}).Expect(200)
			if tagOf(t, put) == tag {
				t.Errorf("PUT left the tag %s", tag)
			}
			by.ada.With("If-None-Match", tag).Get(at).Expect(200).Header("ETag", tagOf(t, put)).Contains("second")
			patched := by.ada.Patch(at, fields{"title": "third"}).Expect(200)
			by.ada.Get(at).Header("ETag", tagOf(t, patched))
			list := by.ada.Get(path).Expect(200)
			by.ada.With("If-None-Match", tagOf(t, list)).Get(path).Expect(304).Header("ETag", tagOf(t, list))
			by.ada.With("If-None-Match", tagOf(t, list)).Get(path + "?page=1").Expect(304)
			by.bob.With("If-None-Match", tagOf(t, list)).Get(path).Expect(200).Lacks("third")
			by.bob.With("If-None-Match", "*").Get(at).Expect(404)
			by.bob.With("If-None-Match", tagOf(t, patched)).Get(at).Expect(404)
			by.ada.Patch(at, fields{"title": "fourth"}).Expect(200)
			by.ada.With("If-None-Match", tagOf(t, list)).Get(path).Expect(200)
		}
		if tag := by.ada.Get("/api/desk/orders/").Expect(200).Headers().Get("ETag"); tag != "" {
			t.Errorf("a viewset without versions answers the ETag %s", tag)
		}
	})
}

// TestWritesNameTheirVersion: a write with another version than that of the row changes nothing.
func TestWritesNameTheirVersion(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		for _, path := range []string{"/api/orders/", "/api/memos/"} {
			at := by.ada.Post(path, fields{"title": "first"}).Expect(201).Headers().Get("Location")
			old := tagOf(t, by.ada.Get(at))
			tag := tagOf(t, by.ada.Put(at, fields{"title": "mine"}).Expect(200))
			version := strings.SplitAfter(tag, ".")[0]
			writes := []struct {
				method, path string
				only         string
			}{{"PUT", at, ""}, {"PATCH", at, ""}, {"DELETE", at, ""}, {"POST", at + "close/", "orders"}, {"PUT", at + "labels/new/", "orders"}, {"DELETE", at + "labels/new/", "orders"}}
			for _, w := range writes {
				if w.only != "" && !strings.Contains(path, w.only) {
					continue
				}
				for _, c := range []struct{ name, header string }{
					{"the version before", old},
					{"made weak by a proxy", "W/" + old},
					{"several others", `"a", "b.c"`},
					{"without quotes", strings.Trim(tag, `"`)},
					{"an open quote", strings.TrimSuffix(tag, `"`)},
					{"an empty tag", `""`},
					{"no tag", ","},
					{"the hash of the body alone", `"` + strings.SplitAfter(tag, ".")[1]},
				} {
					r := matching(by.ada, c.header).Do(w.method, w.path, fields{"title": "lost"}).Expect(412).Code("precondition_failed")
					r.Header("ETag", tag).Contains("Nothing was changed")
				}
				matching(by.bob, old).Do(w.method, w.path, fields{"title": "lost"}).Expect(404).Code("not_found").Header("ETag", "")
				matching(by.bob, tag).Do(w.method, w.path, fields{"title": "lost"}).Expect(404).Code("not_found").Header("ETag", "")
				matching(by.bob, "*").Do(w.method, w.path, fields{"title": "lost"}).Expect(404)
				by.ada.With("If-None-Match", "*").Do(w.method, w.path, fields{"title": "lost"}).Expect(412).Code("precondition_unsupported")
				by.ada.With("If-Unmodified-Since", "Sat, 01 Jan 2000 00:00:00 GMT").Do(w.method, w.path, fields{"title": "lost"}).Expect(412).Code("precondition_unsupported")
			}
			by.ada.Get(at).Expect(200).Header("ETag", tag)
			matching(by.ada, old).Patch(at, fields{"title": ""}).Expect(412) // before the faults of the body
			for _, header := range []string{"W/" + tag, `"other", ` + strings.Replace(tag, ".", ".other", 1), version + `"`, strings.TrimSuffix(version, ".") + `"`, "*"} {
				now := tagOf(t, by.ada.Get(at))
				header = strings.Replace(header, strings.Trim(version, `".`), strings.Trim(strings.SplitAfter(now, ".")[0], `".`), 1)
				next := matching(by.ada, header).Patch(at, fields{"title": "by " + strings.Trim(header, `"`)[:1]}).Expect(200)
				by.ada.Get(at).Header("ETag", tagOf(t, next))
			}
			last := tagOf(t, by.ada.Get(at))
			matching(by.ada, last).Put(at, fields{"title": "last"}).Expect(200)
			matching(by.ada, last).Delete(at).Expect(412)
			matching(by.ada, tagOf(t, by.ada.Get(at))).Delete(at).Expect(204)
			matching(by.ada, last).Delete(at).Expect(404)
			matching(by.ada, "*").Patch(at, fields{"title": "lost"}).Expect(404)
		}
		matching(by.ada, `"1"`).Post("/api/orders/", fields{"title": "x"}).Expect(412).Code("precondition_unsupported")
		matching(by.ada, `"1"`).Post("/api/orders/1/lines/", fields{"text": "x"}).Expect(412).Code("precondition_unsupported")
	})
}

// TestRepeatedRequests checks that the answer to a repeated Idempotency-Key has the ETag of the first one, though
// the row has another version by then, and that If-Match is not compared again.
func TestRepeatedRequests(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		for _, path := range []string{"/api/orders/", "/api/memos/"} {
			create := by.ada.With("Idempotency-Key", path)
			first := create.Post(path, fields{"title": "first"}).Expect(201)
			at := first.Headers().Get("Location")
			by.ada.Patch(at, fields{"title": "second"}).Expect(200)
			again := create.Post(path, fields{"title": "first"}).Expect(201).Header("Idempotent-Replayed", "true")
			if tagOf(t, again) != tagOf(t, first) || again.Body() != first.Body() {
				t.Errorf("the repeated answer has the ETag %s and is %s; want %s and %s", tagOf(t, again), again.Body(), tagOf(t, first), first.Body())
			}
			if tagOf(t, by.ada.Get(at)) == tagOf(t, again) {
				t.Errorf("the row has the ETag %s still", tagOf(t, again))
			}
		}
		at := by.ada.Post("/api/orders/", fields{"title": "first"}).Expect(201).Headers().Get("Location")
		tag := tagOf(t, by.ada.Get(at))
		closing := matching(by.ada, tag).With("Idempotency-Key", "close")
		closing.Post(at+"close/", nil).Expect(204)
		matching(by.ada, tag).With("Idempotency-Key", "again").Post(at+"close/", nil).Expect(412).Code("precondition_failed")
		closing.Post(at+"close/", nil).Expect(204).Header("Idempotent-Replayed", "true")
	})
}

// TestWhatChangesAVersion: the lists of a body, links, rows below, functions and other viewsets.
func TestWhatChangesAVersion(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		at := by.ada.Post("/api/orders/", fields{"title": "first"}).Expect(201).Headers().Get("Location")
		other := by.ada.Post("/api/orders/", fields{"title": "other"}).Expect(201).Headers().Get("Location")
		untouched := tagOf(t, by.ada.Get(other))
		id := strings.Split(strings.TrimSuffix(at, "/"), "/")
		plain := "/api/desk/orders/" + id[len(id)-1] + "/"
		line := ""
		for _, c := range []struct {
			name    string
			write   func() *frameworktest.Response
			changes bool
		}{
			{"a list of the body", func() *frameworktest.Response { return by.ada.Patch(at, fields{"lines": []fields{{"text": "one"}}}) }, true},
			{"a list of keys", func() *frameworktest.Response { return by.ada.Patch(at, fields{"labels": []string{"new"}}) }, true},
			{"an empty list", func() *frameworktest.Response { return by.ada.Patch(at, fields{"labels": []string{}}) }, true},
			{"a link that is added", func() *frameworktest.Response { return by.ada.Put(at+"labels/big/", nil) }, true},
			{"a link that is removed", func() *frameworktest.Response { return by.ada.Delete(at + "labels/big/") }, true},
			{"a link that is not there", func() *frameworktest.Response { return by.ada.Put(at+"labels/none/", nil) }, false},
			{"a link that is removed again", func() *frameworktest.Response { return by.ada.Delete(at + "labels/big/") }, false},
			{"a link", func() *frameworktest.Response { return by.ada.Put(at+"labels/big/", nil) }, true},
			{"a link that is added again", func() *frameworktest.Response { return by.ada.Put(at+"labels/big/", nil) }, false},
			{"the list as it is", func() *frameworktest.Response { return by.ada.Patch(at, fields{"labels": []string{"big"}}) }, true},
			{"a row below", func() *frameworktest.Response {
				r := by.ada.Post(at+"lines/", fields{"text": "two"})
				line = r.Headers().Get("Location")
				return r
			}, false},
			{"a row below that changes", func() *frameworktest.Response { return by.ada.Patch(line, fields{"text": "three"}) }, false},
			{"a row below that is not valid", func() *frameworktest.Response { return by.ada.Patch(line, fields{"text": ""}) }, false},
			{"a row below by another caller", func() *frameworktest.Response { return by.bob.Patch(line, fields{"text": "x"}) }, false},
			{"a row below that is deleted", func() *frameworktest.Response { return by.ada.Delete(line) }, false},
			{"a function that saves", func() *frameworktest.Response { return by.ada.Post(at+"close/", nil) }, true},
			{"a function that only reads", func() *frameworktest.Response { return by.ada.Get(at + "look/") }, false},
			{"another viewset", func() *frameworktest.Response { return by.ada.Patch(plain, fields{"title": "x"}) }, true},
			{"the staff", func() *frameworktest.Response { return by.staff.Put(plain, fields{"title": "y"}) }, true},
			{"another caller", func() *frameworktest.Response { return by.bob.Put(plain, fields{"title": "y"}) }, false},
			{"a body that is not valid", func() *frameworktest.Response { return by.ada.Patch(at, fields{"title": ""}) }, false},
		} {
			before := tagOf(t, by.ada.Get(at))
			r := c.write()
			if after := tagOf(t, by.ada.Get(at)); (strings.SplitAfter(after, ".")[0] != strings.SplitAfter(before, ".")[0]) != c.changes {
				t.Errorf("%s answered %d, and the tag was %s and is %s; want a new version: %t", c.name, r.Status(), before, after, c.changes)
			}
			by.ada.Get(other).Header("ETag", untouched)
		}
	})
}

// TestListsOfABody: a body that sets related rows needs the whole ETag, because it would undo what others
// did to these rows. The version of the row is enough for any other body.
func TestListsOfABody(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		at := by.ada.Post("/api/orders/", fields{"title": "first", "lines": []fields{{"text": "one"}}}).Expect(201).Headers().Get("Location")
		set := func(sql string) func() {
			return func() {
				if _, err := db.DB.DB.ExecContext(context.Background(), sql); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, c := range []struct {
			name   string
			change func()
		}{
			{"a row is added", func() { by.staff.Post(at+"lines/", fields{"text": "two"}).Expect(201) }},
			{"another program changes a row", set("UPDATE lines SET text = 'changed'")},
			{"another program deletes the rows", set("DELETE FROM lines")},
			{"another program adds a link", set("INSERT INTO order_labels (order_id, label_id) SELECT o.id, l.id FROM orders o, labels l")},
		} {
			old := tagOf(t, by.ada.Get(at))
			c.change()
			now := tagOf(t, by.ada.Get(at))
			version := strings.SplitAfter(old, ".")[0]
			if now == old || !strings.HasPrefix(now, version) {
				t.Errorf("%s: the tag was %s and is %s; want another hash of the body alone", c.name, old, now)
			}
			for _, body := range []fields{{"lines": []fields{}}, {"labels": []string{}}, {"title": "x", "lines": []fields{}, "labels": []string{}}} {
				matching(by.ada, old).Patch(at, body).Expect(412).Header("ETag", now).Contains("rows of its lists have changed")
				matching(by.ada, "W/"+old).Patch(at, body).Expect(412).Header("ETag", now)
			}
			matching(by.ada, old).Put(at, fields{"title": "x"}).Expect(412).Header("ETag", now)
			if by.ada.Get(at).Header("ETag", now); t.Failed() {
				t.Fatal(c.name)
			}
			own := tagOf(t, matching(by.ada, now).Patch(at, fields{"labels": []string{"new"}, "lines": []fields{{"text": "one"}}}).Expect(200))
			matching(by.ada, `"other", W/`+own).Patch(at, fields{"labels": []string{"big"}}).Expect(200)
			by.staff.Post(at+"lines/", fields{"text": "two"}).Expect(201)
			now = tagOf(t, by.ada.Get(at))
			stale := strings.SplitAfter(now, ".")[0] + `0"`
			matching(by.ada, stale).Put(at, fields{"title": "lost"}).Expect(412)
			chosen := tagOf(t, by.ada.Get(at+"?fields=title"))
			matching(by.ada, chosen).Patch(at, fields{"lines": []fields{}}).Expect(412).Header("ETag", now).Contains("chose members by a parameter")
			matching(by.ada, strings.TrimSuffix(strings.SplitAfter(now, ".")[0], ".")+`"`).Patch(at, fields{"lines": []fields{}}).Expect(200)
			matching(by.ada, "*").Put(at, fields{"title": "first", "lines": []fields{{"text": "one"}}}).Expect(200)
			now = tagOf(t, by.ada.Get(at))
			by.staff.Post(at+"lines/", fields{"text": "two"}).Expect(201)
			matching(by.ada, now).Patch(at, fields{"title": "first"}).Expect(200).Contains("two")
		}
	})
}

// TestOtherModels: a model of the same table that lacks the column counts too.
func TestOtherModels(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		at := by.ada.Post("/api/orders/", fields{"title": "first"}).Expect(201).Headers().Get("Location")
		id := strings.Split(strings.TrimSuffix(at, "/"), "/")
		slim := "/api/slim/" + id[len(id)-1] + "/"
		for _, body := range []fields{{"title": "x"}, {"labels": []string{"new"}}, {"labels": []string{}}} {
			old := tagOf(t, by.ada.Get(at))
			by.ada.Patch(slim, body).Expect(200)
			matching(by.ada, old).Patch(at, fields{"title": "lost"}).Expect(412)
		}
		old := tagOf(t, by.ada.Get(at))
		by.ada.Put(slim+"labels/new/", nil).Expect(204)
		matching(by.ada, old).Patch(at, fields{"title": "lost"}).Expect(412)
	})
}

// TestCallersWhoDoNotRead: the error 412 shows no version to a caller who may not read the row, whose
// hash would let them check guesses.
func TestCallersWhoDoNotRead(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		at := by.ada.Post("/api/boxes/", fields{"box": fields{"title": "first"}}).Expect(201).Headers().Get("Location")
		by.bob.Get(at).Expect(403)
		matching(by.bob, `"x"`).Post(at+"report/", nil).Expect(412).Header("ETag", "")
		matching(by.bob, `"x"`).Delete(at).Expect(412).Header("ETag", "")
		matching(by.staff, `"x"`).Post(at+"report/", nil).Expect(412).Header("ETag", tagOf(t, by.staff.Get(at)))
	})
}

// TestOtherRows: the version of a row below another, and of a row that a function shows.
func TestOtherRows(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		at := by.ada.Post("/api/orders/", fields{"title": "first"}).Expect(201).Headers().Get("Location")
		id := strings.Split(strings.TrimSuffix(at, "/"), "/")
		line := by.ada.Post(at+"lines/", fields{"text": "one"}).Expect(201).Headers().Get("Location")
		for _, one := range []struct {
			path string
			body fields
		}{{line, fields{"text": "two"}}, {"/api/computed/orders/" + id[len(id)-1] + "/", fields{"title": "two"}}} {
			old := tagOf(t, by.ada.Get(one.path))
			next := tagOf(t, matching(by.ada, old).Patch(one.path, one.body).Expect(200))
			by.ada.Get(one.path).Header("ETag", next)
			matching(by.ada, old).Patch(one.path, one.body).Expect(412).Header("ETag", next)
		}
		path := "/api/computed/orders/" + id[len(id)-1] + "/"
		matching(by.ada, `"x"`).Post(path+"alone/", nil).Expect(412).Code("precondition_unsupported")
		by.ada.Post(path+"alone/", nil).Expect(204)
		matching(by.ada, `"x"`).Post(path+"own/", nil).Expect(200).Contains(`"\"x\""`)
	})
}

// TestQuietWrites: verbs that answer without a body write, and have no ETag.
func TestQuietWrites(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		for _, path := range []string{"/api/quiet/memos/", "/api/quiet/orders/"} {
			made := by.ada.Post(path, fields{"title": "first"}).Expect(204).Header("ETag", "")
			at := made.Headers().Get("Location")
			by.ada.Get(at).Expect(200).Contains("first")
			by.ada.Patch(at, fields{"title": "second"}).Expect(204).Header("ETag", "")
			by.ada.Get(at).Expect(200).Contains("second")
			by.ada.Put(at, fields{"title": "third"}).Expect(204)
			by.ada.Patch(at, fields{}).Expect(204)
			by.ada.Get(at).Expect(200).Contains("third")
			by.bob.Patch(at, fields{"title": "lost"}).Expect(404)
			by.bob.Patch(at, fields{}).Expect(404)
			if path == "/api/quiet/memos/" {
				tag := tagOf(t, by.ada.Get(at))
				matching(by.ada, tag).Patch(at, fields{"title": "fourth"}).Expect(204)
				matching(by.ada, tag).Patch(at, fields{"title": "lost"}).Expect(412)
			}
			by.ada.Delete(at).Expect(204)
			by.ada.Patch(at, fields{"title": "lost"}).Expect(404)
		}
	})
}

// TestNewRowsWithOldKeys: no new row has a version of a deleted row with its key.
func TestNewRowsWithOldKeys(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		const at = "/api/settings/"
		old := tagOf(t, by.ada.Put(at, fields{"theme": "dark"}).Expect(201))
		by.ada.Delete(at).Expect(204)
		by.ada.Put(at, fields{"theme": "light"}).Expect(201)
		matching(by.ada, old).Put(at, fields{"theme": "grey"}).Expect(412)
	})
}

// TestHashes: a hash is of the columns that clients see, however they change.
func TestHashes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		at := by.ada.Post("/api/memos/", fields{"title": "first", "price": 1.5, "due": "2026-01-02T03:04:05.123456Z", "secret": "1234"}).Expect(201).Headers().Get("Location")
		tag := tagOf(t, by.ada.Get(at))
		same := func(name string, want bool) {
			t.Helper()
			if now := tagOf(t, by.ada.Get(at)); (now == tag) != want {
				t.Errorf("%s: the tag was %s and is %s", name, tag, now)
			}
			tag = tagOf(t, by.ada.Get(at))
		}
		set := func(sql string) {
			t.Helper()
			if _, err := db.DB.DB.ExecContext(context.Background(), sql); err != nil {
				t.Fatal(err)
			}
		}
		same("nothing", true)
		set("UPDATE memos SET secret = '4321'")
		same("a column that no view shows: a guess of its value could be confirmed", true)
		set("UPDATE memos SET title = 'second'")
		same("a statement of another program", false)
		set("UPDATE memos SET price = NULL")
		same("a value that becomes NULL", false)
		set("UPDATE memos SET title = '', due = NULL")
		same("several", false)
		set("UPDATE memos SET price = 0")
		same("NULL that becomes zero", false)
		by.ada.Patch(at, fields{"due": "2026-01-02T03:04:05.123456Z"}).Expect(200)
		same("a time", false)
		by.ada.Patch(at, fields{"due": "2026-01-02T03:04:05.123457Z"}).Expect(200)
		same("a time that is a microsecond later", false)
		by.ada.Patch(at, fields{"due": "2026-01-02T05:04:05.123457+02:00"}).Expect(200)
		same("the same time in another zone", true)
		matching(by.ada, tag).Patch(at, fields{"secret": "new"}).Expect(200)
		matching(by.ada, tag).Patch(at, fields{"title": "new"}).Expect(200)
		matching(by.ada, tag).Patch(at, fields{"title": "newer"}).Expect(412)
	})
}

// TestRequiredVersions: PUT, PATCH and DELETE without a version are rejected, before the row is read.
func TestRequiredVersions(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		made := by.ada.Post("/api/strict/memos/", fields{"title": "first"}).Expect(201)
		at, tag := made.Headers().Get("Location"), tagOf(t, made)
		for _, method := range []string{"PUT", "PATCH", "DELETE"} {
			by.ada.Do(method, at, fields{"title": "lost"}).Expect(428).Code("precondition_required").Contains("If-Match")
			by.bob.Do(method, at, fields{"title": "lost"}).Expect(428)
			matching(by.bob, tag).Do(method, at, fields{"title": "lost"}).Expect(404)
			matching(by.ada, `"x"`).Do(method, at, fields{"title": "lost"}).Expect(412).Header("ETag", tag)
		}
		by.ada.Post(at+"touch/", nil).Expect(204)
		by.ada.Get(at).Header("ETag", tag)
		next := tagOf(t, matching(by.ada, tag).Patch(at, fields{"title": "second"}).Expect(200))
		matching(by.ada, next).Put(at, fields{"title": "third"}).Expect(200)
		matching(by.ada, "*").Delete(at).Expect(204)
		by.ada.Get("/api/errors/precondition_required").Expect(200)
	})
}

// TestVersionOfASingleRow: If-Match never creates the row.
func TestVersionOfASingleRow(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		const at = "/api/settings/"
		for _, header := range []string{"*", `"0"`} {
			matching(by.ada, header).Put(at, fields{"theme": "dark"}).Expect(412).Code("precondition_failed").Contains("there is none")
			matching(by.ada, header).Patch(at, fields{"theme": "dark"}).Expect(404)
			matching(by.ada, header).Delete(at).Expect(404)
		}
		made := by.ada.Put(at, fields{"theme": "dark"}).Expect(201)
		by.ada.Get(at).Header("ETag", tagOf(t, made))
		matching(by.ada, `"7"`).Put(at, fields{"theme": "light"}).Expect(412).Header("ETag", tagOf(t, made))
		next := matching(by.ada, tagOf(t, made)).Put(at, fields{"theme": "light"}).Expect(200)
		by.bob.Put(at, fields{"theme": "grey"}).Expect(201)
		by.ada.Get(at).Header("ETag", tagOf(t, next)).Contains("light")
		matching(by.ada, tagOf(t, next)).Delete(at).Expect(204)
		matching(by.ada, tagOf(t, next)).Put(at, fields{"theme": "dark"}).Expect(412)
	})
}

// TestTwoWriters: of two writers with one ETag, exactly one wins, by every kind of write.
func TestTwoWriters(t *testing.T) {
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		for _, path := range []string{"/api/orders/", "/api/memos/"} {
			at := by.ada.Post(path, fields{"title": "first"}).Expect(201).Headers().Get("Location")
			for round := range 200 {
				tag := tagOf(t, by.ada.Get(at))
				method := []string{"PUT", "PATCH"}[round%2]
				answers := make([]*frameworktest.Response, 2)
				var group sync.WaitGroup
				for i := range answers {
					group.Go(func() {
						answers[i] = matching(by.ada, tag).Do(method, at, fields{"title": "by " + string(rune('a'+i)) + string(rune('a'+round%26)) + string(rune('a'+round/26))})
					})
				}
				group.Wait()
				won := 0
				for i, r := range answers {
					if r.Status() == http.StatusOK {
						won++
						by.ada.Get(at).Header("ETag", tagOf(t, r)).Contains("by " + string(rune('a'+i)))
					} else {
						r.Expect(412)
					}
				}
				if won != 1 {
					t.Fatalf("round %d: %d writers won", round, won)
				}
			}
		}
	})
}

// TestStatements: versions cost no statement, but for a write that names one.
func TestStatements(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, by clients) {
		memo := by.ada.Post("/api/memos/", fields{"title": "first"}).Expect(201)
		order := by.ada.Post("/api/desk/orders/", fields{"title": "first"}).Expect(201)
		var mutex sync.Mutex
		var sent []string
		db.Observe(func(_ context.Context, e sqldb.Event) {
			mutex.Lock()
			defer mutex.Unlock()
			if word, _, _ := strings.Cut(strings.TrimSpace(e.SQL), " "); word == "SELECT" || word == "UPDATE" {
				sent = append(sent, word)
			}
		})
		for _, c := range []struct {
			name string
			send func() *frameworktest.Response
			want string
		}{
			{"a read with a hash", func() *frameworktest.Response { return by.ada.Get(memo.Headers().Get("Location")) }, "SELECT"},
			{"a change without a version", func() *frameworktest.Response {
				return by.ada.Patch(order.Headers().Get("Location"), fields{"title": "x"})
			}, "UPDATE"},
			{"a change with a version", func() *frameworktest.Response {
				return matching(by.ada, "*").Patch(memo.Headers().Get("Location"), fields{"title": "x"})
			}, "SELECT UPDATE SELECT"},
		} {
			sent = nil
			if c.send().Expect(200); strings.Join(sent, " ") != c.want {
				t.Errorf("%s: %v, want %s", c.name, sent, c.want)
			}
		}
	})
}
