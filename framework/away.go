package framework

import (
	"log/slog"

	"trestle.example/framework/sqldb"
)

// tellOfDatabase has the log say once that the database's server is away, and
// once that it is back.
func (a *API) tellOfDatabase() {
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
func (a *API) severity(err error) slog.Level {
	fault, _ := sqldb.Classify(err)
	if fault.Kind == sqldb.Unavailable && a.db.Kind() == sqldb.PostgreSQL {
		return slog.LevelWarn
	}
	return slog.LevelError
}
