package framework_test

import (
	"github.com/google/uuid"

	"trestle.example/framework"
)

// Tasks below the list that they belong to. Another caller's list, and what is below it, is like one
// that does not exist.
func ExampleChild() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	ask := serving(c,
		framework.ViewSet[TaskList]{Name: "lists", Verbs: framework.CRUD[ListInput, ListView](), Scope: framework.Own(func(l *TaskList) *uuid.UUID { return &l.OwnerID })},
		framework.ViewSet[Task]{Name: "tasks", Parent: framework.Child("list", "lists"), Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public()},
	)
	ask("POST /api/lists/ as ada", `{"name": "Garden"}`)
	ask("POST /api/lists/ as ada", `{"name": "House"}`)
	ask("POST /api/lists/1/tasks/ as ada", `{"text": "Sow"}`)
	ask("GET /api/lists/1/tasks/1/ as ada")
	ask("GET /api/lists/2/tasks/1/ as ada")
	ask("POST /api/lists/1/tasks/ as bob", `{"text": "Reap"}`)
	// Output:
	// 201 {"id":1,"name":"Garden"}
	// 201 {"id":2,"name":"House"}
	// 201 {"id":1,"text":"Sow","done":false}
	// 200 {"id":1,"text":"Sow","done":false}
	// 404 {"detail":"Nothing is here, or it is not yours to see."}
	// 404 {"detail":"Nothing is here, or it is not yours to see."}
}

// The tasks of a list are changed by callers who may change the list.
func ExampleParent_ByWriters() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	ask := serving(c,
		framework.ViewSet[TaskList]{
			Name: "lists", Verbs: framework.CRUD[ListInput, ListView](), Scope: framework.Public(),
			Writers: framework.Own(func(l *TaskList) *uuid.UUID { return &l.OwnerID }),
		},
		framework.ViewSet[Task]{Name: "tasks", Parent: framework.Child("list", "lists").ByWriters(), Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public()},
	)
	ask("POST /api/lists/ as ada", `{"name": "Garden"}`)
	ask("POST /api/lists/1/tasks/ as ada", `{"text": "Sow"}`)
	ask("GET /api/lists/1/tasks/1/ as bob")
	ask("DELETE /api/lists/1/tasks/1/ as bob")
	// Output:
	// 201 {"id":1,"name":"Garden"}
	// 201 {"id":1,"text":"Sow","done":false}
	// 200 {"id":1,"text":"Sow","done":false}
	// 403 {"detail":"You may see this, but it is not yours to change."}
}

// An action on the collection learns the key of the list in its path.
func ExampleParentKey() {
	c, done := setup()
	defer done()
	type summary struct {
		List int64 `json:"list"`
	}
	summarise := func(c *framework.Call, _ framework.None) (summary, error) {
		list, err := framework.ParentKey[int64](c)
		return summary{list}, err
	}
	ask := serving(c,
		framework.ViewSet[TaskList]{Name: "lists", Verbs: framework.CRUD[ListInput, ListView](), Scope: framework.Own(func(l *TaskList) *uuid.UUID { return &l.OwnerID })},
		framework.ViewSet[Task]{
			Name: "tasks", Parent: framework.Child("list", "lists"), Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
			Collection: []framework.CollectionAction{framework.OnCollection("GET", "summary", summarise)},
		},
	)
	ask("POST /api/lists/ as ada", `{"name": "Garden"}`)
	ask("GET /api/lists/1/tasks/summary/ as ada")
	// Output:
	// 201 {"id":1,"name":"Garden"}
	// 200 {"list":1}
}
