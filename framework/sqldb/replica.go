package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/address"
	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/postgres"
	"trestle.example/framework/sqldb/internal/recall"
	"trestle.example/framework/sqldb/internal/share"
	"trestle.example/framework/sqldb/internal/sqltext"
	"trestle.example/framework/sqldb/internal/standby"
)

// A replica answers the reads of a session instead of the primary, where it may.
type replica struct {
	primary *DB
	db      *DB // of its own, so that nothing of the two is mixed up
	standby *standby.Standby
	runs    *standby.Runs
}

// openReplica makes the replica of a database; it connects to nothing yet.
func openReplica(primary *DB) (*replica, error) {
	o := primary.options
	raw, changed := o.Replica, o.ReplicaChanged
	u, err := address.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("sqldb: Options.Replica: %w", err)
	}
	if u.Scheme == "sqlite" {
		return nil, fmt.Errorf("sqldb: Options.Replica is the URL of a SQLite file; write for example %s", address.PostgresExample)
	}
	o.Replica, o.ReplicaChanged, o.NoPrepare = "", nil, false
	ofServer := o.server()
	ofServer.Replica = true
	server, err := postgres.New(raw, ofServer)
	if err != nil {
		return nil, fmt.Errorf("sqldb: Options.Replica: %w", err)
	}
	// Statements are prepared, except with SetLocal and ReadOnly: a pooler, if there is one, is
	// before the primary. Only statements that read are sent to the replica, see takes.
	o.NoPrepare = o.setsLocally()
	runs, conns := &standby.Runs{}, o.connections(primary.observers.report(true))
	conns.Runs = runs
	connector, shared := connection.Postgres(server, conns)
	db := &DB{options: o, kind: PostgreSQL, observers: &observers{}, server: server}
	return &replica{primary: primary, runs: runs, db: db.setUp(connector, shared, pgdialect.New()), standby: standby.New(standby.Options{
		Primary: primary.pool, Connector: connector, Runs: runs, Lifetime: o.ConnMaxLifetime, Changed: changed,
	})}, nil
}

func (r *replica) close() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.standby.Close(), r.db.Close())
}

// Replica returns a session whose Read, ReadBy, Count and CountText the replica may answer,
// see [Options.Replica]. Without a replica, and in a transaction, it returns the session
// itself. Each such read returns every write that was committed before it began. It waits
// at most 50 ms for the replica to replay these writes; then the primary answers. If a
// connection to the replica was made meanwhile, it waits and reads again, up to three
// times in all. The primary does not answer if the statement ran or waited for a lock too
// long on the replica, or if the pool of the replica is full: then the read fails. It also
// fails if the pool of the primary is full, because each read first reads from the primary how
// far its log goes.
// Statements that write, lock, or call a function whose result may differ between servers
// go to the primary, and so do Query, Exec, Write and [Session.IDB].
func (s *Session) Replica() *Session {
	if s.tx != nil || s.db.replica == nil {
		return s
	}
	return &Session{db: s.db, reader: s.db.replica}
}

func (r *replica) read(ctx context.Context, q schema.QueryAppender) (*Result, error) {
	primary := func() (*Result, error) { return r.primary.reader.read(ctx, q) }
	text, args, err := r.db.statements.Render(q)
	if err != nil || !r.takes(text) {
		return primary()
	}
	ask := func(ctx context.Context) (*Result, error) {
		return r.db.readShared(connection.Prepare(ctx), text, args)
	}
	return standby.Either(ctx, r.standby, text, func(p standby.Position) (*Result, error) { return standby.CaughtUp(ctx, r.standby, p, ask) }, primary)
}

func (r *replica) readBy(ctx context.Context, l *Lookup, key any, most int64, values ...any) (*Result, error) {
	primary := func() (*Result, error) { return r.primary.reader.readBy(ctx, l, key, most, values...) }
	one, _ := sqltext.Of(l)
	t := r.db.statements.Template(one)
	if t.Err != nil || !r.takes(t.Text) {
		return primary()
	}
	ask := func(ctx context.Context) (*Result, error) {
		return r.db.reader.readBy(ctx, l, key, most, values...)
	}
	return standby.Either(ctx, r.standby, t.Text, func(p standby.Position) (*Result, error) { return standby.CaughtUp(ctx, r.standby, p, ask) }, primary)
}

// count is [Session.Count]. If the snapshot that comes with the position of the primary is
// that of a known number, it returns that number, and nothing is counted.
//
// Otherwise the replica counts. The number is kept with that snapshot if everything in the
// snapshot is in the log up to the position, and so in the replica. The number may include
// later commits. Then the primary has another snapshot by now, and the number is not
// repeated.
func (r *replica) count(ctx context.Context, q schema.QueryAppender) (driver.Value, error) {
	primary := func() (driver.Value, error) { return r.primary.reader.count(ctx, q) }
	text, args, err := r.db.statements.Render(q)
	if err != nil || !r.takes(text) {
		return primary()
	}
	ask := func(ctx context.Context) (driver.Value, error) {
		found, err := r.db.readShared(connection.Prepare(ctx), text, args)
		if err != nil {
			return nil, err
		}
		return countOf(found)
	}
	key := share.KeyOf(text, args)
	return standby.Either(ctx, r.standby, text, func(p standby.Position) (driver.Value, error) {
		if known := r.primary.counts.Of(key); known.Snapshot == p.Snapshot {
			return known.Value, nil
		}
		n, err := standby.CaughtUp(ctx, r.standby, p, ask)
		if err == nil && p.Settled {
			r.primary.counts.Keep(key, recall.NewCount(p.Snapshot, n))
		}
		return n, err
	}, primary)
}

// takes reports whether a statement may go to the replica: it only reads, and the replica
// has not rejected it before.
func (r *replica) takes(text string) bool {
	return r.db.sharable.Of(text, sqltext.Sharable) && !r.standby.Rejected(text)
}
