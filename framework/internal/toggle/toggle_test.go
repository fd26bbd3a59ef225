package toggle_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestToggle: for each request in turn, the status, what the answer has, and how many favorites,
// stars and watches are stored after it.
func TestToggle(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), posts(), favorites(), readers())
		for _, step := range []struct {
			name, caller, method, path string
			status                     int
			has                        string
			stored                     string // favorites, stars and watches
		}{
			{"a reader favours a post", "bob", "PUT", "1/favorite/", 200, `"favorites":1,"favorite":true`, "1 0 0"},
			{"and again", "bob", "PUT", "1/favorite/", 200, `"favorites":1,"favorite":true`, "1 0 0"},
			{"the writer favours it too", "ann", "PUT", "1/favorite/", 200, `"favorites":2,"favorite":true`, "2 0 0"},
			{"an anonymous client sees the number", "", "GET", "1/", 200, `"favorites":2,"favorite":false`, "2 0 0"},
			{"an anonymous client cannot favour", "", "PUT", "1/favorite/", 401, "authentication_required", "2 0 0"},
			{"an anonymous client cannot end it", "", "DELETE", "1/favorite/", 401, "authentication_required", "2 0 0"},
			{"an anonymous client learns nothing of a hidden post", "", "PUT", "2/favorite/", 401, "authentication_required", "2 0 0"},
			{"a hidden post", "bob", "PUT", "2/favorite/", 404, "not_found", "2 0 0"},
			{"a hidden post, by DELETE", "bob", "DELETE", "2/favorite/", 404, "not_found", "2 0 0"},
			{"a post that does not exist", "bob", "PUT", "9/favorite/", 404, "not_found", "2 0 0"},
			{"a key that is none", "bob", "PUT", "x/favorite/", 404, "not_found", "2 0 0"},
			{"staff sees hidden posts", "staff", "PUT", "2/favorite/", 200, `"favorites":1`, "3 0 0"},
			{"the reader ends it", "bob", "DELETE", "1/favorite/", 200, `"favorites":1,"favorite":false`, "2 0 0"},
			{"and again", "bob", "DELETE", "1/favorite/", 200, `"favorites":1,"favorite":false`, "2 0 0"},
			{"the writer's own is not touched", "ann", "GET", "1/", 200, `"favorites":1,"favorite":true`, "2 0 0"},
			{"without an answer", "bob", "PUT", "1/star/", 204, "", "2 1 0"},
			{"without an answer, again", "bob", "PUT", "1/star/", 204, "", "2 1 0"},
			{"of another reader", "ann", "PUT", "1/star/", 204, "", "2 2 0"},
			{"ended without an answer", "bob", "DELETE", "1/star/", 204, "", "2 1 0"},
			{"ended without an answer, again", "bob", "DELETE", "1/star/", 204, "", "2 1 0"},
			{"a row of a join table", "bob", "PUT", "1/watch/", 200, `"watchers":1`, "2 1 1"},
			{"a row of a join table, again", "bob", "PUT", "1/watch/", 200, `"watchers":1`, "2 1 1"},
			{"a row of a join table, ended", "bob", "DELETE", "1/watch/", 200, `"watchers":0`, "2 1 0"},
			{"a caller without a row in readers", "eve", "PUT", "1/watch/", 409, "conflict", "2 1 0"},
			{"another method", "bob", "POST", "1/favorite/", 405, "method_not_allowed", "2 1 0"},
			{"a change of the post itself is for the writer", "bob", "PATCH", "1/", 403, "not_yours", "2 1 0"},
		} {
			t.Run(step.name, func(t *testing.T) {
				var body any
				if step.method == "PATCH" {
					body = map[string]any{"title": "Mine"}
				}
				apitest.As(c.On(t), step.caller).Do(step.method, "/api/posts/"+step.path, body).Expect(step.status).Contains(step.has)
				if got := fmt.Sprint(apitest.Count(t, db, "favorites"), apitest.Count(t, db, "stars"), apitest.Count(t, db, "watches")); got != step.stored {
					t.Errorf("stored are %s; want %s", got, step.stored)
				}
			})
		}
	})
}

// TestStored: the row has a key, the time, the default of its columns, and the caller; a recorder
// gets each row once.
func TestStored(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		var seen []string
		c := apitest.Config(db)
		c.Observers = []framework.Observer{frameworktest.RecordChanges(func(_ *framework.Call, change frameworktest.Change) error {
			seen = append(seen, fmt.Sprint(change.ViewSet, " ", change.Verb, " ", change.Before != nil, " ", change.After != nil))
			return nil
		})}
		_, client := apitest.Serve(t, c, posts(), favorites(), readers())
		bob := apitest.As(client, "bob")
		for range 2 {
			bob.Put("/api/posts/1/favorite/", nil).Expect(200)
			bob.Put("/api/posts/1/watch/", nil).Expect(200)
		}
		var f Favorite
		var w Watch
		if err := db.NewSelect().Model(&f).Scan(context.Background()); err != nil || f.UserID != apitest.ID("bob") || f.ID.Version() != 7 || f.CreatedAt.IsZero() || f.Weight != 7 {
			t.Errorf("the row is %+v, error %v", f, err)
		}
		if err := db.NewSelect().Model(&w).Scan(context.Background()); err != nil || w.ReaderID != apitest.ID("bob") || w.CreatedAt.IsZero() {
			t.Errorf("the row of the join table is %+v, error %v", w, err)
		}
		for range 2 {
			bob.Delete("/api/posts/1/favorite/").Expect(200)
		}
		want := []string{"favorites create false true", "posts.watchers create false true", "favorites delete true false"}
		if !slices.Equal(seen, want) {
			t.Errorf("recorded are %q; want %q", seen, want)
		}
	})
}

// TestScopeOfRows: the scope of the related viewset applies to the row: a row outside is not made.
func TestScopeOfRows(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := favorites()
		v.Scope = framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
			return q.Where("?TableAlias.weight < ?", 7)
		})
		_, c := apitest.Serve(t, apitest.Config(db), posts(), v, readers())
		apitest.As(c, "bob").Put("/api/posts/1/favorite/", nil).Expect(403).Code("forbidden")
		if n := apitest.Count(t, db, "favorites"); n != 0 {
			t.Errorf("%d rows are stored; want none", n)
		}
	})
}

// TestScopeOfReference: a row that its scope leaves out, because it refers to a post of another writer,
// is not made either. Its reader could not delete it.
func TestScopeOfReference(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		p, f := posts(), favorites()
		p.Scope, f.Scope = framework.Own((*Post).writer).Unless(framework.Authenticated()), framework.Via("post_id", "posts")
		p.Writers = framework.Scope{}
		_, c := apitest.Serve(t, apitest.Config(db), p, f, readers())
		apitest.As(c, "bob").Put("/api/posts/1/favorite/", nil).Expect(403).Code("forbidden")
		if n := apitest.Count(t, db, "favorites"); n != 0 {
			t.Errorf("%d rows are stored; want none", n)
		}
		apitest.As(c, "ann").Put("/api/posts/1/favorite/", nil).Expect(200).Contains(`"favorites":1,"favorite":true`)
	})
}

// TestReaders: a caller who sees a post may use its toggles and the actions of ByReaders, also if the
// scope is lifted for reading alone. Other writing actions need the right to change the post.
func TestReaders(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		seen := func(*framework.Call, *Post, framework.None) (framework.None, error) { return framework.None{}, nil }
		p := posts()
		p.Scope = framework.Own((*Post).writer).Unless(framework.HoldsModel("posts"))
		p.Writers = framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder { return q.Where("?TableAlias.id < ?", 9) })
		p.Actions = append(p.Actions, framework.Post("noted", seen).ByReaders(), framework.Post("closed", seen))
		config := apitest.Config(db)
		config.Authentication = []framework.Authenticator{apitest.Names{"bob": {"posts.view"}}}
		api, c := apitest.Serve(t, config, p, favorites(), readers())
		bob, eve := apitest.As(c, "bob"), apitest.As(c, "eve")
		for _, path := range []string{"favorite/", "star/", "watch/"} {
			bob.Put("/api/posts/1/"+path, nil).Expect(map[bool]int{true: 204, false: 200}[path == "star/"])
			bob.Delete("/api/posts/1/" + path).Expect(map[bool]int{true: 204, false: 200}[path == "star/"])
			eve.Put("/api/posts/1/"+path, nil).Expect(404)
		}
		bob.Post("/api/posts/1/noted/", nil).Expect(204)
		eve.Post("/api/posts/1/noted/", nil).Expect(404)
		bob.Post("/api/posts/1/closed/", nil).Expect(403).Code("not_yours")
		bob.Patch("/api/posts/1/", map[string]any{"title": "x"}).Expect(403).Code("not_yours")
		for _, route := range api.Access(&framework.Caller{ID: apitest.ID("bob"), Permissions: map[string]bool{"posts.view": true}}) {
			want := map[string]framework.Access{"noted": framework.AccessAllowed, "favorite": framework.AccessAllowed, "closed": framework.AccessScoped}[route.Name]
			if want != "" && route.Access[0] != want {
				t.Errorf("%s %s is %v; want %v", route.Method, route.Path, route.Access[0], want)
			}
		}
	})
}

// TestStillReferenced: a row to which other rows refer stays, and the error says so.
func TestStillReferenced(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), posts(), favorites(), readers())
		bob := apitest.As(c, "bob")
		bob.Put("/api/posts/1/favorite/", nil).Expect(200)
		id := map[bool]string{true: "TEXT", false: "uuid"}[db.Kind() == sqldb.SQLite]
		for _, text := range []string{"CREATE TABLE thanks (favorite_id " + id + " REFERENCES favorites (id))", "INSERT INTO thanks SELECT id FROM favorites"} {
			if _, err := db.DB.DB.Exec(text); err != nil {
				t.Fatal(err)
			}
		}
		bob.Delete("/api/posts/1/favorite/").Expect(409).Code("still_referenced")
		if n := apitest.Count(t, db, "favorites"); n != 1 {
			t.Errorf("%d rows are stored; want 1", n)
		}
	})
}

// TestConcurrent: many requests at the same time leave one row, whatever their order.
func TestConcurrent(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), posts(), favorites(), readers())
		bob := apitest.As(c, "bob")
		together := func(method string, status int) {
			var done sync.WaitGroup
			for range 20 {
				done.Go(func() {
					if got := bob.Do(method, "/api/posts/1/star/", nil).Status(); got != status {
						t.Errorf("%s answers %d; want %d", method, got, status)
					}
				})
			}
			done.Wait()
		}
		together("PUT", 204)
		if n := apitest.Count(t, db, "stars"); n != 1 {
			t.Errorf("%d rows are stored after concurrent PUTs; want 1", n)
		}
		together("DELETE", 204)
		if n := apitest.Count(t, db, "stars"); n != 0 {
			t.Errorf("%d rows are stored after concurrent DELETEs; want none", n)
		}
	})
}

// TestStatements: one statement reads and locks the object, one changes the row, and one reads the
// answer.
func TestStatements(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		n := frameworktest.CountStatements(db)
		_, c := apitest.Serve(t, apitest.Config(db), posts(), favorites(), readers())
		bob := apitest.As(c, "bob")
		for _, step := range []struct {
			method, path string
			want         int
		}{
			{"PUT", "/api/posts/1/favorite/", 3}, {"PUT", "/api/posts/1/favorite/", 3}, {"DELETE", "/api/posts/1/favorite/", 3}, {"DELETE", "/api/posts/1/favorite/", 3},
			{"PUT", "/api/posts/1/star/", 2}, {"PUT", "/api/posts/1/star/", 2}, {"DELETE", "/api/posts/1/star/", 2}, {"PUT", "/api/posts/2/star/", 1},
		} {
			texts := slices.DeleteFunc(n.During(func() { bob.Do(step.method, step.path, nil) }), func(text string) bool {
				return strings.HasPrefix(text, "BEGIN") || strings.HasPrefix(text, "COMMIT") || strings.HasPrefix(text, "ROLLBACK")
			})
			if len(texts) != step.want {
				t.Errorf("%s %s takes %d statements, want %d: %q", step.method, step.path, len(texts), step.want, texts)
			}
			if len(texts) > 1 && step.method == "PUT" && (!strings.HasPrefix(texts[1], "INSERT") || !strings.Contains(texts[1], "ON CONFLICT")) {
				t.Errorf("the second statement is %s", texts[1])
			}
		}
	})
}

// TestIndexes: the doctor requires the unique index of the object and the caller, and finds it.
func TestIndexes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api, _ := apitest.Serve(t, apitest.Config(db), posts(), favorites(), readers())
		var needs []string
		for _, n := range api.Indexes() {
			if n.Unique {
				needs = append(needs, fmt.Sprint(n, " ", n.For))
			}
		}
		want := []string{
			`favorites (post_id, user_id) [posts: action "favorite"]`, `stars (post_id, user_id) [posts: action "star"]`, `watches (post_id, reader_id) [posts: action "watch"]`,
		}
		if !slices.Equal(needs, want) {
			t.Errorf("the unique indexes are %q; want %q", needs, want)
		}
		missing, err := api.MissingIndexes(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range missing {
			if n.Unique {
				t.Errorf("%s is reported as missing", n)
			}
		}
	})
}

// TestDocument: both operations are in the document, for signed-in users, and in the routes.
func TestDocument(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api, c := apitest.Serve(t, apitest.Config(db), posts(), favorites(), readers())
		text, err := api.Document("json")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			`"operationId":"putPostFavorite"`, `"operationId":"deletePostFavorite"`, `"operationId":"putPostStar"`, `"summary":"Favour a post"`, "For signed-in users",
		} {
			if !strings.Contains(compact(text), want) {
				t.Errorf("the document lacks %s", want)
			}
		}
		routes := map[string]string{}
		for _, r := range api.Routes() {
			routes[r.Method+" "+r.Path] = r.Permission + r.Writers
		}
		if routes["PUT /api/posts/{id}/favorite/"] != "authenticated" || routes["DELETE /api/posts/{id}/star/"] != "authenticated" {
			t.Errorf("the routes are %v", routes)
		}
		c.Do("OPTIONS", "/api/posts/1/favorite/", nil).Header("Allow", "PUT, DELETE, OPTIONS")
	})
}

func compact(text []byte) string {
	return strings.NewReplacer(`": "`, `":"`, "\n", "").Replace(string(text))
}

// TestMistakes: each wrong declaration is reported at start.
func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		name   string
		toggle framework.Action[Post]
		want   string
	}{
		{"an unknown relation", framework.Toggle[Post, framework.None]("x", "favourites", "user_id"), `posts: action "x": no relation "favourites" in Post; did you mean "favorites"?`},
		{"a relation to one row", framework.Toggle[Post, framework.None]("x", "writer", "id"), `posts: action "x": "writer" leads to one row; a toggle needs a has-many or a many-to-many relation`},
		{"an unknown column", framework.Toggle[Post, framework.None]("x", "favorites", "usr_id"), `posts: action "x": no field "usr_id" in Favorite; did you mean "user_id"?`},
		{"a column of another type", framework.Toggle[Post, framework.None]("x", "favorites", "weight"), `posts: action "x": Favorite.Weight is int64, but the ids of callers are uuid.UUID; name the column with the caller's id`},
		{"rows that are deleted softly", framework.Toggle[Post, framework.None]("x", "notes", "user_id"), `posts: action "x": the rows of "notes" are deleted softly, but a toggle deletes them; remove soft_delete from Note`},
		{"a column of the join table that does not lead on", framework.Toggle[Post, framework.None]("x", "watchers", "created_at"), `Watch.CreatedAt is time.Time, but the ids of callers are uuid.UUID`},
		{"a view of another viewset", framework.Toggle[Post, readerView]("x", "favorites", "user_id"), `posts: action "x": viewset "posts" has no view toggle_test.readerView; its views are: toggle_test.postView`},
		{"without a transaction", framework.Toggle[Post, framework.None]("x", "favorites", "user_id").Untransacted(), `posts: action "x": Untransacted is for functions; leave it out`},
		{"a name that is taken", framework.Toggle[Post, framework.None]("star", "favorites", "user_id"), `posts: action "star": it is declared twice for PUT`},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, db *sqldb.DB) {
				v := posts()
				v.Actions = append(v.Actions, test.toggle)
				apitest.Mistake(t, apitest.Config(db), test.want, v, favorites(), readers())
			})
		})
	}
}
