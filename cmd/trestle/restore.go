package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"trestle.example/framework/sqldb"
)

func (p *program) restoreCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "restore FILE [flags]",
		Short: "Put a backup in the place of the SQLite database",
		Long: `Restore verifies a file that backup wrote and puts a copy of it in the place of
the database, at once or not at all. The database that was there stays beside
it, under another name. Servers are stopped first: restore refuses while any
process has the database open.

What was done since the backup is undone: tokens and sessions that were revoked
since are good again, and passwords are those of before.

A PostgreSQL database is left to pg_restore; restore then says how to call it.`,
		Example: `  trestle restore /var/backups/trestle-2026-11-20.db`,
		Args:    cobra.ExactArgs(1),
	}, p.restore)
	addSettings(c.Flags(), false)
	return c
}

func (p *program) restore(cmd *cobra.Command, args []string) error {
	c, _, err := p.settings(cmd.Flags())
	if err != nil {
		return err
	}
	from, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	at := sqldb.File(c.databaseURL)
	if at == "" {
		return misused("restore is for SQLite; for this PostgreSQL database stop the servers and run: "+
			"pg_restore --clean --if-exists --no-owner --single-transaction --dbname=%s %s", quoted(sqldb.ClientURL(c.databaseURL)), quoted(from))
	}
	if sameFile(from, at) {
		return misused("%s is the database itself; name a backup of it", from)
	}
	began := time.Now()
	held, kept, err := p.bringBack(cmd.Context(), from, at)
	switch {
	case errors.Is(err, sqldb.ErrInUse):
		return needsAction("a server or another program has %s open; stop it, and run this again", at)
	case err != nil:
		return err
	}
	p.sayWhatIsNext(held, kept)
	return p.print(fmt.Sprintf("restored %s from %s: %s, in %s", at, from, held, time.Since(began).Round(time.Millisecond)))
}

func (p *program) sayWhatIsNext(held holding, kept string) {
	if kept != "" {
		p.sayf("The database that was there is %s now; delete it when you need it no more.", kept)
	}
	if held.pending > 0 {
		p.sayf("The backup lacks %d migrations; run: trestle migrate up", held.pending)
	}
	p.sayf("Now start the server.")
}

// bringBack puts a copy of a file in the place of the database, and returns the
// new name of the one that was there, "" for none.
func (p *program) bringBack(ctx context.Context, from, at string) (held holding, kept string, err error) {
	if held, err = backupIn(ctx, from); err != nil {
		return held, "", err
	}
	if err = os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return held, "", err
	}
	exchange := func(bool) error {
		kept, err = p.exchange(ctx, from, at, held)
		return err
	}
	if isThere(at) {
		err = sqldb.Alone(ctx, sqliteURLOf(at), exchange)
	} else {
		err = exchange(false)
	}
	return held, kept, err
}

// backupIn verifies a file that somebody named.
func backupIn(ctx context.Context, path string) (holding, error) {
	info, err := os.Stat(path)
	if err != nil {
		return holding{}, fmt.Errorf("there is no backup to restore: %w", err)
	}
	if !info.Mode().IsRegular() {
		return holding{}, fmt.Errorf("%s is no file", path)
	}
	held, err := lookThrough(ctx, path)
	if err != nil {
		return holding{}, fmt.Errorf("%s cannot be restored, and nothing was changed: %w", path, err)
	}
	return held, nil
}

// exchange copies the file, and puts the copy where the database is, which
// nobody has open.
func (p *program) exchange(ctx context.Context, from, at string, want holding) (kept string, err error) {
	at = behindLinks(at)
	file, err := p.newWholeFile(at)
	if err != nil {
		return "", err
	}
	defer file.discard()
	if err := copyDatabase(ctx, sqliteURLOf(from), file.part); err != nil {
		return "", err
	}
	held, err := lookThrough(ctx, file.part)
	if err != nil || held.Contents != want.Contents {
		return "", errors.Join(fmt.Errorf("the copy of %s holds %s instead of %s, and nothing was changed", from, held, want), err)
	}
	if err := ownedAs(file.part, at); err != nil {
		return "", err
	}
	if err := toDisk(file.part); err != nil { // before anything is moved away: the disk may be full
		return "", err
	}
	if kept, err = keep(at, time.Now()); err != nil {
		return "", err
	}
	if err = file.put(true); err != nil && kept != "" {
		err = fmt.Errorf("%w; the database that was there is kept as %s", err, kept)
	}
	return kept, err
}

// behindLinks is the database, not a link to it, even if it is not there.
func behindLinks(at string) string {
	if linked, err := filepath.EvalSymlinks(at); err == nil {
		return linked
	}
	target, err := os.Readlink(at)
	switch {
	case err != nil:
		return at
	case filepath.IsAbs(target):
		return target
	}
	return filepath.Join(filepath.Dir(at), target)
}

// keep gives a database a second name, which remains when another is put in its
// place. What belongs to it, which must not meet another database, gets a new
// name.
func keep(at string, now time.Time) (kept string, err error) {
	name := at + now.UTC().Format(".before-20060102T150405.000Z")
	if err := os.Remove(at + "-shm"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, suffix := range []string{"-wal", "-journal"} {
		if err := os.Rename(at+suffix, name+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	switch err := os.Link(at, name); {
	case err == nil:
		return name, nil
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case errors.Is(err, fs.ErrExist):
		return "", err
	}
	return name, os.Rename(at, name) // a disk without links
}
