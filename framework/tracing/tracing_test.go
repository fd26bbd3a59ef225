package tracing_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"trestle.example/framework/sqldb"
	"trestle.example/framework/tracing"
	"trestle.example/internal/testserver/postgres"
)

const (
	nobody      = "01a1fb21-fe1b-7692-ad93-e9f270ba6438"
	theirTrace  = "0af7651916cd43dd8448eb211c80319c"
	theirSpan   = "b7ad6b7169203331"
	theirHeader = "00-" + theirTrace + "-" + theirSpan + "-"
)

// loopback are the networks from which these tests send requests.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// TestSpansOfRequests: names, attributes, statements, and the ids that connect spans with
// answers and log lines.
func TestSpansOfRequests(t *testing.T) {
	onBoth(t, func(t *testing.T, db *sqldb.DB) {
		to := newCollector(t)
		s := start(t, db, tracing.Options{Endpoint: to.endpoint(), Version: "v7"})
		var ids []string
		for _, ask := range []struct {
			method, path string
			body         any
			status       int
		}{
			{"POST", "/api/notes/?canary=1", map[string]string{"text": "canary text"}, 201},
			{"POST", "/api/notes/", map[string]string{"text": "canary text"}, 409},
			{"GET", "/api/notes/" + nobody + "/?canary=2", nil, 404},
			{"GET", "/canary/" + nobody, nil, 404},
			{"CANARY", "/api/notes/", nil, 405},
			{"POST", "/api/notes/fail/", nil, 500},
			{"POST", "/api/notes/mistake/", nil, 500},
			{"HEAD", "/api/notes/", nil, 200},
		} {
			got := s.With("User-Agent", "canary").With("Cookie", "canary=3").With("X-Request-Id", "canary").Do(ask.method, ask.path, ask.body).Expect(ask.status)
			ids = append(ids, got.Headers().Get("X-Request-Id"))
		}
		s.finish(t)
		spans := to.requests()
		if len(spans) != len(ids) {
			t.Fatalf("there are %d spans of requests; want %d", len(spans), len(ids))
		}
		lines := strings.Split(s.log.String(), "\n")
		for i, want := range []struct {
			name       string
			attributes map[string]string
			failed     bool
			statements []string
		}{
			{"POST /api/notes/", map[string]string{"http.request.method": "POST", "http.route": "/api/notes/", "http.response.status_code": "201", "url.scheme": "http", "trestle.action": "notes.create"}, false, []string{"INSERT"}},
			{"POST /api/notes/", map[string]string{"http.response.status_code": "409", "trestle.code": "not_unique"}, false, []string{"INSERT"}},
			{"GET /api/notes/{id}/", map[string]string{"http.route": "/api/notes/{id}/", "http.response.status_code": "404", "trestle.action": "notes.retrieve"}, false, []string{"SELECT"}},
			{"GET", map[string]string{"http.route": "", "http.response.status_code": "404", "trestle.action": ""}, false, nil},
			{"HTTP /api/notes/", map[string]string{"http.request.method": "_OTHER", "http.response.status_code": "405"}, false, nil},
			{"POST /api/notes/fail/", map[string]string{"http.response.status_code": "500", "error.type": "internal"}, true, []string{"BEGIN", "ROLLBACK"}},
			{"POST /api/notes/mistake/", map[string]string{"http.response.status_code": "500", "error.type": "internal"}, true, []string{"SELECT"}},
			{"HEAD /api/notes/", map[string]string{"http.request.method": "HEAD", "http.response.status_code": "200", "http.response.body.size": "0"}, false, []string{"SELECT"}},
		} {
			span, got := spans[i], attributes(spans[i].GetAttributes())
			if span.GetName() != want.name || got["trestle.request_id"] != ids[i] || len(span.GetParentSpanId()) != 0 {
				t.Errorf("span %d is %s of the request %s, below %x; want %s, %s", i, span.GetName(), got["trestle.request_id"], span.GetParentSpanId(), want.name, ids[i])
			}
			for name, value := range want.attributes {
				if got[name] != value {
					t.Errorf("%s: %s is %q; want %q", want.name, name, got[name], value)
				}
			}
			if failed := span.GetStatus().GetCode() == otlp.Status_STATUS_CODE_ERROR; failed != want.failed || span.GetStatus().GetMessage() != "" {
				t.Errorf("%s: its status is %v", want.name, span.GetStatus())
			}
			var operations []string
			for _, below := range to.statements(span) {
				operations = append(operations, below.GetName())
				if traceOf(below) != traceOf(span) || below.GetStartTimeUnixNano() < span.GetStartTimeUnixNano() || below.GetEndTimeUnixNano() > span.GetEndTimeUnixNano() {
					t.Errorf("%s: the statement %s is not within its time", want.name, below.GetName())
				}
			}
			for _, operation := range want.statements {
				if !slices.Contains(operations, operation) {
					t.Errorf("%s: its statements are %v; want %s among them", want.name, operations, operation)
				}
			}
			if want.statements == nil && operations != nil {
				t.Errorf("%s: its statements are %v; want none", want.name, operations)
			}
			if !strings.Contains(lines[i], "trace_id="+traceOf(span)) || !strings.Contains(lines[i], ids[i]) {
				t.Errorf("%s: the log is %s; want the trace %s", want.name, lines[i], traceOf(span))
			}
		}
		if to.about["service.name"] != "trestle" || to.about["service.version"] != "v7" {
			t.Errorf("the service is %v", to.about)
		}
		if strings.Contains(strings.ToLower(to.raw.String()), "canary") {
			t.Error("the spans contain data from a client")
		}
	})
}

// TestSpansOfStatements: only a statement whose values are arguments has its text.
func TestSpansOfStatements(t *testing.T) {
	onBoth(t, func(t *testing.T, db *sqldb.DB) {
		to := newCollector(t)
		s := start(t, db, tracing.Options{Endpoint: to.endpoint()})
		s.Post("/api/notes/", map[string]string{"text": "canary"}).Expect(201)
		s.Post("/api/notes/", map[string]string{"text": "canary"}).Expect(409)
		s.Post("/api/notes/mistake/", nil).Expect(500)
		s.finish(t)
		spans := to.requests()
		texts := map[string]int{}
		for _, span := range spans {
			for _, below := range to.statements(span) {
				got := attributes(below.GetAttributes())
				if got["db.system.name"] != db.Kind().String() || got["db.operation.name"] != below.GetName() || got["db.operation.name"] == "" {
					t.Errorf("the attributes of %s are %v", below.GetName(), got)
				}
				texts[got["db.query.text"]]++
			}
		}
		insert := map[sqldb.Kind]string{sqldb.SQLite: "?1", sqldb.PostgreSQL: "$1"}[db.Kind()]
		found := 0
		for text, n := range texts {
			if strings.HasPrefix(text, `INSERT INTO "notes"`) && strings.Contains(text, insert) {
				found += n
			}
			if strings.Contains(text, "nowhere") {
				t.Errorf("a span contains the text of a statement with values: %s", text)
			}
		}
		if found != 2 {
			t.Errorf("%d inserts have their text; want 2: %v", found, texts)
		}
		failed := func(s *otlp.Span) string { return attributes(s.GetAttributes())["error.type"] }
		if all := to.statements(spans[1]); !slices.ContainsFunc(all, func(s *otlp.Span) bool {
			return failed(s) == "unique" && s.GetStatus().GetCode() == otlp.Status_STATUS_CODE_ERROR
		}) {
			t.Errorf("no statement of the second failed as unique: %v", all)
		}
		if strings.Contains(to.raw.String(), "canary") {
			t.Error("the spans contain a value")
		}
	})
}

// TestNoTextsWithoutPreparing: without preparing, the values are in the text.
func TestNoTextsWithoutPreparing(t *testing.T) {
	for name, at := range map[string]func(*testing.T) string{
		"sqlite":     func(t *testing.T) string { return "sqlite://" + t.TempDir() + "/test.db" },
		"postgresql": func(t *testing.T) string { return postgres.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			db, err := sqldb.Open(at(t), sqldb.Options{NoPrepare: true})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			schema(t, db)
			to := newCollector(t)
			s := start(t, db, tracing.Options{Endpoint: to.endpoint()})
			s.Post("/api/notes/", map[string]string{"text": "canary"}).Expect(201)
			s.Get("/api/notes/").Expect(200)
			s.finish(t)
			some := 0
			for _, span := range to.requests() {
				for _, below := range to.statements(span) {
					some++
					if text, there := attributes(below.GetAttributes())["db.query.text"]; there {
						t.Errorf("%s has the text %s", below.GetName(), text)
					}
				}
			}
			if some < 2 || strings.Contains(to.raw.String(), "canary") {
				t.Errorf("%d statements, or a value is in the spans", some)
			}
		})
	}
}

// TestTracesThatBeganElsewhere are continued, and only a trusted proxy decides whether
// they are kept.
func TestTracesThatBeganElsewhere(t *testing.T) {
	cases := map[string]struct {
		header  string
		trusted []netip.Prefix
		sampler string
		arg     string
		kept    bool
		own     bool // the trace begins here
	}{
		"kept, of an untrusted client":                      {theirHeader + "01", nil, "", "", true, false},
		"not kept, of an untrusted client":                  {theirHeader + "00", nil, "", "", true, false},
		"kept, of a proxy":                                  {theirHeader + "01", loopback, "", "", true, false},
		"not kept, of a proxy":                              {theirHeader + "00", loopback, "", "", false, false},
		"kept, of an untrusted client, parent always off":   {theirHeader + "01", nil, "parentbased_always_off", "", false, false},
		"kept, of a proxy, parent always off":               {theirHeader + "01", loopback, "parentbased_always_off", "", true, false},
		"kept, of an untrusted client, at a ratio of 0":     {theirHeader + "01", nil, "parentbased_traceidratio", "0", false, false},
		"kept, of a proxy, at a ratio of 0":                 {theirHeader + "01", loopback, "parentbased_traceidratio", "0", true, false},
		"not kept, of an untrusted client, at a ratio of 1": {theirHeader + "00", nil, "parentbased_traceidratio", "1", true, false},
		"kept, of a proxy, sampler without parent":          {theirHeader + "01", loopback, "always_off", "", false, false},
		"not kept, of a proxy, sampler without parent":      {theirHeader + "00", loopback, "traceidratio", "1", true, false},
		"of a proxy in another network":                     {theirHeader + "00", []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, "", "", true, false},
		"none":                                              {"", nil, "", "", true, true},
		"no header, always off":                             {"", nil, "always_off", "", false, true},
		"a malformed header":                                {"canary-01", nil, "", "", true, true},
		"a trace of zeros":                                  {"00-00000000000000000000000000000000-" + theirSpan + "-01", nil, "", "", true, true},
		"an unknown version":                                {"ff-" + theirTrace + "-" + theirSpan + "-01", nil, "", "", true, true},
	}
	onBoth(t, func(t *testing.T, db *sqldb.DB) {
		for name, test := range cases {
			t.Run(name, func(t *testing.T) {
				to := newCollector(t)
				s := start(t, db, tracing.Options{Endpoint: to.endpoint(), TrustedProxies: test.trusted, Sampler: test.sampler, SamplerArg: test.arg})
				s.With("Traceparent", test.header).With("Tracestate", "canary=1").Get("/api/notes/").Expect(200)
				s.finish(t)
				spans := to.requests()
				if kept := len(spans) == 1; kept != test.kept {
					t.Fatalf("kept: %t; want %t", kept, test.kept)
				}
				if theirs := strings.Contains(s.log.String(), "trace_id="+theirTrace); theirs == test.own {
					t.Errorf("the log is %s", s.log)
				}
				if !test.kept {
					return
				}
				span := spans[0]
				if goesOn := traceOf(span) == theirTrace && hex.EncodeToString(span.GetParentSpanId()) == theirSpan; goesOn == test.own {
					t.Errorf("its trace is %s, below %x", traceOf(span), span.GetParentSpanId())
				}
				if test.trusted == nil && strings.Contains(to.raw.String(), "canary") {
					t.Error("the span has the tracestate of an untrusted client")
				}
				if len(to.statements(span)) == 0 {
					t.Error("it has no statements")
				}
			})
		}
	})
}

// TestTracesContinue in another service.
func TestTracesContinue(t *testing.T) {
	onBoth(t, func(t *testing.T, db *sqldb.DB) {
		to := newCollector(t)
		s := start(t, db, tracing.Options{Endpoint: to.endpoint(), Service: "notes"})
		sent := s.With("Traceparent", theirHeader+"01").Post("/api/notes/outward/", nil).Expect(204).Headers().Get("Sent-Traceparent")
		s.finish(t)
		if want := fmt.Sprintf("00-%s-%x-01", theirTrace, to.requests()[0].GetSpanId()); sent != want {
			t.Errorf("the sent header is %s; want %s", sent, want)
		}
		if to.about["service.name"] != "notes" {
			t.Errorf("the service is %v", to.about)
		}
		h := http.Header{}
		if tracing.Inject(t.Context(), h); len(h) != 0 {
			t.Errorf("without a span the headers are %v", h)
		}
	})
}

// TestACollectorThatIsUnreachable fails no request, and the log reports it once.
func TestACollectorThatIsUnreachable(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no\nlevel=ERROR "+strings.Repeat("x", 1000), http.StatusUnauthorized)
	}))
	t.Cleanup(refuses.Close)
	for name, endpoint := range map[string]string{"no collector": "http://" + closed.Addr().String() + "/v1/traces", "it rejects": refuses.URL} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1") // so that many exports are sent
			onBoth(t, func(t *testing.T, db *sqldb.DB) {
				s := start(t, db, tracing.Options{Endpoint: endpoint})
				for range 20 {
					s.Get("/api/notes/").Expect(200)
				}
				_ = s.tracing.Close()
				said := s.log.String()
				if n := strings.Count(said, "spans were lost"); n != 1 || strings.Count(said, "\n") != 21 {
					t.Errorf("the log reports lost spans %d times: %s", n, said)
				}
				if strings.Contains(said, strings.Repeat("x", 300)) {
					t.Error("the log contains the whole answer")
				}
			})
		})
	}
}

// TestACollectorThatNeverAnswers delays neither requests nor Close.
func TestACollectorThatNeverAnswers(t *testing.T) {
	onBoth(t, func(t *testing.T, db *sqldb.DB) {
		t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
		asked, ended := make(chan struct{}, 1), make(chan struct{})
		hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			select {
			case asked <- struct{}{}:
			default:
			}
			<-ended
		}))
		defer hangs.Close()
		defer close(ended)
		s := start(t, db, tracing.Options{Endpoint: hangs.URL})
		s.Get("/api/notes/").Expect(200)
		<-asked
		for range 3000 { // more than the buffer holds
			s.Get("/nowhere").Expect(404)
		}
		if err := s.tracing.Close(); err == nil || !strings.Contains(err.Error(), "tracing: the last spans could not be sent within 2s") {
			t.Errorf("it ends with %v", err)
		}
	})
}

// TestCloseEndsEverything that Start began.
func TestCloseEndsEverything(t *testing.T) {
	onBoth(t, func(t *testing.T, db *sqldb.DB) {
		to := newCollector(t)
		s := start(t, db, tracing.Options{Endpoint: to.endpoint()})
		s.Get("/api/notes/").Expect(200)
		s.finish(t)
		s.finish(t)
		s.Get("/api/notes/").Expect(200) // later requests are not traced
		if n := len(to.requests()); n != 1 {
			t.Errorf("%d requests are traced; want 1", n)
		}
		patient, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		for all := goroutines(); strings.Contains(all, "opentelemetry") || to.conns.Load() > 0; all = goroutines() {
			if patient.Err() != nil {
				t.Fatalf("there are still %d connections, and\n%s", to.conns.Load(), all)
			}
			runtime.Gosched()
		}
	})
}

func goroutines() string {
	stacks := make([]byte, 1<<20)
	return string(stacks[:runtime.Stack(stacks, true)])
}

// TestHeadersOfTheEnvironment are sent to the collector and not logged.
func TestHeadersOfTheEnvironment(t *testing.T) {
	onBoth(t, func(t *testing.T, db *sqldb.DB) {
		t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20canary")
		t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=named,deployment.environment.name=test")
		to := newCollector(t)
		s := start(t, db, tracing.Options{Endpoint: to.endpoint()})
		s.Get("/api/notes/").Expect(200)
		s.finish(t)
		if to.headers.Get("Authorization") != "Bearer canary" || strings.Contains(s.log.String(), "canary") {
			t.Errorf("the collector has %v, the log %s", to.headers, s.log)
		}
		if to.about["service.name"] != "named" || to.about["deployment.environment.name"] != "test" {
			t.Errorf("the service is %v", to.about)
		}
	})
}

func TestInvalidOptions(t *testing.T) {
	const good = "http://localhost:4318/v1/traces"
	for name, test := range map[string]struct {
		o    tracing.Options
		says string
	}{
		"no endpoint":                  {tracing.Options{}, "Endpoint: it must be a URL that begins with http://"},
		"an endpoint without a scheme": {tracing.Options{Endpoint: "localhost:4318"}, "it must be a URL"},
		"an endpoint of gRPC":          {tracing.Options{Endpoint: "grpc://hidden:4317"}, "it must be a URL"},
		"an endpoint with a password":  {tracing.Options{Endpoint: "http://a:hidden@host"}, "must not contain a user"},
		"an endpoint with a query":     {tracing.Options{Endpoint: "http://host/?key=hidden"}, "must not contain a user, a query"},
		"an unknown sampler":           {tracing.Options{Endpoint: good, Sampler: "sometimes"}, `"sometimes" is not a sampler; the samplers are always_on`},
		"a ratio that is text":         {tracing.Options{Endpoint: good, Sampler: "traceidratio", SamplerArg: "half"}, `is "half"; it must be a number from 0 to 1`},
		"a ratio above 1":              {tracing.Options{Endpoint: good, Sampler: "parentbased_traceidratio", SamplerArg: "1.1"}, "from 0 to 1"},
		"a negative ratio":             {tracing.Options{Endpoint: good, Sampler: "traceidratio", SamplerArg: "-0.1"}, "from 0 to 1"},
		"a ratio that is not a number": {tracing.Options{Endpoint: good, Sampler: "traceidratio", SamplerArg: "NaN"}, "from 0 to 1"},
		"a prefix without a sampler":   {tracing.Options{Endpoint: good, Sampler: "parentbased_"}, "is not a sampler"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tracing.Start(t.Context(), test.o)
			if err == nil || !strings.Contains(err.Error(), test.says) || !strings.HasPrefix(err.Error(), "tracing: ") || strings.Contains(err.Error(), "hidden") {
				t.Errorf("the error is %v; want %q in it", err, test.says)
			}
		})
	}
	if err := tracing.CheckSampler("PARENTBASED_ALWAYS_ON", "no number"); err != nil {
		t.Errorf("an unused argument is rejected: %v", err)
	}
}
