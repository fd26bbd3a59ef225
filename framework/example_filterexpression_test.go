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
	ask(`GET /api/tasks/?filter=text="Weed" as ada`)
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 201 {"id":2,"text":"Reap","done":false}
	// 200 {"count":1,"next":null,"previous":null,"results":[{"id":2,"text":"Reap","done":false}]}
	// 200 {"count":0,"next":null,"previous":null,"results":[]}
}
