package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

func (p *program) migrateCommand() *cobra.Command {
	return p.group("migrate", "Change the database's schema",
		p.migrateUpCommand(), p.migrateDownCommand(), p.migrateStatusCommand(), p.migrateNewCommand())
}

func (p *program) migrateUpCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "up [flags]",
		Short: "Apply every pending migration",
		Long: `Up applies every pending migration, each in one transaction, and stops at the
first that fails. Any number of processes may do so at once.`,
	}, func(cmd *cobra.Command, _ []string) error {
		return p.withNew(cmd.Context(), cmd.Flags(), func(s *site) error { return p.migrateUp(cmd.Context(), s) })
	})
	p.addSettings(c.Flags(), false)
	return c
}

// migrateUp applies what is pending and says so.
func (p *program) migrateUp(ctx context.Context, s *site) error {
	p.tellWhoMigrates(ctx, s)
	n, pending := 0, 0
	if total, err := p.lacking(ctx, s.db); err == nil { // else Migrate reports it
		pending = total
	}
	bar := p.StartBar("Migrating")
	err := s.db.Migrate(ctx, func(m sqldb.Migration, took time.Duration) {
		n++
		bar.Sayf("Applied %s in %s.", m, took.Round(time.Millisecond))
		bar.Show(n, max(n, pending))
	}, p.Migrations...)
	bar.End()
	if err == nil && n == 0 {
		p.Sayf("The database's schema is up to date.")
	}
	return err
}

// tellWhoMigrates says for whom a migration waits, and what helps if that one
// was left behind. Whoever cannot be asked is told of by the migration.
func (p *program) tellWhoMigrates(ctx context.Context, s *site) {
	lock, err := s.db.MigrationLock(ctx)
	if err == nil && lock.Holder != 0 {
		for _, f := range s.heldLock(ctx) {
			p.Sayf("%s: %s. To go on: %s", f.Where, f.What, f.Fix)
		}
	}
}

func (p *program) migrateDownCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "down [--yes] [flags]",
		Short: "Undo the newest applied migration, and lose what it holds",
		Long: `Down undoes the newest applied migration. Tables and columns that it made are
gone with all they hold, so it asks first; away from a terminal it needs --yes.`,
	}, func(cmd *cobra.Command, _ []string) error {
		yes, _ := cmd.Flags().GetBool("yes")
		if !p.AtTerminal() && !yes {
			return exit.Misused("this cannot be undone and nobody can be asked here; say --yes to go on")
		}
		return p.with(cmd.Context(), cmd.Flags(), func(s *site) error { return p.migrateDown(cmd.Context(), s, yes) })
	})
	c.Flags().Bool("yes", false, "go on without asking")
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) migrateDown(ctx context.Context, s *site, yes bool) error {
	newest, err := s.db.NewestMigration(ctx, p.Migrations...)
	if err != nil {
		return err
	}
	if newest.AppliedAt.IsZero() {
		p.Sayf("No migration was applied; there is nothing to undo.")
		return nil
	}
	if !yes {
		yes, err = p.Confirm(ctx, fmt.Sprintf("Undo %s, applied %s, and lose what it holds?", newest, console.Minute(&newest.AppliedAt)))
		if err != nil || !yes {
			p.Sayf("Nothing was changed.")
			return err
		}
	}
	bar := p.StartBar("Undoing")
	err = s.db.UndoMigration(ctx, newest, p.Migrations...)
	bar.End()
	if err == nil {
		p.Sayf("Undid %s.", newest)
	}
	return err
}

func (p *program) migrateStatusCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "status [--json] [flags]",
		Short: "List the migrations; exit code 3 if any is pending",
	}, func(cmd *cobra.Command, _ []string) error {
		return p.with(cmd.Context(), cmd.Flags(), func(s *site) error { return p.migrateStatus(cmd.Context(), s, asJSON(cmd)) })
	})
	jsonFlag(c)
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) migrateStatus(ctx context.Context, s *site, inJSON bool) error {
	list, err := s.db.MigrationStatus(ctx, p.Migrations...)
	if err != nil && len(list) == 0 {
		return err
	}
	write := func() error { return writeMigrations(p.Out, list) }
	if inJSON {
		write = func() error { return console.WriteJSON(p.Out, console.Map(list, lineOfMigration)) }
	}
	if written := write(); written != nil || err != nil {
		return errors.Join(err, written)
	}
	return s.requireMigrated(ctx)
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
