package main

import (
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

func TestTasks(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		handler, err := tasks(db)
		if err != nil {
			t.Fatal(err)
		}
		client := frameworktest.New(t, handler)
		var task TaskView
		client.Post("/api/tasks/", TaskInput{"Water the plants"}).Expect(201).JSON(&task)
		client.Post("/api/tasks/"+task.ID.String()+"/done/", nil).Expect(200).Contains(`"done":true`)
		client.Get("/api/tasks/?done=false").Expect(200).Lacks("plants")
		client.Get("/api/tasks/?done=true").Expect(200).Contains("plants")
	})
}
