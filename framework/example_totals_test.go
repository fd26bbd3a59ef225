package framework_test

import (
	"trestle.example/framework"
)

// A client counts tasks for each value of a field.
func ExampleTotals() {
	c, done := setup()
	defer done()
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Totals: framework.Totals{By: []string{"done"}},
	})
	ask(`POST /api/tasks/ as ada`, `{"text": "Sow"}`)
	ask(`POST /api/tasks/ as ada`, `{"text": "Reap"}`)
	ask(`POST /api/tasks/ as ada`, `{"text": "Rest", "done": true}`)
	ask(`GET /api/tasks/totals/ as ada`)
	ask(`GET /api/tasks/totals/?group=done as ada`)
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 201 {"id":2,"text":"Reap","done":false}
	// 201 {"id":3,"text":"Rest","done":true}
	// 200 {"totals":[{"count":3}]}
	// 200 {"totals":[{"group":{"done":false},"count":2},{"group":{"done":true},"count":1}]}
}
