package throttle_test

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/throttle"
	"trestle.example/framework/throttle/redisthrottle"
	"trestle.example/internal/testserver/redis"
)

// TestAnAPIWhoseRedisIsKilled continues to answer, and enforces its limits in the
// process.
func TestAnAPIWhoseRedisIsKilled(t *testing.T) {
	server, err := redis.Start(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	store, err := redisthrottle.Open(server.URL(), redisthrottle.Options{Timeout: time.Minute, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	client := house{Config: framework.Config{DB: database(t), Throttles: []framework.Throttle{throttle.User(store, hourly(3))}}}.open(t)
	inTurn := func() {
		t.Helper()
		for i := range 6 {
			want := http.StatusNoContent
			if i >= 3 {
				want = http.StatusTooManyRequests
			}
			client.Get(openPath).Expect(want)
		}
	}
	inTurn()
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	inTurn()
}
