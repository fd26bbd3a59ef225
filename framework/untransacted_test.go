package framework_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestUntransacted: the function runs on the pool, holding neither a
// transaction nor the one writer of SQLite.
func TestUntransacted(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		var ada *client
		nothing := framework.None{}
		note := func(c *framework.Call, text string) error {
			_, err := c.DB.NewInsert().Model(&Note{Room: "log", Text: text}).Exec(c)
			return err
		}
		outside := func(c *framework.Call) error {
			if _, pooled := c.DB.(interface{ PingContext(context.Context) error }); c.Session().InTx() || !pooled {
				return errors.New("the function runs in a transaction")
			}
			return nil
		}
		// meanwhile writes by another request and then on the pool; neither
		// could while this one held the writer.
		meanwhile := func(c *framework.Call, text string) error {
			ada.post("/api/notes/", fields{"room": "log", "text": text + " elsewhere"}).is(201)
			return errors.Join(outside(c), note(c, text+" itself"))
		}
		v, n := books(), notes()
		v.Actions = []framework.Action[Book]{
			framework.Post("ask", func(c *framework.Call, b *Book, _ framework.None) (framework.None, error) {
				b.Notes = "asked"
				return nothing, errors.Join(meanwhile(c, "action"), c.InTx(func(c *framework.Call) error { return framework.Save(c, b) }))
			}).Untransacted(),
			framework.Post("bare", func(c *framework.Call, b *Book, _ framework.None) (framework.None, error) {
				if framework.Save(c, b) == nil {
					return nothing, errors.New("a row was saved outside of a transaction")
				}
				return nothing, nil
			}).Untransacted(),
			framework.Post("held", func(c *framework.Call, b *Book, _ framework.None) (framework.None, error) {
				if !c.Session().InTx() {
					return nothing, errors.New("a function that was not declared so runs outside of a transaction")
				}
				return nothing, nil
			}),
		}
		v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "ask", func(c *framework.Call, _ framework.None) (framework.None, error) {
			return nothing, meanwhile(c, "collection")
		}).Untransacted()}
		v.Verbs.Update = framework.Changes(func(c *framework.Call, b *Book, _ BookInput) (BookView, error) {
			return BookView{ID: b.ID}, meanwhile(c, "changes")
		}).Untransacted()
		n.Name, n.Verbs.Create = "orders", framework.Does(func(c *framework.Call, in NoteInput) (NoteView, error) {
			if err := note(c, "kept"); err != nil {
				return NoteView{}, err
			}
			if in.Text == "refused" {
				return NoteView{}, framework.Conflict("refused", "It is refused.")
			}
			return NoteView{NoteInput: in}, meanwhile(c, "does")
		}).Untransacted()
		ada = serve(t, config(db), countries(), authors(), v, notes(), n).as("ada")
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"

		ada.post(path+"ask/", nil).is(204)
		ada.get(path).is(200).says(`"notes":"asked"`)
		ada.post(path+"bare/", nil).is(204)
		ada.post(path+"held/", nil).is(204)
		ada.post("/api/books/ask/", nil).is(204)
		ada.put(path, fields{"title": "Emma"}).is(200)
		ada.post("/api/orders/", fields{"room": "x"}).is(201)
		ada.post("/api/orders/", fields{"room": "x", "text": "refused"}).refuses(409, "refused")
		ada.as("bob").post(path+"ask/", nil).refuses(404, "not_found")

		var texts []string
		if err := db.NewSelect().Model((*Note)(nil)).Column("text").OrderExpr("id").Scan(t.Context(), &texts); err != nil {
			t.Fatal(err)
		}
		want := "action elsewhere, action itself, collection elsewhere, collection itself, changes elsewhere, changes itself, kept, does elsewhere, does itself, kept"
		if got := strings.Join(texts, ", "); got != want {
			t.Errorf("what was written is\n%s\nwant\n%s", got, want)
		}
	})
}

// TestInTx: the writes of its function are committed or rolled back together, and retried
// if the database requires it. Inside another transaction they are part of that.
func TestInTx(t *testing.T) {
	type asked struct {
		How string `json:"how"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		again := retries(t, db)
		runs := 0
		add := func(c *framework.Call, text string) error { return framework.Insert(c, &Note{Room: "log", Text: text}) }
		run := func(c *framework.Call, in asked) (framework.None, error) {
			runs = 0
			err := c.InTx(func(c *framework.Call) error {
				runs++
				if !c.Session().InTx() {
					return errors.New("it is no transaction")
				}
				if err := add(c, fmt.Sprint("outer ", runs)); err != nil {
					return err
				}
				if in.How == "again" && runs < 3 {
					return again()
				}
				err := c.InTx(func(inner *framework.Call) error {
					if inner != c {
						return errors.New("a transaction within another is one of its own")
					}
					return add(inner, "inner")
				})
				if in.How == "undo" {
					return framework.Conflict("undone", "It is undone.")
				}
				return err
			})
			return framework.None{}, err
		}
		v := notes()
		v.Collection = []framework.CollectionAction{
			framework.OnCollection("POST", "loose", run).Untransacted(), framework.OnCollection("POST", "held", run),
		}
		ada := serve(t, config(db), v).as("ada")
		texts := func() string {
			got := fmt.Sprint(ada.get("/api/notes/").list().values("text"))
			if _, err := db.Exec("DELETE FROM notes"); err != nil {
				t.Fatal(err)
			}
			return got
		}
		for _, c := range []struct {
			name, path, how string
			status          int
			texts           string
		}{
			{"is committed", "loose", "keep", 204, "[outer 1 inner]"},
			{"is undone whole", "loose", "undo", 409, "[]"},
			{"is done again", "loose", "again", 204, "[outer 3 inner]"},
			{"is part of the request's own transaction", "held", "keep", 204, "[outer 1 inner]"},
			{"is undone with it", "held", "undo", 409, "[]"},
		} {
			t.Run(c.name, func(t *testing.T) {
				ada.in(t).post("/api/notes/"+c.path+"/", asked{c.how}).is(c.status)
				if got := texts(); got != c.texts {
					t.Errorf("there are %s, want %s", got, c.texts)
				}
			})
		}
	})
}

// TestFaultyBodiesTakeNoLock: while another transaction has the writer of SQLite, an
// invalid body is rejected at once.
func TestFaultyBodiesTakeNoLock(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v, n := books(), notes()
		v.Actions = []framework.Action[Book]{framework.Post("copy", copyOut)}
		v.Verbs.Update = framework.Changes(func(_ *framework.Call, b *Book, in BookInput) (BookView, error) { return BookView{ID: b.ID}, nil })
		n.Verbs.Create = framework.Does(func(_ *framework.Call, in NoteInput) (NoteView, error) { return NoteView{NoteInput: in}, nil })
		ada := serve(t, config(db), countries(), authors(), v, chapters(), n, profile()).as("ada")
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"
		err := db.InTx(t.Context(), func(ctx context.Context, s *sqldb.Session) error {
			if _, err := s.IDB().NewUpdate().Model((*Book)(nil)).Set("pages = 9").Where("1 = 1").Exec(ctx); err != nil {
				return err
			}
			ada.post("/api/books/", fields{}).refuses(400, "validation_failed").fault("/title", "required")
			ada.post("/api/books/", fields{"author": missing}).refuses(400, "validation_failed").fault("/title", "required").fault("/author", "invalid_reference")
			ada.post("/api/books/", "").refuses(400, "invalid_json")
			ada.patch(path, fields{"title": ""}).refuses(400, "validation_failed").fault("/title", "required")
			ada.put(path, fields{}).refuses(400, "validation_failed").fault("/title", "required")
			ada.as("bob").patch(path, fields{"title": ""}).refuses(404, "not_found")
			ada.post(path+"copy/", fields{"times": 9}).refuses(400, "validation_failed").fault("/times", "max")
			ada.post("/api/notes/", fields{}).refuses(400, "validation_failed").fault("/room", "required")
			ada.put("/api/profile/", fields{}).refuses(400, "validation_failed").fault("/nickname", "required")
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
