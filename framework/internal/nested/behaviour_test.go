package nested_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestStatements: below a parent, a list and a create need one statement more than a flat viewset of the
// same model, and every request for one row needs none more.
func TestStatements(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		flat := comments()
		flat.Parent, flat.Writers, flat.Collection, flat.Actions = framework.Parent{}, framework.Scope{}, nil, nil
		below := comments()
		below.Writers, below.Actions = framework.Scope{}, nil
		noted := framework.ViewSet[Page]{Name: "pages", Verbs: framework.CRUD[titleInput, pageView](), Scope: framework.Public()}
		piece, loose := parts(), parts()
		piece.Parent, loose.Parent = framework.Child("article", "articles"), framework.Parent{}
		_, client := apitest.Serve(t, config(db), articles(), below, flat, notebooks(), pages(), noted, piece, loose)
		counter := frameworktest.CountStatements(db)
		ann := apitest.As(client, "ann")
		for _, c := range []struct {
			name, method, flat, nested string
			body                       any
			more                       int
		}{
			{"a list", "GET", "comments/?min_score=1&size=100", "articles/go/comments/?size=100", nil, 1},
			{"a list below an owned row", "GET", "pages/?size=100", "notebooks/" + first + "/pages/?size=100", nil, 1},
			{"a row", "GET", "comments/1/", "articles/go/comments/1/", nil, 0},
			{"a row below an owned row", "GET", "pages/1/", "notebooks/" + first + "/pages/1/", nil, 0},
			{"a create", "POST", "parts/", "articles/go/parts/", part, 1},
			{"a replacement", "PUT", "comments/1/", "articles/go/comments/1/", comment, 0},
			{"a change", "PATCH", "comments/1/", "articles/go/comments/1/", comment, 0},
			{"a change below an owned row", "PATCH", "pages/1/", "notebooks/" + first + "/pages/1/", pageBody, 0},
			{"a removal", "DELETE", "comments/1/", "articles/go/comments/2/", nil, 0},
		} {
			t.Run(c.name, func(t *testing.T) {
				count := func(path string) []string {
					return queries(counter.During(func() {
						if status := ann.On(t).Do(c.method, "/api/"+path, c.body).Status(); status >= 300 {
							t.Errorf("%s %s is answered %d", c.method, path, status)
						}
					}))
				}
				without, below := count(c.flat), count(c.nested)
				if len(below) != len(without)+c.more {
					t.Errorf("a nested viewset needs\n%s\na flat one\n%s", strings.Join(below, "\n"), strings.Join(without, "\n"))
				}
			})
		}
	})
}

// queries leaves out what begins and ends a transaction.
func queries(statements []string) []string {
	return slices.DeleteFunc(statements, func(s string) bool {
		return strings.HasPrefix(s, "BEGIN") || strings.HasPrefix(s, "COMMIT")
	})
}

// TestAddresses: Location, the links of pages and the addresses in OPTIONS have the keys of the path.
func TestAddresses(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		insert(t, db, nil, &Article{ID: 7, Slug: "a b/ü", AuthorID: apitest.ID("ann")})
		_, client := apitest.Serve(t, config(db), resources()...)
		ann := apitest.As(client, "ann")
		for _, c := range []struct {
			below string
			body  any
		}{
			{"articles/go/comments/", comment}, {"articles/a%20b%2F%C3%BC/comments/", comment}, {"notebooks/" + first + "/pages/", pageBody},
			{"notebooks/" + first + "/pages/1/marks/", mark}, {"sheets/1/marks/", mark},
		} {
			t.Run(c.below, func(t *testing.T) {
				location := ann.On(t).Post("/api/"+c.below, c.body).Expect(201).Headers().Get("Location")
				if want := client.URL() + "/api/" + c.below; !strings.HasPrefix(location, want) || location == want {
					t.Fatalf("Location is %q", location)
				}
				ann.On(t).Get(strings.TrimPrefix(location, client.URL())).Expect(200).Contains("new")
			})
		}
		ann.Get("/api/articles/go/comments/?size=1&page=2").Expect(200).Contains(
			`"`+client.URL()+`/api/articles/go/comments/?page=3&size=1"`, `"`+client.URL()+`/api/articles/go/comments/?size=1"`)
		ann.Do("OPTIONS", "/api/articles/go/", nil).Expect(200).Contains(
			`"children":{"comments":"` + client.URL() + `/api/articles/go/comments/","parts":"` + client.URL() + `/api/articles/go/parts/"}`)
		ann.Do("OPTIONS", "/api/notebooks/"+first+"/pages/1/", nil).Expect(200).Contains(
			`"children":{"marks":"` + client.URL() + `/api/notebooks/` + first + `/pages/1/marks/"}`)
		for _, path := range []string{"/api/articles/", "/api/articles/go/comments/", "/api/articles/go/comments/1/"} {
			ann.Do("OPTIONS", path, nil).Expect(200).Lacks("children")
		}
	})
}

// remarking is an action on a page that creates a mark below the page.
func remarking() framework.Action[Page] {
	return framework.Post("remark", func(c *framework.Call, p *Page, in textInput) (markView, error) {
		m := &Mark{PageID: p.ID, Text: in.Text}
		err := framework.Insert(c, m)
		return markView{m.ID, in}, err
	}).Answers(http.StatusCreated)
}

// TestAddressOfARowBelow: an action on a row that creates a row below it answers with the address of the
// new row.
func TestAddressOfARowBelow(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		v, w := pages(), articles()
		v.Actions = []framework.Action[Page]{remarking()}
		w.Actions = []framework.Action[Article]{framework.Post("reply", func(c *framework.Call, a *Article, in commentInput) (commentView, error) {
			m := &Comment{ArticleID: a.ID, Text: in.Text}
			err := framework.Insert(c, m)
			return commentView{m.ID, in}, err
		}).ByReaders().Answers(http.StatusCreated)}
		_, client := apitest.Serve(t, config(db), notebooks(), v, marks(), w, comments())
		ann := apitest.As(client, "ann")
		for action, below := range map[string]string{
			"notebooks/" + first + "/pages/1/remark/": "notebooks/" + first + "/pages/1/marks/", "articles/go/reply/": "articles/go/comments/",
		} {
			location := ann.Post("/api/"+action, mark).Expect(201).Headers().Get("Location")
			if want := client.URL() + "/api/" + below; !strings.HasPrefix(location, want) || location == want {
				t.Fatalf("Location is %q", location)
			}
			ann.Get(strings.TrimPrefix(location, client.URL())).Expect(200).Contains("new")
		}
	})
}

// TestDeletedParent: below a row that is deleted softly, there is nothing any more, in no way to read.
func TestDeletedParent(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		wide := framework.ViewSet[Comment]{Name: "remarks", Verbs: framework.ReadOnly[commentView](), Scope: framework.Via("id", "articles/{}/comments")}
		_, client := apitest.Serve(t, config(db), append(resources(), wide)...)
		bob := apitest.As(client, "bob")
		bob.Get("/api/remarks/?size=100").Expect(200).Contains(`"count":4`, "four").Lacks("five", "six")
		apitest.As(client, "ann").Get("/api/remarks/?size=100").Expect(200).Contains(`"count":5`, "five").Lacks("six")
		apitest.As(client, "ann").Delete("/api/articles/sql/").Expect(204)
		bob.Get("/api/remarks/?size=100").Expect(200).Contains(`"count":3`).Lacks("four")
		bob.Get("/api/remarks/4/").Expect(404)
		for _, r := range []struct{ method, path string }{
			{"GET", ""}, {"GET", "4/"}, {"POST", ""}, {"PATCH", "4/"}, {"DELETE", "4/"}, {"POST", "4/raise/"}, {"GET", "total/"},
		} {
			bob.Do(r.method, "/api/articles/sql/comments/"+r.path, comment).Expect(404).Code("not_found")
		}
	})
}

// TestSafeRetries: an Idempotency-Key belongs to the parent too, and its answer is for callers that still
// see the parent.
func TestSafeRetries(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(t.Context(), nil, framework.Migrations()); err != nil {
			t.Fatal(err)
		}
		fill(t, db)
		_, client := apitest.Serve(t, config(db), resources()...)
		bob, body := apitest.As(client, "bob").With("Idempotency-Key", "k"), fields{"texts": []string{"x"}}
		bob.Post("/api/articles/go/comments/bulk/", body).Expect(200)
		bob.Post("/api/articles/go/comments/bulk/", body).Expect(200).Header("Idempotent-Replayed", "true")
		bob.Post("/api/articles/sql/comments/bulk/", body).Expect(422).Code("idempotency_key_reused")
		created := bob.Post("/api/articles/go/comments/", comment).Expect(201)
		if again := bob.Post("/api/articles/go/comments/", comment).Expect(201).Header("Idempotent-Replayed", "true"); again.Body() != created.Body() {
			t.Errorf("the repeated answer is %s; want %s", again.Body(), created.Body())
		}
		bob.Post("/api/articles/sql/comments/", comment).Expect(422).Code("idempotency_key_reused")
		bob.With("Idempotency-Key", "other").Post("/api/articles/none/comments/bulk/", body).Expect(404)
		apitest.As(client, "bob").Get("/api/articles/go/comments/?text=x").Expect(200).Contains(`"count":1`)
		apitest.As(client, "ann").Patch("/api/articles/go/", fields{"hidden": true}).Expect(200)
		bob.Post("/api/articles/go/comments/bulk/", body).Expect(404)
	})
}

// TestParentPermission: a caller also needs the permission to retrieve the parent, for each request.
func TestParentPermission(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		v := articles()
		v.Verbs.Retrieve = v.Verbs.Retrieve.Permit(framework.Staff())
		api, client := apitest.Serve(t, config(db), v, comments(), parts())
		for caller, want := range map[string]int{"": 401, "bob": 403, "staff": 200} {
			apitest.As(client, caller).Get("/api/articles/").Expect(200)
			apitest.As(client, caller).Get("/api/articles/go/comments/").Expect(want)
			apitest.As(client, caller).Get("/api/articles/go/comments/1/").Expect(want)
			apitest.As(client, caller).Do("OPTIONS", "/api/articles/go/comments/", nil).Expect(want)
			apitest.As(client, caller).Do("OPTIONS", "/api/articles/go/", nil).Expect(200).Contains(map[bool]string{true: `"children"`, false: `"actions"`}[want == 200])
		}
		for _, route := range api.Access(nil, &framework.Caller{ID: apitest.ID("bob")}, &framework.Caller{ID: apitest.ID("staff"), Staff: true}) {
			if !strings.Contains(route.Path, "/comments/") {
				continue
			}
			for i, refused := range []bool{true, true, false} {
				if (route.Access[i] == framework.AccessRefused) != refused {
					t.Errorf("%s %s: %v", route.Method, route.Path, route.Access)
				}
			}
		}
	})
}

// TestNeededPermission: the 403 and the OpenAPI document name what retrieving the parent requires, not what
// writing it requires.
func TestNeededPermission(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		for _, c := range []struct {
			above         framework.Permission
			list, created string
			needs         string // of a create, in the 403
		}{
			{framework.PerModel("articles"), "", "comments.add", `permission \"comments.add\"`},
			{framework.OrReadOnly(framework.PerModel("articles")), "", "comments.add", `permission \"comments.add\"`},
			{framework.HoldsModel("articles"), "articles.view", "(comments.add and articles.view)", `permissions \"comments.add\" and \"articles.view\"`},
		} {
			v, w := articles(), comments()
			v.Permission, w.Permission = c.above, framework.PerModel("comments")
			_, client := apitest.Serve(t, config(db), v, w, parts())
			bob := apitest.As(client, "bob")
			bob.Post("/api/articles/go/comments/", comment).Expect(403).Contains("it needs the " + c.needs + ".")
			described := bob.Get("/api/openapi.json").Expect(200).Contains("Permission: " + c.created + ".")
			if c.list == "" {
				bob.Get("/api/articles/go/comments/").Expect(200)
				described.Lacks("comments.add and ")
				continue
			}
			bob.Get("/api/articles/go/comments/").Expect(403).Contains(c.list).Lacks("comments.view")
		}
	})
}

// TestFillsAndFunctions: a function of Fills and of Does gets the key of the parent.
func TestFillsAndFunctions(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		v := comments()
		v.Actions, v.Collection = nil, nil
		v.Verbs.Create = framework.Fills[commentView](func(c *framework.Call, m *Comment, in commentInput) error {
			key, err := framework.ParentKey[int64](c)
			m.Text = fmt.Sprint(in.Text, " of ", key, " and ", m.ArticleID)
			return err
		})
		w := parts()
		w.Verbs.Create = framework.Does(func(c *framework.Call, in nameInput) (partView, error) {
			p := &Part{Name: in.Name}
			if _, err := framework.ParentKey[string](c); err == nil {
				return partView{}, framework.Refuse(http.StatusInternalServerError, "internal", "the key has two types")
			}
			err := framework.Insert(c, p)
			return partView{p.ID, in}, err
		})
		_, client := apitest.Serve(t, config(db), articles(), v, w)
		apitest.As(client, "bob").Post("/api/articles/sql/comments/", comment).Expect(201).Contains("new of 2 and 2")
		location := apitest.As(client, "ann").Post("/api/articles/sql/parts/", part).Expect(201).Headers().Get("Location")
		if !strings.HasPrefix(location, client.URL()+"/api/articles/sql/parts/") {
			t.Errorf("Location is %q", location)
		}
		apitest.As(client, "bob").Post("/api/articles/sql/parts/", part).Expect(403).Code("not_yours")
		apitest.As(client, "").Get("/api/articles/sql/parts/").Expect(200).Contains(`"count":1`)
	})
}

// TestConcurrentDelete: while a child is added, its parent is deleted. Each answer is one of the
// documented ones, and no child is left without a parent, although no foreign key of the database
// prevents it. The function deletes the parent before its children: that waits for every request which adds
// one. FOR UPDATE, which locks the parent for the function, does not always: PostgreSQL may grant FOR KEY SHARE beside
// it to a request of the same moment.
func TestConcurrentDelete(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		for _, statement := range []string{
			`CREATE TABLE boards (` + map[bool]string{true: "id TEXT PRIMARY KEY", false: "id uuid PRIMARY KEY"}[db.Kind() == sqldb.SQLite] + `, title TEXT NOT NULL)`,
			`CREATE TABLE posts (` + map[bool]string{true: "id TEXT PRIMARY KEY, board_id TEXT NOT NULL", false: "id uuid PRIMARY KEY, board_id uuid NOT NULL"}[db.Kind() == sqldb.SQLite] + `, title TEXT NOT NULL)`,
		} {
			if _, err := db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		boards := framework.ViewSet[Board]{Name: "boards", Verbs: framework.CRUD[titleInput, boardView](), Scope: framework.Public()}
		posts := framework.ViewSet[Post]{Name: "posts", Parent: framework.Child("board", "boards"), Verbs: framework.CRUD[titleInput, boardView](), Scope: framework.Public()}
		removed := func(c *framework.Call, b *Board, _ framework.None) (framework.None, error) { // with its posts, after it
			_, err := c.DB.NewDelete().Model(b).WherePK().Exec(c)
			if err == nil {
				_, err = c.DB.NewDelete().Model((*Post)(nil)).Where("board_id = ?", b.ID).Exec(c)
			}
			return framework.None{}, err
		}
		boards.Actions = []framework.Action[Board]{framework.Post("remove", removed)}
		_, client := apitest.Serve(t, config(db), boards, posts)
		for range 10 {
			var made struct{ ID uuid.UUID }
			client.Post("/api/boards/", pageBody).Expect(201).JSON(&made)
			at := "/api/boards/" + made.ID.String() + "/"
			statuses := make([]int, 8)
			var wg sync.WaitGroup
			for i := range statuses {
				wg.Go(func() {
					if i == 4 {
						client.Post(at+"remove/", nil).Expect(204)
						return
					}
					statuses[i] = client.Post(at+"posts/", pageBody).Status()
				})
			}
			wg.Wait()
			for _, status := range statuses {
				if status != 0 && status != 201 && status != 404 {
					t.Errorf("a post below a board that is deleted is answered %d", status)
				}
			}
			var orphans int
			if err := db.NewRaw("SELECT count(*) FROM posts WHERE board_id NOT IN (SELECT id FROM boards)").Scan(t.Context(), &orphans); err != nil || orphans > 0 {
				t.Fatalf("%d posts have no board, error %v; the posts were answered %v", orphans, err, statuses)
			}
		}
	})
}

type Board struct {
	bun.BaseModel `bun:"table:boards"`

	ID    uuid.UUID `bun:",pk,type:uuid"`
	Title string
}

type Post struct {
	bun.BaseModel `bun:"table:posts"`

	ID      uuid.UUID `bun:",pk,type:uuid"`
	BoardID uuid.UUID `bun:"type:uuid"`
	Title   string

	Board *Board `bun:"rel:belongs-to,join:board_id=id"`
}

type boardView struct {
	ID uuid.UUID `json:"id"`
	titleInput
}
