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

// A Standby is a replica of the database that answers reads in its place, and
// never with less than what was committed before they asked. Each read learns how
// far the primary's log goes and waits until the replica has replayed it that far.
//
// What is known of how far it is holds for one run of one server. So it is
// forgotten whenever a connection is made, and a read during which one was made is
// made again: a server that was started anew may for a while have less than before.
type Standby struct {
	primary *pool.Pool
	watch   *sql.DB // one connection more to ask how far it is, which no read holds up
	runs    *Runs   // what the latest connection leads to
	changed func(error)

	positions *share.Group[Position] // of the primary
	progress  share.Group[progress]  // of the replica
	unfit     sqltext.TextSet        // statements that it refused and the primary ran

	ctx    context.Context // of what looks after the replica, which ends with the DB
	cancel context.CancelFunc
	looks  sync.WaitGroup

	telling sync.Mutex // taken before mu

	mu      sync.Mutex
	known   progress
	used    bool      // reads go there
	told    bool      // the value of used that was last reported
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
	// Attempts is how often a read begins anew because connections were made.
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

// Close ends the use of the replica and closes the connection beside its pool.
func (s *Standby) Close() error {
	s.mu.Lock()
	s.cancel()
	s.mu.Unlock()
	s.looks.Wait()
	return s.watch.Close()
}

// Refused reports whether the replica refused a statement that the primary ran.
func (s *Standby) Refused(text string) bool { return s.unfit.Has(text) }

// MayRead reports whether reads go to the replica. Where they do not, it is
// looked at beside them, now and then.
func (s *Standby) MayRead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.used && !s.looking && s.ctx.Err() == nil && time.Now().After(s.rested) {
		s.looking = true
		s.looks.Go(s.look)
	}
	return s.used
}

func (s *Standby) look() {
	ctx, cancel := context.WithTimeout(s.ctx, replicaLook)
	defer cancel()
	err := s.check(ctx)
	if s.ctx.Err() == nil {
		s.settle(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looking = false
}

// check is nil for a replica to which reads may go: it is the primary's, and has
// all that the primary had a moment ago.
func (s *Standby) check(ctx context.Context) error {
	switch stranger, err := s.Stranger(ctx); {
	case err != nil:
		return err
	case stranger:
		return ErrStranger
	}
	if _, err := s.ask(ctx); err != nil { // connecting may take longer than a read waits
		return err
	}
	p, err := s.Position(ctx)
	if err != nil {
		return err
	}
	_, err = s.reaches(ctx, p)
	return err
}

// settle begins or ends the use of the replica, and reports a change.
func (s *Standby) settle(err error) {
	s.telling.Lock() // so that the last report is the present state
	defer s.telling.Unlock()
	s.mu.Lock()
	changed := s.used != (err == nil) || !s.told
	s.used, s.told = err == nil, true
	if err != nil {
		s.rested = time.Now().Add(replicaRest)
	}
	s.mu.Unlock()
	if changed && s.changed != nil {
		defer fault.LogPanic(context.Background())
		s.changed(err)
	}
}

// stands reports whether the replica's pool stands still for what it has to do, and
// ends the use of one that does not answer.
func (s *Standby) stands(ctx context.Context) bool {
	limited, cancel := context.WithTimeout(ctx, replicaPatience)
	defer cancel()
	_, err := s.asked(limited)
	switch {
	case fault.IsOver(ctx): // which says nothing of the replica
		return true
	case err == nil:
		return s.MayRead()
	case isLate(err):
		err = ErrSilent
	}
	s.settle(err)
	return false
}
