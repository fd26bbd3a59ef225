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

// A Command is a command of the project's own, beside the built-in ones. It has the flags
// of the settings too. Its texts may say {program} for the name of the program and
// {PROGRAM}_ for what its variables begin with.
type Command struct {
	// Use is the name, in lower case, and what follows it: "overdue [--days N]".
	Use string

	// Short says in one line what the command does. Long and Example are further parts
	// of its help; both are optional.
	Short, Long, Example string

	// Args checks the words after the name. Without it there must be none.
	Args func(words []string) error

	// Flags adds the flags of the command alone. It is optional.
	Flags func(*pflag.FlagSet)

	// Run does the work. The migrations of the database are all applied: otherwise the
	// command ends with exit code 3. An error of Run ends the command with exit code 1,
	// one of [Misused] with 2, and one of [NeedsAction] with 3. When ctx ends, Run stops.
	Run func(ctx context.Context, in *Invocation) error
}

// An Invocation is what one run of a [Command] works with. Results go to Stdout,
// everything else to Stderr.
type Invocation struct {
	*Site

	API            *framework.API // with all services; its declarations are checked
	Flags          *pflag.FlagSet // parsed
	Args           []string       // the words after the name of the command
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

// mistake returns what is wrong with the declaration.
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
