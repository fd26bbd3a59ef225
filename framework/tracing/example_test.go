package tracing_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/tracing"
)

// The traces of an API, sent to a collector.
func ExampleStart() {
	ctx := context.Background()
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fmt.Println("spans arrive at", r.URL.Path)
	}))
	defer collector.Close()
	folder, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(folder)
	db, err := sqldb.Open("sqlite://"+filepath.Join(folder, "example.db"), sqldb.Options{})
	check(err)
	defer db.Close()
	_, err = db.ExecContext(ctx, "CREATE TABLE notes (id text PRIMARY KEY, text varchar NOT NULL)")
	check(err)

	t, err := tracing.Start(ctx, tracing.Options{Endpoint: collector.URL + "/v1/traces", Service: "notes"})
	check(err)
	t.Watch(db)
	api := framework.New(framework.Config{
		DB: db, Permission: framework.Anyone(), Pagination: page.Number{Size: 20}, Log: slog.New(slog.DiscardHandler),
		Observers: []framework.Observer{t},
	})
	api.Register(framework.ViewSet[Note]{Name: "notes", Scope: framework.Public(), Verbs: framework.CRUD[NoteInput, NoteView]()})
	handler, err := api.Handler()
	check(err)

	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/notes/", nil))
	fmt.Println("status", w.Code)
	check(t.Close()) // after the server: the remaining spans are sent
	// Output:
	// status 200
	// spans arrive at /v1/traces
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
