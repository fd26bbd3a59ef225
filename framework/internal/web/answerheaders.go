package web

import (
	"net/http"
)

// The values of headers that answers have by default: a handler may set another Cache-Control,
// and a page sets another Content-Security-Policy. All answers share these slices, so they must
// not be changed. Most answers have at most eight headers, so that the map does not grow.
var answerSniffing = []string{"nosniff"}

var answerKept = []string{"no-store"}

var answerResource = []string{"same-origin"}

var answerPolicy = []string{"default-src 'none'; frame-ancestors 'none'"}

// guardAnswer sets headers that restrict browsers: a browser does not guess the type of the
// answer, does not show it in a frame, loads nothing for it, and does not give it to pages of
// other origins, except those that CORS allows.
func guardAnswer(h http.Header) {
	h["X-Content-Type-Options"] = answerSniffing
	h["Cross-Origin-Resource-Policy"] = answerResource
	h["Content-Security-Policy"] = answerPolicy
}

// forbidStoring sets Cache-Control to no-store, unless the answer has a Cache-Control already.
func forbidStoring(h http.Header) {
	if len(h["Cache-Control"]) == 0 {
		h["Cache-Control"] = answerKept
	}
}
