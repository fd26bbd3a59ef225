package framework_test

import (
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
)

// Inputs and views whose fields have names in Go, except the number of pages.
type (
	untaggedInput struct {
		Title       string     `validate:"required"`
		AuthorID    *uuid.UUID `ref:"authors"`
		PublishedAt *time.Time
		Pages       int64 `json:"PageCount" validate:"min=0"`
	}
	untaggedBook struct {
		ID uuid.UUID `json:"id"`
		untaggedInput
	}
	untaggedDetail struct {
		untaggedBook
		LeadAuthor *untaggedAuthor `ref:"-"`
		Chapters   []untaggedPart  `ref:"chapters"`
	}
	untaggedAuthor struct {
		Name      string
		CountryID *uuid.UUID
	}
	untaggedPart struct {
		BookID uuid.UUID
		Title  string
	}
	untaggedQuery struct {
		FirstWord string `validate:"max=5"`
	}
	untaggedAnswer struct {
		FirstWord string
		ByLetter  map[string][]untaggedPart
		AnyValue  any
	}
	untaggedDetails struct{ MostCopies int }
)

// caseOf is the name of a field by words.
func caseOf(c framework.Case, words ...string) string {
	for i := range words {
		if c == framework.CamelCase && i > 0 || c == framework.AsInGo {
			words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
		}
	}
	if c == framework.SnakeCase {
		return strings.Join(words, "_")
	}
	return strings.Join(words, "")
}

// untagged are books whose declarations use names of a case.
func untagged(c framework.Case) framework.ViewSet[Book] {
	published := caseOf(c, "published", "at")
	part := untaggedPart{Title: "One"}
	return framework.ViewSet[Book]{
		Name: "books", Scope: framework.Own((*Book).owner), Strict: framework.Strict,
		Verbs: framework.Verbs{
			List: framework.Shows[untaggedBook](), Retrieve: framework.Shows[untaggedDetail](),
			Create: framework.Accepts[untaggedInput, untaggedBook](), Update: framework.Accepts[untaggedInput, untaggedDetail](), Patch: framework.Accepts[untaggedInput, untaggedDetail](),
		},
		Ordering: framework.Ordering{Allowed: []string{published, "PageCount"}, Default: published},
		Filters:  []framework.Filter{filter.Range(published), filter.Exact("PageCount")},
		Collection: []framework.CollectionAction{
			framework.OnCollection("GET", "words", func(_ *framework.Call, in untaggedQuery) (untaggedAnswer, error) {
				return untaggedAnswer{in.FirstWord, map[string][]untaggedPart{"A_b": {part}}, part}, nil
			}),
			framework.OnCollection("GET", "rows", func(*framework.Call, framework.None) (iter.Seq2[untaggedPart, error], error) {
				return func(yield func(untaggedPart, error) bool) { yield(part, nil) }, nil
			}).As(framework.NDJSON, framework.CSV, framework.EventStream),
			framework.OnCollection("POST", "copy", func(*framework.Call, framework.None) (framework.None, error) {
				return framework.None{}, framework.Conflict("too_many", "These are too many.").With(untaggedDetails{2})
			}).Refuses("too_many"),
		},
	}
}

func casedConfig(db *sqldb.DB, c framework.Case) framework.Config {
	settings := config(db)
	settings.Case = c
	settings.Codes = []framework.CodeInfo{{Code: "too_many", Status: 409, Title: "Too many", Text: "These are too many.", Details: untaggedDetails{}}}
	return settings
}

// TestCase: members, pointers, parameters and names in declarations have the case of the settings;
// names in tags stay. Every answer is checked with the document.
func TestCase(t *testing.T) {
	for about, c := range map[string]framework.Case{"as in Go": framework.AsInGo, "snake": framework.SnakeCase, "camel": framework.CamelCase} {
		// name writes the names of a text in the case: {published at} becomes published_at.
		name := func(text string) string {
			for strings.Contains(text, "<") {
				before, rest, _ := strings.Cut(text, "<")
				words, after, _ := strings.Cut(rest, ">")
				text = before + caseOf(c, strings.Fields(words)...) + after
			}
			return text
		}
		goName := func(snake, camel, other string) string {
			return map[framework.Case]string{framework.SnakeCase: snake, framework.CamelCase: camel}[c] + map[bool]string{true: other}[c == framework.AsInGo]
		}
		author := goName("author_id", "authorId", "AuthorID")
		after := goName("published_at_after", "publishedAtAfter", "PublishedAt_after")
		book := goName("book_id", "bookId", "BookID")
		t.Run(about, func(t *testing.T) {
			both(t, func(t *testing.T, db *sqldb.DB) {
				served, _ := promised(t, casedConfig(db, c), countries(), authors(), untagged(c), chapters())
				ada := served.as("ada")
				austen := ada.post("/api/authors/", fields{"name": "Austen"}).is(201).id()
				made := ada.post("/api/books/", name(`{"<title>":"Emma","`+author+`":"`+austen+`","<published at>":"1815-12-23T00:00:00Z","PageCount":3}`)).is(201)
				id := made.id()
				ada.post("/api/chapters/", fields{"book": id, "number": 1, "title": "One"}).is(201)
				path := "/api/books/" + id + "/"
				row := `"id":"` + id + `","<title>":"Emma","` + author + `":"` + austen + `","<published at>":"1815-12-23T00:00:00Z","PageCount":3`
				for _, c := range []struct {
					about, method, path, body string
					status                    int
					says                      string
				}{
					{"the list", "GET", "/api/books/", "", 200, `[{` + row + `}]`},
					{"the list, filtered and in order", "GET", "/api/books/?" + after + "=1800-01-01T00:00:00Z&PageCount=3&ordering=-<published at>", "", 200, `[{` + row + `}]`},
					{"one row with its relations", "GET", path, "", 200, `{` + row + `,"<lead author>":{"<name>":"Austen","` + goName("country_id", "countryId", "CountryID") + `":null},"<chapters>":[{"` + book + `":"` + id + `","<title>":"One"}]}`},
					{"a change", "PATCH", path, `{"PageCount":3}`, 200, row + `,"<lead author>":{"<name>":"Austen"`},
					{"a change with read-only members that were read", "PATCH", path, `{"id":"` + id + `","<chapters>":[{"` + book + `":"` + id + `","<title>":"One"}]}`, 200, row},
					{"a replacement", "PUT", path, `{"<title>":"Emma","` + author + `":"` + austen + `","<published at>":"1815-12-23T00:00:00Z","PageCount":3}`, 200, row},
					{"an answer of a function; keys of maps and values of interfaces stay", "GET", "/api/books/words/?<first word>=Emma", "", 200,
						`{"<first word>":"Emma","<by letter>":{"A_b":[{"` + book + `":"00000000-0000-0000-0000-000000000000","<title>":"One"}]},"<any value>":{"BookID":"00000000-0000-0000-0000-000000000000","Title":"One"}}`},
					{"a stream", "GET", "/api/books/rows/", "", 200, `{"` + book + `":"00000000-0000-0000-0000-000000000000","<title>":"One"}`},
					{"a missing member", "POST", "/api/books/", `{}`, 400, `"pointer":"/<title>","code":"required"`},
					{"a reference", "PATCH", path, `{"` + author + `":"` + missing + `"}`, 400, `"pointer":"/` + author + `","code":"invalid_reference"`},
					{"a name of a tag", "PATCH", path, `{"PageCount":-1}`, 400, `"pointer":"/PageCount","code":"min"`},
					{"a misspelt member", "PATCH", path, `{"<publishd at>":null}`, 400, `did you mean /<published at>?`},
					{"a member that is read-only", "PATCH", path, `{"<lead author>":null}`, 400, `"pointer":"/<lead author>","code":"unknown_field","detail":"is read-only"`},
					{"a misspelt parameter", "GET", "/api/books/?<publishd at>=x", "", 400, `is not known here`},
					{"a misspelt parameter, with the nearest one", "GET", "/api/books/?x" + after + "=1", "", 400, `did you mean ` + after + `?`},
					{"a parameter of a function", "GET", "/api/books/words/?<first word>=Persuasion", "", 400, `"parameter":"<first word>","code":"invalid_parameter"`},
					{"an order", "GET", "/api/books/?ordering=<publishd at>", "", 400, `did you mean <published at>?`},
					{"details of an error", "POST", "/api/books/copy/", "", 409, `"details":{"<most copies>":2}`},
				} {
					t.Run(c.about, func(t *testing.T) {
						var body any
						if c.body != "" {
							body = name(c.body)
						}
						ada.in(t).do(c.method, name(c.path), body).is(c.status).says(name(c.says))
					})
				}
				t.Run("a stream as CSV", func(t *testing.T) {
					ada.in(t).with("Accept", "text/csv").get("/api/books/rows/").is(200).says(book + name(",<title>\r\n00000000-0000-0000-0000-000000000000,One\r\n"))
				})
				t.Run("a stream of events", func(t *testing.T) {
					ada.in(t).with("Accept", "text/event-stream").get("/api/books/rows/").is(200).says(`data: {"` + book + `":`)
				})
			})
		})
	}
}

// TestCaseIsDocumented: schemas have the names of the case.
func TestCaseIsDocumented(t *testing.T) {
	_, p := promised(t, casedConfig(sqlite(t), framework.SnakeCase), countries(), authors(), untagged(framework.SnakeCase), chapters())
	for _, name := range []string{"title", "author_id", "published_at", "PageCount", "lead_author", "chapters"} {
		if p.property("untaggedDetail", name) == "" && p.property("UntaggedDetail", name) == "" {
			t.Errorf("the view has no member %s in the document: %s", name, p.at("components", "schemas"))
		}
	}
}

// TestCaseMistakes: names in another case, and names that two fields get, are mistakes at start.
func TestCaseMistakes(t *testing.T) {
	type twice struct {
		AuthorID *uuid.UUID `ref:"authors"`
		Title    string     `json:"author_id"`
	}
	with := func(change func(*framework.ViewSet[Book])) []framework.Resource {
		v := untagged(framework.SnakeCase)
		change(&v)
		return []framework.Resource{countries(), authors(), v, chapters()}
	}
	for _, c := range []struct {
		about    string
		names    framework.Case
		declared []framework.Resource
		want     string
	}{
		{"a filter with the name in Go", framework.SnakeCase, with(func(v *framework.ViewSet[Book]) { v.Filters = []framework.Filter{filter.Range("PublishedAt")} }), `did you mean "published_at"?`},
		{"an order in another case", framework.SnakeCase, with(func(v *framework.ViewSet[Book]) { v.Ordering.Allowed = []string{"publishedAt"} }), `did you mean "published_at"?`},
		{"two fields of an input with one name", framework.SnakeCase, with(func(v *framework.ViewSet[Book]) { v.Verbs.Patch = framework.Accepts[twice, untaggedBook]() }), `is named "author_id" like twice.AuthorID; give one of them another json name`},
		{"two fields of a view with one name", framework.SnakeCase, with(func(v *framework.ViewSet[Book]) { v.Verbs.Retrieve = framework.Shows[twice]() }), `twice.AuthorID and Title are both named "author_id"; give one of them another json name`},
		{"a case that does not exist", framework.Case(9), []framework.Resource{countries()}, `framework.Config: Case: 9 is not a case; use framework.SnakeCase or framework.CamelCase`},
	} {
		t.Run(c.about, func(t *testing.T) {
			api := framework.New(casedConfig(sqlite(t), c.names))
			api.Register(c.declared...)
			if err := api.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the mistakes are %v; want %s", err, c.want)
			}
		})
	}
}
