package schema

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/migrationfile"
)

func newMigrateNewCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "new NAME [flags]",
		Short: "Write the two empty files of a new migration",
		Long: `New writes an empty pair of files, <id>_NAME.tx.up.sql and .tx.down.sql, whose id
is the present time, and prints their paths.

A program runs on a schema that a newer version of it has migrated. If older
programs cannot run on what a migration makes, put the line --trestle:breaking into
its up file: then they do not start on it.`,
		Example: `  {program} migrate new add_patient_email`,
		Args:    checkMigrationName,
	}, func(cmd *cobra.Command, args []string) error {
		dir, _ := cmd.Flags().GetString("dir")
		files, err := migrationfile.Write(dir, args[0], time.Now(), "", "")
		for _, file := range files {
			err = errors.Join(err, run.Print(file))
		}
		return err
	})
	c.Flags().String("dir", "migrations", "`folder` of the application's migrations")
	return c
}

func checkMigrationName(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return migrationfile.ErrName
	}
	return migrationfile.CheckName(args[0])
}
