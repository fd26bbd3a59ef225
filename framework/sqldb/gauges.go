package sqldb

import (
	"context"
	"database/sql"
	"time"
)

// Limits are what an open database allows, as [Options] set it.
type Limits struct {
	Conns            int // connections that statements and transactions use at once; the writer of SQLite has one more
	QueueTimeout     time.Duration
	StatementTimeout time.Duration
	LockTimeout      time.Duration // of PostgreSQL
}

// Limits returns what the database allows. It is safe for concurrent use.
func (db *DB) Limits() Limits {
	o := db.options
	return Limits{Conns: o.MaxConns, QueueTimeout: o.QueueTimeout, StatementTimeout: o.StatementTimeout, LockTimeout: o.LockTimeout}
}

// ReplicaStats are the numbers of the replica at one moment.
type ReplicaStats struct {
	Used  bool       // reads go to the replica
	Queue QueueStats // of its pool
	Pool  sql.DBStats
	// Lag is how many bytes of the primary's log the replica has not replayed; -1 if
	// the primary or the replica did not answer, or the replica was promoted.
	Lag int64
}

// ReplicaStats reads from the primary and the replica how far they are, within the deadline
// of ctx; the replica must answer within 50 ms. If one of them does not answer, or the
// replica was promoted, Lag is -1. If reads do not go to the replica, ReplicaStats starts a
// check of the replica, as a read does. It returns nil without a replica, see
// [Options.Replica]. It is safe for concurrent use.
func (db *DB) ReplicaStats(ctx context.Context) *ReplicaStats {
	r := db.replica
	if r == nil {
		return nil
	}
	stats := &ReplicaStats{Used: r.standby.MayRead(), Queue: r.db.QueueStats(), Pool: r.db.Stats(), Lag: -1}
	if lag, err := r.standby.Lag(ctx); err == nil {
		stats.Lag = lag
	}
	return stats
}

// QueueStats are how many connections are held by statements and transactions, how many
// of these wait for one, and how many waited too long or were shed so far.
type QueueStats struct {
	Used, Waiting int
	Shed          int64
}

// QueueStats returns the numbers of this moment. It is safe for concurrent use.
func (db *DB) QueueStats() QueueStats {
	all, writer := db.pool.Slots.Stats(), db.pool.Writer.Stats() // PostgreSQL does not use the writer's
	return QueueStats{Used: all.Used + writer.Used, Waiting: all.Waiting + writer.Waiting, Shed: all.Shed + writer.Shed}
}
