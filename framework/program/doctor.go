package program

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/exit"
)

func (p *program) doctorCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "doctor [--json] [--migration NAME] [flags]",
		Short: "Look for what is wrong with the database and the deployment",
		Long: `Doctor looks at what check cannot see: whether the database answers, how it is
reached, its migrations, the tables, columns and indexes that the declarations
need, its search documents, its file and its clock; and at what a right setting may still leave
open: keys, proxies, hosts, Redis. It says of each finding what is wrong, where,
and what to do, and changes nothing. What is a mistake in a setting it leaves to
check.

With --migration it also writes the indexes that are missing as the two files of
a migration, as migrate new does. A migration is one transaction, in which
PostgreSQL cannot CREATE INDEX CONCURRENTLY: the files say what to do for a large
table. A viewset may say by Unindexed that it needs no index for a field.

The exit code is 1 if there is a problem, and 0 if there are only warnings.`,
		Example: `  {program} doctor
  {program} doctor --migration add_missing_indexes`,
	}, p.doctor)
	c.Flags().Bool("json", false, "print a JSON object")
	c.Flags().String("migration", "", "`name` of a migration to write, of the indexes that are missing")
	c.Flags().String("dir", "migrations", "`folder` of the application's migrations")
	p.addSettings(c.Flags(), true)
	return c
}

// An examination is one run of doctor.
type examination struct {
	Program
	config.Config
	report

	log *slog.Logger
}

func (p *program) doctor(cmd *cobra.Command, _ []string) error {
	name, _ := cmd.Flags().GetString("migration")
	if cmd.Flags().Changed("migration") && !migrationName.MatchString(name) {
		return exit.Misused("--migration %q: %w", name, errMigrationName)
	}
	c, log, err := p.settings(cmd.Flags())
	if err != nil {
		return err
	}
	e := &examination{Program: p.Program, Config: c, log: log}
	bar := p.StartBar("Examining")
	missing, err := e.examine(cmd.Context())
	bar.End()
	if err != nil {
		return err
	}
	if name != "" {
		dir, _ := cmd.Flags().GetString("dir")
		if e.Migration, err = p.writeIndexes(dir, name, missing); err != nil {
			return err
		}
	}
	asJSON, _ := cmd.Flags().GetBool("json")
	if err := e.write(p.Out, asJSON); err != nil {
		return err
	}
	if !e.Healthy {
		return &exit.Error{Code: exit.Failure}
	}
	return nil
}

// writeIndexes writes a migration of what is missing, if anything is.
func (p *program) writeIndexes(dir, name string, missing []framework.IndexNeed) ([]string, error) {
	if len(missing) == 0 {
		p.Sayf("No index is known to be missing, so no migration was written.")
		return nil, nil
	}
	up, down := indexScripts(missing)
	return writeMigration(dir, name, time.Now(), up, down)
}

// examine makes all checks. Those of a database that cannot be asked are left
// out.
func (e *examination) examine(ctx context.Context) (missing []framework.IndexNeed, err error) {
	s, err := e.openExisting()
	if err != nil {
		return nil, err
	}
	if s != nil {
		defer s.close()
		if missing, err = e.examineDatabase(ctx, s); err != nil {
			return nil, err
		}
		e.examineClock(ctx, s.db, time.Now)
	}
	e.examineSettings(ctx)
	return missing, nil
}

// openExisting is the site, or nil where its database is a file that is not
// there: it would be made.
func (e *examination) openExisting() (*site, error) {
	if there := e.checkFile(); !there {
		return nil, nil
	}
	e.ReadOnly = true
	return e.Program.open(e.Config, e.IdentityConfig(e.log), e.log)
}
