package framework_test

import (
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestViaNeedsAnOwnedRow: whose a row is, its owner decides. To see another's
// row is not enough to put one's own below it, new or moved.
func TestViaNeedsAnOwnedRow(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := serve(t, config(db), shelves()...)
		emma := api.as("ada").post("/api/books/", fields{"title": "Emma"}).is(201).id()
		// Vic may view, Max view and change, Root do anything with books; none
		// of that says a word about chapters.
		for _, caller := range []string{"vic", "max", "root"} {
			t.Run(caller, func(t *testing.T) {
				it := api.in(t).as(caller)
				it.get("/api/books/" + emma + "/").is(200)
				own := it.as("bob").post("/api/books/", fields{"title": "For " + caller}).is(201).id()
				if _, err := db.Exec("UPDATE books SET owner_id = ? WHERE id = ?", callers[caller].ID, own); err != nil {
					t.Fatal(err)
				}
				chapter := "/api/chapters/" + it.post("/api/chapters/", fields{"book": own, "number": 1, "title": "One"}).is(201).id() + "/"
				under := fields{"book": emma, "number": 7, "title": "Planted"}
				for _, a := range []*answer{it.post("/api/chapters/", under), it.put(chapter, under), it.patch(chapter, fields{"book": emma})} {
					a.refuses(400, "validation_failed").fault("/book", "invalid_reference")
				}
				sameRefusal(t, it.patch(chapter, fields{"book": emma}), it.patch(chapter, fields{"book": missing}))
				it.get(chapter).is(200).says(own)
			})
		}
		if n := *api.as("ada").get("/api/chapters/").list().Count; n != 0 {
			t.Errorf("Ada's book has %d chapters that she did not write", n)
		}
	})
}

// TestViaWhereTheScopeIsLifted: a caller that has every row of the viewset for a verb may
// use each row that the caller sees for that verb.
func TestViaWhereTheScopeIsLifted(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := chapters()
		v.Scope = v.Scope.Unless(framework.HoldsModel("books"))
		api := serve(t, config(db), countries(), authors(), books(), v)
		emma := api.as("ada").post("/api/books/", fields{"title": "Emma"}).is(201).id()
		dune := api.as("bob").post("/api/books/", fields{"title": "Dune"}).is(201).id()
		chapter := "/api/chapters/" + api.as("ada").post("/api/chapters/", fields{"book": emma, "number": 1, "title": "One"}).is(201).id() + "/"

		moved := fields{"book": dune, "number": 1, "title": "Moved"}
		api.as("max").put(chapter, moved).is(200).says(dune)
		api.as("max").patch(chapter, fields{"book": emma}).is(200).says(emma)
		api.as("max").post("/api/chapters/", fields{"book": emma, "number": 2, "title": "Two"}).refuses(400, "validation_failed").fault("/book", "invalid_reference")
		api.as("vic").get(chapter).is(200)
		api.as("vic").patch(chapter, fields{"book": dune}).refuses(404, "not_found")
		api.as("root").post("/api/chapters/", fields{"book": emma, "number": 2, "title": "Two"}).is(201)
		api.as("root").post("/api/chapters/", fields{"book": missing, "number": 3, "title": "x"}).refuses(400, "validation_failed").fault("/book", "invalid_reference")
	})
}

// TestViaThroughAnotherViewset: the reference may name a wider viewset of the
// same model; the one that the scope names decides all the same.
func TestViaThroughAnotherViewset(t *testing.T) {
	type wideInput struct {
		BookID uuid.UUID `json:"book" ref:"anybooks" validate:"required"`
		Number int64     `json:"number"`
		Title  string    `json:"title"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := chapters()
		v.Verbs = framework.CRUD[wideInput, ChapterView]()
		every := framework.ViewSet[Book]{Name: "anybooks", Verbs: framework.ReadOnly[BookView](), Scope: framework.Public()}
		api := serve(t, config(db), countries(), authors(), books(), v, every)
		emma := api.as("ada").post("/api/books/", fields{"title": "Emma"}).is(201).id()
		api.as("bob").get("/api/anybooks/" + emma + "/").is(200)
		body := fields{"book": emma, "number": 1, "title": "One"}
		api.as("bob").post("/api/chapters/", body).refuses(400, "validation_failed").fault("/book", "invalid_reference")
		api.as("ada").post("/api/chapters/", body).is(201)
	})
}

// TestReferenceThatDoesNotOwn: a plain reference needs only to be visible.
func TestReferenceThatDoesNotOwn(t *testing.T) {
	type sequelInput struct {
		Title    string     `json:"title" validate:"required"`
		SequelTo *uuid.UUID `json:"sequel_to" ref:"books"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Verbs.Create = framework.Accepts[sequelInput, BookView]()
		v.Verbs.Patch = framework.Accepts[sequelInput, BookView]()
		api := serve(t, config(db), countries(), authors(), v, chapters())
		emma := api.as("ada").post("/api/books/", fields{"title": "Emma"}).is(201).id()
		made := api.as("vic").post("/api/books/", fields{"title": "Emma, again", "sequel_to": emma}).is(201).id()
		api.as("vic").patch("/api/books/"+made+"/", fields{"sequel_to": emma}).is(200)
		api.as("vic").patch("/api/books/"+made+"/", fields{"sequel_to": missing}).refuses(400, "validation_failed").fault("/sequel_to", "invalid_reference")
		for _, c := range []struct {
			caller string
			status int
		}{{"max", 201}, {"bob", 400}, {"eve", 400}} {
			api.as(c.caller).post("/api/books/", fields{"title": "After " + c.caller, "sequel_to": emma}).is(c.status)
		}
	})
}
