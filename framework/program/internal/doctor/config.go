package doctor

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
)

// NewConfigCommand returns the command config.
func NewConfigCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "config [--json] [flags]",
		Short: "Show every setting, where it comes from, and what is wrong with it",
		Long: `Config shows the value that each setting has here, whether a flag, a variable or
the default gave it, and what is wrong with it, as serve would see it. Keys are
not shown, nor the user and password of a URL. It does not touch the database.

The exit code is 2 if a setting is wrong.`,
		Example: `  {program} config
  {program} config --json | jq '.[] | select(.from != "default")'`,
	}, func(cmd *cobra.Command, args []string) error { return showConfig(run, cmd, args) })
	c.Flags().Bool("json", false, "print a JSON array")
	run.AddSettings(c.Flags(), true)
	return c
}

func showConfig(run *command.Run, cmd *cobra.Command, _ []string) error {
	shown, wrong := run.Table().Show(cmd.Flags(), run.Env, run.Err)
	if wrong == nil {
		wrong = requireMail(run, cmd, shown)
	}
	asJSON, _ := cmd.Flags().GetBool("json")
	write := writeSettings
	if asJSON {
		write = func(w io.Writer, shown []config.Shown) error { return console.WriteJSON(w, shown) }
	}
	if err := write(run.Out, shown); err != nil {
		return err
	}
	if wrong != nil {
		return exit.Misused("%w", wrong)
	}
	return nil
}

// requireMail returns an error if the service sends mails in production without a mail server, and
// adds it to the setting of the server. The table of settings does not know what a service sends.
func requireMail(run *command.Run, cmd *cobra.Command, shown []config.Shown) error {
	c, err := run.Table().Read(cmd.Flags(), run.Env)
	if err == nil {
		err = run.RequireMail(c, slog.New(slog.DiscardHandler))
	}
	if err == nil {
		return nil
	}
	for i := range shown {
		if shown[i].Setting == run.Text("{PROGRAM}_SMTP_URL") {
			shown[i].Wrong = err.Error()
		}
	}
	return err
}

func writeSettings(w io.Writer, shown []config.Shown) error {
	table := console.NewTable(w)
	fmt.Fprintln(table, "SETTING\tVALUE\tFROM")
	for _, s := range shown {
		from := s.From
		if s.Wrong != "" {
			from += " (wrong)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Setting, s.Value, from)
	}
	return table.Flush()
}
