package httpserver

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A logLimiter limits a log line to one per second.
type logLimiter struct {
	mu   sync.Mutex
	last time.Time
}

func (s *logLimiter) due(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.last) < time.Second {
		return false
	}
	s.last = now
	return true
}

// problem sends an error as a problem document (RFC 9457).
func problem(w http.ResponseWriter, status int, code, detail string) {
	answer(w, status, "application/problem+json", map[string]any{
		"type": "about:blank", "title": http.StatusText(status), "status": status, "code": code, "detail": detail,
	})
}

// answer sends a value as JSON that no cache may store. If the value cannot be encoded, it sends
// 500 and {}.
func answer(w http.ResponseWriter, status int, media string, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte("{}")
	}
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// If this fails, the client disconnected.
	_, _ = w.Write(body)
}
