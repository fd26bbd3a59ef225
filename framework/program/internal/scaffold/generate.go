package scaffold

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/program/internal/migrationfile"
)

// migrationFolder is the folder of a project's migrations.
const migrationFolder = "migrations"

// NewGenerateCommand returns the command generate.
func NewGenerateCommand(run *command.Run) *cobra.Command {
	return command.NewGroup("generate", "Add source code to a project", newResourceCommand(run))
}

func newResourceCommand(run *command.Run) *cobra.Command {
	return run.New(cobra.Command{
		Use:   "resource NAME FIELD:TYPE...",
		Short: "Add a resource to the project: model, viewset, migration, tests",
		Long: `Resource adds a resource to the project in the working directory, which the
command new has written: a Go file with the model, the shapes and the viewset, its
tests, and a migration with the next number. It adds the resource to the list in
resources.go. Each user has rows of their own; change Scope to share them.

NAME is a noun in lower case, such as book or book_review. The types are:

  string   one line of at most 200 characters; it is searched and ordered
  text     several lines, at most 10,000 characters; it is searched
  int      a whole number, with a filter for a range
  decimal  a number with two places: 99.50, with a filter for a range
  bool     true or false, with a filter
  date     a day: 2026-11-26, with a filter for a range
  time     a point in time, with a filter for a range
  uuid     an id, with a filter
  ref:NAME a row of another resource of the project, with a foreign key and a filter

A field is required unless a question mark follows its type: due:date?.

All files are written or none. An existing file is never overwritten.`,
		Example: `  {program} generate resource book title:string pages:int published:date?
  {program} generate resource review book:ref:books stars:int text:text?`,
		Args: takeName,
	}, func(_ *cobra.Command, args []string) error { return generateResource(run, args[0], args[1:]) })
}

func takeName(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("name the resource and its fields, such as: book title:string pages:int")
	}
	return nil
}

// generateResource checks everything, and then writes the files.
func generateResource(run *command.Run, name string, fields []string) error {
	root, err := os.OpenRoot(".")
	if err != nil {
		return err
	}
	defer root.Close()
	into, err := readSource(root.FS())
	if err != nil {
		return err
	}
	made, err := newResource(name, fields, into)
	if err != nil {
		return exit.Misused("%w", err)
	}
	files, err := made.changes(root)
	if err != nil {
		return err
	}
	if err := writeAll(root, files); err != nil {
		return err
	}
	for _, f := range files {
		if err := run.Print(f.name); err != nil {
			return err
		}
	}
	run.Sayf("Next:\n  go test ./...\n  go run . serve --migrate")
	return nil
}

// changes returns the files of the resource, and the list with the resource.
func (r resource) changes(root *os.Root) ([]file, error) {
	content, err := fs.ReadFile(root.FS(), registryFile)
	if err != nil {
		return nil, err
	}
	list, err := register(content, r.ViewSet())
	if err != nil {
		return nil, exit.Misused("%w", err)
	}
	last, err := migrationfile.LastID(root.FS(), migrationFolder)
	if err != nil {
		return nil, err
	}
	files, err := r.files(last + 1)
	return append(files, file{name: registryFile, content: list, replaces: true}), err
}
