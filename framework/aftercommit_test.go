package framework_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A diary records what functions did, in order.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) add(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
}

func (d *diary) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.lines, ", ")
}

// serveAPI serves resources to Ada, and returns the API too.
func serveAPI(t *testing.T, settings framework.Config, resources ...framework.Resource) (*framework.API, *client) {
	t.Helper()
	api := framework.New(settings)
	api.Register(resources...)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	sent := frameworktest.New(t, handler)
	return api, (&client{Client: sent, tb: t, url: sent.URL()}).as("ada")
}

// ended runs the last work of an API, which waits for functions after commits.
func ended(t *testing.T, api *framework.API) {
	t.Helper()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	api.Run(over, func(err error) { t.Error(err) })
}

// noting are the notes with functions that ask for work after their commit. The input says how
// each ends. The diary first records which work ran, and the diary second that of the second
// transaction of a function.
func noting(first, second *diary, again func() error) framework.ViewSet[Note] {
	runs := 0
	after := func(c *framework.Call, d *diary, line string) {
		c.AfterCommit(func(*framework.Call) error { d.add(line); return nil })
	}
	end := func(c *framework.Call, how string) error {
		runs++
		after(c, first, fmt.Sprint("first of run ", runs))
		switch how {
		case "fails":
			c.AfterCommit(func(*framework.Call) error { return errors.New("no such mailbox") })
		case "breaks":
			c.AfterCommit(func(*framework.Call) error { panic("the mailbox is full") })
		case "aborts":
			c.AfterCommit(func(*framework.Call) error { panic(http.ErrAbortHandler) })
		}
		after(c, first, "last")
		switch {
		case how == "refuse":
			return framework.Conflict("refused", "It is refused.")
		case how == "panic":
			panic("the function breaks")
		case how == "again" && runs < 3:
			return again()
		}
		return nil
	}
	run := func(c *framework.Call, in NoteInput) (framework.None, error) {
		return framework.None{}, end(c, in.Text)
	}
	parts := func(c *framework.Call, in NoteInput) (framework.None, error) {
		err := c.InTx(func(c *framework.Call) error { return end(c, in.Text) })
		return framework.None{}, errors.Join(err, c.InTx(func(c *framework.Call) error {
			after(c, second, "second")
			return c.InTx(func(c *framework.Call) error { after(c, second, "within"); return nil })
		}))
	}
	read := func(c *framework.Call, in NoteInput) (framework.None, error) {
		after(c, first, "at once")
		if in.Text == "refuse" {
			return framework.None{}, framework.Conflict("refused", "It is refused.")
		}
		return framework.None{}, nil
	}
	v := notes()
	v.Verbs.Create = framework.Fills[NoteView](func(c *framework.Call, _ *Note, in NoteInput) error { return end(c, in.Text) })
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "held", run).Idempotent(),
		framework.OnCollection("GET", "read", read),
		framework.OnCollection("POST", "parts", parts).Untransacted(),
	}
	return v
}

// TestAfterCommit: functions run in order after a commit, once, and never after a rollback. What
// they do does not change the answer.
func TestAfterCommit(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		for _, c := range []struct {
			name, method, path, how string
			status                  int
			ran, logged             string
		}{
			{"a create that is committed", "POST", "", "keep", 201, "first of run 1, last", ""},
			{"a create that is rejected", "POST", "", "refuse", 409, "", ""},
			{"a create of a broken function", "POST", "", "panic", 500, "", ""},
			{"a create that runs again", "POST", "", "again", 201, "first of run 3, last", ""},
			{"an action that is committed", "POST", "held/", "keep", 204, "first of run 1, last", ""},
			{"an action that is rejected", "POST", "held/", "refuse", 409, "", ""},
			{"an action that runs again", "POST", "held/", "again", 204, "first of run 3, last", ""},
			{"a body that is rejected", "POST", "held/", strings.Repeat("x", 2<<20), 413, "", ""},
			{"work that fails", "POST", "held/", "fails", 204, "first of run 1, last", "no such mailbox"},
			{"work that panics", "POST", "held/", "breaks", 204, "first of run 1, last", "the mailbox is full"},
			{"work that aborts", "POST", "held/", "aborts", 204, "first of run 1, last", "abort Handler"},
			{"each transaction of a function", "POST", "parts/", "keep", 204, "first of run 1, last|second, within", ""},
			{"a transaction of a function that is rolled back", "POST", "parts/", "refuse", 409, "|second, within", ""},
			{"a read, which has no transaction", "GET", "read/?room=hall", "", 204, "at once", ""},
			{"a read that is rejected afterwards", "GET", "read/?room=hall&text=refuse", "", 409, "at once", ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				first, second, log := &diary{}, &diary{}, &bytes.Buffer{}
				settings := config(db)
				settings.Log = slog.New(slog.NewTextHandler(log, nil))
				api, ada := serveAPI(t, settings, noting(first, second, retries(t, db)))
				var body any
				if c.method == "POST" {
					body = fields{"room": "hall", "text": c.how}
				}
				ada.do(c.method, "/api/notes/"+c.path, body).is(c.status)
				ended(t, api)
				if got := strings.TrimSuffix(first.String()+"|"+second.String(), "|"); got != c.ran {
					t.Errorf("after the request ran %q, want %q", got, c.ran)
				}
				if failed := strings.Contains(log.String(), "a function after a commit failed"); failed != (c.logged != "") || !strings.Contains(log.String(), c.logged) {
					t.Errorf("the log lacks %q, or has a failure too many:\n%s", c.logged, log)
				}
			})
		}
	})
}

// TestAfterCommitOnce: a repeated request with its Idempotency-Key gets the stored answer, and no
// further work.
func TestAfterCommitOnce(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(t.Context(), nil, framework.Migrations()); err != nil {
			t.Fatal(err)
		}
		d := &diary{}
		api, ada := serveAPI(t, config(db), noting(d, &diary{}, nil))
		for range 2 {
			ada.under("one").post("/api/notes/held/", fields{"room": "hall", "text": "keep"}).is(204)
		}
		ended(t, api)
		if got := d.String(); got != "first of run 1, last" {
			t.Errorf("after both requests ran %q", got)
		}
	})
}

// TestAfterCommitCall: the work runs beside the request, after its answer if it takes so long, and
// finds and stores rows. The server waits for it when it ends.
func TestAfterCommitCall(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		answered, worked := make(chan string), &diary{}
		v := notes()
		v.Verbs.Create = framework.Fills[NoteView](func(c *framework.Call, n *Note, _ NoteInput) error {
			c.AfterCommit(func(later *framework.Call) error {
				id := <-answered
				_, limited := later.Deadline()
				worked.add(fmt.Sprintf("%v %s %v %v %v %v %v %v %s", id == later.ID.String(), later.Caller.Name, later.Now.Equal(c.Now), limited, later.Err(),
					later.Session().InTx(), later.Has("room"), later.Has("text"), later.Route.Name))
				later.Header().Set("X-Late", "1")
				found, err := framework.Find[NoteView](later, "notes", nil)
				worked.add(fmt.Sprint(len(found), " found, ", n.ID == found[0].ID))
				return errors.Join(err, later.InTx(func(later *framework.Call) error {
					later.AfterCommit(func(*framework.Call) error { worked.add("after the second commit"); return nil })
					return framework.Insert(later, &Note{Room: "log", Text: "stored later"})
				}))
			})
			return nil
		})
		api, ada := serveAPI(t, config(db), v)
		answer := ada.post("/api/notes/", fields{"room": "hall"}).is(201).head("X-Late", "")
		go func() { answered <- answer.header.Get("X-Request-Id") }()
		ended(t, api)
		want := "true Ada true false <nil> false true false create, 1 found, true, after the second commit"
		if got := worked.String(); got != want {
			t.Errorf("the work is %q, want %q", got, want)
		}
		ada.get("/api/notes/").is(200).says("stored later")
	})
}

// TestAfterCommitStatements: work after a commit costs the request nothing, and no transaction is
// opened for it.
func TestAfterCommitStatements(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		add := func(c *framework.Call, work bool) error {
			if work {
				c.AfterCommit(func(*framework.Call) error { return nil })
			}
			return nil
		}
		v := notes()
		v.Verbs.Create = framework.Fills[NoteView](func(c *framework.Call, _ *Note, in NoteInput) error { return add(c, in.Text != "") })
		ada := serve(t, config(db), v).as("ada")
		counter := frameworktest.CountStatements(db)
		for _, text := range []string{"", "work"} {
			statements(t, counter, 1, func() { ada.post("/api/notes/", fields{"room": "hall", "text": text}).is(201) })
		}
	})
}
