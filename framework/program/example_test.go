package program_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
		Register:   func(api *framework.API, site *program.Site) { api.Register(site.Identity.ViewSet(), notes) },
	}
	program.Run(context.Background(), p, []string{"check"}, os.Environ(), strings.NewReader(""), os.Stdout, os.Stderr)
	// Output: ok: 19 routes
}

// keepDays is a setting of the project's own: the flag --keep-days, the variable
// JOURNAL_KEEP_DAYS, or 30.
var keepDays = program.Setting[int]{
	Name:    "keep-days",
	Default: "30",
	Usage:   "`number` of days for which a note is kept",
	Read:    program.Number(1, 365),
}

// prune is a command of the project's own.
func prune(_ context.Context, in *program.Invocation) error {
	_, err := fmt.Fprintf(in.Stdout, "notes are kept for %d days\n", keepDays.Of(in.Site))
	return err // in.DB would delete the older ones
}

// A project adds settings and commands of its own. They look like the built-in ones: a
// wrong value of a setting ends every command with a sentence.
func Example_ownSettingsAndCommands() {
	p := program.Program{
		Name:     "journal",
		Register: func(api *framework.API, site *program.Site) { api.Register(site.Identity.ViewSet()) },
		Settings: []program.AnySetting{keepDays},
		Commands: []program.Command{{Use: "prune", Short: "Delete old notes", Run: prune}},
	}
	folder, err := os.MkdirTemp("", "journal")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	run := func(said io.Writer, command string, env ...string) {
		env = append(env, "DATABASE_URL=sqlite://"+filepath.ToSlash(filepath.Join(folder, "journal.db")))
		program.Run(context.Background(), p, strings.Fields(command), env, strings.NewReader(""), os.Stdout, said)
	}
	run(io.Discard, "migrate up")
	run(os.Stdout, "prune")
	run(os.Stdout, "prune --keep-days 7")
	run(os.Stdout, "prune", "JOURNAL_KEEP_DAYS=0")
	// Output:
	// notes are kept for 30 days
	// notes are kept for 7 days
	// journal: JOURNAL_KEEP_DAYS is "0": it must be a whole number from 1 to 365; for example JOURNAL_KEEP_DAYS=30
}
