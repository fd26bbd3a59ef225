package nested_test

import (
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// The callers of the table: Ann, Bob, Eve, who owns nothing, and an anonymous one.
var callers = []string{"ann", "bob", "eve", ""}

// A request is sent by each caller, to fresh rows.
type request struct {
	name, method, path string
	body               any
	want               [4]int // the status for each of callers
	has, lacks         string // texts of a success, separated by spaces
}

func same(status int) [4]int { return [4]int{status, status, status, status} }

var (
	onlyAnn  = func(status int) [4]int { return [4]int{status, 404, 404, 404} }
	onlyBob  = func(status int) [4]int { return [4]int{404, status, 404, 404} }
	author   = func(status int) [4]int { return [4]int{status, 403, 403, 401} }
	known    = func(status int) [4]int { return [4]int{status, status, status, 401} }
	comment  = fields{"text": "new", "score": 7}
	part     = fields{"name": "new"}
	pageBody = fields{"title": "new"}
	mark     = fields{"text": "new"}
)

var requests = []request{
	{"a list", "GET", "articles/go/comments/", nil, same(200), `"count":3 one two`, "three four"},
	{"a list below another row", "GET", "articles/sql/comments/", nil, same(200), `"count":1 four`, "one"},
	{"a list below a row that only its author sees", "GET", "articles/secret/comments/", nil, onlyAnn(200), "five", ""},
	{"a list below a deleted row", "GET", "articles/gone/comments/", nil, same(404), "", ""},
	{"a list below no row", "GET", "articles/none/comments/", nil, same(404), "", ""},
	{"the headers of a list", "HEAD", "articles/go/comments/", nil, same(200), "", ""},
	{"the headers of a list below no row", "HEAD", "articles/none/comments/", nil, same(404), "", ""},
	{"the second page", "GET", "articles/go/comments/?page=2", nil, same(200), "three", "one four"},
	{"a page of one row", "GET", "articles/go/comments/?size=1&page=2", nil, same(200), "two", "one three"},
	{"a filter", "GET", "articles/go/comments/?min_score=2", nil, same(200), `"count":2 two three`, "one four"},
	{"a filter by a text of another row's child", "GET", "articles/go/comments/?text=four", nil, same(200), `"count":0`, "four"},
	{"a search", "GET", "articles/go/comments/?search=thr", nil, same(200), `"count":1 three`, "one"},
	{"a search that only another row's child has", "GET", "articles/go/comments/?search=fou", nil, same(200), `"count":0`, ""},
	{"an order", "GET", "articles/go/comments/?ordering=-score", nil, same(200), "three two", "one"},
	{"a filter below no row", "GET", "articles/none/comments/?min_score=2", nil, same(404), "", ""},
	{"a row", "GET", "articles/go/comments/1/", nil, same(200), "one", ""},
	{"the headers of a row", "HEAD", "articles/go/comments/1/", nil, same(200), "", ""},
	{"another row's child", "GET", "articles/sql/comments/1/", nil, same(404), "", ""},
	{"a child of a row that only its author sees", "GET", "articles/secret/comments/5/", nil, onlyAnn(200), "five", ""},
	{"a child of a deleted row", "GET", "articles/gone/comments/6/", nil, same(404), "", ""},
	{"a child of no row", "GET", "articles/none/comments/1/", nil, same(404), "", ""},
	{"no child", "GET", "articles/go/comments/99/", nil, same(404), "", ""},
	{"a child by a key of another type", "GET", "articles/go/comments/x/", nil, same(404), "", ""},
	{"what a path takes", "OPTIONS", "articles/go/comments/", nil, same(200), "POST", ""},
	{"what a path takes below a hidden row", "OPTIONS", "articles/secret/comments/", nil, onlyAnn(200), "POST", ""},
	{"what a path takes below no row", "OPTIONS", "articles/none/comments/1/", nil, same(404), "", ""},
	{"what the path of another row's child takes", "OPTIONS", "articles/sql/comments/1/", nil, same(200), "PATCH", "one"},
	{"what the path of no child takes", "OPTIONS", "articles/go/comments/99/", nil, same(200), "PATCH", ""},
	{"a method that is not offered", "PUT", "articles/go/comments/", comment, same(405), "", ""},

	{"a new child", "POST", "articles/go/comments/", comment, known(201), "new", ""},
	{"a new child of a hidden row", "POST", "articles/secret/comments/", comment, onlyAnn(201), "new", ""},
	{"a new child of a deleted row", "POST", "articles/gone/comments/", comment, same(404), "", ""},
	{"a new child of no row", "POST", "articles/none/comments/", comment, same(404), "", ""},
	{"a new child with a fault", "POST", "articles/go/comments/", fields{"text": ""}, same(400), "", ""},
	{"a replacement", "PUT", "articles/go/comments/1/", comment, author(200), "new", ""},
	{"a replacement below another row", "PUT", "articles/sql/comments/1/", comment, same(404), "", ""},
	{"a replacement below no row", "PUT", "articles/none/comments/1/", comment, same(404), "", ""},
	{"a replacement below a hidden row, by its author", "PUT", "articles/secret/comments/5/", comment, [4]int{403, 404, 404, 404}, "", ""},
	{"a change", "PATCH", "articles/go/comments/1/", fields{"score": 9}, author(200), `"score":9`, ""},
	{"a change of nothing", "PATCH", "articles/go/comments/1/", fields{}, author(200), "one", ""},
	{"a change that names another parent", "PATCH", "articles/go/comments/1/", fields{"article": 2, "article_id": 2, "score": 9}, author(200), `"score":9`, ""},
	{"a change below another row", "PATCH", "articles/sql/comments/1/", fields{"score": 9}, same(404), "", ""},
	{"a change below a deleted row", "PATCH", "articles/gone/comments/6/", fields{"score": 9}, same(404), "", ""},
	{"a removal", "DELETE", "articles/go/comments/1/", nil, author(204), "", ""},
	{"a removal below another row", "DELETE", "articles/sql/comments/1/", nil, same(404), "", ""},
	{"a removal below no row", "DELETE", "articles/none/comments/1/", nil, same(404), "", ""},
	{"a removal below a deleted row", "DELETE", "articles/gone/comments/6/", nil, same(404), "", ""},

	{"an action of readers", "POST", "articles/go/comments/1/raise/", nil, same(200), `"score":2`, ""},
	{"an action of readers below another row", "POST", "articles/sql/comments/1/raise/", nil, same(404), "", ""},
	{"an action of readers below a hidden row", "POST", "articles/secret/comments/5/raise/", nil, onlyAnn(200), "five", ""},
	{"an action of writers", "POST", "articles/go/comments/1/lower/", nil, author(200), "one", ""},
	{"an action that reads", "GET", "articles/go/comments/1/look/", nil, same(200), "one", ""},
	{"an action that reads below another row", "GET", "articles/sql/comments/1/look/", nil, same(404), "", ""},
	{"an action on the collection", "POST", "articles/go/comments/bulk/", fields{"texts": []string{"x", "y"}}, known(200), `"comments":2 "article":1`, ""},
	{"an action on the collection below a hidden row", "POST", "articles/secret/comments/bulk/", fields{"texts": []string{"x"}}, onlyAnn(200), `"article":3`, ""},
	{"an action on the collection below no row", "POST", "articles/none/comments/bulk/", fields{"texts": []string{"x"}}, same(404), "", ""},
	{"an action on the collection that reads", "GET", "articles/go/comments/total/", nil, same(200), `"comments":3`, ""},
	{"an action that reads below a deleted row", "GET", "articles/gone/comments/total/", nil, same(404), "", ""},

	{"the parts", "GET", "articles/go/parts/", nil, same(200), `"a"`, `"b"`},
	{"a new part, by writers of the article", "POST", "articles/go/parts/", part, author(201), "new", ""},
	{"a new part of a hidden article", "POST", "articles/secret/parts/", part, onlyAnn(201), "new", ""},
	{"a new part of no article", "POST", "articles/none/parts/", part, same(404), "", ""},
	{"a replaced part", "PUT", "articles/go/parts/1/", part, author(200), "new", ""},
	{"a changed part", "PATCH", "articles/go/parts/1/", part, author(200), "new", ""},
	{"a changed part of another article", "PATCH", "articles/sql/parts/1/", part, same(404), "", ""},
	{"a removed part", "DELETE", "articles/go/parts/1/", nil, author(204), "", ""},
	{"a removed part of another article", "DELETE", "articles/sql/parts/1/", nil, same(404), "", ""},

	{"the pages of Ann's notebook", "GET", "notebooks/" + first + "/pages/", nil, onlyAnn(200), "p1 p3", "p2"},
	{"a page of Ann's notebook", "GET", "notebooks/" + first + "/pages/1/", nil, onlyAnn(200), "p1", ""},
	{"a page of Bob's notebook", "GET", "notebooks/" + second + "/pages/2/", nil, onlyBob(200), "p2", ""},
	{"a page of Bob's notebook in Ann's", "GET", "notebooks/" + first + "/pages/2/", nil, same(404), "", ""},
	{"a new page", "POST", "notebooks/" + first + "/pages/", pageBody, onlyAnn(201), "new", ""},
	{"a replaced page", "PUT", "notebooks/" + first + "/pages/1/", pageBody, onlyAnn(200), "new", ""},
	{"a removed page", "DELETE", "notebooks/" + first + "/pages/1/", nil, onlyAnn(204), "", ""},
	{"pages of no notebook", "GET", "notebooks/" + none + "/pages/", nil, same(404), "", ""},
	{"pages of a notebook with a key of another type", "GET", "notebooks/1/pages/", nil, same(404), "", ""},
	{"a removed notebook with pages", "DELETE", "notebooks/" + first + "/", nil, [4]int{409, 404, 404, 404}, "", ""},

	{"marks, two levels deep", "GET", "notebooks/" + first + "/pages/1/marks/", nil, onlyAnn(200), "m1", "m2 m3"},
	{"a mark", "GET", "notebooks/" + first + "/pages/1/marks/1/", nil, onlyAnn(200), "m1", ""},
	{"a mark of another page of the notebook", "GET", "notebooks/" + first + "/pages/3/marks/1/", nil, same(404), "", ""},
	{"a mark by a page of another notebook", "GET", "notebooks/" + first + "/pages/2/marks/2/", nil, same(404), "", ""},
	{"marks of a page of another notebook", "GET", "notebooks/" + second + "/pages/1/marks/", nil, same(404), "", ""},
	{"a new mark", "POST", "notebooks/" + first + "/pages/1/marks/", mark, onlyAnn(201), "new", ""},
	{"a new mark of a page of another notebook", "POST", "notebooks/" + second + "/pages/1/marks/", mark, same(404), "", ""},
	{"a replaced mark", "PUT", "notebooks/" + first + "/pages/1/marks/1/", mark, onlyAnn(200), "new", ""},
	{"a removed mark", "DELETE", "notebooks/" + first + "/pages/1/marks/1/", nil, onlyAnn(204), "", ""},
	{"a removed mark by a page of another notebook", "DELETE", "notebooks/" + second + "/pages/1/marks/1/", nil, same(404), "", ""},

	{"marks below a parent with a Via", "GET", "sheets/1/marks/", nil, onlyAnn(200), "m1", "m2"},
	{"a mark below a parent with a Via", "GET", "sheets/2/marks/2/", nil, onlyBob(200), "m2", ""},
	{"a new mark below a parent with a Via", "POST", "sheets/1/marks/", mark, onlyAnn(201), "new", ""},
	{"a changed mark below a parent with a Via", "PATCH", "sheets/2/marks/2/", mark, onlyBob(200), "new", ""},
	{"a removed mark below another parent with a Via", "DELETE", "sheets/1/marks/2/", nil, same(404), "", ""},

	{"comments in the view of their article", "GET", "articles/go/", nil, same(200), `three two "number":3`, "four"},
	{"a filter of articles by the text of a comment", "GET", "articles/?with=four", nil, same(200), `"sql"`, `"go"`},
	{"a filter of articles by a comment of a deleted article", "GET", "articles/?with=six", nil, same(200), `"count":0`, ""},
	{"what is below an article is not in the root", "GET", "", nil, same(200), "articles notebooks sheets", "comments pages marks"},
}

// TestRequests: each request by each caller, and no rejected request changes a row.
func TestRequests(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, client := apitest.Serve(t, config(db), resources()...)
		for _, r := range requests {
			t.Run(r.name, func(t *testing.T) {
				for i, caller := range callers {
					fill(t, db)
					before := contents(t, db)
					answer := apitest.As(client.On(t), caller).Do(r.method, "/api/"+r.path, r.body).Expect(r.want[i])
					if r.want[i] < 300 {
						answer.Contains(strings.Fields(r.has)...).Lacks(strings.Fields(r.lacks)...)
					}
					if after := contents(t, db); (r.want[i] >= 300 || r.method == http.MethodGet) && before != after {
						t.Errorf("%s changed the rows for %q from\n%s to\n%s", r.name, caller, before, after)
					}
				}
			})
		}
	})
}

// contents lists the rows of the nested viewsets.
func contents(t *testing.T, db *sqldb.DB) string {
	t.Helper()
	var all []string
	err := db.NewRaw(`
SELECT 'comment ' || id || ' of ' || article_id || ': ' || text || ' ' || score AS row FROM comments
UNION SELECT 'part ' || id || ' of ' || article_id || ': ' || name FROM parts
UNION SELECT 'page ' || id || ' of ' || notebook_id || ': ' || title FROM pages
UNION SELECT 'mark ' || id || ' of ' || page_id || ': ' || text FROM marks ORDER BY 1`).Scan(t.Context(), &all)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

// TestUnseenParent: a parent that the caller does not see is answered as one that does not exist, byte
// for byte.
func TestUnseenParent(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		_, client := apitest.Serve(t, config(db), resources()...)
		for _, r := range []struct {
			method, below string
			body          any
		}{
			{"GET", "", nil},
			{"POST", "", comment},
			{"POST", "", fields{"text": ""}},
			{"POST", "bulk/", fields{"texts": []string{"x"}}},
			{"GET", "total/", nil},
			{"GET", "5/", nil},
			{"PUT", "5/", comment},
			{"PUT", "5/", fields{"text": ""}},
			{"PATCH", "5/", comment},
			{"DELETE", "5/", nil},
			{"POST", "5/raise/", nil},
			{"POST", "5/lower/", nil},
			{"OPTIONS", "", nil},
		} {
			t.Run(r.method+" "+r.below, func(t *testing.T) {
				for _, caller := range callers[1:] {
					c := apitest.As(client.On(t), caller)
					unknown := withoutID(c.Do(r.method, "/api/articles/none/comments/"+r.below, r.body))
					for _, parent := range []string{"secret", "gone"} {
						if got := withoutID(c.Do(r.method, "/api/articles/"+parent+"/comments/"+r.below, r.body)); got != unknown {
							t.Errorf("below %s, %q gets\n%s\nbelow no row\n%s", parent, caller, got, unknown)
						}
					}
				}
			})
		}
	})
}

// withoutID is an answer without the id of its request.
func withoutID(r *frameworktest.Response) string {
	header := r.Headers().Clone()
	id := header.Get("X-Request-Id")
	header.Del("X-Request-Id")
	header.Del("Date")
	var text strings.Builder
	_ = header.Write(&text)
	return strings.ReplaceAll(http.StatusText(r.Status())+"\n"+text.String()+r.Body(), id, "ID")
}
