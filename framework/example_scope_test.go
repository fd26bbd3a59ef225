package framework_test

import (
	"net/http"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/page"
)

// Each caller has the rows it made; another's is like one that does not exist.
func ExampleOwn() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	ask := serving(c, framework.ViewSet[Task]{
		Name:  "tasks",
		Verbs: framework.CRUD[TaskInput, TaskView](),
		Scope: framework.Own(func(t *Task) *uuid.UUID { return &t.OwnerID }),
	})
	ask("POST /api/tasks/ as ada", `{"text": "Sow"}`)
	ask("GET /api/tasks/1/ as ada")
	ask("GET /api/tasks/1/ as bob")
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 200 {"id":1,"text":"Sow","done":false}
	// 404 {"detail":"Nothing is here, or it is not yours to see."}
}

// A task belongs to the owner of its list.
func ExampleVia() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	type input struct {
		Text   string `json:"text"`
		ListID *int64 `json:"list" ref:"lists"`
	}
	ask := serving(c,
		framework.ViewSet[TaskList]{Name: "lists", Verbs: framework.CRUD[ListInput, ListView](), Scope: framework.Own(func(l *TaskList) *uuid.UUID { return &l.OwnerID })},
		framework.ViewSet[Task]{Name: "tasks", Verbs: framework.CRUD[input, TaskView](), Scope: framework.Via("list", "lists")},
	)
	ask("POST /api/lists/ as ada", `{"name": "Garden"}`)
	ask("POST /api/tasks/ as ada", `{"text": "Sow", "list": 1}`)
	ask("GET /api/tasks/1/ as bob")
	ask("POST /api/tasks/ as bob", `{"text": "Reap", "list": 1}`)
	// Output:
	// 201 {"id":1,"name":"Garden"}
	// 201 {"id":1,"text":"Sow","done":false}
	// 404 {"detail":"Nothing is here, or it is not yours to see."}
	// 400 {"list":["refers to nothing that you may use"]}
}

// Conditions of one's own. A row cannot be written out of them.
func ExampleWhere() {
	c, done := setup()
	defer done()
	c.ErrorShape, c.Pagination = framework.DRFShape{}, page.Bare{}
	ask := serving(c, framework.ViewSet[Task]{
		Name:  "tasks",
		Verbs: framework.CRUD[TaskInput, TaskView](),
		Scope: framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
			return q.Where("NOT ?TableAlias.done")
		}).Unless(framework.Staff()),
	})
	ask("POST /api/tasks/", `{"text": "Sow"}`)
	ask("PATCH /api/tasks/1/", `{"done": true}`)
	ask("PATCH /api/tasks/1/ as eve", `{"done": true}`)
	ask("GET /api/tasks/")
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 403 {"detail":"You are signed in but have no permission to do this."}
	// 200 {"id":1,"text":"Sow","done":true}
	// 200 []
}

// Every caller has every row.
func ExamplePublic() {
	c, done := setup()
	defer done()
	ask := serving(c, framework.ViewSet[Task]{Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public()})
	ask("POST /api/tasks/ as ada", `{"text": "Sow"}`)
	ask("DELETE /api/tasks/1/ as bob")
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 204
}

// Who holds a permission of the model has every row, verb by verb.
func ExampleScope_Unless() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	ask := serving(c, framework.ViewSet[Task]{
		Name:  "tasks",
		Verbs: framework.CRUD[TaskInput, TaskView](),
		Scope: framework.Own(func(t *Task) *uuid.UUID { return &t.OwnerID }).Unless(framework.HoldsModel("books")),
	})
	ask("POST /api/tasks/ as ada", `{"text": "Sow"}`)
	ask("GET /api/tasks/1/ as vic") // holds books.view
	ask("DELETE /api/tasks/1/ as vic")
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 200 {"id":1,"text":"Sow","done":false}
	// 404 {"detail":"Nothing is here, or it is not yours to see."}
}

// A function reads another viewset's rows: those that its caller may see, as
// that viewset shows them.
func ExampleFind() {
	c, done := setup()
	defer done()
	tasksOf := func(c *framework.Call, l *TaskList, _ framework.None) ([]TaskView, error) {
		return framework.Find[TaskView](c, "tasks", func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("?TableAlias.list_id = ?", l.ID)
		})
	}
	type input struct {
		Text   string `json:"text"`
		ListID *int64 `json:"list" ref:"lists"`
	}
	ask := serving(c,
		framework.ViewSet[TaskList]{Name: "lists", Verbs: framework.CRUD[ListInput, ListView](), Scope: framework.Public(), Actions: []framework.Action[TaskList]{
			framework.Get("tasks", tasksOf),
		}},
		framework.ViewSet[Task]{Name: "tasks", Verbs: framework.CRUD[input, TaskView](), Scope: framework.Own(func(t *Task) *uuid.UUID { return &t.OwnerID })},
	)
	ask("POST /api/lists/ as ada", `{"name": "Garden"}`)
	ask("POST /api/tasks/ as ada", `{"text": "Sow", "list": 1}`)
	ask("GET /api/lists/1/tasks/ as ada")
	ask("GET /api/lists/1/tasks/ as bob")
	// Output:
	// 201 {"id":1,"name":"Garden"}
	// 201 {"id":1,"text":"Sow","done":false}
	// 200 [{"id":1,"text":"Sow","done":false}]
	// 200 []
}

// A function that finds the newest rows that the caller may see.
func ExampleOrderBy() {
	c, done := setup()
	defer done()
	newest := func(c *framework.Call, _ framework.None) ([]TaskView, error) {
		return framework.Find[TaskView](c, "tasks", nil, framework.OrderBy("done", "-id"), framework.Limit(2))
	}
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Collection: []framework.CollectionAction{framework.OnCollection(http.MethodGet, "newest", newest)},
	})
	ask("POST /api/tasks/", `{"text": "Sow"}`)
	ask("POST /api/tasks/", `{"text": "Reap"}`)
	ask("POST /api/tasks/", `{"text": "Rest", "done": true}`)
	ask("GET /api/tasks/newest/")
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 201 {"id":2,"text":"Reap","done":false}
	// 201 {"id":3,"text":"Rest","done":true}
	// 200 [{"id":2,"text":"Reap","done":false},{"id":1,"text":"Sow","done":false}]
}
