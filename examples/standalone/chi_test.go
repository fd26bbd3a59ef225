package main

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// TestMountedInChi: below any prefix of a router of chi the API answers the same, its links lead
// back to itself, and middleware of chi runs around it. Two APIs share one database.
func TestMountedInChi(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		v1, v2 := mounted(t, db, "/shop/v1"), mounted(t, db, "/shop/v2")
		for name, mount := range map[string]func(chi.Router){
			"Handle": func(r chi.Router) { r.Handle("/shop/v1/*", v1); r.Handle("/shop/v2/*", v2) },
			"Mount":  func(r chi.Router) { r.Mount("/shop/v1", v1); r.Mount("/shop/v2", v2) },
			"Handle in Route": func(r chi.Router) {
				r.Route("/shop", func(r chi.Router) { r.Handle("/v1/*", v1); r.Handle("/v2/*", v2) })
			},
			"Mount in a Group": func(r chi.Router) { r.Group(func(r chi.Router) { r.Mount("/shop/v1", v1); r.Mount("/shop/v2", v2) }) },
		} {
			t.Run(name, func(t *testing.T) {
				router := chi.NewRouter()
				router.Use(around)
				router.Get("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("a page")) })
				mount(router)
				checkMounted(frameworktest.New(t, router), name)
			})
		}
	})
}

// around is a middleware of chi's kind.
func around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", "around")
		next.ServeHTTP(w, r)
	})
}

// mounted is the handler of the tasks below a prefix. Its pages have two rows.
func mounted(t *testing.T, db *sqldb.DB, prefix string) http.Handler {
	t.Helper()
	if _, err := db.NewCreateTable().Model((*Task)(nil)).IfNotExists().Exec(context.Background()); err != nil {
		t.Fatal(err)
	}
	api := framework.New(framework.Config{DB: db, Prefix: prefix, Pagination: page.Number{Size: 2}, Log: slog.New(slog.DiscardHandler)})
	api.Register(Tasks)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// checkMounted sends requests to both APIs.
func checkMounted(c *frameworktest.Client, name string) {
	var task TaskView
	for range 3 {
		made := c.Post("/shop/v1/tasks/", TaskInput{name}).Expect(201).Header("Server", "around").JSON(&task)
		made.Header("Location", c.URL()+"/shop/v1/tasks/"+task.ID.String()+"/")
		c.Get("/shop/v2/tasks/" + task.ID.String() + "/").Expect(200).Contains(name)
	}
	c.Post("/shop/v2/tasks/"+task.ID.String()+"/done/", nil).Expect(200).Contains(`"done":true`)

	var list struct{ Next string }
	c.Get("/shop/v2/tasks/").Expect(200).JSON(&list)
	c.Get(strings.TrimPrefix(list.Next, c.URL())).Expect(200).Contains(`"previous":"` + c.URL() + "/shop/v2/tasks/")
	c.Get("/shop/v1/taks/").Expect(404).Code("not_found").Contains(`"type":"/shop/v1/errors/not_found"`)
	c.Get("/shop/v1/errors/not_found").Expect(200)
	c.Delete("/shop/v1/tasks/").Expect(405).Code("method_not_allowed")
	c.Get("/shop/v2/openapi.json").Expect(200).Contains("/shop/v2/tasks/").Lacks("/shop/v1")

	c.Get("/").Expect(200).Contains("a page")
	c.Get("/shop/v3/tasks/").Expect(404).Lacks("not_found") // it is the router's own answer
}
