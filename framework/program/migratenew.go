package program

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

func (p *program) migrateNewCommand() *cobra.Command {
	c := p.command(cobra.Command{
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
		files, err := newMigration(dir, args[0], time.Now())
		for _, file := range files {
			err = errors.Join(err, p.Print(file))
		}
		return err
	})
	c.Flags().String("dir", "migrations", "`folder` of the application's migrations")
	return c
}

var errMigrationName = errors.New("give one name of lower-case letters, digits and underscores, such as add_patient_email")

var migrationName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func checkMigrationName(_ *cobra.Command, args []string) error {
	if len(args) != 1 || !migrationName.MatchString(args[0]) {
		return errMigrationName
	}
	return nil
}

// newMigration writes the pair of files, empty, and returns their paths.
func newMigration(dir, name string, now time.Time) ([]string, error) {
	return writeMigration(dir, name, now, "", "")
}

func writeMigration(dir, name string, now time.Time, up, down string) ([]string, error) {
	id, err := nextMigrationID(dir, now)
	if err != nil {
		return nil, err
	}
	var written []string
	for _, one := range []struct{ direction, script string }{{"up", up}, {"down", down}} {
		file := filepath.Join(dir, fmt.Sprintf("%d_%s.tx.%s.sql", id, name, one.direction))
		if err := writeNew(file, one.script); err != nil {
			return written, err
		}
		written = append(written, file)
	}
	return written, nil
}

var migrationFile = regexp.MustCompile(`^([0-9]+)_.*\.sql$`)

// nextMigrationID is the time as a number, or one more than the greatest id in
// the folder, so that the new migration runs last.
func nextMigrationID(dir string, now time.Time) (uint64, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("there is no folder %s; run this where the application's migrations are, or name their folder with --dir", dir)
	}
	if err != nil {
		return 0, err
	}
	id, err := strconv.ParseUint(now.UTC().Format("20060102150405"), 10, 64)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		if parts := migrationFile.FindStringSubmatch(e.Name()); parts != nil {
			if taken, err := strconv.ParseUint(parts[1], 10, 64); err == nil && taken >= id {
				id = taken + 1
			}
		}
	}
	return id, nil
}

// writeNew makes a file, and never touches one that is there.
func writeNew(file, text string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
