package framework_test

import (
	"iter"
	"strings"

	"trestle.example/framework"
)

// An action that streams the rows that its caller may see: as NDJSON, or as CSV if the request
// has Accept: text/csv.
func ExampleAction_As() {
	c, done := setup()
	defer done()
	export := func(c *framework.Call, _ framework.None) (iter.Seq2[TaskView, error], error) {
		return framework.Each[TaskView](c, "tasks", nil), nil
	}
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Collection: []framework.CollectionAction{framework.OnCollection("GET", "export", export).As(framework.NDJSON, framework.CSV)},
	})
	ask("POST /api/tasks/", `{"text": "Sow"}`)
	ask("POST /api/tasks/", `{"text": "Reap"}`)
	ask("GET /api/tasks/export/")
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 201 {"id":2,"text":"Reap","done":false}
	// 200 {"id":1,"text":"Sow","done":false}
	// {"id":2,"text":"Reap","done":false}
}

// An action that answers with bytes. A Body with the method Seek, such as that of a file, can be
// requested in parts.
func ExampleContent() {
	c, done := setup()
	defer done()
	label := func(_ *framework.Call, t *Task, _ framework.None) (framework.Content, error) {
		return framework.Content{Body: strings.NewReader(t.Text + "\n"), Name: "label.txt"}, nil
	}
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Actions: []framework.Action[Task]{framework.Get("label", label).As("text/plain")},
	})
	ask("POST /api/tasks/", `{"text": "Sow"}`)
	ask("GET /api/tasks/1/label/")
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 200 Sow
}
