package sqldb

import (
	"context"
	"fmt"
	"time"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/postgres"
)

// Options tunes how a database is used. The zero Options is a good start.
type Options struct {
	// MaxConns is how many connections statements and transactions use at once. The
	// pool has one connection more, for a statement of a request that already holds
	// one. SQLite uses them for readers and adds one for the writer, and one that
	// reads the version of the file for [Session.Count]. Defaults to 16; on SQLite,
	// which runs its statements on the processors of this process, to two for each
	// processor, from 4 to 16.
	MaxConns int

	// StatementTimeout ends a statement, also if its context has a later deadline (on
	// PostgreSQL not with NoPrepare). On PostgreSQL it is the server's
	// statement_timeout, unless NoPrepare is on, a pooler is between (see
	// [DB.LooksPooled]), or the URL sets another; a statement
	// whose context has no deadline gets one a second later. On SQLite it includes
	// the wait for a lock of another process, except at the beginning of a
	// transaction whose context has a deadline. Defaults to 10 seconds.
	StatementTimeout time.Duration

	// LockTimeout ends a statement on PostgreSQL that waits for a lock of another
	// transaction for this time. So one locked row does not occupy every connection
	// until StatementTimeout. It must be less than StatementTimeout. Defaults to 5
	// seconds, or half of StatementTimeout if that is shorter. It has no effect with
	// NoPrepare, if a pooler is between, or if the URL sets lock_timeout, and none on
	// SQLite, which has no such locks: its writers queue.
	LockTimeout time.Duration

	// QueueTimeout is how long a request waits for connections, in all its waits
	// together. Then its statement fails, see [IsOverloaded], and was not run. The
	// time to make a connection does not count, nor the time of statements and
	// transactions that have one. Work that belongs to no request waits until the
	// deadline of its context, or about StatementTimeout without one; a migration
	// waits as long as its context lasts. Defaults to 2 seconds.
	QueueTimeout time.Duration

	// ConnMaxLifetime is the age at which a connection is replaced.
	// Defaults to 30 minutes.
	ConnMaxLifetime time.Duration

	// NoPrepare sends the statements of a Session as text, quoted by bun, and leaves
	// the server's session settings alone, except the time zone: statement_timeout
	// and lock_timeout then belong to the role. A URL that sets a setting of
	// sessions, except timezone, is an error. NoPrepare is for poolers that give a
	// connection to each transaction. Defaults to false: statements are prepared.
	NoPrepare bool

	// SetLocal sets nothing for a session of PostgreSQL and prepares nothing, so a
	// pooler hands nothing to the next client. Each transaction sets the time zone and
	// the limits for itself, and each statement outside of a transaction gets one. That
	// is three more round trips for each such statement, so it is for commands and not
	// for servers. Defaults to false.
	SetLocal bool

	// ReadOnly opens a SQLite file for reading only: the file is not created, and its journal
	// is not changed. On PostgreSQL each transaction is READ ONLY, and
	// SetLocal is on. Defaults to false.
	ReadOnly bool

	// Immutable opens a SQLite file that no process writes: ReadOnly, and files beside
	// it, such as a log, are neither read nor created. Defaults to false.
	Immutable bool

	// WritesApart makes [Session.Write] send each write by itself. Defaults to false.
	WritesApart bool

	// Replica is the URL of a streaming standby of this PostgreSQL database. It answers
	// the reads of [Session.Replica]. Each answer includes every write that was
	// committed before the read began, in any process. The primary answers instead of a
	// replica that is behind, unavailable or promoted. The replica has a pool like that
	// of the primary, and one connection more. Connect to it directly, not by a pooler
	// that gives a connection to each transaction: its statements are prepared even
	// with NoPrepare, though not with ReadOnly.
	//
	// Reads may lack a transaction that turned synchronous_commit off for itself alone
	// until it is flushed. Defaults to no replica.
	Replica string

	// ReplicaChanged is called with nil when reads begin to go to the replica, and with
	// the reason when they go to the primary instead. The first check of the replica is
	// reported in any case. Calls are in order and do not
	// overlap. It must be fast, and must not use the DB. Defaults to no function.
	ReplicaChanged func(error)

	// Statements is how many prepared statements each connection keeps; the
	// least recently used one is closed when a new one needs its place.
	// Defaults to 256.
	Statements int
}

func (o Options) withDefaults() (Options, error) {
	if o.MaxConns < 0 || o.StatementTimeout < 0 || o.LockTimeout < 0 || o.QueueTimeout < 0 || o.ConnMaxLifetime < 0 || o.Statements < 0 {
		return o, fmt.Errorf("sqldb: Options hold a negative value (MaxConns %d, StatementTimeout %s, LockTimeout %s, QueueTimeout %s, ConnMaxLifetime %s, Statements %d); use 0 for the default",
			o.MaxConns, o.StatementTimeout, o.LockTimeout, o.QueueTimeout, o.ConnMaxLifetime, o.Statements)
	}
	o.StatementTimeout = orDefault(o.StatementTimeout, 10*time.Second)
	if o.LockTimeout >= o.StatementTimeout {
		return o, fmt.Errorf("sqldb: LockTimeout is %s; it must be less than StatementTimeout, %s, which ends the wait for a lock too", o.LockTimeout, o.StatementTimeout)
	}
	o.LockTimeout = orDefault(o.LockTimeout, min(5*time.Second, o.StatementTimeout/2))
	o.QueueTimeout = orDefault(o.QueueTimeout, 2*time.Second)
	o.ConnMaxLifetime = orDefault(o.ConnMaxLifetime, 30*time.Minute)
	o.Statements = orDefault(o.Statements, 256)
	return o, nil
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// defaultConns returns the default of [Options.MaxConns] for a process that has so many processors.
func defaultConns(k Kind, processors int) int {
	const most = 16
	if k == SQLite { // more would only compete with the requests for the processors
		return min(max(4, 2*processors), most)
	}
	return most
}

// setsLocally reports whether each transaction of PostgreSQL sets what it needs for itself.
func (o Options) setsLocally() bool { return o.SetLocal || o.ReadOnly }

// server returns the options of a PostgreSQL server.
func (o Options) server() postgres.Options {
	return postgres.Options{
		StatementTimeout: o.StatementTimeout, LockTimeout: o.LockTimeout, NoPrepare: o.NoPrepare, SetsLocally: o.setsLocally(),
	}
}

// connections returns the options of the connections to PostgreSQL.
func (o Options) connections(report func(context.Context, connection.Statement)) connection.Options {
	return connection.Options{
		Kind: PostgreSQL, StatementTimeout: o.StatementTimeout, Statements: o.Statements, Report: report,
		NoPrepare: o.NoPrepare, SetsLocally: o.setsLocally(), ReadOnly: o.ReadOnly,
	}
}
