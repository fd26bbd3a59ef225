package framework_test

import (
	"trestle.example/framework"
)

// A client filters a list by an expression over the listed fields.
func ExampleFilterExpression() {
	c, done := setup()
	defer done()
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		FilterExpression: framework.FilterExpression{Fields: []string{"text", "done"}},
	})
	ask(`POST /api/tasks/ as ada`, `{"text": "Sow"}`)
	ask(`POST /api/tasks/ as ada`, `{"text": "Reap"}`)
	ask(`GET /api/tasks/?filter=done=false+AND+NOT+(text="Sow"+OR+text="Weed") as ada`)
	ask(`GET /api/tasks/?filter=done+=+"yes" as ada`)
	// Output:
}
