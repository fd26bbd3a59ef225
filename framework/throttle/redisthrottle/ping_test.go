package redisthrottle

import (
	"strings"
	"testing"
)

func TestPing(t *testing.T) {
	t.Parallel()
	server := instance(t)
	store := opened(t, server.URL(), Options{})
	if err := store.Ping(t.Context()); err != nil {
		t.Errorf("Redis runs, but: %v", err)
	}
	stranger := opened(t, strings.Replace(server.URL(), "redis://:", "redis://:guess", 1), Options{})
	if err := stranger.Ping(t.Context()); err == nil || strings.Contains(err.Error(), "guess") {
		t.Errorf("with a wrong password: %v; want an error without it", err)
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := store.Ping(t.Context()); err == nil {
		t.Error("Redis was stopped and still answers")
	}
}
