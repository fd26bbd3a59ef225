package program

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/exit"
)

// withSecondAPI returns a program with a second API beside its own. No migration creates the
// table of its viewset.
func withSecondAPI() Program {
	type row struct {
		ID   int64 `bun:",pk"`
		Name string
	}
	type view struct {
		Name string `json:"name"`
	}
	p := usersAlone()
	p.Beside = func(_ *framework.API, site *Site) (Beside, error) {
		common := p.Config(site)
		common.Prefix = "/v2"
		second := site.NewAPI(common)
		second.Register(framework.ViewSet[row]{Name: "ghosts", Verbs: framework.ReadOnly[view](), Scope: framework.Public()})
		handler, err := second.Handler()
		return Beside{Handlers: map[string]http.Handler{"/v2/": handler}, APIs: []*framework.API{second}}, err
	}
	return p
}

// TestTablesOfAFurtherAPI are compared with the database by each command that compares those of the program's API.
func TestTablesOfAFurtherAPI(t *testing.T) {
	t.Parallel()
	onBothEmpty(t, func(t *testing.T, database string) {
		p := withSecondAPI()
		if code, said := run(t, p, "migrate up", "DATABASE_URL="+database); code != exit.OK {
			t.Fatalf("migrate up ends with %d: %s", code, said)
		}
		for command, want := range map[string]int{
			"check": exit.OK, "check --database " + database: exit.ActionFirst, "doctor": exit.Failure, "serve --addr 127.0.0.1:0": exit.ActionFirst,
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // ends a server that does not end by itself
			var said strings.Builder
			code := Run(ctx, p, strings.Fields(command), []string{"DATABASE_URL=" + database}, strings.NewReader(""), &said, &said)
			cancel()
			if code != want || strings.Contains(said.String(), "ghosts") != (want != exit.OK) {
				t.Errorf("%s ends with %d and says %q; want %d and the table ghosts", command, code, said.String(), want)
			}
		}
	})
}

// TestAFurtherAPIHasTheSettings of the program: its links begin with the public URL.
func TestAFurtherAPIHasTheSettings(t *testing.T) {
	t.Parallel()
	p := withSecondAPI()
	declared := p.Beside
	p.Beside = func(api *framework.API, site *Site) (Beside, error) {
		beside, err := declared(api, site)
		if err != nil {
			return beside, err
		}
		w := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v2/ghost", nil)
		request.Header.Set("Origin", "https://app.example.org")
		beside.Handlers["/v2/"].ServeHTTP(w, request)
		if want := `"type":"https://shop.example.org/v2/errors/not_found"`; !strings.Contains(w.Body.String(), want) {
			t.Errorf("the error of the further API is %s; want %s", w.Body, want)
		}
		if allowed := w.Header().Get("Access-Control-Allow-Origin"); allowed != "https://app.example.org" {
			t.Errorf("the allowed origin is %q", allowed)
		}
		return beside, nil
	}
	code, said := run(t, p, "check", "TRESTLE_PUBLIC_URL=https://shop.example.org", "TRESTLE_CORS_ORIGINS=https://app.example.org")
	if code != exit.OK {
		t.Errorf("check ends with %d: %s", code, said)
	}
}
