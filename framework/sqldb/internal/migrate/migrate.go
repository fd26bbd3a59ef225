// Package migrate changes the schema of a database by files, each in one transaction, and
// keeps a record of what was applied.
package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/fault"
)

// A Set is a set of schema changes in a namespace of its own, so that
// the ids of a framework and of its application never collide. FS holds at its
// root, for each change, the pair of files
//
//	<digits>_<name>.tx.up.sql
//	<digits>_<name>.tx.down.sql
//
// in bun's naming: the digits are the id, changes run in the order of their
// ids' numbers, and each runs in one transaction. A line --bun:split separates
// statements that must be sent apart. Each file is a template; see
// [Database.Migrate] for its functions. A file that ends in .sql and has another
// name is an error; other files are ignored.
//
// A program starts on a schema that a newer version of it has migrated, and keeps running
// on it, if none of its own migrations is pending. So new migrations should only add
// what an older program does not need. If an older program cannot run on the new schema,
// add the line --trestle:breaking to the up file. The line is recorded in the database,
// and a program without that file then does not start. Migrations of a namespace that a program does not have are those of
// another program in the same database, and do not count.
type Set struct {
	Namespace string
	FS        fs.FS
}

// A Migration is one schema change and what has become of it.
type Migration struct {
	Namespace string
	ID        string
	Name      string
	AppliedAt time.Time // zero while it is pending
	Changed   bool      // its up file differs from what was applied
	Unknown   bool      // it was applied by another version of the program, and has no file here
	Breaking  bool      // programs without its file must not run on the schema, by its line --trestle:breaking
}

func (m Migration) String() string { return m.Namespace + "/" + m.ID + "_" + m.Name }

// A Database is where migrations run.
type Database struct {
	Kind dialect.Kind
	DB   bun.IDB // for statements outside a transaction

	// InTx runs fn in one transaction, once. A statement in it takes as long as it needs.
	InTx func(ctx context.Context, fn func(ctx context.Context, tx bun.Tx) error) error
	// Backend is where the transaction of a migration runs: the process id of its server
	// process on PostgreSQL, [Beginning] while it has not begun, or 0.
	Backend *atomic.Int64
	// Changed is called when the schema has changed.
	Changed func()
}

// Migrate applies every pending migration, set by set and in the order of
// their ids, and calls report, which may be nil, after each with the time it
// took. It stops at the first that fails; those before it stay applied, and
// nothing of the failed one does. Any number of processes may migrate at once:
// each migration runs once and none of them fails. A migration may take as
// long as it needs, while ctx lasts.
//
// Before anything runs, all files are read and checked: an id given twice, a
// missing down file or a fault in a template is an error. So is an applied migration
// without its file where something is pending, and one that is breaking in any
// case; see [Set].
//
// The files are templates of text/template, with these functions:
//
//	{{if postgres}} {{if sqlite}}  which database this is
//	{{id}}         the primary key column, named id
//	{{uuid}}       the types of columns: a UUID (text on SQLite)
//	{{text}}       text ordered by its bytes
//	{{timestamp}}  a time in UTC, to the microsecond
//	{{bool}} {{bigint}} {{bytes}} {{json}}
//	{{searchIndex "table" "column"}}      the index behind Kind.Contains
//	{{dropSearchIndex "table" "column"}}  and its removal
//
// On SQLite {{id}} adds a column _row, which ties the rows to their search
// index. On PostgreSQL searchIndex installs the extension pg_trgm, and takes a
// third word: "gin", the usual one, finds two or three times as fast; "gist" is
// for a table that is written all the time, since now and then a write to a gin
// index is held for some 50 ms while the index puts earlier ones in their places.
func (db Database) Migrate(ctx context.Context, report func(Migration, time.Duration), sets ...Set) error {
	p, err := db.readPlan(sets)
	if err != nil {
		return err
	}
	if err := db.createRecords(ctx); err != nil {
		return err
	}
	records, err := db.checkRecords(ctx, p)
	if err != nil {
		return err
	}
	if err := db.rename(ctx, p, records); err != nil {
		return err
	}
	for _, c := range p.changes {
		if slices.ContainsFunc(records, func(r record) bool { return r.is(c) }) {
			continue
		}
		start := time.Now()
		applied, err := db.apply(ctx, p, c)
		switch {
		case err != nil:
			return fmt.Errorf("sqldb: migration %s: %w", c, err)
		case applied.AppliedAt.IsZero():
			continue
		}
		db.Changed()
		if report != nil {
			report(applied, time.Since(start))
		}
	}
	_, err = db.checkRecords(ctx, p)
	return err
}

// Down undoes the newest applied migration of the sets, by its down file in one transaction,
// and returns it. If that fails, nothing is undone. With none applied it undoes nothing and
// returns the zero Migration. An applied migration of the sets without its file is an error.
// report is called after the migration was undone, with the time it took; it may be nil.
func (db Database) Down(ctx context.Context, report func(Migration, time.Duration), sets ...Set) (Migration, error) {
	start := time.Now()
	undone, err := db.undoNewest(ctx, sets, func(*change) error { return nil })
	if err == nil && undone.ID != "" && report != nil {
		report(undone, time.Since(start))
	}
	return undone, err
}

// Undo is [Database.Down] for the one migration m, which the user has confirmed. It
// must be the newest applied one of the sets, see [Database.Newest]. If another migration
// is the newest by then, or none is applied, Undo returns an error and undoes nothing.
func (db Database) Undo(ctx context.Context, m Migration, sets ...Set) error {
	undone, err := db.undoNewest(ctx, sets, func(c *change) error {
		if c.namespace != m.Namespace || c.id != m.ID {
			return fmt.Errorf("sqldb: %s is no longer the newest applied migration, %s is; nothing was undone", m, c)
		}
		return nil
	})
	if err == nil && undone.ID == "" {
		err = fmt.Errorf("sqldb: %s is not applied any more; nothing was undone", m)
	}
	return err
}

// undoNewest undoes the newest applied migration if agree returns nil for it. With none applied
// it returns the zero Migration.
func (db Database) undoNewest(ctx context.Context, sets []Set, agree func(newest *change) error) (Migration, error) {
	p, err := db.readPlan(sets)
	if err != nil {
		return Migration{}, err
	}
	if err := db.createRecords(ctx); err != nil {
		return Migration{}, err
	}
	undone, err := db.undoIn(ctx, p, agree)
	if err != nil || undone.ID == "" {
		return Migration{}, err
	}
	db.Changed()
	return undone, nil
}

// Newest returns the migration that [Database.Down] would undo: the last
// one of the sets in the order in which they were applied, whatever their AppliedAt.
// With none applied it returns the zero Migration. An applied migration of the sets
// without its file is an error, as in Down. Newest changes nothing.
func (db Database) Newest(ctx context.Context, sets ...Set) (Migration, error) {
	p, err := db.readPlan(sets)
	if err != nil {
		return Migration{}, err
	}
	records, err := db.existingRecords(ctx)
	if err != nil {
		return Migration{}, err
	}
	if err := p.orphanError(records); err != nil {
		return Migration{}, err
	}
	c, _ := p.newest(records)
	if c == nil {
		return Migration{}, nil
	}
	return c.status(records), nil
}

// Status lists the migrations of the sets in the order in which they
// run. It changes nothing and works where nothing was ever migrated. Applied
// migrations without a file come last. They are an error beside the list if one is
// breaking, or if another migration is pending; see [Set].
func (db Database) Status(ctx context.Context, sets ...Set) ([]Migration, error) {
	p, err := db.readPlan(sets)
	if err != nil {
		return nil, err
	}
	records, err := db.existingRecords(ctx)
	if err != nil {
		return nil, err
	}
	var list []Migration
	for _, c := range p.changes {
		list = append(list, c.status(records))
	}
	for _, r := range p.orphans(records) {
		m := r.migration()
		m.Unknown = true
		list = append(list, m)
	}
	return list, p.check(records)
}

// change is one migration of a set, rendered for this database.
type change struct {
	namespace, id, name string
	up, down            []string // the statements
	breaking            bool     // programs without its file must not run on the schema
	checksum            string   // of the up file, before rendering
}

func (c *change) String() string {
	return Migration{Namespace: c.namespace, ID: c.id, Name: c.name}.String()
}

func (c *change) status(records []record) Migration {
	for _, r := range records {
		if r.is(c) {
			m := r.migration()
			m.Name = c.name
			m.Changed = r.Checksum != c.checksum
			return m
		}
	}
	return Migration{Namespace: c.namespace, ID: c.id, Name: c.name, Breaking: c.breaking}
}

func checksum(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// apply runs one migration. If it has run already, apply does nothing and returns the zero
// Migration. If this program must not run on the schema, see [plan.check], it returns that
// error and runs nothing.
func (db Database) apply(ctx context.Context, p plan, c *change) (Migration, error) {
	var applied Migration
	err := db.locked(ctx, func(ctx context.Context, tx bun.Tx) error {
		applied = Migration{}
		records, err := readRecords(ctx, db.Kind, tx)
		if err != nil {
			return err
		}
		if err := p.check(records); err != nil {
			return err
		}
		if m := c.status(records); !m.AppliedAt.IsZero() {
			return nil
		}
		if err := runScript(ctx, tx, c.up); err != nil {
			return err
		}
		r := record{Namespace: c.namespace, ID: c.id, Name: c.name, Checksum: c.checksum, Breaking: c.breaking,
			Position: nextPosition(records), AppliedAt: time.Now().UTC().Truncate(time.Microsecond)}
		applied = r.migration()
		_, err = tx.NewInsert().Model(&r).Exec(ctx)
		return err
	})
	return applied, err
}

func (db Database) undoIn(ctx context.Context, p plan, agree func(newest *change) error) (Migration, error) {
	var undone Migration
	err := db.locked(ctx, func(ctx context.Context, tx bun.Tx) error {
		undone = Migration{}
		records, err := readRecords(ctx, db.Kind, tx)
		if err != nil {
			return err
		}
		if err := p.orphanError(records); err != nil {
			return err
		}
		c, r := p.newest(records)
		if c == nil {
			return nil
		}
		if err := agree(c); err != nil {
			return err
		}
		undone = r.migration()
		if err := runScript(ctx, tx, c.down); err != nil {
			return fmt.Errorf("sqldb: undoing migration %s: %w", c, err)
		}
		_, err = tx.NewDelete().Model(&r).WherePK().Exec(ctx)
		return err
	})
	return undone, err
}

func (p plan) newest(records []record) (found *change, of record) {
	for _, c := range p.changes {
		for _, r := range records {
			if r.is(c) && r.Position > of.Position {
				found, of = c, r
			}
		}
	}
	return found, of
}

func runScript(ctx context.Context, tx bun.Tx, statements []string) error {
	for i, s := range statements {
		if _, err := tx.Tx.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("statement %d of %d: %w", i+1, len(statements), err)
		}
	}
	return nil
}

// locked runs fn in a transaction that holds the migration lock. The lock is a write to one
// row: other processes that migrate wait until the transaction ends, at the latest with its
// connection. If the row is missing, the write inserts it. locked waits for the lock until ctx
// ends. If fn fails with an error that allows it, locked runs fn again in a new transaction.
func (db Database) locked(ctx context.Context, fn func(context.Context, bun.Tx) error) error {
	for attempt := 1; ; attempt++ {
		held := false
		err := db.inTx(ctx, func(ctx context.Context, tx bun.Tx) error {
			if err := takeLock(ctx, tx); err != nil {
				return err
			}
			held = true
			return fn(ctx, tx)
		})
		if !fault.Retries(err) || held && attempt >= fault.Attempts || !fault.Pause(ctx, attempt) {
			return err
		}
	}
}

// Beginning is the value of Backend while a transaction of a migration has not begun. On SQLite
// it then waits for another process that writes to the file.
const Beginning = -1

// inTx is InTx without the time limits of PostgreSQL for statements and for their waits for
// locks. It keeps Backend up to date.
func (db Database) inTx(ctx context.Context, fn func(context.Context, bun.Tx) error) error {
	db.Backend.Store(Beginning)
	defer db.Backend.Store(0)
	return db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var backend int64
		if db.Kind == dialect.PostgreSQL {
			var ignored string
			err := tx.NewRaw("SELECT pg_backend_pid(), set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)").
				Scan(ctx, &backend, &ignored, &ignored)
			if err != nil {
				return err
			}
		}
		db.Backend.Store(backend)
		return fn(ctx, tx)
	})
}

func takeLock(ctx context.Context, tx bun.Tx) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO trestle_migration_lock (id, held) VALUES (1, 1)
		ON CONFLICT (id) DO UPDATE SET held = trestle_migration_lock.held + 1`)
	return err
}

// rename gives the records the names of files that were renamed, so that a later version of the program may change such a file.
func (db Database) rename(ctx context.Context, p plan, records []record) error {
	for _, r := range records {
		for _, c := range p.changes {
			if !r.is(c) || r.Name == c.name {
				continue
			}
			r.Name = c.name
			if _, err := db.DB.NewUpdate().Model(&r).Column("name").WherePK().Exec(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkRecords reads the records, in a transaction of its own, and calls [plan.check].
func (db Database) checkRecords(ctx context.Context, p plan) (records []record, err error) {
	err = db.inTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if records, err = readRecords(ctx, db.Kind, tx); err != nil {
			return err
		}
		return p.check(records)
	})
	return records, err
}
