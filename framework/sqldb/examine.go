package sqldb

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb/internal/migrate"
)

// oldestPostgres is the oldest PostgreSQL that is tested.
const oldestPostgres = 15

// A Version is the name and the version of a database program.
type Version struct {
	Program string // "PostgreSQL" or "SQLite"
	Number  string // "17.2"
	Old     bool   // older than PostgreSQL 15, the oldest that is tested; always false for SQLite
}

func (v Version) String() string { return v.Program + " " + v.Number }

// Version reads the version of the database.
func (db *DB) Version(ctx context.Context) (Version, error) {
	v := Version{Program: "SQLite"}
	query := `SELECT sqlite_version()`
	if db.Kind() == PostgreSQL {
		v.Program, query = "PostgreSQL", `SELECT current_setting('server_version')`
	}
	found, err := db.Session().Read(ctx, bun.SafeQuery(query))
	if err == nil {
		err = found.Scan(0, &v.Number)
	}
	if err != nil {
		return Version{}, err
	}
	v.Number, _, _ = strings.Cut(v.Number, " ") // "17.2 (Debian 17.2-1)"
	if db.Kind() == PostgreSQL {
		v.Old, err = before(v.Number, oldestPostgres)
	}
	return v, err
}

// Commits returns a text that changes with each commit: if it is the same at two moments, no
// connection of any process committed a change between them. The reverse does not hold. On PostgreSQL it
// reads the present snapshot, on SQLite the version of the file.
func (db *DB) Commits(ctx context.Context) (string, error) {
	if db.Kind() == SQLite {
		return db.version.Now(ctx)
	}
	found, err := db.Session().Read(ctx, bun.SafeQuery(`SELECT pg_current_snapshot()::text`))
	if err != nil {
		return "", err
	}
	var text string
	return text, found.Scan(0, &text)
}

// before reports whether the first number of a version, such as "17.2" or "18beta1", is less
// than oldest. A version that does not begin with a number is an error.
func before(version string, oldest int) (bool, error) {
	var major int
	if _, err := fmt.Sscanf(version, "%d", &major); err != nil {
		return false, fmt.Errorf("sqldb: %q is no version: %w", version, err)
	}
	return major < oldest, nil
}

// WritesAhead reports whether changes go to a log first, so that readers and a writer do
// not wait for each other: always true on PostgreSQL. It is false for a SQLite database in
// a folder without shared memory, such as a network folder, for a file without a log that
// was opened with [Options.ReadOnly], and with [Options.Immutable].
func (db *DB) WritesAhead(ctx context.Context) (bool, error) {
	if db.Kind() == PostgreSQL {
		return true, nil
	}
	var mode string
	found, err := db.Session().Read(ctx, bun.SafeQuery(`PRAGMA journal_mode`))
	if err == nil {
		err = found.Scan(0, &mode)
	}
	return strings.EqualFold(mode, "wal"), err
}

// A MigrationLock is what lets one process at a time change the schema. The lock ends with
// the transaction that holds it. That transaction ends at the latest when the connection of
// its process ends.
type MigrationLock struct {
	Holder int64     // process id, on the server, of its holder; 0 if it is free, and always on SQLite
	Since  time.Time // when the holder's transaction began; zero if the server does not report it
}

// MigrationLock reports which process is changing the schema, and waits for no lock. Of
// several transactions that hold or wait for the lock, it returns the one that began first.
// It returns the zero MigrationLock if the lock is free, on SQLite, and for a database that
// was never migrated. If a part of the tables of the migrations is missing, the error is a
// [MissingRecordError].
func (db *DB) MigrationLock(ctx context.Context) (MigrationLock, error) {
	exist, err := migrate.Exist(ctx, db.Kind(), db.DB)
	if err != nil || !exist || db.Kind() == SQLite {
		return MigrationLock{}, err
	}
	var lock MigrationLock
	holders, err := db.Session().Read(ctx, bun.SafeQuery(postgresHolder))
	if err != nil || holders.Len() == 0 {
		return lock, err
	}
	var since bun.NullTime
	err = holders.Scan(0, &lock.Holder, &since)
	lock.Since = since.Time
	return lock, err
}

// A transaction that changes the row of the lock holds this lock on its table.
const postgresHolder = `
SELECT l.pid::bigint, a.xact_start FROM pg_catalog.pg_locks AS l LEFT JOIN pg_catalog.pg_stat_activity AS a USING (pid)
WHERE l.relation = to_regclass('trestle_migration_lock') AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
	AND l.mode = 'RowExclusiveLock' AND l.granted
ORDER BY a.xact_start LIMIT 1`

// A MigrationWait is the reason why a migration of this program waits now.
type MigrationWait struct {
	Holder      int64     // process id, on the server, of the process whose lock it waits for; always 0 on SQLite
	Application string    // the application_name of the holder; "" if the server does not report it
	Since       time.Time // when the holder's transaction began; zero if the server does not report it
}

// MigrationWait reports whether [DB.Migrate], [DB.MigrateDown] or [DB.UndoMigration] of this DB
// waits for another process now, and for which one. If there are several, it returns the one whose
// transaction began first. On SQLite the wait is for a process that writes to the file. On
// PostgreSQL it needs a second connection of the pool: with Options.MaxConns 1 it waits for the
// migration's.
func (db *DB) MigrationWait(ctx context.Context) (wait MigrationWait, waits bool, err error) {
	backend := db.migrating.Load()
	if backend <= 0 || db.Kind() == SQLite {
		return wait, backend == migrate.Beginning && db.Kind() == SQLite, nil
	}
	found, err := db.Session().Read(ctx, bun.SafeQuery(postgresBlocker, backend))
	if err != nil || found.Len() == 0 {
		return wait, false, err
	}
	var since bun.NullTime
	err = found.Scan(0, &wait.Holder, &wait.Application, &since)
	wait.Since = since.Time
	return wait, err == nil, err
}

const postgresBlocker = `
SELECT b.pid::bigint, coalesce(a.application_name, ''), a.xact_start
FROM unnest(pg_catalog.pg_blocking_pids(?::integer)) AS b (pid) LEFT JOIN pg_catalog.pg_stat_activity AS a USING (pid)
ORDER BY a.xact_start LIMIT 1`
