package program

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

// Misused is an error for a wrong call. It ends a command with exit code 2.
func Misused(format string, args ...any) error { return exit.Misused(format, args...) }

// NeedsAction is an error for a database that needs something done first. It ends a
// command with exit code 3.
func NeedsAction(format string, args ...any) error { return exit.NeedsAction(format, args...) }

// finish prints what went wrong, line by line, and returns the exit code.
func (p *program) finish(called *cobra.Command, err error) int {
	if err == nil {
		return exit.OK
	}
	if text := oneSentence(p.explained(err)); text != "" {
		p.Sayf("%s: %s", p.Name, strings.ReplaceAll(text, "\n", "\n"+p.Name+": "))
	}
	if !p.started {
		p.Sayf("Run %q for help.", called.CommandPath()+" --help")
		return exit.Usage
	}
	if _, ok := errors.AsType[*sqldb.MissingRecord](err); ok {
		return exit.ActionFirst
	}
	return exit.Code(err)
}

// oneSentence puts cobra's suggestions into the line of the mistake.
func oneSentence(text string) string {
	sentence, names, ok := strings.Cut(text, "\n\nDid you mean this?\n\t")
	if !ok {
		return text
	}
	return sentence + "; did you mean " + strings.ReplaceAll(strings.TrimSpace(names), "\n\t", " or ") + "?"
}

// noSubcommand refuses a word after a command that only holds others.
func noSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], cmd.CommandPath(), console.Suggest("", args[0], names))
}

// wrongFlag names the flag that was probably meant.
func wrongFlag(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return fmt.Errorf("%w%s", err, console.Suggest("--", unknown.GetSpecifiedName(), names))
}

// explained adds what helps to the faults of a database that a person at a
// terminal can do something about.
func (p Program) explained(err error) string {
	if missing, ok := errors.AsType[*sqldb.MissingRecord](err); ok {
		return missing.Error() + "; " + p.recordCure(missing)
	}
	fault, ok := sqldb.Classify(err)
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, sqldb.ErrPooled):
		return fmt.Sprintf(p.text("a pooler before the database gives a connection to each transaction; set {PROGRAM}_PREPARE=off (%v)"), err)
	case sqldb.IsReadOnly(err):
		return fmt.Sprintf("the database takes no writes; does DATABASE_URL name the primary, and is default_transaction_read_only off? (%v)", err)
	case ok && fault.Kind == sqldb.Unavailable:
		return fmt.Sprintf("the database cannot be reached; is it running, and is DATABASE_URL right? (%v)", err)
	case ok && fault.Kind == sqldb.Full:
		return fmt.Sprintf("the disk of the database is full (%v)", err)
	}
	return err.Error()
}
