package access

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/call"
)

// SecurityOf lists the ways to send the credentials of a scheme for a method: those that its
// method Security returns, or else the first word of its challenge. If several wrapped schemes
// have Security, the outermost counts. It returns nil for a scheme with neither.
func SecurityOf(scheme call.Authenticator, method string) [][]call.SecurityScheme {
	secured := Parts[call.Secured](scheme)
	if len(secured) > 0 {
		return secured[0].Security(method)
	}
	word, _, _ := strings.Cut(scheme.Challenge(), " ")
	name := strings.ToLower(word)
	switch {
	case name == "":
		return nil
	case !slices.Contains(registered, name): // generators of clients know no such scheme
		doc := "The header Authorization: the word " + word + ", a space, and the credentials."
		return [][]call.SecurityScheme{{{Name: name + "Auth", In: "header", Key: "Authorization", Doc: doc}}}
	}
	return [][]call.SecurityScheme{{{Name: name + "Auth", Scheme: name, Doc: "The header Authorization, scheme " + name + "."}}}
}

// registered are the schemes of HTTP, in small letters:
// https://www.iana.org/assignments/http-authschemes
var registered = []string{
	"basic", "bearer", "concealed", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate", "oauth", "privatetoken",
	"scram-sha-1", "scram-sha-256", "vapid",
}

// authorizationWords lists the words with which the header Authorization may begin. A word is
// spelt as in the challenge of its scheme, or begins with a capital if the challenge lacks it.
func authorizationWords(schemes []call.Authenticator) (words []string) {
	for _, scheme := range schemes {
		challenge, _, _ := strings.Cut(scheme.Challenge(), " ")
		for _, piece := range slices.Concat(SecurityOf(scheme, http.MethodGet)...) {
			word := challenge
			switch {
			case piece.Scheme == "" && piece.Key != "Authorization":
				continue
			case piece.Scheme != "" && !strings.EqualFold(piece.Scheme, challenge):
				word = strings.ToUpper(piece.Scheme[:1]) + piece.Scheme[1:]
			}
			if word != "" && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

// Parts lists those that implement T: a part of a declaration, and at any depth the parts that
// the method Unwrap of a part returns.
func Parts[T any](part any) (found []T) {
	if part == nil {
		return nil
	}
	if t, ok := part.(T); ok {
		found = append(found, t)
	}
	switch wrapper := part.(type) {
	case interface{ Unwrap() call.Authenticator }:
		return append(found, Parts[T](wrapper.Unwrap())...)
	case interface{ Unwrap() call.Throttle }:
		return append(found, Parts[T](wrapper.Unwrap())...)
	case interface{ Unwrap() call.Permission }:
		return append(found, Parts[T](wrapper.Unwrap())...)
	case interface{ Unwrap() []call.Permission }:
		for _, inner := range wrapper.Unwrap() {
			found = append(found, Parts[T](inner)...)
		}
	}
	return found
}

// AllParts returns the parts of an access check that implement T, as [Parts] finds them.
func AllParts[T any](a Check) (found []T) {
	for _, s := range a.Authentication {
		found = append(found, Parts[T](s)...)
	}
	for _, t := range a.Throttles {
		found = append(found, Parts[T](t)...)
	}
	return append(found, Parts[T](a.Permission)...)
}
