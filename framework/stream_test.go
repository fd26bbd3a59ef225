package framework_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

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

func (l Line) EventID() string { return strconv.Itoa(l.Number) }

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
		api.with("Accept", c.accept).get("/api/notes/lines/?rows=1").is(200).head("Content-Type", c.want).head("Vary", "Accept")
	}
	for _, accept := range []string{"application/json", "image/*", "text/csv;q=0", "*/*;q=0", "text/csv;charset=latin1", "text/csv;q=2", "nonsense"} {
		refused := api.with("Accept", accept).get("/api/notes/lines/?fails=early").refuses(406, "not_acceptable")
		refused.says(`"details":{"offered":["application/x-ndjson","text/csv","text/event-stream"]}`).head("Content-Type", "application/problem+json").head("Vary", "Accept")
	}
}

// TestStreamOfNDJSON: a line for each element, in the JSON of the API.
func TestStreamOfNDJSON(t *testing.T) {
	api := serve(t, config(sqlite(t)), streaming(lineStream()))
	got := api.get("/api/notes/lines/?rows=2&unknown=x").is(200).head("Cache-Control", "no-store").head("Trestle-Ignored", "unknown").head("Vary", "")
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

// TestTheLogOfAStreamThatDoesNotBegin: the log has the size of the error that is sent in its place.
func TestTheLogOfAStreamThatDoesNotBegin(t *testing.T) {
	logged := &lines{}
	c := config(sqlite(t))
	c.Log = slog.New(slog.NewTextHandler(logged, nil))
	api := framework.New(c)
	api.Register(streaming(lineStream()))
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/api/notes/lines/?fails=first", nil))
	if want := fmt.Sprintf("status=403 bytes=%d ", answer.Body.Len()); answer.Code != 403 || !strings.Contains(logged.String(), want) {
		t.Errorf("the answer is %d; the log is %q, want %q in it", answer.Code, logged, want)
	}
}

// patient is a client for streams.
var patient = &http.Client{Timeout: time.Minute}

// read requests a path and reads the body until an error or its end.
func read(t *testing.T, url, accept string) (string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	resp, err := patient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// TestStreamInMiddleware: middleware wraps a stream, and does not keep it back after an error.
func TestStreamInMiddleware(t *testing.T) {
	marks := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Mark", "yes")
			if r.FormValue("unknown") == "" {
				w = struct{ http.ResponseWriter }{w} // it cannot flush
			}
			next.ServeHTTP(w, r)
		})
	}
	logged := &lines{}
	c := config(sqlite(t))
	c.Log = slog.New(slog.NewTextHandler(logged, nil))
	api := serve(t, c, streaming(lineStream().Wrap(marks)))
	if got := api.get("/api/notes/lines/?rows=2").is(200).head("Mark", "yes"); strings.Count(got.body, "\n") != 2 {
		t.Errorf("the body is %q", got.body)
	}
	api.get("/api/notes/lines/?fails=first").refuses(403, "forbidden").head("Mark", "yes")
	if body, err := read(t, api.url+"/api/notes/lines/?rows=1&fails=late&unknown=x", "*/*"); err == nil || !strings.Contains(body, `"code":"internal"`) {
		t.Errorf("the answer is %q, error %v", body, err)
	}
	if text := logged.String(); strings.Count(text, "a canary") != 1 || strings.Count(text, "msg=request") != 3 {
		t.Errorf("the log is %s", text)
	}
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

// TestStreamMistakes: what cannot be sent in parts is a mistake at start.
func TestStreamMistakes(t *testing.T) {
	type nested struct {
		Name string `json:"name"`
		Tags []string
	}
	seq := func(*framework.Call, framework.None) (iter.Seq[Line], error) { return nil, nil }
	deep := func(*framework.Call, framework.None) (iter.Seq2[nested, error], error) { return nil, nil }
	texts := func(*framework.Call, framework.None) (iter.Seq2[string, error], error) { return nil, nil }
	photos := func(*framework.Call, framework.None) (iter.Seq2[InPetView, error], error) { return nil, nil }
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
		{on(framework.OnCollection("GET", "photos", photos).As(framework.CSV)), `As("text/csv"): InPetView.Photo is files.File; a cell of CSV is one plain value`},
		{on(framework.OnCollection("GET", "texts", texts).As(framework.CSV)), `a row of CSV is a struct; string is not one`},
		{on(framework.OnCollection("GET", "seq", seq)), `its function returns iter.Seq[`},
		{on(framework.OnCollection("GET", "plain", plain).As(framework.CSV)), `As("text/csv") is for a function that returns iter.Seq2[T, error] or framework.Content; this one returns framework_test.Line`},
		{on(framework.OnCollection("GET", "bytes", bytes)), `no media type is declared; write As("application/pdf") or the like`},
		{on(framework.OnCollection("GET", "bytes", bytes).As("image/*")), `As("image/*"): it is not one media type`},
		{on(framework.OnCollection("GET", "bytes", bytes).As("")), `As(""): it is not a media type`},
		{on(framework.OnCollection("POST", "lines", linesOf)), `write Untransacted, and change rows by Call.InTx`},
		{on(framework.OnCollection("POST", "lines", linesOf).Idempotent()), `leave Idempotent out`},
		{on(lineStream().Answers(204)), `Answers(204) is for another kind of answer`},
		{framework.ViewSet[Note]{Name: "notes", Scope: framework.Public(), Verbs: framework.Verbs{Create: framework.Does(func(*framework.Call, framework.None) (framework.Content, error) { return framework.Content{}, nil })}}, `only an action may`},
	} {
		api := framework.New(config(sqlite(t)))
		api.Register(c.declared)
		if err := api.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the mistake is %v\nwant %s", err, c.want)
		}
	}
}
