package web

import (
	"net/http"
)

// Headers that every answer has. A page sets another policy for itself. The
// lists are shared by all answers: nobody changes them in place. With them an
// answer usually has eight headers, more than which a map must grow for.
var answerSniffing = []string{"nosniff"}

var answerKept = []string{"no-store"}

var answerResource = []string{"same-origin"}

var answerPolicy = []string{"default-src 'none'; frame-ancestors 'none'"}

// guardAnswer tells browsers to do nothing with an answer but what a program
// does: not to guess its type, to show it in a frame, to load anything for it, or
// to give it to the pages of others.
func guardAnswer(h http.Header) {
	h["X-Content-Type-Options"] = answerSniffing
	h["Cross-Origin-Resource-Policy"] = answerResource
	h["Content-Security-Policy"] = answerPolicy
}

// unkept says that nobody is to keep an answer, unless it says itself who may.
func unkept(h http.Header) {
	if len(h["Cache-Control"]) == 0 {
		h["Cache-Control"] = answerKept
	}
}
