package export_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// handler serves orders without the comparison with the document, which keeps answers.
func handler(t *testing.T, db *sqldb.DB, v framework.ViewSet[Order]) http.Handler {
	t.Helper()
	api := framework.New(config(db))
	api.Register(v, lines())
	h, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// many stores orders of Ann with numbers from 1.
func many(t *testing.T, db *sqldb.DB, number int) {
	t.Helper()
	var all []*Order
	for i := range number {
		all = append(all, order("ann", int64(i+1), strings.Repeat("a long note ", 10)))
	}
	for part := range slices.Chunk(all, 500) {
		apitest.Insert(t, db, &part)
	}
}

// TestOneExportAtATime: a second export of a caller is rejected until the first is done, whatever the list and the format. Pages
// and other callers are not.
func TestOneExportAtATime(t *testing.T) {
	filled(t, func(t *testing.T, db *sqldb.DB) {
		begun, goOn := make(chan struct{}), make(chan struct{})
		var once atomic.Bool
		v := orders()
		v.Collection = []framework.CollectionAction{framework.Lists[orderView]("slow").Narrow(func(_ *framework.Call, q *bun.SelectQuery) *bun.SelectQuery {
			if once.CompareAndSwap(false, true) {
				close(begun)
				<-goOn
			}
			return q
		})}
		c := served(t, db, nil, v, lines())
		ann, done := apitest.As(c, "ann"), make(chan *frameworktest.Response)
		go func() { done <- ann.Get("/api/orders/slow/?format=csv") }()
		<-begun
		for _, at := range []string{"/api/orders/?format=csv", "/api/orders/slow/?format=ndjson", "/api/orders/" + order("", 1, "").ID.String() + "/lines/?format=csv"} {
			ann.Get(at).Expect(429).Code("export_in_progress").Header("Retry-After", "5").Header("Content-Type", "application/problem+json").Header("Content-Disposition", "")
		}
		ann.Get("/api/orders/").Expect(200)
		ann.Get("/api/orders/?format=csv&page=1&from=x").Expect(400)
		apitest.As(c, "bob").Get("/api/orders/?format=csv").Expect(200).Contains("of Bob")
		close(goOn)
		(<-done).Expect(200).Contains("plain")
		for range 3 {
			ann.Get("/api/orders/?format=csv").Expect(200)
			ann.Do("HEAD", "/api/orders/?format=csv", nil).Expect(200)
		}
	})
}

// A reader is a client that calls look before it reads each part of an answer, and reads at most some bytes.
type reader struct {
	*httptest.ResponseRecorder

	look func()
	most int
}

var errDisconnected = errors.New("the client disconnected")

func (r *reader) Write(p []byte) (int, error) {
	if r.look(); r.most > 0 && r.Body.Len() >= r.most {
		return 0, errDisconnected
	}
	return r.ResponseRecorder.Write(p)
}

// ask sends a request of Ann for a list to a handler. It reports whether the handler closed the connection.
func ask(t *testing.T, h http.Handler, query string, r *reader) (cut bool) {
	t.Helper()
	r.ResponseRecorder = httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/api/orders/?"+query, http.NoBody)
	request.Header.Set("Authorization", "Name ann")
	defer func() {
		failure := recover()
		if cut = failure != nil; cut && failure != http.ErrAbortHandler { //nolint:errorlint // a panic has this very value
			panic(failure)
		}
	}()
	h.ServeHTTP(r, request)
	return false
}

// TestSlowClients: while the client takes a part, the export holds no connection to the database. A client that disconnects
// ends its export.
func TestSlowClients(t *testing.T) {
	apitest.Databases(t, shop, func(t *testing.T, db *sqldb.DB) {
		many(t, db, 2000)
		h := handler(t, db, orders())
		for _, format := range []string{"csv", "ndjson"} {
			looked := 0
			r := &reader{look: func() {
				looked++
				if n := db.Stats().InUse; n != 0 {
					t.Errorf("%d connections are in use while the client reads", n)
				}
			}}
			if cut := ask(t, h, "format="+format, r); cut || r.Code != 200 || looked < 3 {
				t.Errorf("%s: status %d, closed %t, %d parts", format, r.Code, cut, looked)
			}
			if n := strings.Count(r.Body.String(), "a long note a long note"); n < 2000 {
				t.Errorf("%s: there are %d rows; want 2000", format, n)
			}
			gone := &reader{look: func() {}, most: 1}
			if cut := ask(t, h, "format="+format, gone); !cut {
				t.Errorf("%s: the connection of a client that disconnected stays open", format)
			}
		}
		if again := (&reader{look: func() {}}); ask(t, h, "format=csv&from=1999", again) || again.Code != 200 {
			t.Errorf("after a client disconnected, the next export is answered %d", again.Code)
		}
	})
}

// TestExportsHaveNoDeadline: the time limit of requests is for pages. An export goes on as long as it makes progress.
func TestExportsHaveNoDeadline(t *testing.T) {
	filled(t, func(t *testing.T, db *sqldb.DB) {
		limited := map[bool]int{}
		v := orders()
		v.Collection = []framework.CollectionAction{framework.Lists[orderView]("timed").Narrow(func(c *framework.Call, q *bun.SelectQuery) *bun.SelectQuery {
			_, has := c.Deadline()
			limited[has]++
			return q
		})}
		ann := apitest.As(served(t, db, nil, v, lines()), "ann")
		ann.Get("/api/orders/timed/").Expect(200)
		if limited[true] == 0 || limited[false] > 0 {
			t.Errorf("%d statements of a page have a deadline, and %d have none", limited[true], limited[false])
		}
		clear(limited)
		ann.Get("/api/orders/timed/?format=csv").Expect(200)
		if limited[true] > 0 || limited[false] == 0 {
			t.Errorf("%d statements of an export have a deadline, and %d have none", limited[true], limited[false])
		}
	})
}

// TestExportsThatFail: a failure before the first row is an error of the API. After it, the client knows that the file is not
// whole, because the connection is closed; NDJSON has the error as its last line.
func TestExportsThatFail(t *testing.T) {
	apitest.Databases(t, shop, func(t *testing.T, db *sqldb.DB) {
		many(t, db, 1000)
		at := int64(0)
		v := orders()
		v.Verbs.List = framework.Computes(func(_ *framework.Call, o *Order) (lightView, error) {
			if o.Number == at {
				return lightView{}, errors.New("a canary")
			}
			return lightView{Number: o.Number, Note: o.Note}, nil
		})
		server := frameworktest.New(t, handler(t, db, v))
		ann := apitest.As(server, "ann")
		for _, format := range []string{"csv", "ndjson"} {
			at = 3
			ann.Get("/api/orders/?format="+format).Expect(500).Code("internal").Lacks("canary").Header("Content-Disposition", "")
			at = 900
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL()+"/api/orders/?format="+format, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Name ann")
			answer, err := http.DefaultTransport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			if answer.StatusCode != http.StatusOK || err == nil {
				t.Errorf("%s: the status is %d, and the whole body is read", format, answer.StatusCode)
			}
			if text := string(body); strings.Contains(text, "canary") || strings.Contains(text, `"code":"internal"`) != (format == "ndjson") {
				t.Errorf("%s ends with %q", format, text[max(0, len(text)-200):])
			}
			at = 0
			ann.Get("/api/orders/?format=" + format).Expect(200)
		}
	})
}
