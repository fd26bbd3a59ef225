// Package schema has the commands that change the schema and the search documents of a
// database: migrate and reindex.
package schema

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/program/internal/site"
	"trestle.example/framework/sqldb"
)

// NewMigrateCommand returns the command migrate.
func NewMigrateCommand(run *command.Run) *cobra.Command {
	return command.NewGroup("migrate", "Change the database's schema",
		newMigrateUpCommand(run), newMigrateDownCommand(run), newMigrateStatusCommand(run), newMigrateNewCommand(run))
}

func newMigrateUpCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "up [flags]",
		Short: "Apply every pending migration",
		Long: `Up applies every pending migration, each in one transaction, and stops at the
first that fails. Any number of processes may do so at once.`,
	}, func(cmd *cobra.Command, _ []string) error {
		return run.WithNew(cmd.Context(), cmd.Flags(), func(s *site.Site) error { return MigrateUp(cmd.Context(), run, s) })
	})
	run.AddSettings(c.Flags(), false)
	return c
}

// MigrateUp applies the pending migrations and reports them.
func MigrateUp(ctx context.Context, run *command.Run, s *site.Site) error {
	bar := run.StartBar("Migrating")
	stop := reportWait(ctx, bar, s)
	n, pending := 0, countPending(ctx, run, s)
	err := s.DB.Migrate(ctx, func(m sqldb.Migration, took time.Duration) {
		n++
		bar.Sayf("Applied %s in %s.", m, took.Round(time.Millisecond))
		if n <= pending {
			bar.Show(n, pending)
		}
	}, run.Migrations...)
	stop()
	bar.End()
	if err == nil && n == 0 {
		run.Sayf("The database's schema is up to date.")
	}
	return err
}

// firstWait is how long a migration waits before the wait is reported.
const firstWait = time.Second

// countPending counts the pending migrations. It returns 0 if they cannot be read in a second.
// [sqldb.DB.Migrate] then returns the error, if there is one.
func countPending(ctx context.Context, run *command.Run, s *site.Site) int {
	ctx, cancel := context.WithTimeout(ctx, firstWait)
	defer cancel()
	list, err := s.DB.MigrationStatus(ctx, run.Migrations...)
	if err != nil {
		return 0
	}
	return len(site.PendingNames(list))
}

// reportWait reports, until stop is called, that a migration waits for another process, for
// which process, and how to go on. It reports it once.
func reportWait(ctx context.Context, bar *console.Bar, s *site.Site) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(firstWait)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if wait, waits, err := s.DB.MigrationWait(ctx); err == nil && waits {
				bar.Sayf("%s", describeWait(wait))
				return
			}
		}
	}()
	return func() { cancel(); <-ended }
}

func describeWait(wait sqldb.MigrationWait) string {
	if wait.Holder == 0 {
		return "Waiting for another process that writes to the database."
	}
	text := fmt.Sprintf("Waiting for a lock that the server's process %d holds", wait.Holder)
	if wait.Application != "" {
		text += fmt.Sprintf(" (application_name %q)", wait.Application)
	}
	if !wait.Since.IsZero() {
		text += " since " + wait.Since.UTC().Format(time.RFC3339)
	}
	return text + fmt.Sprintf(". To go on: wait for its transaction; if it is stuck: SELECT pg_terminate_backend(%d);", wait.Holder)
}

func newMigrateDownCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "down [--yes] [flags]",
		Short: "Undo the newest applied migration, and lose its data",
		Long: `Down undoes the newest applied migration. Its tables and columns are
dropped with their content, so the command requires confirmation. Without a terminal
that is --yes.`,
	}, func(cmd *cobra.Command, _ []string) error {
		yes, _ := cmd.Flags().GetBool("yes")
		if !run.AtTerminal() && !yes {
			return exit.Misused("this cannot be undone, and without a terminal there is no confirmation; add --yes to go on")
		}
		return run.With(cmd.Context(), cmd.Flags(), func(s *site.Site) error { return migrateDown(cmd.Context(), run, s, yes) })
	})
	c.Flags().Bool("yes", false, "do not ask for confirmation")
	run.AddSettings(c.Flags(), false)
	return c
}

func migrateDown(ctx context.Context, run *command.Run, s *site.Site, yes bool) error {
	newest, err := s.DB.NewestMigration(ctx, run.Migrations...)
	if err != nil {
		return err
	}
	if newest.AppliedAt.IsZero() {
		run.Sayf("No migration was applied; there is nothing to undo.")
		return nil
	}
	if !yes {
		yes, err = run.Confirm(ctx, fmt.Sprintf("Undo %s, applied %s, and lose its data?", newest, console.Minute(&newest.AppliedAt)))
		if err != nil || !yes {
			run.Sayf("Nothing was changed.")
			return err
		}
	}
	bar := run.StartBar("Undoing")
	stop := reportWait(ctx, bar, s)
	err = s.DB.UndoMigration(ctx, newest, run.Migrations...)
	stop()
	bar.End()
	if err == nil {
		run.Sayf("Undid %s.", newest)
	}
	return err
}

func newMigrateStatusCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "status [--json] [flags]",
		Short: "List the migrations; exit code 3 if any is pending",
	}, func(cmd *cobra.Command, _ []string) error {
		return run.With(cmd.Context(), cmd.Flags(), func(s *site.Site) error { return migrateStatus(cmd.Context(), run, s, command.WantsJSON(cmd)) })
	})
	command.AddJSON(c)
	run.AddSettings(c.Flags(), false)
	return c
}

func migrateStatus(ctx context.Context, run *command.Run, s *site.Site, inJSON bool) error {
	list, err := s.DB.MigrationStatus(ctx, run.Migrations...)
	if err != nil && len(list) == 0 {
		return err
	}
	write := func() error { return writeMigrations(run.Out, list) }
	if inJSON {
		write = func() error { return console.WriteJSON(run.Out, console.Map(list, newMigrationLine)) }
	}
	if written := write(); written != nil || err != nil {
		return errors.Join(err, written)
	}
	return s.RequireMigrated(ctx)
}

func writeMigrations(w io.Writer, list []sqldb.Migration) error {
	table := console.NewTable(w)
	fmt.Fprintln(table, "MIGRATION\tAPPLIED")
	for _, m := range list {
		state := "pending"
		if !m.AppliedAt.IsZero() {
			state = console.Minute(&m.AppliedAt)
		}
		if m.Changed {
			state += ", its file was changed since"
		}
		if m.Unknown {
			state += ", by another version of the program"
		}
		if m.Breaking {
			state += ", breaks older programs"
		}
		fmt.Fprintf(table, "%s\t%s\n", m, state)
	}
	return table.Flush()
}

// A migrationLine is one migration of "migrate status --json".
type migrationLine struct {
	Namespace string     `json:"namespace"`
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	AppliedAt *time.Time `json:"appliedAt"` // null while it is pending
	Changed   bool       `json:"changed"`
	Unknown   bool       `json:"unknown"`  // applied by another version of the program
	Breaking  bool       `json:"breaking"` // programs without it must not run on the schema
}

func newMigrationLine(m sqldb.Migration) migrationLine {
	line := migrationLine{Namespace: m.Namespace, ID: m.ID, Name: m.Name, Changed: m.Changed, Unknown: m.Unknown, Breaking: m.Breaking}
	if !m.AppliedAt.IsZero() {
		applied := m.AppliedAt.UTC()
		line.AppliedAt = &applied
	}
	return line
}
