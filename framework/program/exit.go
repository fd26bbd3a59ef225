package program

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/sqldb"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitNeedsAction = 3
)

// An exitError is an error that asks for an exit code of its own. Without a
// text everything was said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// Misused is an error for a wrong call. It ends a command with exit code 2.
func Misused(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// NeedsAction is an error for a database that needs something done first. It ends a
// command with exit code 3.
func NeedsAction(format string, args ...any) error {
	return &exitError{exitNeedsAction, fmt.Errorf(format, args...)}
}

// finish says what went wrong, line by line, and turns it into an exit code.
func (p *program) finish(called *cobra.Command, err error) int {
	if err == nil {
		return exitOK
	}
	if text := oneSentence(p.explained(err)); text != "" {
		p.sayf("%s: %s", p.Name, strings.ReplaceAll(text, "\n", "\n"+p.Name+": "))
	}
	if !p.started {
		p.sayf("Run %q for help.", called.CommandPath()+" --help")
		return exitUsage
	}
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit.code
	}
	return exitFailure
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
	return fmt.Errorf("unknown command %q for %q%s", args[0], cmd.CommandPath(), didYouMean("", args[0], names))
}

// wrongFlag names the flag that was probably meant.
func wrongFlag(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return fmt.Errorf("%w%s", err, didYouMean("--", unknown.GetSpecifiedName(), names))
}

// didYouMean ends a sentence with the known name that was probably meant.
func didYouMean(prefix, name string, known []string) string {
	meant := naming.Nearest(name, known)
	if meant == "" {
		return ""
	}
	return "; did you mean " + prefix + meant + "?"
}

// explained adds what helps to the faults of a database that a person at a
// terminal can do something about.
func (p Program) explained(err error) string {
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
