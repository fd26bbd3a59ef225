package web

import (
	"log/slog"

	"trestle.example/framework/internal/table"
	"trestle.example/framework/sqldb"
)

// LogDatabase logs what a database of sqldb.Wrap lacks. It logs one line when the PostgreSQL server stops answering, and one when it answers
// again. For SQLite it logs nothing.
func LogDatabase(a *table.Registry) {
	for _, lack := range a.DB.Lacks() {
		a.Config.Log.Info("the database uses the connections of the program", "limit", lack)
	}
	a.DB.ObserveAway(func(why error) {
		if why != nil {
			a.Config.Log.Error("the database does not answer", "error", why)
			return
		}
		a.Config.Log.Info("the database answers again")
	})
}

// severity is the log level of a request that failed: error, or warning if the PostgreSQL
// server does not answer. [LogDatabase] logs that state once as an error.
func (s *server) severity(err error) slog.Level {
	fault, _ := sqldb.Classify(err)
	if fault.Kind == sqldb.Unavailable && s.api.DB.Kind() == sqldb.PostgreSQL {
		return slog.LevelWarn
	}
	return slog.LevelError
}
