package tracing_test

import (
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	collect "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/tracing"
	"trestle.example/internal/journal"
)

// A collector is a receiver of OTLP over HTTP.
type collector struct {
	*httptest.Server

	mu      sync.Mutex
	spans   []*otlp.Span
	about   map[string]string // the attributes of the service
	headers http.Header       // of the last request
	conns   atomic.Int64      // open connections
	raw     strings.Builder
}

func newCollector(tb testing.TB) *collector {
	tb.Helper()
	c := &collector{}
	c.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var sent collect.ExportTraceServiceRequest
		if err = errors.Join(err, proto.Unmarshal(body, &sent)); err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" {
			tb.Errorf("%s %s is not an export of traces: %v", r.Method, r.URL, err)
		}
		c.keep(&sent, body, r.Header)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	c.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		c.conns.Add(map[http.ConnState]int64{http.StateNew: 1, http.StateClosed: -1}[state])
	}
	c.Start()
	tb.Cleanup(c.Close)
	return c
}

func (c *collector) keep(sent *collect.ExportTraceServiceRequest, body []byte, h http.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(body)
	c.headers = h
	for _, r := range sent.GetResourceSpans() {
		c.about = attributes(r.GetResource().GetAttributes())
		for _, s := range r.GetScopeSpans() {
			c.spans = append(c.spans, s.GetSpans()...)
		}
	}
}

// endpoint returns the address of the collector.
func (c *collector) endpoint() string { return c.URL + "/v1/traces" }

// requests returns the spans of requests, in their order.
func (c *collector) requests() []*otlp.Span { return c.of(otlp.Span_SPAN_KIND_SERVER) }

// statements returns the spans below one.
func (c *collector) statements(below *otlp.Span) []*otlp.Span {
	return slices.DeleteFunc(c.of(otlp.Span_SPAN_KIND_CLIENT), func(s *otlp.Span) bool {
		return string(s.GetParentSpanId()) != string(below.GetSpanId())
	})
}

func (c *collector) of(kind otlp.Span_SpanKind) []*otlp.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var some []*otlp.Span
	for _, s := range c.spans {
		if s.GetKind() == kind {
			some = append(some, s)
		}
	}
	slices.SortStableFunc(some, func(a, b *otlp.Span) int {
		return int(int64(a.GetStartTimeUnixNano()) - int64(b.GetStartTimeUnixNano()))
	})
	return some
}

// attributes returns attributes as text.
func attributes(of []*common.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range of {
		text := a.GetValue().GetStringValue()
		if n, ok := a.GetValue().GetValue().(*common.AnyValue_IntValue); ok {
			text = strings.TrimSpace(slog.Int64Value(n.IntValue).String())
		}
		all[a.GetKey()] = text
	}
	return all
}

func traceOf(s *otlp.Span) string { return hex.EncodeToString(s.GetTraceId()) }

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

// A traced is an API of notes whose requests are traced.
type traced struct {
	*frameworktest.Client
	tracing *tracing.Tracing
	log     *journal.Journal
	db      *sqldb.DB
}

// onBoth runs a test in each database.
func onBoth(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		schema(t, db)
		test(t, db)
	})
}

func schema(tb testing.TB, db *sqldb.DB) {
	tb.Helper()
	key := map[sqldb.Kind]string{sqldb.SQLite: "text", sqldb.PostgreSQL: "uuid"}[db.Kind()]
	if _, err := db.ExecContext(tb.Context(), "CREATE TABLE notes (id "+key+" PRIMARY KEY, text varchar NOT NULL UNIQUE)"); err != nil {
		tb.Fatal(err)
	}
}

func start(t *testing.T, db *sqldb.DB, o tracing.Options) *traced {
	t.Helper()
	s := &traced{log: &journal.Journal{}, db: db}
	log := slog.New(slog.NewTextHandler(s.log, nil))
	o.Log = log
	var err error
	if s.tracing, err = tracing.Start(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.tracing.Close() })
	s.tracing.Watch(db)
	api := framework.New(framework.Config{
		DB: db, Permission: framework.Anyone(), Pagination: page.Number{Size: 3}, Log: log, Observers: []framework.Observer{s.tracing},
	})
	api.Register(notes())
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	s.Client = frameworktest.New(t, handler)
	return s
}

func notes() framework.ViewSet[Note] {
	does := func(name string, do func(c *framework.Call) error) framework.CollectionAction {
		return framework.OnCollection(http.MethodPost, name, func(c *framework.Call, _ framework.None) (framework.None, error) {
			return framework.None{}, do(c)
		})
	}
	return framework.ViewSet[Note]{
		Name: "notes", Scope: framework.Public(), Verbs: framework.CRUD[NoteInput, NoteView](),
		Collection: []framework.CollectionAction{
			does("fail", func(*framework.Call) error { return errors.New("it broke over canary@example.com") }),
			does("mistake", func(c *framework.Call) error {
				_, err := c.DB.NewRaw("SELECT 'canary' FROM nowhere WHERE text = ?", "canary").Exec(c)
				return err
			}),
			does("outward", func(c *framework.Call) error {
				h := http.Header{}
				tracing.Inject(c, h)
				c.Header().Set("Sent-Traceparent", h.Get("Traceparent"))
				return nil
			}),
		},
	}
}

// finish sends the remaining spans.
func (s *traced) finish(t *testing.T) {
	t.Helper()
	if err := s.tracing.Close(); err != nil {
		t.Errorf("the last spans are not sent: %v", err)
	}
}
