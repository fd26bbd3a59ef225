package sqldb

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/migrate"
)

// Migrations is a set of schema changes in a namespace of its own, so that
// the ids of a framework and of its application never collide. FS holds at its
// root, for each change, the pair of files
//
//	<digits>_<name>.tx.up.sql
//	<digits>_<name>.tx.down.sql
//
// in bun's naming: the digits are the id, changes run in the order of their
// ids' numbers, and each runs in one transaction. A line --bun:split separates
// statements that must be sent apart. Each file is a template; see
// [DB.Migrate] for its functions. A file that ends in .sql and has another
// name is an error; other files are ignored.
//
// A program starts on a schema that a newer version of it has migrated, and keeps running
// on it, if none of its own migrations is pending. So new migrations should only add
// what an older program does not need. If an older program cannot run on the new schema,
// add the line --trestle:breaking to the up file. The line is recorded in the database,
// and a program without that file then does not start. Migrations of a namespace that a program does not have are those of
// another program in the same database, and do not count.
type Migrations = migrate.Set

// Migration is one schema change and what has become of it. AppliedAt is zero while it
// is pending. Changed: its up file differs from what was applied. Unknown: another version of
// the program applied it, and it has no file here. Breaking: programs without its file must
// not run on the schema, by its line --trestle:breaking. String returns its namespace, id and
// name.
type Migration = migrate.Migration

// A MissingRecordError is an error of migrations: the database lacks a table that records
// them, or a column of one, although something was migrated. Column is "" for a table.
// IsLock reports whether only the table of the lock, which contains no data, is missing or
// incomplete.
type MissingRecordError = migrate.MissingRecordError

// An OtherVersionError is an error of migrations: another version of the program applied
// migrations that this program does not have, and this program must not run on the schema,
// or must not undo a migration of it. Migrations lists them. Breaking: they are marked as
// breaking. Same lists those migrations of this program that have the number of one of them, "" for none.
type OtherVersionError = migrate.OtherVersionError

// Migrate applies every pending migration, set by set and in the order of their ids, and
// calls report, which may be nil, after each with the time it took. It stops at the first
// that fails; those before it stay applied, and nothing of the failed one does. Any number
// of processes may migrate at once: each migration runs once, and no process fails because
// of another. A migration may take as long as it needs, while ctx lasts.
//
// Before a migration runs, all files are read and checked: an id given twice, a missing up
// or down file or a fault in a template is an error. An applied migration without its file
// is an error if it is breaking, or if another migration is pending; see [Migrations].
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
// On SQLite {{id}} adds a column _row, which ties the rows to their search index. On
// PostgreSQL searchIndex installs the extension pg_trgm, and takes a third word. "gin", the
// default, finds two or three times as fast. "gist" is for a table that is written all the
// time, because now and then a write to a gin index waits some 50 ms while PostgreSQL sorts
// earlier writes into the index.
func (db *DB) Migrate(ctx context.Context, report func(Migration, time.Duration), sets ...Migrations) error {
	return db.migrations().Migrate(connection.Unlimited(ctx), report, sets...)
}

// CheckMigrations reads the files of the sets, for PostgreSQL and for SQLite, and returns the first
// mistake that [DB.Migrate] would return before it runs a statement: a wrong name, a missing file
// or a wrong template. It needs no database and checks no SQL.
func CheckMigrations(sets ...Migrations) error { return migrate.Check(sets) }

// MigrateDown undoes the newest applied migration of the sets, by its down file in one
// transaction, and returns it. If that fails, nothing is undone. With none applied it undoes
// nothing and returns the zero Migration. An applied migration of the sets without its file
// is an error. report is called after the migration was undone, with the time it took; it
// may be nil.
func (db *DB) MigrateDown(ctx context.Context, report func(Migration, time.Duration), sets ...Migrations) (Migration, error) {
	return db.migrations().Down(connection.Unlimited(ctx), report, sets...)
}

// UndoMigration is [DB.MigrateDown] for the one migration m, which the user has
// confirmed. It must be the newest applied one of the sets, see [DB.NewestMigration].
// If another migration is the newest by then, or none is applied, UndoMigration returns
// an error and undoes nothing.
func (db *DB) UndoMigration(ctx context.Context, m Migration, sets ...Migrations) error {
	return db.migrations().Undo(connection.Unlimited(ctx), m, sets...)
}

// NewestMigration returns the migration that [DB.MigrateDown] would undo: the last one of
// the sets in the order in which they were applied. The clock does not matter. With none
// applied it returns the zero Migration. An applied migration of the sets without its file
// is an error, as for MigrateDown. It changes nothing.
func (db *DB) NewestMigration(ctx context.Context, sets ...Migrations) (Migration, error) {
	return db.migrations().Newest(ctx, sets...)
}

// MigrationStatus lists the migrations of the sets in the order in which they
// run. It changes nothing and works where nothing was ever migrated. Applied
// migrations without a file come last. They are an error beside the list if one is
// breaking, or if another migration is pending; see [Migrations].
func (db *DB) MigrationStatus(ctx context.Context, sets ...Migrations) ([]Migration, error) {
	return db.migrations().Status(ctx, sets...)
}

func (db *DB) migrations() migrate.Database {
	inTx := func(ctx context.Context, fn func(context.Context, bun.Tx) error) error {
		return db.pool.InTx(ctx, db.DB, func(ctx context.Context, tx *bun.Tx) error { return fn(ctx, *tx) })
	}
	return migrate.Database{Kind: db.Kind(), DB: db.DB, InTx: inTx, Backend: &db.migrating, Changed: db.shared.Renew}
}
