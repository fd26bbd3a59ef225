package framework_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// chosenBooks shows books with related rows. Clients choose their members.
func chosenBooks() framework.ViewSet[Book] {
	v := books()
	v.Verbs, v.Filters, v.Relations = framework.ReadOnly[nestedBook](), nil, nestedRelations
	v.Select = framework.Select{Fields: true, Expand: []string{"author", "original.author", "sequels", "sequels.chapters"}}
	return v
}

// TestSelect: for each request, the answer, and what its statements read and do not read.
func TestSelect(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		c := config(db)
		ada := serve(t, c, countries(), authors(), chosenBooks(), chapters()).as("ada")
		n := frameworktest.CountStatements(db)
		emma, _, sequel := stocked(t, db)
		id := `{"id":"` + emma.ID.String() + `"`
		for _, test := range []struct {
			name, query  string
			want         string // the whole object
			reads, never string // in the statements
			statements   int
		}{
			{"nothing", "", id + `,"title":"Emma","original":null,"chapters":[{"title":"One"},{"title":"Two"}]}`, `"title"`, `"name"`, 2},
			{"one field", "fields=title", `{"title":"Emma"}`, `"title"`, `"chapters`, 1},
			{"fields in another order, with spaces", "fields=title,%20id", id + `,"title":"Emma"}`, `"title"`, `"chapters`, 1},
			{"a field twice", "fields=title,title", `{"title":"Emma"}`, `"title"`, `"chapters`, 1},
			{"no value", "fields=&expand=", id + `,"title":"Emma","original":null,"chapters":[{"title":"One"},{"title":"Two"}]}`, `"title"`, `"name"`, 2},
			{"only related rows", "fields=chapters", `{"chapters":[{"title":"One"},{"title":"Two"}]}`, `"chapters"`, `"books"."title"`, 2},
			{"a related row more", "expand=author&fields=title", `{"title":"Emma","author":{"name":"Austen","country":{"id":"` + "*" + `","name":"England"}}}`, `"name"`, `"chapters`, 1},
			{"a related row as a field", "fields=author", `{"author":{"name":"Austen","country":{"id":"` + "*" + `","name":"England"}}}`, `"name"`, `"books"."title"`, 1},
			{"a list more", "expand=sequels&fields=title", `{"title":"Emma","sequels":[{"title":"Emma II","author":{"name":"Stateless","country":null}}]}`, `"name"`, `"chapters"`, 2},
			{"a list two levels below", "expand=sequels.chapters&fields=id", id + `,"sequels":[{"title":"Emma II","author":{"name":"Stateless","country":null},"chapters":[{"title":"Again"}]}]}`, `"chapters"`, `"number" AS`, 3},
			{"two levels below a row that is missing", "fields=original&expand=original.author", `{"original":null}`, `"book__original"`, `"chapters"`, 1},
		} {
			t.Run(test.name, func(t *testing.T) {
				for _, path := range []string{"/api/books/" + emma.ID.String() + "/?", "/api/books/?"} {
					var a *answer
					read := n.During(func() { a = ada.in(t).get(path + test.query).is(200) })
					got := json.RawMessage(strings.TrimSpace(a.body))
					if path == "/api/books/?" {
						var list struct{ Results []json.RawMessage }
						a.json(&list)
						got = list.Results[1]
					}
					if !likeText(string(got), test.want) {
						t.Errorf("%s has\n%s; want\n%s", path, got, test.want)
					}
					if text := strings.Join(read, "\n"); !strings.Contains(text, test.reads) || strings.Contains(text, test.never) || len(read) != test.statements {
						t.Errorf("%s reads\n%s\nwant %q, not %q, by %d statements", path, text, test.reads, test.never, test.statements)
					}
				}
			})
		}
		ada.get("/api/books/" + sequel.ID.String() + "/?fields=original&expand=original.author").is(200).says(`{"original":{"title":"Emma","author":{"name":"Austen","country":{"id":"`)
		ada.get("/api/books/" + sequel.ID.String() + "/?fields=original").is(200).says(`{"original":{"title":"Emma"}}`)
	})
}

// likeText reports whether a text is like another, in which * is any 36 bytes.
func likeText(got, want string) bool {
	before, after, found := strings.Cut(want, "*")
	got = strings.TrimSpace(got)
	return got == want || found && len(got) == len(want)+35 && strings.HasPrefix(got, before) && strings.HasSuffix(got, after)
}

// TestSelectIsRefused: a name that is not known is an error, which suggests the nearest one.
func TestSelectIsRefused(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), countries(), authors(), chosenBooks(), chapters()).as("ada")
		emma, _, _ := stocked(t, db)
		for _, test := range []struct{ name, query, param, detail string }{
			{"an unknown field", "fields=titel", "fields", `has \"titel\", which cannot be chosen; did you mean title?`},
			{"a column that the view does not show", "fields=notes", "fields", `has \"notes\", which cannot be chosen; each name must be one of id, title, author, original, chapters, sequels`},
			{"a long name", "fields=" + strings.Repeat("x", 1000), "fields", `has \"` + strings.Repeat("x", 200)},
			{"a field of another row", "fields=author.name", "fields", `has \"author.name\", which cannot be chosen`},
			{"an empty name", "fields=title,,id", "fields", `has \"\", which cannot be chosen`},
			{"an unknown expansion", "expand=autor", "expand", `has \"autor\", which cannot be chosen; did you mean author?`},
			{"a field of a row to expand", "fields=original.author", "fields", `has \"original.author\", which cannot be chosen; name it in expand`},
			{"an expansion of what rows always have", "expand=chapters", "expand", `has \"chapters\", which cannot be chosen; each name must be one of author, original.author, sequels, sequels.chapters`},
			{"an expansion that is not declared", "expand=author.country", "expand", `has \"author.country\", which cannot be chosen`},
			{"a parameter twice", "fields=id&fields=title", "fields", "is given more than once"},
			{"too many names", "fields=" + strings.Repeat("id,", 100) + "id", "fields", "has more than 100 names"},
		} {
			t.Run(test.name, func(t *testing.T) {
				for _, path := range []string{"/api/books/?", "/api/books/" + emma.ID.String() + "/?"} {
					ada.in(t).get(path+test.query).refuses(400, "invalid_parameter").fault(test.param, "invalid_parameter").says(test.detail)
				}
			})
		}
		ada.get("/api/books/?fields=titel&expand=autor").is(400).says("did you mean title?", "did you mean author?")
		ada.get("/api/books/" + idOf("bob").String() + "/?fields=titel").is(400)
	})
}

// TestSelectOfWrites: the answers of writes have the members of a request without a choice, those of functions have all.
func TestSelectOfWrites(t *testing.T) {
	type view struct {
		BookView
		LeadAuthor *struct {
			Name string `json:"name"`
		} `json:"author_row"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Verbs, v.Relations = framework.CRUD[BookInput, view](), framework.Relations{"lead_author": "authors"}
		v.Select = framework.Select{Expand: []string{"author_row"}}
		v.Actions = []framework.Action[Book]{framework.Post("seen", func(c *framework.Call, row *Book, _ framework.None) (view, error) {
			rows, err := framework.Find[view](c, "books", nil)
			if err != nil || len(rows) == 0 {
				return view{}, err
			}
			return rows[0], nil
		})}
		ada := serve(t, config(db), countries(), authors(), v, chapters()).as("ada")
		author := ada.post("/api/authors/", fields{"name": "Austen"}).is(201).id()
		made := ada.post("/api/books/", fields{"title": "Emma", "author": author}).is(201)
		made.lacks("author_row")
		path := "/api/books/" + made.id() + "/"
		ada.patch(path, fields{"title": "Emma II"}).is(200).lacks("author_row")
		ada.get(path).is(200).lacks("author_row")
		ada.get(path + "?expand=author_row").is(200).says(`"author_row":{"name":"Austen"}`)
		ada.get("/api/books/?expand=author_row").is(200).says(`"author_row":{"name":"Austen"}`)
		ada.get(path+"?fields=id").is(200).head("Trestle-Ignored", "fields")
		ada.post(path+"seen/", fields{}).is(200).says(`"author_row":{"name":"Austen"}`) // a function has all members
		read := ada.get(path + "?expand=author_row").is(200).object()
		ada.put(path, read).is(200).head("Trestle-Ignored", "") // a client can send back what it read
	})
}

// TestSelectOfOtherCallers: a choice shows no row that the scope hides, and no member that a rule hides.
func TestSelectOfOtherCallers(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		a, v := authors(), chosenBooks()
		a.Fields = []framework.FieldRule{framework.Sees("name", framework.HoldsModel("authors"))}
		v.Fields = []framework.FieldRule{framework.Sees("title", framework.HoldsModel("books"))}
		v.Search, v.Ordering = framework.Search{}, framework.Ordering{}
		api := serve(t, config(db), countries(), a, v, chapters())
		emma, _, _ := stocked(t, db)
		path := "/api/books/" + emma.ID.String() + "/"
		api.as("ada").get(path+"?fields=title,id&expand=author").is(200).says(`"author":{"country":`).lacks("Emma", "Austen", `"title"`, `"name":"A`)
		api.as("ada").get("/api/books/?fields=title").is(200).says(`"results":[{},{},{}]`)
		api.as("root").get(path + "?fields=title&expand=author").is(200).says(`{"title":"Emma","author":{"name":"Austen"`)
		api.as("bob").get(path+"?fields=title").refuses(404, "not_found")
		api.as("").get(path+"?fields=id").refuses(401, "authentication_required")
		api.as("bob").get("/api/books/?expand=author").is(200).says(`"results":[]`)
	})
}

// TestSelectWithCursors: a page after a cursor has the members of the first one. The cursor is also one for other members.
func TestSelectWithCursors(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		c, v := config(db), chosenBooks()
		c.CursorKeys = [][]byte{[]byte(strings.Repeat("k", 32))}
		v.Pagination = page.Cursor{Size: 1}
		ada := serve(t, c, countries(), authors(), v, chapters()).as("ada")
		stocked(t, db)
		var titles []string
		next := "/api/books/?fields=chapters&ordering=-title"
		for range 3 {
			var got struct {
				Results []map[string]any
				Next    *string
			}
			ada.get(next).is(200).json(&got)
			titles = append(titles, fmt.Sprint(got.Results))
			if got.Next == nil {
				break
			}
			next = strings.TrimPrefix(*got.Next, ada.url)
			ada.get(strings.Replace(next, "fields=chapters", "fields=title", 1)).is(200).says(`"title"`) // a cursor is a place in the list
		}
		if want := "[[map[chapters:[map[title:Again]]]] [map[chapters:[map[title:One] map[title:Two]]]] [map[chapters:[]]]]"; fmt.Sprint(titles) != want {
			t.Errorf("the pages are %s; want %s", titles, want)
		}
	})
}

// TestSelectOfVersions: a hash of a row has the keys of related rows that only a choice shows. An ETag of any choice names
// the version of the row.
func TestSelectOfVersions(t *testing.T) {
	type view struct {
		Title      string `json:"title"`
		LeadAuthor *struct {
			ID uuid.UUID `json:"id"`
		} `json:"author_row"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Verbs, v.Relations = framework.CRUD[BookInput, view](), framework.Relations{"lead_author": "authors"}
		v.Select, v.Versions = framework.Select{Expand: []string{"author_row"}}, framework.Versions{Hash: true}
		ada := serve(t, config(db), countries(), authors(), v, chapters()).as("ada")
		emma, _, sequel := stocked(t, db)
		path := "/api/books/" + emma.ID.String() + "/"
		tag := ada.get(path + "?expand=author_row").is(200).header.Get("ETag")
		ada.with("If-Match", tag).patch(path, fields{"title": "Emma 1"}).is(200)
		tag = ada.get(path + "?expand=author_row").is(200).header.Get("ETag")
		ada.patch(path, fields{"author": sequel.AuthorID}).is(200)
		ada.with("If-Match", tag).patch(path, fields{"title": "lost"}).refuses(412, "precondition_failed")
		ada.with("If-None-Match", ada.get(path).header.Get("ETag")).get(path + "?expand=author_row").is(200)
	})
}

// TestSelectIsOfItsViewSet: another viewset with the same view has all its members, also in answers of functions. Where nothing is
// chosen, no column is read but the key.
func TestSelectIsOfItsViewSet(t *testing.T) {
	type view struct {
		LeadAuthor *struct {
			Name string `json:"name"`
		} `json:"author"`
		Chapters int64 `json:"chapters" from:"count(chapters)"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Filters, v.Verbs, v.Relations = nil, framework.ReadOnly[view](), framework.Relations{"lead_author": "authors", "chapters": "chapters"}
		v.Select = framework.Select{Expand: []string{"author", "chapters"}}
		plain := books()
		plain.Under, plain.Filters, plain.Verbs, plain.Relations = "plain", nil, framework.ReadOnly[view](), v.Relations
		plain.Collection = []framework.CollectionAction{framework.OnCollection("GET", "all", func(c *framework.Call, _ framework.None) ([]view, error) {
			return framework.Find[view](c, "plain/books", nil)
		})}
		ada := serve(t, config(db), countries(), authors(), v, plain, chapters()).as("ada")
		n := frameworktest.CountStatements(db)
		emma, _, _ := stocked(t, db)
		whole := `{"author":{"name":"Austen"},"chapters":2}`
		read := n.During(func() { ada.get("/api/books/" + emma.ID.String() + "/").is(200).says("{}") })
		if strings.Contains(read[0], `"notes"`) || !strings.Contains(read[0], `SELECT "book"."id" FROM`) {
			t.Errorf("it reads %s", read)
		}
		ada.get("/api/books/").is(200).says(`"results":[{},{},{}]`)
		ada.get("/api/books/?expand=chapters,author").is(200).says(whole)
		ada.get("/api/plain/books/").is(200).says(whole)
		ada.get("/api/plain/books/all/").is(200).says(whole)
	})
}

// TestSelectMistakes: what is wrong in a declaration is reported at start.
func TestSelectMistakes(t *testing.T) {
	wrong := func(s framework.Select) []framework.Resource {
		v := chosenBooks()
		v.Select = s
		return []framework.Resource{countries(), authors(), v, chapters()}
	}
	for _, test := range []struct {
		name     string
		declared []framework.Resource
		want     string
	}{
		{"an unknown member", wrong(framework.Select{Expand: []string{"autor"}}), `books: select: Expand has "autor", which is no member of a view of Retrieve, List or Lists; did you mean author?`},
		{"an unknown member below", wrong(framework.Select{Expand: []string{"author.born"}}), `books: select: Expand has "author.born", which is no member of a view of Retrieve, List or Lists`},
		{"three levels", wrong(framework.Select{Expand: []string{"original.author.country"}}), `Expand has "original.author.country", which is no member`},
		{"a member twice", wrong(framework.Select{Expand: []string{"author", "author"}}), `books: select: Expand has "author" twice`},
		{"a column", wrong(framework.Select{Expand: []string{"title"}}), `books: select: "title" is a column of the row itself; Expand is for related rows and values from them`},
		{"a part of a column", wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Verbs, v.Select.Expand = framework.ReadOnly[BookView](), []string{"created_at.wall"}
		}), `Expand has "created_at.wall", but Time writes its JSON itself; leave out MarshalJSON, or expand the whole member`},
		{"no view", wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Verbs = framework.Verbs{Create: framework.Accepts[BookInput, BookView]()}
			v.Select.Fields = true
		}), `books: select: no Retrieve, no List and no action of Lists shows a view; it needs one`},
	} {
		t.Run(test.name, func(t *testing.T) {
			apitest.Mistake(t, config(sqlite(t)), test.want, test.declared...)
		})
	}
}

// TestSelectOfExports: an export has a column for each chosen member alone.
func TestSelectOfExports(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := chosenBooks()
		v.Export = []framework.Media{framework.CSV, framework.NDJSON}
		ada := serve(t, config(db), countries(), authors(), v, chapters()).as("ada")
		stocked(t, db)
		for query, want := range map[string]string{
			"format=csv&fields=title":                   strings.Join([]string{"title", "Anon", "Emma", "Emma II", ""}, "\r\n"),
			"format=csv&fields=title&expand=author":     "title,author.name,author.country.id,author.country.name\r\nAnon,,,\r\nEmma,Austen,*,England\r\nEmma II,Stateless,,\r\n",
			"format=ndjson&fields=title&search=sequel":  "",
			"format=ndjson&fields=title&ordering=title": "{\"title\":\"Anon\"}\n{\"title\":\"Emma\"}\n{\"title\":\"Emma II\"}",
		} {
			if got := ada.get("/api/books/?" + query).is(200).body; !likeText(strings.TrimSpace(got), strings.TrimSpace(want)) {
				t.Errorf("%s is %q; want %q", query, got, want)
			}
		}
		ada.get("/api/books/?format=csv&fields=titel").refuses(400, "invalid_parameter")
	})
}
