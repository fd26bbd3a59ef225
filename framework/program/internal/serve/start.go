package serve

import (
	"context"
	"time"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/sqldb"
)

const (
	// startPause is the time between two attempts to reach the database at the start.
	// startPing is the limit of one attempt.
	startPause = 500 * time.Millisecond
	startPing  = time.Second
	// startNews is the least time between two log lines about a changed reason that keeps
	// the server from starting.
	startNews = 10 * time.Second
)

// prepareInTime prepares the database when it becomes available, so that a server may
// start before its database. It logs a reason that differs from the last one, at most every
// 10 seconds. It returns any other fault, such as a missing migration, or a SQLite file that
// cannot be opened.
func prepareInTime(ctx context.Context, run *command.Run, s *server, migrate bool) error {
	told, at := "", time.Time{}
	for {
		err := s.reach(ctx)
		if err == nil {
			err = prepare(ctx, run, s, migrate)
		}
		if err == nil || !s.isAway(err) {
			return err
		}
		if why := run.Explain(err); why != told && time.Since(at) >= startNews {
			s.Log.Warn("the server is not ready, and tries again until the database answers: " + why)
			told, at = why, time.Now()
		}
		if err := pause(ctx, startPause); err != nil {
			return err
		}
	}
}

// reach checks whether the database answers within [startPing].
func (s *server) reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPing)
	defer cancel()
	return s.probe.PingContext(ctx)
}

// isAway reports whether the database may be available later: PostgreSQL is unavailable, or
// did not answer in time. It is false for every error of SQLite.
func (s *server) isAway(err error) bool {
	fault, ok := sqldb.Classify(err)
	return ok && s.DB.Kind() == sqldb.PostgreSQL && (fault.Kind == sqldb.Unavailable || fault.Kind == sqldb.Timeout)
}

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
