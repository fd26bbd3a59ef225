package history_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
	"trestle.example/internal/testserver/postgres"
)

// BenchmarkWrites measures the rate of creates and of patches with a history, as a part of the rate without one: 8 callers at
// once, with the settings that a program has by default.
func BenchmarkWrites(b *testing.B) {
	for kind, url := range map[string]func() string{
		"sqlite": func() string { return "sqlite://" + b.TempDir() + "/history.db" }, "postgresql": func() string { return postgres.Database(b) },
	} {
		b.Run(kind, func(b *testing.B) {
			db, err := sqldb.Open(url(), sqldb.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			if err := db.Migrate(context.Background(), nil, surgery, framework.Migrations()); err != nil {
				b.Fatal(err)
			}
			recorded, plain := benched(b, db, framework.History{Permission: audits}), benched(b, db, framework.History{})
			var with, without taken // in turns, because the machine may be busy for a part of the time
			for b.Loop() {
				with.add(recorded(b))
				without.add(plain(b))
			}
			b.ReportMetric(float64(without.create)/float64(with.create), "of-creates")
			b.ReportMetric(float64(without.patch)/float64(with.patch), "of-patches")
			b.ReportMetric(float64(without.create.Microseconds())/float64(b.N*writes), "µs/create-without")
			b.ReportMetric(float64(without.patch.Microseconds())/float64(b.N*writes), "µs/patch-without")
		})
	}
}

// writes is how many rows are created and patched in one turn.
const writes = 250

type taken struct{ create, patch time.Duration }

func (t *taken) add(other taken) { t.create, t.patch = t.create+other.create, t.patch+other.patch }

// benched returns a function that measures some creates and as many patches.
func benched(b *testing.B, db *sqldb.DB, h framework.History) func(*testing.B) taken {
	b.Helper()
	config := apitest.Config(db)
	config.Authentication = []framework.Authenticator{names}
	api := framework.New(config)
	api.Register(framework.ViewSet[Patient]{
		Name: "desk", Verbs: framework.CRUD[deskInput, deskView](), Scope: framework.Own((*Patient).owner), Permission: framework.Authenticated(), History: h,
	})
	handler, err := api.Handler()
	if err != nil {
		b.Fatal(err)
	}
	run := 0
	return func(b *testing.B) taken {
		b.Helper()
		run++
		ids := make([]string, writes)
		send := func(method, path, body string, status int) *httptest.ResponseRecorder {
			w, r := httptest.NewRecorder(), httptest.NewRequest(method, path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Name ada")
			handler.ServeHTTP(w, r)
			if w.Code != status {
				b.Errorf("%s %s is answered %d: %s", method, path, w.Code, w.Body)
			}
			return w
		}
		create := spread(writes, func(i int) {
			w := send(http.MethodPost, "/api/desk/", fmt.Sprintf(`{"name": "%v %d %d"}`, h.Permission == nil, run, i), http.StatusCreated)
			ids[i] = w.Header().Get("Location")
		})
		patch := spread(writes, func(i int) { send(http.MethodPatch, ids[i], fmt.Sprintf(`{"phone": "%d"}`, i), http.StatusOK) })
		return taken{create, patch}
	}
}

// spread runs a function for each number below n, by 8 callers at once, and returns the time.
func spread(n int, fn func(i int)) time.Duration {
	const callers = 8
	began := time.Now()
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for i := caller; i < n; i += callers {
				fn(i)
			}
		})
	}
	all.Wait()
	return time.Since(began)
}
