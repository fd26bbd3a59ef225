package clinic_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

// A ledger records which tables were queried on which server.
type ledger struct {
	mu      sync.Mutex
	primary []string
	replica []string
}

func (l *ledger) write(_ context.Context, e sqldb.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Replica {
		l.replica = append(l.replica, e.SQL)
	} else {
		l.primary = append(l.primary, e.SQL)
	}
}

func (l *ledger) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.primary, l.replica = nil, nil
}

// has reports on which server a statement had all of some words in it.
func (l *ledger) has(words ...string) (primary, replica bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return someHas(l.primary, words), someHas(l.replica, words)
}

func someHas(statements, words []string) bool {
	for _, s := range statements {
		all := true
		for _, w := range words {
			all = all && strings.Contains(s, w)
		}
		if all {
			return true
		}
	}
	return false
}

// replicatedSite is a site whose database has a replica, and its ledger.
func replicatedSite(t *testing.T) (*site, *ledger) {
	t.Helper()
	cluster, standby := postgres.Replicated(t)
	at, err := url.Parse(cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	q := at.Query()
	q.Set("synchronous_commit", "on") // as on a server that is not for tests
	at.RawQuery = q.Encode()
	db, err := sqldb.Open(at.String(), sqldb.Options{Replica: standby.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	l := &ledger{}
	db.Observe(l.write)
	return open(t, db), l
}

// TestReplica: over HTTP, reads go to the replica and include every commit;
// authentication, and all statements of a write, stay on the primary.
func TestReplica(t *testing.T) {
	t.Parallel()
	s, l := replicatedSite(t)
	id := s.patient("ada", "Patient 0")
	ada, viewer := s.as("ada"), s.as("viewer")
	for name, c := range map[string]struct {
		ask func()
		of  []string
	}{
		"a list":                 {func() { ada.Get("/api/patients/").Expect(200) }, []string{`FROM "patients"`}},
		"one row":                {func() { ada.Get("/api/patients/" + id + "/").Expect(200) }, []string{`FROM "patients"`, "LIMIT"}},
		"rows that refer to one": {func() { ada.Get("/api/patients/" + id + "/appointments/").Expect(200) }, []string{`FROM "appointments"`}},
		"a search":               {func() { ada.Get("/api/patients/?search=patient").Expect(200) }, []string{`FROM "patients"`, "LIKE"}},
		"a count":                {func() { viewer.Get("/api/patients/?page=9").Expect(404) }, []string{`FROM "patients"`, "count(*)"}},
	} {
		t.Run(name, func(t *testing.T) {
			for range 10_000 { // until the replica is used
				l.clear()
				c.ask()
				if _, replica := l.has(c.of...); replica {
					return
				}
			}
			t.Error("it never goes to the replica")
		})
	}
	t.Run("who calls is asked of the primary", func(t *testing.T) {
		l.clear()
		ada.Get("/api/patients/").Expect(200)
		if primary, replica := l.has("auth_"); !primary || replica {
			t.Errorf("the tables of users are asked for on the primary: %v, on the replica: %v", primary, replica)
		}
	})
	t.Run("and so is all that a write asks", func(t *testing.T) {
		for range 20 {
			l.clear()
			ada.Post("/api/patients/", fields{"name": "Another", "phone": "12345"}).Expect(201)
			ada.Patch("/api/patients/"+id+"/", fields{"city": "Pune"}).Expect(200)
			ada.Patch("/api/patients/"+id+"/", fields{"name": ""}).Expect(400)
			if _, replica := l.has(""); replica {
				t.Error("a write asked the replica")
			}
		}
	})
	t.Run("no answer misses a commit", func(t *testing.T) {
		for n := range 200 {
			name := fmt.Sprintf("Patient %d", n+1)
			ada.Patch("/api/patients/"+id+"/", fields{"name": name}).Expect(200)
			if got := object(ada.Get("/api/patients/" + id + "/").Expect(200))["name"]; got != name {
				t.Fatalf("the patient is shown as %v after %s was committed", got, name)
			}
			if got := page(ada.Get("/api/patients/?search=" + url.QueryEscape(name))).values("name"); len(got) == 0 {
				t.Fatalf("%s is not found after it was committed", name)
			}
		}
	})
}
