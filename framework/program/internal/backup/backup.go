// Package backup has the commands backup and restore.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

// NewBackupCommand returns the command backup.
func NewBackupCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "backup FILE [--force] [flags]",
		Short: "Write a copy of the SQLite database to a file",
		Long: `Backup writes all that is committed to a new file, while servers go on to read
and to write. The copy is verified, and it is complete on the disk when its name
appears: a backup that fails or is killed leaves nothing under that name. Only
its owner can read it, and it holds everything, password hashes included. It
holds no settings: keep {PROGRAM}_JWT_KEYS elsewhere. While a backup writes FILE,
another backup to the same FILE is an error.

A PostgreSQL database is left to pg_dump; backup then says how to call it.`,
		Example: `  {program} backup /var/backups/{program}-$(date +%F).db`,
		Args:    requireOneFile,
	}, func(cmd *cobra.Command, args []string) error { return runBackup(run, cmd, args) })
	c.Flags().Bool("force", false, "write over a file that is there")
	run.AddSettings(c.Flags(), false)
	return c
}

func runBackup(run *command.Run, cmd *cobra.Command, args []string) error {
	force, _ := cmd.Flags().GetBool("force")
	c, _, err := run.Settings(cmd.Flags())
	if err != nil {
		return err
	}
	to, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	from := sqldb.File(c.DatabaseURL)
	if from == "" {
		return exit.Misused("backup is for SQLite; for this PostgreSQL database run: (umask 077 && pg_dump --format=custom --no-owner --file=%s --dbname=%s)",
			quote(to), quote(sqldb.ClientURL(c.DatabaseURL)))
	}
	if err := checkTarget(to, from, force); err != nil {
		return err
	}
	began := time.Now()
	bar := run.StartBar("Backing up")
	held, err := backUp(cmd.Context(), run, c, to, force)
	bar.End()
	if err != nil {
		return err
	}
	return run.Print(fmt.Sprintf("backed up %s to %s: %s, in %s", from, to, held, time.Since(began).Round(time.Millisecond)))
}

// backUp copies the database of the settings to a file, verifies the copy, and gives it its
// name when it is complete. It replaces an existing file only if over is true.
func backUp(ctx context.Context, run *command.Run, c config.Config, to string, over bool) (holding, error) {
	file, err := createWholeFile(run, to)
	if err != nil {
		return holding{}, err
	}
	defer file.discard()
	if err := copyDatabase(ctx, c.DatabaseURL, sqldb.Options{ReadOnly: true}, file.part); err != nil {
		return holding{}, err
	}
	held, err := verifyDatabase(ctx, run, file.part)
	if err != nil {
		return holding{}, fmt.Errorf("the database was copied, but the copy is not right, so it was thrown away: %w", err)
	}
	return held, file.put(over)
}

func createWholeFile(run *command.Run, place string) (*wholeFile, error) {
	return newWholeFile(place, func(part string) { sayLeft(run, part) })
}

// discardParts removes the parts that a killed process left. An absent folder has none.
func discardParts(run *command.Run, place string) error {
	lock, err := lockPlace(place)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.release()
	return removeParts(place, func(part string) { sayLeft(run, part) })
}

func sayLeft(run *command.Run, part string) {
	run.Sayf("Removed %s, which was left by a process that was killed.", part)
}

// checkTarget returns an error if the database does not exist, or if its copy may not be
// written to a file.
func checkTarget(path, database string, over bool) error {
	if !exists(database) {
		return fmt.Errorf("there is no database at %s; is DATABASE_URL right?", database)
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if isSameFile(path, database+suffix) {
			return exit.Misused("%s belongs to the database itself; name another file", path)
		}
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return exit.Misused("%s is no file; name a file", path)
	case !over:
		return exit.Misused("%s is there already; name another file, or say --force to write over it", path)
	}
	return nil
}

// requireOneFile requires the name of one file.
func requireOneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("name the file: %s FILE", cmd.CommandPath())
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// isSameFile reports whether two names are of one file. If either does not exist, it compares
// the names.
func isSameFile(a, b string) bool {
	first, wrong := os.Stat(a)
	second, alsoWrong := os.Stat(b)
	if wrong != nil || alsoWrong != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	return os.SameFile(first, second)
}

// copyDatabase copies a database to an empty file.
func copyDatabase(ctx context.Context, from string, as sqldb.Options, to string) error {
	db, err := sqldb.Open(from, as)
	if err != nil {
		return exit.Misused("%w", err)
	}
	defer func() { _ = db.Close() }()
	return db.CopyTo(ctx, to)
}

// A holding is the content of a database file.
type holding struct {
	sqldb.Contents

	bytes   int64
	pending int // migrations that it lacks
}

func (h holding) String() string {
	return fmt.Sprintf("%d bytes, %d rows in %d tables", h.bytes, h.Rows, h.Tables)
}

// verifyDatabase verifies a file as a database of this program.
func verifyDatabase(ctx context.Context, run *command.Run, path string) (holding, error) {
	info, err := os.Stat(path)
	if err != nil {
		return holding{}, err
	}
	db, err := sqldb.Open(formatSQLiteURL(path), sqldb.Options{Immutable: true})
	if err != nil {
		return holding{}, err
	}
	defer func() { _ = db.Close() }()
	held := holding{bytes: info.Size()}
	if held.Contents, err = db.Verify(ctx); err != nil {
		return holding{}, err
	}
	held.pending, err = run.CountPending(ctx, db)
	return held, err
}

func formatSQLiteURL(path string) string {
	return (&url.URL{Scheme: "sqlite", Path: filepath.ToSlash(path)}).String()
}

// quote returns a word in the single quotes of a shell.
func quote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
