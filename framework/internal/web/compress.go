package web

import (
	"net/http"

	"trestle.example/framework/internal/table"
)

// compress calls serve with a writer that compresses the answer, if the API compresses answers and that of the endpoint may be.
// Observers, the log and the middleware of the endpoint have the answer before it is compressed.
func (s *server) compress(e *table.Endpoint, w http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter)) {
	if s.compressor == nil || e == nil || !mayCompress(e) {
		serve(w)
		return
	}
	x := exchangeOf(r)
	w = x.observe(w)
	below := x.observation.ResponseWriter
	s.compressor.Serve(below, r, func(above http.ResponseWriter) {
		x.observation.ResponseWriter = above
		defer func() { x.observation.ResponseWriter = below }()
		serve(w)
	})
}

// mayCompress reports whether the answers of an endpoint may be compressed. Those with secrets may not, because the length of
// compressed text lets an attacker guess a secret beside text of the attacker (BREACH), and neither may files and other bytes, which
// can be requested in parts.
func mayCompress(e *table.Endpoint) bool {
	return !e.Secret && !e.SignsIn && e.File == nil && (e.Parts == nil || e.Parts.Element != nil)
}
