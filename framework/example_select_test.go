package framework_test

import (
	"trestle.example/framework"
)

// A client names the members that it needs, and the database reads no others.
func ExampleSelect() {
	c, done := setup()
	defer done()
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Select: framework.Select{Fields: true},
	})
	ask(`POST /api/tasks/ as ada`, `{"text": "Sow"}`)
	ask(`GET /api/tasks/1/?fields=text as ada`)
	ask(`GET /api/tasks/?fields=id as ada`)
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 200 {"text":"Sow"}
	// 200 {"count":1,"next":null,"previous":null,"results":[{"id":1}]}
}
