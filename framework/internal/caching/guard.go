package caching

import "net/http"

// A Guard is a writer around which middleware runs. If an answer that a [Policy] has made public gets a cookie later, no cache
// may keep it.
type Guard struct{ http.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (g Guard) WriteHeader(status int) {
	if h := g.Header(); IsPublic(h) && len(h["Set-Cookie"]) > 0 {
		h.Set(HeaderControl, "no-store")
	}
	g.ResponseWriter.WriteHeader(status)
}

// Flush implements [http.Flusher].
func (g Guard) Flush() { _ = http.NewResponseController(g.ResponseWriter).Flush() }

// Unwrap lets [http.ResponseController] find the methods of the wrapped writer.
func (g Guard) Unwrap() http.ResponseWriter { return g.ResponseWriter }
