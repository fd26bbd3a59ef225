package framework_test

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A Line is a row of the streams of these tests.
type Line struct {
	Number int        `json:"number"`
	Text   string     `json:"text"`
	Cost   *float64   `json:"cost"`
	At     *time.Time `json:"at"`
}

func (l Line) EventID() string { return fmt.Sprint(l.Number) }

func (l Line) EventName() string {
	if l.Number == 2 {
		return "second"
	}
	return ""
}

// lineInput chooses what a stream of lines does.
type lineInput struct {
	Rows  int    `json:"rows"`
	Fails string `json:"fails" doc:"early, first, late or panic."`
}

// linesOf streams lines of text, and fails as the input says.
func linesOf(_ *framework.Call, in lineInput) (iter.Seq2[Line, error], error) {
	if in.Fails == "early" {
		return nil, framework.Conflict("conflict", "The function fails.")
	}
	return func(yield func(Line, error) bool) {
		cost, at := 1.5, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		if in.Fails == "first" {
			yield(Line{}, framework.Forbidden())
			return
		}
		for i := range in.Rows {
			if !yield(Line{Number: i + 1, Text: "a, \"b\"\r\n=c", Cost: &cost, At: &at}, nil) {
				return
			}
		}
		switch in.Fails {
		case "late":
			yield(Line{}, errors.New("a canary"))
		case "panic":
			panic("a canary")
		}
	}, nil
}

// streaming is the viewset of notes with streams of lines on the collection.
func streaming(actions ...framework.CollectionAction) framework.ViewSet[Note] {
	return framework.ViewSet[Note]{Name: "notes", Scope: framework.Public(), Permission: framework.Anyone(), Collection: actions}
}

func lineStream(media ...framework.Media) framework.CollectionAction {
	return framework.OnCollection("GET", "lines", linesOf).As(media...)
}

// TestStreamsAreNegotiated: the header Accept chooses the media type (RFC 9110, section 12.5.1).
func TestStreamsAreNegotiated(t *testing.T) {
	api := serve(t, config(sqlite(t)), streaming(lineStream(framework.NDJSON, framework.CSV, framework.EventStream)))
	for _, c := range []struct{ accept, want string }{
		{"", "application/x-ndjson"},
		{"*/*", "application/x-ndjson"},
		{"text/csv", "text/csv; charset=utf-8; header=present"},
		{"TEXT/CSV;charset=UTF-8", "text/csv; charset=utf-8; header=present"},
		{"text/event-stream", "text/event-stream; charset=utf-8"},
		{"text/*", "text/csv; charset=utf-8; header=present"},
		{"text/*, text/csv;q=0.5", "text/event-stream; charset=utf-8"},
		{"application/x-ndjson;q=0.2, text/csv;q=0.8", "text/csv; charset=utf-8; header=present"},
		{"*/*;q=0.1, application/x-ndjson;q=0", "text/csv; charset=utf-8; header=present"},
		{"text/html, application/json, */*;q=0.5", "application/x-ndjson"},
	} {
		api.with("Accept", c.accept).get("/api/notes/lines/?rows=1").is(200).head("Content-Type", c.want)
	}
	for _, accept := range []string{"application/json", "image/*", "text/csv;q=0", "*/*;q=0", "text/csv;charset=latin1", "text/csv;q=2", "nonsense"} {
		refused := api.with("Accept", accept).get("/api/notes/lines/?fails=early").refuses(406, "not_acceptable")
		refused.says(`"details":{"offered":["application/x-ndjson","text/csv","text/event-stream"]}`).head("Content-Type", "application/problem+json")
	}
}

// TestStreamOfNDJSON: a line for each element, in the JSON of the API.
func TestStreamOfNDJSON(t *testing.T) {
	api := serve(t, config(sqlite(t)), streaming(lineStream()))
	got := api.get("/api/notes/lines/?rows=2&unknown=x").is(200).head("Cache-Control", "no-store").head("Trestle-Ignored", "unknown")
	want := `{"number":1,"text":"a, \"b\"\r\n=c","cost":1.5,"at":"2026-01-02T03:04:05Z"}` + "\n" + `{"number":2,"text":"a, \"b\"\r\n=c","cost":1.5,"at":"2026-01-02T03:04:05Z"}` + "\n"
	if got.body != want {
		t.Errorf("got %q\nwant %q", got.body, want)
	}
	if empty := api.get("/api/notes/lines/").is(200); empty.body != "" || empty.header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("an empty stream is %q, %v", empty.body, empty.header)
	}
	if head := api.do("HEAD", "/api/notes/lines/?rows=2", nil).is(200).head("Content-Type", "application/x-ndjson"); head.body != "" {
		t.Errorf("HEAD has the body %q", head.body)
	}
	api.do("HEAD", "/api/notes/lines/?fails=early", nil).is(409)
	api.get("/api/notes/lines/?rows=x").refuses(400, "invalid_parameter")
	api.do("OPTIONS", "/api/notes/lines/", nil).is(200).head("Allow", "GET, HEAD, OPTIONS").says(`"renders":["application/x-ndjson"]`)
}

// TestStreamOfCSV: encoding/csv reads the rows, and a spreadsheet runs none of their text.
func TestStreamOfCSV(t *testing.T) {
	formulas := func(*framework.Call, framework.None) (iter.Seq2[*Line, error], error) {
		return func(yield func(*Line, error) bool) {
			for _, text := range []string{"=1+1", "+1", "-5", "-x", "@a", "\tx", "plain", "＝1"} {
				if !yield(&Line{Text: text}, nil) {
					return
				}
			}
		}, nil
	}
	api := serve(t, config(sqlite(t)), streaming(
		lineStream(framework.CSV), framework.OnCollection("GET", "safe", formulas).As(framework.CSV), framework.OnCollection("GET", "exact", formulas).As(framework.ExactCSV)))
	if got := api.get("/api/notes/lines/?rows=1").is(200).body; got != "number,text,cost,at\r\n1,\"a, \"\"b\"\"\r\n=c\",1.5,2026-01-02T03:04:05Z\r\n" {
		t.Errorf("got %q", got)
	}
	if got := api.get("/api/notes/lines/").is(200).body; got != "number,text,cost,at\r\n" {
		t.Errorf("without rows: %q", got)
	}
	for path, want := range map[string][]string{
		"safe":  {"text", "'=1+1", "'+1", "-5", "'-x", "'@a", "'\tx", "plain", "'＝1"},
		"exact": {"text", "=1+1", "+1", "-5", "-x", "@a", "\tx", "plain", "＝1"},
	} {
		rows, err := csv.NewReader(strings.NewReader(api.get("/api/notes/" + path + "/").is(200).body)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, row := range rows {
			texts = append(texts, row[1])
		}
		if !reflect.DeepEqual(texts, want) {
			t.Errorf("%s: the texts are %q, want %q", path, texts, want)
		}
	}
}

// TestStreamOfEvents: an event for each element, with its id and its name.
func TestStreamOfEvents(t *testing.T) {
	api := serve(t, config(sqlite(t)), streaming(lineStream(framework.EventStream),
		framework.OnCollection("GET", "since", func(c *framework.Call, _ framework.None) (iter.Seq2[string, error], error) {
			id, media := c.LastEventID(), c.Media()
			return func(yield func(string, error) bool) { yield(id+" "+media, nil) }, nil
		}).As(framework.EventStream)))
	got := api.get("/api/notes/lines/?rows=2").is(200).head("X-Accel-Buffering", "no")
	data := `data: {"number":%d,"text":"a, \"b\"\r\n=c","cost":1.5,"at":"2026-01-02T03:04:05Z"}` + "\n\n"
	if want := "id: 1\n" + fmt.Sprintf(data, 1) + "event: second\nid: 2\n" + fmt.Sprintf(data, 2); got.body != want {
		t.Errorf("got %q\nwant %q", got.body, want)
	}
	if got := api.with("Last-Event-ID", "41").get("/api/notes/since/").is(200); got.body != "data: \"41 text/event-stream\"\n\n" {
		t.Errorf("got %q", got.body)
	}
}

// TestStreamsFail: an error before the first element is an error of the API. After a later
// one, the client knows that the answer is not complete, and the log has the cause.
func TestStreamsFail(t *testing.T) {
	logged := &lines{}
	c := config(sqlite(t))
	c.Log = slog.New(slog.NewTextHandler(logged, nil))
	watching := newWitness("w")
	c.Observers = []framework.Observer{watching}
	api := serve(t, c, streaming(lineStream(framework.NDJSON, framework.CSV, framework.EventStream)))
	for _, accept := range []string{"application/x-ndjson", "text/csv", "text/event-stream"} {
		api.with("Accept", accept).get("/api/notes/lines/?fails=early").refuses(409, "conflict").head("Content-Type", "application/problem+json")
		first := api.with("Accept", accept).get("/api/notes/lines/?fails=first").refuses(403, "forbidden").head("Content-Type", "application/problem+json")
		if first.header.Get("Allow") != "" || first.header.Get("X-Accel-Buffering") != "" {
			t.Errorf("the error has the headers %v", first.header)
		}
		api.with("Accept", accept).get("/api/notes/lines/?rows=0&fails=late").refuses(500, "internal").lacks("canary")
		for range 3 {
			<-watching.ended
		}
		watching.began, watching.said = 0, nil
		for _, how := range []string{"late", "panic"} {
			body, err := read(t, api.url+"/api/notes/lines/?rows=1&fails="+how, accept)
			cut := accept != "text/event-stream"
			if (err != nil) != cut || strings.Contains(body, "canary") {
				t.Errorf("%s, %s: the answer is %q, error %v", accept, how, body, err)
			}
			last := body[strings.LastIndex(strings.TrimSpace(body), "\n")+1:]
			switch accept {
			case "application/x-ndjson":
				if p := new(problem); json.Unmarshal([]byte(last), p) != nil || p.Code != "internal" || p.Status != 500 {
					t.Errorf("the last line is %q", last)
				}
			case "text/csv":
				if strings.Contains(body, "internal") {
					t.Errorf("the answer has the error: %q", body)
				}
			default:
				if !strings.Contains(body, "\n\nevent: error\n") || !strings.HasPrefix(last, `data: {"type":"/api/errors/internal"`) {
					t.Errorf("the last event is %q", body)
				}
			}
			if o := watching.last(t); o.Status != 500 || o.Code != "internal" || o.Err == nil || o.Bytes == 0 || o.Name != "lines" {
				t.Errorf("%s, %s: the observer gets %+v", accept, how, o)
			}
		}
	}
	if n := strings.Count(logged.String(), "canary"); n != 9 {
		t.Errorf("the log has the cause %d times; want 9:\n%s", n, logged)
	}
}

// read requests a path and reads the body until an error or its end.
func read(t *testing.T, url, accept string) (string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// TestStreamOnAnObject: the object is one that the caller may see.
func TestStreamOnAnObject(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		b := books()
		b.Actions = []framework.Action[Book]{framework.Get("words", func(_ *framework.Call, b *Book, _ framework.None) (iter.Seq2[string, error], error) {
			return func(yield func(string, error) bool) {
				for word := range strings.FieldsSeq(b.Title) {
					if !yield(word, nil) {
						return
					}
				}
			}, nil
		})}
		api := serve(t, config(db), countries(), authors(), b)
		id := api.as("ada").post("/api/books/", fields{"title": "Pride and Prejudice"}).is(201).id()
		if got := api.as("ada").get("/api/books/" + id + "/words/").is(200).body; got != "\"Pride\"\n\"and\"\n\"Prejudice\"\n" {
			t.Errorf("got %q", got)
		}
		api.as("bob").get("/api/books/"+id+"/words/").refuses(404, "not_found")
		api.get("/api/books/"+id+"/words/").refuses(401, "authentication_required")
	})
}

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
		{framework.Each[BookView](c, "authors", nil), "does not show framework_test.BookView"},
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
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, api.url+"/api/notes/export/", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		rows, most := 0, uint64(0)
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); rows++ {
			if rows%20_000 == 0 {
				most = max(most, heap())
			}
		}
		if rows != 100_000 || most > 64<<20 {
			t.Errorf("%d rows with %d MiB of memory; want 100000 with at most 64", rows, most>>20)
		}
	})
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
		ctx, leave := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, api.url+"/api/notes/rows/", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil {
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

// TestContent: bytes with their headers, ranges and conditions.
func TestContent(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	closed := 0
	content := func(c framework.Content) func(*framework.Call, framework.None) (framework.Content, error) {
		return func(*framework.Call, framework.None) (framework.Content, error) {
			body := c
			if text, ok := c.Body.(*strings.Reader); ok {
				_, _ = text.Seek(0, io.SeekStart)
				body.Body = closing{text, &closed}
			}
			return body, nil
		}
	}
	pdf := framework.Media("application/pdf")
	api := serve(t, config(sqlite(t)), streaming(
		framework.OnCollection("GET", "file", content(framework.Content{Body: strings.NewReader("0123456789"), Name: "../Größe \"1\".pdf", ETag: `"v1"`, ModTime: at})).As(pdf, "text/plain"),
		framework.OnCollection("GET", "pipe", content(framework.Content{Body: io.LimitReader(strings.NewReader("0123456789"), 10), Inline: true, Name: "a.pdf"})).As(pdf),
		framework.OnCollection("GET", "short", content(framework.Content{Body: io.LimitReader(strings.NewReader("0123456789"), 10), Length: 20})).As(pdf),
		framework.OnCollection("GET", "broken", content(framework.Content{Body: broken{}})).As(pdf),
		framework.OnCollection("GET", "other", content(framework.Content{Body: strings.NewReader("x"), Media: "text/html"})).As(pdf),
		framework.OnCollection("GET", "none", content(framework.Content{})).As(pdf),
		framework.OnCollection("POST", "made", content(framework.Content{Body: strings.NewReader("0123456789")})).As(pdf).Untransacted(),
	))
	file := api.get("/api/notes/file/").is(200).head("Content-Type", "application/pdf").head("Content-Length", "10").head("ETag", `"v1"`).head("Accept-Ranges", "bytes")
	file.head("Content-Disposition", `attachment; filename*=utf-8''Gr%C3%B6%C3%9Fe%20%221%22.pdf`).head("X-Content-Type-Options", "nosniff").head("Cache-Control", "no-store")
	if file.body != "0123456789" {
		t.Errorf("the body is %q", file.body)
	}
	api.with("Accept", "text/*").get("/api/notes/file/").is(200).head("Content-Type", "text/plain")
	if part := api.with("Range", "bytes=2-4").get("/api/notes/file/").is(206).head("Content-Range", "bytes 2-4/10"); part.body != "234" {
		t.Errorf("the part is %q", part.body)
	}
	if whole := api.with("Range", "bytes=2-4").with("If-Range", `"v2"`).get("/api/notes/file/").is(200); whole.body != "0123456789" {
		t.Errorf("with another tag the answer is %q", whole.body)
	}
	api.with("If-None-Match", `"v1"`).get("/api/notes/file/").is(304)
	outside := api.with("Range", "bytes=20-").get("/api/notes/file/").refuses(416, "range_not_satisfiable").head("Content-Range", "bytes */10")
	if outside.header.Get("Content-Disposition") != "" {
		t.Errorf("the error has the headers %v", outside.header)
	}
	api.with("If-Match", `"v2"`).get("/api/notes/file/").refuses(412, "precondition_failed")
	if head := api.do("HEAD", "/api/notes/file/", nil).is(200).head("Content-Length", "10"); head.body != "" {
		t.Errorf("HEAD has the body %q", head.body)
	}
	if pipe := api.get("/api/notes/pipe/").is(200).head("Content-Disposition", "inline; filename=a.pdf"); pipe.body != "0123456789" {
		t.Errorf("the body is %q", pipe.body)
	}
	if body, err := read(t, api.url+"/api/notes/short/", "*/*"); err == nil || body != "0123456789" {
		t.Errorf("a body that is too short is %q, error %v", body, err)
	}
	if made := api.post("/api/notes/made/", nil).is(200).head("Content-Type", "application/pdf"); made.body != "0123456789" {
		t.Errorf("the body is %q", made.body)
	}
	for _, path := range []string{"broken", "other", "none"} {
		api.get("/api/notes/"+path+"/").refuses(500, "internal").head("Content-Type", "application/problem+json")
	}
	api.with("Accept", "image/png").get("/api/notes/file/").refuses(406, "not_acceptable").says(`"offered":["application/pdf","text/plain"]`)
	if closed != 10 {
		t.Errorf("%d of 10 bodies are closed", closed)
	}
}

// closing counts how often it is closed.
type closing struct {
	*strings.Reader
	closed *int
}

func (c closing) Close() error { *c.closed++; return nil }

// broken cannot be read.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("a canary") }

// TestStreamMistakes: what cannot be sent in parts is a mistake at start.
func TestStreamMistakes(t *testing.T) {
	type nested struct {
		Name string `json:"name"`
		Tags []string
	}
	seq := func(*framework.Call, framework.None) (iter.Seq[Line], error) { return nil, nil }
	deep := func(*framework.Call, framework.None) (iter.Seq2[nested, error], error) { return nil, nil }
	texts := func(*framework.Call, framework.None) (iter.Seq2[string, error], error) { return nil, nil }
	plain := func(*framework.Call, framework.None) (Line, error) { return Line{}, nil }
	bytes := func(*framework.Call, framework.None) (framework.Content, error) { return framework.Content{}, nil }
	on := func(s framework.CollectionAction) framework.ViewSet[Note] { return streaming(s) }
	for _, c := range []struct {
		declared framework.Resource
		want     string
	}{
		{on(lineStream("text/cvs")), `As("text/cvs"): a stream is sent as one of application/x-ndjson, text/csv, text/csv; formulas=exact, text/event-stream; did you mean "text/csv"?`},
		{on(lineStream(framework.CSV, framework.ExactCSV)), `As: text/csv is declared twice`},
		{on(framework.OnCollection("GET", "deep", deep).As(framework.CSV)), `As("text/csv"): nested.Tags is []string; a cell of CSV is one plain value`},
		{on(framework.OnCollection("GET", "texts", texts).As(framework.CSV)), `a row of CSV is a struct; string is not one`},
		{on(framework.OnCollection("GET", "seq", seq)), `its function returns iter.Seq[`},
		{on(framework.OnCollection("GET", "plain", plain).As(framework.CSV)), `As("text/csv") is for a function that returns iter.Seq2[T, error] or framework.Content; this one returns framework_test.Line`},
		{on(framework.OnCollection("GET", "bytes", bytes)), `no media type is declared; write As("application/pdf") or the like`},
		{on(framework.OnCollection("GET", "bytes", bytes).As("image/*")), `As("image/*"): it is not one media type`},
		{on(framework.OnCollection("GET", "bytes", bytes).As("")), `As(""): it is not a media type`},
		{on(framework.OnCollection("POST", "lines", linesOf)), `write Untransacted, and change rows by Call.InTx`},
		{on(framework.OnCollection("POST", "lines", linesOf).Idempotent()), `leave Idempotent out`},
		{on(lineStream().Answers(204)), `Answers(204) is for another kind of answer`},
		{framework.ViewSet[Note]{Name: "notes", Scope: framework.Public(), Verbs: framework.Verbs{Create: framework.Does(func(*framework.Call, framework.None) (framework.Content, error) { return framework.Content{}, nil })}}, `only the function of an action may`},
	} {
		api := framework.New(config(sqlite(t)))
		api.Register(c.declared)
		if err := api.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the mistake is %v\nwant %s", err, c.want)
		}
	}
}
