package framework_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// missing is a well-formed id that no row has.
const missing = "00000000-0000-7000-8000-0000000000ff"

// TestVerbs walks one book through its life.
func TestVerbs(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), shelves()...).as("ada")

		made := ada.post("/api/books/", fields{"title": "Emma", "pages": 474, "isbn": "0-14"}).is(201)
		id := made.id()
		if u, err := uuid.Parse(id); err != nil || u.Version() != 7 {
			t.Errorf("the id %q is not a UUIDv7", id)
		}
		made.says(`"title":"Emma"`, `"status":"draft"`, `"author":null`, `"published_at":null`)
		if o := made.object(); o["created_at"] != o["updated_at"] || !strings.HasSuffix(o["created_at"].(string), "Z") {
			t.Errorf("a new book was created and updated at one time, in UTC: %v %v", o["created_at"], o["updated_at"])
		}
		if got := ada.get("/api/books/" + id + "/").is(200); got.body != made.body {
			t.Errorf("retrieve shows %s, create showed %s", got.body, made.body)
		}
		if got := ada.get("/api/books/").list(); *got.Count != 1 || got.Results[0]["id"] != id {
			t.Errorf("the list is %v", got)
		}
		changed := ada.patch("/api/books/"+id+"/", fields{"pages": 480}).is(200).says(`"pages":480`, `"title":"Emma"`)
		if changed.object()["created_at"] != made.object()["created_at"] || changed.object()["updated_at"].(string) < made.object()["updated_at"].(string) {
			t.Error("a change moves updated_at and leaves created_at")
		}
		ada.put("/api/books/"+id+"/", fields{"title": "Emma II"}).is(200).says(`"pages":0`, `"isbn":null`)
		gone := ada.delete("/api/books/" + id + "/").is(204)
		if gone.body != "" || gone.header.Get("Content-Type") != "" {
			t.Errorf("204 has no body: %q", gone.body)
		}
		for _, again := range []*answer{
			ada.get("/api/books/" + id + "/"), ada.delete("/api/books/" + id + "/"),
			ada.patch("/api/books/"+id+"/", fields{"pages": 1}), ada.put("/api/books/"+id+"/", fields{"title": "x"}),
		} {
			again.refuses(404, "not_found")
		}
	})
}

// TestPut: what is absent returns to its default.
func TestPut(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), shelves()...).as("ada")
		author := ada.post("/api/authors/", fields{"name": "Austen"}).is(201).id()
		whole := fields{"title": "Emma", "isbn": "0-14", "slug": "emma", "pages": 474, "status": "out", "published_at": "1815-12-23T00:00:00Z", "author": author, "notes": "good"}
		id := ada.post("/api/books/", whole).is(201).says(author, `"1815-12-23T00:00:00Z"`).id()

		after := ada.put("/api/books/"+id+"/", fields{"title": "Emma"}).is(200).object()
		want := fields{"title": "Emma", "isbn": nil, "slug": "", "pages": 0.0, "status": "draft", "published_at": nil, "author": nil, "notes": ""}
		for name, want := range want {
			if after[name] != want {
				t.Errorf("absent from a PUT, %s is %v; want %v", name, after[name], want)
			}
		}
		ada.put("/api/books/"+id+"/", fields{"pages": 3}).refuses(400, "validation_failed").fault("/title", "required")
		ada.get("/api/books/" + id + "/").says(`"pages":0`)
	})
}

// TestPatch distinguishes absent, null and empty.
func TestPatch(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), shelves()...).as("ada")
		whole := fields{"title": "Emma", "isbn": "0-14", "pages": 474, "status": "out", "published_at": "1815-12-23T00:00:00Z", "notes": "good"}
		id := ada.post("/api/books/", whole).is(201).id()
		path := "/api/books/" + id + "/"
		for _, c := range []struct {
			name  string
			body  any
			says  string
			fault string // place and code, if the body is rejected
		}{
			{"nothing changes nothing", fields{}, `"isbn":"0-14"`, ""},
			{"absent stays", fields{"notes": "bad"}, `"isbn":"0-14"`, ""},
			{"null empties what may be null", fields{"isbn": nil}, `"isbn":null`, ""},
			{"null is refused where nothing may be null", fields{"pages": nil}, "", "/pages null"},
			{"null is refused for text", fields{"notes": nil}, "", "/notes null"},
			{"an empty text is a value", fields{"notes": ""}, `"notes":""`, ""},
			{"zero is a value", fields{"pages": 0}, `"pages":0`, ""},
			{"a blank does not satisfy required", fields{"title": "  "}, "", "/title required"},
			{"null does not satisfy required", fields{"title": nil}, "", "/title null"},
			{"text is trimmed", fields{"notes": "  kept in  "}, `"notes":"kept in"`, ""},
			{"a time in another zone becomes UTC", fields{"published_at": "2026-01-31T09:30:00+05:30"}, `"published_at":"2026-01-31T04:00:00Z"`, ""},
			{"a rule holds", fields{"status": "burnt"}, "", "/status oneof"},
		} {
			t.Run(c.name, func(t *testing.T) {
				a := ada.in(t).patch(path, c.body)
				if c.fault == "" {
					a.is(200).says(c.says)
					return
				}
				place, code, _ := strings.Cut(c.fault, " ")
				a.refuses(400, "validation_failed").fault(place, code)
			})
		}
	})
}

// TestSentBack: the answer of a read can be sent by PUT, and only a changed read-only value
// is reported.
func TestSentBack(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), shelves()...).as("ada")
		read := ada.post("/api/books/", fields{"title": "Emma", "pages": 5}).is(201).object()
		path := "/api/books/" + read["id"].(string) + "/"

		ada.put(path, read).is(200).head("Trestle-Ignored", "").says(`"pages":5`)
		read = ada.get(path).object()
		read["id"], read["created_at"], read["pages"] = missing, "2001-01-01T00:00:00Z", 6
		ada.put(path, read).is(200).head("Trestle-Ignored", "/created_at, /id").says(`"pages":6`, path[len("/api/books/"):len(path)-1])
		ada.patch(path, fields{"id": missing}).is(200).head("Trestle-Ignored", "/id")
		ada.post("/api/books/", fields{"title": "Other", "id": missing}).is(201).head("Trestle-Ignored", "/id").lacks(missing)
	})
}

// TestSubsets: a verb that is not declared is 405 and Allow names the others;
// who must sign in learns that first.
func TestSubsets(t *testing.T) {
	only := func(verbs framework.Verbs) framework.ViewSet[Book] {
		return framework.ViewSet[Book]{Name: "books", Verbs: verbs, Scope: framework.Own((*Book).owner)}
	}
	show, write := framework.Shows[BookView](), framework.Accepts[BookInput, BookView]()
	for _, c := range []struct {
		name        string
		verbs       framework.Verbs
		list, items string // Allow
	}{
		{"all", framework.CRUD[BookInput, BookView](), "GET, HEAD, POST, OPTIONS", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"},
		{"reading", framework.ReadOnly[BookView](), "GET, HEAD, OPTIONS", "GET, HEAD, OPTIONS"},
		{"listing", framework.Verbs{List: show}, "GET, HEAD, OPTIONS", ""},
		{"adding", framework.Verbs{Create: write}, "POST, OPTIONS", ""},
		{"one by one", framework.Verbs{Retrieve: show}, "", "GET, HEAD, OPTIONS"},
		{"replacing", framework.Verbs{Update: write}, "", "PUT, OPTIONS"},
		{"patching", framework.Verbs{Patch: write}, "", "PATCH, OPTIONS"},
		{"deleting", framework.Verbs{Delete: framework.Deletes()}, "", "DELETE, OPTIONS"},
		{"append only", framework.Verbs{List: show, Create: write, Retrieve: show}, "GET, HEAD, POST, OPTIONS", "GET, HEAD, OPTIONS"},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := serve(t, config(sqlite(t)), authors(), countries(), only(c.verbs))
			for path, allow := range map[string]string{"/api/books/": c.list, "/api/books/" + missing + "/": c.items} {
				for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "REPORT", "QUERY", "MADEUP"} {
					switch {
					case allow == "":
						api.as("ada").do(method, path, nil).refuses(404, "not_found")
					case !slices.Contains(strings.Split(allow, ", "), method):
						api.as("").do(method, path, nil).refuses(401, "authentication_required").head("WWW-Authenticate", `Name realm="library"`)
						api.as("nobody").do(method, path, nil).refuses(401, "invalid_token")
						api.as("ada").do(method, path, nil).refuses(405, "method_not_allowed").head("Allow", allow)
					}
				}
			}
		})
	}
}

// TestFills: input that is no column goes through a function, in Create,
// Update and Patch.
func TestFills(t *testing.T) {
	type input struct {
		Title  string `json:"title" validate:"required"`
		Shout  bool   `json:"shout"`
		Suffix string `json:"suffix"`
	}
	fill := func(c *framework.Call, b *Book, in input) error {
		if in.Shout {
			b.Title = strings.ToUpper(in.Title) + "!"
		}
		if in.Suffix == "bad" {
			return framework.Invalid(framework.Fault{Pointer: "/suffix", Code: "bad", Detail: "is bad"})
		}
		b.Title += in.Suffix
		b.Slug = c.Route.Name
		return nil
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		filled := framework.Fills[BookView](fill)
		v.Verbs.Create, v.Verbs.Update, v.Verbs.Patch = filled, filled, filled
		ada := serve(t, config(db), countries(), authors(), v, chapters()).as("ada")

		id := ada.post("/api/books/", fields{"title": "Emma", "shout": true}).is(201).says(`"title":"EMMA!"`, `"slug":"create"`).id()
		ada.put("/api/books/"+id+"/", fields{"title": "Emma", "suffix": "-II"}).is(200).says(`"title":"Emma-II"`, `"slug":"update"`)
		ada.patch("/api/books/"+id+"/", fields{"suffix": "-and-more"}).is(200).says(`"title":"Emma-II-and-more"`, `"slug":"patch"`)
		ada.get("/api/books/?search=II-and").says(`"count":1`)
		ada.patch("/api/books/"+id+"/", fields{"suffix": "bad"}).refuses(400, "validation_failed").fault("/suffix", "bad")
		ada.as("bob").patch("/api/books/"+id+"/", fields{"suffix": "x"}).refuses(404, "not_found")
		ada.get("/api/books/" + id + "/").says(`"title":"Emma-II-and-more"`)
	})
}

// TestDoes: Create is a function of its own, in one transaction with whatever
// it does.
func TestDoes(t *testing.T) {
	type order struct {
		Titles []string `json:"titles" validate:"required,max=5"`
	}
	type receipt struct {
		Ordered int `json:"ordered"`
	}
	buy := func(c *framework.Call, in order) (receipt, error) {
		for i, title := range in.Titles {
			n := Note{Room: c.Caller.Name, Text: title}
			if _, err := c.DB.NewInsert().Model(&n).Exec(c); err != nil {
				return receipt{}, err
			}
			if title == "forbidden" {
				return receipt{}, framework.Conflict("sold_out", fmt.Sprintf("Title %d is sold out.", i))
			}
		}
		return receipt{len(in.Titles)}, nil
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := notes()
		v.Verbs.Create = framework.Does(buy)
		ada := serve(t, config(db), v).as("ada")
		ada.post("/api/notes/", order{[]string{"a", "b"}}).is(201).says(`{"ordered":2}`)
		ada.post("/api/notes/", order{[]string{"c", "forbidden"}}).refuses(409, "sold_out")
		ada.post("/api/notes/", fields{}).refuses(400, "validation_failed").fault("/titles", "required")
		ada.post("/api/notes/", fields{"titles": []string{"d"}, "title": 1}).is(201).head("Trestle-Ignored", "/title; did you mean /titles?")
		if got := fmt.Sprint(ada.get("/api/notes/").list().values("text")); got != "[a b d]" {
			t.Errorf("what a refused order did is undone: %s", got)
		}
	})
}

// TestChanges: Update, Patch and Delete are functions of their own. The
// object arrives in scope.
func TestChanges(t *testing.T) {
	type rename struct {
		Title *string `json:"title" validate:"max=10"`
	}
	change := func(c *framework.Call, b *Book, in rename) (BookView, error) {
		if in.Title != nil {
			b.Title = *in.Title
		}
		_, err := c.DB.NewUpdate().Model(b).Column("title").WherePK().Exec(c)
		return BookView{ID: b.ID, BookInput: BookInput{Title: b.Title}}, err
	}
	remove := func(c *framework.Call, b *Book, _ framework.None) (framework.None, error) {
		if b.Title == "kept" {
			return framework.None{}, framework.Conflict("kept", "This one is kept.")
		}
		_, err := c.DB.NewDelete().Model(b).WherePK().Exec(c)
		return framework.None{}, err
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Verbs.Update, v.Verbs.Patch, v.Verbs.Delete = framework.Changes(change), framework.Changes(change), framework.Changes(remove)
		ada := serve(t, config(db), countries(), authors(), v, chapters()).as("ada")
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"

		ada.patch(path, fields{"title": "kept"}).is(200).says(`"title":"kept"`)
		ada.put(path, fields{"title": "much too long"}).refuses(400, "validation_failed").fault("/title", "max")
		ada.delete(path).refuses(409, "kept")
		ada.as("bob").put(path, fields{"title": "mine"}).refuses(404, "not_found")
		ada.as("bob").delete(path).refuses(404, "not_found")
		ada.put(path, fields{"title": "free"}).is(200).says(`"title":"free"`)
		ada.delete(path).is(204)
		ada.get(path).refuses(404, "not_found")
	})
}

// TestAnswers: a verb or an action may choose its status of success.
func TestAnswers(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Verbs.Create = v.Verbs.Create.Answers(202)
		v.Verbs.Update = v.Verbs.Update.Answers(203)
		v.Verbs.Delete = framework.Changes(nothing).Answers(205)
		v.Actions = []framework.Action[Book]{framework.Post("lend", lend).Answers(202)}
		v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "summary", summary).Answers(201)}
		ada := serve(t, config(db), countries(), authors(), v, chapters()).as("ada")
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(202).id() + "/"
		ada.put(path, fields{"title": "Emma"}).is(203)
		ada.post(path+"lend/", nil).is(202)
		ada.post("/api/books/summary/", nil).is(201)
		ada.delete(path).is(205)
	})
}

// TestLookup: item paths carry another field than the key.
func TestLookup(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Lookup = "slug"
		v.Actions = []framework.Action[Book]{framework.Post("lend", lend)}
		ada := serve(t, config(db), countries(), authors(), v, chapters()).as("ada")
		for slug, path := range map[string]string{
			"emma": "emma", "a b": "a%20b", "a/b": "a%2Fb", "café": "caf%C3%A9", "100%": "100%25", "x?y#z": "x%3Fy%23z", "lend": "lend",
		} {
			id := ada.post("/api/books/", fields{"title": slug, "slug": slug}).is(201).id()
			ada.get("/api/books/" + path + "/").is(200).says(id)
			ada.get("/api/books/" + path).is(200).says(id)
			ada.patch("/api/books/"+path+"/", fields{"pages": 7}).is(200).says(id, `"pages":7`)
			ada.post("/api/books/"+path+"/lend/", nil).is(204)
			ada.as("bob").get("/api/books/"+path+"/").refuses(404, "not_found")
			ada.delete("/api/books/" + path + "/").is(204)
			ada.get("/api/books/"+id+"/").refuses(404, "not_found")
		}
		ada.get("/api/books/%00/").refuses(404, "not_found")
		ada.get("/api/books/%ff/").refuses(404, "not_found")
	})
}

// TestMalformedIDs: an invalid id is answered like an id of no row.
func TestMalformedIDs(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := serve(t, config(db), append(shelves(), notes())...)
		for _, id := range []string{
			"x", "0", "-1", "null", "{" + missing + "}", "urn:uuid:" + missing, strings.ReplaceAll(missing, "-", ""),
			missing + "0", "%27%20OR%201=1", "%00", "..%2f..", strings.Repeat("9", 400), "%ff%fe",
		} {
			for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
				api.as("ada").do(method, "/api/books/"+id+"/", `{"title":"x"}`).refuses(404, "not_found")
			}
		}
		for _, id := range []string{"x", "1.0", "+1", "-1", "99999999999999999999", "1e3", "0x1", "%201"} {
			api.as("ada").get("/api/notes/"+id+"/").refuses(404, "not_found")
		}
	})
}

// notes have numbers for keys, which the database makes.
func notes() framework.ViewSet[Note] {
	return framework.ViewSet[Note]{Name: "notes", Verbs: framework.CRUD[NoteInput, NoteView](), Scope: framework.Public()}
}

type NoteInput struct {
	Room string `json:"room" validate:"required"`
	Text string `json:"text"`
}

type NoteView struct {
	ID int64 `json:"id"`
	NoteInput
}

// TestNumberedKeys: a key that the database makes.
func TestNumberedKeys(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), notes()).as("ada")
		ada.post("/api/notes/", fields{"room": "hall", "text": "one"}).is(201).says(`{"id":1,"room":"hall","text":"one"}`)
		ada.post("/api/notes/", fields{"room": "hall", "id": 77}).is(201).says(`"id":2`).head("Trestle-Ignored", "/id")
		ada.patch("/api/notes/1/", fields{"text": "uno"}).is(200).says(`{"id":1,"room":"hall","text":"uno"}`)
		ada.get("/api/notes/2/").is(200).says(`"room":"hall"`)
		ada.delete("/api/notes/1/").is(204)
		ada.get("/api/notes/1/").refuses(404, "not_found")
	})
}
