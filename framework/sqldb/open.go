package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/sqldb/internal/address"
)

// DB is an open database: a bun.DB whose statements are bounded in time,
// prepared and observed. It is safe for concurrent use.
type DB struct {
	*bun.DB

	core    *core
	dialect schema.Dialect
	slots   *fair.Queue          // for the connections of the pool
	writer  *fair.Queue          // for SQLite's one writer, which has a connection of its own
	inlined textSet              // statements that PostgreSQL cannot type with parameters
	reads   shares[*Result]      // executions that several wait for
	lookups shares[keyedResults] // the same, of rows by their keys

	sharable  memo[string, bool]      // which statements may be shared
	writes    writes                  // statements that run, and those that wait for them
	joins     memo[joinedKey, string] // of writes that are sent together
	apart     textSet                 // writes that are not
	isolation atomic.Pointer[string]  // of transactions, when it was asked for
	counts    counts                  // numbers that hold until something is committed
	version   *fileVersion            // of SQLite's file; nil for PostgreSQL
	uncounted textSet                 // statements whose numbers are not remembered
	pages     pages                   // statements with the place of a page in their text

	templates sync.Map // *built by *Template
	replica   *replica // nil for none
}

// core is what the connections of one DB share.
type core struct {
	kind       Kind
	link       Link
	options    Options
	observers  observers
	generation atomic.Uint64     // raised when prepared statements went stale
	pulse      *pulse            // nil for SQLite
	anywhere   bool              // see [DB.LeadsAnywhere]
	settings   map[string]string // of sessions of PostgreSQL
	notices    atomic.Bool       // PostgreSQL knows noticeLeaving
	standby    *replica          // of the connections to a replica: that; else nil
}

// Open makes a DB of a URL. It checks the URL and creates the folder and the
// file of a SQLite database, but does not need the server to be up: the first
// statement connects.
//
// The forms are
//
//	sqlite:///absolute/path.db
//	postgres://user:password@host:5432/name?sslmode=verify-full
//	postgres://user:password@host1,host2:6432/name?target_session_attrs=read-write
//
// SQLite runs in WAL mode with foreign keys on and every commit synced to the
// disk; ?synchronous=normal gives up the last commits at a power failure for
// speed. PostgreSQL verifies the server's certificate and name unless the host
// is local or sslmode says otherwise; sslmode is disable, require (encrypted,
// not verified), verify-ca or verify-full. The other parameters of a PostgreSQL URL
// are host and port, which may be lists and stand in for absent ones, sslrootcert,
// sslcert, sslkey, application_name, connect_timeout (for each host, in seconds) and
// target_session_attrs, all as libpq has them, and these settings of sessions:
// timezone, statement_timeout, lock_timeout, synchronous_commit and search_path. Any
// other is an error, and nothing of it reaches the server.
//
// Of several hosts each is tried in turn, for connect_timeout: 2 seconds by default
// and 5 at most; the limit of a single host is 10 seconds by default. target_session_attrs
// says which of them may be used: any (the default), read-write, read-only, primary,
// standby or prefer-standby. It is checked once for each new connection. With
// read-write or primary the host of the latest connection is tried first, and when
// another host takes its place the connections to the host before are closed.
//
// A wrong URL is an error that names the fault; the password is masked.
func Open(url string, o Options) (*DB, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	c := &core{options: o}
	connector, err := c.connector(url)
	if err != nil {
		return nil, err
	}
	c.options.NoPrepare = o.NoPrepare || c.setsLocally() // a prepared statement outlives its transaction too
	c.options.MaxConns = orDefault(o.MaxConns, c.kind.conns(runtime.GOMAXPROCS(0)))
	db := newDB(c, connector)
	if o.Replica != "" {
		if db.replica, err = openReplica(db, c.options); err != nil {
			return nil, errors.Join(err, db.DB.Close())
		}
	}
	return db, nil
}

func newDB(c *core, connector driver.Connector) *DB {
	db := &DB{core: c, dialect: c.dialect(), slots: c.newQueue(c.options.MaxConns), writer: c.newQueue(1)}
	if file, ok := connector.(*sqliteConnector); ok { // SQLite runs statements on the processors of this process
		db.version = &fileVersion{open: file.open}
		db.reads.atOnce, db.lookups.atOnce = runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0)
	}
	db.reads.slots, db.lookups.slots = db.slots, db.slots
	db.DB = bun.NewDB(c.pool(connector), db.dialect, bun.WithConnResolver(slotted{db}))
	return db
}

// Kind tells which database this is.
func (db *DB) Kind() Kind { return db.core.kind }

// Close closes the connections. Statements that run are ended; later ones
// fail. Closing twice is harmless.
func (db *DB) Close() error {
	if db.replica == nil {
		return errors.Join(db.version.close(), db.DB.Close())
	}
	return errors.Join(db.replica.close(), db.DB.Close())
}

func (c *core) connector(raw string) (driver.Connector, error) {
	u, err := address.Parse(raw)
	if err != nil {
		return nil, err
	}
	if u.Scheme == "sqlite" {
		c.kind, c.link = SQLite, Link{Local: true}
		return newSQLiteConnector(c, u)
	}
	c.kind = PostgreSQL
	return newPostgresConnector(c, raw)
}

func (c *core) dialect() schema.Dialect {
	if c.kind == SQLite {
		return sqlitedialect.New()
	}
	return pgdialect.New()
}

func (c *core) pool(connector driver.Connector) *sql.DB {
	n := c.options.MaxConns + 1 // for a request that holds a connection and needs a second one
	if c.kind == SQLite {
		n++
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	pool.SetConnMaxLifetime(c.options.ConnMaxLifetime)
	return pool
}

// deadline gives a context without a deadline the default one. On PostgreSQL the
// server ends the statement first, which keeps the connection.
func (c *core) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok || ctx.Value(unlimitedKey{}) != nil {
		return ctx, func() {}
	}
	limit := c.options.StatementTimeout
	if c.kind == PostgreSQL {
		limit += time.Second
	}
	return context.WithTimeout(ctx, limit)
}

// limited ends a context after StatementTimeout, or at its own deadline if that is
// sooner. It is for SQLite, which has no statement_timeout of its own.
func (c *core) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := c.options.StatementTimeout
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= limit || ctx.Value(unlimitedKey{}) != nil {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}

// unlimitedKey marks a context whose statements take as long as they need.
type unlimitedKey struct{}

func unlimited(ctx context.Context) context.Context {
	return context.WithValue(ctx, unlimitedKey{}, true)
}
