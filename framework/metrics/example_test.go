package metrics_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"trestle.example/framework"
	"trestle.example/framework/metrics"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// Metrics of an API, on a listener of their own.
func ExampleNew() {
	folder, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(folder)
	db, err := sqldb.Open("sqlite://"+filepath.Join(folder, "example.db"), sqldb.Options{})
	check(err)
	defer db.Close()
	_, err = db.ExecContext(context.Background(), "CREATE TABLE notes (id text PRIMARY KEY, text varchar NOT NULL)")
	check(err)

	m, err := metrics.New(db)
	check(err)
	api := framework.New(framework.Config{
		DB: db, Permission: framework.Anyone(), Pagination: page.Number{Size: 20}, Log: slog.New(slog.DiscardHandler),
		Observers: []framework.Observer{m},
	})
	api.Register(framework.ViewSet[Note]{Name: "notes", Scope: framework.Public(), Verbs: framework.CRUD[NoteInput, NoteView]()})
	handler, err := api.Handler()
	check(err)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler()) // on another listener than handler

	for _, path := range []string{"/api/notes/", "/api/notes/", "/api/notes/nothing/", "/nowhere"} {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "http_requests_total") {
			fmt.Print(line)
		}
	}
	// Output:
	// http_requests_total{method="GET",route="",status="404"} 1
	// http_requests_total{method="GET",route="/api/notes/",status="200"} 2
	// http_requests_total{method="GET",route="/api/notes/{id}/",status="404"} 1
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
