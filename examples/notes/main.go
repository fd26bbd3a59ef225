// Notes is the least that makes a resource: one model, what clients write and
// see of it, and a viewset. Try it:
//
//	go run ./examples/notes
//	curl -d '{"title":"milk"}' -H 'Content-Type: application/json' localhost:8080/api/notes/
//	curl 'localhost:8080/api/notes/?search=mil&ordering=-created_at'
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// A Note is one row.
type Note struct {
	bun.BaseModel `bun:"table:notes"`

	ID        uuid.UUID `bun:",pk"`
	Title     string
	CreatedAt time.Time
}

// NoteInput is what clients write.
type NoteInput struct {
	Title string `json:"title" validate:"required,line,max=200"`
}

// NoteView is what clients see.
type NoteView struct {
	ID uuid.UUID `json:"id"`
	NoteInput
	CreatedAt time.Time `json:"created_at"`
}

// Notes serves /api/notes/ to anyone.
var Notes = framework.ViewSet[Note]{
	Name:       "notes",
	Verbs:      framework.CRUD[NoteInput, NoteView](),
	Scope:      framework.Public(),
	Permission: framework.Anyone(),
	Search:     framework.Search{Fields: []string{"title"}},
	Ordering:   framework.Ordering{Allowed: []string{"title", "created_at"}, Default: "-created_at"},
}

func main() {
	handler, err := serve(filepath.Join(os.TempDir(), "trestle-notes.db"))
	if err != nil {
		log.Fatal(err)
	}
	log.Println("http://localhost:8080/api/notes/")
	server := &http.Server{Addr: "localhost:8080", Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// serve opens the database and returns the API.
func serve(file string) (http.Handler, error) {
	db, err := sqldb.Open("sqlite://"+file, sqldb.Options{})
	if err != nil {
		return nil, err
	}
	if _, err := db.NewCreateTable().Model((*Note)(nil)).IfNotExists().Exec(context.Background()); err != nil {
		return nil, err
	}
	api := framework.New(framework.Config{DB: db, Pagination: page.Number{Size: 20}})
	api.Register(Notes)
	return api.Handler()
}
