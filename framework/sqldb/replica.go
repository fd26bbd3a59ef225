package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/address"
	"trestle.example/framework/sqldb/internal/fault"
)

// A replica is a standby of the database that answers reads in its place, and
// never with less than what was committed before they asked. Each read learns how
// far the primary's log goes and waits until the replica has replayed it that far.
//
// What is known of how far it is holds for one run of one server. So it is
// forgotten whenever a connection is made, and a read during which one was made is
// made again: a server that was started anew may for a while have less than before.
type replica struct {
	primary *DB
	db      *DB     // of its own, so that nothing of the two is mixed up
	watch   *sql.DB // one connection more to ask how far it is, which no read holds up

	positions shares[position]          // of the primary
	progress  shares[progress]          // of the replica
	unfit     textSet                   // statements that it refused and the primary ran
	runs      atomic.Pointer[serverRun] // what the latest connection leads to

	ctx    context.Context // of what looks after the replica, which ends with the DB
	cancel context.CancelFunc
	looks  sync.WaitGroup

	telling sync.Mutex // taken before mu

	mu      sync.Mutex
	known   progress
	used    bool      // reads go there
	told    bool      // of used
	looking bool      // whether they may
	rested  time.Time // when it may be looked at again
}

const (
	// replicaPatience is how long a read waits for the replica to have replayed
	// what it needs.
	replicaPatience = 50 * time.Millisecond
	// replicaRest is how long a replica that failed is left alone.
	replicaRest = time.Second
	// replicaLook bounds one look at a replica that is not used.
	replicaLook = 5 * time.Second
	// replicaAttempts is how often a read begins anew because connections were made.
	replicaAttempts = 3
)

var errRemade = errors.New("sqldb: connections to the replica are made all the time")

// openReplica makes the replica of a database; it connects to nothing yet.
func openReplica(primary *DB, o Options) (*replica, error) {
	if primary.core.kind != PostgreSQL {
		return nil, errors.New("sqldb: Options.Replica is set, but a SQLite database has no replica; leave it out, or open a PostgreSQL database")
	}
	r := &replica{primary: primary}
	raw := o.Replica
	// Statements are prepared, and sessions cannot write: a pooler, if there is one, is the
	// primary's. What is sent to it only reads, see takes.
	o.Replica, o.ReplicaChanged, o.NoPrepare = "", nil, o.ReadOnly
	c := &core{options: o, standby: r}
	connector, err := c.connector(raw)
	if err != nil {
		return nil, fmt.Errorf("sqldb: Options.Replica: %w", err)
	}
	if c.kind != PostgreSQL {
		return nil, fmt.Errorf("sqldb: Options.Replica is the URL of a SQLite file; write for example %s", address.PostgresExample)
	}
	r.db, r.watch = newDB(c, connector), sql.OpenDB(connector)
	r.positions.slots = primary.slots
	r.watch.SetMaxOpenConns(1)
	r.watch.SetConnMaxLifetime(o.ConnMaxLifetime)
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r, nil
}

func (r *replica) close() error {
	r.mu.Lock()
	r.cancel()
	r.mu.Unlock()
	r.looks.Wait()
	return errors.Join(r.watch.Close(), r.db.Close())
}

// Replica is the session whose Read, ReadBy and Count the replica may answer, see
// [Options.Replica]; the session itself where there is none, and in a transaction.
// No such read sees less than what was committed before it asked. Statements that
// write, lock, or call a function that is not known to give everybody the same
// answer go to the primary, and so do Query, Exec, Write and [Session.IDB].
func (s *Session) Replica() *Session {
	if s.tx != nil || s.db.replica == nil {
		return s
	}
	return &Session{db: s.db, replica: s.db.replica}
}

func (r *replica) read(ctx context.Context, q schema.QueryAppender) (*Result, error) {
	primary := func() (*Result, error) { return r.primary.Session().Read(ctx, q) }
	text, args, err := r.db.render(q)
	if err != nil || !r.takes(text) {
		return primary()
	}
	ask := func(ctx context.Context) (*Result, error) { return r.db.shared(preparing(ctx), text, args) }
	return either(ctx, r, text, func(p position) (*Result, error) { return caughtUp(ctx, r, p, ask) }, primary)
}

func (r *replica) readBy(ctx context.Context, l *Lookup, key any, most int64, values ...any) (*Result, error) {
	primary := func() (*Result, error) { return r.primary.Session().ReadBy(ctx, l, key, most, values...) }
	t := r.db.template(l.one)
	if t.err != nil || !r.takes(t.text) {
		return primary()
	}
	ask := func(ctx context.Context) (*Result, error) {
		return r.db.Session().ReadBy(ctx, l, key, most, values...)
	}
	return either(ctx, r, t.text, func(p position) (*Result, error) { return caughtUp(ctx, r, p, ask) }, primary)
}

// count is [Session.Count]: where the snapshot that comes with the position is
// that of a number which is known, nothing is counted anywhere.
//
// A number of the replica is kept with a snapshot from before it was made, if all
// that was over by then is on the disk, and so in the replica. It holds more than
// that only if something was committed since, and then the snapshot is another
// from there on.
func (r *replica) count(ctx context.Context, q schema.QueryAppender) (driver.Value, error) {
	primary := func() (driver.Value, error) { return r.primary.Session().counted(ctx, q) }
	text, args, err := r.db.render(q)
	if err != nil || !r.takes(text) {
		return primary()
	}
	ask := func(ctx context.Context) (driver.Value, error) {
		found, err := r.db.shared(preparing(ctx), text, args)
		if err != nil {
			return nil, err
		}
		return countOf(found)
	}
	key := shareKeyOf(text, args)
	return either(ctx, r, text, func(p position) (driver.Value, error) {
		if known := r.primary.counts.of(key); known.snapshot == p.snapshot {
			return known.n, nil
		}
		n, err := caughtUp(ctx, r, p, ask)
		if err == nil && p.settled {
			r.primary.counts.keep(key, newCount(p.snapshot, n))
		}
		return n, err
	}, primary)
}

// takes reports whether a statement may go to the replica: it only reads, and was
// not refused there before.
func (r *replica) takes(text string) bool {
	return r.db.sharable.of(text, sharable) && !r.unfit.has(text)
}

// either asks the replica, given the primary's position, and the primary where the
// replica cannot answer.
func either[T any](ctx context.Context, r *replica, text string, replica func(position) (T, error), primary func() (T, error)) (T, error) {
	if !r.mayRead() {
		return primary()
	}
	var v T
	p, err := r.position(ctx)
	if err == nil {
		v, err = replica(p)
	}
	switch {
	case err == nil:
		return v, nil
	case isOver(ctx):
		return v, endOf(ctx)
	case IsOverloaded(err) && (!ofRead(err) || r.stands(ctx)): // the primary's pool would be next
		return v, err
	case IsOverloaded(err):
		return primary()
	}
	refused := r.judge(err)
	if refused && tookTooLong(err) { // that is not begun again
		return v, err
	}
	if v, err = primary(); err == nil && refused {
		r.unfit.add(text)
	}
	return v, err
}

// stands reports whether the replica's pool stands still for what it has to do, and
// ends the use of one that does not answer.
func (r *replica) stands(ctx context.Context) bool {
	limited, cancel := context.WithTimeout(ctx, replicaPatience)
	defer cancel()
	_, err := r.asked(limited)
	switch {
	case isOver(ctx): // which says nothing of the replica
		return true
	case err == nil:
		return r.mayRead()
	case isLate(err):
		err = errSilent
	}
	r.settle(err)
	return false
}

// tookTooLong reports whether a statement ended because it ran for too long, or
// waited too long for a lock.
func tookTooLong(err error) bool {
	failure, _ := Classify(err)
	return failure.Kind == Locked || fault.State(err) == stateCanceled
}

// A readError is one of a read that the replica was asked for, not of what is
// asked around it.
type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

func ofRead(err error) bool {
	_, of := errors.AsType[*readError](err)
	return of
}

// caughtUp asks the replica when it has replayed what the primary had.
func caughtUp[T any](ctx context.Context, r *replica, p position, ask func(context.Context) (T, error)) (v T, err error) {
	for range replicaAttempts {
		made, err := r.reaches(ctx, p)
		if err != nil {
			return v, err
		}
		switch v, err = ask(ctx); {
		case err != nil:
			return v, &readError{err}
		case r.made() == made:
			return v, nil
		}
	}
	return v, errRemade
}

// judge ends the use of a replica that an error speaks against. It is true for
// one of the statement alone, which the primary may run.
func (r *replica) judge(err error) (refused bool) {
	failure, known := Classify(err)
	read := ofRead(err)
	switch {
	case errors.Is(err, errRemade), errors.Is(err, context.Canceled), read && !known:
		return false
	case read && failure.Kind == Retry: // it was in the way of what is replayed
		return false
	case read && fault.State(err) != "" && failure.Kind != Unavailable:
		return true
	}
	r.settle(err)
	return false
}

// mayRead reports whether reads go to the replica. Where they do not, it is
// looked at beside them, now and then.
func (r *replica) mayRead() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.used && !r.looking && r.ctx.Err() == nil && time.Now().After(r.rested) {
		r.looking = true
		r.looks.Go(r.look)
	}
	return r.used
}

func (r *replica) look() {
	ctx, cancel := context.WithTimeout(r.ctx, replicaLook)
	defer cancel()
	err := r.check(ctx)
	if r.ctx.Err() == nil {
		r.settle(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.looking = false
}

// check is nil for a replica to which reads may go: it is the primary's, and has
// all that the primary had a moment ago.
func (r *replica) check(ctx context.Context) error {
	switch stranger, err := r.stranger(ctx); {
	case err != nil:
		return err
	case stranger:
		return errStranger
	}
	if _, err := r.ask(ctx); err != nil { // connecting may take longer than a read waits
		return err
	}
	p, err := r.position(ctx)
	if err != nil {
		return err
	}
	_, err = r.reaches(ctx, p)
	return err
}

// settle begins or ends the use of the replica, and tells of a change.
func (r *replica) settle(err error) {
	r.telling.Lock() // so that the last that is told is how it is
	defer r.telling.Unlock()
	r.mu.Lock()
	changed := r.used != (err == nil) || !r.told
	r.used, r.told = err == nil, true
	if err != nil {
		r.rested = time.Now().Add(replicaRest)
	}
	r.mu.Unlock()
	if tell := r.primary.core.options.ReplicaChanged; changed && tell != nil {
		defer spare(context.Background())
		tell(err)
	}
}

// connected notes which server a new connection leads to, and forgets how far the
// replica is.
func (r *replica) connected(ctx context.Context, c *conn) error {
	found, err := c.collect(ctx, text{c.inner, `SELECT pg_postmaster_start_time()::text`}, nil)
	if err != nil {
		return err
	}
	if err := found.Scan(0, &c.server); err != nil {
		return err
	}
	r.leadTo(c.server)
	return nil
}

// leadTo notes that a connection was made, and to which run of which server: in
// one step, so that nobody takes what is known of one for the other.
func (r *replica) leadTo(server string) {
	for {
		before := r.runs.Load()
		if r.runs.CompareAndSwap(before, &serverRun{server: server, made: before.count() + 1}) {
			return
		}
	}
}

// A serverRun is of one server: until a connection is made, which may lead to another.
type serverRun struct {
	server string
	made   uint64 // how many connections were
}

func (r *serverRun) count() uint64 {
	if r == nil {
		return 0
	}
	return r.made
}

// made is how many connections were made to it.
func (r *replica) made() uint64 { return r.runs.Load().count() }

// leads reports whether a connection leads to the server that the latest one
// leads to. Behind one address there may be several.
func (r *replica) leads(c *conn) bool { return r.runs.Load().server == c.server }
