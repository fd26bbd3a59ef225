package program_test

import (
	"context"
	"os"
	"strings"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/program"
	"trestle.example/framework/sqldb"
)

type Note struct {
	bun.BaseModel `bun:"table:notes"`

	ID   uuid.UUID `bun:",pk"`
	Text string
}

type NoteInput struct {
	Text string `json:"text" validate:"required,max=1000"`
}

type NoteView struct {
	ID uuid.UUID `json:"id"`
	NoteInput
}

var notes = framework.ViewSet[Note]{
	Name:  "notes",
	Verbs: framework.CRUD[NoteInput, NoteView](),
	Scope: framework.Public(),
}

// The program of a project names its resources, and the migrations of their tables. A
// main function ends with program.Main(p); here one command runs.
func Example() {
	tables := fstest.MapFS{
		"0001_notes.tx.up.sql":   {Data: []byte("CREATE TABLE notes (id {{uuid}} PRIMARY KEY, text {{text}} NOT NULL);")},
		"0001_notes.tx.down.sql": {Data: []byte("DROP TABLE notes;")},
	} // embedded files, in a project
	p := program.Program{
		Migrations: []sqldb.Migrations{framework.Migrations(), auth.Migrations(), {Namespace: "notes", FS: tables}},
		Register:   func(api *framework.API, identity *auth.Service) { api.Register(identity.ViewSet(), notes) },
	}
	program.Run(context.Background(), p, []string{"check"}, os.Environ(), strings.NewReader(""), os.Stdout, os.Stderr)
	// Output: ok: 19 routes
}
