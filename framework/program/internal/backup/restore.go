package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

// NewRestoreCommand returns the command restore.
func NewRestoreCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "restore FILE [flags]",
		Short: "Replace the SQLite database with a backup",
		Long: `Restore verifies a file that backup wrote, and replaces the database with a copy of
it. On an error the database is unchanged. The old database stays beside it, under
another name. Stop all servers first: restore ends with an error while any process
has the database open. Run it as the owner of the folder: root gets an error in the
folder of another user.

Restore undoes every change since the backup: tokens and sessions that were revoked
since are valid again, and passwords are the old ones.

For FILE, - is standard input: the user that runs restore need not be able to open
the file.

For a PostgreSQL database, restore only prints the commands with pg_restore.`,
		Example: `  {program} restore /var/backups/{program}-2026-11-20.db
  runuser -u {program} -- {program} restore - < /var/backups/{program}-2026-11-20.db`,
		Args: requireOneFile,
	}, func(cmd *cobra.Command, args []string) error { return runRestore(run, cmd, args) })
	run.AddSettings(c.Flags(), false)
	return c
}

func runRestore(run *command.Run, cmd *cobra.Command, args []string) error {
	c, _, err := run.Settings(cmd.Flags())
	if err != nil {
		return err
	}
	from, name, err := parseFile(args[0])
	if err != nil {
		return err
	}
	at := sqldb.File(c.DatabaseURL)
	if at == "" {
		command, err := formatPostgreSQLRestore(c.DatabaseURL, from)
		if err != nil {
			return err
		}
		return exit.Misused("restore is for SQLite; for this PostgreSQL database stop the servers and, as its owner who may create databases, run: %s", command)
	}
	if from != "" && isSameFile(from, at) {
		return exit.Misused("%s is the database itself; name a backup of it", from)
	}
	place, passed := followLinks(at)
	if !leadsTo(at, place) {
		return exit.Misused("%s leads elsewhere than its links say, as those below /proc do; name the file itself", at)
	}
	if err := checkOwner(passed); err != nil {
		return err
	}
	if from != "" && (isPart(from, place) || isPart(from, spoolPath(place))) {
		return exit.Misused("%s is what a restore that was killed left, and perhaps not all of it; name the backup itself", from)
	}
	return restoreTo(cmd.Context(), run, at, place, from, name)
}

// restoreTo restores a database and reports what it contains then. at is the path of the
// settings, and place is the file to which that path leads.
func restoreTo(ctx context.Context, run *command.Run, at, place, from, name string) error {
	began := time.Now()
	bar := run.StartBar("Restoring")
	held, kept, err := restoreFrom(ctx, run, from, name, place)
	bar.End()
	switch {
	case errors.Is(err, sqldb.ErrInUse):
		return exit.NeedsAction("a server or another program has %s open; stop it, and run this again", at)
	case err != nil:
		return err
	}
	sayNextSteps(run, held, kept)
	return run.Print(fmt.Sprintf("restored %s from %s: %s, in %s", at, name, held, time.Since(began).Round(time.Millisecond)))
}

// restoreFrom restores from a file, or from standard input if from is "".
func restoreFrom(ctx context.Context, run *command.Run, from, called, place string) (holding, string, error) {
	if err := discardParts(run, spoolPath(place)); err != nil {
		return holding{}, "", err
	}
	if from == "" {
		file, err := spool(ctx, run, place)
		if err != nil {
			return holding{}, "", err
		}
		defer file.discard()
		from = file.part
	}
	return replaceDatabase(ctx, run, from, called, place)
}

// parseFile returns the path of an argument, "" for standard input, and its name in
// messages.
func parseFile(argument string) (file, name string, err error) {
	if argument == "-" {
		return "", "standard input", nil
	}
	file, err = filepath.Abs(argument)
	return file, file, err
}

// formatPostgreSQLRestore returns the commands that replace a database by a dump and keep
// the old database. The option --clean of pg_restore would drop only the tables of the
// dump, and fail at tables of later migrations.
func formatPostgreSQLRestore(address, dump string) (command string, err error) {
	at, err := url.Parse(sqldb.ClientURL(address))
	if err != nil {
		return "", err
	}
	other, name := *at, strings.TrimPrefix(at.Path, "/")
	if other.Path = "/postgres"; name == "postgres" {
		other.Path = "/template1"
	}
	rename := fmt.Sprintf("ALTER DATABASE %s RENAME TO %s", quoteIdentifier(name), quoteIdentifier(nameKeptDatabase(name, time.Now())))
	if dump != "" {
		dump = " " + quote(dump)
	}
	return fmt.Sprintf("psql --dbname=%s --command=%s --command=%s && pg_restore --no-owner --single-transaction --dbname=%s%s",
		quote(other.String()), quote(rename), quote("CREATE DATABASE "+quoteIdentifier(name)), quote(at.String()), dump), nil
}

// nameKeptDatabase returns a name for the old database that PostgreSQL does not truncate.
func nameKeptDatabase(name string, now time.Time) string {
	const longest = 63 // bytes, NAMEDATALEN - 1
	room := longest - len(nameKept("", now))
	return nameKept(strings.ToValidUTF8(name[:min(len(name), room)], ""), now)
}

// quoteIdentifier returns a name as SQL quotes it.
func quoteIdentifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// spoolPath returns the path of the copy of standard input, beside the database.
func spoolPath(place string) string { return place + ".stdin" }

// spool writes standard input to a file. The caller discards the file. A terminal is an error.
func spool(ctx context.Context, run *command.Run, place string) (*wholeFile, error) {
	if run.AtTerminal() {
		return nil, exit.Misused("standard input is a terminal; say: restore - < FILE")
	}
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		return nil, err
	}
	file, err := createWholeFile(run, spoolPath(place))
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(file.part, os.O_WRONLY, 0)
	if err == nil {
		_, err = console.Await(ctx, func() (int64, error) { return io.Copy(f, run.In) })
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		file.discard()
		return nil, fmt.Errorf("writing standard input to a file: %w", err)
	}
	return file, nil
}

func sayNextSteps(run *command.Run, held holding, kept string) {
	if kept != "" {
		run.Sayf("The database that was there is %s now; delete it when you need it no more.", kept)
	}
	if held.pending > 0 {
		run.Sayf(run.Text("The backup lacks %s; run: {program} migrate up"), console.Count(held.pending, "migration", "migrations"))
	}
	run.Sayf("Now start the server.")
}

// replaceDatabase replaces the database by a copy of a file. It returns the content of the
// file, and the new name of the old database, or "" if there was none.
func replaceDatabase(ctx context.Context, run *command.Run, from, called, at string) (held holding, kept string, err error) {
	if held, err = verifyBackup(ctx, run, from, called); err != nil {
		return held, "", err
	}
	room, err := makeRoom(run, at)
	if err != nil {
		return held, "", err
	}
	err = sqldb.Alone(ctx, formatSQLiteURL(at), func(bool) error {
		made := room.isEmpty()
		if kept, err = exchange(ctx, run, from, at, held, made); err != nil && made {
			err = errors.Join(err, room.remove())
		}
		return err
	})
	return held, kept, err
}

// A room is an empty file that is created before a database replaces it.
type room struct {
	at   string
	logs string // the new name of a lost database's log, without its suffix
	info os.FileInfo
}

// makeRoom creates an empty database if none exists, so that a server that starts
// meanwhile finds a locked file. It renames the log of a lost database, because SQLite
// would apply that log to the empty file. It returns nil if the database exists.
func makeRoom(run *command.Run, at string) (*room, error) {
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, nil // no room was made
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	r := &room{at, nameKept(at, time.Now()), info}
	err = errors.Join(err, f.Close(), renameLogs(at, r.logs))
	if err != nil {
		return nil, errors.Join(err, r.remove())
	}
	for _, suffix := range logs {
		if exists(r.logs + suffix) {
			run.Sayf("The log of a database that no longer exists, %s, is %s now.", at+suffix, r.logs+suffix)
		}
	}
	return r, nil
}

// isEmpty reports whether the file is the one that makeRoom created, and has at most one page,
// which contains no tables. For nil it returns false. The caller must hold the lock.
func (r *room) isEmpty() bool {
	if r == nil {
		return false
	}
	const page = 4096
	now, err := os.Lstat(r.at)
	return err == nil && os.SameFile(now, r.info) && now.Size() <= page
}

// remove removes the file and restores the names of the logs.
func (r *room) remove() error {
	if err := os.Remove(r.at); err != nil {
		return err
	}
	return renameLogs(r.logs, r.at)
}

// verifyBackup verifies the file that the user named.
func verifyBackup(ctx context.Context, run *command.Run, path, called string) (holding, error) {
	info, err := os.Stat(path)
	if err != nil {
		return holding{}, fmt.Errorf("there is no backup to restore: %w", err)
	}
	if !info.Mode().IsRegular() {
		return holding{}, fmt.Errorf("%s is no file", called)
	}
	for _, suffix := range logs {
		if exists(path + suffix) {
			return holding{}, fmt.Errorf("%s has a log beside it, %s, so it is no backup but a database, or a part of one: make a backup of it first", called, path+suffix)
		}
	}
	if info.Size() == 0 {
		return holding{}, fmt.Errorf("%s is empty, so it is no backup, and nothing was changed", called)
	}
	held, err := verifyDatabase(ctx, run, path)
	if err != nil {
		return holding{}, fmt.Errorf("%s cannot be restored, and nothing was changed: %w", called, err)
	}
	return held, nil
}

// exchange copies the file, verifies the copy, and replaces the database by the copy. The
// caller holds the lock. If made is true, the old file is the empty one of makeRoom, and
// exchange does not keep it.
func exchange(ctx context.Context, run *command.Run, from, at string, want holding, made bool) (kept string, err error) {
	file, err := createWholeFile(run, at)
	if err != nil {
		return "", err
	}
	defer file.discard()
	if err := copyDatabase(ctx, formatSQLiteURL(from), sqldb.Options{Immutable: true}, file.part); err != nil {
		return "", err
	}
	if err := enableWriteAhead(ctx, file.part); err != nil {
		return "", err
	}
	held, err := verifyDatabase(ctx, run, file.part)
	if err != nil {
		return "", fmt.Errorf("the copy of %s is not right, and nothing was changed: %w", from, err)
	}
	if held.Contents != want.Contents {
		return "", fmt.Errorf("the copy of %s holds %s instead of %s, and nothing was changed", from, held, want)
	}
	if err := copyAccess(file.part, at); err != nil {
		return "", err
	}
	if err := syncFile(file.part); err != nil { // before the renaming: the disk may be full
		return "", err
	}
	if !made {
		kept, err = keep(at, time.Now())
	}
	if err == nil {
		err = file.put(true)
	}
	if err != nil && kept != "" {
		err = fmt.Errorf("%w; the database that was there is kept as %s", err, kept)
	}
	return kept, err
}

// enableWriteAhead gives a copy the write-ahead log that servers use, so that doctor does
// not warn before the first server starts.
func enableWriteAhead(ctx context.Context, path string) error {
	db, err := sqldb.Open(formatSQLiteURL(path), sqldb.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	_, err = db.WritesAhead(ctx) // connecting turns the log on; doctor reports if it is off
	return errors.Join(err, db.Close())
}

// followLinks returns the file that an absolute path leads to, by the rules of the system for
// links, and every folder, link and file on the way. The file need not exist. If there are
// more than 40 links, it returns the path itself.
func followLinks(name string) (file string, passed []string) {
	root := filepath.VolumeName(name) + string(filepath.Separator)
	at, rest, links := root, splitPath(name[len(root):]), 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		if part == ".." {
			at = filepath.Dir(at)
			continue
		}
		passed = append(passed, at, filepath.Join(at, part))
		target, err := os.Readlink(filepath.Join(at, part))
		if err != nil {
			at = filepath.Join(at, part)
			continue
		}
		if links++; links > 40 { // no system follows more links
			return name, passed
		}
		if filepath.IsAbs(target) {
			at, target = root, target[len(root):]
		}
		rest = append(splitPath(target), rest...)
	}
	return at, passed
}

// leadsTo reports whether the system also finds the file at place under the name, where place
// is the result of [followLinks]. If neither exists, it compares their folders. If the folder
// of the name does not exist either, it returns true.
func leadsTo(name, place string) bool {
	if exists(name) || exists(place) {
		return isSameFile(name, place)
	}
	return !exists(filepath.Dir(name)) || isSameFile(filepath.Dir(name), filepath.Dir(place))
}

// splitPath returns the names in a path. It keeps "..", because the parent of a linked
// folder is the parent of the target.
func splitPath(path string) []string {
	return slices.DeleteFunc(strings.Split(filepath.ToSlash(path), "/"), func(s string) bool { return s == "" || s == "." })
}

// keep gives a database a second name, which remains when another file replaces the first
// name. On a disk without hard links it renames the database. It renames the logs of the
// database too, and writes all names to the disk.
func keep(at string, now time.Time) (kept string, err error) {
	name := nameKept(at, now)
	if err := os.Remove(at + "-shm"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := renameLogs(at, name); err != nil {
		return "", err
	}
	err = os.Link(at, name)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a disk without links
		err = os.Rename(at, name)
	}
	if err != nil {
		return "", errors.Join(err, renameLogs(name, at))
	}
	return name, syncFolder(filepath.Dir(at))
}

func nameKept(at string, now time.Time) string {
	return at + now.UTC().Format(".before-20060102T150405.000Z")
}

// logs are the suffixes of the files that a database has beside its own.
var logs = []string{"-wal", "-journal"}

// renameLogs gives the logs of a database the names for another database. It returns an error
// if the other database has such a log already.
func renameLogs(from, to string) error {
	for _, suffix := range logs {
		if err := renameNew(from+suffix, to+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
