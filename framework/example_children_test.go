package framework_test

import (
	"github.com/uptrace/bun"

	"trestle.example/framework"
)

type listWithTasks struct {
	Name  string     `json:"name" validate:"required"`
	Tasks []taskItem `json:"tasks" to:"tasks,limit=20"`
}

type taskItem struct {
	ID   *int64 `json:"id"`
	Text string `json:"text" validate:"required,max=80"`
}

type listOfTasks struct {
	ID    int64      `json:"id"`
	Name  string     `json:"name"`
	Tasks []TaskView `json:"tasks"`
}

type Memo struct {
	bun.BaseModel `bun:"table:memos"`

	ID     int64 `bun:",pk,autoincrement"`
	Text   string
	Labels []*Label `bun:"m2m:memo_labels,join:Memo=Label"`
}

type Label struct {
	bun.BaseModel `bun:"table:labels"`

	ID   int64 `bun:",pk,autoincrement"`
	Name string
}

type MemoLabel struct {
	bun.BaseModel `bun:"table:memo_labels"`

	MemoID  int64  `bun:",pk"`
	Memo    *Memo  `bun:"rel:belongs-to,join:memo_id=id"`
	LabelID int64  `bun:",pk"`
	Label   *Label `bun:"rel:belongs-to,join:label_id=id"`
}

type memoInput struct {
	Text   string   `json:"text"`
	Labels []string `json:"labels" to:"labels.name,create" validate:"dive,required,line,max=30"`
}

type memoView struct {
	ID     int64    `json:"id"`
	Text   string   `json:"text"`
	Labels []string `json:"labels" from:"labels.name,order=name"`
}

// A list in a body is the whole list: known rows are changed, rows without a key created, and missing
// rows deleted.
func ExampleAccepts_relatedRows() {
	c, done := setup()
	defer done()
	ask := serving(c, framework.ViewSet[TaskList]{
		Name: "lists", Verbs: framework.CRUD[listWithTasks, listOfTasks](), Scope: framework.Public(),
		Relations: framework.Relations{"tasks": framework.OfRow},
	})
	ask("POST /api/lists/", `{"name": "Garden", "tasks": [{"text": "Sow"}, {"text": "Water"}]}`)
	ask("PATCH /api/lists/1/", `{"tasks": [{"id": 2, "text": "Water daily"}, {"text": "Reap"}]}`)
	ask("PATCH /api/lists/1/", `{"name": "Our garden"}`)
	// Output:
	// 201 {"id":1,"name":"Garden","tasks":[{"id":1,"text":"Sow","done":false},{"id":2,"text":"Water","done":false}]}
	// 200 {"id":1,"name":"Garden","tasks":[{"id":2,"text":"Water daily","done":false},{"id":3,"text":"Reap","done":false}]}
	// 200 {"id":1,"name":"Our garden","tasks":[{"id":2,"text":"Water daily","done":false},{"id":3,"text":"Reap","done":false}]}
}

// A function writes rows that need the key of the stored row.
func ExampleFillsThen() {
	c, done := setup()
	defer done()
	first := func(c *framework.Call, list *TaskList, in ListInput) error {
		return framework.Insert(c, &Task{ListID: &list.ID, Text: "Read " + in.Name})
	}
	ask := serving(c,
		framework.ViewSet[TaskList]{
			Name: "lists", Verbs: framework.Verbs{Create: framework.FillsThen[listOfTasks](nil, first)}, Scope: framework.Public(),
			Relations: framework.Relations{"tasks": "tasks"},
		},
		framework.ViewSet[Task]{Name: "tasks", Verbs: framework.ReadOnly[TaskView](), Scope: framework.Public()},
	)
	ask("POST /api/lists/", `{"name": "Go"}`)
	// Output:
	// 201 {"id":1,"name":"Go","tasks":[{"id":1,"text":"Read Go","done":false}]}
}

// Labels are set as a whole list in a body, or one by one.
func ExampleLinks() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	ask := serving(c,
		framework.ViewSet[Memo]{
			Name: "memos", Verbs: framework.CRUD[memoInput, memoView](), Scope: framework.Public(),
			Relations: framework.Relations{"labels": framework.OfRow}, Models: []any{(*MemoLabel)(nil)},
			Actions: []framework.Action[Memo]{framework.Links[Memo]("labels.name")},
		},
	)
	ask("POST /api/memos/", `{"text": "Call Ada", "labels": ["today", "phone"]}`)
	ask("DELETE /api/memos/1/labels/phone/")
	ask("PUT /api/memos/1/labels/phone/")
	ask("DELETE /api/memos/1/labels/today/")
	ask("PUT /api/memos/1/labels/unknown/")
	ask("GET /api/memos/1/")
	// Output:
	// 201 {"id":1,"text":"Call Ada","labels":["phone","today"]}
	// 204
	// 204
	// 204
	// 404 {"detail":"Nothing is here, or it is not yours to see."}
	// 200 {"id":1,"text":"Call Ada","labels":["phone"]}
}
