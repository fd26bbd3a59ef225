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

// finish returns an error with a code that the OpenAPI document lacks: the action has no
// Refuses("done_before").
func finish(c *framework.Call, t *Task, _ framework.None) (TaskView, error) {
	if t.Done {
		return TaskView{}, framework.Conflict("done_before", "The task is done already.")
	}
	t.Done = true
	return TaskView{t.ID, t.What, t.Done}, framework.Save(c, t)
}

// The contract checks all requests of a test against the OpenAPI document of the API, and
// an attack sends requests that the document allows.
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

	t := printer{} // the *testing.T of a test
	server := httptest.NewServer(promised.Wrap(t, handler))
	defer server.Close()
	tally := contract.Attack{Contract: promised, URL: server.URL, Seed: 1, Requests: 700}.Run(t)
	fmt.Println("finished:", tally.Statuses["finishTask"][200] > 0)
	// Output:
	// POST /api/tasks/{id}/finish/ (finishTask) is answered 409, and that status is not described
	// finished: true
}

// tasks is an API over a database of its own, with a log of its own: one line for each
// request of an attack would hide the findings.
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

// A printer replaces a test in an example: it prints the first words of each failure.
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
