package framework_test

import (
	"log/slog"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// retitling is the input of an action that needs no body.
type retitling struct {
	Suffix string `json:"suffix" default:"!" validate:"max=5"`
}

// refusedBook is a function that finds a fault of its own in its input.
func refusedBook(*framework.Call, BookInput) (BookView, error) {
	return BookView{}, framework.Invalid(framework.Fault{Pointer: "/title", Code: "max", Detail: "is not to our taste"})
}

// retitle adds a suffix to the title of a book.
func retitle(c *framework.Call, b *Book, in retitling) (framework.None, error) {
	b.Title += in.Suffix
	return framework.None{}, framework.Save(c, b)
}

// wrappedBooks are books in a member.
func wrappedBooks(strict framework.Strictness) framework.ViewSet[Book] {
	v := books()
	v.Wrap, v.WrapList, v.Strict = "book", "books", strict
	v.Actions = []framework.Action[Book]{
		framework.Post("rename", retitle),
		framework.Get("plain", func(_ *framework.Call, b *Book, _ framework.None) (CountryView, error) {
			return CountryView{ID: b.ID, Name: b.Title}, nil
		}).Unwrapped(),
		framework.Get("short", func(_ *framework.Call, b *Book, _ framework.None) (CountryView, error) {
			return CountryView{ID: b.ID, Name: b.Title}, nil
		}),
		framework.Related[Book, ChapterView]("chapters", "chapters", "book"),
	}
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("GET", "titles", func(*framework.Call, framework.None) ([]string, error) { return []string{"Emma"}, nil }),
		framework.OnCollection("GET", "total", func(*framework.Call, framework.None) (int, error) { return 1, nil }),
		framework.OnCollection("POST", "refuse", refusedBook),
	}
	return v
}

func wrappedChapters() framework.ViewSet[Chapter] {
	v := chapters()
	v.Wrap, v.WrapList = "chapter", "chapters"
	v.Pagination = page.Bare{}
	return v
}

func book(in fields) fields { return fields{"book": in} }

// TestWrap: bodies and answers of one row are in the declared member, the rows of lists in
// another, and pointers lead through them. Every answer is checked with the document.
func TestWrap(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		served, _ := promised(t, config(db), countries(), authors(), wrappedBooks(framework.Lenient), wrappedChapters())
		ada := served.as("ada")
		made := ada.post("/api/books/", book(fields{"title": "Emma", "pages": 3})).is(201).says(`{"book":{"id":"`, `"title":"Emma"`)
		id, _ := made.object()["book"].(map[string]any)["id"].(string)
		path := "/api/books/" + id + "/"
		made.head("Location", served.url+path)
		ada.post("/api/chapters/", fields{"chapter": fields{"book": id, "number": 1, "title": "One"}}).is(201).says(`{"chapter":{"id":"`)

		for _, c := range []struct {
			about, method, path string
			body                any
			status              int
			begins, ignored     string
		}{
			{"the row", "GET", path, nil, 200, `{"book":{"id":"` + id + `","title":"Emma"`, ""},
			{"a replacement", "PUT", path, book(fields{"title": "Emma", "pages": 4}), 200, `{"book":{"id":"` + id, ""},
			{"a change", "PATCH", path, book(fields{"pages": 5}), 200, `{"book":{"id":"` + id, ""},
			{"a change of nothing", "PATCH", path, book(fields{}), 200, `{"book":{"id":"` + id, ""},
			{"the name of the member with escapes", "PATCH", path, `{"\u0062ook":{"pages":6}}`, 200, `{"book":{"id":"` + id, ""},
			{"the list", "GET", "/api/books/", nil, 200, `{"count":1,"next":null,"previous":null,"books":[{"id":"` + id, ""},
			{"an empty list", "GET", "/api/books/?min_pages=900", nil, 200, `{"count":0,"next":null,"previous":null,"books":[]}`, ""},
			{"the list of a class that answers with an array", "GET", "/api/chapters/", nil, 200, `{"chapters":[{"id":"`, ""},
			{"a related list has the name of its own viewset", "GET", path + "chapters/", nil, 200, `{"chapters":[{"id":"`, ""},
			{"an action that answers with an object", "GET", path + "short/", nil, 200, `{"book":{"id":"` + id, ""},
			{"an action that is unwrapped", "GET", path + "plain/", nil, 200, `{"id":"` + id, ""},
			{"an action that answers with an array", "GET", "/api/books/titles/", nil, 200, `{"books":["Emma"]}`, ""},
			{"an action that answers with a number", "GET", "/api/books/total/", nil, 200, `1`, ""},
			{"an action without a body, which it does not need", "POST", path + "rename/", nil, 204, ``, ""},
			{"an action with an empty body", "POST", path + "rename/", `{}`, 204, ``, ""},
			{"an action with its input", "POST", path + "rename/", book(fields{"suffix": "?"}), 204, ``, ""},
			{"a member beside", "PATCH", path, fields{"book": fields{}, "autor": 1}, 200, `{"book":`, "/autor"},
			{"an unknown field", "PATCH", path, book(fields{"pagse": 1}), 200, `{"book":`, "/book/pagse; did you mean /book/pages?"},
			{"a read-only field that differs", "PATCH", path, book(fields{"id": missing}), 200, `{"book":`, "/book/id"},
			{"a viewset without a member", "POST", "/api/countries/", fields{"name": "England"}, 201, `{"id":"`, ""},
		} {
			t.Run(c.about, func(t *testing.T) {
				got := ada.in(t).do(c.method, c.path, c.body).is(c.status).head("Trestle-Ignored", c.ignored)
				if !strings.HasPrefix(got.body, c.begins) {
					got.failf("want a body that begins with %s", c.begins)
				}
			})
		}
		t.Run("a removal", func(t *testing.T) {
			other := ada.in(t).post("/api/books/", book(fields{"title": "Persuasion"})).is(201)
			ada.in(t).delete(strings.TrimPrefix(other.header.Get("Location"), served.url)).is(204)
		})
	})
}

// TestWrapRefuses: what is wrong with the member or in it is reported at once, with pointers from
// the top of the body.
func TestWrapRefuses(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		strict, _ := promised(t, config(db), countries(), authors(), wrappedBooks(framework.Strict), wrappedChapters())
		lenient := serve(t, config(db), countries(), authors(), wrappedBooks(framework.Lenient), wrappedChapters())
		made := strict.as("ada").post("/api/books/", book(fields{"title": "Emma"})).is(201)
		id, _ := made.object()["book"].(map[string]any)["id"].(string)
		path, list := "/api/books/"+id+"/", "/api/books/"
		bare := `{"title":"Persuasion"}`
		type at = map[string]string
		for _, c := range []struct {
			about, method, path string
			body                any
			status              int
			code                string
			faults              at // in a strict viewset
			lenient             at // in a lenient one, nil for no error
			says                string
		}{
			{"no member", "POST", list, `{}`, 400, "validation_failed", at{"/book": "required"}, at{"/book": "required"}, `the body is {\"book\": {...}}`},
			{"an input without the member", "POST", list, bare, 400, "unknown_field", at{"/title": "unknown_field", "/book": "required"}, at{"/book": "required"}, "is required"},
			{"a misspelt member", "POST", list, `{"boook":{}}`, 400, "unknown_field", at{"/boook": "unknown_field", "/book": "required"}, at{"/book": "required"}, "is required; the body has /boook: did you mean /book?"},
			{"a member that is null", "POST", list, `{"book":null}`, 400, "validation_failed", at{"/book": "type"}, at{"/book": "type"}, "must be an object, not null"},
			{"a member that is an array", "PUT", path, `{"book":[{}]}`, 400, "validation_failed", at{"/book": "type"}, at{"/book": "type"}, "must be an object, not an array"},
			{"a member that is text", "PATCH", path, `{"book":"Emma"}`, 400, "validation_failed", at{"/book": "type"}, at{"/book": "type"}, "must be an object, not a string"},
			{"a member of an action that is a number", "POST", path + "rename/", `{"book":1}`, 400, "validation_failed", at{"/book": "type"}, at{"/book": "type"}, "must be an object, not a number"},
			{"a member beside", "PATCH", path, fields{"book": fields{}, "x/y": 1}, 400, "unknown_field", at{"/x~1y": "unknown_field"}, nil, "is not a field that can be written here"},
			{"faults inside and a member beside", "PATCH", path, fields{"book": fields{"pages": "x"}, "other": 1}, 400, "unknown_field", at{"/other": "unknown_field", "/book/pages": "type"}, at{"/book/pages": "type"}, ""},
			{"faults of rules", "POST", list, book(fields{"pages": -1}), 400, "validation_failed", at{"/book/title": "required", "/book/pages": "min"}, at{"/book/title": "required", "/book/pages": "min"}, ""},
			{"a misspelt field", "POST", list, book(fields{"titel": "x"}), 400, "unknown_field", at{"/book/titel": "unknown_field", "/book/title": "required"}, at{"/book/title": "required"}, "the body has /book/titel: did you mean /book/title?"},
			{"a field with the name of the member", "PATCH", path, book(fields{"book": 1}), 400, "unknown_field", at{"/book/book": "unknown_field"}, nil, ""},
			{"a reference", "PATCH", path, book(fields{"author": missing}), 400, "validation_failed", at{"/book/author": "invalid_reference"}, at{"/book/author": "invalid_reference"}, ""},
			{"a read-only field", "PATCH", path, book(fields{"id": missing}), 400, "unknown_field", at{"/book/id": "unknown_field"}, nil, "is read-only"},
			{"a unique constraint", "POST", list, book(fields{"title": "Emma"}), 409, "title_taken", at{"/book/title": "not_unique"}, at{"/book/title": "not_unique"}, ""},
			{"a function's own fault", "POST", list + "refuse/", book(fields{"title": "Emma"}), 400, "validation_failed", at{"/book/title": "max"}, at{"/book/title": "max"}, "not to our taste"},
			{"no body", "POST", list, nil, 400, "invalid_json", nil, at{}, "The body is empty"},
			{"an array", "POST", list, `[]`, 400, "invalid_json", nil, at{}, "not an array"},
			{"the member twice", "POST", list, `{"book":{},"book":{}}`, 400, "invalid_json", nil, at{}, "The name at /book is given twice"},
			{"a field twice", "POST", list, `{"book":{"title":"a","title":"b"}}`, 400, "invalid_json", nil, at{}, "The name at /book/title is given twice"},
			{"what is not JSON", "POST", list, `{"book":{]}`, 400, "invalid_json", nil, at{}, "at byte 9"},
			{"a body that ends too early", "POST", list, `{"book":{"title":"x"}`, 400, "invalid_json", nil, at{}, "ends too early, after byte 21"},
			{"more after the body", "POST", list, `{"book":{"title":"x"}} {}`, 400, "invalid_json", nil, at{}, "goes on after byte 22"},
			{"a row that does not exist comes first", "PATCH", "/api/books/" + missing + "/", `{"book":1}`, 404, "not_found", nil, at{}, ""},
		} {
			t.Run(c.about, func(t *testing.T) {
				for want, served := range map[*at]*client{&c.faults: strict, &c.lenient: lenient} {
					got := served.as("ada").in(t).do(c.method, c.path, c.body)
					if served == lenient && *want == nil {
						got.is(200)
						continue
					}
					got.is(c.status)
					if served == strict {
						got.refuses(c.status, c.code).says(c.says)
					}
					if faults := got.problem().Errors; len(faults) != len(*want) {
						got.failf("want %d faults", len(*want))
					}
					for place, code := range *want {
						got.fault(place, code)
					}
				}
			})
		}
		t.Run("nothing of it was done", func(t *testing.T) {
			strict.as("ada").in(t).get(path).is(200).says(`"title":"Emma","isbn":null,"slug":"","pages":0,"status":"draft"`)
			strict.as("ada").in(t).get(list).is(200).says(`"count":1`)
		})
		t.Run("another's row is 404 whatever the member is", func(t *testing.T) {
			strict.as("bob").in(t).patch(path, fields{"book": 1, "x": 2}).refuses(404, "not_found")
		})
	})
}

// TestWrapIsDocumented: schemas, links and OPTIONS have the members.
func TestWrapIsDocumented(t *testing.T) {
	served, p := promised(t, config(sqlite(t)), countries(), authors(), wrappedBooks(framework.Strict), wrappedChapters())
	schema := func(names ...string) []string { return append(names, "content", "application/json", "schema") }
	for _, c := range []struct {
		about, want string
		at          []string
	}{
		{
			"the body of a new row", `{"additionalProperties":false,"properties":{"book":{"$ref":"#/components/schemas/BookInput"}},"required":["book"],"type":"object"}`,
			schema("paths", "/api/books/", "post", "requestBody"),
		},
		{
			"the answer", `{"properties":{"book":{"$ref":"#/components/schemas/Book"}},"required":["book"],"type":"object"}`,
			schema("paths", "/api/books/{id}/", "get", "responses", "200"),
		},
		{
			"a body that may be absent", `{"additionalProperties":false,"properties":{"book":{"$ref":"#/components/schemas/RetitlingInput"}},"type":"object"}`,
			schema("paths", "/api/books/{id}/rename/", "post", "requestBody"),
		},
		{"a page", `["count","next","previous","books"]`, []string{"components", "schemas", "BooksPage", "required"}},
		{"a page of a class that answers with an array", `["chapters"]`, []string{"components", "schemas", "ChaptersPage", "required"}},
		{"an action that is unwrapped", `{"$ref":"#/components/schemas/Country"}`, schema("paths", "/api/books/{id}/plain/", "get", "responses", "200")},
		{"a link", `{"operationId":"getBook","parameters":{"id":"$response.body#/book/id"}}`, []string{"paths", "/api/books/", "post", "responses", "201", "links", "getBook"}},
	} {
		t.Run(c.about, func(t *testing.T) { promise{t, p.root}.says(c.want, c.at...) })
	}
	t.Run("OPTIONS", func(t *testing.T) {
		served.as("ada").in(t).do("OPTIONS", "/api/books/", nil).is(200).says(`"required":["book"]`)
	})
}

// TestWrapMistakes: names of members that are not valid, taken or without effect are mistakes at
// start.
func TestWrapMistakes(t *testing.T) {
	for _, c := range []struct {
		about  string
		change func(*framework.ViewSet[Book])
		want   []string
	}{
		{"a name with a space", func(v *framework.ViewSet[Book]) { v.Wrap = "my book" }, []string{`books: Wrap: "my book" is the name of a member: letters, digits, - and _, and no digit first`}},
		{"a name that begins with a digit", func(v *framework.ViewSet[Book]) { v.WrapList = "2books" }, []string{`books: WrapList: "2books" is the name of a member: letters, digits, - and _, and no digit first`}},
		{"a name that the page has", func(v *framework.ViewSet[Book]) { v.WrapList = "count" }, []string{`books: WrapList: "count" is a member of the pages already; choose another name`}},
		{"a name that only some pages have", func(v *framework.ViewSet[Book]) { v.WrapList = "next" }, []string{`books: WrapList: "next" is a member of the pages already; choose another name`}},
		{"rows without a list", func(v *framework.ViewSet[Book]) {
			v.WrapList, v.Verbs.List = "books", framework.Verb{}
			v.Filters, v.Search, v.Ordering = nil, framework.Search{}, framework.Ordering{}
		}, []string{`books: WrapList: it has no effect, because no endpoint answers with a list; leave it out`}},
		{"one name for a row and for rows, without a list", func(v *framework.ViewSet[Book]) {
			v.Wrap, v.WrapList, v.Verbs.List = "book", "book", framework.Verb{}
			v.Filters, v.Search, v.Ordering = nil, framework.Search{}, framework.Ordering{}
		}, []string{`books: WrapList: it has no effect, because no endpoint answers with a list; leave it out`}},
		{"a row without an endpoint of one row", func(v *framework.ViewSet[Book]) {
			v.Wrap, v.Verbs = "book", framework.Verbs{List: framework.Shows[BookView]()}
		}, []string{`books: Wrap: it has no effect, because no endpoint has a body, or answers with one object; leave it out`}},
		{"the name of a row may be that of its own field", func(v *framework.ViewSet[Book]) { v.Wrap = "title" }, nil},
		{"the name that the pagination class gives", func(v *framework.ViewSet[Book]) { v.WrapList = "results" }, nil},
	} {
		t.Run(c.about, func(t *testing.T) {
			api := framework.New(config(sqlite(t)))
			api.Register(wrongBooks(c.change)...)
			err := api.Check()
			if c.want != nil {
				expectMistakes(t, err, c.want)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWrapReplays: the stored answer of an Idempotency-Key is in the member too, and the key belongs
// to the whole body.
func TestWrapReplays(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Wrap = "book"
		v.Verbs.Create = framework.Does(func(_ *framework.Call, in BookInput) (BookView, error) { return BookView{BookInput: in}, nil }).Idempotent()
		ada := serve(t, config(db), countries(), authors(), v, chapters()).as("ada").under("k-1")
		first := ada.post("/api/books/", book(fields{"title": "Emma"})).is(201).fresh().says(`{"book":{"id":"`)
		ada.post("/api/books/", book(fields{"title": "Emma"})).replays(first)
		ada.post("/api/books/", book(fields{"title": "Anon"})).refuses(422, "idempotency_key_reused")
		ada.post("/api/books/", fields{"title": "Emma"}).refuses(400, "validation_failed").fault("/book", "required")
	})
}

// TestWrapListWithoutPagination: the missing pagination is the only mistake.
func TestWrapListWithoutPagination(t *testing.T) {
	api := framework.New(framework.Config{DB: sqlite(t), Log: slog.New(slog.DiscardHandler)})
	v := books()
	v.WrapList, v.Pagination = "books", nil
	api.Register(countries(), authors(), v, chapters())
	if err := api.Check(); err == nil || !strings.Contains(err.Error(), "agination") || strings.Contains(err.Error(), "WrapList") {
		t.Errorf("the error is %v", err)
	}
}

// TestWrapListOfRelatedRows: the name of a viewset's rows has an effect in the related list of another
// viewset.
func TestWrapListOfRelatedRows(t *testing.T) {
	v, c := books(), chapters()
	c.Verbs, c.WrapList = framework.Verbs{Retrieve: framework.Shows[ChapterView]()}, "chapters"
	c.Filters, c.Ordering = nil, framework.Ordering{}
	v.Actions = []framework.Action[Book]{framework.Related[Book, ChapterView]("parts", "chapters", "book")}
	ada := serve(t, config(sqlite(t)), countries(), authors(), v, c).as("ada")
	id := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
	ada.get("/api/books/" + id + "/parts/").is(200).says(`"chapters":[]`)
}
