// Standalone is a program in a module of its own that imports the framework:
// a list of tasks that are done one by one.
package main

import (
	"context"
	"log"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// A Task is open until it is done.
type Task struct {
	bun.BaseModel `bun:"table:tasks"`

	ID   uuid.UUID `bun:",pk"`
	What string
	Done bool
}

// TaskInput is what clients write.
type TaskInput struct {
	What string `json:"what" validate:"required,max=200"`
}

// TaskView is what clients see.
type TaskView struct {
	ID uuid.UUID `json:"id"`
	TaskInput
	Done bool `json:"done"`
}

// Tasks serves /api/tasks/ to anyone.
var Tasks = framework.ViewSet[Task]{
	Name:       "tasks",
	Verbs:      framework.CRUD[TaskInput, TaskView](),
	Scope:      framework.Public(),
	Permission: framework.Anyone(),
	Filters:    []framework.Filter{filter.Exact("done")},
	Actions:    []framework.Action[Task]{framework.Post("done", done)},
}

// done serves POST /tasks/{id}/done/.
func done(c *framework.Call, t *Task, _ framework.None) (TaskView, error) {
	t.Done = true
	return TaskView{t.ID, TaskInput{t.What}, t.Done}, framework.Save(c, t)
}

func main() {
	db, err := sqldb.Open("sqlite://"+filepath.Join(os.TempDir(), "trestle-tasks.db"), sqldb.Options{})
	if err != nil {
		log.Fatal(err)
	}
	api, err := tasks(db, slog.Default())
	if err != nil {
		log.Fatal(err)
	}
	handler, err := api.Handler()
	if err != nil {
		log.Fatal(err)
	}
	log.Println("http://localhost:8080/api/tasks/?done=false")
	log.Fatal(http.ListenAndServe("localhost:8080", handler)) //nolint:gosec // an example on loopback
}

// tasks makes the table and returns the API.
func tasks(db *sqldb.DB, log *slog.Logger) (*framework.API, error) {
	_, err := db.NewCreateTable().Model((*Task)(nil)).IfNotExists().Exec(context.Background())
	if err != nil {
		return nil, err
	}
	api := framework.New(framework.Config{DB: db, Pagination: page.Offset{Size: 50}, Log: log})
	api.Register(Tasks)
	return api, nil
}
