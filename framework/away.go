package framework

import (
	"log/slog"

	"trestle.example/framework/sqldb"
)

// logDatabase logs once that the database does not answer, and once that it answers
// again.
func logDatabase(a *registry) {
	a.db.ObserveAway(func(why error) {
		if why != nil {
			a.config.Log.Error("the database does not answer", "error", why)
			return
		}
		a.config.Log.Info("the database answers again")
	})
}

// severity is the level at which the log tells of a request that failed. While
// the database's server is away that is said once and is no fault of each.
func (s *server) severity(err error) slog.Level {
	fault, _ := sqldb.Classify(err)
	if fault.Kind == sqldb.Unavailable && s.api.db.Kind() == sqldb.PostgreSQL {
		return slog.LevelWarn
	}
	return slog.LevelError
}
