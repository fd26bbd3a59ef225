package framework_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestEveryPostIsIdempotent checks that a POST honours keys without a declaration, and that the
// other writes of the framework honour them with one.
func TestEveryPostIsIdempotent(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		v := notes()
		v.Verbs.Update, v.Verbs.Delete = v.Verbs.Update.Idempotent(), v.Verbs.Delete.Idempotent()
		v.Actions = []framework.Action[Note]{framework.Post("echo", func(_ *framework.Call, n *Note, _ framework.None) (NoteView, error) {
			return NoteView{n.ID, NoteInput{n.Room, n.Text}}, nil
		})}
		ada := serve(t, config(db), v).as("ada")
		first := ada.under("k").post("/api/notes/", fields{"room": "hall"}).is(201).fresh()
		ada.under("k").post("/api/notes/", fields{"room": "hall"}).replays(first)
		ada.under("k").post("/api/notes/", fields{"room": "attic"}).refuses(422, "idempotency_key_reused")
		ada.post("/api/notes/", fields{"room": "hall"}).is(201).fresh().says(`"id":2`)
		ada.under("l").post("/api/notes/", fields{}).refuses(400, "validation_failed")
		ada.under("l").post("/api/notes/", fields{"room": "attic"}).is(201).fresh()

		action := ada.under("k").post("/api/notes/1/echo/", nil).is(200).fresh().says(`"room":"hall"`)
		put := ada.under("k").put("/api/notes/1/", fields{"room": "cellar"}).is(200).fresh()
		ada.put("/api/notes/1/", fields{"room": "loft"}).is(200)
		ada.under("k").post("/api/notes/1/echo/", nil).replays(action)
		ada.under("k").put("/api/notes/1/", fields{"room": "cellar"}).replays(put)
		ada.get("/api/notes/1/").is(200).says(`"room":"loft"`)
		ada.under("k").patch("/api/notes/1/", fields{"room": "yard"}).is(200).fresh().head("Trestle-Ignored", "header Idempotency-Key")

		gone := ada.under("d").delete("/api/notes/1/").is(204).fresh()
		ada.under("d").delete("/api/notes/1/").replays(gone)
		ada.under("e").delete("/api/notes/1/").refuses(404, "not_found")
		ada.under("d").delete("/api/notes/2/").refuses(422, "idempotency_key_reused")
		ada.get("/api/notes/2/").is(200)
		keysKept(t, db, 5)
	})
}

// TestAnswersThatAreNotStored lists the writes that honour no keys: the header is ignored, and the write
// is done twice.
func TestAnswersThatAreNotStored(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		secret, silent, plain := notes(), notes(), notes()
		secret.Name, secret.Verbs.Create = "secrets", secret.Verbs.Create.AnswersSecret()
		secret.Collection = []framework.CollectionAction{
			framework.OnCollection("POST", "token", n.onAll).AnswersSecret(),
			framework.OnCollection("POST", "enter", n.onAll).SignsIn(),
			framework.OnCollection("POST", "outside", n.outside).Untransacted(),
			framework.OnCollection("POST", "open", n.onAll).Authenticate().Permit(framework.Anyone()),
			framework.OnCollection("PUT", "lay", n.onAll), framework.OnCollection("PATCH", "mend", n.onAll),
			framework.OnCollection("DELETE", "burn", n.onAll),
		}
		secret.Actions = []framework.Action[Note]{framework.Post("key", func(c *framework.Call, _ *Note, in asked) (ran, error) { return n.onAll(c, in) }).AnswersSecret()}
		silent.Name, silent.Authentication, silent.Permission = "open", []framework.Authenticator{}, framework.Anyone()
		api := serve(t, config(db), secret, silent)
		ada, told := api.as("ada").under("k"), "header Idempotency-Key"
		ada.post("/api/secrets/", fields{"room": "hall"}).is(201).fresh().head("Trestle-Ignored", told)
		ada.post("/api/secrets/", fields{"room": "hall"}).is(201).fresh().head("Trestle-Ignored", told).says(`"id":2`)
		api.as("").under("k").post("/api/open/", fields{"room": "hall"}).is(201).fresh().head("Trestle-Ignored", told)
		for _, at := range []string{"POST token", "POST enter", "POST outside", "POST open", "PUT lay", "PATCH mend", "DELETE burn", "POST 1/key"} {
			method, path, _ := strings.Cut(at, " ")
			for range 2 {
				ada.do(method, "/api/secrets/"+path+"/", fields{"text": "x"}).is(200).fresh().head("Trestle-Ignored", told)
			}
			n.ran(t, 2)
		}

		off := config(db)
		off.IdempotencyKeys = -1
		plain.Name = "plain"
		serve(t, off, plain).as("ada").under("k").post("/api/plain/", fields{"room": "hall"}).is(201).fresh().head("Trestle-Ignored", told)
		keysKept(t, db, 0)
	})
}

// outside is onAll without a transaction of its own.
func (n *tally) outside(c *framework.Call, in asked) (out ran, err error) {
	err = c.InTx(func(c *framework.Call) error {
		out, err = n.onAll(c, in)
		return err
	})
	return out, err
}

// TestOneRowOfManyRequests checks that of concurrent creates with one key, one inserts a row.
func TestOneRowOfManyRequests(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), notes()).as("ada").under("k")
		answers := make([]*answer, 20)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() { answers[i] = ada.post("/api/notes/", fields{"room": "hall"}).is(http.StatusCreated) })
		}
		wg.Wait()
		for _, a := range answers {
			if a.body != answers[0].body {
				a.failf("want %s", answers[0].body)
			}
		}
		if got := written(t, db); got != "" {
			t.Errorf("written was %q", got)
		}
		keysKept(t, db, 1)
	})
}

// TestKeysOfRejectedBodies checks that a create that breaks a rule of the database leaves its key free.
func TestKeysOfRejectedBodies(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), shelves()...).as("ada")
		ada.post("/api/books/", fields{"title": "Emma"}).is(201)
		ada.under("k").post("/api/books/", fields{"title": "Emma"}).refuses(409, "title_taken")
		ada.under("k").post("/api/books/", fields{"title": "Persuasion"}).is(201).fresh()
		keysKept(t, db, 1)
	})
}
