package contract_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest/contract"
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

type TaskInput struct {
	What string `json:"what" validate:"required,max=200"`
}

type TaskView struct {
	ID   uuid.UUID `json:"id"`
	What string    `json:"what"`
	Done bool      `json:"done"`
}

// finish refuses by a code that nobody told the reference of: the action lacks
// Refuses("done_before").
func finish(c *framework.Call, t *Task, _ framework.None) (TaskView, error) {
	if t.Done {
		return TaskView{}, framework.Conflict("done_before", "The task is done already.")
	}
	t.Done = true
	return TaskView{t.ID, t.What, t.Done}, framework.Save(c, t)
}

// All that the tests of an API send is held against its own reference, and an
// attack sends what the reference says can be sent.
func Example() {
	api, done := tasks(framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Actions: []framework.Action[Task]{framework.Post("finish", finish)},
	})
	defer done()
	handler, err := api.Handler()
	check(err)
	document, err := api.Document("json")
	check(err)
	promised, err := contract.New(document)
	check(err)

	t := printer{} // a test's own *testing.T
	server := httptest.NewServer(promised.Wrap(t, handler))
	defer server.Close()
	tally := contract.Attack{Contract: promised, URL: server.URL, Seed: 1, Requests: 700}.Run(t)
	fmt.Println("finished:", tally.Statuses["finishTask"][200] > 0)
	// Output:
	// POST /api/tasks/{id}/finish/ (finishTask) is answered 409, and that status is not described
	// finished: true
}

// tasks is an API over a database of its own, with a log of its own: one line
// for each request of an attack would bury what is found.
func tasks(v framework.ViewSet[Task]) (api *framework.API, done func()) {
	dir, err := os.MkdirTemp("", "")
	check(err)
	db, err := sqldb.Open("sqlite://"+filepath.ToSlash(filepath.Join(dir, "tasks.db")), sqldb.Options{})
	check(err)
	_, err = db.NewCreateTable().Model((*Task)(nil)).Exec(context.Background())
	check(err)
	api = framework.New(framework.Config{DB: db, Permission: framework.Anyone(), Pagination: page.Number{Size: 20}, Log: slog.New(slog.DiscardHandler)})
	api.Register(v)
	return api, func() {
		check(db.Close())
		check(os.RemoveAll(dir))
	}
}

// A printer stands for a test in an example: it prints the first words of what
// fails.
type printer struct{ testing.TB }

func (printer) Helper()                  {}
func (printer) Context() context.Context { return context.Background() }

func (printer) Error(args ...any) {
	found, _, _ := strings.Cut(fmt.Sprint(args...), ";")
	fmt.Println(found)
}

func (p printer) Errorf(format string, args ...any) { p.Error(fmt.Sprintf(format, args...)) }

func check(err error) {
	if err != nil {
		panic(err)
	}
}
