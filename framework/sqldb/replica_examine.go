package sqldb

import (
	"context"

	"github.com/uptrace/bun"
)

// A Standby is the state of a replica, as [DB.Standby] finds it.
type Standby struct {
	Version  Version
	Link     Link
	Promoted bool  // it is not in recovery, so it is not a standby
	Pooled   bool  // a pooler is between, see [DB.LooksPooled]
	Stranger bool  // the standby of another primary; false if a server hides its identifier
	Behind   int64 // bytes of the primary's log that it has not replayed
	MaxConns int   // how many connections it accepts from all clients together
}

const standbyState = `SELECT NOT pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn()::text, '0/0'), current_setting('max_connections')::bigint`

// Standby reads from the replica, [Options.Replica], its state, and from the primary how far
// behind the replica is. It returns nil and no error without a replica. If one of the two
// does not answer, it returns the error.
func (db *DB) Standby(ctx context.Context) (*Standby, error) {
	r := db.replica
	if r == nil {
		return nil, nil
	}
	s := &Standby{Link: r.db.Link()}
	var err error
	if s.Version, err = r.db.Version(ctx); err != nil {
		return nil, err
	}
	if s.Pooled, err = r.db.LooksPooled(ctx); err != nil {
		return nil, err
	}
	if s.Stranger, err = r.standby.Stranger(ctx); err != nil {
		return nil, err
	}
	p, err := r.standby.Position(ctx)
	if err != nil {
		return nil, err
	}
	found, err := r.db.Session().Read(ctx, bun.SafeQuery(standbyState))
	if err != nil {
		return nil, err
	}
	var lsn string
	if err := found.Scan(0, &s.Promoted, &lsn, &s.MaxConns); err != nil {
		return nil, err
	}
	s.Behind, err = p.Behind(lsn)
	return s, err
}
