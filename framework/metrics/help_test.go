package metrics_test

import (
	"bufio"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/metrics"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// A Note is the row of these tests.
type Note struct {
	bun.BaseModel `bun:"table:notes"`

	ID   uuid.UUID `bun:",pk"`
	Text string
}

type NoteInput struct {
	Text string `json:"text" validate:"required"`
}

type NoteView struct {
	ID uuid.UUID `json:"id"`
	NoteInput
}

// A board is an API of notes with its metrics.
type board struct {
	*frameworktest.Client
	metrics *metrics.Metrics
	db      *sqldb.DB
	handler http.Handler
	entered chan struct{} // the action wait is under way
	release chan struct{} // lets the action continue
}

// onBoth runs a test on a board in each database.
func onBoth(t *testing.T, test func(t *testing.T, b *board)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) { test(t, newBoard(t, db)) })
}

func newBoard(t *testing.T, db *sqldb.DB) *board {
	t.Helper()
	key := map[sqldb.Kind]string{sqldb.SQLite: "text", sqldb.PostgreSQL: "uuid"}[db.Kind()]
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE notes (id "+key+" PRIMARY KEY, text varchar NOT NULL UNIQUE)"); err != nil {
		t.Fatal(err)
	}
	m, err := metrics.New(db)
	if err != nil {
		t.Fatal(err)
	}
	b := &board{metrics: m, db: db, entered: make(chan struct{}), release: make(chan struct{})}
	api := framework.New(framework.Config{
		DB: db, Permission: framework.Anyone(), Pagination: page.Number{Size: 3}, Log: slog.New(slog.DiscardHandler),
		Observers: []framework.Observer{m},
	})
	api.Register(b.notes())
	if b.handler, err = api.Handler(); err != nil {
		t.Fatal(err)
	}
	b.Client = frameworktest.New(t, b.handler)
	return b
}

func (b *board) notes() framework.ViewSet[Note] {
	does := func(name string, do func() error) framework.CollectionAction {
		return framework.OnCollection(http.MethodPost, name, func(*framework.Call, framework.None) (framework.None, error) {
			return framework.None{}, do()
		})
	}
	return framework.ViewSet[Note]{
		Name: "notes", Scope: framework.Public(), Verbs: framework.CRUD[NoteInput, NoteView](),
		Collection: []framework.CollectionAction{
			does("fail", func() error { return errors.New("it broke") }),
			does("made-up", func() error { return framework.Refuse(http.StatusBadGateway, "canary", "It is away.") }),
			does("abort", func() error { panic(http.ErrAbortHandler) }),
			framework.OnCollection(http.MethodGet, "wait", func(*framework.Call, framework.None) (framework.None, error) {
				b.entered <- struct{}{}
				<-b.release
				return framework.None{}, nil
			}),
		},
	}
}

// scraped returns the metrics of a board: values by names and labels, as they are
// written.
func (b *board) scraped(t *testing.T) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for lines := bufio.NewScanner(strings.NewReader(b.page(t))); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			t.Fatalf("%q is not a metric: %v", line, err)
		}
		all[line[:at]] = value
	}
	return all
}

// page returns the text that Prometheus reads.
func (b *board) page(t *testing.T) string {
	t.Helper()
	w := httptest.NewRecorder()
	b.metrics.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Fatalf("status %d, %s: %s", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	return w.Body.String()
}
