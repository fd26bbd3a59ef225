package framework_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/files"
)

// A Letter has its text as a file.
type Letter struct {
	bun.BaseModel `bun:"table:letters"`

	ID        int64 `bun:",pk,autoincrement"`
	Addressee string
	Text      files.File
}

type LetterInput struct {
	Addressee string `json:"addressee" validate:"required"`
}

type LetterView struct {
	ID int64 `json:"id"`
	LetterInput
	Text files.File `json:"text"`
}

// A file of each row is uploaded, shown in views, read and deleted.
func ExampleFileField() {
	c, done := setup()
	defer done()
	_, err := c.DB.Exec("CREATE TABLE letters (id INTEGER PRIMARY KEY AUTOINCREMENT, addressee TEXT NOT NULL, text TEXT)")
	must(err)
	folder, err := os.MkdirTemp("", "files")
	must(err)
	defer os.RemoveAll(folder)
	storage, err := files.OpenDisk(folder)
	must(err)
	defer storage.Close()

	api := framework.New(c)
	api.Register(framework.ViewSet[Letter]{
		Name:  "letters",
		Verbs: framework.CRUD[LetterInput, LetterView](),
		Scope: framework.Public(),
		Files: []framework.FileField[Letter]{{
			Name:     "text",
			Field:    func(l *Letter) *files.File { return &l.Text },
			Storage:  storage,
			MaxBytes: 100,
			Types:    []string{"text/plain"},
		}},
	})
	handler, err := api.Handler()
	must(err)
	send := func(method, path, kind, body string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Println(strings.TrimSpace(fmt.Sprint(w.Code, " ", w.Body)))
	}
	send("POST", "/api/letters/", "application/json", `{"addressee": "Bob"}`)
	send("PUT", "/api/letters/1/text/", "text/plain", "Dear Bob")
	send("GET", "/api/letters/1/", "", "")
	send("GET", "/api/letters/1/text/", "", "")
	send("DELETE", "/api/letters/1/text/", "", "")
	send("GET", "/api/letters/1/", "", "")
	// Output:
	// 201 {"id":1,"addressee":"Bob","text":null}
	// 200 {"name":"text.txt","type":"text/plain","size":8,"url":"/api/letters/1/text/"}
	// 200 {"id":1,"addressee":"Bob","text":{"name":"text.txt","type":"text/plain","size":8,"url":"/api/letters/1/text/"}}
	// 200 Dear Bob
	// 204
	// 200 {"id":1,"addressee":"Bob","text":null}
}
