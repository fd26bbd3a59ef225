package framework_test

import (
	"fmt"
	"strings"

	"trestle.example/framework"
)

// NamedTask shows a task with the list it is on.
type NamedTask struct {
	Text string    `json:"text"`
	List *ListView `json:"list"`
}

// FullList shows a list with its tasks.
type FullList struct {
	Name  string     `json:"name"`
	Tasks []TaskView `json:"tasks"`
}

// A shape with relations: a list with its tasks, two statements for any number
// of lists.
func ExampleShows() {
	c, done := setup()
	defer done()
	type input struct {
		Text   string `json:"text"`
		ListID *int64 `json:"list" ref:"lists"`
	}
	ask := serving(c,
		framework.ViewSet[TaskList]{Name: "lists", Scope: framework.Public(), Verbs: framework.Verbs{
			Create: framework.Accepts[ListInput, ListView](), Retrieve: framework.Shows[FullList](),
		}, Relations: framework.Relations{"tasks": framework.OfRow}},
		framework.ViewSet[Task]{Name: "tasks", Scope: framework.Public(), Verbs: framework.Verbs{
			Create: framework.Accepts[input, NamedTask](), Retrieve: framework.Shows[NamedTask](),
		}, Relations: framework.Relations{"list": "lists"}},
	)
	ask("POST /api/lists/", `{"name": "Garden"}`)
	ask("POST /api/tasks/", `{"text": "Sow", "list": 1}`)
	ask("GET /api/lists/1/")
	// Output:
	// 201 {"id":1,"name":"Garden"}
	// 201 {"text":"Sow","list":{"id":1,"name":"Garden"}}
	// 200 {"name":"Garden","tasks":[{"id":1,"text":"Sow","done":false}]}
}

// A representation that is a function of the row and its relations, which are
// loaded for all rows at once.
func ExampleComputes() {
	c, done := setup()
	defer done()
	type progress struct {
		Label string `json:"label"`
	}
	label := func(_ *framework.Call, l *TaskList) (progress, error) {
		ready := 0
		for _, task := range l.Tasks {
			if task.Done {
				ready++
			}
		}
		return progress{fmt.Sprintf("%s: %d of %d", l.Name, ready, len(l.Tasks))}, nil
	}
	ask := serving(c, framework.ViewSet[TaskList]{Name: "lists", Scope: framework.Public(), Verbs: framework.Verbs{
		Create: framework.Accepts[ListInput, progress](), Retrieve: framework.Computes(label, "tasks"),
	}, Relations: framework.Relations{"tasks": framework.OfRow}})
	ask("POST /api/lists/", `{"name": "Garden"}`)
	ask("GET /api/lists/1/")
	// Output:
	// 201 {"label":"Garden: 0 of 0"}
	// 200 {"label":"Garden: 0 of 0"}
}

// What a client may write of a row, and every fault of a body at once.
func ExampleAccepts() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	writes := framework.Accepts[TaskInput, TaskView]()
	ask := serving(c, framework.ViewSet[Task]{Name: "tasks", Scope: framework.Public(), Verbs: framework.Verbs{Create: writes, Patch: writes}})
	ask("POST /api/tasks/", `{"text": "Sow"}`)
	ask("POST /api/tasks/", `{"text": " ", "done": "yes"}`)
	ask("PATCH /api/tasks/1/", `{"done": true}`)
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 400 {"done":["must be true or false, not a string"],"text":["must not be blank"]}
	// 200 {"id":1,"text":"Sow","done":true}
}

// Input that is no column is filled in by a function.
func ExampleFills() {
	c, done := setup()
	defer done()
	type input struct {
		Words []string `json:"words" validate:"required,max=5"`
	}
	join := func(_ *framework.Call, t *Task, in input) error {
		t.Text = strings.Join(in.Words, " ")
		return nil
	}
	ask := serving(c, framework.ViewSet[Task]{Name: "tasks", Scope: framework.Public(), Verbs: framework.Verbs{
		Create: framework.Fills[TaskView](join),
	}})
	ask("POST /api/tasks/", `{"words": ["Mow", "the", "lawn"]}`)
	// Output:
	// 201 {"id":1,"text":"Mow the lawn","done":false}
}

// A Create that is a function: many rows in one transaction.
func ExampleDoes() {
	c, done := setup()
	defer done()
	type batch struct {
		Texts []string `json:"texts" validate:"required,max=100"`
	}
	type added struct {
		Added int `json:"added"`
	}
	addAll := func(c *framework.Call, in batch) (added, error) {
		for _, text := range in.Texts {
			if _, err := c.DB.NewInsert().Model(&Task{Text: text}).Exec(c); err != nil {
				return added{}, err
			}
		}
		return added{len(in.Texts)}, nil
	}
	ask := serving(c, framework.ViewSet[Task]{Name: "tasks", Scope: framework.Public(), Verbs: framework.Verbs{
		Create: framework.Does(addAll),
	}})
	ask("POST /api/tasks/", `{"texts": ["Sow", "Water", "Reap"]}`)
	// Output:
	// 201 {"added":3}
}

// A Delete that is a function: nothing is removed, it is marked. The row
// arrives in the caller's scope and locked.
func ExampleChanges() {
	c, done := setup()
	defer done()
	finish := func(c *framework.Call, t *Task, _ framework.None) (TaskView, error) {
		t.Done = true
		_, err := c.DB.NewUpdate().Model(t).Column("done").WherePK().Exec(c)
		return TaskView{t.ID, TaskInput{t.Text, t.Done}}, err
	}
	ask := serving(c, framework.ViewSet[Task]{Name: "tasks", Scope: framework.Public(), Verbs: framework.Verbs{
		Create: framework.Accepts[TaskInput, TaskView](), Delete: framework.Changes(finish),
	}})
	ask("POST /api/tasks/", `{"text": "Sow"}`)
	ask("DELETE /api/tasks/1/")
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 200 {"id":1,"text":"Sow","done":true}
}

// Period is an input with a rule over two of its fields.
type Period struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

func (p Period) Check() []framework.Fault {
	if p.From <= p.To {
		return nil
	}
	return []framework.Fault{{Pointer: "/to", Code: "order", Detail: "must not be before from"}}
}

// A rule over several fields is a method of the input.
func ExampleChecker() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	ask := serving(c, framework.ViewSet[Task]{Name: "tasks", Scope: framework.Public(), Verbs: framework.Verbs{
		Create: framework.Does(func(_ *framework.Call, p Period) (Period, error) { return p, nil }),
	}})
	ask("POST /api/tasks/", `{"from": 1, "to": 2}`)
	ask("POST /api/tasks/", `{"from": 2, "to": 1}`)
	// Output:
	// 201 {"from":1,"to":2}
	// 400 {"to":["must not be before from"]}
}
