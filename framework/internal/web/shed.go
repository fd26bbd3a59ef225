package web

import (
	"errors"
	"sync"
	"time"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/body"
	"trestle.example/framework/internal/fair"
	"trestle.example/framework/sqldb"
)

// A shedCount counts the requests that are answered 503 overloaded for one reason. It
// is safe for concurrent use.
type shedCount struct {
	mu    sync.Mutex
	total int64
	last  time.Time // the time at which add last reported due
}

// add counts a request. due reports whether to log the total: at most once a second.
func (s *shedCount) add(now time.Time) (total int64, due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total++
	if now.Sub(s.last) < time.Second {
		return s.total, false
	}
	s.last = now
	return s.total, true
}

// shed counts a request that the server answers 503 overloaded, and logs a warning, for each
// reason at most once a second. It returns false for any other error.
func (s *server) shed(c *call.Call, err error) bool {
	var count *shedCount
	var why string
	switch {
	case sqldb.IsOverloaded(err):
		count, why = &s.shedByDatabase, "requests wait too long for the database and are answered 503 overloaded"
	case errors.Is(err, fair.ErrBudget):
		count, why = &s.shedByBodies, "the bodies of an address take too much memory and are answered 503 overloaded"
	case errors.Is(err, body.ErrParsing):
		count, why = &s.shedByParsing, "large bodies wait too long to be parsed and are answered 503 overloaded"
	default:
		return false
	}
	if total, due := count.add(time.Now()); due {
		s.api.Config.Log.WarnContext(c, why, "requests_since_start", total)
	}
	return true
}
