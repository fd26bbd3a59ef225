package framework_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// TestIdempotent: under one key the work is done once, and the answer repeated;
// without a key, and under another, it is done again.
func TestIdempotent(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		ada := serve(t, config(db), n.resources()...).as("ada")
		for i, c := range []struct {
			name, method, path string
			status             int
			location           string
		}{
			{"Does, by POST", "POST", "/api/orders/", 201, "/api/orders/new/"},
			{"Changes, by PUT", "PUT", "/api/books/ID/", 200, ""},
			{"Changes, by PATCH", "PATCH", "/api/books/ID/", 200, ""},
			{"an action by POST", "POST", "/api/books/ID/copy/", 200, ""},
			{"an action by PUT, with a status of its own", "PUT", "/api/books/ID/place/", 202, ""},
			{"an action by PATCH", "PATCH", "/api/books/ID/mend/", 200, ""},
			{"an action on the whole", "POST", "/api/books/import/", 200, ""},
			{"an action on the whole, named as one on a row", "POST", "/api/books/copy/", 200, ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				ada := ada.in(t)
				path := strings.Replace(c.path, "ID", ada.post("/api/books/", fields{"title": fmt.Sprint("Emma ", i)}).is(201).id(), 1)
				body := fields{"text": "new", "sums": 1}
				first := ada.under("k-1").do(c.method, path, body).is(c.status).fresh().says(`"run":1`).
					head("Location", c.location).head("Trestle-Ignored", "/sums; did you mean /sum?")
				for range 2 {
					ada.under("k-1").do(c.method, path, body).replays(first).head("Trestle-Ignored", "/sums; did you mean /sum?").head("Set-Cookie", "")
				}
				ada.under(`"k-1"`).do(c.method, strings.TrimSuffix(path, "/"), body).replays(first)
				n.ran(t, 1)
				ada.do(c.method, path, body).is(c.status).fresh().says(`"run":1`)
				ada.under("k-2").do(c.method, path, body).is(c.status).fresh().says(`"run":2`)
				ada.under("K-1").do(c.method, path, body).is(c.status).fresh().says(`"run":3`)
				n.ran(t, 3)
			})
		}
	})
}

// TestIdempotentRemoval: a replay after a deletion does not look for the deleted row.
func TestIdempotentRemoval(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		ada := serve(t, config(db), n.resources()...).as("ada")
		for _, end := range []string{"", "burn/"} {
			path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/" + end
			first := ada.under("k").delete(path).is(204).fresh()
			ada.under("k").delete(path).replays(first)
			ada.under("k").do("DELETE", path, "").replays(first)
			ada.delete(path).refuses(404, "not_found")
			ada.under("l").delete(path).refuses(404, "not_found")
			n.ran(t, 1)
		}
		keysKept(t, db, 2)
		if got := written(t, db); got != "removed Emma, removed Emma" {
			t.Errorf("written was %q", got)
		}
	})
}

// fickle is written otherwise each time.
type fickle struct{ times *int }

func (f fickle) MarshalJSON() ([]byte, error) {
	*f.times++
	return fmt.Appendf(nil, `{"times":%d}`, *f.times), nil
}

// TestAnAnswerIsWrittenOnce: what the first client reads is what is kept.
func TestAnAnswerIsWrittenOnce(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		v, times := notes(), 0
		v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "waver", func(*framework.Call, framework.None) (fickle, error) {
			return fickle{&times}, nil
		}).Idempotent()}
		ada := serve(t, config(db), v).as("ada").under("k")
		first := ada.post("/api/notes/waver/", nil).is(200).says(`{"times":1}`)
		ada.post("/api/notes/waver/", nil).replays(first)
	})
}

// sendKeys sends a request with exactly these headers Idempotency-Key.
func sendKeys(t *testing.T, c *client, path string, keys ...string) *answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url+path, strings.NewReader(`{"text":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Name " + c.caller}, "Idempotency-Key": keys}
	resp, err := (&http.Client{}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &answer{tb: t, asked: fmt.Sprintf("%q", keys), status: resp.StatusCode, header: resp.Header, body: string(body)}
}

// TestKeysThatAreNone: an invalid key is rejected before the function runs.
func TestKeysThatAreNone(t *testing.T) {
	db := sqlite(t)
	keepKeys(t, db)
	n := &tally{}
	ada := serve(t, config(db), n.resources()...).as("ada")
	for _, c := range []struct {
		name string
		keys []string
		says string
	}{
		{"empty", []string{""}, "is empty"},
		{"blank", []string{"   "}, "is empty"},
		{"quoted and empty", []string{`""`}, "is empty"},
		{"two", []string{"a", "b"}, "is there 2 times"},
		{"the same twice", []string{"a", "a"}, "is there 2 times"},
		{"too long", []string{strings.Repeat("x", 256)}, "has 256 characters; a key has at most 255"},
		{"quoted and too long", []string{`"` + strings.Repeat("x", 256) + `"`}, "has 256 characters"},
		{"a space", []string{"a b"}, "not visible ASCII"},
		{"a space in quotes", []string{`"a b"`}, "not visible ASCII"},
		{"a tab", []string{"a\tb"}, "not visible ASCII"},
		{"not ASCII", []string{"clé"}, "not visible ASCII"},
		{"two in one header", []string{`"a", "b"`}, "begins with a quote"},
		{"a quote that is not closed", []string{`"a`}, "begins with a quote"},
		{"a quote alone", []string{`"`}, "begins with a quote"},
		{"an escape of nothing", []string{`"a\"`}, "begins with a quote"},
		{"an escape of a letter", []string{`"a\b"`}, "begins with a quote"},
		{"a parameter after it", []string{`"a";b=1`}, "begins with a quote"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := sendKeys(t, ada, "/api/orders/", c.keys...)
			if p := a.problem(); a.status != 400 || p.Code != "invalid_idempotency_key" || !strings.Contains(p.Detail, "The header Idempotency-Key ") ||
				!strings.Contains(p.Detail, c.says) {
				a.failf("want 400 invalid_idempotency_key that says %q", c.says)
			}
		})
	}
	n.ran(t, 0)
	keysKept(t, db, 0)
}

// TestFormsOfAKey: bare or quoted, a key is one.
func TestFormsOfAKey(t *testing.T) {
	db := sqlite(t)
	keepKeys(t, db)
	n := &tally{}
	ada := serve(t, config(db), n.resources()...).as("ada")
	long := strings.Repeat("x", 255)
	for _, forms := range [][]string{
		{"a", `"a"`, " a ", ` "a" `},
		{long, `"` + long + `"`},
		{`8e03978e-40d5-43dd-bc93-6894a57f9324`, `"8e03978e-40d5-43dd-bc93-6894a57f9324"`},
		{`a"b`, `"a\"b"`},
		{`a\b`, `"a\\b"`},
		{`!#$%&'()*+,-./:;<=>?@[]^_{|}~`, `"!#$%&'()*+,-./:;<=>?@[]^_{|}~"`},
	} {
		for _, form := range forms {
			a := sendKeys(t, ada, "/api/orders/", form)
			if a.status != 201 || !strings.Contains(a.body, `"run":1`) {
				a.failf("want the answer of the first run")
			}
		}
		n.ran(t, 1)
	}
}

// TestKeyOfAnotherRequest: a key stands for one request. What JSON leaves open
// may differ, what it says may not.
func TestKeyOfAnotherRequest(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		ada := serve(t, config(db), n.resources()...).as("ada")
		emma := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/copy/"
		dune := "/api/books/" + ada.post("/api/books/", fields{"title": "Dune"}).is(201).id() + "/copy/"
		first := ada.under("k").post(emma+"?a=1&b=2", `{"text":"é","sum":9007199254740993}`).is(200)
		for _, c := range []struct {
			name, path, body string
			same             bool
		}{
			{"the same", emma + "?a=1&b=2", `{"text":"é","sum":9007199254740993}`, true},
			{"the same, spaced and in another order", emma + "?b=2&a=1", " { \"sum\" : 9007199254740993,\n\"text\" : \"\\u00e9\" } ", true},
			{"another value", emma + "?a=1&b=2", `{"text":"e","sum":9007199254740993}`, false},
			{"a number that a float would not tell apart", emma + "?a=1&b=2", `{"text":"é","sum":9007199254740992}`, false},
			{"a field less", emma + "?a=1&b=2", `{"text":"é"}`, false},
			{"a field more, though it is ignored", emma + "?a=1&b=2", `{"text":"é","sum":9007199254740993,"more":1}`, false},
			{"another query", emma + "?a=1&b=3", `{"text":"é","sum":9007199254740993}`, false},
			{"no query", emma, `{"text":"é","sum":9007199254740993}`, false},
			{"another row", dune + "?a=1&b=2", `{"text":"é","sum":9007199254740993}`, false},
			{"a row that is not there", "/api/books/" + missing + "/copy/?a=1&b=2", `{"text":"é","sum":9007199254740993}`, false},
		} {
			t.Run(c.name, func(t *testing.T) {
				a := ada.in(t).under("k").post(c.path, c.body)
				if c.same {
					a.replays(first)
					return
				}
				a.refuses(422, "idempotency_key_reused").fresh()
			})
		}
		ada.under("k").post("/api/orders/", fields{"text": "of another route"}).is(201).fresh()
		ada.under("k").post("/api/books/copy/", fields{"text": "of another route"}).is(200).fresh()
		ada.under("k").do("PATCH", strings.Replace(emma, "copy", "mend", 1), fields{"text": "of another route"}).is(200).fresh()
		ada.under("k").post(emma+"?a=1&b=2", `{"text":"é","sum":9007199254740993}`).replays(first)
		ada.under("spaced").post(emma, " { \"text\" : \"as it came\",\n\"sum\" : 1 } ").is(200).fresh().says("as it came")
		n.ran(t, 5)
	})
}

// TestKeysAreTheirCallers: each caller has keys of their own, and an anonymous caller has
// no keys.
func TestKeysAreTheirCallers(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		open := notes()
		open.Name, open.Permission = "open", framework.Anyone()
		open.Verbs.Create = framework.Does(n.place).Idempotent()
		api := serve(t, config(db), append(n.resources(), open)...)
		body := fields{"text": "canary of Ada"}
		first := api.as("ada").under("k").post("/api/orders/", body).is(201).fresh()
		api.as("bob").under("k").post("/api/orders/", body).is(201).fresh().says(`"run":2`)
		api.as("root").under("k").post("/api/orders/", fields{"text": "b"}).is(201).fresh().lacks("canary")
		api.as("ada").under("k").post("/api/orders/", body).replays(first)
		n.ran(t, 3)

		api.as("").under("k").post("/api/orders/", body).refuses(401, "authentication_required").lacks("canary")
		api.as("").under("k").post("/api/open/", body).refuses(400, "invalid_idempotency_key").says("no credentials")
		n.ran(t, 0)
		api.as("").post("/api/open/", body).is(201).fresh()
		api.as("ada").under("k").post("/api/open/", body).is(201).fresh()
		n.ran(t, 2)
	})
}

// TestIgnoredKeys: an endpoint without keys lists the header as ignored, or rejects it if
// it is strict.
func TestIgnoredKeys(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		strict, secret := notes(), notes()
		strict.Name, strict.Strict, strict.Verbs.Create = "strict", framework.Strict, strict.Verbs.Create.AnswersSecret()
		secret.Name, secret.Verbs.Create = "secret", secret.Verbs.Create.AnswersSecret()
		ada := serve(t, config(db), append(n.resources(), strict, secret)...).as("ada")
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"
		told := "header Idempotency-Key"
		keyed := ada.under("k")
		keyed.post("/api/secret/", fields{"room": "hall"}).is(201).fresh().head("Trestle-Ignored", told)
		keyed.post("/api/secret/", fields{"room": "hall"}).is(201).fresh().head("Trestle-Ignored", told)
		keyed.post("/api/secret/?q=1", fields{"rooms": 1, "room": "hall"}).is(201).head("Trestle-Ignored", "q, "+told+", /rooms; did you mean /room?")
		keyed.post(path+"plain/", fields{"text": "a"}).is(200).fresh().head("Trestle-Ignored", told)
		keyed.get(path).is(200).head("Trestle-Ignored", told)
		keyed.get("/api/books/").is(200).head("Trestle-Ignored", told)
		ada.under(" ").get("/api/books/").is(200).head("Trestle-Ignored", told)
		keyed.post("/api/strict/", fields{"room": "canary"}).refuses(400, "invalid_idempotency_key").head("Trestle-Ignored", "")
		ada.post("/api/strict/", fields{"room": "hall"}).is(201)
		if got := written(t, db); got != ", , , Emma a, " {
			t.Errorf("written was %q", got)
		}
		keysKept(t, db, 0)
	})
}

// unwritable cannot be written as JSON.
type unwritable struct {
	Text string `json:"text"`
}

func (unwritable) MarshalJSON() ([]byte, error) { return nil, errors.New("no words") }

// TestRefusedRequestsClaimNothing: after any error the key is free, and nothing was stored.
func TestRefusedRequestsClaimNothing(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		v, o := books(), notes()
		v.Collection = []framework.CollectionAction{
			framework.OnCollection("POST", "adopt", func(c *framework.Call, in struct {
				Text   string     `json:"text" validate:"required"`
				Author *uuid.UUID `json:"author" ref:"authors"`
			}) (ran, error) {
				return n.write(c, in.Text)
			}).Idempotent(),
			framework.OnCollection("POST", "garble", func(c *framework.Call, in asked) (any, error) {
				out, err := n.write(c, in.Text)
				if in.Text == "garbled" {
					return unwritable{}, err
				}
				return out, err
			}).Idempotent(),
		}
		v.Actions = []framework.Action[Book]{framework.Post("copy", n.onRow).Idempotent()}
		o.Name, o.Verbs.Create = "staff", framework.Does(n.place).Permit(framework.Staff()).Idempotent()
		ada := serve(t, config(db), countries(), authors(), v, notes(), o).as("ada")
		id := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
		n.before = func(_ *framework.Call, text string) error {
			switch text {
			case "refused":
				return framework.Conflict("refused", "It is refused.")
			case "broken":
				return errors.New("broken")
			case "panic":
				panic("at the worst moment")
			}
			return nil
		}
		for _, c := range []struct {
			name, path string
			body       any
			status     int
			code       string
		}{
			{"a body that is no JSON", "books/adopt/", "{", 400, "invalid_json"},
			{"a body that is not valid", "books/adopt/", fields{"text": ""}, 400, "validation_failed"},
			{"a reference that leads nowhere", "books/adopt/", fields{"text": "a", "author": missing}, 400, "validation_failed"},
			{"a row that is not there", "books/" + missing + "/copy/", fields{"text": "a"}, 404, "not_found"},
			{"a caller who may not", "staff/", fields{"text": "a"}, 403, "forbidden"},
			{"a function that refuses", "books/adopt/", fields{"text": "refused"}, 409, "refused"},
			{"a function that fails", "books/adopt/", fields{"text": "broken"}, 500, "internal"},
			{"a function that panics", "books/adopt/", fields{"text": "panic"}, 500, "internal"},
			{"an answer that cannot be written", "books/garble/", fields{"text": "garbled"}, 500, "internal"},
		} {
			t.Run(c.name, func(t *testing.T) {
				ada.in(t).under("k").post("/api/"+c.path, c.body).refuses(c.status, c.code).fresh()
				keysKept(t, db, 0)
				if got := written(t, db); got != "" {
					t.Errorf("written was %q", got)
				}
			})
		}
		n.runs.Store(0)
		ada.under("k").post("/api/books/adopt/", fields{"text": "a"}).is(200).fresh()
		ada.under("k").post("/api/books/garble/", fields{"text": "a"}).is(200).fresh()
		ada.under("k").post("/api/books/"+id+"/copy/", fields{"text": "a"}).is(200).fresh()
		ada.as("eve").under("k").post("/api/staff/", fields{"text": "a"}).is(201).fresh()
		n.ran(t, 4)
		keysKept(t, db, 4)
	})
}

// TestARefusedRequestRunsAgain: a request that was rejected at first runs when it is
// possible.
func TestARefusedRequestRunsAgain(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		ada := serve(t, config(db), n.resources()...).as("ada")
		n.before = func(*framework.Call, string) error { return framework.Conflict("closed", "Come back tomorrow.") }
		for range 2 {
			ada.under("k").post("/api/orders/", fields{"text": "a"}).refuses(409, "closed").fresh()
		}
		n.before = nil
		first := ada.under("k").post("/api/orders/", fields{"text": "a"}).is(201).fresh()
		n.before = func(*framework.Call, string) error { return framework.Conflict("closed", "Come back tomorrow.") }
		ada.under("k").post("/api/orders/", fields{"text": "a"}).replays(first)
		n.ran(t, 3)
		if got := written(t, db); got != "a" {
			t.Errorf("written was %q", got)
		}
	})
}

// TestReplayOfWhatIsNoLongerValid: the stored answer is sent although the same request
// would be rejected now, as by a newer program. Another request with the key is an error.
func TestReplayOfWhatIsNoLongerValid(t *testing.T) {
	type narrower struct {
		Text string `json:"text" validate:"required,min=2"`
	}
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		o := notes()
		o.Name, o.Verbs.Create = "orders", framework.Does(n.onAll).Idempotent()
		first := serve(t, config(db), notes(), o).as("ada").under("k").post("/api/orders/", fields{"text": "a"}).is(201)
		o.Verbs.Create = framework.Does(func(c *framework.Call, in narrower) (ran, error) { return n.write(c, in.Text) }).Idempotent()
		c := config(db)
		api := serve(t, c, notes(), o)
		ada := api.as("ada")
		ada.under("k").post("/api/orders/", fields{"text": "a"}).replays(first)
		ada.under("k").post("/api/orders/", fields{"text": "b"}).refuses(400, "validation_failed").fresh()
		ada.under("l").post("/api/orders/", fields{"text": "a"}).refuses(400, "validation_failed").fresh()
		api.as("bob").under("k").post("/api/orders/", fields{"text": "a"}).refuses(400, "validation_failed").fresh()
		c.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
		serve(t, c, notes(), o).as("ada").under("k").post("/api/orders/", fields{"text": "a"}).refuses(400, "validation_failed").fresh()
		n.ran(t, 1)
	})
}

// TestKeysExpire after 24 hours: the key can be used again, and Purge deletes unused ones.
func TestKeysExpire(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		c := config(db)
		c.Now = func() time.Time { return now }
		api := framework.New(c)
		api.Register(n.resources()...)
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		sent := frameworktest.New(t, handler)
		ada := (&client{Client: sent, tb: t, url: sent.URL()}).as("ada")
		purged := func(want int64) {
			t.Helper()
			if got, err := api.Purge(t.Context()); err != nil || got != want {
				t.Errorf("%d keys were purged, want %d: %v", got, want, err)
			}
		}
		first := ada.under("k").post("/api/orders/", fields{"text": "a"}).is(201)
		ada.under("never again").post("/api/orders/", fields{"text": "a"}).refuses(400, "invalid_idempotency_key")
		ada.under("never-again").post("/api/orders/", fields{"text": "a"}).is(201)
		n.ran(t, 2)
		now = now.Add(24*time.Hour - time.Microsecond)
		purged(0)
		ada.under("k").post("/api/orders/", fields{"text": "a"}).replays(first)
		ada.under("k").post("/api/orders/", fields{"text": "b"}).refuses(422, "idempotency_key_reused")
		n.ran(t, 0)
		now = now.Add(time.Microsecond)
		second := ada.under("k").post("/api/orders/", fields{"text": "b"}).is(201).fresh().says(`"text":"b"`)
		ada.under("k").post("/api/orders/", fields{"text": "b"}).replays(second)
		ada.under("k").post("/api/orders/", fields{"text": "a"}).refuses(422, "idempotency_key_reused")
		n.ran(t, 1)
		keysKept(t, db, 2)
		purged(1)
		purged(0)
		ada.under("k").post("/api/orders/", fields{"text": "b"}).replays(second)
		now = now.Add(24 * time.Hour)
		purged(1)
		keysKept(t, db, 0)
		ada.under("k").post("/api/orders/", fields{"text": "b"}).is(201).fresh()
	})
}

// TestIdempotentStatements: a key costs two statements. A replay costs two, and one to
// check that the caller still has the row. Without the header there are no extra
// statements.
func TestIdempotentStatements(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		ada := serve(t, config(db), n.resources()...).as("ada")
		count := frameworktest.CountStatements(db)
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"
		for _, c := range []struct {
			like, path string
			replay     int
		}{{path + "plain/", path + "copy/", 3}, {"/api/notes/", "/api/orders/", 2}} {
			body := fields{"text": "canary", "room": "hall"}
			plain := len(count.During(func() { ada.post(c.like, body) }))
			without := count.During(func() { ada.post(c.path, body) })
			if len(without) != plain || strings.Contains(strings.Join(without, "\n"), "idempotency") {
				t.Errorf("without a key %s costs\n%s", c.path, strings.Join(without, "\n"))
			}
			with := count.During(func() { ada.under("canary").post(c.path, body).fresh() })
			if len(with) != plain+2 {
				t.Errorf("with a key %s costs\n%s", c.path, strings.Join(with, "\n"))
			}
			again := count.During(func() { ada.under("canary").post(c.path, body).head("Idempotent-Replayed", "true") })
			if len(again) != c.replay {
				t.Errorf("a replay of %s costs\n%s", c.path, strings.Join(again, "\n"))
			}
			if all := strings.Join(append(with, again...), "\n"); strings.Contains(all, "canary") {
				t.Errorf("a value stands in the text of\n%s", all)
			}
		}
	})
}
