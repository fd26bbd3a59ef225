package framework_test

import (
	"database/sql"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/httpserver"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

// TestNoConnectionComesFree: where every connection to the database is held, a request
// that needs one is answered 503 overloaded and does nothing, and the server says that
// it is alive; when they are free again all is as before.
func TestNoConnectionComesFree(t *testing.T) {
	for name, at := range map[string]func() string{
		"SQLite":     func() string { return "sqlite://" + filepath.Join(t.TempDir(), "test.db") },
		"PostgreSQL": func() string { return postgres.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			db := openLibrary(t, at(), sqldb.Options{MaxConns: 2, QueueTimeout: 20 * time.Millisecond})
			s := listens(t, db)
			var made struct{ ID string }
			if err := json.Unmarshal([]byte(s.is(201, "POST", "/api/countries/", `{"name":"Chile"}`)), &made); err != nil {
				t.Fatal(err)
			}
			path := "/api/countries/" + made.ID + "/"
			release := holdAll(t, db)
			s.refused("GET", "/api/countries/", "")
			s.refused("GET", path, "")
			s.refused("POST", "/api/countries/", `{"name":"Peru"}`)
			s.refused("PATCH", path, `{"name":"Peru"}`)
			s.refused("PUT", path, `{"name":"Peru"}`)
			s.refused("DELETE", path, "")
			s.is(200, "GET", "/livez", "")
			release()
			if list := s.is(200, "GET", "/api/countries/", ""); !strings.Contains(list, "Chile") || strings.Contains(list, "Peru") {
				t.Errorf("afterwards there is %s; want what was there before", list)
			}
			s.is(200, "PATCH", path, `{"name":"Peru"}`)
			if n := db.Stats().InUse; n != 0 {
				t.Errorf("%d connections are still in use", n)
			}
		})
	}
}

// TestShedRequestsInTheLog: requests that are answered 503 overloaded have no line at the
// level info. Instead the log has a warning with their number, at most once a second.
func TestShedRequestsInTheLog(t *testing.T) {
	db := openLibrary(t, "sqlite://"+filepath.Join(t.TempDir(), "test.db"), sqldb.Options{MaxConns: 2, QueueTimeout: time.Millisecond})
	said := &lines{}
	c := config(db)
	c.Log = slog.New(slog.NewTextHandler(said, nil))
	s := listening{t, "http://" + limited(t, c, httpserver.Limits{}, countries())}
	release := holdAll(t, db)
	began := time.Now()
	for range 20 {
		s.refused("GET", "/api/countries/", "")
	}
	most := 1 + int(time.Since(began)/time.Second)
	release()
	text := said.String()
	warnings := strings.Count(text, `level=WARN msg="requests wait too long for the database`)
	if warnings < 1 || warnings > most || !strings.Contains(text, "requests_since_start=1\n") {
		t.Errorf("%d warnings; want 1 to %d, the first of 1 request:\n%s", warnings, most, text)
	}
	if strings.Contains(text, "msg=request ") {
		t.Errorf("each request is logged:\n%s", text)
	}
}

// holdAll takes every connection of a database until release is called.
func holdAll(t *testing.T, db *sqldb.DB) (release func()) {
	t.Helper()
	var held []*sql.Conn
	for range db.Stats().MaxOpenConnections {
		c, err := db.DB.DB.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	return func() {
		for _, c := range held {
			_ = c.Close()
		}
	}
}

// A listening server has limits and health.
type listening struct {
	t    *testing.T
	base string
}

func listens(t *testing.T, db *sqldb.DB) listening {
	t.Helper()
	return listening{t, "http://" + limited(t, config(db), httpserver.Limits{}, countries())}
}

// ask sends a request of Ada.
func (s listening) ask(method, path, body string) (status int, head http.Header, said string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Name ada"}}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := new(http.Client).Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(text)
}

func (s listening) is(status int, method, path, body string) string {
	s.t.Helper()
	got, _, said := s.ask(method, path, body)
	if got != status {
		s.t.Fatalf("%s %s: %d %s; want %d", method, path, got, said, status)
	}
	return said
}

func (s listening) refused(method, path, body string) {
	s.t.Helper()
	status, head, said := s.ask(method, path, body)
	var p problem
	err := json.Unmarshal([]byte(said), &p)
	if after := head.Get("Retry-After"); err != nil || status != http.StatusServiceUnavailable || p.Code != "overloaded" || after != "1" {
		s.t.Errorf("%s %s: %d %s, Retry-After %q; want 503 overloaded and 1", method, path, status, said, after)
	}
	if strings.Contains(said, "connection") || strings.Contains(said, "pool") {
		s.t.Errorf("%s %s tells of the server: %s", method, path, said)
	}
}
