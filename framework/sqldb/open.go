package sqldb

import (
	"database/sql/driver"
	"errors"
	"net/url"
	"runtime"
	"sync/atomic"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/address"
	"trestle.example/framework/sqldb/internal/batch"
	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/pool"
	"trestle.example/framework/sqldb/internal/postgres"
	"trestle.example/framework/sqldb/internal/recall"
	"trestle.example/framework/sqldb/internal/share"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// DB is an open database: a bun.DB whose statements are bounded in time,
// prepared and observed. It is safe for concurrent use.
type DB struct {
	*bun.DB

	options   Options
	kind      Kind
	server    *postgres.Server // nil for SQLite, and for a database of Wrap
	acquired  bool             // the connections belong to a pool of the program
	shared    *connection.Shared
	pool      *pool.Pool
	observers *observers
	reader    reader   // of the sessions of the pool
	replica   *replica // nil for none

	statements *sqltext.Builder
	sharable   sqltext.Memo[string, bool] // which statements may be shared
	inlined    sqltext.TextSet            // statements that PostgreSQL cannot type with parameters

	reads   *share.Group[*Result]      // executions that several wait for
	lookups *share.Group[keyedResults] // the same, of rows by their keys
	writes  *batch.Queue

	migrating atomic.Int64 // see migrate.Database

	counts    recall.Counts       // numbers that hold until something is committed
	version   *recall.FileVersion // of SQLite's file; nil for PostgreSQL
	uncounted sqltext.TextSet     // statements whose numbers are not remembered
}

// Open makes a DB of a URL. It checks the URL and the options, reads the certificates that
// the URL names, and creates the folder and the file of a SQLite database, unless it is opened
// with ReadOnly or Immutable. It does not need the server to be up: the first statement
// connects.
//
// The forms are
//
//	sqlite:///absolute/path.db
//	postgres://user:password@host:5432/name?sslmode=verify-full
//	postgres://user:password@host1,host2:6432/name?target_session_attrs=read-write
//
// SQLite runs with foreign keys on and every commit synced to the disk. It runs in WAL mode,
// unless it is opened with ReadOnly or Immutable. ?synchronous=normal gives up the last
// commits at a power failure for speed.
//
// PostgreSQL verifies the server's certificate and name unless the host is local or sslmode
// says otherwise. sslmode is disable, require (encrypted, not verified), verify-ca or
// verify-full. With sslrootcert, require means verify-ca, and without sslmode a local host
// is verified too. The other parameters of a PostgreSQL URL are host, port, sslrootcert,
// sslcert, sslkey, application_name, connect_timeout and target_session_attrs, as libpq has
// them. host and port may be lists. host replaces all hosts before the path. port is for
// hosts without a port. connect_timeout is for each host, in seconds; 0 means the default.
// These parameters are settings of sessions: timezone, statement_timeout, lock_timeout,
// synchronous_commit and search_path. Any other parameter is an error, and nothing of it
// reaches the server.
//
// Of several hosts each is tried in turn, for connect_timeout: 2 seconds by default and 5
// at most; the limit of a single host is 10 seconds by default. target_session_attrs says
// which of them may be used: any (the default), read-write, read-only, primary, standby or
// prefer-standby. It is checked once for each new connection. With read-write or primary
// the host of the latest connection is tried first, and when a connection leads to another
// host, the connections to the earlier host are closed.
//
// A wrong URL is an error that names the fault; the password is masked.
func Open(url string, o Options) (*DB, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	u, err := address.Parse(url)
	if err != nil {
		return nil, err
	}
	if u.Scheme == "sqlite" {
		if o.Replica != "" {
			return nil, errors.New("sqldb: Options.Replica is set, but a SQLite database has no replica; leave it out, or open a PostgreSQL database")
		}
		return openSQLite(u, o)
	}
	db, err := openPostgres(url, o)
	if err != nil || o.Replica == "" {
		return db, err
	}
	if db.replica, err = openReplica(db); err != nil {
		return nil, errors.Join(err, db.DB.Close())
	}
	return db, nil
}

func openSQLite(u *url.URL, o Options) (*DB, error) {
	mode := connection.Writes
	switch {
	case o.Immutable:
		mode = connection.Immutable
	case o.ReadOnly:
		mode = connection.ReadOnly
	}
	seen := &observers{}
	file, shared, err := connection.SQLite(u, mode, connection.Options{
		Kind: SQLite, StatementTimeout: o.StatementTimeout, Statements: o.Statements, Report: seen.report(false),
	})
	if err != nil {
		return nil, err
	}
	db := &DB{options: o, kind: SQLite, observers: seen, version: recall.NewFileVersion(file.Open)}
	return db.setUp(file, shared, sqlitedialect.New()), nil
}

func openPostgres(raw string, o Options) (*DB, error) {
	server, err := postgres.New(raw, o.server())
	if err != nil {
		return nil, err
	}
	o.NoPrepare = o.NoPrepare || o.setsLocally() // a prepared statement outlives its transaction too
	db := &DB{options: o, kind: PostgreSQL, observers: &observers{}, server: server}
	connector, shared := connection.Postgres(server, o.connections(db.observers.report(false)))
	return db.setUp(connector, shared, pgdialect.New()), nil
}

// setUp makes the pool of a database and everything that uses it, and sets the default of
// MaxConns.
func (db *DB) setUp(connector driver.Connector, shared *connection.Shared, d schema.Dialect) *DB {
	o, processors := &db.options, runtime.GOMAXPROCS(0)
	o.MaxConns = orDefault(o.MaxConns, defaultConns(db.kind, processors))
	db.shared = shared
	db.pool = pool.New(connector, shared, pool.Options{
		Kind: db.kind, Dialect: d, Conns: o.MaxConns, QueueTimeout: o.QueueTimeout, Lifetime: o.ConnMaxLifetime, Acquires: db.acquired,
	})
	db.DB = db.pool.Bun()
	db.statements = sqltext.NewBuilder(d, o.NoPrepare)
	atOnce := 1
	if db.kind == SQLite { // it runs statements on the processors of this process
		atOnce = processors
	}
	db.reads, db.lookups = share.New[*Result](db.pool.Slots, atOnce), share.New[keyedResults](db.pool.Slots, atOnce)
	db.writes = batch.New(db.pool, batch.Options{
		Kind: db.kind, StatementTimeout: o.StatementTimeout, Conns: o.MaxConns, Deadline: shared.Deadline, InTx: db.retryTx,
	})
	db.reader = poolReader{db}
	return db
}

// Kind returns which database this is.
func (db *DB) Kind() Kind { return db.kind }

// Close closes the connections, also those to the replica. A statement that runs keeps its
// connection until it ends; later statements fail. Closing twice is harmless.
func (db *DB) Close() error {
	return errors.Join(db.replica.close(), db.version.Close(), db.DB.Close())
}

// ObserveAway registers a function for changes of the server of a PostgreSQL database. It
// is called with the reason when the server stops answering or connecting to it fails, and
// with nil when it answers again. Meanwhile a statement that needs a new connection fails
// at once, with a fault that is [Unavailable]. The function must be fast and must not use
// the database. It is not called for SQLite, which has no server, nor for a database of [Wrap].
func (db *DB) ObserveAway(fn func(why error)) { db.server.ObserveAway(fn) }
