package framework_test

import (
	"context"
	"net/http"
	"strings"

	"trestle.example/framework"
)

var ctx = context.Background()

// An action that reads one object.
func ExampleGet() {
	c, done := setup()
	defer done()
	type length struct {
		Length int `json:"length"`
	}
	measure := func(_ *framework.Call, t *Task, _ framework.None) (length, error) { return length{len(t.Text)}, nil }
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Actions: []framework.Action[Task]{framework.Get("length", measure)},
	})
	ask("POST /api/tasks/", `{"text": "Sow"}`)
	ask("GET /api/tasks/1/length/")
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 200 {"length":3}
}

// An action that changes one object. The object is locked in a transaction, which is rolled
// back if the function returns an error.
func ExamplePost() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	finish := func(c *framework.Call, t *Task, _ framework.None) (TaskView, error) {
		if t.Done {
			return TaskView{}, framework.Conflict("already_done", "This is done already.")
		}
		t.Done = true
		return TaskView{t.ID, TaskInput{t.Text, t.Done}}, framework.Save(c, t)
	}
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Actions: []framework.Action[Task]{framework.Post("finish", finish).Doc("Marks the task as done.")},
	})
	ask("POST /api/tasks/", `{"text": "Sow"}`)
	ask("POST /api/tasks/1/finish/")
	ask("POST /api/tasks/1/finish/")
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 200 {"id":1,"text":"Sow","done":true}
	// 409 {"detail":"This is done already."}
}

// An endpoint on the whole of a viewset.
func ExampleOnCollection() {
	c, done := setup()
	defer done()
	type summary struct {
		Open int64 `json:"open"`
	}
	count := func(c *framework.Call, _ framework.None) (summary, error) {
		n, err := c.DB.NewSelect().Model((*Task)(nil)).Where("NOT done").Count(c)
		return summary{n}, err
	}
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Collection: []framework.CollectionAction{framework.OnCollection(http.MethodGet, "summary", count)},
	})
	ask("POST /api/tasks/", `{"text": "Sow"}`)
	ask("GET /api/tasks/summary/")
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 200 {"open":1}
}

// A function writes a row back as the verbs do: with the time of change and
// the stored search document.
func ExampleSave() {
	c, done := setup()
	defer done()
	shout := func(c *framework.Call, t *Task, _ framework.None) (TaskView, error) {
		t.Text = strings.ToUpper(t.Text)
		return TaskView{t.ID, TaskInput{t.Text, t.Done}}, framework.Save(c, t)
	}
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Actions: []framework.Action[Task]{framework.Post("shout", shout)},
	})
	ask("POST /api/tasks/", `{"text": "Sow"}`)
	ask("POST /api/tasks/1/shout/")
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 200 {"id":1,"text":"SOW","done":false}
}

// A function stores a new row as Create does: with its key, its times and its
// owner.
func ExampleInsert() {
	c, done := setup()
	defer done()
	again := func(c *framework.Call, t *Task, _ framework.None) (TaskView, error) {
		next := Task{Text: t.Text + " again"}
		err := framework.Insert(c, &next)
		return TaskView{next.ID, TaskInput{next.Text, next.Done}}, err
	}
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Actions: []framework.Action[Task]{framework.Post("again", again)},
	})
	ask("POST /api/tasks/", `{"text": "Sow"}`)
	ask("POST /api/tasks/1/again/")
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 200 {"id":2,"text":"Sow again","done":false}
}
