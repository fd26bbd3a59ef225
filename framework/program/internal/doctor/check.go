package doctor

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

// NewCheckCommand returns the command check.
func NewCheckCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "check [flags]",
		Short: "Check settings and declarations",
		Long: `Check reads every setting, binds every declaration, as serve does before it
listens, and reads the files of the migrations. It reports all mistakes in settings
and declarations, and the first one in migrations. It does not touch the database, unless the flag
--database names one: then it also checks that no migration is pending there, and
that each table and column of the declarations exists. It changes nothing. If
something is missing, the exit code is 3. DATABASE_URL is read but not connected to.`,
		Example: `  {program} check
  {program} check --database "$DATABASE_URL"`,
	}, func(cmd *cobra.Command, args []string) error { return runCheck(run, cmd, args) })
	run.AddSettings(c.Flags(), true)
	return c
}

func runCheck(run *command.Run, cmd *cobra.Command, _ []string) error {
	c, log, err := run.Settings(cmd.Flags())
	_, wrong := c.ReadSecrets(log)
	if err := errors.Join(err, wrong, c.RequireHosts()); err != nil {
		return err
	}
	if err := run.RequireMail(c, log); err != nil {
		return err
	}
	api, err := run.Declare(c, log)
	if err != nil {
		return err
	}
	if err := sqldb.CheckMigrations(run.Migrations...); err != nil {
		return err
	}
	if cmd.Flags().Changed("database") {
		bar := run.StartBar("Comparing")
		err := checkSchema(run, cmd, c, log)
		bar.End()
		if err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(run.Out, "ok: %d routes\n", len(api.Routes()))
	return err
}

// checkSchema compares the database with the declarations, as serve does.
func checkSchema(run *command.Run, cmd *cobra.Command, c config.Config, log *slog.Logger) error {
	e := &examination{Project: run.Project, Config: c, log: log}
	s, err := e.openExisting()
	if err != nil {
		return err
	}
	if s == nil {
		f := e.Checks[0].Findings[0]
		return exit.NeedsAction("%s: %s; %s", f.Where, f.What, f.Fix)
	}
	defer s.Close()
	apis, err := s.APIs()
	if err != nil {
		return err
	}
	return s.RequireSchema(cmd.Context(), apis...)
}
