package framework_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A chapter's book without a ref, which the scope goes through.
type unreferred struct {
	BookID uuid.UUID `json:"book"`
}

// TestTheWayToTheOwnerIsChecked: a field that decides whose a row is names the
// viewset that the scope looks in, even where bun knows of no relation.
func TestTheWayToTheOwnerIsChecked(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := chapters()
		v.Verbs.Create = framework.Accepts[unreferred, ChapterView]()
		api := framework.New(config(db))
		api.Register(countries(), authors(), books(), v)
		if err := api.Check(); err == nil || err.Error() != "chapters: create: unreferred.BookID decides whose the row is; tag it `ref:\"books\"`" {
			t.Errorf("got %v", err)
		}
	})
}

// TestWhatIsChangedInPlaceIsSaved: what a pointer leads to is the row's own.
func TestWhatIsChangedInPlaceIsSaved(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Actions = []framework.Action[Book]{framework.Post("reprint", func(c *framework.Call, b *Book, _ framework.None) (framework.None, error) {
			*b.ISBN = "978-1"
			return framework.None{}, framework.Save(c, b)
		})}
		ada := serve(t, config(db), countries(), authors(), v).as("ada")
		id := ada.post("/api/books/", fields{"title": "Emma", "isbn": "978-0"}).is(201).id()
		ada.post("/api/books/"+id+"/reprint/", nil).is(204)
		ada.get("/api/books/" + id + "/").is(200).says(`"isbn":"978-1"`)
		ada.get("/api/books/?search=978-1").is(200).says(`"count":1`)
	})
}

// TestAnswersOfAnyKind are written as encoding/json would, but for lists.
func TestAnswersOfAnyKind(t *testing.T) {
	type echoed struct {
		Data any    `json:"data"`
		None []byte `json:"none"`
		Some []byte `json:"some"`
	}
	type asked struct {
		Data  any      `json:"data"`
		Lines *[]parts `json:"lines"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "echo", func(_ *framework.Call, in asked) (echoed, error) {
			return echoed{Data: in.Data, Some: []byte{}}, nil
		})}
		ada := serve(t, config(db), countries(), authors(), v).as("ada")
		ada.post("/api/books/echo/", `{"data":{"n":5,"f":1.50,"l":[],"s":"<&>"},"lines":[{"pages":[1]}]}`).is(200).
			says(`{"data":{"f":1.50,"l":[],"n":5,"s":"<&>"},"none":null,"some":""}`)
	})
}

// TestHeadersOfARefusedAttempt are removed when a transaction is retried.
func TestHeadersOfARefusedAttempt(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		runs, again := 0, retries(t, db)
		v := books()
		v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "visit", func(c *framework.Call, _ framework.None) (framework.None, error) {
			runs++
			http.SetCookie(&headerWriter{c.Header()}, &http.Cookie{Name: "visit", Value: "x"})
			if runs == 1 {
				return framework.None{}, again()
			}
			return framework.None{}, nil
		})}
		ada := serve(t, config(db), countries(), authors(), v).as("ada")
		a := ada.post("/api/books/visit/", nil).is(204)
		if got := a.header.Values("Set-Cookie"); len(got) != 1 || runs != 2 {
			t.Errorf("%d runs set %q", runs, got)
		}
	})
}

// A headerWriter lets http.SetCookie write to the headers of a call.
type headerWriter struct{ header http.Header }

func (w *headerWriter) Header() http.Header       { return w.header }
func (w *headerWriter) Write([]byte) (int, error) { return 0, nil }
func (w *headerWriter) WriteHeader(int)           {}

// TestHeadersOfARefusedFirstPut are also removed when the PUT runs again.
func TestHeadersOfARefusedFirstPut(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		runs := 0
		v := profile()
		v.Verbs.Update = framework.Fills[ProfileView](func(c *framework.Call, p *Profile, _ ProfileInput) error {
			c.Header().Add("X-Try", "1")
			if runs++; runs > 1 {
				return nil
			}
			twin := *p // as if another first PUT had come between
			_, err := c.DB.NewInsert().Model(&twin).Exec(c)
			return err
		})
		a := serve(t, config(db), v).as("ada").put("/api/profile/", fields{"nickname": "x"}).is(201)
		if got := a.header.Values("X-Try"); len(got) != 1 || runs != 2 {
			t.Errorf("%d runs say %q", runs, got)
		}
	})
}
