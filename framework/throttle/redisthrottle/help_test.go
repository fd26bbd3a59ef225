package redisthrottle

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/throttle"
	"trestle.example/internal/journal"
	"trestle.example/internal/testserver/redis"
)

func hourly(limit int) throttle.Rate { return throttle.Rate{Limit: limit, Per: time.Hour} }

// patient is longer than any answer takes on a busy machine, so that no test depends on
// its speed.
const patient = time.Minute

// opened returns a store at an address. It closes with the test.
func opened(t *testing.T, address string, o Options) *Store {
	t.Helper()
	if o.Prefix == "" {
		o.Prefix = "test:" + uuid.NewString() + ":"
	}
	if o.Timeout == 0 {
		o.Timeout = patient
	}
	store, err := Open(address, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func taking(t *testing.T, s throttle.Store, key string, rate throttle.Rate) throttle.Quota {
	t.Helper()
	q, err := s.Take(t.Context(), key, rate)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// instance is a Redis that the test may kill.
func instance(t *testing.T) *redis.Instance {
	t.Helper()
	server, err := redis.Start(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	return server
}

// A notebook is a log that a test reads.
type notebook struct{ journal.Journal }

func (n *notebook) log() *slog.Logger { return slog.New(slog.NewTextHandler(n, nil)) }

// count returns how many lines contain a text.
func (n *notebook) count(text string) int { return strings.Count(n.String(), text) }

// await polls a condition. Its limit only ends a test that has failed.
func await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	limit := time.After(time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !happened() {
		select {
		case <-limit:
			t.Fatalf("still waiting for %s", what)
		case <-tick.C:
		}
	}
}
