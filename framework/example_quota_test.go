package framework_test

import (
	"github.com/google/uuid"

	"trestle.example/framework"
)

// Each user has at most two tasks.
func ExampleQuota() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Own(func(t *Task) *uuid.UUID { return &t.OwnerID }),
		Quota: framework.Quota{Rows: 2},
	})
	ask(`POST /api/tasks/ as ada`, `{"text": "Sow"}`)
	ask(`POST /api/tasks/ as ada`, `{"text": "Weed"}`)
	ask(`POST /api/tasks/ as ada`, `{"text": "Reap"}`)
	ask(`POST /api/tasks/ as bob`, `{"text": "Reap"}`)
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 201 {"id":2,"text":"Weed","done":false}
	// 409 {"detail":"You own 2 of at most 2 tasks, and this request adds 1."}
	// 201 {"id":3,"text":"Reap","done":false}
}
