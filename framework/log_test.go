package framework_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
)

// lines collects what is logged.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestLog: one line for each request, with its id and never with what a client
// keeps to itself; the cause of a failure is there and only there.
func TestLog(t *testing.T) {
	logged := &lines{}
	c := config(sqlite(t))
	c.Log = slog.New(slog.NewTextHandler(logged, nil))
	api := framework.New(c)
	api.Register(breaking()...)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	sent := frameworktest.New(t, handler)
	ada := &client{Client: sent, tb: t, url: sent.URL()}
	ada = ada.as("ada").with("X-Request-Id", "theirs").with("Cookie", "canary=1")
	path := "/api/books/" + ada.post("/api/books/?q=canary", fields{"title": "canary"}).is(201).id() + "/"
	failed := ada.post(path+"fail/", nil).is(500).header.Get("X-Request-Id")
	ada.post(path+"panic/", nil).is(500)
	ada.post(path+"unspoken/", nil).is(500)
	ada.get("/nowhere/canaries-fly").is(404)
	said := strings.Split(strings.TrimSpace(logged.String()), "\n")
	if len(said) != 5 {
		t.Fatalf("want a line for each request, got\n%s", logged)
	}
	for i, want := range []string{"level=INFO", "books_secret", "panic", "func()", "status=404"} {
		if !strings.Contains(said[i], want) {
			t.Errorf("want %q in %s", want, said[i])
		}
	}
	if !strings.Contains(said[1], failed) || !strings.Contains(said[1], "level=ERROR") {
		t.Errorf("want the request's id %s in %s", failed, said[1])
	}
	for _, line := range said[:4] {
		if strings.Contains(line, "canary") || strings.Contains(line, "Name ada") {
			t.Errorf("a log holds no query, no body and no credentials: %s", line)
		}
	}
	for _, want := range []string{"client_id=theirs", "caller=" + callers["ada"].ID.String(), "took="} {
		if !strings.Contains(said[0], want) {
			t.Errorf("want %q in %s", want, said[0])
		}
	}
}
