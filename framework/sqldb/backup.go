package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/uptrace/bun"
	sqlite3 "modernc.org/sqlite/lib"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/fault"
)

// CopyTo writes everything that is committed by now to a new SQLite file: a consistent copy
// in one file, without deleted data. Other statements may read meanwhile, and in WAL mode
// also write. The file at path must be absent or empty; an empty file keeps its mode. Only
// ctx limits the time. After a nil error the copy is complete, but may not be on the disk
// yet. On PostgreSQL, which has pg_dump, CopyTo returns an error.
func (db *DB) CopyTo(ctx context.Context, path string) error {
	if db.Kind() != SQLite {
		return errors.New("sqldb: only a SQLite database can be copied to a file; PostgreSQL has pg_dump")
	}
	_, err := db.DB.DB.ExecContext(connection.Unlimited(ctx), "VACUUM INTO ?", path)
	return damage(err)
}

// Contents counts the tables of a SQLite database and their rows. It omits the tables that
// SQLite keeps for itself, and virtual tables with what belongs to them, such as a search
// index.
type Contents struct {
	Tables int
	Rows   int64
}

// Verify reads a whole SQLite database and returns what it contains. It returns an error if
// the file is damaged, or if a row refers to a missing row. The error names one of the
// faults. Only ctx limits the time. On PostgreSQL it returns an error.
func (db *DB) Verify(ctx context.Context) (Contents, error) {
	if db.Kind() != SQLite {
		return Contents{}, errors.New("sqldb: only a SQLite database can be verified; PostgreSQL has pg_amcheck")
	}
	ctx = connection.Unlimited(ctx)
	if err := db.verifyPages(ctx); err != nil {
		return Contents{}, damage(err)
	}
	if err := db.verifyKeys(ctx); err != nil {
		return Contents{}, damage(err)
	}
	contents, err := db.contents(ctx)
	return contents, damage(err)
}

// verifyPages returns an error that names the first fault of the file, or nil if it has
// none.
func (db *DB) verifyPages(ctx context.Context) error {
	var found string
	if err := db.DB.DB.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("sqldb: the SQLite database is damaged: %s", strings.TrimSpace(found))
	}
	return nil
}

// verifyKeys returns an error if rows refer to rows that are not there. The error names one table
// with such rows, the table that they refer to, and how many they are.
func (db *DB) verifyKeys(ctx context.Context) error {
	var table, parent string
	var n int64
	err := db.DB.DB.QueryRowContext(ctx, `SELECT "table", coalesce(parent, ''), count(*) FROM pragma_foreign_key_check GROUP BY 1, 2`).Scan(&table, &parent, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("sqldb: the SQLite database is damaged: %d rows of %s refer to rows of %s that are not there", n, table, parent)
}

func (db *DB) contents(ctx context.Context) (Contents, error) {
	tables, err := db.ownTables(ctx)
	if err != nil {
		return Contents{}, err
	}
	held := Contents{Tables: len(tables)}
	for _, table := range tables {
		var n int64
		if err := db.NewSelect().TableExpr("?", bun.Ident(table)).ColumnExpr("count(*)").Scan(ctx, &n); err != nil {
			return Contents{}, err
		}
		held.Rows += n
	}
	return held, nil
}

func (db *DB) ownTables(ctx context.Context) ([]string, error) {
	var names []string
	err := db.NewSelect().TableExpr("pragma_table_list").Column("name").
		Where("schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'").Order("name").Scan(ctx, &names)
	return names, err
}

// ErrInUse means that another process, or another connection of this one, has the SQLite
// database open.
var ErrInUse = errors.New("sqldb: another process has the SQLite database open")

// Alone calls do, with whole true, while no other process has the SQLite database of a URL
// open, and no other process can read or write it. It returns the error of do. If another
// process, or another connection of this one, has the database open, Alone returns
// [ErrInUse] at once and does not call do. The database's log is merged into its file and
// deleted first, so do may rename the file and put another in its place. A process that
// opens the file before the rename, and waits for the lock, then finds out that the file
// was moved. An empty file becomes a database without tables, because SQLite does not check
// whether a file without a page was moved.
//
// If the file is damaged or is not a database, the log stays as it is, and do is called
// with whole false. Then the file is not locked: Alone has only checked that no other
// process has it open, and on systems other than Unix it has not checked even that. A URL
// that names no file, or a file that does not exist, is an error.
func Alone(ctx context.Context, rawURL string, do func(whole bool) error) error {
	path := File(rawURL)
	if path == "" {
		return errors.New("sqldb: Alone was called with a URL that names no SQLite file")
	}
	done := false
	err := withOnly(ctx, path, func() error {
		done = true
		return do(true)
	})
	if done || !isDamaged(err) {
		return err
	}
	if heldElsewhere(path) {
		return ErrInUse
	}
	return do(false)
}

// withOnly calls do while a connection of its own holds the file, and returns the error of
// do. If another process has the file open, it returns [ErrInUse] and does not call do. If
// the file is damaged or not a SQLite database, it returns a damageError.
func withOnly(ctx context.Context, path string, do func() error) error {
	ctx = connection.Unlimited(ctx)
	connector, err := connection.Exclusive(path)
	if err != nil {
		return err
	}
	pool := sql.OpenDB(connector)
	defer func() { _ = pool.Close() }()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return inUse(err)
	}
	defer func() { _ = conn.Close() }()
	if err := takeAlone(ctx, conn); err != nil {
		return inUse(err)
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`) }()
	return do()
}

// takeAlone removes the log and locks the file. SQLite removes the log only if no other
// process has the database open; if the log remains, takeAlone returns [ErrInUse]. It writes
// a first page to an empty file.
func takeAlone(ctx context.Context, conn *sql.Conn) error {
	if err := journal(ctx, conn, `PRAGMA journal_mode = DELETE`); err != nil {
		return err
	}
	var pages int
	if err := conn.QueryRowContext(ctx, `PRAGMA page_count`).Scan(&pages); err != nil {
		return err
	}
	if pages == 0 {
		if _, err := conn.ExecContext(ctx, `PRAGMA user_version = 0`); err != nil {
			return err
		}
	}
	if _, err := conn.ExecContext(ctx, `BEGIN EXCLUSIVE`); err != nil {
		return err
	}
	// BEGIN EXCLUSIVE does not lock out a process that opened the file after the first check
	// and made a log.
	return journal(ctx, conn, `PRAGMA journal_mode`)
}

// journal runs a pragma that returns the journal mode. It returns [ErrInUse] if the mode is
// not delete, which means that the database has a log.
func journal(ctx context.Context, conn *sql.Conn, pragma string) error {
	var mode string
	if err := conn.QueryRowContext(ctx, pragma).Scan(&mode); err != nil {
		return err
	}
	if mode != "delete" {
		return ErrInUse
	}
	return nil
}

func inUse(err error) error {
	if fault.SQLiteCode(err) == sqlite3.SQLITE_BUSY {
		return ErrInUse
	}
	return damage(err)
}

// A damageError is the error of a file that is damaged or not a SQLite database.
type damageError struct{ what string }

func (e *damageError) Error() string { return "sqldb: " + e.what }

func isDamaged(err error) bool {
	_, ok := errors.AsType[*damageError](err)
	return ok
}

// damage returns a damageError for the error of a file that is damaged or not a SQLite
// database, and any other error unchanged. [Classify] would call the error of SQLite
// [Unavailable].
func damage(err error) error {
	switch fault.SQLiteCode(err) {
	case sqlite3.SQLITE_NOTADB:
		return &damageError{"this is not a SQLite database"}
	case sqlite3.SQLITE_CORRUPT:
		return &damageError{"the SQLite database is damaged, or not all of it is there"}
	}
	return err
}
