package framework_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"trestle.example/framework"
)

// Caches keep an answer for callers without credentials for a minute. That for a caller with credentials is the caller's alone.
func ExampleCache() {
	c, done := setup()
	defer done()
	api := framework.New(c)
	api.Register(framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.ReadOnly[TaskView](), Scope: framework.Public(),
		Cache: framework.Cache{For: time.Minute},
	})
	handler, err := api.Handler()
	must(err)
	for _, credentials := range []string{"", "Name ada"} {
		r := httptest.NewRequest(http.MethodGet, "/api/tasks/", nil)
		if credentials != "" {
			r.Header.Set("Authorization", credentials)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Fprintln(os.Stdout, w.Code, w.Header().Get("Cache-Control"), w.Header().Values("Vary"))
	}
	// Output:
	// 200 public, max-age=60 [Authorization Cookie]
	// 200 private, no-cache [Authorization Cookie]
}
