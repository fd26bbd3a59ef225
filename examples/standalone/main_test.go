package main

import (
	"path/filepath"
	"testing"

	"trestle.example/framework/frameworktest"
)

func TestNotes(t *testing.T) {
	handler, err := serve(filepath.Join(t.TempDir(), "notes.db"))
	if err != nil {
		t.Fatal(err)
	}
	client := frameworktest.New(t, handler)
	client.Post("/api/notes/", map[string]any{"title": "Buy milk"}).Expect(201)
	client.Post("/api/notes/", map[string]any{"title": ""}).Expect(400).Fault("/title", "required")
	client.Get("/api/notes/?search=MILK").Expect(200).Contains(`"count":1`)
}
