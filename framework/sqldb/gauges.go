package sqldb

import (
	"context"
	"database/sql"
	"time"
)

// Limits are what an open database allows, as [Options] set it.
type Limits struct {
	Conns            int // connections of the pool; the writer of SQLite has one more
	QueueTimeout     time.Duration
	StatementTimeout time.Duration
	LockTimeout      time.Duration // of PostgreSQL
}

// Limits returns what the database allows. It is safe for concurrent use.
func (db *DB) Limits() Limits {
	o := db.core.options
	return Limits{Conns: o.MaxConns, QueueTimeout: o.QueueTimeout, StatementTimeout: o.StatementTimeout, LockTimeout: o.LockTimeout}
}

// ReplicaStats are the numbers of the replica at one moment.
type ReplicaStats struct {
	Used  bool       // reads go to the replica
	Queue QueueStats // of its pool
	Pool  sql.DBStats
	// Lag is how many bytes of the primary's log the replica has not replayed; -1 if
	// the primary or the replica did not answer.
	Lag int64
}

// ReplicaStats asks the primary and the replica how far they are, for as long as ctx
// lasts; nil without a replica, see [Options.Replica]. It is safe for concurrent use.
func (db *DB) ReplicaStats(ctx context.Context) *ReplicaStats {
	r := db.replica
	if r == nil {
		return nil
	}
	stats := &ReplicaStats{Used: r.mayRead(), Queue: r.db.QueueStats(), Pool: r.db.Stats(), Lag: -1}
	p, err := r.position(ctx)
	if err != nil {
		return stats
	}
	at, err := r.asked(ctx)
	if err != nil {
		return stats
	}
	stats.Lag = max(0, int64(p.lsn-at.lsn)) //nolint:gosec // below zero for a replica that is ahead of what was asked first
	return stats
}
