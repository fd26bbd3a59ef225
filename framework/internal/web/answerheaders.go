package web

import (
	"net/http"
)

// The values of headers that every answer has. All answers share these slices, so they must not
// be changed. A page replaces the Content-Security-Policy. Including these, most answers have at
// most eight headers, so that the map of headers does not grow.
var answerSniffing = []string{"nosniff"}

var answerKept = []string{"no-store"}

var answerResource = []string{"same-origin"}

var answerPolicy = []string{"default-src 'none'; frame-ancestors 'none'"}

// guardAnswer sets the headers that restrict browsers: they do not guess the type of the
// answer, do not show it in a frame, load nothing for it, and do not give it to pages of other
// origins, except those that CORS allows.
func guardAnswer(h http.Header) {
	h["X-Content-Type-Options"] = answerSniffing
	h["Cross-Origin-Resource-Policy"] = answerResource
	h["Content-Security-Policy"] = answerPolicy
}

// forbidStoring sets Cache-Control to no-store, unless the answer has this header.
func forbidStoring(h http.Header) {
	if len(h["Cache-Control"]) == 0 {
		h["Cache-Control"] = answerKept
	}
}
