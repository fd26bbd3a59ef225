package framework_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// secrets are what no body of an error may hold: names of Go, of SQL, of
// tables, columns and constraints that clients do not know.
var secrets = regexp.MustCompile(`(?i)\bbooks_|owner_id|author_id|book_id|sequel_to|_fkey|_key\b|constraint|sqlstate|sqlite|postgres|pgdriver|\bselect\b|\binsert\b|\bupdate\b.*\bset\b|goroutine|panic|runtime|reflect|\.go\b|framework\.|uuid\.UUID|\bint64\b|\bstruct\b|context|deadline|\bbun\b|\becho\b|secret`)

// breaking are viewsets with every way to fail.
func breaking() []framework.Resource {
	v := books()
	v.Uniques = append(v.Uniques, framework.Unique{Fields: []string{"isbn"}, Code: "isbn_taken", Detail: "Another book has this ISBN."})
	v.Actions = []framework.Action[Book]{
		framework.Post("panic", func(*framework.Call, *Book, framework.None) (framework.None, error) {
			var none *Book
			return framework.None{}, errors.New(none.Title)
		}),
		framework.Post("fail", func(*framework.Call, *Book, framework.None) (framework.None, error) {
			return framework.None{}, errors.New("secret: SELECT title FROM books_secret")
		}),
		framework.Post("mistake", func(c *framework.Call, _ *Book, _ framework.None) (framework.None, error) {
			_, err := c.DB.NewRaw("SELECT secret FROM nowhere").Exec(c)
			return framework.None{}, err
		}),
		framework.Post("unspeakable", func(*framework.Call, *Book, framework.None) (unspeakable, error) { return unspeakable{}, nil }),
		framework.Post("unspoken", func(*framework.Call, *Book, framework.None) (func(), error) { return func() {}, nil }),
		framework.Post("teapot", func(*framework.Call, *Book, framework.None) (framework.None, error) {
			return framework.None{}, framework.Refuse(418, "teapot", "It is a teapot.").With(map[string]any{"cups": 2}).Because(errors.New("secret"))
		}),
		framework.Post("wrapped", func(*framework.Call, *Book, framework.None) (framework.None, error) {
			return framework.None{}, fmt.Errorf("secret: %w", framework.Conflict("wrapped", "It is wrapped."))
		}),
		framework.Post("slow", func(c *framework.Call, _ *Book, _ framework.None) (framework.None, error) {
			_, err := c.DB.NewRaw(slowly(c)).Exec(c)
			return framework.None{}, err
		}),
	}
	v.Collection = []framework.CollectionAction{framework.OnCollection("GET", "slow", func(c *framework.Call, _ framework.None) (framework.None, error) {
		_, err := c.DB.NewRaw(slowly(c)).Exec(c)
		return framework.None{}, err
	})}
	return []framework.Resource{countries(), authors(), v, chapters(), profile()}
}

// unspeakable panics when it is written.
type unspeakable struct{}

func (unspeakable) MarshalJSON() ([]byte, error) { panic("secret") }

// slowly is a statement that takes longer than any test waits.
func slowly(c *framework.Call) string {
	if c.Session().DB().Kind() == sqldb.PostgreSQL {
		return "SELECT pg_sleep(60)"
	}
	return "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
}

// TestErrors: every error has a status, a code and a sentence, and reveals nothing
// internal.
func TestErrors(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		c := config(db)
		c.Codes = []framework.CodeInfo{{Code: "teapot", Status: 418, Title: "A teapot", Text: "It is not a coffee pot."}}
		ada := serve(t, c, breaking()...).as("ada")
		austen := ada.post("/api/authors/", fields{"name": "Austen"}).is(201).id()
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma", "isbn": "0-14", "author": austen}).is(201).id() + "/"
		other := "/api/books/" + ada.post("/api/books/", fields{"title": "Other"}).is(201).id() + "/"
		ada.post("/api/chapters/", fields{"book": strings.Split(path, "/")[3], "number": 1, "title": "One"}).is(201)
		ada.post("/api/chapters/", fields{"book": strings.Split(path, "/")[3], "number": 2, "title": "Two"}).is(201)
		second := "/api/chapters/" + ada.get("/api/chapters/?ordering=-number").list().Results[0]["id"].(string) + "/"

		for _, c := range []struct {
			name, method, path string
			body               any
			status             int
			code               string
			faults             string // place and code of each
		}{
			{"a value that is taken, in the declaration's words", "POST", "/api/books/", fields{"title": "Emma"}, 409, "title_taken", "/title not_unique"},
			{"the same by PATCH", "PATCH", other, fields{"title": "Emma"}, 409, "title_taken", "/title not_unique"},
			{"the same by PUT", "PUT", other, fields{"title": "Emma"}, 409, "title_taken", "/title not_unique"},
			{"another value that is taken", "PATCH", other, fields{"isbn": "0-14"}, 409, "isbn_taken", "/isbn not_unique"},
			{"a value that is taken, undeclared", "POST", "/api/countries/", fields{"name": "Twice"}, 409, "not_unique", "/name not_unique"},
			{"two values taken together", "PATCH", second, fields{"number": 1}, 409, "not_unique", "/book not_unique, /number not_unique"},
			{"what the stored data does not allow", "PATCH", path, fields{"pages": 100001}, 409, "conflict", ""},
			{"the same on the way in", "POST", "/api/books/", fields{"title": "Long", "pages": 100001}, 409, "conflict", ""},
			{"a row that others refer to", "DELETE", path, nil, 409, "still_referenced", ""},
			{"an author of books", "DELETE", "/api/authors/" + austen + "/", nil, 409, "still_referenced", ""},
			{"every fault at once", "POST", "/api/books/", fields{"title": "", "pages": -1, "isbn": "x", "status": "burnt", "published_at": "yesterday", "author": "nobody", "notes": 7}, 400, "validation_failed",
				"/author format, /isbn min, /notes type, /pages min, /published_at format, /status oneof, /title required"},
			{"a fault beside a reference that leads nowhere", "POST", "/api/books/", fields{"pages": -1, "author": missing}, 400, "validation_failed", "/author invalid_reference, /pages min, /title required"},
			{"a panic", "POST", path + "panic/", nil, 500, "internal", ""},
			{"an error of a function", "POST", path + "fail/", nil, 500, "internal", ""},
			{"a statement that is wrong", "POST", path + "mistake/", nil, 500, "internal", ""},
			{"an answer that panics when it is written", "POST", path + "unspeakable/", nil, 500, "internal", ""},
			{"an answer that cannot be written", "POST", path + "unspoken/", nil, 500, "internal", ""},
			{"a code of one's own", "POST", path + "teapot/", nil, 418, "teapot", ""},
			{"a refusal inside another error", "POST", path + "wrapped/", nil, 409, "wrapped", ""},
			{"no body", "POST", "/api/books/", nil, 400, "invalid_json", ""},
			{"half a body", "POST", "/api/books/", `{"title":`, 400, "invalid_json", ""},
			{"an array", "POST", "/api/books/", `[]`, 400, "invalid_json", ""},
			{"a name twice", "POST", "/api/books/", `{"title":"a","title":"b"}`, 400, "invalid_json", ""},
			{"two bodies", "POST", "/api/books/", `{"title":"a"}{}`, 400, "invalid_json", ""},
			{"no UTF-8", "POST", "/api/books/", "{\"title\":\"\xff\"}", 400, "invalid_json", ""},
			{"half a surrogate", "POST", "/api/books/", `{"title":"\ud800"}`, 400, "invalid_json", ""},
			{"a NUL", "POST", "/api/books/", `{"title":"a\u0000b"}`, 400, "validation_failed", "/title nul"},
			{"too deep", "POST", "/api/books/", `{"x":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, 400, "invalid_json", ""},
			{"a number that no column holds", "POST", "/api/books/", `{"title":"a","pages":1e400}`, 400, "validation_failed", "/pages integer"},
			{"a number that no integer holds", "POST", "/api/books/", `{"title":"a","pages":9223372036854775808}`, 400, "validation_failed", "/pages range"},
			{"too much", "POST", "/api/books/", `{"title":"` + strings.Repeat("a", 1<<20) + `"}`, 413, "body_too_large", ""},
			{"an unknown path", "GET", "/api/boks/", nil, 404, "not_found", ""},
			{"an unknown row", "GET", "/api/books/" + missing + "/", nil, 404, "not_found", ""},
			{"a page past the end", "GET", "/api/books/?page=99", nil, 404, "not_found", ""},
			{"a filter's value", "GET", "/api/books/?min_pages=many", nil, 400, "invalid_parameter", "min_pages invalid_parameter"},
			{"a method that is not offered", "DELETE", "/api/books/", nil, 405, "method_not_allowed", ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				if c.name == "a value that is taken, undeclared" {
					ada.in(t).post(c.path, c.body).is(201)
				}
				a := ada.in(t).do(c.method, c.path, c.body).refuses(c.status, c.code)
				p := a.problem()
				var faults []string
				for _, f := range p.Errors {
					faults = append(faults, f.Pointer+f.Parameter+" "+f.Code)
					if f.Detail == "" {
						a.failf("a fault says nothing")
					}
				}
				slices.Sort(faults)
				if got := strings.Join(faults, ", "); got != c.faults {
					a.failf("want the faults %q, got %q", c.faults, got)
				}
				leads := strings.HasSuffix(p.Type, "/api/errors/"+c.code)
				if c.code == "wrapped" { // which is not in Config.Codes
					leads = p.Type == "about:blank"
				}
				if p.Title == "" || p.Detail == "" || !leads {
					a.failf("want a title, a detail and a type that leads to the code's page")
				}
				if found := secrets.FindString(instance.ReplaceAllString(a.body, "")); found != "" {
					a.failf("the body tells %q", found)
				}
			})
		}
		t.Run("the details of a code", func(t *testing.T) {
			ada.in(t).post(path+"teapot/", nil).is(418).says(`"details":{"cups":2}`, `"title":"A teapot"`)
		})
		t.Run("the server goes on", func(t *testing.T) {
			ada.in(t).patch(path, fields{"notes": "fine"}).is(200)
			ada.in(t).get("/api/books/").is(200)
		})
	})
}

// TestReferenceGone: a row is deleted between the check and the write. The foreign key
// rejects the write, and the answer is 409.
func TestReferenceGone(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Verbs.Create = framework.Fills[BookView](func(_ *framework.Call, b *Book, _ struct {
			Title string `json:"title"`
		}) error {
			id := uuid.MustParse(missing)
			b.AuthorID = &id
			return nil
		})
		ada := serve(t, config(db), countries(), authors(), v).as("ada")
		a := ada.post("/api/books/", fields{"title": "Emma"}).refuses(409, "conflict")
		if found := secrets.FindString(instance.ReplaceAllString(a.body, "")); found != "" {
			a.failf("the body tells %q", found)
		}
	})
}

// TestDeadline: a statement that takes too long is 503 with Retry-After, in a
// read and in a write, and leaves a server that works.
func TestDeadline(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		c := config(db)
		ada := serve(t, c, breaking()...).as("ada")
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"
		c.Timeout = 300 * time.Millisecond
		hasty := serve(t, c, breaking()...).as("ada")
		for _, a := range []*answer{hasty.post(path+"slow/", nil), hasty.get("/api/books/slow/")} {
			a.refuses(503, "unavailable").head("Retry-After", "1")
			if found := secrets.FindString(instance.ReplaceAllString(a.body, "")); found != "" {
				a.failf("the body tells %q", found)
			}
		}
		ada.patch(path, fields{"pages": 1}).is(200)
	})
}

// TestDatabaseAway: a server that cannot be reached is 503 everywhere, in an
// authenticator too.
func TestDatabaseAway(t *testing.T) {
	db, err := sqldb.Open("postgres://nobody:nothing@127.0.0.1:1/nowhere?sslmode=disable", sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ada := serve(t, config(db), breaking()...).as("ada")
	for _, a := range []*answer{
		ada.get("/api/books/"), ada.get("/api/books/" + missing + "/"), ada.post("/api/books/", fields{"title": "x"}),
		ada.patch("/api/books/"+missing+"/", fields{"title": "x"}), ada.delete("/api/books/" + missing + "/"), ada.put("/api/profile/", fields{"nickname": "x"}),
	} {
		a.refuses(503, "unavailable").head("Retry-After", "1").lacks("127.0.0.1:1", "nobody", "nowhere", "dial")
	}
	ada.get("/api/").is(200)
	c := config(db)
	c.Authentication, c.Guards = []framework.Authenticator{querying{}}, []framework.Guard{{Under: "admin", Permission: framework.Staff()}}
	api := serve(t, c, countries())
	for _, a := range []*answer{
		api.get("/api/countries/"), api.delete("/api/countries/"), api.do("OPTIONS", "/api/countries/", nil), api.get("/api/admin/"),
	} {
		a.refuses(503, "unavailable").head("Retry-After", "1")
	}
}

// clumsy is an authenticator that panics.
type clumsy struct{ names }

func (clumsy) Authenticate(*framework.Call, *http.Request) (*framework.Caller, error) {
	panic("secret")
}

// TestPanics: wherever the program's own code panics, the client gets a 500
// that says nothing.
func TestPanics(t *testing.T) {
	c := config(sqlite(t))
	c.Authentication, c.Guards = []framework.Authenticator{clumsy{}}, []framework.Guard{{Under: "admin", Permission: framework.Staff()}}
	api := serve(t, c, countries())
	for _, a := range []*answer{
		api.get("/api/countries/"), api.delete("/api/countries/"), api.do("OPTIONS", "/api/countries/", nil), api.get("/api/admin/"),
	} {
		a.refuses(500, "internal").lacks("secret", "panic")
	}
}

// TestBodies: what a body may be sent as.
func TestBodies(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), shelves()...).as("ada")
		zip := func(text string) []byte {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = z.Write([]byte(text))
			_ = z.Close()
			return b.Bytes()
		}
		number := 0
		book := func() string { number++; return fmt.Sprintf(`{"title":"Book %d"}`, number) }
		bomb := `{"title":"` + strings.Repeat("a", 8<<20) + `"}`
		for _, c := range []struct {
			name, mediaType, coding string
			body                    []byte
			status                  int
			code                    string
		}{
			{"JSON", "application/json", "", []byte(book()), 201, ""},
			{"JSON in UTF-8", "application/json; charset=UTF-8", "", []byte(book()), 201, ""},
			{"JSON in another case", "Application/JSON", "", []byte(book()), 201, ""},
			{"JSON said to be plain", "application/json", "identity", []byte(book()), 201, ""},
			{"compressed", "application/json", "gzip", zip(book()), 201, ""},
			{"compressed, in capitals", "application/json", "GZIP", zip(book()), 201, ""},
			{"no type", " ", "", []byte(book()), 415, "unsupported_media_type"},
			{"text", "text/plain", "", []byte(book()), 415, "unsupported_media_type"},
			{"a form", "application/x-www-form-urlencoded", "", []byte("title=x"), 415, "unsupported_media_type"},
			{"a form with files", "multipart/form-data; boundary=x", "", []byte("--x--"), 415, "unsupported_media_type"},
			{"a patch of another kind", "application/merge-patch+json", "", []byte(book()), 415, "unsupported_media_type"},
			{"another charset", "application/json; charset=utf-16", "", []byte(book()), 415, "unsupported_media_type"},
			{"half a type", "application/json; charset", "", []byte(book()), 415, "unsupported_media_type"},
			{"two types in one", "application/json, text/plain", "", []byte(book()), 415, "unsupported_media_type"},
			{"another coding", "application/json", "br", []byte(book()), 415, "unsupported_media_type"},
			{"compressed twice", "application/json", "gzip, gzip", zip(book()), 415, "unsupported_media_type"},
			{"not compressed at all", "application/json", "gzip", []byte(book()), 400, "invalid_json"},
			{"compressed and cut off", "application/json", "gzip", zip(book())[:20], 400, "invalid_json"},
			{"compressed and spoiled", "application/json", "gzip", append(zip(book())[:30], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 400, "invalid_json"},
			{"compressed nothing", "application/json", "gzip", zip(""), 400, "invalid_json"},
			{"nothing said to be compressed", "application/json", "gzip", []byte{}, 400, "invalid_json"},
			{"too much", "application/json", "", []byte(bomb), 413, "body_too_large"},
			{"too much once it is decompressed", "application/json", "gzip", zip(bomb), 413, "body_too_large"},
			{"too much of nothing", "application/json", "", bytes.Repeat([]byte(" "), 1<<20+1), 413, "body_too_large"},
		} {
			t.Run(c.name, func(t *testing.T) {
				sent := ada.in(t)
				if c.coding != "" {
					sent = sent.with("Content-Encoding", c.coding)
				}
				a := sent.with("Content-Type", c.mediaType).post("/api/books/", c.body)
				if c.code == "" {
					a.is(c.status)
					return
				}
				a.refuses(c.status, c.code)
			})
		}
		t.Run("a body on GET is not read", func(t *testing.T) {
			ada.in(t).do("GET", "/api/books/", "nonsense").is(200)
		})
		t.Run("a stranger's body is not read", func(t *testing.T) {
			ada.in(t).as("").post("/api/books/", bomb).refuses(401, "authentication_required")
		})
	})
}

// TestErrorPages: every code has a page that says what to do, and a problem's
// type leads there.
func TestErrorPages(t *testing.T) {
	c := config(sqlite(t))
	c.Codes = []framework.CodeInfo{{Code: "cart_empty", Status: 409, Title: "An <empty> cart", Text: "Put something into it."}}
	api := serve(t, c, breaking()...)
	for code, status := range map[string]int{
		"invalid_json": 400, "validation_failed": 400, "unknown_field": 400, "invalid_parameter": 400, "invalid_reference": 400, "invalid_host": 400,
		"authentication_required": 401, "invalid_token": 401, "forbidden": 403, "not_found": 404, "method_not_allowed": 405,
		"not_unique": 409, "still_referenced": 409, "conflict": 409, "body_too_large": 413, "unsupported_media_type": 415, "uri_too_long": 414,
		"rate_limited": 429, "internal": 500, "unavailable": 503, "overloaded": 503, "request_timeout": 408, "cart_empty": 409, "title_taken": 409, "isbn_taken": 409,
	} {
		page := api.get("/api/errors/"+code).is(200).head("Content-Type", "text/html; charset=utf-8").head("X-Content-Type-Options", "nosniff")
		page.says("<code>"+code+"</code>", fmt.Sprint("status ", status), http.StatusText(status))
		if !strings.Contains(page.header.Get("Content-Security-Policy"), "default-src 'none'") {
			page.failf("want a policy that runs nothing")
		}
	}
	api.get("/api/errors/cart_empty").says("An &lt;empty&gt; cart", "Put something into it.")
	api.get("/api/errors/nothing").refuses(404, "not_found")
	api.post("/api/errors/not_found", nil).refuses(405, "method_not_allowed").head("Allow", "GET, HEAD")
	api.as("nobody").get(api.get("/api/books/").is(401).problem().Type).is(200)
}

// TestDRFShape: the errors of Django REST Framework.
func TestDRFShape(t *testing.T) {
	type line struct {
		Name   string  `json:"name" validate:"required"`
		Amount []int64 `json:"amounts" validate:"dive,min=1"`
	}
	type order struct {
		Lines []line `json:"lines" validate:"required"`
		Note  string `json:"note" validate:"max=3"`
	}
	c, v := config(sqlite(t)), notes()
	c.ErrorShape = framework.DRFShape{}
	v.Verbs.Create = framework.Does(func(_ *framework.Call, in order) (framework.None, error) {
		return framework.None{}, framework.Invalid(framework.Fault{Code: "odd", Detail: "It is odd."})
	})
	ada := serve(t, c, v).as("ada")
	for _, c := range []struct {
		name   string
		got    *answer
		status int
		want   string
	}{
		{"faults by field", ada.post("/api/notes/", fields{"note": "long"}), 400, `{"lines":["is required"],"note":["must have at most 3 characters"]}`},
		{"faults nested as the body was", ada.post("/api/notes/", fields{"lines": []any{fields{"name": "x"}, fields{"amounts": []int{1, 0}}}}), 400,
			`{"lines":{"1":{"amounts":{"1":["must be at least 1"]},"name":["is required"]}}}`},
		{"faults of no field", ada.post("/api/notes/", fields{"lines": []any{fields{"name": "x"}}}), 400, `{"non_field_errors":["It is odd."]}`},
		{"faults by parameter", ada.get("/api/notes/?page=1&page=2"), 400, `{"page":["is given more than once"]}`},
		{"anything else", ada.get("/api/notes/7/"), 404, `{"detail":"Nothing is here, or it is not yours to see."}`},
		{"no JSON", ada.post("/api/notes/", "["), 400, `{"detail":"The body ends too early, after byte 1."}`},
		{"strangers", ada.as("").get("/api/notes/"), 401, `{"detail":"This needs credentials, and the request carries none."}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got.status != c.status || c.got.body != c.want || c.got.header.Get("Content-Type") != "application/json" {
				t.Errorf("got %d %s\nwant %d %s", c.got.status, c.got.body, c.status, c.want)
			}
		})
	}
}

// TestDeadlock: two changes that lock the same two rows in opposite orders
// both succeed, because a whole transaction is run again.
func TestDeadlock(t *testing.T) {
	type swap struct {
		With  uuid.UUID `json:"with" ref:"books" validate:"required"`
		Notes string    `json:"notes"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		var runs sync.WaitGroup
		var mu sync.Mutex
		tries := map[string]int{}
		change := func(c *framework.Call, b *Book, in swap) (BookView, error) {
			mu.Lock()
			tries[in.Notes]++
			first := tries[in.Notes] == 1
			mu.Unlock()
			if first && db.Kind() == sqldb.PostgreSQL {
				// Each transaction has locked its own row before it locks the other's.
				runs.Done()
				runs.Wait()
			}
			_, err := c.DB.NewUpdate().Model((*Book)(nil)).Set("notes = notes || ?", in.Notes).Where("id IN (?, ?)", b.ID, in.With).Exec(c)
			return BookView{ID: b.ID}, err
		}
		v := books()
		v.Verbs.Update = framework.Changes(change)
		ada := serve(t, config(db), countries(), authors(), v).as("ada")
		one, two := ada.post("/api/books/", fields{"title": "One"}).id(), ada.post("/api/books/", fields{"title": "Two"}).id()

		var done sync.WaitGroup
		answers := make([]*answer, 2)
		runs.Add(2)
		for i, ids := range [][2]string{{one, two}, {two, one}} {
			done.Go(func() {
				answers[i] = ada.put("/api/books/"+ids[0]+"/", fields{"with": ids[1], "notes": string(rune('a' + i))})
			})
		}
		done.Wait()
		for _, a := range answers {
			a.is(200)
		}
		for _, id := range []string{one, two} {
			if notes := ada.get("/api/books/" + id + "/").object()["notes"].(string); len(notes) != 2 {
				t.Errorf("the notes are %q; want each letter once", notes)
			}
		}
		if total := tries["a"] + tries["b"]; db.Kind() == sqldb.PostgreSQL && total < 3 {
			t.Errorf("there was no deadlock: %v", tries)
		}
	})
}

// TestParallelWriters: fifty writers at once, and not one failure of the
// server.
func TestParallelWriters(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), shelves()...).as("ada")
		id := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
		var done sync.WaitGroup
		answers := make([]*answer, 50)
		for i := range answers {
			done.Go(func() {
				switch i % 3 {
				case 0:
					answers[i] = ada.post("/api/books/", fields{"title": fmt.Sprint("Book ", i)})
				case 1:
					answers[i] = ada.patch("/api/books/"+id+"/", fields{"pages": i})
				default:
					answers[i] = ada.post("/api/authors/", fields{"name": strconv.Itoa(i)})
				}
			})
		}
		done.Wait()
		for _, a := range answers {
			if a.status != 200 && a.status != 201 {
				a.failf("want success")
			}
		}
		if n := *ada.get("/api/books/").list().Count; n != 18 {
			t.Errorf("there are %d books, want 18", n)
		}
	})
}
