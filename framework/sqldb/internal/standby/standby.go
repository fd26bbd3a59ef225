// Package standby decides which reads a replica of PostgreSQL may answer: those for which it
// has replayed all that was committed on the primary before they began.
package standby

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"sync"
	"time"

	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/framework/sqldb/internal/pool"
	"trestle.example/framework/sqldb/internal/share"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// A Standby is a replica of the database that answers reads instead of the primary. Each
// answer includes everything that was committed before the read began: the read learns how
// far the primary's log goes and waits until the replica has replayed it that far.
//
// The known progress is that of one run of one server. It is forgotten whenever a
// connection is made, and a read during which a connection was made is repeated: after a
// restart, the server may for a short time lack data that it had before.
type Standby struct {
	primary *pool.Pool
	watch   *sql.DB // one more connection, to read its progress without waiting for other reads
	runs    *Runs   // what the latest connection leads to
	changed func(error)

	positions *share.Group[Position] // of the primary
	progress  share.Group[progress]  // of the replica
	unfit     sqltext.TextSet        // statements that it rejected and the primary ran

	ctx    context.Context // of the checks of the replica; it ends with the DB
	cancel context.CancelFunc
	checks sync.WaitGroup

	reporting sync.Mutex // taken before mu

	mu       sync.Mutex
	known    progress
	used     bool      // reads go to the replica
	reported bool      // the value of used that was last reported
	checking bool      // a check of the replica is running
	retryAt  time.Time // when the replica may be checked again
}

const (
	// replicaWait is how long one attempt of a read waits, at most, until the replica has
	// replayed what the read needs. It also limits each query for the replica's progress,
	// except the first one of a check of the replica.
	replicaWait = 50 * time.Millisecond
	// retryPause is the minimum time between a failure of the replica and its next check.
	retryPause = time.Second
	// checkLimit bounds one check of a replica that is not used.
	checkLimit = 5 * time.Second
	// Attempts is how often a read is tried at most while connections are made.
	Attempts = 3
)

// Options are what a Standby needs.
type Options struct {
	Primary   *pool.Pool
	Connector driver.Connector // to the replica
	Runs      *Runs            // that the connections of the connector report to
	Lifetime  time.Duration    // the age at which the connection beside the pool is replaced

	// Changed is called with nil when reads begin to go to the replica, and with the reason
	// when they go to the primary instead. It may be nil.
	Changed func(error)
}

// New makes a Standby. It connects to nothing yet.
func New(o Options) *Standby {
	s := &Standby{primary: o.Primary, watch: sql.OpenDB(o.Connector), runs: o.Runs, changed: o.Changed}
	s.positions = share.New[Position](o.Primary.Slots, 0)
	s.watch.SetMaxOpenConns(1)
	s.watch.SetConnMaxLifetime(o.Lifetime)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Close ends the checks of the replica, waits for one that is running, and closes the
// connection beside its pool.
func (s *Standby) Close() error {
	s.mu.Lock()
	s.cancel()
	s.mu.Unlock()
	s.checks.Wait()
	return s.watch.Close()
}

// Rejected reports whether the replica rejected a statement that the primary ran.
func (s *Standby) Rejected(text string) bool { return s.unfit.Has(text) }

// MayRead reports whether reads go to the replica. If they do not, it starts a check of the
// replica, unless one is running, the replica failed less than retryPause ago, or Close was
// called.
func (s *Standby) MayRead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.used && !s.checking && s.ctx.Err() == nil && time.Now().After(s.retryAt) {
		s.checking = true
		s.checks.Go(s.recheck)
	}
	return s.used
}

func (s *Standby) recheck() {
	ctx, cancel := context.WithTimeout(s.ctx, checkLimit)
	defer cancel()
	err := s.check(ctx)
	if s.ctx.Err() == nil {
		s.settle(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checking = false
}

// check returns nil if reads may go to the replica: it is not a replica of another primary,
// see Stranger, and has replayed everything that was on the primary when the check began.
func (s *Standby) check(ctx context.Context) error {
	switch stranger, err := s.Stranger(ctx); {
	case err != nil:
		return err
	case stranger:
		return ErrStranger
	}
	if _, err := s.readProgress(ctx); err != nil { // connecting may take longer than a read waits
		return err
	}
	p, err := s.Position(ctx)
	if err != nil {
		return err
	}
	_, err = s.reaches(ctx, p)
	return err
}

// settle begins the use of the replica if err is nil, and else ends it until a check succeeds.
// It reports a change, and the first result.
func (s *Standby) settle(err error) {
	s.reporting.Lock() // so that the last report is the present state
	defer s.reporting.Unlock()
	s.mu.Lock()
	changed := s.used != (err == nil) || !s.reported
	s.used, s.reported = err == nil, true
	if err != nil {
		s.retryAt = time.Now().Add(retryPause)
	}
	s.mu.Unlock()
	if changed && s.changed != nil {
		defer fault.LogPanic(context.Background())
		s.changed(err)
	}
}

// isBusy reports whether the replica answers and is still used, so that only its pool is
// full. It returns true too if ctx has ended. If the progress of the replica cannot be read,
// it ends the use of the replica.
func (s *Standby) isBusy(ctx context.Context) bool {
	limited, cancel := context.WithTimeout(ctx, replicaWait)
	defer cancel()
	_, err := s.shareProgress(limited)
	switch {
	case fault.IsOver(ctx): // the replica may still be usable
		return true
	case err == nil:
		return s.MayRead()
	case isLate(err):
		err = ErrSilent
	}
	s.settle(err)
	return false
}
