package framework_test

import (
	"fmt"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

type copies struct {
	Times int64 `json:"times" default:"1" validate:"min=1,max=3"`
}

type copied struct {
	Titles []string `json:"titles"`
}

// copyOut makes copies of a book, and returns an error in the middle if the title requires
// it.
func copyOut(c *framework.Call, b *Book, in copies) (copied, error) {
	out := copied{}
	for i := range in.Times {
		twin := *b
		twin.ID, twin.Title = missingPlus(byte(i)), fmt.Sprintf("%s, copy %d", b.Title, i+1)
		if _, err := c.DB.NewInsert().Model(&twin).Exec(c); err != nil {
			return out, err
		}
		out.Titles = append(out.Titles, twin.Title)
	}
	if in.Times == 3 {
		return out, framework.Conflict("too_many", "Three copies are too many.").With(map[string]int{"most": 2})
	}
	return out, nil
}

// TestActions on one object.
func TestActions(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Actions = []framework.Action[Book]{
			framework.Post("copy", copyOut),
			framework.Get("copy", func(_ *framework.Call, b *Book, _ framework.None) (copied, error) {
				return copied{[]string{b.Title}}, nil
			}),
			framework.Put("place", func(_ *framework.Call, _ *Book, in BookInput) (BookInput, error) { return in, nil }),
			framework.Patch("mend", func(_ *framework.Call, _ *Book, in BookInput) (BookInput, error) { return in, nil }),
			framework.Delete("burn", lend),
		}
		ada := serve(t, config(db), countries(), authors(), v).as("ada")
		id := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
		path := "/api/books/" + id + "/"
		titles := func() string { return fmt.Sprint(ada.get("/api/books/").list().values("title")) }

		ada.get(path + "copy/").is(200).says(`{"titles":["Emma"]}`)
		ada.post(path+"copy/", fields{"times": 3}).refuses(409, "too_many").says(`"details":{"most":2}`)
		if got := titles(); got != "[Emma]" {
			t.Errorf("what a refused action did is undone: %s", got)
		}
		ada.post(path+"copy/", fields{"times": 9, "more": 1}).refuses(400, "validation_failed").fault("/times", "max")
		ada.put(path+"place/", "").refuses(400, "invalid_json").says("The body is empty")
		ada.post(path+"copy/", " {").refuses(400, "invalid_json")
		ada.post(path+"copy/", "").is(200).says(`{"titles":["Emma, copy 1"]}`) // it requires nothing
		if got := titles(); got != "[Emma Emma, copy 1]" {
			t.Errorf("got %s", got)
		}
		ada.put(path+"place/", fields{"title": "x"}).is(200).says(`"status":"draft"`)
		ada.patch(path+"mend/", fields{"title": "x", "titel": 1}).is(200).head("Trestle-Ignored", "/titel; did you mean /title?")
		for _, body := range []any{nil, "", "{}", "  "} {
			ada.do("DELETE", path+"burn/", body).is(204)
		}
		ada.do("DELETE", path+"burn/", "[]").refuses(400, "invalid_json")
		ada.do("DELETE", path+"burn/", `{"x":1}`).is(204).head("Trestle-Ignored", "/x")
		ada.get(path+"burn/").refuses(405, "method_not_allowed").head("Allow", "DELETE, OPTIONS")
		ada.patch(path+"copy/", fields{}).refuses(405, "method_not_allowed").head("Allow", "GET, HEAD, POST, OPTIONS")
		ada.do("HEAD", path+"copy/", nil).is(200)
		ada.as("").post(path+"copy/", fields{}).refuses(401, "authentication_required")
		ada.get(path+"nothing/").refuses(404, "not_found")
	})
}

// TestCollectionActions on the whole.
func TestCollectionActions(t *testing.T) {
	type room struct {
		Room string `json:"room" validate:"required"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := notes()
		v.Collection = []framework.CollectionAction{
			framework.OnCollection("GET", "summary", func(c *framework.Call, _ framework.None) (map[string]int, error) {
				n, err := c.DB.NewSelect().Model((*Note)(nil)).Count(c)
				return map[string]int{"notes": int(n)}, err
			}).Doc("How many there are."),
			framework.OnCollection("POST", "import", func(c *framework.Call, in room) ([]NoteView, error) {
				for range 2 {
					if _, err := c.DB.NewInsert().Model(&Note{Room: in.Room}).Exec(c); err != nil {
						return nil, err
					}
				}
				if in.Room == "full" {
					return nil, framework.Conflict("full", "The room is full.")
				}
				return nil, nil
			}),
		}
		ada := serve(t, config(db), v).as("ada")
		ada.post("/api/notes/import/", room{"hall"}).is(200).says(`[]`)
		ada.post("/api/notes/import/", room{"full"}).refuses(409, "full")
		ada.post("/api/notes/import/", room{}).refuses(400, "validation_failed").fault("/room", "required")
		ada.get("/api/notes/summary/").is(200).says(`{"notes":2}`)
		ada.get("/api/notes/summary").is(200)
		ada.delete("/api/notes/summary/").refuses(405, "method_not_allowed").head("Allow", "GET, HEAD, OPTIONS")
		ada.as("").get("/api/notes/summary/").refuses(401, "authentication_required")
	})
}

// TestActionsOnly: a viewset may have no verb at all.
func TestActionsOnly(t *testing.T) {
	v := framework.ViewSet[Note]{Name: "tools", Scope: framework.Public(), Collection: []framework.CollectionAction{framework.OnCollection("POST", "sweep", summary)}}
	ada := serve(t, config(sqlite(t)), v).as("ada")
	ada.post("/api/tools/sweep/", nil).is(204)
	ada.get("/api/tools/").refuses(404, "not_found")
}
