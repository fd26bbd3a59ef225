package framework_test

import (
	"fmt"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/page"
)

// A whole resource is a few lines beside its model and its shapes.
func Example() {
	c, done := setup()
	defer done()
	ask := serving(c, framework.ViewSet[Task]{
		Name:     "tasks",
		Verbs:    framework.CRUD[TaskInput, TaskView](),
		Scope:    framework.Public(),
		Search:   framework.Search{Fields: []string{"text"}},
		Ordering: framework.Ordering{Allowed: []string{"text"}},
		Filters:  []framework.Filter{filter.Exact("done")},
	})
	ask("POST /api/tasks/", `{"text": "Water the plants"}`)
	ask("PATCH /api/tasks/1/", `{"done": true}`)
	ask("GET /api/tasks/?search=PLANTS&done=true&ordering=-text")
	ask("DELETE /api/tasks/1/")
	// Output:
	// 201 {"id":1,"text":"Water the plants","done":false}
	// 200 {"id":1,"text":"Water the plants","done":true}
	// 200 {"count":1,"next":null,"previous":null,"results":[{"id":1,"text":"Water the plants","done":true}]}
	// 204
}

// A viewset is data. What it does not say, the API says.
func ExampleViewSet() {
	c, done := setup()
	defer done()
	ask := serving(c, framework.ViewSet[Task]{
		Name:       "tasks",
		Under:      "manage",
		Doc:        "Everything there is to do.",
		Verbs:      framework.ReadOnly[TaskView](),
		Scope:      framework.Public(),
		Permission: framework.Staff(),
		Pagination: page.Bare{Max: 500},
	})
	ask("GET /api/")
	ask("GET /api/manage/tasks/ as eve")
	// Output:
	// 200 {"manage/tasks":"http://example.com/api/manage/tasks/"}
	// 200 []
}

// All six verbs, and what they share.
func ExampleCRUD() {
	c, done := setup()
	defer done()
	ask := serving(c, framework.ViewSet[Task]{Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public()})
	ask("POST /api/tasks/", `{"text": "Sow", "done": true}`)
	ask("PUT /api/tasks/1/", `{"text": "Reap"}`)
	ask("PATCH /api/tasks/1/", `{"done": true}`)
	ask("GET /api/tasks/1/")
	// Output:
	// 201 {"id":1,"text":"Sow","done":true}
	// 200 {"id":1,"text":"Reap","done":false}
	// 200 {"id":1,"text":"Reap","done":true}
	// 200 {"id":1,"text":"Reap","done":true}
}

// Writes of a read-only resource are 405.
func ExampleReadOnly() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	ask := serving(c, framework.ViewSet[Task]{Name: "tasks", Verbs: framework.ReadOnly[TaskView](), Scope: framework.Public()})
	ask("GET /api/tasks/")
	ask("POST /api/tasks/", `{"text": "Sow"}`)
	// Output:
	// 200 {"count":0,"next":null,"previous":null,"results":[]}
	// 405 {"detail":"POST is not offered here; this path takes GET, HEAD, OPTIONS."}
}

// Resources may refer to each other in any order; the API root lists them as
// they were registered.
func ExampleAPI_Register() {
	c, done := setup()
	defer done()
	ask := serving(c,
		framework.ViewSet[TaskList]{Name: "lists", Verbs: framework.ReadOnly[ListView](), Scope: framework.Public()},
		framework.ViewSet[Task]{Name: "tasks", Verbs: framework.ReadOnly[TaskView](), Scope: framework.Public()},
	)
	ask("GET /api/")
	// Output:
	// 200 {"lists":"http://example.com/api/lists/","tasks":"http://example.com/api/tasks/"}
}

// Every mistake is a sentence, and Check reports all of them.
func ExampleAPI_Check() {
	c, done := setup()
	defer done()
	api := framework.New(c)
	api.Register(framework.ViewSet[Task]{
		Name:     "tasks",
		Verbs:    framework.ReadOnly[TaskView](),
		Search:   framework.Search{Fields: []string{"txt"}},
		Ordering: framework.Ordering{Default: "-doen"},
	})
	fmt.Println(api.Check())
	// Output:
	// tasks: scope: no scope; say which rows a caller has: framework.Own, Via, Where or Public
	// tasks: search: no field "txt" in Task; did you mean "text"?
	// tasks: ordering default: no field "doen" in Task; did you mean "done"?
}

// The endpoints of an API, for a listing.
func ExampleAPI_Routes() {
	c, done := setup()
	defer done()
	api := framework.New(c)
	api.Register(framework.ViewSet[Task]{Name: "tasks", Verbs: framework.ReadOnly[TaskView](), Scope: framework.Public()})
	must(api.Check())
	for _, r := range api.Routes() {
		fmt.Println(r.Method, r.Path, r.Permission)
	}
	// Output:
	// GET /api/ anyone
	// GET /api/tasks/ anyone
	// GET /api/tasks/{id}/ anyone
}

// Guards protect whole prefixes, whatever is or is not registered there.
func ExampleGuard() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	c.Guards = []framework.Guard{{Under: "manage", Permission: framework.Staff()}}
	ask := serving(c)
	ask("GET /api/manage/nothing/")
	ask("GET /api/manage/nothing/ as ada")
	ask("GET /api/manage/nothing/ as eve")
	// Output:
	// 401 {"detail":"This needs credentials, and the request carries none."}
	// 403 {"detail":"You are signed in but have no permission to do this; it is for staff."}
	// 404 {"detail":"Nothing is here, or it is not yours to see."}
}
