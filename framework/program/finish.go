package program

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

// Misused returns an error for a wrong call. It ends a command with exit code 2.
func Misused(format string, args ...any) error { return exit.Misused(format, args...) }

// NeedsAction returns an error for a database that needs an action first, such as a
// migration. It ends a command with exit code 3.
func NeedsAction(format string, args ...any) error { return exit.NeedsAction(format, args...) }

// finish prints the error, with the name of the program before each line, and returns the
// exit code. Without an error it prints nothing and returns 0. If the command had not
// started, it also prints how to get help and returns 2. For a [sqldb.MissingRecordError]
// and a [sqldb.OtherVersionError] it returns 3.
func finish(run *command.Run, called *cobra.Command, err error) int {
	if err == nil {
		return exit.OK
	}
	if text := oneSentence(run.Explain(err)); text != "" {
		run.Sayf("%s: %s", run.Name, strings.ReplaceAll(text, "\n", fmt.Sprintf("\n%s: ", run.Name)))
	}
	if !run.Started {
		run.Sayf("Run %q for help.", called.CommandPath()+" --help")
		return exit.Usage
	}
	_, incomplete := errors.AsType[*sqldb.MissingRecordError](err)
	_, other := errors.AsType[*sqldb.OtherVersionError](err)
	if incomplete || other {
		return exit.ActionFirst
	}
	return exit.Code(err)
}

// oneSentence puts the suggestions of cobra into the line of the error.
func oneSentence(text string) string {
	sentence, names, ok := strings.Cut(text, "\n\nDid you mean this?\n\t")
	if !ok {
		return text
	}
	return sentence + "; did you mean " + strings.ReplaceAll(strings.TrimSpace(names), "\n\t", " or ") + "?"
}

// wrongFlag returns the error to print for a wrong flag. If a long flag is unknown, it adds
// the nearest known flag. If a duration is invalid, the new error says how a duration is
// written. It returns any other error unchanged.
func wrongFlag(cmd *cobra.Command, err error) error {
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok && wrong.GetFlag().Value.Type() == "duration" {
		return fmt.Errorf("--%s must be a time with its unit (ms, s, m, h), such as 90s or 24h, not %q", wrong.GetFlag().Name, wrong.GetValue())
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return fmt.Errorf("%w%s", err, console.Suggest("--", unknown.GetSpecifiedName(), names))
}
