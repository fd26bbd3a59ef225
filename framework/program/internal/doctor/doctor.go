// Package doctor has the commands that report what is wrong with the settings, the
// declarations and the database: check, config and doctor.
package doctor

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/program/internal/migrationfile"
	"trestle.example/framework/program/internal/site"
)

// NewDoctorCommand returns the command doctor.
func NewDoctorCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "doctor [--json] [--migration NAME] [flags]",
		Short: "Report problems of the database and the deployment",
		Long: `Doctor checks what the command check cannot: whether the database answers, the
connection to it, its migrations, the tables, columns and indexes that the
declarations need, its search documents, its file and its clock. It also checks
valid settings that may be unsafe: keys, proxies, hosts and Redis. It reports for
each finding what is wrong, where, and what to do, and changes nothing. The command
check reports wrong settings.

With --migration it also writes the indexes that are missing as the two files of
a migration, as migrate new does. A migration is one transaction, in which
PostgreSQL cannot CREATE INDEX CONCURRENTLY: the files contain instructions for a
large table. A viewset lists fields that need no index by Unindexed.

The exit code is 1 if there is a problem, and 0 if there are only warnings.`,
		Example: `  {program} doctor
  {program} doctor --migration add_missing_indexes`,
	}, func(cmd *cobra.Command, args []string) error { return runDoctor(run, cmd, args) })
	c.Flags().Bool("json", false, "print a JSON object")
	c.Flags().String("migration", "", "`name` of a migration to write, of the indexes that are missing")
	c.Flags().String("dir", "migrations", "`folder` of the application's migrations")
	run.AddSettings(c.Flags(), true)
	return c
}

// An examination is one run of doctor.
type examination struct {
	site.Project
	config.Config
	report

	log *slog.Logger
}

func runDoctor(run *command.Run, cmd *cobra.Command, _ []string) error {
	name, _ := cmd.Flags().GetString("migration")
	if err := migrationfile.CheckName(name); err != nil && cmd.Flags().Changed("migration") {
		return exit.Misused("--migration %q: %w", name, err)
	}
	c, log, err := run.Settings(cmd.Flags())
	if err != nil {
		return err
	}
	e := &examination{Project: run.Project, Config: c, log: log}
	bar := run.StartBar("Examining")
	missing, err := e.examine(cmd.Context())
	bar.End()
	if err != nil {
		return err
	}
	if name != "" {
		dir, _ := cmd.Flags().GetString("dir")
		if e.Migration, err = writeIndexes(run, dir, name, missing); err != nil {
			return err
		}
	}
	asJSON, _ := cmd.Flags().GetBool("json")
	if err := e.write(run.Out, asJSON); err != nil {
		return err
	}
	if !e.Healthy {
		return &exit.Error{Code: exit.Failure}
	}
	return nil
}

// writeIndexes writes a migration of the missing indexes, if there are any.
func writeIndexes(run *command.Run, dir, name string, missing []framework.IndexNeed) ([]string, error) {
	if len(missing) == 0 {
		run.Sayf("No index is known to be missing, so no migration was written.")
		return nil, nil
	}
	up, down := formatIndexes(missing)
	return migrationfile.Write(dir, name, time.Now(), up, down)
}

// examine makes all checks, and returns the missing indexes. If the database cannot be opened
// or does not answer, it leaves out the checks of the database.
func (e *examination) examine(ctx context.Context) (missing []framework.IndexNeed, err error) {
	s, err := e.openExisting()
	if err != nil {
		return nil, err
	}
	if s != nil {
		defer s.Close()
		if missing, err = e.examineDatabase(ctx, s); err != nil {
			return nil, err
		}
		e.examineClock(ctx, s.DB, time.Now)
	}
	e.examineSettings(ctx)
	return missing, nil
}

// openExisting opens the site for reading. If the file of a SQLite database does not exist or
// cannot be opened, it returns nil without an error, and a check has the finding.
func (e *examination) openExisting() (*site.Site, error) {
	if there := e.checkFile(); !there {
		return nil, nil
	}
	e.ReadOnly = true
	return e.Project.Open(e.Config, e.IdentityConfig(e.log), e.log)
}
