package framework_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// exported streams the books that the caller may see.
func exported() framework.ViewSet[Book] {
	b := books()
	b.Collection = []framework.CollectionAction{framework.OnCollection("GET", "export", func(c *framework.Call, _ framework.None) (iter.Seq2[BookView, error], error) {
		return framework.Each[BookView](c, "books", nil), nil
	}).As(framework.NDJSON, framework.CSV)}
	return b
}

// shelve inserts books of an owner.
func shelve(t *testing.T, db *sqldb.DB, owner string, n int) {
	t.Helper()
	var rows []*Book
	for i := range n {
		rows = append(rows, &Book{ID: uuid.Must(uuid.NewV7()), OwnerID: idOf(owner), Title: fmt.Sprintf("%s %d", owner, i), Status: "draft"})
	}
	for part := range slices.Chunk(rows, 2000) {
		if _, err := db.NewInsert().Model(&part).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEachRow: every row in the caller's scope is streamed once, over the limits of the parts.
func TestEachRow(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		shelve(t, db, "ada", 3500) // 1000, 2000 and 500
		shelve(t, db, "bob", 1000)
		api := serve(t, config(db), countries(), authors(), exported())
		for caller, want := range map[string]int{"ada": 3500, "bob": 1000, "eve": 0, "vic": 4500} {
			seen := map[string]bool{}
			for line := range strings.Lines(api.as(caller).get("/api/books/export/").is(200).body) {
				var one BookView
				if err := json.Unmarshal([]byte(line), &one); err != nil {
					t.Fatal(err)
				}
				seen[one.Title] = true
				if caller == "bob" && !strings.HasPrefix(one.Title, "bob ") {
					t.Fatalf("bob sees %q", one.Title)
				}
			}
			if len(seen) != want {
				t.Errorf("%s has %d books; want %d", caller, len(seen), want)
			}
		}
	})
}

// TestEachRefuses: what Each does itself, and viewsets that it does not know.
func TestEachRefuses(t *testing.T) {
	api := framework.New(config(sqlite(t)))
	api.Register(shelves()...)
	c, err := api.NewCall(t.Context(), framework.CallOptions{Caller: callers["ada"]})
	if err != nil {
		t.Fatal(err)
	}
	first := func(rows iter.Seq2[BookView, error]) error {
		for _, err := range rows {
			return err
		}
		return nil
	}
	for _, test := range []struct {
		rows iter.Seq2[BookView, error]
		want string
	}{
		{framework.Each[BookView](c, "bookz", nil), `did you mean "books"`},
		{framework.Each[BookView](c, "authors", nil), `viewset "authors" has no view framework_test.BookView; its views are: framework_test.AuthorView`},
		{framework.Each[BookView](&framework.Call{Context: t.Context()}, "books", nil), "framework.Each: the call belongs to no API"},
		{framework.Each[BookView](c, "books", nil), ""},
	} {
		if err := first(test.rows); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("the error is %v; want %q", err, test.want)
		}
	}
}

// A noteView shows no key, so the parts of a stream cannot depend on it.
type noteView struct {
	Room string `json:"room"`
	Text string `json:"text"`
}

// TestLargeStream: the memory of a stream of 100,000 rows is that of a part of them.
func TestLargeStream(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		if _, err := db.ExecContext(t.Context(), `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
			INSERT INTO notes (room, text) SELECT 'hall', 'A text of some length, so that all rows together are large.' FROM n`); err != nil {
			t.Fatal(err)
		}
		s := streaming(framework.OnCollection("GET", "export", func(c *framework.Call, _ framework.None) (iter.Seq2[noteView, error], error) {
			return framework.Each[noteView](c, "notes", nil), nil
		}))
		s.Verbs = framework.ReadOnly[noteView]()
		api := serve(t, config(db), s)
		body, _ := follow(t, api.url+"/api/notes/export/")
		rows, most := 0, uint64(0)
		for lines := bufio.NewScanner(body); lines.Scan(); rows++ {
			if rows%20_000 == 0 {
				most = max(most, heap())
			}
		}
		if rows != 100_000 || most > 64<<20 {
			t.Errorf("%d rows with %d MiB of memory; want 100000 with at most 64", rows, most>>20)
		}
	})
}

// follow requests a stream. It returns the body, and a function by which the client leaves; the
// client leaves at the latest when the test ends.
func follow(t *testing.T, url string) (body io.Reader, leave func()) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := patient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		leave()
		_ = resp.Body.Close()
	})
	return resp.Body, leave
}

// heap is the memory that is in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestClientLeavesAStream: the iterator ends, and so does its statement, so that the connection
// is free.
func TestClientLeavesAStream(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		shelve(t, db, "ada", 5000)
		ended := make(chan error, 1)
		s := streaming(framework.OnCollection("GET", "rows", func(c *framework.Call, _ framework.None) (iter.Seq2[string, error], error) {
			rows, err := c.DB.NewSelect().Table("books").Column("title").Rows(c)
			if err != nil {
				return nil, err
			}
			return func(yield func(string, error) bool) {
				defer func() { ended <- rows.Close() }()
				for rows.Next() {
					var title string
					if err := rows.Scan(&title); err != nil || !yield(strings.Repeat(title, 1000), err) {
						return
					}
				}
			}, nil
		}))
		c := config(db)
		over := newWitness("w")
		c.Observers = []framework.Observer{over}
		api := serve(t, c, s)
		body, leave := follow(t, api.url+"/api/notes/rows/")
		if _, err := bufio.NewReader(body).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		leave()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatal("the iterator did not end")
		}
		if in := db.Stats().InUse; in != 0 {
			t.Errorf("%d connections are in use", in)
		}
		if o := over.last(t); o.Status != 499 || o.Err != nil {
			t.Errorf("the observer gets %+v", o)
		}
	})
}

// TestEventsHoldNoConnection: a stream of events waits without a connection to the database. Each
// event arrives at once, and the iterator ends when the client leaves.
func TestEventsHoldNoConnection(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		shelve(t, db, "ada", 3)
		next, ended := make(chan struct{}), make(chan struct{})
		counts := func(c *framework.Call, _ framework.None) (iter.Seq2[int64, error], error) {
			return func(yield func(int64, error) bool) {
				defer close(ended)
				for {
					n, err := c.DB.NewSelect().Table("books").Count(c)
					if !yield(n, err) {
						return
					}
					select {
					case <-next:
					case <-c.Done():
						return
					}
				}
			}, nil
		}
		c := config(db)
		over := newWitness("w")
		c.Observers = []framework.Observer{over}
		api := serve(t, c, streaming(framework.OnCollection("GET", "counts", counts).As(framework.EventStream)))
		body, leave := follow(t, api.url+"/api/notes/counts/")
		lines := bufio.NewScanner(body)
		for range 3 {
			if lines.Scan(); lines.Text() != "data: 3" {
				t.Fatalf("the event is %q", lines.Text())
			}
			if in := db.Stats().InUse; in != 0 {
				t.Errorf("%d connections are in use while the stream waits", in)
			}
			lines.Scan()
			next <- struct{}{}
		}
		leave()
		<-ended
		if o := over.last(t); o.Status != 499 || o.Err != nil {
			t.Errorf("the observer gets %+v", o)
		}
	})
}

// TestStreamWithoutProgress: Config.Timeout ends a stream whose next element does not come.
func TestStreamWithoutProgress(t *testing.T) {
	logged := &lines{}
	c := config(sqlite(t))
	c.Timeout, c.Log = time.Second, slog.New(slog.NewTextHandler(logged, nil))
	waits := func(c *framework.Call, in lineInput) (iter.Seq2[string, error], error) {
		return func(yield func(string, error) bool) {
			if in.Rows > 0 && !yield("one", nil) {
				return
			}
			<-c.Done()
			yield("", c.Err())
		}, nil
	}
	api := serve(t, c, streaming(framework.OnCollection("GET", "waits", waits)))
	api.get("/api/notes/waits/").refuses(503, "unavailable")
	body, err := read(t, api.url+"/api/notes/waits/?rows=1", "*/*")
	if err == nil || !strings.HasPrefix(body, "\"one\"\n{") || !strings.Contains(body, `"code":"unavailable"`) {
		t.Errorf("the answer is %q, error %v", body, err)
	}
	if text := logged.String(); strings.Contains(text, "status=499") || strings.Count(text, "error=") != 2 {
		t.Errorf("the log is %s", text)
	}
}

// TestStreamsOutliveTheServersTimes: the limits of the server for a whole request do not end a
// stream. Later requests on its connection have limits of their own.
func TestStreamsOutliveTheServersTimes(t *testing.T) {
	const limit = 100 * time.Millisecond
	waits := func(*framework.Call, framework.None) (iter.Seq2[string, error], error) {
		return func(yield func(string, error) bool) {
			for range 3 {
				<-time.After(2 * limit)
				if !yield("one", nil) {
					return
				}
			}
		}, nil
	}
	api := framework.New(config(sqlite(t)))
	api.Register(streaming(framework.OnCollection("GET", "waits", waits).As(framework.NDJSON, framework.EventStream)))
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	for _, http2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(handler)
		server.Config.ReadTimeout, server.Config.WriteTimeout, server.EnableHTTP2 = limit, limit, http2
		server.StartTLS()
		t.Cleanup(server.Close)
		for _, media := range []string{"application/x-ndjson", "text/event-stream", "application/x-ndjson"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/notes/waits/", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept", media)
			resp, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if resp.Body.Close(); err != nil || strings.Count(string(body), "one") != 3 || http2 != (resp.ProtoMajor == 2) {
				t.Errorf("%s by %s: the answer is %q, error %v", media, resp.Proto, body, err)
			}
		}
	}
}
