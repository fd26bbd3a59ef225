package web

import (
	"log/slog"

	"trestle.example/framework/internal/table"
	"trestle.example/framework/sqldb"
)

// LogDatabase logs once that the database does not answer, and once that it answers
// again.
func LogDatabase(a *table.Registry) {
	a.DB.ObserveAway(func(why error) {
		if why != nil {
			a.Config.Log.Error("the database does not answer", "error", why)
			return
		}
		a.Config.Log.Info("the database answers again")
	})
}

// severity is the level at which the log tells of a request that failed. While
// the database's server is away that is said once and is no fault of each.
func (s *server) severity(err error) slog.Level {
	fault, _ := sqldb.Classify(err)
	if fault.Kind == sqldb.Unavailable && s.api.DB.Kind() == sqldb.PostgreSQL {
		return slog.LevelWarn
	}
	return slog.LevelError
}
