package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestOtherOriginsAreNamedInDevelopment: each once, with the setting that allows
// it, and only so many.
func TestOtherOriginsAreNamedInDevelopment(t *testing.T) {
	t.Parallel()
	s := newRig(t, sqliteURL(t), "TRESTLE_CORS_ORIGINS=http://localhost:3000").start(t)
	own := strings.TrimPrefix(s.base, "http://")
	client := &http.Client{Timeout: waitLimit}
	asks := func(method string, origins ...string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.base+"/api/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header["Origin"] = origins
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
	}
	const warning = "a page of another origin sends requests"
	for _, quiet := range [][]string{nil, {""}, {"null"}, {"http://" + own}, {"http://localhost:3000"}, {"file://x"}, {"http://localhost:5173/"}, {"http://x\tsetting=y"}} {
		asks("GET", quiet...)
		if strings.Contains(s.log.String(), warning) {
			t.Fatalf("the origin %q is named: %s", quiet, s.log)
		}
	}
	asks("OPTIONS", "http://localhost:5173")
	for range 3 {
		asks("GET", "http://localhost:5173")
	}
	const setting = `origin=http://localhost:5173 setting="TRESTLE_CORS_ORIGINS=http://localhost:3000,http://localhost:5173"`
	if said := s.log.String(); strings.Count(said, warning) != 1 || !strings.Contains(said, setting) {
		t.Errorf("want one line with %s in %s", setting, said)
	}
	const mostOrigins = 20
	for i := range 2 * mostOrigins {
		asks("GET", fmt.Sprintf("http://localhost:%d", 6000+i))
	}
	if n := strings.Count(s.log.String(), warning); n != mostOrigins {
		t.Errorf("%d origins are named; want %d", n, mostOrigins)
	}
}
