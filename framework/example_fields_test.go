package framework_test

import "trestle.example/framework"

// Vic holds books.view, and Ada does not: her answers lack the member, and she cannot order by it.
func ExampleSees() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Fields:   []framework.FieldRule{framework.Sees("done", framework.Holds("books.view"))},
		Ordering: framework.Ordering{Allowed: []string{"done"}},
	})
	ask("POST /api/tasks/ as ada", `{"text": "Sow"}`)
	ask("GET /api/tasks/1/ as vic")
	ask("GET /api/tasks/?ordering=done as ada")
	// Output:
	// 201 {"id":1,"text":"Sow"}
	// 200 {"id":1,"text":"Sow","done":false}
	// 403 {"detail":"You are signed in but have no permission to use these fields."}
}

// Max holds books.change, and Ada does not: she may send the stored value back, and no other.
func ExampleWrites() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Fields: []framework.FieldRule{framework.Writes("done", framework.Holds("books.change"))},
	})
	ask("POST /api/tasks/ as ada", `{"text": "Sow"}`)
	ask("PUT /api/tasks/1/ as ada", `{"text": "Reap", "done": false}`)
	ask("PATCH /api/tasks/1/ as ada", `{"done": true}`)
	ask("PATCH /api/tasks/1/ as max", `{"done": true}`)
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 200 {"id":1,"text":"Reap","done":false}
	// 403 {"detail":"You are signed in but have no permission to use these fields."}
	// 200 {"id":1,"text":"Reap","done":true}
}
