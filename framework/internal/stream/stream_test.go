package stream_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/stream"
)

// A cell is an element of the streams of these tests.
type cell struct {
	Text string  `json:"text"`
	More *string `json:"more,omitempty"`
	ID   string  `json:"-"`
}

func (c cell) EventID() string { return c.ID }

func (c cell) EventName() string { return "cell" }

// plan compiles a stream of cells.
func plan(tb testing.TB, media ...stream.Media) *stream.Plan {
	tb.Helper()
	return stream.Compile(reflect.TypeFor[iter.Seq2[cell, error]](), media, naming.AsInGo, func(err error) { tb.Error(err) })
}

// A writer records what a stream writes. Its deadlines are those of the last call.
type writer struct {
	mu       sync.Mutex
	header   http.Header
	status   int
	flushed  bytes.Buffer
	pending  bytes.Buffer
	deadline time.Time
	late     int   // writes after their deadline
	fails    error // of the next write
}

func (w *writer) Header() http.Header { return w.header }

func (w *writer) WriteHeader(status int) { w.status = status }

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fails != nil {
		return 0, w.fails
	}
	if !time.Now().Before(w.deadline) {
		w.late++
	}
	return w.pending.Write(p)
}

func (w *writer) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.pending.WriteTo(&w.flushed)
	return err
}

func (w *writer) SetWriteDeadline(at time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = at
	return nil
}

func (w *writer) SetReadDeadline(time.Time) error { return nil }

// arrived is what the client has.
func (w *writer) arrived() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flushed.String()
}

// send sends what an iterator yields, in the first media type of a plan.
func send[T any](tb testing.TB, p *stream.Plan, w *writer, rows iter.Seq2[T, error]) (out stream.Outcome, stopped bool) {
	tb.Helper()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	format, err := p.Choose(r)
	if err != nil {
		tb.Fatal(err)
	}
	answer, err := p.Answer(http.StatusOK, format, rows)
	if err != nil {
		tb.Fatal(err)
	}
	w.header = http.Header{}
	out = answer.Send(stream.Options{
		Writer: w, Request: r, Wait: time.Second, Progress: func() {}, Stop: func() { stopped = true }, Disconnected: func() bool { return false },
		Problem: func(error) []byte { return []byte(`{"status":500}`) },
	})
	return out, stopped
}

// of yields texts, each after a wait.
func of(wait time.Duration, texts ...string) iter.Seq2[cell, error] {
	return func(yield func(cell, error) bool) {
		for _, text := range texts {
			<-time.After(wait)
			if !yield(cell{Text: text, ID: text}, nil) {
				return
			}
		}
	}
}

// TestHeartbeats: an event stream begins after a second, and has a comment after 15 seconds
// without an event. Each event is sent at once, and each write has its own deadline.
func TestHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &writer{}
		go func() {
			<-time.After(1500 * time.Millisecond)
			if w.mu.Lock(); w.status != http.StatusOK {
				t.Errorf("after 1.5 s the status is %d", w.status)
			}
			w.mu.Unlock()
			<-time.After(39 * time.Second)
			if got := w.arrived(); got != ":\n\n:\n\nevent: cell\nid: a\ndata: {\"text\":\"a\"}\n\n" {
				t.Errorf("after 40.5 s the client has %q", got)
			}
		}()
		out, _ := send(t, plan(t, stream.EventStream), w, of(40*time.Second, "a", "b"))
		if out.Status != http.StatusOK || out.Err != nil || out.Cut || w.late > 0 {
			t.Errorf("the outcome is %+v, with %d writes after their deadline", out, w.late)
		}
		if !w.deadline.IsZero() {
			t.Errorf("the deadline of the connection is %v at the end; want none", w.deadline)
		}
	})
}

// TestFlushes: the lines of a stream that waits arrive within two seconds.
func TestFlushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &writer{}
		go func() {
			<-time.After(12 * time.Second)
			if got := w.arrived(); got != "{\"text\":\"a\"}\n" {
				t.Errorf("2 s after the first line the client has %q", got)
			}
		}()
		send(t, plan(t, stream.NDJSON), w, of(10*time.Second, "a", "b"))
		if got := w.arrived(); got != "{\"text\":\"a\"}\n{\"text\":\"b\"}\n" {
			t.Errorf("the client has %q", got)
		}
	})
}

// TestClientReadsNothing: after a failed write the work is stopped, even if the iterator waits.
func TestClientReadsNothing(t *testing.T) {
	for _, media := range []stream.Media{stream.NDJSON, stream.EventStream} {
		synctest.Test(t, func(t *testing.T) {
			w := &writer{fails: errors.New("the client reads nothing")}
			yielded, ended := 0, false
			out, stopped := send(t, plan(t, media), w, func(yield func(cell, error) bool) {
				defer func() { ended = true }()
				for yield(cell{Text: strings.Repeat("x", 40_000)}, nil) {
					yielded++
				}
			})
			if !out.Unread || !out.Cut || out.Err != nil || !stopped || !ended || yielded > 0 {
				t.Errorf("%s: the outcome is %+v, stopped %t, ended %t after %d elements", media, out, stopped, ended, yielded)
			}
		})
	}
}

// TestElementsThatCannotBeSent: they end the stream as an error of the iterator does.
func TestElementsThatCannotBeSent(t *testing.T) {
	for name, rows := range map[string]iter.Seq2[cell, error]{
		"a line break in an id": func(yield func(cell, error) bool) { yield(cell{ID: "a\nb"}, nil) },
		"a panic":               func(func(cell, error) bool) { panic("a canary") },
		"an error":              func(yield func(cell, error) bool) { yield(cell{}, errors.New("a canary")) },
	} {
		w := &writer{}
		if out, _ := send(t, plan(t, stream.EventStream), w, rows); out.Err == nil || out.Status != 0 || w.status != 0 {
			t.Errorf("%s: the outcome is %+v, the status %d", name, out, w.status)
		}
	}
}

// TestNilIterator: a function that returns neither an iterator nor an error made a mistake.
func TestNilIterator(t *testing.T) {
	p := plan(t)
	f, _ := p.Choose(httptest.NewRequest(http.MethodGet, "/", nil))
	if _, err := p.Answer(http.StatusOK, f, iter.Seq2[cell, error](nil)); err == nil {
		t.Error("a nil iterator is no error")
	}
}

// An anyCell is an element with a value that its type does not describe.
type anyCell struct {
	Text string `json:"text"`
	Free free   `json:"free"`
}

// A free value is null, or any JSON.
type free string

func (f free) MarshalJSON() ([]byte, error) {
	if f == "" {
		return []byte("null"), nil
	}
	return []byte(f), nil
}

// A described value states its schema.
type described struct{ free }

func (described) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type": ["object", "null"]}`), nil
}

// TestNestedCells: a type whose schema permits an object is a mistake at start. A value that turns
// out to be one is an error that names its member.
func TestNestedCells(t *testing.T) {
	var mistakes []string
	compile := func(out reflect.Type) *stream.Plan {
		return stream.Compile(out, []stream.Media{stream.CSV}, naming.AsInGo, func(err error) { mistakes = append(mistakes, err.Error()) })
	}
	compile(reflect.TypeFor[iter.Seq2[struct{ Text, Photo described }, error]]())
	if len(mistakes) != 1 || !strings.Contains(mistakes[0], "a cell of CSV is one plain value") {
		t.Errorf("the mistakes are %q", mistakes)
	}
	p := compile(reflect.TypeFor[iter.Seq2[anyCell, error]]())
	for value, want := range map[free]string{
		"": "", "5": "", `{"a": 1}`: `the member "free" of a row is an object or an array`, `[1]`: `the member "free" of a row is an object or an array`,
	} {
		out, _ := send(t, p, &writer{}, func(yield func(anyCell, error) bool) { yield(anyCell{"a", value}, nil) })
		if (out.Err == nil) != (want == "") || out.Err != nil && (!strings.Contains(out.Err.Error(), want) || strings.Contains(out.Err.Error(), "panic")) {
			t.Errorf("%q: %v; want %q", value, out.Err, want)
		}
	}
}

// FuzzCSV: encoding/csv reads back each text, except that it reads \r\n as \n.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{"", " ", "a", `"`, `a"b`, "a,b", "\r\n", "\n", "\r", "a\r", " a ", "=1", "-5", "é", "\x00", `\.`, "\ufeff"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, text, more string) {
		if !utf8.ValidString(text) || !utf8.ValidString(more) {
			t.Skip("JSON has no such text")
		}
		w := &writer{}
		out, _ := send(t, plan(t, stream.ExactCSV), w, func(yield func(cell, error) bool) { yield(cell{Text: text, More: &more}, nil) })
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		rows, err := csv.NewReader(strings.NewReader(w.arrived())).ReadAll()
		want := [][]string{{"text", "more"}, {strings.ReplaceAll(text, "\r\n", "\n"), strings.ReplaceAll(more, "\r\n", "\n")}}
		if err != nil || !reflect.DeepEqual(rows, want) {
			t.Errorf("%q is read as %q, error %v", w.arrived(), rows, err)
		}
		safe := &writer{}
		send(t, plan(t, stream.CSV), safe, func(yield func(cell, error) bool) { yield(cell{Text: text}, nil) })
		rows, err = csv.NewReader(strings.NewReader(safe.arrived())).ReadAll()
		if err != nil || len(rows) != 2 || strings.HasPrefix(rows[1][0], "=") || strings.HasPrefix(rows[1][0], "@") {
			t.Errorf("a spreadsheet would run %q, error %v", safe.arrived(), err)
		}
	})
}

// FuzzEvents: a parser of events, as the HTML standard describes one, reads back each text.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"", "a", ": b", "\r\n", "\u2028", "data: x\n\nevent: y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip("JSON has no such text")
		}
		w := &writer{}
		if out, _ := send(t, plan(t, stream.EventStream), w, func(yield func(cell, error) bool) { yield(cell{Text: text, ID: "7"}, nil) }); out.Err != nil {
			t.Fatal(out.Err)
		}
		ndjson := &writer{}
		send(t, plan(t, stream.NDJSON), ndjson, func(yield func(cell, error) bool) { yield(cell{Text: text}, nil) })
		want := []event{{"cell", "7", strings.TrimSuffix(ndjson.arrived(), "\n")}}
		if got := parseEvents(w.arrived()); !slices.Equal(got, want) {
			t.Errorf("%q is read as %q; want %q", w.arrived(), got, want)
		}
	})
}

// An event is one event as a client reads it.
type event struct{ name, id, data string }

// parseEvents reads events whose lines end with a line feed.
func parseEvents(text string) (all []event) {
	var one event
	var data []string
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() == "":
			one.data = strings.Join(data, "\n")
			all, one, data = append(all, one), event{}, nil
		case name == "event":
			one.name = value
		case name == "id":
			one.id = value
		case name == "data":
			data = append(data, value)
		}
	}
	return all
}

// FuzzAccept: any header Accept chooses an offered media type or is rejected with 406.
func FuzzAccept(f *testing.F) {
	for _, seed := range []string{"", "*/*", "text/csv;q=0.5,*/*;q=0", `text/csv;a="b,c"`, "text/csv;q=", ",", "a/b/c", `"`, `text/csv;charset="utf-8"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		p := plan(t, stream.NDJSON, stream.CSV)
		r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/", nil)
		r.Header["Accept"] = []string{accept}
		f, err := p.Choose(r)
		if (f == nil) == (err == nil) || f != nil && !slices.Contains(p.Media(), f.Media()) {
			t.Errorf("%q chooses %v, error %v", accept, f, err)
		}
	})
}
