package metrics_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

const nobody = "01a1fb21-fe1b-7692-ad93-e9f270ba6438"

func TestRequests(t *testing.T) {
	onBoth(t, func(t *testing.T, b *board) {
		b.Post("/api/notes/", `{"text": "a"}`).Expect(201)
		b.Post("/api/notes/", `{"text": "a"}`).Expect(409)
		b.Post("/api/notes/", `{}`).Expect(400)
		for range 3 {
			b.Get("/api/notes/?page=1").Expect(200)
		}
		b.Get("/api/notes/" + nobody + "/").Expect(404)
		b.Get("/nowhere/" + nobody).Expect(404)
		b.Do("CANARY", "/api/notes/", nil).Expect(405)
		b.Do("HEAD", "/api/", nil).Expect(200)
		b.Post("/api/notes/fail/", nil).Expect(500)
		b.Post("/api/notes/made-up/", nil).Expect(502)
		got := b.scraped(t)
		for name, want := range map[string]float64{
			`http_requests_total{method="POST",route="/api/notes/",status="201"}`:              1,
			`http_requests_total{method="POST",route="/api/notes/",status="409"}`:              1,
			`http_requests_total{method="POST",route="/api/notes/",status="400"}`:              1,
			`http_requests_total{method="GET",route="/api/notes/",status="200"}`:               3,
			`http_requests_total{method="GET",route="/api/notes/{id}/",status="404"}`:          1,
			`http_requests_total{method="GET",route="",status="404"}`:                          1,
			`http_requests_total{method="OTHER",route="/api/notes/",status="405"}`:             1,
			`http_requests_total{method="HEAD",route="/api/",status="200"}`:                    1,
			`http_requests_total{method="POST",route="/api/notes/fail/",status="500"}`:         1,
			`http_request_duration_seconds_count{method="GET",route="/api/notes/"}`:            3,
			`http_request_duration_seconds_bucket{method="GET",route="/api/notes/",le="+Inf"}`: 3,
			`http_request_duration_seconds_count{method="POST",route="/api/notes/"}`:           3,
			`http_request_errors_total{code="internal"}`:                                       1,
			`http_request_errors_total{code="undeclared"}`:                                     1,
			`http_requests_in_flight`:                                             0,
			`db_statement_errors_total{fault="unique"}`:                           1,
			`go_sql_max_open_connections{db_name="` + b.db.Kind().String() + `"}`: float64(b.db.Stats().MaxOpenConnections),
			`go_sql_wait_count_total{db_name="` + b.db.Kind().String() + `"}`:     float64(b.db.Stats().WaitCount),
		} {
			if value, there := got[name]; !there || value != want {
				t.Errorf("%s is %v, present: %t; want %v", name, value, there, want)
			}
		}
		for _, name := range []string{
			`db_statement_duration_seconds_count{kind="insert"}`, `db_statement_duration_seconds_count{kind="select"}`,
			`http_request_duration_seconds_bucket{method="GET",route="/api/notes/",le="0.001"}`,
			`http_request_duration_seconds_bucket{method="GET",route="/api/notes/",le="10"}`,
			"go_goroutines", `go_sql_open_connections{db_name="` + b.db.Kind().String() + `"}`,
			`go_sql_in_use_connections{db_name="` + b.db.Kind().String() + `"}`, `go_sql_idle_connections{db_name="` + b.db.Kind().String() + `"}`,
			`go_sql_wait_duration_seconds_total{db_name="` + b.db.Kind().String() + `"}`,
		} {
			if _, there := got[name]; !there {
				t.Errorf("there is no %s", name)
			}
		}
		if page := b.page(t); strings.Contains(page, "CANARY") || strings.Contains(page, "canary") || strings.Contains(page, nobody) || !strings.Contains(page, "\ngo_build_info{") {
			t.Errorf("a value from a client is a label, or the build is missing:\n%s", page)
		}
	})
}

// TestLabelsAreFew: ten thousand different paths, methods, keys, queries and headers add
// no series after the first of each kind.
func TestLabelsAreFew(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	onBoth(t, func(t *testing.T, b *board) {
		made := func() string { return strconv.FormatUint(random.Uint64(), 16) }
		ask := func(method, path string) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Method, r.URL.Path, r.URL.RawQuery, r.Host = method, path, made()+"="+made(), made()
			r.Header.Set("User-Agent", made())
			r.Header.Set("X-Request-Id", made())
			b.handler.ServeHTTP(httptest.NewRecorder(), r)
		}
		visit := func(method string) {
			ask(method, "/"+made()+"/"+made())
			ask(method, "/api/notes/"+made()+"/")
			ask(method, "/api/notes/"+made()+"/"+made())
			ask(method, "/api/errors/"+made())
		}
		methods := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "REPORT"}
		for _, method := range append(methods, "MADEUP") {
			visit(method)
		}
		before := b.scraped(t)
		for range 2500 {
			visit(append(methods, strings.ToUpper(made()))[random.IntN(len(methods)+1)])
		}
		after := b.scraped(t)
		for name := range after {
			if _, there := before[name]; !there && !strings.HasPrefix(name, "go_") && !strings.HasPrefix(name, "process_") {
				t.Errorf("there is an additional series: %s", name)
			}
		}
		total := 0.0
		for name, value := range after {
			if strings.HasPrefix(name, "http_requests_total{") {
				total += value
			}
		}
		if want := float64(4 * (len(methods) + 1 + 2500)); total != want {
			t.Errorf("%v requests are counted; want %v", total, want)
		}
	})
}

// TestRequestsInFlight: the gauge returns to zero, whether requests are answered or
// aborted.
func TestRequestsInFlight(t *testing.T) {
	onBoth(t, func(t *testing.T, b *board) {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { b.Get("/api/notes/wait/").Expect(204) })
			<-b.entered
		}
		if n := b.scraped(t)["http_requests_in_flight"]; n != 2 {
			t.Errorf("%v are in flight; want 2", n)
		}
		close(b.release)
		both.Wait()
		func() {
			defer func() { _ = recover() }()
			b.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/api/notes/abort/", nil))
			t.Error("it is answered")
		}()
		got := b.scraped(t)
		if n := got["http_requests_in_flight"]; n != 0 {
			t.Errorf("%v are in flight; want none", n)
		}
		if n := got[`http_requests_total{method="POST",route="/api/notes/abort/",status="0"}`]; n != 1 {
			t.Errorf("%v were aborted; want 1", n)
		}
	})
}

// TestQueue: the metrics show held connections, waits for a connection, and waits that
// took too long.
func TestQueue(t *testing.T) {
	for name, url := range map[string]func() string{
		"SQLite":     func() string { return "sqlite://" + filepath.Join(t.TempDir(), "test.db") },
		"PostgreSQL": func() string { return postgres.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			db, err := sqldb.Open(url(), sqldb.Options{MaxConns: 1, QueueTimeout: 20 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			b := newBoard(t, db)
			is := func(held, waiting, shed float64) bool {
				got := b.scraped(t)
				return got["db_connections_held"] == held && got["db_connections_waiting"] == waiting && got["db_waits_shed_total"] == shed
			}
			if !is(0, 0, 0) {
				t.Errorf("at first the metrics are\n%s", b.page(t))
			}
			var both sync.WaitGroup
			defer both.Wait()
			held, release := make(chan struct{}), make(chan struct{})
			both.Go(func() {
				_ = db.InTx(t.Context(), func(context.Context, *sqldb.Session) error {
					close(held)
					<-release
					return nil
				})
			})
			<-held
			b.Post("/api/notes/", `{"text": "a"}`).Expect(503)
			if n := b.scraped(t)[`http_requests_shed_total{route="/api/notes/"}`]; n != 1 {
				t.Errorf("%v requests of the route were shed; want 1", n)
			}
			if !is(1, 0, 1) {
				t.Errorf("after a wait that took too long the metrics are\n%s", b.page(t))
			}
			both.Go(func() {
				_ = db.InTx(t.Context(), func(context.Context, *sqldb.Session) error { return nil })
			})
			for end := time.Now().Add(time.Minute); !is(1, 1, 1); <-time.After(time.Millisecond) {
				if time.Now().After(end) {
					close(release)
					t.Fatalf("while one waits the metrics are\n%s", b.page(t))
				}
			}
			close(release)
			both.Wait()
			if !is(0, 0, 1) {
				t.Errorf("at last the metrics are\n%s", b.page(t))
			}
		})
	}
}

// TestStatements: statements outside of requests count too, each by its kind.
func TestStatements(t *testing.T) {
	onBoth(t, func(t *testing.T, b *board) {
		before := b.scraped(t)
		for _, statement := range []string{
			"INSERT INTO notes (id, text) VALUES ('" + nobody + "', 'canary')", "UPDATE notes SET text = 'canary2'", "DELETE FROM notes",
			"CREATE TABLE others (id int)", "SELECT nothing FROM nowhere",
		} {
			_, _ = b.db.ExecContext(t.Context(), statement)
		}
		after := b.scraped(t)
		for _, name := range []string{
			`db_statement_duration_seconds_count{kind="insert"}`, `db_statement_duration_seconds_count{kind="update"}`, `db_statement_duration_seconds_count{kind="delete"}`,
			`db_statement_duration_seconds_count{kind="other"}`, `db_statement_duration_seconds_count{kind="select"}`, `db_statement_errors_total{fault="other"}`,
		} {
			if n := after[name] - before[name]; n != 1 {
				t.Errorf("%s rises by %v; want 1", name, n)
			}
		}
		if strings.Contains(b.page(t), "canary") {
			t.Error("a value is a label")
		}
	})
}

// TestNamesFollowTheConventions: names follow the conventions of Prometheus.
func TestNamesFollowTheConventions(t *testing.T) {
	onBoth(t, func(t *testing.T, b *board) {
		b.Post("/api/notes/fail/", nil).Expect(500)
		b.Post("/api/notes/", `{"text": "a"}`).Expect(201)
		b.Post("/api/notes/", `{"text": "a"}`).Expect(409)
		problems, err := promlint.New(strings.NewReader(b.page(t))).Lint()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			if !strings.HasPrefix(p.Metric, "go_") && !strings.HasPrefix(p.Metric, "process_") {
				t.Errorf("%s: %s", p.Metric, p.Text)
			}
		}
		b.documented(t)
	})
}

// documented checks that doc.go lists every name.
func (b *board) documented(t *testing.T) {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for name := range b.scraped(t) {
		name, _, _ = strings.Cut(name, "{")
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, suffix)
		}
		others := slices.ContainsFunc([]string{"go_", "process_", "promhttp_"}, func(p string) bool { return strings.HasPrefix(name, p) })
		if !others && !regexp.MustCompile(`\t`+name+`[ {]`).Match(doc) {
			t.Errorf("the documentation lacks %s", name)
		}
	}
}

// TestRegister adds metrics of the program, and rejects a second metric of the same name.
func TestRegister(t *testing.T) {
	onBoth(t, func(t *testing.T, b *board) {
		own := func() prometheus.Collector {
			return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "notes_pinned", Help: "Notes."}, func() float64 { return 7 })
		}
		if err := b.metrics.Register(own()); err != nil {
			t.Fatal(err)
		}
		if err := b.metrics.Register(own()); err == nil || !strings.Contains(err.Error(), "metrics: a collector cannot be registered") {
			t.Errorf("a second metric of the same name gives %v", err)
		}
		if n := b.scraped(t)["notes_pinned"]; n != 7 {
			t.Errorf("it is %v; want 7", n)
		}
	})
}

// TestMetricsOfTwoAPIsDoNotMix: the metrics of two APIs in one process do not mix.
func TestMetricsOfTwoAPIsDoNotMix(t *testing.T) {
	onBoth(t, func(t *testing.T, b *board) {
		b.Get("/api/notes/").Expect(200)
		onBoth(t, func(t *testing.T, other *board) {
			if n, there := other.scraped(t)[`http_requests_total{method="GET",route="/api/notes/",status="200"}`]; there {
				t.Errorf("it has %v requests of the other API", n)
			}
		})
	})
}
