package main

import (
	"log/slog"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
	"trestle.example/framework/sqldb"
)

// TestTasks: what a client does, each answer held against the API's own
// reference.
func TestTasks(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		client, _ := serve(t, db)
		var task TaskView
		client.Post("/api/tasks/", TaskInput{"Water the plants"}).Expect(201).JSON(&task)
		client.Post("/api/tasks/"+task.ID.String()+"/done/", nil).Expect(200).Contains(`"done":true`)
		client.Get("/api/tasks/?done=false").Expect(200).Lacks("plants")
		client.Get("/api/tasks/?done=true").Expect(200).Contains("plants")
	})
}

// TestTheReference sends requests that are made of the reference, good ones and
// spoilt ones.
func TestTheReference(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		client, promised := serve(t, db)
		t.Log(contract.Attack{Contract: promised, URL: client.URL(), Seed: 1, Requests: 300}.Run(t))
	})
}

// serve is a client of the API, whose answers are held against its reference.
func serve(t *testing.T, db *sqldb.DB) (*frameworktest.Client, *contract.Contract) {
	t.Helper()
	api, err := tasks(db, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	var book contract.Book
	promised := book.Of(t, "", api)
	return frameworktest.New(t, promised.Wrap(t, handler)), promised
}
