package page_test

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// Every class keeps what framework.Pagination promises.
func TestConformance(t *testing.T) {
	for name, class := range map[string]framework.Pagination{
		"numbers":                      page.Number{},
		"numbers of three":             page.Number{Size: 3},
		"numbers of one":               page.Number{Size: 1},
		"numbers of a chosen size":     page.Number{Size: 4, SizeParam: "page_size", MaxSize: 7},
		"numbers without a count":      page.Number{Size: 3, Count: framework.NoCount()},
		"numbers with a capped count":  page.Number{Size: 3, Count: framework.CappedCount(2)},
		"numbers with a rough count":   page.Number{Size: 3, Count: framework.EstimatedCount()},
		"offsets":                      page.Offset{},
		"offsets of three":             page.Offset{Size: 3, MaxSize: 5},
		"offsets without a count":      page.Offset{Size: 3, Count: framework.NoCount()},
		"screens":                      page.Screen{},
		"screens of three":             page.Screen{Size: 3},
		"cursors":                      page.Cursor{},
		"cursors of three":             page.Cursor{Size: 3, SizeParam: "size", MaxSize: 5},
		"a bare array":                 page.Bare{},
		"a bare array of three":        page.Bare{Max: 3},
		"an envelope of one's own":     Feed{},
		"a pointer to a class of ours": &page.Number{Size: 5},
	} {
		t.Run(name, func(t *testing.T) { frameworktest.TestPagination(t, class) })
	}
}

// A place is what these tests list, in the order of its number.
type place struct {
	bun.BaseModel `bun:"table:places"`

	Number int64 `bun:",pk"`
	Kind   string
}

type placeView struct {
	Number int64  `json:"n"`
	Kind   string `json:"kind"`
}

// kind is a filter, whose parameter links must keep.
type kind struct{}

func (kind) Bind(f *framework.Facts) (framework.BoundFilter, error) {
	field, err := f.Field("kind")
	return framework.BoundFilter{Params: []framework.Param{{Name: "kind"}}, Read: func(_ *framework.Call, v framework.Values) (framework.Narrow, error) {
		if v["kind"] == "wrong" {
			return nil, framework.InvalidParameter("kind", "must not be wrong")
		}
		return func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("? = ?", field.Ident(), sqldb.Param(v["kind"]))
		}, nil
	}}, err
}

// classes are served at /api/{name}/ over the same places.
func classes() map[string]framework.Pagination {
	return map[string]framework.Pagination{
		"number":     page.Number{Size: 2},
		"sized":      page.Number{Size: 2, SizeParam: "page_size", MaxSize: 4},
		"default":    page.Number{SizeParam: "page_size"},
		"uncounted":  page.Number{Size: 2, Count: framework.NoCount()},
		"capped":     page.Number{Size: 2, Count: framework.CappedCount(3)},
		"roughly":    page.Number{Size: 2, Count: framework.EstimatedCount()},
		"offset":     page.Offset{Size: 2, MaxSize: 4},
		"offset-cap": page.Offset{Size: 2, Count: framework.CappedCount(3)},
		"screen":     page.Screen{Size: 2, MaxSize: 4},
		"bare":       page.Bare{Max: 3},
	}
}

// serve lists five places of the kind "inn", numbered 1 to 5, and no others.
func serve(t *testing.T, db *sqldb.DB) *frameworktest.Client {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE places (number bigint PRIMARY KEY, kind text NOT NULL)"); err != nil {
		t.Fatal(err)
	}
	places := make([]place, 5)
	for i := range places {
		places[i] = place{Number: int64(i + 1), Kind: "inn"}
	}
	if _, err := db.NewInsert().Model(&places).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	api := framework.New(framework.Config{DB: db, Permission: framework.Anyone(), PublicURL: "https://example.org"})
	for name, class := range classes() {
		api.Register(framework.ViewSet[place]{
			Name: name, Verbs: framework.Verbs{List: framework.Shows[placeView]()}, Scope: framework.Public(),
			Filters: []framework.Filter{kind{}}, Pagination: class,
		})
	}
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return frameworktest.New(t, handler)
}

func TestPages(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		c := serve(t, db)
		for name, cases := range map[string]map[string]string{
			"by number": byNumber, "by number, of a chosen size": bySize, "by number, counted otherwise": byCounting,
			"by offset": byOffset, "by screen": byScreen, "bare": bare,
		} {
			t.Run(name, func(t *testing.T) {
				for path, want := range cases {
					check(t, c, path, want)
				}
			})
		}
	})
}

// check compares an answer in short: the members with links without their
// host and rows as their numbers, or the status and the parameters at fault.
func check(t *testing.T, c *frameworktest.Client, path, want string) {
	t.Helper()
	got := short(c.On(t).Get("/api/" + path))
	if got != want {
		t.Errorf("/api/%s\n got %s\nwant %s", path, got, want)
	}
}

func short(r *frameworktest.Response) string {
	if r.Status() != 200 {
		words := []string{strconv.Itoa(r.Status())}
		for _, name := range []string{"page", "page_size", "limit", "offset", "kind"} {
			if strings.Contains(r.Body(), `"parameter":"`+name+`"`) {
				words = append(words, name)
			}
		}
		return strings.Join(words, " ")
	}
	text := strings.ReplaceAll(r.Body(), "https://example.org/api/", "")
	return regexp.MustCompile(`{"n":(\d),"kind":"inn"}`).ReplaceAllString(text, "$1")
}

var byNumber = map[string]string{
	"number/":                          `{"count":5,"next":"number/?page=2","previous":null,"results":[1,2]}`,
	"number/?page=1":                   `{"count":5,"next":"number/?page=2","previous":null,"results":[1,2]}`,
	"number/?page=":                    `{"count":5,"next":"number/?page=2","previous":null,"results":[1,2]}`,
	"number/?page=2":                   `{"count":5,"next":"number/?page=3","previous":"number/","results":[3,4]}`,
	"number/?page=3":                   `{"count":5,"next":null,"previous":"number/?page=2","results":[5]}`,
	"number/?page=2&kind=inn":          `{"count":5,"next":"number/?kind=inn&page=3","previous":"number/?kind=inn","results":[3,4]}`,
	"number/?page=2&other=a%26b":       `{"count":5,"next":"number/?other=a%26b&page=3","previous":"number/?other=a%26b","results":[3,4]}`,
	"number/?kind=pub":                 `{"count":0,"next":null,"previous":null,"results":[]}`,
	"number/?kind=pub&page=1":          `{"count":0,"next":null,"previous":null,"results":[]}`,
	"number/?kind=pub&page=2":          `404`,
	"number/?page=4":                   `404`,
	"number/?page=0":                   `404 page`,
	"number/?page=-1":                  `404 page`,
	"number/?page=%2B1":                `404 page`,
	"number/?page=1.0":                 `404 page`,
	"number/?page=last":                `404 page`,
	"number/?page=two":                 `404 page`,
	"number/?page=9223372036854775807": `404`,
	"number/?page=4611686018427387904": `404`,
	"number/?page=9223372036854775808": `404 page`,
	"number/?page=1&page=2":            `400 page`,
	"number/?kind=wrong&page=0":        `400 kind`,
	"number/?page=1&page_size=4":       `{"count":5,"next":"number/?page=2&page_size=4","previous":null,"results":[1,2]}`,
}

var bySize = map[string]string{
	"sized/":                                      `{"count":5,"next":"sized/?page=2","previous":null,"results":[1,2]}`,
	"sized/?page_size=3":                          `{"count":5,"next":"sized/?page=2&page_size=3","previous":null,"results":[1,2,3]}`,
	"sized/?page_size=3&page=2":                   `{"count":5,"next":null,"previous":"sized/?page_size=3","results":[4,5]}`,
	"sized/?page_size=4&page=2":                   `{"count":5,"next":null,"previous":"sized/?page_size=4","results":[5]}`,
	"sized/?page_size=99":                         `{"count":5,"next":"sized/?page=2&page_size=99","previous":null,"results":[1,2,3,4]}`,
	"sized/?page_size=0":                          `400 page_size`,
	"sized/?page_size=-3":                         `400 page_size`,
	"sized/?page_size=many":                       `400 page_size`,
	"sized/?page=9223372036854775807&page_size=4": `404`,
	"sized/?page=0&page_size=0":                   `400 page_size`,
	"default/":                                    `{"count":5,"next":null,"previous":null,"results":[1,2,3,4,5]}`,
	"default/?page_size=9223372036854775807":      `{"count":5,"next":null,"previous":null,"results":[1,2,3,4,5]}`,
}

var byCounting = map[string]string{
	"uncounted/":          `{"count":null,"next":"uncounted/?page=2","previous":null,"results":[1,2]}`,
	"uncounted/?page=3":   `{"count":null,"next":null,"previous":"uncounted/?page=2","results":[5]}`,
	"uncounted/?page=4":   `404`,
	"uncounted/?kind=pub": `{"count":null,"next":null,"previous":null,"results":[]}`,
	"capped/":             `{"count":3,"count_is":"at_least","next":"capped/?page=2","previous":null,"results":[1,2]}`,
	"capped/?page=2":      `{"count":5,"count_is":"at_least","next":"capped/?page=3","previous":"capped/","results":[3,4]}`,
	"capped/?page=3":      `{"count":5,"count_is":"exact","next":null,"previous":"capped/?page=2","results":[5]}`,
	"capped/?kind=pub":    `{"count":0,"count_is":"exact","next":null,"previous":null,"results":[]}`,
	"roughly/?page=3":     `{"count":5,"count_is":"exact","next":null,"previous":"roughly/?page=2","results":[5]}`,
}

var byOffset = map[string]string{
	"offset/":                            `{"count":5,"next":"offset/?limit=2&offset=2","previous":null,"results":[1,2]}`,
	"offset/?limit=&offset=":             `{"count":5,"next":"offset/?limit=2&offset=2","previous":null,"results":[1,2]}`,
	"offset/?offset=2":                   `{"count":5,"next":"offset/?limit=2&offset=4","previous":"offset/?limit=2","results":[3,4]}`,
	"offset/?offset=1&kind=inn":          `{"count":5,"next":"offset/?kind=inn&limit=2&offset=3","previous":"offset/?kind=inn&limit=2","results":[2,3]}`,
	"offset/?offset=4&limit=3":           `{"count":5,"next":null,"previous":"offset/?limit=3&offset=1","results":[5]}`,
	"offset/?limit=99":                   `{"count":5,"next":"offset/?limit=4&offset=4","previous":null,"results":[1,2,3,4]}`,
	"offset/?limit=9223372036854775807":  `{"count":5,"next":"offset/?limit=4&offset=4","previous":null,"results":[1,2,3,4]}`,
	"offset/?offset=5":                   `{"count":5,"next":null,"previous":"offset/?limit=2&offset=3","results":[]}`,
	"offset/?offset=9223372036854775807": `{"count":5,"next":null,"previous":"offset/?limit=2&offset=4611686018427387901","results":[]}`,
	"offset/?kind=pub":                   `{"count":0,"next":null,"previous":null,"results":[]}`,
	"offset/?limit=0":                    `400 limit`,
	"offset/?limit=-1":                   `400 limit`,
	"offset/?limit=all":                  `400 limit`,
	"offset/?limit=9223372036854775808":  `400 limit`,
	"offset/?offset=-1":                  `400 offset`,
	"offset/?offset=1e3":                 `400 offset`,
	"offset/?limit=0&offset=-1":          `400 limit offset`,
	"offset-cap/":                        `{"count":3,"count_is":"at_least","next":"offset-cap/?limit=2&offset=2","previous":null,"results":[1,2]}`,
}

var byScreen = map[string]string{
	"screen/":                          `{"items":[1,2],"page":1,"limit":2,"total":5,"totalPages":3,"hasNext":true}`,
	"screen/?page=3":                   `{"items":[5],"page":3,"limit":2,"total":5,"totalPages":3,"hasNext":false}`,
	"screen/?page=2&limit=3":           `{"items":[4,5],"page":2,"limit":3,"total":5,"totalPages":2,"hasNext":false}`,
	"screen/?limit=99":                 `{"items":[1,2,3,4],"page":1,"limit":4,"total":5,"totalPages":2,"hasNext":true}`,
	"screen/?page=4":                   `{"items":[],"page":4,"limit":2,"total":5,"totalPages":3,"hasNext":false}`,
	"screen/?page=9223372036854775807": `{"items":[],"page":9223372036854775807,"limit":2,"total":5,"totalPages":3,"hasNext":false}`,
	"screen/?kind=pub":                 `{"items":[],"page":1,"limit":2,"total":0,"totalPages":0,"hasNext":false}`,
	"screen/?kind=pub&page=7":          `{"items":[],"page":7,"limit":2,"total":0,"totalPages":0,"hasNext":false}`,
	"screen/?page=0":                   `400 page`,
	"screen/?page=-1":                  `400 page`,
	"screen/?page=one":                 `400 page`,
	"screen/?page=9223372036854775808": `400 page`,
	"screen/?limit=0":                  `400 limit`,
	"screen/?limit=1.5":                `400 limit`,
	"screen/?page=0&limit=0":           `400 page limit`,
}

var bare = map[string]string{
	"bare/":          `[1,2,3]`,
	"bare/?page=2":   `[1,2,3]`,
	"bare/?kind=pub": `[]`,
}

// TestAnInvalidPageIsNamedTheSame: each class with page numbers has the same sentence for an
// invalid number, with its own status.
func TestAnInvalidPageIsNamedTheSame(t *testing.T) {
	for _, text := range []string{"abc", "0", "-1", "1.5", "+1", "+99999999999999999999", " 2 x", "-99999999999999999999", "99999999999999999999"} {
		for name, class := range map[string]framework.Pagination{"number": page.Number{}, "screen": page.Screen{}} {
			_, err := class.Window(framework.Values{"page": text})
			refusal, ok := errors.AsType[*framework.Error](err)
			want := framework.Fault{Parameter: "page", Code: framework.CodeInvalidParameter, Detail: "must be a whole number of at least 1"}
			if text == "99999999999999999999" {
				want.Detail = "must be at most 9223372036854775807"
			}
			if !ok || len(refusal.Faults) != 1 || refusal.Faults[0] != want {
				t.Errorf("%s: page=%s is %v; want the fault %v", name, text, err, want)
			}
		}
	}
}

// The planner's estimate is rough, but never below what the page shows.
func TestRoughCount(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		var body struct {
			Count   int64  `json:"count"`
			CountIs string `json:"count_is"`
		}
		serve(t, db).Get("/api/roughly/?page=2").Expect(200).JSON(&body)
		want := map[sqldb.Kind]string{sqldb.SQLite: "exact", sqldb.PostgreSQL: "estimate"}[db.Kind()]
		if body.CountIs != want || body.Count < 5 {
			t.Errorf("count %d, %q; want at least 5, %q", body.Count, body.CountIs, want)
		}
	})
}
