package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"trestle.example/framework/sqldb/internal/connection"
)

// wrapTimeout limits how long Wrap waits for the answer of SQLite.
const wrapTimeout = 10 * time.Second

// Wrap makes a DB of a pool that the program has opened, by any driver of PostgreSQL, or by a
// driver of SQLite for a file. For a *bun.DB, pass its field DB. The program keeps the pool:
// it may use it beside, and closes it after [DB.Close], which does not.
//
// On PostgreSQL, a statement or a transaction takes a connection of the pool and gives it back.
// [DB.Lacks] says what needs connections of our own and is therefore off. MaxConns must be less
// than the limit of the pool, and defaults to 16 or to one less than that limit. LockTimeout,
// SetLocal, ReadOnly, Immutable and Replica must not be set: give the role its limits, as in
//
//	ALTER ROLE app SET statement_timeout = '10s'; ALTER ROLE app SET lock_timeout = '5s'
//
// The time zone of the sessions may be any. With pgx, set default_query_exec_mode=exec or
// simple_protocol: without it, pgx prepares each different text.
//
// On SQLite, Wrap reads the path of the file from the pool and opens that file with connections of its own, so that
// nothing is off. Every driver is fine; a database in memory is an error.
func Wrap(kind Kind, pool *sql.DB, o Options) (*DB, error) {
	switch {
	case pool == nil:
		return nil, errors.New("sqldb.Wrap: the pool is nil; open it with sql.Open")
	case kind == SQLite:
		return wrapSQLite(pool, o)
	case kind != PostgreSQL:
		return nil, errors.New("sqldb.Wrap: the kind is neither sqldb.PostgreSQL nor sqldb.SQLite")
	}
	if err := o.checkAcquired(); err != nil {
		return nil, err
	}
	asked := o.MaxConns
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if o.MaxConns, err = acquiredConns(asked, pool.Stats().MaxOpenConnections); err != nil {
		return nil, err
	}
	o.NoPrepare = true
	db := &DB{options: o, kind: PostgreSQL, observers: &observers{}, acquired: true}
	connector, shared := connection.Acquired(pool, o.connections(db.observers.report(false)))
	return db.setUp(connector, shared, pgdialect.New()), nil
}

// checkAcquired returns an error for an option that needs connections of our own.
func (o Options) checkAcquired() error {
	for name, set := range map[string]bool{
		"LockTimeout": o.LockTimeout != 0, "SetLocal": o.SetLocal, "ReadOnly": o.ReadOnly, "Immutable": o.Immutable, "Replica": o.Replica != "",
	} {
		if set {
			return fmt.Errorf("sqldb.Wrap: Options.%s needs connections that are opened here; leave it out, or open the database with sqldb.Open", name)
		}
	}
	return nil
}

// acquiredConns returns MaxConns for a pool with a limit, 0 for none. One connection stays free,
// for a request that holds one and needs a second one.
func acquiredConns(asked, limit int) (int, error) {
	usual := defaultConns(PostgreSQL, 0)
	switch {
	case limit == 0:
		return orDefault(asked, usual), nil
	case limit < 2:
		return 0, fmt.Errorf("sqldb.Wrap: the pool has at most %d connections; it needs 2 or more, because a request may need a second one: call SetMaxOpenConns", limit)
	case asked >= limit:
		return 0, fmt.Errorf("sqldb.Wrap: Options.MaxConns is %d, but the pool has at most %d connections; set MaxConns to %d or less, or call SetMaxOpenConns", asked, limit, limit-1)
	}
	return orDefault(asked, min(usual, limit-1)), nil
}

// wrapSQLite opens the file of a pool.
func wrapSQLite(pool *sql.DB, o Options) (*DB, error) {
	ctx, cancel := context.WithTimeout(context.Background(), wrapTimeout)
	defer cancel()
	var number int
	var name, file string
	err := pool.QueryRowContext(ctx, "SELECT seq, name, file FROM pragma_database_list WHERE name = 'main'").Scan(&number, &name, &file)
	switch {
	case err != nil:
		return nil, fmt.Errorf("sqldb.Wrap: asking the pool for its file: %w", err)
	case file == "":
		return nil, errors.New("sqldb.Wrap: the database is in memory, which other connections cannot open; use a file")
	}
	at := &url.URL{Scheme: "sqlite", Path: "/" + strings.TrimPrefix(file, "/")}
	return Open(at.String(), o)
}

// Lacks says, in a sentence each, what a database of [Wrap] lacks. It is empty for a database of
// [Open].
func (db *DB) Lacks() []string {
	if !db.acquired {
		return nil
	}
	return []string{
		"statements are not prepared, and reads of different rows do not share an execution",
		"the limits of statements and of waits for locks are those of the role; here a statement only ends at the deadline of its request, as far as the driver notices it",
		"a server that stops answering is noticed by the statements that wait for it",
	}
}
