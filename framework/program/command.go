package program

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/site"
)

// A Command is a command of the project's own, beside the built-in ones. It also has the
// flags of the settings, except those that only a server uses. In Short, Long and Example,
// {program} stands for the name of the program, and {PROGRAM}_ for the beginning of the
// names of its variables.
type Command struct {
	// Use is the name in lower case and the arguments: "overdue [--days N]".
	Use string

	// Short describes the command in one line. Long and Example are further parts of its
	// help; both are optional.
	Short, Long, Example string

	// Args checks the arguments. Without it the command accepts no arguments.
	Args func(words []string) error

	// Flags adds the flags of the command alone. It is optional.
	Flags func(*pflag.FlagSet)

	// Run does the work. If the SQLite file does not exist or a migration is pending, Run is
	// not called and the command ends with exit code 3. An error of Run ends the command with
	// exit code 1, an error of [Misused] with 2, and an error of [NeedsAction] with 3. Run
	// must return when ctx ends.
	Run func(ctx context.Context, in *Invocation) error
}

// An Invocation has the values of one run of a [Command]. Results go to Stdout, everything
// else to Stderr.
type Invocation struct {
	*Site

	API            *framework.API // with all services; its declarations are checked
	Flags          *pflag.FlagSet // parsed
	Args           []string       // the arguments
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// newOwnCommand returns a command of the project's own.
func newOwnCommand(run *command.Run, own Command) *cobra.Command {
	c := run.New(cobra.Command{Use: own.Use, Short: own.Short, Long: own.Long, Example: own.Example}, func(cmd *cobra.Command, args []string) error {
		return run.WithMigrated(cmd.Context(), cmd.Flags(), func(s *site.Site) error {
			api := s.API()
			if err := api.Check(); err != nil {
				return err
			}
			return own.Run(cmd.Context(), &Invocation{
				Site: newSite(s), API: api, Flags: cmd.Flags(), Args: args, Stdin: run.In, Stdout: run.Out, Stderr: run.Err,
			})
		})
	})
	if own.Args != nil {
		c.Args = func(_ *cobra.Command, args []string) error { return own.Args(args) }
	}
	if own.Flags != nil {
		own.Flags(c.Flags())
	}
	run.AddSettings(c.Flags(), false)
	return c
}

// name returns the name of the command.
func (c Command) name() string {
	name, _, _ := strings.Cut(c.Use, " ")
	return name
}

// mistake returns the first mistake in the declaration, or nil.
func (c Command) mistake() error {
	switch {
	case !rightName.MatchString(c.name()):
		return errors.New("its name must be lower-case letters, digits and hyphens, and begin with a letter")
	case c.Short == "":
		return errors.New("it needs a Short, which says in one line what it does")
	case c.Run == nil:
		return errors.New("it needs a function Run")
	}
	return nil
}
