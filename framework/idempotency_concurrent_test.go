package framework_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

// TestConcurrentRequestsWithOneKey: of a hundred concurrent requests with one key one runs, and all get the same
// answer; all but one are replays.
func TestConcurrentRequestsWithOneKey(t *testing.T) {
	rounds := 50
	if testing.Short() {
		rounds = 3
	}
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		ada := serve(t, config(db), n.resources()...).as("ada")
		for round := range rounds {
			twin, body := ada.under(fmt.Sprint("key-", round)), fields{"text": fmt.Sprint("order-", round)}
			answers := make([]*answer, 100)
			var wg sync.WaitGroup
			for i := range answers {
				wg.Go(func() { answers[i] = twin.post("/api/orders/", body).is(201) })
			}
			wg.Wait()
			fresh := 0
			for _, a := range answers {
				if a.header.Get("Idempotent-Replayed") == "" {
					fresh++
				}
				if a.body != answers[0].body || a.header.Get("Location") != answers[0].header.Get("Location") {
					a.failf("want the same as %s", answers[0].body)
				}
			}
			if n.ran(t, 1); fresh != 1 || t.Failed() {
				t.Fatalf("round %d: %d answers are no replay, want 1", round, fresh)
			}
		}
		keysKept(t, db, rounds)
		if got, err := db.NewSelect().Model((*Note)(nil)).Count(t.Context()); err != nil || int(got) != rounds {
			t.Errorf("%d orders were placed, want %d: %v", got, rounds, err)
		}
	})
}

// A held function waits, once it has begun, until it is let go.
type held struct {
	begun chan struct{}
	let   chan error
}

func newHeld() *held { return &held{make(chan struct{}), make(chan error)} }

// hold makes the first run of a tally's work wait.
func (h *held) hold(n *tally) {
	var others atomic.Bool
	n.before = func(*framework.Call, string) error {
		if others.Swap(true) {
			return nil
		}
		close(h.begun)
		return <-h.let
	}
}

// ordersTwice sends an order with the text "a" and, while its function waits, another one with a
// text and the same key. The function of the first order then returns an error, or nil.
func (n *tally) ordersTwice(c *client, text string, ends error) (first, twin *answer) {
	h := newHeld()
	h.hold(n)
	var wg sync.WaitGroup
	wg.Go(func() { first = c.post("/api/orders/", fields{"text": "a"}) })
	<-h.begun
	wg.Go(func() { twin = c.post("/api/orders/", fields{"text": text}) })
	h.let <- ends
	wg.Wait()
	return first, twin
}

// openLibrary opens another handle on a library.
func openLibrary(t *testing.T, url string, o sqldb.Options) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	migrated(t, db)
	keepKeys(t, db)
	return db
}

// TestADuplicateThatWaits for what is under way, then has its answer.
func TestADuplicateThatWaits(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		ada := serve(t, config(db), n.resources()...).as("ada")
		first, twin := n.ordersTwice(ada.under("k"), "a", nil)
		twin.replays(first.is(201).fresh())
		n.ran(t, 1)
	})
}

// TestADuplicateThatWaitsTooLong gets a Retry-After on PostgreSQL; other keys go on meanwhile.
// SQLite has one writer at a time, so that duplicates queue with all writers.
func TestADuplicateThatWaitsTooLong(t *testing.T) {
	db := openLibrary(t, postgres.Database(t), sqldb.Options{LockTimeout: 100 * time.Millisecond})
	n, h := &tally{}, newHeld()
	ada := serve(t, config(db), n.resources()...).as("ada")
	h.hold(n)
	body := fields{"text": "a"}
	var first *answer
	var wg sync.WaitGroup
	wg.Go(func() { first = ada.under("k").post("/api/orders/", body) })
	<-h.begun
	ada.under("k").post("/api/orders/", body).refuses(409, "idempotency_in_progress").head("Retry-After", "5").fresh()
	ada.under("k").post("/api/orders/", fields{"text": "b"}).refuses(409, "idempotency_in_progress")
	ada.under("l").post("/api/orders/", body).is(201).fresh()
	ada.as("bob").under("k").post("/api/orders/", body).is(201).fresh()
	h.let <- nil
	wg.Wait()
	n.ran(t, 3)
	ada.under("k").post("/api/orders/", body).replays(first.is(201).fresh())
	n.ran(t, 0)
}

// TestADuplicateOfARejectedRequest: if the first request fails, a duplicate that waited runs.
func TestADuplicateOfARejectedRequest(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		ada := serve(t, config(db), n.resources()...).as("ada")
		first, twin := n.ordersTwice(ada.under("k"), "b", framework.Conflict("closed", "Come back tomorrow."))
		first.refuses(409, "closed")
		ada.under("k").post("/api/orders/", fields{"text": "b"}).replays(twin.is(201).fresh())
		n.ran(t, 2)
		if got := written(t, db); got != "b" {
			t.Errorf("written was %q", got)
		}
	})
}

// TestALockedRow by another program fails the requests that need it, and no other
// requests. With a statement timeout of an hour only the lock timeout frees the pool's
// connections.
func TestALockedRow(t *testing.T) {
	url := postgres.Database(t)
	db := openLibrary(t, url, sqldb.Options{LockTimeout: 100 * time.Millisecond, StatementTimeout: time.Hour, MaxConns: 2, QueueTimeout: time.Minute})
	n := &tally{}
	c := config(db)
	c.Timeout = 50 * time.Second // longer than all of them have to wait
	ada := serve(t, c, n.resources()...).as("ada")
	path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"
	tx, err := openLibrary(t, url, sqldb.Options{}).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.NewUpdate().Model((*Book)(nil)).Set("pages = 9").Where("1 = 1").Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			ada.under(fmt.Sprint("k", i)).post(path+"copy/", fields{"text": "a"}).refuses(503, "unavailable").head("Retry-After", "1")
		})
		wg.Go(func() {
			ada.post(path+"plain/", fields{"text": "a"}).refuses(503, "unavailable").head("Retry-After", "1")
		})
	}
	wg.Wait()
	ada.under("k").post("/api/orders/", fields{"text": "b"}).is(201)
	ada.get(path).is(200)
	n.ran(t, 1)
	keysKept(t, db, 1)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	ada.under("k1").post(path+"copy/", fields{"text": "a"}).is(200).fresh()
}

// TestKeysOfATransactionThatIsRunAgain: each run claims the key again, and an answer has
// nothing of a run that failed.
func TestKeysOfATransactionThatIsRunAgain(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		again := retries(t, db)
		n.before = func(c *framework.Call, _ string) error {
			if n.runs.Load() < 3 {
				c.Header().Set("Location", "/refused/")
				return again()
			}
			return nil
		}
		ada := serve(t, config(db), n.resources()...).as("ada")
		first := ada.under("k").post("/api/books/import/", fields{"text": "a"}).is(200).fresh().says(`"run":3`).head("Location", "")
		ada.under("k").post("/api/books/import/", fields{"text": "a"}).replays(first)
		n.ran(t, 3)
		if got := written(t, db); got != "a" {
			t.Errorf("written was %q", got)
		}
	})
}

// TestAClientThatIsGone: a client that disconnects between the commit and its answer gets
// the answer when it retries.
func TestAClientThatIsGone(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		ctx, leave := context.WithCancel(t.Context())
		db.Observe(func(_ context.Context, e sqldb.Event) {
			if e.SQL == "COMMIT" && e.Err == nil && n.runs.Load() > 0 {
				leave()
			}
		})
		ada := serve(t, config(db), n.resources()...).as("ada")
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, ada.url+"/api/orders/", bytes.NewReader([]byte(`{"text":"a"}`)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Name ada"}, "Idempotency-Key": {"k"}}
		if resp, err := (&http.Client{}).Do(r); err == nil {
			_ = resp.Body.Close() // the answer was being sent; the client ignores it
		}
		<-ctx.Done()
		ada.under("k").post("/api/orders/", fields{"text": "a"}).is(201).head("Idempotent-Replayed", "true").head("Location", "/api/orders/a/").says(`{"run":1,"text":"a"}`)
		n.ran(t, 1)
		if got := written(t, db); got != "a" {
			t.Errorf("written was %q", got)
		}
	})
}

// leaveKey finds in a request's context how its client leaves.
type leaveKey struct{}

// TestRetriesAreOneExecution: clients repeat their requests at any time until each has its
// answer. Each request runs once, however often it is rejected, fails, is retried or loses
// its client.
func TestRetriesAreOneExecution(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	intents, tries := 12, 8
	if testing.Short() {
		intents, tries = 4, 4
	}
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		api := framework.New(config(db))
		n := &tally{}
		n.before = mishaps(rand.New(rand.NewPCG(seed, 1)), db, retries(t, db))
		api.Register(n.resources()...)
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		var sends []int
		for range tries {
			sends = append(sends, rand.New(rand.NewPCG(seed, uint64(len(sends)))).Perm(intents)...)
		}
		answers := make([]sync.Map, intents)
		var wg sync.WaitGroup
		for _, intent := range sends {
			wg.Go(func() {
				body := until2xx(t, handler, fmt.Sprint("key-", intent/2), []string{"ada", "bob"}[intent%2], fmt.Sprint("order-", intent))
				answers[intent].Store(body, true)
			})
		}
		wg.Wait()
		for i := range answers {
			different := 0
			answers[i].Range(func(any, any) bool { different++; return true })
			placed, err := db.NewSelect().Model((*Note)(nil)).Where("text = ?", fmt.Sprint("order-", i)).Count(t.Context())
			if err != nil || different != 1 || placed != 1 {
				t.Errorf("request %d was done %d times and had %d different answers: %v", i, placed, different, err)
			}
		}
		keysKept(t, db, intents)
	})
}

// mishaps is what happens to work after it was done and before it is kept.
func mishaps(random *rand.Rand, db *sqldb.DB, busy func() error) func(*framework.Call, string) error {
	var mu sync.Mutex
	return func(c *framework.Call, _ string) error {
		mu.Lock()
		what := random.IntN(8)
		mu.Unlock()
		switch what {
		case 0:
			return framework.Conflict("refused", "It is refused.")
		case 1:
			return errors.New("broken")
		case 2:
			panic("at the worst moment")
		case 3, 4:
			if db.Kind() == sqldb.SQLite {
				return busy()
			}
			_, err := c.DB.NewRaw("DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$").Exec(c)
			return err
		case 5:
			c.Value(leaveKey{}).(context.CancelFunc)()
		}
		return nil
	}
}

// until2xx sends a request until it succeeds, and returns the answer's body.
func until2xx(t *testing.T, handler http.Handler, key, caller, text string) string {
	sent, err := json.Marshal(fields{"text": text})
	if err != nil {
		t.Error(err)
	}
	for range 1000 {
		ctx, leave := context.WithCancel(context.Background())
		r := httptest.NewRequestWithContext(context.WithValue(ctx, leaveKey{}, leave), http.MethodPost, "/api/orders/", bytes.NewReader(sent))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Name " + caller}, "Idempotency-Key": {key}}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		gone := ctx.Err() != nil
		leave()
		if w.Code == http.StatusCreated && !gone {
			return w.Body.String()
		}
	}
	t.Errorf("%s of %s never succeeds", key, caller)
	return ""
}
