package framework_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// The examples share a list of things to do.

type Task struct {
	bun.BaseModel `bun:"table:tasks"`

	ID      int64 `bun:",pk,autoincrement"`
	OwnerID uuid.UUID
	ListID  *int64
	Text    string
	Done    bool

	List *TaskList `bun:"rel:belongs-to,join:list_id=id"`
}

type TaskList struct {
	bun.BaseModel `bun:"table:lists"`

	ID      int64 `bun:",pk,autoincrement"`
	OwnerID uuid.UUID
	Name    string

	Tasks []*Task `bun:"rel:has-many,join:id=list_id"`
}

type TaskInput struct {
	Text string `json:"text" validate:"required,max=80"`
	Done bool   `json:"done"`
}

type TaskView struct {
	ID int64 `json:"id"`
	TaskInput
}

type ListInput struct {
	Name string `json:"name" validate:"required"`
}

type ListView struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// setup is the configuration of an example, over a SQLite file of its own.
func setup() (framework.Config, func()) {
	dir, err := os.MkdirTemp("", "example")
	must(err)
	db, err := sqldb.Open("sqlite://"+dir+"/example.db", sqldb.Options{})
	must(err)
	for _, table := range []string{
		"CREATE TABLE lists (id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id TEXT NOT NULL, name TEXT NOT NULL)",
		"CREATE TABLE tasks (id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id TEXT NOT NULL, list_id INTEGER REFERENCES lists (id), text TEXT NOT NULL UNIQUE, done BOOLEAN NOT NULL)",
		"CREATE TABLE memos (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL)",
		"CREATE TABLE labels (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE)",
		"CREATE TABLE memo_labels (memo_id INTEGER NOT NULL, label_id INTEGER NOT NULL, PRIMARY KEY (memo_id, label_id))",
	} {
		_, err = db.ExecContext(context.Background(), table)
		must(err)
	}
	c := config(db)
	c.Permission = framework.Anyone()
	return c, func() {
		must(db.Close())
		must(os.RemoveAll(dir))
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// serving registers resources and returns a function that sends a request: a line such as
// "POST /api/tasks/ as ada" and perhaps a body. It prints the status and the answer.
func serving(c framework.Config, resources ...framework.Resource) func(line string, body ...string) {
	api := framework.New(c)
	api.Register(resources...)
	handler, err := api.Handler()
	must(err)
	return func(line string, body ...string) {
		request, caller, known := strings.Cut(line, " as ")
		method, path, _ := strings.Cut(request, " ")
		r := httptest.NewRequest(method, path, strings.NewReader(strings.Join(body, "")))
		r.Header.Set("Content-Type", "application/json")
		if known {
			r.Header.Set("Authorization", "Name "+caller)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Fprintln(os.Stdout, strings.TrimSpace(fmt.Sprint(w.Code, " ", w.Body)))
	}
}
